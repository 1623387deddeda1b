import { isNode, type Node, type Value } from '../tree.ts';

/** Nodes that one call reads at most; lists of a page can share parts and grow without limit when written out. */
const maxNodes = 2_000_000;

interface Reader {
  text: string;
  /** The text ends in a line break; reading its end would copy it each time. */
  atStart: boolean;
  left: number;
}

/** Plain text of nodes: blocks on lines of their own, code included, no markup. */
export function plainText(nodes: readonly Node[]): string {
  const reader: Reader = { text: '', atStart: true, left: maxNodes };
  readAll(nodes, reader);
  return reader.text.trim();
}

/** Plain text of a prop: text, numbers, nodes and lists of them. */
export function valueText(value: Value): string {
  const reader: Reader = { text: '', atStart: true, left: maxNodes };
  readValue(value, reader);
  return reader.text.trim();
}

/** Plain text on one line. */
export function lineText(nodes: readonly Node[]): string {
  return plainText(nodes).replace(/\s+/g, ' ');
}

/** Text of the first paragraph that has any, outside components; null without one. */
export function firstParagraph(nodes: readonly Node[]): string | null {
  for (const node of nodes) {
    if (node.type !== 'paragraph') continue;
    const text = lineText(node.children);
    if (text !== '') return text;
  }
  return null;
}

function readAll(nodes: readonly Node[], reader: Reader): void {
  for (const node of nodes) readNode(node, reader);
}

function readValue(value: Value, reader: Reader): void {
  if (--reader.left < 0) return;
  if (typeof value === 'string') add(value, reader);
  else if (typeof value === 'number') add(String(value), reader);
  else if (Array.isArray(value)) for (const item of value) readValue(item, reader);
  else if (value !== undefined && isNode(value)) readNode(value, reader);
}

function readNode(node: Node, reader: Reader): void {
  if (--reader.left < 0) return;
  switch (node.type) {
    case 'text':
    case 'inlineCode':
    case 'html':
    case 'inlineMath':
      add(node.value, reader);
      return;
    case 'code':
    case 'math':
      startBlock(reader);
      add(`${node.value}\n`, reader);
      return;
    case 'break':
      add('\n', reader);
      return;
    case 'image':
      add(node.alt, reader);
      return;
    case 'emphasis':
    case 'strong':
    case 'delete':
    case 'link':
    case 'slot':
      readAll(node.children, reader);
      return;
    case 'island':
      if (!node.inline) startBlock(reader);
      readAll(node.children, reader);
      readAll(node.hidden, reader);
      if (!node.inline) startBlock(reader);
      return;
    case 'tableCell':
      readAll(node.children, reader);
      add(' ', reader);
      return;
    case 'element':
      readElement(node, reader);
      return;
    case 'thematicBreak':
    case 'footnoteReference':
      return;
    default:
      startBlock(reader);
      readAll(node.children, reader);
      startBlock(reader);
  }
}

/** Props of components that readers see as text, in the order in which they appear. */
const textProps = ['title', 'label', 'headline', 'name', 'description', 'caption', 'hint', 'tip'];

function readElement(node: Node & { type: 'element' }, reader: Reader): void {
  const isComponent = node.name.charCodeAt(0) < 97;
  if (!node.inline) startBlock(reader);
  if (isComponent && node.name !== 'Visibility') {
    for (const name of textProps) {
      const value = node.props[name];
      if (value === undefined || value === true) continue;
      readValue(value, reader);
      if (node.inline) add(' ', reader);
      else startBlock(reader);
    }
  }
  if (node.name === 'img' && typeof node.props.alt === 'string') add(node.props.alt, reader);
  if (node.name === 'br') add('\n', reader);
  if (node.name !== 'script' && node.name !== 'style' && node.props.for !== 'agents')
    readAll(node.children, reader);
  if (!node.inline) startBlock(reader);
}

function add(text: string, reader: Reader): void {
  if (text === '') return;
  reader.text += text;
  reader.atStart = text.charCodeAt(text.length - 1) === 10;
}

function startBlock(reader: Reader): void {
  if (reader.atStart) return;
  reader.text += '\n';
  reader.atStart = true;
}
