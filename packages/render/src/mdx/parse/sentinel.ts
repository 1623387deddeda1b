/**
 * Characters that must not act as syntax are replaced, one for one, by private-use characters before the parse and
 * put back in the strings of the tree. That works in any context (prose, code, attributes) without knowing it.
 */

const candidates = [0xe800, 0xed00, 0xf100, 0xf400, 0xf700];
const width = 0x80;

export interface Sentinels {
  /** First of 128 private-use characters that do not occur in the text; the ASCII code is added to it. */
  readonly base: number;
}

/** Picks a range that the text does not use; the first one when all are in use. */
export function pickSentinels(text: string): Sentinels {
  for (const base of candidates) {
    if (!range(base).test(text)) return { base };
  }
  return { base: candidates[0] ?? 0xe800 };
}

function range(base: number): RegExp {
  return new RegExp(`[\\u${base.toString(16)}-\\u${(base + width - 1).toString(16)}]`);
}

/** The stand-in of an ASCII character. */
export function standIn(sentinels: Sentinels, char: string): string {
  return String.fromCharCode(sentinels.base + char.charCodeAt(0));
}

/** Puts the characters back. */
function restore(sentinels: Sentinels, text: string): string {
  const { base } = sentinels;
  let result = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at) - base;
    if (code < 0 || code >= width) continue;
    result += text.slice(from, at) + String.fromCharCode(code);
    from = at + 1;
  }
  return from === 0 ? text : result + text.slice(from);
}

/** Puts the characters back in every string of a tree, in place. */
export function restoreTree(sentinels: Sentinels, root: object): void {
  replaceStrings(root, (text) => restore(sentinels, text));
}

/** Replaces every string of a tree, in place. */
export function replaceStrings(root: object, replaced: (text: string) => string): void {
  const stack: object[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const record = node as Record<string, unknown>;
    for (const key of Object.keys(record)) {
      const value = record[key];
      if (typeof value === 'string') record[key] = replaced(value);
      else if (typeof value === 'object' && value !== null && key !== 'position') stack.push(value);
    }
  }
}
