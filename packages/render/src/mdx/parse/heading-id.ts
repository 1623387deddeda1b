const braces = /^\{#([^\s{}]+?)\\?\}$/;
const comment = /^\{\/\*\s*#([^\s{}]+?)\s*\*\/\}$/;

/**
 * Splits a heading from the id that it sets at its end: `{#id}`, with the braces escaped or not, or the same in a
 * comment, as other tools write it in MDX. Without one, the text stays as it is.
 */
export function splitHeadingId(written: string): { text: string; id: string | null } {
  const line = written.trimEnd();
  const at = line.endsWith('}') ? line.lastIndexOf('{') : -1;
  const mark = at === -1 ? '' : line.slice(at);
  const id = (braces.exec(mark) ?? comment.exec(mark))?.[1];
  if (id === undefined) return { text: written, id: null };
  return { text: line.slice(0, line[at - 1] === '\\' ? at - 1 : at).trimEnd(), id };
}

const atx = /^\s*(?:(?:>|[-*+]|\d{1,9}[.)])\s*)*#{1,6}\s/;
const underline = /^\s*(?:>\s*)*(?:=+|-+)\s*$/;

/** Writes the id of a heading, which is invalid in MDX, as a comment that keeps it. `next` is the line below. */
export function protectHeadingId(line: string, next: string): string {
  if (!line.includes('{#') || !(atx.test(line) || underline.test(next))) return line;
  const end = endOfText(line);
  const at = line.lastIndexOf('{#', end);
  const id = /^\{#([^\s{}]+)\}$/.exec(line.slice(at, end))?.[1];
  if (id === undefined || line[at - 1] === '\\') return line;
  return line.slice(0, at) + (id.includes('*/') ? '' : `{/*#${id}*/}`) + line.slice(end);
}

/** Offset behind the text of a heading, in front of the number signs that may close it. */
function endOfText(line: string): number {
  const end = line.trimEnd().length;
  let at = end;
  while (line[at - 1] === '#') at--;
  const isClosed = at < end && /\s/.test(line[at - 1] ?? '');
  return isClosed ? line.slice(0, at).trimEnd().length : end;
}
