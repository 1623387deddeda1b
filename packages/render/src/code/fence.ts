/** 1-based first and last line, both included. */
export type LineRange = readonly [number, number];

/** Options of a fence's info string after the language. */
export interface FenceMeta {
  /** File name or label; null without one. */
  title: string | null;
  /** Icon name as written. */
  icon: string | null;
  /** Show line numbers. */
  lines: boolean;
  /** Lines with a highlighted background. */
  highlight: readonly LineRange[];
  /** Lines kept sharp while the others fade; empty = all. */
  focus: readonly LineRange[];
  wrap: boolean;
  expandable: boolean;
  nocopy: boolean;
  /** Name of a color theme as written. */
  theme: string | null;
  /** Holds lines that only the type checker of the author reads. */
  twoslash: boolean;
}

const MAX_RANGES = 1000;
const MAX_LINE = 1_000_000;

/**
 * Reads what follows the language in a fence's info string: `Title words icon="x" lines {1,3-5} focus={2}`.
 * Never throws; unknown options are dropped, and words that are not options make up the title. Linear in the length.
 */
export function parseFenceMeta(meta: string | null): FenceMeta {
  const words: string[] = [];
  const options = new Map<string, string>();
  for (const token of readTokens(meta ?? '')) {
    if (token.key !== null) options.set(token.key.toLowerCase(), token.value);
    else if (token.braced) options.set('highlight', token.value);
    else if (isFlag(token.value)) options.set(bareFlag(token.value), 'true');
    else words.push(token.value);
  }
  const flag = (...names: string[]): boolean => names.some((name) => isOn(options.get(name)));
  const title = options.get('title') ?? options.get('filename') ?? words.join(' ');
  return {
    title: title.trim() === '' ? null : title.trim().slice(0, 300),
    icon: options.get('icon') || null,
    lines: flag('lines', 'showlinenumbers', 'linenumbers'),
    highlight: parseRanges(options.get('highlight')),
    focus: parseRanges(options.get('focus')),
    wrap: flag('wrap'),
    expandable: flag('expandable'),
    nocopy: flag('nocopy'),
    theme: options.get('theme') || null,
    twoslash: flag('twoslash'),
  };
}

const FLAGS: ReadonlySet<string> = new Set([
  'lines',
  'showlinenumbers',
  'linenumbers',
  'wrap',
  'expandable',
  'nocopy',
  'twoslash',
  'ignore',
]);

function bareFlag(word: string): string {
  return (word.startsWith('[') && word.endsWith(']') ? word.slice(1, -1) : word).toLowerCase();
}

function isFlag(word: string): boolean {
  return FLAGS.has(bareFlag(word));
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value.toLowerCase() !== 'false';
}

interface Token {
  key: string | null;
  value: string;
  /** Written as `{...}`. */
  braced: boolean;
}

const KEY = /[A-Za-z][A-Za-z0-9_-]{0,40}=/y;

function readTokens(meta: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < meta.length) {
    if (meta.charCodeAt(at) <= 32) {
      at++;
      continue;
    }
    KEY.lastIndex = at;
    const found = KEY.exec(meta);
    const key = found === null ? null : found[0].slice(0, -1);
    if (found !== null) at = KEY.lastIndex;
    const [value, end, braced] = readValue(meta, at, key !== null);
    tokens.push({ key, value, braced });
    at = Math.max(end, at + 1);
  }
  return tokens;
}

const CLOSERS: Readonly<Record<string, string>> = { '"': '"', "'": "'", '{': '}' };

/** A quoted, braced or bare value from `at`, where it ends, and whether it was braced. */
function readValue(meta: string, at: number, isOption: boolean): [string, number, boolean] {
  const opener = meta[at] ?? '';
  const closer = opener === '{' || isOption || opener === '"' ? CLOSERS[opener] : undefined;
  if (closer !== undefined) {
    const end = meta.indexOf(closer, at + 1);
    if (end > 0) {
      const inner = meta.slice(at + 1, end);
      return [opener === '{' ? unquote(inner) : inner, end + 1, opener === '{'];
    }
    if (isOption && opener !== '{') return [meta.slice(at + 1), meta.length, false];
  }
  let end = at;
  while (end < meta.length && meta.charCodeAt(end) > 32) end++;
  return [meta.slice(at, end), end, false];
}

/** `{"value"}` is the JSX form of `"value"`. */
function unquote(value: string): string {
  const text = value.trim();
  const quote = text[0];
  const isQuoted =
    text.length > 1 && (quote === '"' || quote === "'" || quote === '`') && text.endsWith(quote);
  return isQuoted ? text.slice(1, -1) : text;
}

/** `1,3-5`, `[1,3]`, `2` as ranges in the order written; numbers out of reach are dropped. */
function parseRanges(written: string | undefined): LineRange[] {
  const ranges: LineRange[] = [];
  if (written === undefined) return ranges;
  for (const match of written.slice(0, 20_000).matchAll(/(\d{1,7})(?:\s*-\s*(\d{1,7}))?/g)) {
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    if (first >= 1 && last >= first && last <= MAX_LINE) ranges.push([first, last]);
    if (ranges.length === MAX_RANGES) break;
  }
  return ranges;
}
