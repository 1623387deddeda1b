import type { SyntaxNode } from './syntax.ts';

/** First 1-based line with one of the ascending offsets that is not in a code block of the tree; null without any. */
export function firstLineOutsideCode(
  offsets: readonly number[],
  text: string,
  root: SyntaxNode,
): number | null {
  const blocks = codeLines(root);
  let line = 1;
  let lineStart = 0;
  let next = 0;
  for (const offset of offsets) {
    for (
      let end = text.indexOf('\n', lineStart);
      end !== -1 && end < offset;
      end = text.indexOf('\n', lineStart)
    ) {
      line++;
      lineStart = end + 1;
    }
    while ((blocks[next]?.end ?? line) < line) next++;
    if ((blocks[next]?.start ?? line + 1) > line) return line;
  }
  return null;
}

/** Lines of the code blocks, in ascending order. */
function codeLines(root: SyntaxNode): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { type, position, children = [] } = node;
    if (type === 'code' && position !== undefined)
      found.push({ start: position.start.line, end: position.end.line });
    for (let index = children.length - 1; index >= 0; index--) stack.push(children[index] as SyntaxNode);
  }
  return found;
}
