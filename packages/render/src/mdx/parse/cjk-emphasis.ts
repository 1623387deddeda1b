/**
 * Emphasis beside Chinese, Japanese and Korean letters. In CommonMark, `**` behind punctuation closes only in front of
 * a space or of punctuation, but these languages write no space there: `**注意：**以下`. The letter outside is
 * replaced, one for one, by punctuation that the text does not use, and put back in the strings of the tree.
 */

/** Where such emphasis can be at all. */
const candidate =
  /[\p{P}\p{S}]\*{2,3}[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]\*{2,3}[\p{P}\p{S}]/u;
/** Code of the first letter of these scripts. */
const FIRST_LETTER = 0x1100;
/** One UTF-16 unit: offsets must not change. */
const letter = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]$/u;
const punctuation = /^[\p{P}\p{S}]$/u;

/** Punctuation of medieval texts, which few pages contain: the stand-ins. */
const FIRST = 0x2e00;
const LAST = 0x2e2e;

export interface OpenedText {
  readonly text: string;
  /** Puts the letters back. */
  readonly restore: (text: string) => string;
}

/** Whether the text has such emphasis. Most pages have none, and the expression takes a hundredth of an export. */
function isCandidate(text: string): boolean {
  for (let at = text.indexOf('**'); at >= 0; at = text.indexOf('**', at + 2)) {
    const end = text[at + 2] === '*' ? at + 3 : at + 2;
    if (text.charCodeAt(at - 1) >= FIRST_LETTER || text.charCodeAt(end) >= FIRST_LETTER)
      return candidate.test(text);
  }
  return false;
}

/** The text with stand-ins for letters; null if no emphasis needs one. */
export function openEmphasis(text: string): OpenedText | null {
  if (!isCandidate(text)) return null;
  const standIns = new Map<string, string>();
  const letters = new Map<string, string>();
  let code = FIRST;
  let result = '';
  let from = 0;
  for (const at of outsideLetters(text)) {
    const char = text[at] ?? '';
    let standIn = standIns.get(char);
    if (standIn === undefined) {
      while (code <= LAST && text.includes(String.fromCharCode(code))) code++;
      // A page with more than these letters in such places keeps the others as they are.
      if (code > LAST) continue;
      standIn = String.fromCharCode(code++);
      standIns.set(char, standIn);
      letters.set(standIn, char);
    }
    result += text.slice(from, at) + standIn;
    from = at + 1;
  }
  if (from === 0) return null;
  const standInsOfText = new RegExp(`[${[...letters.keys()].join('')}]`, 'g');
  return {
    text: result + text.slice(from),
    restore: (written) => written.replace(standInsOfText, (char) => letters.get(char) ?? char),
  };
}

/** Offsets of letters that keep asterisks from their force. Emphasis is taken to begin and end in one line. */
function* outsideLetters(text: string): Generator<number> {
  const token = /\\[^\n]|`+|\*+|\n/g;
  let open: number[] = [];
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [run] = found;
    const end = token.lastIndex;
    if (run === '\n') open = [];
    else if (run[0] === '`') token.lastIndex = endOfCode(text, end, run);
    else if (run[0] === '*' && (run.length === 2 || run.length === 3)) {
      const at = open.includes(run.length)
        ? closeRun(text, found.index, end, open)
        : openRun(text, found.index, end, open);
      if (at !== null) yield at;
    }
  }
}

function openRun(text: string, start: number, end: number, open: number[]): number | null {
  const before = text[start - 1] ?? '\n';
  const after = text[end] ?? '\n';
  if (/\s/.test(after)) return null;
  const isOpen = !punctuation.test(after) || /\s/.test(before) || punctuation.test(before);
  const isHelped = !isOpen && letter.test(before);
  if (isOpen || isHelped) open.push(end - start);
  return isHelped ? start - 1 : null;
}

function closeRun(text: string, start: number, end: number, open: number[]): number | null {
  const before = text[start - 1] ?? '\n';
  const after = text[end] ?? '\n';
  if (/\s/.test(before)) return null;
  const isClosed = !punctuation.test(before) || /\s/.test(after) || punctuation.test(after);
  const isHelped = !isClosed && letter.test(after);
  if (isClosed || isHelped) open.length = open.lastIndexOf(end - start);
  return isHelped ? end : null;
}

/** Characters of a code span; without a limit, many backticks in one line would take quadratic time. */
const MAX_CODE = 1000;

/** Offset behind a code span whose first backticks end at `start`; `start` itself if the line does not close it. */
function endOfCode(text: string, start: number, fence: string): number {
  const [line = ''] = text.slice(start, start + MAX_CODE).split('\n', 1);
  for (const { 0: run, index } of line.matchAll(/`+/g)) {
    if (run === fence) return start + index + run.length;
  }
  return start;
}
