/**
 * Separates prose from code in Markdown and MDX, to change words and nothing else. Reads what no parser would
 * take, since pages are edited while they are broken; never throws, and takes time in proportion to the text.
 */

/** Part of a text, in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
}

/** Front matter keys and attributes whose value people read. */
const READ = new Set(
  'title sidebartitle description subtitle label alt caption tip tooltip placeholder heading headline cta summary tag keywords og:title og:description og:image:alt twitter:title twitter:description twitter:image:alt aria-label'.split(
    ' ',
  ),
);

/** Those whose value a machine reads, however it looks. */
const MACHINE = new Set(
  'href src srcset url icon icontype img image og:image og:url twitter:image canonical slug id key ref class classname style color path query body header name type default method openapi asyncapi api authmethod mode layout rss version lang language target rel width height viewbox d fill stroke groups public hidden deprecated noindex redirect to from'.split(
    ' ',
  ),
);

/** Elements whose content is not prose. */
const RAW = new Set('code pre script style svg math samp kbd var'.split(' '));

const FENCE = /[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})/y;
const EXPORT = /export[ \t]+(?:(?:const|let|var|default|function|async|class|type|interface)\b|[{*])/y;
const DEFINITION = /[ \t>]*\[[^\]\n]{1,999}\]:[ \t]*(?:<[^>\n]*>|\S+)/y;
const TAG_NAME = /<\/?(?:[A-Za-z][\w.:-]*)?/y;
const ATTRIBUTE = /[A-Za-z_:@$][\w.:$-]*/y;
const AUTOLINK = /<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>]+)>/y;
const TOKEN = /[^\s<>()[\]{}"'`|*“”‘’，。、；：！？（）「」]+/y;
const BLANKS = /\s*/y;
const EQUALS = /\s*=\s*/y;
const EMPTY_LINE = /\n(?=[ \t>]*\r?\n)/g;

/** Parts of a page that are prose, in order. */
export function proseSpans(text: string): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { start, end } of codeSpans(text)) {
    if (start > at) spans.push({ start: at, end: start });
    at = Math.max(at, end);
  }
  if (at < text.length) spans.push({ start: at, end: text.length });
  return spans;
}

/** Parts of a page that are not prose, in order: the complement of `proseSpans`. */
function codeSpans(text: string): Span[] {
  const spans: Span[] = [];
  const protect = (start: number, end: number): void => {
    if (end > start) spans.push({ start, end });
  };
  const reader = createReader(text);
  let at = frontMatter(text, protect);
  let lineStart = true;
  while (at < text.length) {
    const from = at;
    if (lineStart) {
      at = blockEnd(text, at, reader);
      protect(from, at);
      lineStart = at > from && text[at - 1] === '\n';
      if (at > from) continue;
    }
    lineStart = text[at] === '\n';
    at = inlineEnd(text, at, reader, protect);
  }
  return spans;
}

/** Looks ahead, but not again and again over the same text: what is not found within the allowance is not there. */
interface Reader {
  /** Offset of a text at or after `from`, below `to`; -1 when it is not there. */
  find(sought: string, from: number, to?: number): number;
  /** Offset after the brace that closes the one at `from`; -1. */
  closeBrace(from: number): number;
  /** Offset of the line end before the next empty line, or of the end of the text. */
  paragraphEnd(at: number): number;
  match(pattern: RegExp, at: number): string | null;
}

function createReader(text: string): Reader {
  let allowance = 16 * text.length + 1024;
  let paragraph = 0;
  return {
    find(sought, from, to) {
      if (allowance <= 0) return -1;
      const part = to === undefined ? text.length - from : Math.max(0, to - from);
      const at = text.slice(from, from + part).indexOf(sought);
      allowance -= at < 0 ? part : at;
      return at < 0 ? -1 : from + at;
    },
    closeBrace(from) {
      if (allowance <= 0) return -1;
      const end = braceEnd(text, from);
      allowance -= (end < 0 ? text.length : end) - from;
      return end;
    },
    paragraphEnd(at) {
      if (at >= paragraph) {
        EMPTY_LINE.lastIndex = at;
        paragraph = EMPTY_LINE.exec(text)?.index ?? text.length;
      }
      return Math.max(paragraph, at);
    },
    match(pattern, at) {
      pattern.lastIndex = at;
      return pattern.exec(text)?.[0] ?? null;
    },
  };
}

/**
 * Constructs at the start of a line that are not prose: a fence, a module statement, a definition of a link.
 */
function blockEnd(text: string, at: number, reader: Reader): number {
  FENCE.lastIndex = at;
  const fence = FENCE.exec(text);
  if (fence !== null) return fenceEnd(text, FENCE.lastIndex, fence[1]!);
  if (text.startsWith('import', at)) return importEnd(text, at, reader);
  if (reader.match(EXPORT, at) !== null) return exportEnd(text, at, reader);
  const definition = reader.match(DEFINITION, at);
  return definition === null || /^[ \t>]*\[\^/.test(definition) ? at : at + definition.length;
}

function fenceEnd(text: string, from: number, mark: string): number {
  let line = text.indexOf('\n', from);
  while (line >= 0) {
    const next = text.indexOf('\n', line + 1);
    const body = text
      .slice(line + 1, next < 0 ? text.length : next)
      .replace(/^[ \t>]+/, '')
      .trimEnd();
    if (body.length >= mark.length && body === mark[0]!.repeat(body.length)) break;
    line = next;
  }
  if (line < 0) return text.length;
  const end = text.indexOf('\n', line + 1);
  return end < 0 ? text.length : end + 1;
}

/** An import ends with the line of its file's name. Without such a name it is a sentence. */
function importEnd(text: string, at: number, reader: Reader): number {
  const limit = Math.min(reader.paragraphEnd(at), at + 5000);
  const double = reader.find('"', at, limit);
  const single = reader.find("'", at, double < 0 ? limit : double);
  const quote = single < 0 ? double : single;
  if (quote < 0 || !/^import\s*(?:[\w*{$][\w\s,{}*$]*\bfrom\s*)?$/.test(text.slice(at, quote))) return at;
  const line = text.indexOf('\n', quote);
  return line < 0 ? text.length : line + 1;
}

/**
 * An export ends with its line, or with the line after its last brace; an open array continues to an empty
 * line.
 */
function exportEnd(text: string, at: number, reader: Reader): number {
  const lineEndAfter = (from: number): number => {
    const line = text.indexOf('\n', from);
    return line < 0 ? text.length : line;
  };
  let end = lineEndAfter(at);
  for (let brace = reader.find('{', at, end); brace >= 0; ) {
    const close = reader.closeBrace(brace);
    if (close < 0) break;
    end = lineEndAfter(close);
    brace = reader.find('{', close, end);
  }
  if (/[[(,=:?&|+`]\s*$/.test(text.slice(Math.max(at, end - 200), end))) end = reader.paragraphEnd(end);
  return Math.min(text.length, end + 1);
}

/** Passes one piece of a line, protecting it if it is not prose. */
function inlineEnd(
  text: string,
  at: number,
  reader: Reader,
  protect: (start: number, end: number) => void,
): number {
  const letter = text[at]!;
  if (letter === '\\') return at + 2;
  if (letter === '`') return tickEnd(text, at, reader, protect);
  if (letter === '<') return angleEnd(text, at, reader, protect);
  if (letter === '{') {
    const end = reader.closeBrace(at);
    protect(at, end);
    return end < 0 ? at + 1 : end;
  }
  if (letter === '[' && text[at + 1] === '^') {
    const end = reader.find(']', at, at + 200);
    protect(at, end);
    return end < 0 ? at + 2 : end;
  }
  if (letter === ']' && text[at + 1] === '(') return destinationEnd(text, at + 2, protect);
  if (letter === ']' && text[at + 1] === '[') {
    const end = reader.find(']', at + 2, at + 1000);
    protect(at + 1, end + 1);
    return end < 0 ? at + 2 : end + 1;
  }
  const token = reader.match(TOKEN, at);
  if (token === null) return at + 1;
  // A backslash starts an escape, which may hide the next character.
  const slash = token.indexOf('\\');
  const whole = slash > 0 ? token.slice(0, slash) : token;
  protectAddress(at, whole, protect);
  return at + whole.length;
}

function tickEnd(
  text: string,
  at: number,
  reader: Reader,
  protect: (start: number, end: number) => void,
): number {
  let open = at;
  while (text[open] === '`') open += 1;
  const run = text.slice(at, open);
  // Code within a line ends in its paragraph.
  const limit = reader.paragraphEnd(open);
  for (let close = reader.find(run, open, limit); close >= 0; ) {
    let end = close;
    while (text[end] === '`') end += 1;
    if (end - close === run.length) {
      protect(at, end);
      return end;
    }
    close = reader.find(run, end, limit);
  }
  return open;
}

function angleEnd(
  text: string,
  at: number,
  reader: Reader,
  protect: (start: number, end: number) => void,
): number {
  if (text.startsWith('<!--', at)) {
    const close = reader.find('-->', at + 4);
    const end = close < 0 ? text.length : close + 3;
    protect(at, end);
    return end;
  }
  const address = reader.match(AUTOLINK, at);
  if (address !== null) {
    protect(at, at + address.length);
    return at + address.length;
  }
  const tag = tagAt(text, at, reader);
  if (tag === null) return at + 1;
  let from = at;
  for (const value of tag.read) {
    protect(from, value.start);
    protectAddresses(text, value, protect);
    from = value.end;
  }
  protect(from, tag.end);
  if (!tag.opens || !RAW.has(tag.name)) return tag.end;
  const close = reader.find(`</${tag.name}`, tag.end);
  protect(tag.end, close);
  return close < 0 ? tag.end : close;
}

/** A tag with the values in it that people read; null when the text is none. */
function tagAt(text: string, at: number, reader: Reader): Tag | null {
  const head = reader.match(TAG_NAME, at)!;
  const read: Span[] = [];
  const name = head.replace(/^<\/?/, '');
  let place = at + head.length;
  // `<` alone is text; `<>` and `</>` are fragments.
  if (name === '' && text[place] !== '>') return null;
  for (;;) {
    place += reader.match(BLANKS, place)?.length ?? 0;
    if (text[place] === '>') return { end: place + 1, name, opens: !head.startsWith('</'), read };
    if (text.startsWith('/>', place)) return { end: place + 2, name, opens: false, read };
    place = text[place] === '{' ? reader.closeBrace(place) : attributeEnd(text, place, reader, read);
    if (place < 0) return null;
  }
}

interface Tag {
  end: number;
  name: string;
  /** Whether content follows. */
  opens: boolean;
  read: Span[];
}

/** Offset after an attribute, whose value is noted if people read it; -1 if there is no attribute. */
function attributeEnd(text: string, at: number, reader: Reader, read: Span[]): number {
  const key = reader.match(ATTRIBUTE, at);
  if (key === null) return -1;
  const end = at + key.length;
  const sign = reader.match(EQUALS, end);
  if (sign === null) return end;
  const place = end + sign.length;
  const quote = text[place];
  if (quote === '{') return reader.closeBrace(place);
  if (quote !== '"' && quote !== "'") return -1;
  const close = reader.find(quote, place + 1);
  if (close < 0) return -1;
  if (isRead(key, text.slice(place + 1, close))) read.push({ start: place + 1, end: close });
  return close + 1;
}

/** Passes `url "title")` of a link; the title is prose. */
function destinationEnd(text: string, at: number, protect: (start: number, end: number) => void): number {
  let end = at;
  let depth = 0;
  const angle = text[at] === '<';
  for (; end < text.length; end++) {
    const letter = text[end]!;
    if (letter === '\n' || (angle ? letter === '>' : letter === ' ' || letter === '\t')) break;
    if (angle) continue;
    if (letter === '(') depth += 1;
    if (letter === ')' && --depth < 0) break;
  }
  protect(at, end);
  return end;
}

/** Protects the front matter except the values that people read; returns the start of the page. */
function frontMatter(text: string, protect: (start: number, end: number) => void): number {
  const open = /^\ufeff?---[ \t]*\r?\n/.exec(text)?.[0];
  if (open === undefined) return 0;
  let at = open.length;
  let key = '';
  protect(0, at);
  const values: Span[] = [];
  while (at < text.length) {
    const next = text.indexOf('\n', at);
    const end = next < 0 ? text.length : next;
    const line = text.slice(at, end);
    if (/^---[ \t]*\r?$/.test(line)) {
      let from = open.length;
      for (const value of values) {
        protect(from, value.start);
        protectAddresses(text, value, protect);
        from = value.end;
      }
      protect(from, end);
      return end;
    }
    const named = /^[ \t]*(?:-[ \t]+)?["']?([\w.:-]+)["']?[ \t]*:(?=[ \t\r]|$)/.exec(line);
    if (named !== null) key = named[1]!;
    const value = named === null ? line : line.slice(named[0].length);
    const start = end - value.length;
    if (isRead(key, value.trim()) && !/^\s*#/.test(value)) values.push({ start, end });
    at = end + 1;
  }
  // Never closed: then it is not front matter, and the first line is a rule.
  return 0;
}

/** Whether people read the value of a key. */
function isRead(key: string, value: string): boolean {
  const name = key.toLowerCase();
  if (READ.has(name)) return true;
  return !MACHINE.has(name) && !name.startsWith('on') && /\S\s+\S/.test(value);
}

function protectAddresses(text: string, span: Span, protect: (start: number, end: number) => void): void {
  for (let at = span.start; at < span.end; ) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0] ?? '';
    if (token === '') at += 1;
    else {
      protectAddress(at, token.slice(0, span.end - at), protect);
      at += token.length;
    }
  }
}

/** Protects a word that is an address: of the web, of mail, or a path. */
function protectAddress(at: number, token: string, protect: (start: number, end: number) => void): void {
  const word = token.replace(/[.,;:!?_~]+$/, '');
  const isAddress =
    /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(word) ||
    /^(?:www\.|mailto:|tel:)/i.test(word) ||
    /^[^@]+@[^@]+\.[^@]+$/.test(word) ||
    /^(?:\.{0,2}|~)\/[^/]/.test(word) ||
    (word.includes('/') && /[^/.]\.[A-Za-z0-9]/.test(word));
  if (isAddress) protect(at, at + word.length);
}

/** Offset after the brace that closes the one at `from`, with texts, templates and comments of the language; -1. */
function braceEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const letter = text[at]!;
    if (letter === '{') depth += 1;
    else if (letter === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (letter === '/' && text[at + 1] === '*') {
      const close = text.indexOf('*/', at + 2);
      if (close < 0) return -1;
      at = close + 1;
    } else if (letter === '"' || letter === "'" || letter === '`') {
      const end = quoteEnd(text, at, letter);
      // An apostrophe in prose within braces closes nothing.
      if (end > 0) at = end;
    }
  }
  return -1;
}

/** Offset of the quote that closes the one at `at`; -1. Only templates go over lines. */
function quoteEnd(text: string, at: number, quote: string): number {
  for (let place = at + 1; place < text.length; place++) {
    const letter = text[place];
    if (letter === '\\') place += 1;
    else if (letter === quote) return place;
    else if (letter === '\n' && quote !== '`') return -1;
  }
  return -1;
}
