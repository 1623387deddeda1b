const METHOD = /^(?:get|put|post|delete|options|head|patch|trace)$/;
const GROUP = /^(?:paths|webhooks|x-webhooks)$/;
/** A key at the start of a line, with quotes or without. */
const KEY = /^[ \t]*(?:"((?:[^"\\]|\\.)*)"[ \t]*|'((?:[^']|'')*)'[ \t]*|([^\s"'#{[][^#]*?)):(?:\s|$)/;

/** Lines of an operation in its file, counted from 1, both included. */
export interface LineRange {
  from: number;
  to: number;
}

/** The key under which the lines of an operation are listed. */
export const lineKey = (group: string, name: string, method: string): string =>
  `${group}\0${name}\0${method.toLowerCase()}`;

interface Level {
  indent: number;
  key: string;
}

/**
 * Where the operations of a description are written, by their keys. Found by indentation, the same in JSON and YAML:
 * an operation of a file that is not indented, or in flow style, is missing in the result.
 */
export function operationLines(text: string): Map<string, LineRange> {
  const found = new Map<string, LineRange>();
  const levels: Level[] = [];
  let top: number | null = null;
  let open: { key: string; indent: number; from: number } | null = null;
  let last = 0;
  for (const { number, line, indent } of contentLines(text)) {
    if (open !== null && indent <= open.indent) {
      const closes = indent === open.indent && /[}\]]/.test(line[indent] ?? '');
      found.set(open.key, { from: open.from, to: closes ? number : last });
      open = null;
    }
    last = number;
    while (levels.length > 0 && levels.at(-1)!.indent >= indent) levels.pop();
    // What is deeper belongs to an operation, or to a value beside it.
    const key = levels.length === 3 ? null : keyOf(line);
    if (key === null) continue;
    top ??= indent;
    if (levels.length === 0 && (indent !== top || !GROUP.test(key))) continue;
    levels.push({ indent, key });
    if (levels.length === 3 && METHOD.test(key)) {
      open = { key: lineKey(levels[0]!.key, levels[1]!.key, key), indent, from: number };
    }
  }
  if (open !== null) found.set(open.key, { from: open.from, to: last });
  return found;
}

/** Lines that are not empty or comments, with their numbers; of a long one its start. */
function* contentLines(text: string): Generator<{ number: number; line: string; indent: number }> {
  let number = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end;
    const line = text.slice(at, Math.min(next, at + 2000));
    at = next + 1;
    number += 1;
    const indent = line.search(/\S/);
    if (indent >= 0 && line[indent] !== '#') yield { number, line, indent };
  }
}

function keyOf(line: string): string | null {
  const match = KEY.exec(line);
  return match === null ? null : plainKey(match);
}

function plainKey([, double, single, plain]: RegExpExecArray): string {
  if (single !== undefined) return single.replaceAll("''", "'");
  if (double === undefined) return (plain ?? '').trim();
  try {
    return String(JSON.parse(`"${double}"`));
  } catch {
    return double;
  }
}
