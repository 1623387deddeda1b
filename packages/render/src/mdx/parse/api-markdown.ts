import type { Warn } from '../../warning.ts';
import { parseMdx } from './parse.ts';
import { pickSentinels, restoreTree, standIn } from './sentinel.ts';
import type { SyntaxNode } from './syntax.ts';

const tags =
  'a b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins kbd li ol p pre s samp small span strong ' +
  'sub summary sup table tbody td tfoot th thead tr u ul var';
const otherTag = new RegExp(`<(?!!--|/?(?:${tags.replaceAll(' ', '|')})(?=[\\s/>]))`, 'gi');
/** Code, or a tag with attributes. */
const openTag = new RegExp(
  `(\`\`\`[\\s\\S]*?\`\`\`|~~~[\\s\\S]*?~~~|\`[^\`\\n]*\`)|<(?:${tags.replaceAll(' ', '|')})\\s[^<>]{0,1000}>`,
  'gi',
);
/** `style={{ color: "red" }}`: as MDX writes an attribute, which would make the whole tag text. */
const expressionAttribute = /\s[\w:-]+=\{(?:\{[^{}]*\}|[^{}])*\}/g;
const openVoidTag = /(```[\s\S]*?```|~~~[\s\S]*?~~~|`[^`\n]*`)|<(br|hr)\s*>/gi;

/**
 * Parses Markdown of an API description: GFM and the HTML of formatted text. Braces, formulas, components, `import` and
 * `export` are text, because the text is a value and not MDX. Its errors are not reported: no page can correct them.
 */
export function parseApiMarkdown(markdown: string, file: string): SyntaxNode {
  const sentinels = pickSentinels(markdown);
  const inert = markdown
    .replace(openVoidTag, (whole, code?: string, tag?: string) =>
      code === undefined ? `<${tag?.toLowerCase()} />` : whole,
    )
    .replace(openTag, (whole, code?: string) =>
      code === undefined ? whole.replace(expressionAttribute, '') : whole,
    )
    .replaceAll('{', standIn(sentinels, '{'))
    .replaceAll('$', standIn(sentinels, '$'))
    .replace(otherTag, standIn(sentinels, '<'))
    .replace(/^(?:import|export)\b/gm, (word) => standIn(sentinels, word) + word.slice(1));
  const silent: Warn = () => {};
  const root = parseMdx(inert, { file, firstLine: 0, frontMatter: false, warn: silent });
  restoreTree(sentinels, root);
  withoutPositions(root);
  return root;
}

/** Lines of a text inside a description are not those of its file. */
function withoutPositions(root: SyntaxNode): void {
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    delete node.position;
    for (const child of node.children ?? []) stack.push(child);
  }
}

const blocks = /```|~~~|\n[ \t]*\r?\n|<[a-z!/]|!\[|^[ \t]*(?:(?:[-*+>]|#{1,6}|\d{1,9}[.)])[ \t]|\|)/im;

/**
 * The description of an operation: on one line as `description`, which may contain inline Markdown. With blocks or HTML,
 * all of it is `lead`, and `description` is the text of its first block.
 */
export function readApiText(text: string | null): { description: string | null; lead: string | null } {
  if (text === null || !blocks.test(text)) return { description: text, lead: null };
  for (const block of parseApiMarkdown(text, '').children ?? []) {
    const description = lineOf(block);
    if (description !== '') return { description, lead: text };
  }
  return { description: null, lead: text };
}

const inlineTypes: ReadonlySet<string> = new Set([
  'text',
  'inlineCode',
  'inlineMath',
  'emphasis',
  'strong',
  'delete',
  'link',
  'mdxJsxTextElement',
]);

/** Text of a node on one line, without markup. */
function lineOf(root: SyntaxNode): string {
  let text = '';
  const visit = (node: SyntaxNode, depth: number): void => {
    const isSeparate = !inlineTypes.has(node.type) || node.name === 'br';
    if (isSeparate) text += ' ';
    text += node.type === 'image' ? (node.alt ?? '') : (node.value ?? '');
    if (depth < 100) for (const child of node.children ?? []) visit(child, depth + 1);
    if (isSeparate) text += ' ';
  };
  visit(root, 0);
  return text.replace(/\s+/g, ' ').trim();
}
