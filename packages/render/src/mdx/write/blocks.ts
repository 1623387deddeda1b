import { escapeAttribute } from '../../escape.ts';
import type { Node } from '../../tree.ts';
import { enter, type Writer } from './writer.ts';

export function writeList(node: Node & { type: 'list' }, writer: Writer): string {
  const tag = node.ordered ? 'ol' : 'ul';
  const start = node.ordered && node.start !== null && node.start !== 1 ? ` start="${node.start}"` : '';
  const loose = node.spread || node.children.some((item) => item.type === 'listItem' && item.spread);
  const tasks = node.children.some(
    (item) => item.type === 'listItem' && item.checked !== null && item.checked !== undefined,
  );
  let html = '';
  for (const item of node.children) html += writeItem(item, loose, writer);
  return `<${tag}${start}${tasks ? ' class="task-list"' : ''}>${html}</${tag}>`;
}

function writeItem(item: Node, loose: boolean, writer: Writer): string {
  if (item.type !== 'listItem') return `<li>${writer.html([item])}</li>`;
  const line = writer.line;
  enter(item, writer);
  let html = '';
  writer.lastCharacter = '';
  for (const child of item.children) {
    if (child.type === 'paragraph' && !loose) html += writer.html(child.children);
    else html += writer.html([child]);
  }
  writer.line = line;
  if (item.checked === null || item.checked === undefined) return `<li>${html}</li>`;
  const name = escapeAttribute(item.checked ? writer.strings.taskDone : writer.strings.taskOpen);
  const box = `<input type="checkbox" disabled${item.checked ? ' checked' : ''} aria-label="${name}"> `;
  return `<li class="task">${html.startsWith('<p>') ? `<p>${box}${html.slice(3)}` : box + html}</li>`;
}

export function writeTable(node: Node & { type: 'table' }, writer: Writer): string {
  const [head, ...rows] = node.children;
  if (head === undefined) return '';
  const body =
    rows.length === 0
      ? ''
      : `<tbody>${rows.map((row) => writeRow(row, 'td', node.align, writer)).join('')}</tbody>`;
  return `<div class="op-table-wrap"><table><thead>${writeRow(head, 'th', node.align, writer)}</thead>${body}</table></div>`;
}

function writeRow(row: Node, tag: 'th' | 'td', align: readonly (string | null)[], writer: Writer): string {
  if (row.type !== 'tableRow') return '';
  const line = writer.line;
  enter(row, writer);
  let html = '';
  row.children.forEach((cell, index) => {
    writer.lastCharacter = '';
    const side = align[index] ?? null;
    const content = cell.type === 'tableCell' ? writer.html(cell.children) : writer.html([cell]);
    html += `<${tag}${side === null ? '' : ` class="op-align-${side}"`}>${content}</${tag}>`;
  });
  writer.line = line;
  return `<tr>${html}</tr>`;
}
