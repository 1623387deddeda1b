import type { SyntaxNode } from './syntax.ts';

/** A code block that ends with the text because nothing closes it. */
export interface OpenFence {
  /** 1-based line of its first marks. */
  line: number;
  /** The marks that would close it. */
  marks: string;
  isEmpty: boolean;
}

/** The code block at the end of a text if it has no closing fence; `text` is what the tree was read from. */
export function findOpenFence(root: SyntaxNode, text: string): OpenFence | null {
  let last: SyntaxNode = root;
  for (let next = last.children?.at(-1); next !== undefined; next = next.children?.at(-1)) last = next;
  const { position } = last;
  if (last.type !== 'code' || position === undefined) return null;
  const { start, end } = position;
  if (start.offset === undefined || end.offset === undefined) return null;
  if (text.slice(end.offset).trim() !== '') return null;
  const source = text.slice(start.offset, end.offset);
  const marks = /^(?:`{3,}|~{3,})/.exec(source)?.[0];
  if (marks === undefined) return null;
  const closing = /\n[ \t>]*(`+|~+)[ \t]*$/.exec(source)?.[1];
  return closing?.startsWith(marks)
    ? null
    : { line: start.line, marks, isEmpty: (last.value ?? '').trim() === '' };
}

/** What a warning says of an open fence. */
export function openFenceMessage({ marks, isEmpty }: OpenFence): string {
  return isEmpty
    ? `${marks} starts an empty code block at the end of the text. Remove it, or close the block before it.`
    : `The code block has no closing fence, so the rest of the text is shown as code. Close it with a line of ${marks}.`;
}
