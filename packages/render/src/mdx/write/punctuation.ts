/** Quotation marks of a language: double opening and closing, single opening and closing. */
export type Quotes = readonly [string, string, string, string];

const english: Quotes = ['“', '”', '‘', '’'];
const low: Quotes = ['„', '“', '‚', '‘'];
const nordic: Quotes = ['”', '”', '’', '’'];

/** Where a language differs from English; null keeps the marks as typed. */
const byLanguage: Readonly<Record<string, Quotes | null>> = {
  cs: low,
  da: nordic,
  de: low,
  fi: nordic,
  fr: ['«\u00a0', '\u00a0»', '‘', '’'],
  hu: ['„', '”', '‘', '’'],
  ja: null,
  ko: english,
  lv: ['“', '”', '‘', '’'],
  no: ['«', '»', '‘', '’'],
  pl: ['„', '”', '‚', '’'],
  ro: ['„', '”', '‚', '’'],
  ru: ['«', '»', '„', '“'],
  sv: nordic,
  uk: ['«', '»', '„', '“'],
};

/** The marks of a BCP-47 tag; null where typed ones stay. */
export function quotesOf(language: string): Quotes | null {
  const primary = language.toLowerCase().split('-')[0] ?? '';
  return Object.hasOwn(byLanguage, primary) ? (byLanguage[primary] ?? null) : english;
}

const eachTyped = /["']|-{2,}|\.{3,}/g;

/**
 * Typed quotes, dashes and dots of prose as a typesetter writes them. `before` is the character before the
 * text in its block, empty at the start. What looks like code (`--flag`, `-->`, `...args`) stays.
 */
export function smartPunctuation(text: string, before: string, quotes: Quotes | null): string {
  // Plain searches cost a fraction of the pattern on text without any.
  if (!(text.includes("'") || text.includes('"') || text.includes('--') || text.includes('...'))) return text;
  const marks = quotes === null || looksLikeCode(text) ? null : quotes;
  return text.replace(eachTyped, (mark, at: number) => {
    const previous = at === 0 ? before : (text[at - 1] ?? '');
    const next = text[at + mark.length] ?? '';
    if (mark[0] === '-') {
      const stays = text.startsWith(' --', at + mark.length) || isInAddress(text, at, mark.length);
      return stays ? mark : dash(mark, previous, next);
    }
    if (mark[0] === '.') return dots(mark, previous, next);
    if (marks === null) return mark;
    return mark === '"'
      ? doubleQuote(text, at, previous, next, marks)
      : singleQuote(text, at, previous, next, marks);
  });
}

/** Attributes, assignments, calls, data and options of commands: their quotes are not quotations. */
const code =
  /= ?["']|\w[([{]["']|[{[]["']|["'][}\]]|["']: ?["'{[\d-]|(?:^|\s)--?\w[\w-]* ["']|^[ \t]*[\w.-]+: "[^"\n]*",?[ \t]*$/m;

function looksLikeCode(text: string): boolean {
  return code.test(text);
}

/** Whether the characters around a mark, up to the next blanks, are a path, a host name or an email address. */
function isInAddress(text: string, at: number, length: number): boolean {
  const before = /\S{0,200}$/.exec(text.slice(Math.max(0, at - 200), at))?.[0] ?? '';
  const after = /^\S{0,200}/.exec(text.slice(at + length, at + length + 200))?.[0] ?? '';
  return before !== '' && after !== '' && /[\w-]\/[\w-]|\w\.\w|\w@\w|^\/\w/.test(`${before}-${after}`);
}

function dash(mark: string, previous: string, next: string): string {
  if (mark.length > 3 || /[<!>]/.test(previous) || next === '>') return mark;
  const opens = isBoundary(previous);
  // An option of a command, and the two dashes that end them.
  if (mark.length === 2 && opens && /[\p{L}\p{N}]/u.test(next)) return mark;
  if ((previous === '' || next === '') && opens !== (next === ' ')) return mark;
  if (mark.length === 2 && /\d/.test(previous) && /\d/.test(next)) return '–';
  return '—';
}

function dots(mark: string, previous: string, next: string): string {
  // Versions and ranges, as in `1.0...2.0`.
  if (mark.length > 3 || /[[({/\d]/.test(previous) || /\d/.test(next)) return mark;
  return isBoundary(previous) && /[\w$[{]/.test(next) ? mark : '…';
}

function doubleQuote(text: string, at: number, previous: string, next: string, quotes: Quotes): string {
  if (previous === '/') return /[\p{L}\p{N}]/u.test(next) ? quotes[0] : quotes[1];
  if (isBoundary(previous)) return next === ' ' ? '"' : quotes[0];
  // Inches, unless a quotation is open.
  if (/\d/.test(previous) && text.lastIndexOf('"', at - 1) === -1 && !/[\p{L}]/u.test(text.slice(0, at)))
    return '"';
  return quotes[1];
}

function singleQuote(text: string, at: number, previous: string, next: string, quotes: Quotes): string {
  if (!isBoundary(previous)) {
    if (/\d/.test(previous) && /\d/.test(next)) return "'";
    return /[\p{L}\p{N}]/u.test(next) ? '’' : closing(text, at, quotes);
  }
  if (next === ' ' || next === '') return "'";
  if (/\d/.test(next)) return '’';
  return closesLater(text, at) ? quotes[2] : '’';
}

/** Behind a word the mark is an apostrophe, unless a quotation was opened by one. */
function closing(text: string, at: number, quotes: Quotes): string {
  return /(?:^|[\s([{“„«])'\S[^']*$/.test(text.slice(Math.max(0, at - 200), at)) ? quotes[3] : '’';
}

function closesLater(text: string, at: number): boolean {
  return /\S'(?![\p{L}\p{N}])/u.test(text.slice(at + 1, at + 200));
}

function isBoundary(char: string): boolean {
  return char === '' || /[\s([{<“‘„«—–/]/.test(char);
}

const keySign = /[\u2318\u21e7\u2325\u2303\u232b\u2326\u238b\u23ce\u21e5\u21ea]/;
const keyRun =
  /(?:[\u2318\u21e7\u2325\u2303\u232b\u2326\u238b\u23ce\u21e5\u21ea](?: ?\+ ?)?)+(?: ?(?:F\d{1,2}(?!\w)|[A-Za-z0-9](?![\w'’])|[\u2190-\u2193\u21b5]|[,./\\[\]=`-](?=[\s).]|$)))?/g;

/** Runs of key signs (`⌘K`, `⇧⌘P`) in HTML text become `<kbd>`. */
export function markKeys(html: string): string {
  if (!keySign.test(html)) return html;
  return html.replace(keyRun, (run) => `<kbd>${run}</kbd>`);
}
