/** A URL that a style sheet loads. */
export interface StyleUrl {
  /** As written, without quotes. */
  url: string;
  isImport: boolean;
  /** Place of the whole `url(...)` or `@import ...;` in the text. */
  start: number;
  end: number;
  /** What follows the URL of an `@import`: media, layer; without the semicolon. */
  rest: string;
}

const PATTERN =
  /\/\*[\s\S]*?(?:\*\/|$)|@import\s+(?:url\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"')]*))\s*\)|"([^"\n]*)"|'([^'\n]*)')([^;{}]*);?|url\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"')]*))\s*\)/gi;

/** Everything that a style sheet loads, comments apart, in order. */
export function styleUrls(css: string): StyleUrl[] {
  const found: StyleUrl[] = [];
  for (const match of css.matchAll(PATTERN)) {
    if (match[0].startsWith('/*')) continue;
    const isImport = match[0].startsWith('@');
    const [imported, loaded] = [match.slice(1, 6), match.slice(7, 10)];
    const url = (isImport ? imported : loaded).find((text) => text !== undefined) ?? '';
    const start = match.index;
    found.push({ url, isImport, start, end: start + match[0].length, rest: (match[6] ?? '').trim() });
  }
  return found;
}

/** A style sheet with its URLs replaced, those apart that stay the same; null takes the import away, or makes the value `none`. */
export function replaceStyleUrls(css: string, replace: (found: StyleUrl) => string | null): string {
  let text = '';
  let done = 0;
  for (const found of styleUrls(css)) {
    const url = replace(found);
    if (url === found.url) continue;
    text += css.slice(done, found.start);
    if (url !== null) {
      const quoted = `url("${url.replace(/["\\\n]/g, (char) => encodeURIComponent(char))}")`;
      text += found.isImport ? `@import ${quoted}${found.rest === '' ? '' : ` ${found.rest}`};` : quoted;
    } else if (!found.isImport) text += 'none';
    done = found.end;
  }
  return text + css.slice(done);
}
