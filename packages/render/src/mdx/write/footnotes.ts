import { escapeAttribute } from '../../escape.ts';
import type { Writer } from './writer.ts';

/** The mark in the text; a footnote is numbered by its first one. */
export function writeFootnoteMark(identifier: string, writer: Writer): string {
  if (writer.noLinks || !writer.footnotes.has(identifier)) return '';
  const first = !writer.marks.has(identifier);
  if (first) writer.marks.set(identifier, writer.marks.size + 1);
  const number = writer.marks.get(identifier);
  const id = first ? ` id="footnote-mark-${number}"` : '';
  writer.controls++;
  return `<sup><a${id} class="footnote-mark" href="#footnote-${number}">${number}</a></sup>`;
}

/** The list of notes below a page. */
export function writeFootnotes(writer: Writer): string {
  let html = '';
  // A footnote may bring further marks, so the list can grow while it is written.
  for (const [identifier, number] of writer.marks) {
    const node = writer.footnotes.get(identifier);
    const content = node === undefined || !('children' in node) ? '' : writer.html(node.children);
    const back = ` <a class="footnote-back" href="#footnote-mark-${number}" aria-label="${escapeAttribute(writer.strings.backToText)}">↩</a>`;
    const closed = content.endsWith('</p>') ? `${content.slice(0, -4)}${back}</p>` : content + back;
    html += `<li id="footnote-${number}">${closed}</li>`;
  }
  return html === ''
    ? ''
    : `<section class="op-footnotes" aria-label="${escapeAttribute(writer.strings.footnotes)}"><ol>${html}</ol></section>`;
}
