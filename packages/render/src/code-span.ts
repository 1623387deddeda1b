/** Code between two runs of as many backticks: the first group is the run, the second the code. */
export const CODE_SPAN = /(?<!`)(`{1,3})(?!`)(.+?)(?<!`)\1(?!`)/s;

/** Longer text is shown as it is: patterns of inline marks read the rest again for each mark without a partner. */
export const MAX_INLINE_LENGTH = 4000;

/** The code of a span, without the spaces that separate it from its backticks. */
export function codeOf(span: string): string {
  return span.startsWith(' ') && span.endsWith(' ') && span.trim() !== '' ? span.slice(1, -1) : span;
}

/** Text and the codes of its spans in turn: every second one is a code. */
export function splitCode(text: string): string[] {
  if (!text.includes('`') || text.length > MAX_INLINE_LENGTH) return [text];
  return text
    .split(CODE_SPAN)
    .filter((_, index) => index % 3 !== 1)
    .map((part, index) => (index % 2 === 1 ? codeOf(part) : part));
}
