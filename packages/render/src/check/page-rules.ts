/** Rules that need a single page: headings, images, links and ids. */
import { components } from '../components/index.ts';
import type { Schema } from '../components/schema.ts';
import { suggestSpelling } from '../config/suggest-name.ts';
import type { InspectedPage } from '../mdx/state.ts';
import { lineText, valueText } from '../mdx/text.ts';
import type { Element, Node, Props } from '../tree.ts';
import type { WarningCode } from '../warning-codes.ts';
import { externalLinkError } from './external-link.ts';
import type { Report } from './finding.ts';
import { type LiteralBlock, literalBlocks, literalEmphasis, literalLink } from './literal-blocks.ts';

interface Walk {
  inspected: InspectedPage;
  report: Report;
  file: string;
  line: number | null;
  column: number | null;
  /** Depth of the last heading; the title of the page is one of depth 1. */
  depth: number;
  /** Headings of depth 1, the title of the page included. */
  titles: number;
  /** Ids that the page gives, with the line of the first use. */
  ids: Map<string, number | null>;
  /** Components with properties that they do not have, as far as reported. */
  unknownProps: Set<string>;
  /** Inside of a link. */
  isLink: boolean;
  /** Inside of an element whose text is code. */
  isCode: boolean;
}

/** Link texts that are meaningless without the sentence around them. */
const VAGUE =
  /^(?:(?:click|tap|see|read|go)\s+)?(?:here|this|this\s+(?:link|page)|link|more|more\s+info(?:rmation)?)$/i;

/** Elements whose text is shown as typed. */
const CODE: ReadonlySet<string> = new Set(['pre', 'code', 'samp', 'kbd', 'textarea', 'CodeBlock', 'Prompt']);

/** Reports errors in the headings, images, links and ids of a page. */
export function checkPage(inspected: InspectedPage, report: Report): void {
  const { page } = inspected;
  const hasTitle = page.mode !== 'custom' && page.mode !== 'frame';
  const walk: Walk = {
    inspected,
    report,
    file: page.source ?? page.path,
    line: null,
    column: null,
    depth: 1,
    titles: hasTitle ? 1 : 0,
    ids: new Map(),
    unknownProps: new Set(),
    isLink: false,
    isCode: false,
  };
  visitAll(inspected.children, walk);
}

function visitAll(nodes: readonly Node[], walk: Walk): void {
  for (const node of nodes) visit(node, walk);
}

function visit(node: Node, walk: Walk): void {
  const { file, line, column, depth, isLink, isCode } = walk;
  const origin = node.type === 'element' && node.file !== undefined ? node.file : walk.inspected.fileOf(node);
  if (origin !== undefined) walk.file = origin;
  if ('position' in node && node.position !== undefined) {
    walk.line = node.position.start.line;
    walk.column = node.position.start.column;
  }
  const isSection = node.type === 'element' && components[node.name]?.hasTitle === true;
  if (isSection) walk.depth = 6;
  if (node.type === 'element' && CODE.has(node.name)) walk.isCode = true;
  check(node, walk);
  if ('children' in node) {
    if (!walk.isCode) checkTexts(node.children, walk);
    visitAll(node.children, walk);
  }
  if (isSection) walk.depth = depth;
  Object.assign(walk, { file, line, column, isLink, isCode });
}

function check(node: Node, walk: Walk): void {
  if (node.type === 'heading') {
    noteId(node.id, walk);
    checkHeading(node.depth, node.children, walk);
  } else if (node.type === 'paragraph') {
    if (!walk.isCode) reportLiteral(literalBlocks(node.children), walk);
  } else if (node.type === 'image') {
    if (node.alt.trim() === '') missingAlt(node.url, walk);
  } else if (node.type === 'link') {
    checkLink(node.url, node.children, '', walk);
  } else if (node.type === 'element') checkElement(node, walk);
}

function checkTexts(nodes: readonly Node[], walk: Walk): void {
  nodes.forEach((node, at) => {
    const link = node.type === 'text' ? literalLink(node, nodes[at + 1]) : null;
    if (link !== null) reportLiteral([link], walk);
    const emphasis = node.type === 'text' ? literalEmphasis(node) : null;
    if (emphasis !== null) reportLiteral([emphasis], walk);
  });
}

function reportLiteral(found: readonly LiteralBlock[], walk: Walk): void {
  for (const { code, message, line } of found)
    walk.report({ file: walk.file, line: line ?? walk.line, code, message });
}

function found(walk: Walk, code: WarningCode, message: string): void {
  const { file, line, column } = walk;
  walk.report({ file, line, column, code, message });
}

function noteId(id: unknown, walk: Walk): void {
  if (typeof id !== 'string' || id === '') return;
  if (!walk.ids.has(id)) {
    walk.ids.set(id, walk.line);
    return;
  }
  const first = walk.ids.get(id);
  const where = first === null || first === undefined ? '' : ` (first in line ${first})`;
  found(
    walk,
    'duplicate-id',
    `The id \`${id.slice(0, 100)}\` is used more than once on this page${where}; links reach only the first one. Use another id here.`,
  );
}

function checkHeading(depth: number, children: readonly Node[], walk: Walk): void {
  const text = lineText(children).slice(0, 80);
  if (children.length === 0) {
    const message = 'The heading has no text. Add a text, or remove the heading.';
    found(walk, 'heading-text-missing', message);
    return;
  }
  if (depth === 1 && ++walk.titles > 1) {
    found(
      walk,
      'heading-second-title',
      `\`# ${text}\` is a second title: the page already has one. Use \`##\`, or the front matter \`title\`.`,
    );
  }
  if (depth > walk.depth + 1) {
    found(
      walk,
      'heading-jump',
      `\`${'#'.repeat(depth)} ${text}\` follows a heading of level ${walk.depth} and skips levels. Use \`${'#'.repeat(walk.depth + 1)}\`.`,
    );
  }
  walk.depth = depth;
}

function checkElement(node: Element, walk: Walk): void {
  const { name, props, children } = node;
  noteId(props.id, walk);
  checkProps(node, walk);
  const depth = /^h([1-6])$/.exec(name)?.[1];
  if (depth !== undefined) checkHeading(Number(depth), children, walk);
  else if (name === 'img') {
    const isHidden =
      props['aria-hidden'] !== undefined || props.role === 'presentation' || props.role === 'none';
    if (typeof props.alt !== 'string' && !isHidden) missingAlt(props.src, walk);
  } else if (name === 'a' || name === 'Link') {
    const label = valueText(props['aria-label'] ?? props.title);
    checkLink(props.href, children, label, walk);
  } else if (typeof props.href === 'string') checkUrl(props.href, walk);
}

/** Props that every component accepts. */
const COMMON_PROPS: ReadonlySet<string> = new Set(['id', 'className', 'class', 'style', 'children', 'key']);

function checkProps({ name, props }: Element, walk: Walk): void {
  const component = components[name];
  if (component === undefined || component.keepsAttributes === true) return;
  const schema = component.props;
  for (const prop of Object.keys(props)) {
    if (Object.hasOwn(schema, prop) || COMMON_PROPS.has(prop) || prop.startsWith('data-')) continue;
    const use = `${name} ${prop}`;
    if (walk.unknownProps.has(use)) continue;
    walk.unknownProps.add(use);
    found(
      walk,
      'unknown-property',
      `\`${prop.slice(0, 40)}\` is not a property of \`<${name}>\` and has no effect. ${otherProps(prop, props, schema)}`,
    );
  }
}

/** What to write instead of a prop that a component does not have. */
function otherProps(prop: string, props: Props, schema: Schema): string {
  const names = Object.keys(schema);
  const near = prop.length < 4 ? null : suggestSpelling(prop, [...names, 'className']);
  if (near !== null && !Object.hasOwn(props, near)) return `Did you mean \`${near}\`?`;
  if (names.length === 0) return 'Remove it.';
  return `Its properties: ${names.map((name) => `\`${name}\``).join(', ')}.`;
}

function missingAlt(source: unknown, walk: Walk): void {
  const name = typeof source === 'string' ? ` \`${source.slice(0, 100)}\`` : '';
  found(
    walk,
    'image-alt',
    `The image${name} has no alternative text. Describe what it shows, or write \`<img alt="" />\` for decoration.`,
  );
}

function checkLink(href: unknown, children: readonly Node[], label: string, walk: Walk): void {
  // Without a URL it is an anchor.
  if (typeof href !== 'string') return;
  // A link inside a link is not checked again.
  if (walk.isLink) return;
  walk.isLink = true;
  const text = label === '' ? lineText(children).trim() : label;
  if (text === '' && !holdsPicture(children)) {
    found(
      walk,
      'link-text-missing',
      `The link to \`${href.slice(0, 100)}\` has no text. Describe its target.`,
    );
  } else if (VAGUE.test(text)) {
    found(
      walk,
      'link-text-vague',
      `The link text "${text}" does not describe its target to readers who use a screen reader. Name the target.`,
    );
  }
  // A URL in the text that became a link automatically may be an example.
  if (text !== href) checkUrl(href, walk);
}

function holdsPicture(nodes: readonly Node[]): boolean {
  return nodes.some(
    (node) =>
      node.type === 'image' ||
      (node.type === 'element' && /^(?:img|svg|video|[A-Z])/.test(node.name)) ||
      ('children' in node && holdsPicture(node.children)),
  );
}

function checkUrl(href: string, walk: Walk): void {
  const written = href.trim();
  if (written === '' || written === '#') {
    found(walk, 'link-target-missing', 'The link has no target. Add one, or keep only the text.');
    return;
  }
  const fault = externalLinkError(written);
  if (fault !== null) found(walk, 'external-link-invalid', `\`${written.slice(0, 120)}\` ${fault}`);
}
