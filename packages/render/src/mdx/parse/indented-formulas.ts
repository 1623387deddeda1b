import { FENCE } from './tag-ends.ts';

const START = /^( {4,})\$\$(?!.*\$\$)/;
const END = /^\s*\$\$\s*$/;
const ITEM = /^ *(?:[-*+]|\d{1,9}[.)]) +/;

/**
 * Authors indent what is inside elements, and indentation has no meaning in MDX, but our parser reads no formula block
 * behind more than three blanks. Lines keep their numbers.
 */
export function outdentFormulas(text: string): string {
  if (!/^ {4,}\$\$/m.test(text)) return text;
  const lines = text.split('\n');
  /** Columns at which the content of the open list items starts. */
  const items: number[] = [];
  let fence: string | null = null;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const marker = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (marker?.startsWith(fence) && line.trim().endsWith(marker)) fence = null;
      continue;
    }
    fence = marker ?? null;
    if (line.trim() === '') continue;
    noteItem(line, items);
    const indent = START.exec(line)?.[1]?.length ?? 0;
    const excess = indent - (items.at(-1) ?? 0);
    if (excess > 3) index = outdent(lines, index, excess);
  }
  return lines.join('\n');
}

function noteItem(line: string, items: number[]): void {
  const indent = line.length - line.trimStart().length;
  while (items.length > 0 && (items.at(-1) ?? 0) > indent) items.pop();
  const item = ITEM.exec(line)?.[0].length;
  if (item !== undefined) items.push(item);
}

/** Outdents a block from its first line; returns its last line, or the end of the text where the block does not end. */
function outdent(lines: string[], start: number, excess: number): number {
  let end = start + 1;
  while (end < lines.length && !END.test(lines[end] ?? '')) end++;
  if (end === lines.length) return end;
  for (let index = start; index <= end; index++) {
    const line = lines[index] ?? '';
    const indent = line.length - line.trimStart().length;
    lines[index] = line.slice(Math.min(excess, indent));
  }
  return end;
}
