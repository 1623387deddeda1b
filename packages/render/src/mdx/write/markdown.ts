import type { Component, MarkdownScope } from '../../components/component.ts';
import { components } from '../../components/index.ts';
import { elementsOf, fence, indent, oneLine, quote } from '../../components/markdown.ts';
import type { Element, Node, Props, Value } from '../../tree.ts';
import { lineText, valueText } from '../text.ts';

/** How links and images are written in the twin: absolute or as the caller needs them. */
export interface MarkdownOptions {
  link(href: string): string;
  footnotes: ReadonlyMap<string, Node>;
  /** Content beyond it is left out. */
  maxCharacters: number;
}

interface State extends MarkdownOptions {
  left: number;
  charactersLeft: number;
  depth: number;
}

const maxNodes = 2_000_000;

/**
 * Markdown of a resolved page for agents: text, code and tables as written, components reduced to Markdown (a card is a
 * link line, steps a numbered list, tabs bold labels, callouts quotes). Comments, ids and styles are gone.
 */
export function writeMarkdown(nodes: readonly Node[], options: MarkdownOptions): string {
  const state: State = { ...options, left: maxNodes, charactersLeft: options.maxCharacters, depth: 0 };
  const body = blocks(nodes, state);
  const notes: string[] = [];
  for (const [identifier, node] of options.footnotes) {
    if ('children' in node)
      notes.push(`[^${identifier}]: ${indent(blocks(node.children, state), '    ').trimStart()}`);
  }
  const all = [body, ...notes].filter((part) => part !== '').join('\n\n');
  return all === '' ? '' : `${all}\n`;
}

/** Blocks separated by blank lines; runs of inline nodes become one paragraph. */
function blocks(nodes: readonly Node[], state: State): string {
  const parts: string[] = [];
  let line = '';
  const flush = () => {
    const text = line.trim();
    if (text !== '') parts.push(text);
    line = '';
  };
  for (const node of nodes) {
    if (isInline(node)) {
      line += inlineNode(node, state);
      continue;
    }
    flush();
    const text = block(node, state).trimEnd();
    if (text !== '') parts.push(withoutLeadingLines(text));
  }
  flush();
  return parts.join('\n\n');
}

function withoutLeadingLines(text: string): string {
  let start = 0;
  while (text.charCodeAt(start) === 10) start++;
  return start === 0 ? text : text.slice(start);
}

const inlineTypes = new Set([
  'text',
  'inlineCode',
  'html',
  'emphasis',
  'strong',
  'delete',
  'link',
  'image',
  'break',
  'inlineMath',
  'footnoteReference',
]);
const inlineTags: ReadonlySet<string> = new Set(
  'a abbr b bdi cite code del em i img ins kbd mark q s samp small span strong sub sup time u var br'.split(
    ' ',
  ),
);

function isInline(node: Node): boolean {
  if (node.type === 'element')
    return node.inline || inlineTags.has(node.name) || components[node.name]?.kind === 'inline';
  if (node.type === 'island') return node.inline;
  if (node.type === 'slot') return node.children.every(isInline);
  return inlineTypes.has(node.type);
}

function block(node: Node, state: State): string {
  return within(state, () => blockText(node, state));
}

/** Takes the text of a node from the budget; what is inside it has been taken already. */
function within(state: State, write: () => string): string {
  const { charactersLeft } = state;
  if (--state.left < 0 || charactersLeft < 0 || state.depth > 200) return '';
  state.depth++;
  const text = write();
  state.charactersLeft = Math.min(state.charactersLeft, charactersLeft - text.length);
  state.depth--;
  return text;
}

function blockText(node: Node, state: State): string {
  switch (node.type) {
    case 'heading':
      return `${'#'.repeat(node.depth)} ${inline(node.children, state)}`;
    case 'paragraph':
      return blocks(node.children, state);
    case 'code':
      return fence(node.value, node.lang, node.meta);
    case 'math':
      return `$$\n${node.value}\n$$`;
    case 'thematicBreak':
      return '---';
    case 'blockquote':
      return quote(blocks(node.children, state));
    case 'list':
      return list(node, state);
    case 'table':
      return table(node, state);
    case 'element':
      return element(node, state);
    case 'island':
      return blocks([...node.children, ...node.hidden], state);
    default:
      return 'children' in node ? blocks(node.children, state) : '';
  }
}

function list(node: Node & { type: 'list' }, state: State): string {
  let number = node.start ?? 1;
  const items = node.children.map((item) => {
    const marker = node.ordered ? `${number++}. ` : '- ';
    const checked = item.type === 'listItem' ? item.checked : null;
    const box = checked === null || checked === undefined ? '' : checked ? '[x] ' : '[ ] ';
    const text = 'children' in item ? blocks(item.children, state) : block(item, state);
    return marker + box + indent(text, ' '.repeat(marker.length)).trimStart();
  });
  return items.join(node.spread ? '\n\n' : '\n');
}

function table(node: Node & { type: 'table' }, state: State): string {
  const rows = node.children.map((row) =>
    'children' in row
      ? row.children.map((cell) =>
          'children' in cell ? inline(cell.children, state).replaceAll('|', '\\|') : '',
        )
      : [],
  );
  const [head = [], ...body] = rows;
  const rule = head.map((_, index) => alignments[node.align[index] ?? 'none'] ?? '---');
  return [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const alignments: Readonly<Record<string, string>> = {
  left: ':---',
  right: '---:',
  center: ':---:',
  none: '---',
};

// Inline

function inline(nodes: readonly Node[], state: State): string {
  let text = '';
  for (const node of nodes) text += inlineNode(node, state);
  return oneLine(text);
}

function inlineChildren(nodes: readonly Node[], state: State): string {
  let text = '';
  for (const node of nodes) text += inlineNode(node, state);
  return text;
}

function inlineNode(node: Node, state: State): string {
  return within(state, () => inlineText(node, state));
}

function inlineText(node: Node, state: State): string {
  switch (node.type) {
    case 'text':
    case 'html':
      return node.value;
    case 'inlineCode':
      return inlineCode(node.value);
    case 'inlineMath':
      return `$${node.value}$`;
    case 'emphasis':
      return `*${inlineChildren(node.children, state)}*`;
    case 'strong':
      return `**${inlineChildren(node.children, state)}**`;
    case 'delete':
      return `~~${inlineChildren(node.children, state)}~~`;
    case 'link':
      return link(inlineChildren(node.children, state), node.url, state);
    case 'image':
      return image(node.alt, node.url, state);
    case 'break':
      return '\n';
    case 'footnoteReference':
      return `[^${node.identifier}]`;
    case 'element':
      return inlineElement(node, state);
    case 'island':
      return inlineChildren([...node.children, ...node.hidden], state);
    default:
      return 'children' in node ? inlineChildren(node.children, state) : '';
  }
}

function inlineCode(value: string): string {
  const marks = value.includes('`') ? '``' : '`';
  const pad = marks === '``' ? ' ' : '';
  return marks + pad + value + pad + marks;
}

function link(label: string, href: string, state: State): string {
  // A URL whose text is the URL was typed as an autolink.
  if (label === href || `mailto:${label}` === href) return label;
  return label === '' ? '' : `[${label}](${target(state.link(href))})`;
}

function image(alt: string | null, src: string, state: State): string {
  if (src.startsWith('data:')) return alt ?? '';
  return `![${(alt ?? '').replace(/[[\]]/g, '')}](${target(state.link(src))})`;
}

function target(href: string): string {
  return href.replace(/[\s()<>]/g, (char) =>
    encodeURIComponent(char).replace('(', '%28').replace(')', '%29'),
  );
}

function inlineElement(node: Element, state: State): string {
  const { name, props, children } = node;
  switch (name) {
    case 'a':
      return typeof props.href === 'string'
        ? link(inline(children, state), props.href, state)
        : inlineChildren(children, state);
    case 'img':
      return typeof props.src === 'string' ? image(text(props.alt), props.src, state) : '';
    case 'br':
      return '\n';
    case 'code':
    case 'kbd':
      return inlineCode(lineText(children));
    case 'b':
    case 'strong':
      return `**${inlineChildren(children, state)}**`;
    case 'i':
    case 'em':
      return `*${inlineChildren(children, state)}*`;
    case 'svg':
      return '';
    default: {
      const component = components[name];
      if (component?.markdown !== undefined) return componentText(component, node, state, true);
      return isInline(node) && !Object.hasOwn(writers, name)
        ? inlineChildren(children, state)
        : block(node, state);
    }
  }
}

// Elements

function text(value: Value): string {
  return value === undefined ? '' : valueText(value).replace(/\s+/g, ' ');
}

type ElementWriter = (props: Props, children: readonly Node[], state: State) => string;

function element(node: Element, state: State): string {
  const component = components[node.name];
  if (component?.markdown !== undefined) return componentText(component, node, state, false);
  const write = Object.hasOwn(writers, node.name) ? writers[node.name] : undefined;
  if (write !== undefined) return write(node.props, node.children, state);
  if (removed.has(node.name)) return '';
  if (/^h[1-6]$/.test(node.name))
    return `${'#'.repeat(Number(node.name.slice(1)))} ${inline(node.children, state)}`;
  return blocks(node.children, state);
}

function componentText(component: Component, node: Element, state: State, isInLine: boolean): string {
  const scope: MarkdownScope = {
    blocks: (nodes) => blocks(nodes, state),
    inline: (nodes) => inline(nodes, state),
    content: (nodes) => (isInLine ? inlineChildren(nodes, state) : blocks(nodes, state)),
    text,
    lineText,
    codeText: (nodes) => valueText([...nodes]),
    link: (label, href) => link(label, href, state),
  };
  return component.markdown?.(node.props, node.children, scope) ?? '';
}

const removed = new Set(['script', 'style', 'svg', 'iframe', 'template', 'noscript', 'object', 'embed']);

function htmlList(numbered: boolean): ElementWriter {
  return (_props, children, state) => {
    const items = elementsOf(children).filter((child) => child.name === 'li');
    return items
      .map((item, index) => {
        const marker = numbered ? `${index + 1}. ` : '- ';
        return marker + indent(blocks(item.children, state), ' '.repeat(marker.length)).trimStart();
      })
      .join('\n');
  };
}

/** HTML elements that Markdown has a form for. */
const writers: Readonly<Record<string, ElementWriter>> = {
  ul: htmlList(false),
  ol: htmlList(true),
  blockquote: (_props, children, state) => quote(blocks(children, state)),
  pre: (_props, children) => fence(valueText(children as Value), null, null),
  hr: () => '---',
};
