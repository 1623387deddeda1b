import { count, offsetOf, type Repaired, repaired, splice } from './repaired.ts';

/*
 * Elements around several paragraphs have their tags on separate lines. Where a paragraph is in the line of one of
 * them, the tag moves to the line after or before it, if that has nothing but tags, so that lines keep their numbers.
 */

/** Tags without text, or nothing. */
const ONLY_TAGS = /^[^\S\n]*(?:<\/?[A-Za-z][^<>\n]{0,500}>[^\S\n]*){0,20}$/;
/** What may precede a tag in its line: blanks and the markers of lists. */
const INDENT = /^[\s*+\-.)\d]*$/;

/** Moves a closing tag from the end of the last paragraph to the next line; null where that is not possible. */
export function moveClosingTag(text: string, offset: number, message: string): Repaired | null {
  const opened = /`<([^`>]*)>` opened at (\d+):(\d+)/.exec(message);
  if (opened === null) return null;
  const start = text.lastIndexOf('<', offset);
  const tag = /^<\/\s*[\w.:-]*\s*>/.exec(text.slice(start, start + 200))?.[0];
  if (start === -1 || tag === undefined) return null;
  if (text.slice(text.lastIndexOf('\n', start) + 1, start).trim() === '') return null;
  const open = offsetOf(text, Number(opened[2]), Number(opened[3]));
  const before = text.slice(text.lastIndexOf('\n', open - 1) + 1, open);
  const end = endOfLine(text, start);
  if (!INDENT.test(before) || text.slice(start + tag.length, end).trim() !== '') return null;
  const next = text.slice(end + 1, endOfLine(text, end + 1));
  if (!ONLY_TAGS.test(next)) return null;
  const moved = `\n${' '.repeat(before.length)}${tag}${next.trimStart()}`;
  return repaired(
    splice(text, start, end + 1 + next.length, moved),
    text,
    start,
    'unclosed-tag',
    `\`${tag}\` is in the line of a paragraph, but \`<${opened[1]}>\` is not; it closes the element here. Write it on the next line.`,
  );
}

/** Moves an opening tag from the start of the first paragraph to the line before; null where that is not possible. */
export function moveOpeningTag(
  text: string,
  { name, open, end }: { name: string; open: number; end: number },
): Repaired | null {
  const rest = text.slice(end);
  const start = text.lastIndexOf('\n', open - 1);
  if (start === -1 || text.slice(start, open).trim() !== '') return null;
  if (count(rest, `</${name}`) <= count(rest, `<${name}`)) return null;
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const tag = text.slice(open, end + 1);
  if (!ONLY_TAGS.test(before) || tag.includes('\n')) return null;
  const moved = `${text.slice(start + 1, open)}${tag}\n`;
  const rested = before.trim() === '' ? moved : moved.trimStart();
  return repaired(
    splice(text, start, end + 1, rested),
    text,
    open,
    'unclosed-tag',
    `\`<${name}>\` is in the line of a paragraph, but its closing tag is not; it opens the element here. Write it on the line before.`,
  );
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
