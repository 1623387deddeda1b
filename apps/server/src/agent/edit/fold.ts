/**
 * Text as somebody types it who sees it but not its bytes: typographic marks as ASCII, every blank a blank, one kind
 * of line end, nothing at line ends, nothing invisible. Found by folding, changed in the original.
 */

/** Characters that are typed as one ASCII character. */
const TYPED: ReadonlyMap<number, number> = new Map(
  (
    [
      ["'", '‘’‚‛′ʼ＇‹›'],
      ['"', '“”„‟″＂«»'],
      ['-', '‐‑‒–—―−﹘﹣－'],
      [
        ' ',
        '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
      ],
    ] as const
  ).flatMap(([plain, marks]) => [...marks].map((mark) => [mark.charCodeAt(0), plain.charCodeAt(0)] as const)),
);

/** Not seen, so not typed: byte order mark, zero width space, word joiner, soft hyphen. */
const UNSEEN: ReadonlySet<number> = new Set([0xfeff, 0x200b, 0x2060, 0x00ad]);

const ELLIPSIS = 0x2026;
const DOT = 0x2e;
const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const BLANK = 0x20;

/** Folded text by UTF-16 units; unit `i` stands for `text.slice(starts[i], ends[i])` of the original. */
export interface Folded {
  units: Uint16Array;
  starts: Uint32Array;
  ends: Uint32Array;
}

/** Folds a text. `trimEnd`: blanks at the very end go as well, as they do before each line end. */
export function foldText(text: string, trimEnd: boolean): Folded {
  const capacity = text.length + 2 * countOf(text, '…');
  const units = new Uint16Array(capacity);
  const starts = new Uint32Array(capacity);
  const ends = new Uint32Array(capacity);
  let length = 0;
  const put = (unit: number, start: number, end: number): void => {
    units[length] = unit;
    starts[length] = start;
    ends[length] = end;
    length += 1;
  };
  const dropBlanks = (): void => {
    while (length > 0 && (units[length - 1] === BLANK || units[length - 1] === TAB)) length -= 1;
  };
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LF || unit === CR) {
      dropBlanks();
      const start = at;
      if (unit === CR && text.charCodeAt(at + 1) === LF) at += 1;
      put(LF, start, at + 1);
    } else if (unit < 0x80) {
      put(unit, at, at + 1);
    } else if (unit === ELLIPSIS) {
      for (let dot = 0; dot < 3; dot++) put(DOT, at, at + 1);
    } else if (!UNSEEN.has(unit)) {
      put(TYPED.get(unit) ?? unit, at, at + 1);
    }
  }
  if (trimEnd) dropBlanks();
  return {
    units: units.subarray(0, length),
    starts: starts.subarray(0, length),
    ends: ends.subarray(0, length),
  };
}

/** Folds quotes, dashes and blanks only, so that every offset stays what it was. */
export function foldMarks(text: string): string {
  // Most text has none, and the test costs a fraction of the replacement.
  if (!MARK.test(text)) return text;
  return text.replace(MARKS, (mark) => String.fromCharCode(TYPED.get(mark.charCodeAt(0)) ?? 0));
}

const markClass = `[${[...TYPED.keys()].map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}]`;
const MARK = new RegExp(markClass);
const MARKS = new RegExp(markClass, 'g');

/** The characters that fold to one, with itself, as a class of a pattern. */
const classes: ReadonlyMap<string, string> = new Map(
  ["'", '"', '-', ' '].map((plain) => {
    const marks = [...TYPED].flatMap(([mark, typed]) => (typed === plain.charCodeAt(0) ? [mark] : []));
    const units = [plain.charCodeAt(0), ...marks].map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`);
    return [plain, `[${units.join('')}]`];
  }),
);

/**
 * A pattern for a literal text, in any case, with marks as typed and any line ends; many times faster than folding
 * the text that is searched. It has no choices, so the time is at most the length of the text times that of the literal.
 */
export function literalPattern(text: string): RegExp {
  const source = [...foldMarks(text.replaceAll('\r\n', '\n'))]
    .map((letter) => {
      if (letter === '\n') return '\\r?\\n';
      return classes.get(letter) ?? letter.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
    })
    .join('');
  return new RegExp(source, 'giu');
}

/** Lower case with every offset as it was. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  // A letter such as `İ` grows when lowered; those stay as they are.
  let out = '';
  for (const letter of text) {
    const small = letter.toLowerCase();
    out += small.length === letter.length ? small : letter;
  }
  return out;
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}
