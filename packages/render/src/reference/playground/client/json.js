/* JSON as it is written: numbers that JavaScript cannot represent keep their digits. */

/** Keeps the digits of numbers that would change (`12345678901234567890`, `1.0`). */
const keepDigits = (_key, value, context) =>
  typeof value === 'number' &&
  context?.source !== undefined &&
  String(value) !== context.source &&
  JSON.rawJSON
    ? JSON.rawJSON(context.source)
    : value;

/**
 * Value of a JSON text. `isExact`: keeps the digits of numbers, for a value that is written as JSON again.
 * @returns {{ value: unknown } | { line: number, reason: string }}
 */
export function parseJson(text, isExact = true) {
  try {
    return { value: isExact ? JSON.parse(text, keepDigits) : JSON.parse(text) };
  } catch (error) {
    const reason = String(error.message);
    const position = /position (\d+)/.exec(reason);
    const line = /line (\d+)/.exec(reason);
    const lines = (part) => part.split('\n').length;
    return {
      line: line ? Number(line[1]) : lines(position ? text.slice(0, Number(position[1])) : text),
      reason: reason.replace(/^JSON\.parse: | in JSON at.*$|\(line .*$| \(.*$/gs, ''),
    };
  }
}

export const isRawNumber = (value) => JSON.isRawJSON?.(value) === true;

export const isObject = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/**
 * Indents JSON without reading its values, so that a part of a text can be shown and no number changes.
 * @param {string} text
 * @param {(kind: 'key' | 'string' | 'other' | 'space', text: string) => void} write
 */
export function formatJson(text, write) {
  const token = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;
  let depth = 0;
  let before = '';
  const line = () => write('space', `\n${'  '.repeat(Math.min(depth, 60))}`);
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [piece] = match;
    const isEnd = piece === '}' || piece === ']';
    const wasStart = before === '{' || before === '[';
    if (isEnd) depth--;
    if (before === ',' || (isEnd && !wasStart) || (wasStart && !isEnd)) line();
    if (piece === '{' || piece === '[') depth++;
    if (piece === ':') write('space', ': ');
    else if (piece[0] === '"') write(isKey(text, token.lastIndex) ? 'key' : 'string', piece);
    else write(/^[\w-]/.test(piece) ? 'other' : 'space', piece);
    before = piece;
  }
}

function isKey(text, from) {
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (letter === ':') return true;
    if (letter !== ' ' && letter !== '\n' && letter !== '\r' && letter !== '\t') return false;
  }
  return false;
}
