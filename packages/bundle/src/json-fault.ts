import type { BundleErrorCode } from './error.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Checks a JSON text before it is parsed: a small archive can contain millions of values, or thousands of
 * nested ones, and objects take many times the memory of their text. Null: no error; the parser decides
 * whether it is JSON at all.
 */
export function jsonFault(
  text: string,
  limits: { values: number; depth: number; textUnits: number },
): { code: BundleErrorCode; what: string } | null {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const begin = at;
      at = endOfText(text, at);
      if (at - begin > limits.textUnits) {
        return { code: 'too_large', what: `contains a string of more than ${limits.textUnits} characters` };
      }
    } else if (unit === 0x5b || unit === 0x7b) {
      values++;
      if (++depth > limits.depth) {
        return { code: 'manifest_invalid', what: `is nested more than ${limits.depth} levels deep` };
      }
    } else if (unit === 0x5d || unit === 0x7d) depth--;
    else if (unit === 0x2c) values++;
    if (values > limits.values)
      return { code: 'too_large', what: `contains more than ${limits.values} values` };
  }
  return null;
}

/** Position of the closing quote of the string that starts at `at`, or of the end. */
function endOfText(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text.charCodeAt(end) !== QUOTE)
    end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
  return end;
}
