import type { Node } from 'jsonc-parser';

/** Puts a text in the place of a range of another. */
export interface Splice {
  start: number;
  end: number;
  text: string;
}

/** The text with every splice done; they must not overlap. Nothing outside of them changes. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  for (const splice of splices.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (splice.start < at) throw new Error('splices overlap');
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}

/** Adds a value to a list in the style of its neighbors. `index` is at most the number of its items. */
export function insertItem(text: string, list: Node, index: number, value: unknown): Splice {
  const items = list.children ?? [];
  const next = items[index];
  if (next !== undefined) {
    const previous = items[index - 1];
    const gap = gapBefore(text, next.offset, previous === undefined ? list.offset + 1 : endOf(previous) + 1);
    const written = writeValue(value, text, gap, next.offset);
    return { start: next.offset, end: next.offset, text: `${written},${gap === '' ? ' ' : gap}` };
  }
  const last = items.at(-1);
  if (last !== undefined) {
    const before = items.at(-2);
    const gap = gapBefore(text, last.offset, before === undefined ? list.offset + 1 : endOf(before) + 1);
    const end = endOf(last);
    return {
      start: end,
      end,
      text: `,${gap === '' ? ' ' : gap}${writeValue(value, text, gap, last.offset)}`,
    };
  }
  return fill(text, list, (gap) => writeValue(value, text, gap, list.offset));
}

/** Takes an item with the comma that goes with it out of a list. */
export function removeItem(list: Node, index: number): Splice {
  return removeChild(list, list.children ?? [], index);
}

/** Adds a member behind the last one of an object. */
export function appendMember(text: string, object: Node, key: string, value: unknown): Splice {
  const members = object.children ?? [];
  const name = `${JSON.stringify(key)}: `;
  const last = members.at(-1);
  if (last === undefined)
    return fill(text, object, (gap) => name + writeValue(value, text, gap, object.offset));
  const before = members.at(-2);
  const gap = gapBefore(text, last.offset, before === undefined ? object.offset + 1 : endOf(before) + 1);
  const end = endOf(last);
  const written = writeValue(value, text, gap, last.offset);
  return { start: end, end, text: `,${gap === '' ? ' ' : gap}${name}${written}` };
}

/** Takes a member with its comma out of an object. */
export function removeMember(object: Node, key: string): Splice | null {
  const members = object.children ?? [];
  const index = members.findIndex((member) => member.children?.[0]?.value === key);
  return index === -1 ? null : removeChild(object, members, index);
}

/** Puts another scalar in the place of a value. */
export function replaceScalar(node: Node, value: string): Splice {
  return { start: node.offset, end: endOf(node), text: JSON.stringify(value) };
}

/** A value as it is written elsewhere, to be put into a list as it stands. */
export class RawJson {
  readonly text: string;
  /** Blanks before its first line. */
  readonly indent: string;
  constructor(text: string, indent: string) {
    this.text = text;
    this.indent = indent;
  }
}

/** The text of a value and the indentation of the line that it starts in. */
export function rawOf(text: string, node: Node): RawJson {
  return new RawJson(text.slice(node.offset, endOf(node)), lineIndent(text, node.offset));
}

export const endOf = (node: Node): number => node.offset + node.length;

function removeChild(holder: Node, children: readonly Node[], index: number): Splice {
  const child = children[index];
  if (child === undefined) throw new Error('the item does not exist');
  const next = children[index + 1];
  const previous = children[index - 1];
  if (next !== undefined) return { start: child.offset, end: next.offset, text: '' };
  if (previous !== undefined) return { start: endOf(previous), end: endOf(child), text: '' };
  return { start: holder.offset + 1, end: endOf(holder) - 1, text: '' };
}

/** Blanks between the comma or bracket before a child and the child. */
function gapBefore(text: string, offset: number, from: number): string {
  return /\s*$/.exec(text.slice(Math.max(0, Math.min(from, offset)), offset))?.[0] ?? '';
}

/** Fills an empty list or object, one child a line. */
function fill(text: string, holder: Node, write: (gap: string) => string): Splice {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const outer = newline + lineIndent(text, holder.offset);
  const gap = outer + indentUnit(text);
  return { start: holder.offset + 1, end: endOf(holder) - 1, text: gap + write(gap) + outer };
}

/** The value over several lines if its neighbors are on separate lines, else on one. */
function writeValue(value: unknown, text: string, gap: string, beside: number): string {
  const isMultiline = gap.includes('\n');
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = isMultiline ? gap.slice(gap.lastIndexOf('\n') + 1) : lineIndent(text, beside);
  if (value instanceof RawJson) {
    const [first = '', ...rest] = value.text.split(/\r?\n/);
    const shifted = rest.map((line) =>
      line.startsWith(value.indent) ? indent + line.slice(value.indent.length) : line,
    );
    return [first, ...shifted].join(newline);
  }
  if (!isMultiline) return inline(value);
  return JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', newline + indent);
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inline(member)}`);
  return `{ ${members.join(', ')} }`;
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

/** One step of indentation: that of the first line that has any. */
function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}
