import type { Node } from '../tree.ts';
import type { WriteMarkdown } from './component.ts';

/** Bold title, description, then the content. */
export const section: WriteMarkdown = (props, children, markdown) => {
  const title = markdown.text(props.title ?? props.label ?? props.name);
  const parts = [
    title === '' ? '' : `**${title}**`,
    markdown.text(props.description),
    markdown.blocks(children),
  ];
  return parts.filter((each) => each !== '').join('\n\n');
};

/** The content as blocks, also in a line of text. */
export const plainBlocks: WriteMarkdown = (_props, children, markdown) => markdown.blocks(children);

/** Entries of a group are in one list. */
export const group: WriteMarkdown = (_props, children, markdown) =>
  markdown.blocks(children).replace(/\n\n(?=- )/g, '\n');

/** Child elements, also those that stand alone in a paragraph. */
export function elementsOf(nodes: readonly Node[]): Extract<Node, { type: 'element' }>[] {
  return nodes.flatMap((node) =>
    node.type === 'element' ? [node] : node.type === 'paragraph' ? elementsOf(node.children) : [],
  );
}

/** A fence longer than any run of backticks inside. */
export function fence(value: string, lang: string | null, meta: string | null): string {
  let longest = 2;
  for (const run of value.matchAll(/`{3,}/g)) longest = Math.max(longest, run[0].length);
  const marks = '`'.repeat(longest + 1);
  const info = [lang, meta].filter((part) => part !== null && part !== undefined && part !== '').join(' ');
  return `${marks}${info}\n${value}\n${marks}`;
}

/** A block quote. */
export function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** Lines that are not empty, each after `by`. */
export function indent(text: string, by: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : by + line))
    .join('\n');
}

/** Whether Markdown starts with a list, quote, heading, table, code or HTML, which must be at the start of a line. */
export function startsWithBlock(markdown: string): boolean {
  return /^(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})\s|```|~~~|[>|<])/.test(markdown);
}

/** Lines as one, without empty ones. */
export function oneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}
