import { withHooks } from './element-hooks.ts';

/**
 * Rules of a site's own sheet that name elements only (`* { margin: 0 }`, `h1 { … }`) go below the theme, where a
 * reset does no harm; all others go above it, unchanged. Rules for the page as a whole (`body`, `:root`) are
 * not touched. A sheet that cannot be parsed is returned unchanged.
 */
export function placeRules(css: string): string {
  return placed(css, 0) ?? css;
}

const maxDepth = 8;

/** The text with each plain rule in its layer; null where braces or quotes do not close. */
function placed(css: string, depth: number): string | null {
  if (depth > maxDepth) return null;
  let out = '';
  let at = 0;
  while (at < css.length) {
    const stop = nextStop(css, at);
    if (stop === -1)
      return css.slice(at).trim() === '' || !/[{}]/.test(css.slice(at)) ? out + css.slice(at) : null;
    const prelude = css.slice(at, stop);
    if (css[stop] === '}') return null;
    if (css[stop] === ';') {
      out += css.slice(at, stop + 1);
      at = stop + 1;
      continue;
    }
    const end = closing(css, stop);
    if (end === -1) return null;
    const rule = placedRule(prelude, css.slice(stop + 1, end), depth);
    if (rule === null) return null;
    out += rule;
    at = end + 1;
  }
  return out;
}

function placedRule(prelude: string, body: string, depth: number): string | null {
  const name = withoutComments(prelude).trim();
  if (/^@(?:media|supports|container)\b/i.test(name)) {
    const inner = placed(body, depth + 1);
    return inner === null ? null : `${prelude}{${inner}}`;
  }
  if (name.startsWith('@')) return `${prelude}{${body}}`;
  const rule = `${withHooks(prelude)}{${body}}`;
  if (!isPlain(withHooks(name))) return rule;
  const [lead = ''] = /^(?:\s|\/\*[\s\S]*?\*\/)*/.exec(rule) ?? [];
  return `${lead}@layer base{${rule.slice(lead.length)}}`;
}

/** Whether a list of selectors names elements only, none of them the page itself. */
function isPlain(selectors: string): boolean {
  if (/[.#[&]|:root|:host/.test(selectors)) return false;
  return selectors.split(',').every((selector) => {
    const first = selector.trim();
    return first !== '' && !first.startsWith('::') && !/(?:^|[\s>+~])(?:html|body)(?![\w-])/i.test(first);
  });
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, ' ');
}

/** Where the next `{`, `}` or `;` stands outside texts, comments and brackets; -1 without one. */
function nextStop(css: string, from: number): number {
  let depth = 0;
  for (let at = from; at < css.length; at++) {
    const skipped = skip(css, at);
    if (skipped !== at) {
      at = skipped - 1;
      continue;
    }
    const char = css[at];
    if (char === '(' || char === '[') depth++;
    else if (char === ')' || char === ']') depth--;
    else if (depth <= 0 && (char === '{' || char === '}' || char === ';')) return at;
  }
  return -1;
}

/** The `}` that closes the `{` at an offset; -1 without one. */
function closing(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at++) {
    const skipped = skip(css, at);
    if (skipped !== at) at = skipped - 1;
    else if (css[at] === '{') depth++;
    else if (css[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

/** Offset after the comment, string or escape that starts at an offset; the offset itself if none does. */
function skip(css: string, at: number): number {
  const char = css[at];
  if (char === '\\') return at + 2;
  if (char === '/' && css[at + 1] === '*') {
    const end = css.indexOf('*/', at + 2);
    return end === -1 ? css.length : end + 2;
  }
  if (char !== '"' && char !== "'") return at;
  for (let end = at + 1; end < css.length; end++) {
    if (css[end] === '\\') end++;
    else if (css[end] === char || css[end] === '\n') return end + 1;
  }
  return css.length;
}
