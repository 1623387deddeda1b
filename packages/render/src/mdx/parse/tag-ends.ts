/** An attribute list that changes nothing: with it, the `>` is not at the start of its line. */
const NOTHING = '{...{}}';
const TAG_START = /^[\s>]*(?:[-*+] +|\d+[.)] +)*<[A-Za-z][\w.:-]*(?=\s|$)/;
const TAG_END = /^[ \t]*>(?=[^\s>])/;

export const FENCE = /^[\s>]*(?:[-*+] +|\d+[.)] +)*(`{3,}|~{3,})/;

/**
 * Tags whose `>` is the first character of a line, with text behind it. The parser of the MDX project reads them;
 * ours takes the `>` for a block quote.
 */
export function joinTagEnds(text: string): string {
  if (!/\n[ \t]*>[^\s>]/.test(text)) return text;
  const lines = text.split('\n');
  let fence: string | null = null;
  let start = -1;
  for (const [index, line] of lines.entries()) {
    const marker = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (marker?.startsWith(fence) && line.trim().endsWith(marker)) fence = null;
    } else if (marker !== undefined) {
      fence = marker;
      start = -1;
    } else if (TAG_START.test(line)) start = index;
    else if (start !== -1 && TAG_END.test(line)) {
      if (isOpenTag(lines.slice(start, index))) lines[index] = line.replace('>', `${NOTHING}>`);
      start = -1;
    }
  }
  return lines.join('\n');
}

/** Whether the lines are the start of one tag, outside of quotes and braces at their end. */
function isOpenTag(lines: readonly string[]): boolean {
  const text = lines.join('\n');
  let quote = '';
  let depth = 0;
  for (let at = text.indexOf('<') + 1; at < text.length; at++) {
    const char = text[at] ?? '';
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '{') depth++;
    else if (char === '}') depth--;
    else if (depth === 0 && (char === '>' || char === '<')) return false;
  }
  return quote === '' && depth === 0;
}
