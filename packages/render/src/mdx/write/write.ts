import { codeLabel, renderCode } from '../../code/index.ts';
import type { Component } from '../../components/component.ts';
import { components } from '../../components/index.ts';
import {
  type Attributes,
  attributesOf,
  blockTags,
  type Content,
  controlTags,
  hasTag,
  htmlOf,
  type View,
} from '../../components/markup.ts';
import { escapeAttribute, escapeText } from '../../escape.ts';
import { writeContent, writeView } from '../../islands/built-ins.ts';
import { makePageIslands } from '../../islands/page-islands.ts';
import { writeIsland, writeSlot } from '../../islands/write.ts';
import type { Page } from '../../site.ts';
import { dropReserved } from '../../theme/reserved.ts';
import { stringsFor } from '../../theme/words/index.ts';
import { type Element, isNode, type Node, type Props, type Text, type Value } from '../../tree.ts';
import type { ResolvedPage } from '../evaluate/resolve.ts';
import type { Budget } from '../guard/budget.ts';
import { phrasingTags } from '../guard/elements.ts';
import { styleText } from '../guard/style.ts';
import { animationTags, isSafeAnimation } from '../guard/svg-animation.ts';
import type { SiteState } from '../state.ts';
import { lineText, valueText } from '../text.ts';
import { anchorOf, makeAnchors, takeAnchor } from './anchors.ts';
import { writeList, writeTable } from './blocks.ts';
import { pageCodeClasses } from './code-classes.ts';
import { isDiagram, writeDiagram } from './diagram.ts';
import { writeFootnoteMark, writeFootnotes } from './footnotes.ts';
import { placeAliases, takeExplicit, writeHeading, writeJsxHeading, writeTitleAnchors } from './heading.ts';
import { elementRule, iconName, noteClasses, writeHtmlElement, writeImage } from './html.ts';
import { writeIcon } from './icon.ts';
import { inlineNodes } from './inline.ts';
import { type LinkPlace, remoteUrl, resolveAsset, resolveLink } from './links.ts';
import { writeMarkdown } from './markdown.ts';
import { isMarkedAsCode } from './marked-as-code.ts';
import { isDisplayMath, writeMath } from './math.ts';
import { markKeys, quotesOf, smartPunctuation } from './punctuation.ts';
import { readerAsset, readerValue } from './reader-value.ts';
import { useRemoteScript } from './remote-script.ts';
import { useStyle } from './style-sheet.ts';
import { suggestComponent, suggestElement } from './suggest-tag.ts';
import { enter, type Writer, withFlag } from './writer.ts';

/** Nodes that one page may be written out to; shared parts could multiply without end. */
const maxNodes = 3_000_000;
const maxDepth = 300;

/** HTML of a page, and what was collected on the way. Never throws. */
export function writePage(
  resolved: ResolvedPage,
  page: Page,
  budget: Budget,
  site: SiteState,
): { html: string; writer: Writer } {
  const writer = makeWriter(resolved, page, budget, site);
  const html = writeNodes(resolved.children, writer);
  const anchors =
    resolved.repeatedTitle === undefined ? '' : writeTitleAnchors(resolved.repeatedTitle, writer);
  return { html: placeAliases(html + anchors + writeFootnotes(writer), writer), writer };
}

function makeWriter(resolved: ResolvedPage, page: Page, budget: Budget, site: SiteState): Writer {
  const language = site.siteMap.languageOf(page);
  const strings = stringsFor(language);
  let other: Writer | null = null;
  const writer: Writer = {
    page,
    site,
    anchors: makeAnchors(() => ({ file: writer.file, line: writer.line })),
    entries: [],
    links: [],
    updates: [],
    headingAnchors: new WeakMap(),
    elementAnchors: new WeakMap(),
    owner: null,
    pageAssets: new Map(),
    footnotes: resolved.footnotes,
    marks: new Map(),
    aliases: [],
    headingIds: page.mode !== 'custom' && page.mode !== 'frame',
    islands: makePageIslands(),
    classes: new Set(),
    shownSlots: null,
    isAside: false,
    aside: () => (other ??= makeAside(resolved, writer)),
    view: null,
    noLinks: false,
    noPicture: false,
    inTable: false,
    noToc: false,
    codeClasses: pageCodeClasses(resolved.children, site.codeClasses),
    verbatim: false,
    lastCharacter: '',
    quotes: quotesOf(language),
    strings,
    blocks: 0,
    controls: 0,
    lone: null,
    nodesLeft: maxNodes,
    budget,
    charactersLeft: budget.characters,
    depth: 0,
    file: page.source ?? page.path,
    line: null,
    around: null,
    // A getter would give each page an object of its own shape, which is slow and outlives the page.
    name: '',
    html: (nodes) => writeNodes(nodes, writer),
    content: (nodes) => contentOf(writeContent(nodes, writer, () => writeNodes(nodes, writer))),
    value: (value) => writeValue(value, writer),
    inline: (markdown) => writeInlineMarkdown(markdown, writer),
    nest: (view) => view,
    isLive: false,
    element: null,
    style: (values, written) => writeStyle(values, written, writer),
    text: (value) => (isNodeList(value) ? lineText(value) : valueText(value).replace(/\s+/g, ' ')),
    elements: (nodes, ...names) => findElements(nodes, names),
    id: (text) => ownAnchor(writer, takeAnchor(writer.anchors, text)),
    slug: anchorOf,
    takeId: (id) => ownAnchor(writer, takeExplicit(writer, id)),
    markdown: (nodes) => markdownOf(nodes, writer),
    withoutLinks: (write) => withFlag('noLinks', write, writer),
    hasSide: page.mode === 'default' || page.mode === 'assistant',
    variations: site.siteMap.config.variations,
    excluded: site.siteMap.config.excluded,
    toc: ({ depth, id, label }) => {
      if (!writer.noToc) writer.entries.push({ depth, id, html: htmlOf(label) });
    },
    withoutToc: (write) => withFlag('noToc', write, writer),
    link: (href) => resolveLink(href, placeOf(writer), site, writer.links),
    asset: (src) => resolveAsset(src, placeOf(writer), site),
    icon: (icon, options) => contentOf(writeIcon(icon, options ?? {}, writer)),
    code: (value, lang, meta, attributes) => contentOf(writeCode({ value, lang, meta }, writer, attributes)),
    codeLabel,
    math: (tex, isBlock, attributes) =>
      contentOf(writeMath(tex, isBlock, writer, attributesOf(attributes ?? {}))),
    feed: (update) => void writer.updates.push(update),
    use: (asset) => void writer.pageAssets.set(asset.path, asset),
    warn: (code, message) => site.warn({ file: writer.file, line: writer.line, code, message }),
  };
  return writer;
}

function markdownOf(nodes: readonly Node[], { footnotes, charactersLeft }: Writer): string {
  return writeMarkdown(nodes, {
    link: (href) => href,
    footnotes,
    maxCharacters: Math.max(0, charactersLeft),
  });
}

function makeAside(
  resolved: ResolvedPage,
  { page, site, budget, islands, pageAssets, classes }: Writer,
): Writer {
  const aside = makeWriter(resolved, page, budget, site);
  return Object.assign(aside, {
    islands,
    pageAssets,
    classes,
    shownSlots: new Set(),
    isAside: true,
    hasSide: false,
    nodesLeft: maxNodes / 30,
    charactersLeft: budget.characters / 30,
  });
}

/** Notes the first id of each component, which is the one that links lead to. */
function ownAnchor(writer: Writer, id: string): string {
  const { owner, elementAnchors } = writer;
  if (owner !== null && !elementAnchors.has(owner)) elementAnchors.set(owner, id);
  return id;
}

function contentOf(html: string): Content | null {
  return html === '' ? null : { html };
}

function writeStyle(
  values: Readonly<Record<string, string>> | null,
  written: Value,
  writer: Writer,
): string | null {
  // Nearly all components have neither.
  if (values === null && written == null) return null;
  const own = Object.entries(values ?? {}).map(([name, value]) => `${name}:${value}`);
  const parts = [styleText(own.join(';')), styleText(written, writer.asset)].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(';');
}

function writeCode(
  { value, lang, meta }: { value: string; lang: string | null; meta: string | null },
  writer: Writer,
  attributes: Attributes = {},
): string {
  const { site, strings } = writer;
  writer.blocks++;
  if (isDiagram(lang)) return writeDiagram(value, meta ?? null, writer, attributes);
  const { library } = site.siteMap.config.icons;
  return renderCode(value, site.highlight ? (lang ?? null) : null, meta ?? null, {
    library,
    strings,
    attributes,
  });
}

function placeOf(writer: Writer): LinkPlace {
  return { page: writer.page, file: writer.file, line: writer.line };
}

function isNodeList(value: Value | readonly Node[]): value is readonly Node[] {
  return Array.isArray(value) && value.every((item) => item !== undefined && isNode(item));
}

// Nodes

function writeNodes(nodes: readonly Node[], writer: Writer): string {
  let html = '';
  let wasLone = false;
  for (const node of nodes) {
    const part = writeNode(node, writer);
    // The parser drops the blank between elements that stand alone on a line; badges in a row need it.
    const isLone = node.type === 'element' && !node.inline && isInLine(node.name);
    if (isLone && wasLone) html += '\n';
    wasLone = isLone;
    html += part;
  }
  return html;
}

const inLineTags: ReadonlySet<string> = new Set(
  'a abbr b button code em i img kbd small span strong svg'.split(' '),
);

function isInLine(name: string): boolean {
  return inLineTags.has(name) || components[name]?.kind === 'inline';
}

function writeNode(node: Node, writer: Writer): string {
  if (--writer.nodesLeft < 0 || writer.charactersLeft < 0 || writer.depth > maxDepth) return overflow(writer);
  const { file, line } = writer;
  enter(node, writer);
  writer.depth++;
  const { charactersLeft } = writer;
  const html = writeOne(node, writer);
  // What is inside has been taken already.
  writer.charactersLeft = Math.min(writer.charactersLeft, charactersLeft - html.length);
  writer.depth--;
  writer.file = file;
  writer.line = line;
  return html;
}

function overflow(writer: Writer): string {
  if (writer.nodesLeft > -1_000_000) {
    writer.nodesLeft = -1_000_000;
    reportOverflow(writer);
  }
  return '';
}

function reportOverflow(writer: Writer): void {
  const { budget, site } = writer;
  if (!budget.ofSite.characters) {
    const message = `The page has more than ${budget.characters} characters of HTML, ${maxNodes} elements or ${maxDepth} levels; the rest is removed. Split the page.`;
    writer.warn('page-too-large', message);
    return;
  }
  const limit = site.budget.takeReport('characters');
  if (limit === null) return;
  const message = `The pages of the site together have more than ${limit} characters; the rest of this page and of later ones is removed. Split the site.`;
  writer.warn('site-too-large', message);
}

function writeReaderValue({ value, reader = '' }: Text, writer: Writer): string {
  writer.use(readerAsset());
  return readerValue(reader, writeText(value, writer));
}

function writeOne(node: Node, writer: Writer): string {
  switch (node.type) {
    case 'text':
    case 'html':
      return node.reader === undefined ? writeText(node.value, writer) : writeReaderValue(node, writer);
    case 'paragraph':
      return writeParagraph(node.children, writer);
    case 'element':
      return writeElement(node, writer);
    case 'island':
      return writeIsland(node, writer);
    case 'slot':
      return writeSlot(node, writer);
    case 'inlineCode':
      writer.lastCharacter = 'x';
      return `<code>${escapeText(node.value)}</code>`;
    case 'code':
      writer.charactersLeft -= node.value.length;
      return writeCode(node, writer);
    case 'heading':
      writer.blocks++;
      return writeHeading(node, writer);
    case 'link':
      return writeLink(node, writer);
    case 'image':
      return writeImage(imageProps(node), node, writer);
    case 'list':
      writer.blocks++;
      return writeList(node, writer);
    case 'table':
      writer.blocks++;
      return writeTable(node, writer);
    case 'emphasis':
      return `<em>${writeNodes(node.children, writer)}</em>`;
    case 'strong':
      return `<strong>${writeNodes(node.children, writer)}</strong>`;
    case 'delete':
      return `<del>${writeNodes(node.children, writer)}</del>`;
    case 'blockquote':
      writer.blocks++;
      return `<blockquote>${writeNodes(node.children, writer)}</blockquote>`;
    case 'break':
      return '<br>';
    case 'thematicBreak':
      writer.blocks++;
      return '<hr>';
    case 'inlineMath':
      return writeMath(node.value, false, writer);
    case 'math':
      return writeMath(node.value, true, writer);
    case 'footnoteReference':
      return writeFootnoteMark(node.identifier, writer);
    case 'root':
      return writeNodes(node.children, writer);
    default:
      // Items, rows and cells are written by their list or table only.
      return 'children' in node ? writeNodes(node.children, writer) : '';
  }
}

/** Prose gets typeset punctuation; text that is code or data, or that a script will write again, stays as typed. */
function writeText(text: string, writer: Writer): string {
  writer.charactersLeft -= text.length;
  const before = writer.lastCharacter;
  writer.lastCharacter = text.at(-1) ?? before;
  if (writer.verbatim || writer.shownSlots !== null) return escapeText(text);
  return markKeys(escapeText(smartPunctuation(text, before, writer.quotes)));
}

/** A component inside a line of text may give a block, which HTML does not allow in `<p>`. */
function writeParagraph(children: readonly Node[], writer: Writer): string {
  writer.lastCharacter = '';
  const [only = null] = children;
  if (children.length === 1 && only !== null && isDisplayMath(only))
    return writeMath(only.value, true, writer);
  const { lone, blocks } = writer;
  writer.lone = children.length === 1 ? only : null;
  const html = writeNodes(children, writer);
  writer.lone = lone;
  if (html === '') return '';
  if (writer.blocks++ > blocks) return `<div class="op-paragraph">${html}</div>`;
  return `<p>${html}</p>`;
}

/** Content of an element that may not hold paragraphs. */
function writePhrasing(children: readonly Node[], writer: Writer): string {
  let html = '';
  let previous = '';
  for (const child of children) {
    if (child.type !== 'paragraph') html += writeNode(child, writer);
    else html += (previous === 'paragraph' ? '<br>' : html && ' ') + writeNodes(child.children, writer);
    previous = child.type;
  }
  return html;
}

/** Whether the text of a link is its URL. */
function isAutolink({ url, children: [only] }: Node & { type: 'link' }): boolean {
  return only?.type === 'text' && url.endsWith(only.value);
}

function writeLink(node: Node & { type: 'link' }, writer: Writer): string {
  const write = () => withFlag('noLinks', () => writeNodes(node.children, writer), writer);
  const content = isAutolink(node) ? withFlag('verbatim', write, writer) : write();
  if (writer.noLinks) return content;
  const link = writer.link(node.url);
  if (link === null || content.trim() === '') return content;
  writer.controls++;
  const title =
    node.title === null || node.title === undefined ? '' : ` title="${escapeAttribute(node.title)}"`;
  const external = link.external ? ' target="_blank" rel="noopener noreferrer"' : '';
  const name = iconName(node.children, content);
  const fields = link.fields === undefined ? '' : ` data-op-fields="${escapeAttribute(link.fields)}"`;
  return `<a href="${escapeAttribute(link.href)}"${title}${external}${name}${fields}>${content}</a>`;
}

function imageProps(node: Node & { type: 'image' }): Props {
  const props = Object.create(null) as Props;
  props.src = node.url;
  props.alt = node.alt ?? '';
  if (node.title !== null && node.title !== undefined) props.title = node.title;
  return props;
}

// Elements

function writeElement(node: Element, writer: Writer): string {
  const { name } = node;
  const dropped = dropReserved(node.props);
  if (dropped.length > 0) {
    writer.warn(
      'reserved-name',
      `${dropped.map((each) => `\`${each.slice(0, 60)}\``).join(', ')} of \`<${name}>\` is removed: names that begin with \`op-\` or \`data-op-\` belong to the scripts of the site. Choose another name.`,
    );
  }
  const first = name.charCodeAt(0);
  if (first >= 97 && first <= 122) return writeHtml(node, writer);
  const component: Component | undefined = components[name];
  if (component === undefined) {
    writer.warn(
      'unknown-component',
      `\`<${name}>\` is not a built-in component and is not defined or imported here; only its content is shown.${suggestComponent(name)}`,
    );
    return writeNodes(node.children, writer);
  }
  return writeComponent(component, node, writer);
}

/** A component that fails costs itself, not the page. */
function writeComponent(component: Component, node: Element, writer: Writer): string {
  const { depth, name, noLinks, noPicture, noToc, owner, verbatim } = writer;
  writer.owner = node;
  writer.name = node.name;
  if (!node.inline) writer.lastCharacter = '';
  if (component.isVerbatim === true || isMarkedAsCode(node.props, writer.codeClasses)) writer.verbatim = true;
  noteClasses(node.props.className ?? node.props.class, writer);
  try {
    return writeView(node, writer, () =>
      writeShown(component.view(node.props, node.children, writer), writer),
    );
  } catch (error) {
    writer.depth = depth;
    writer.noLinks = noLinks;
    writer.noPicture = noPicture;
    writer.noToc = noToc;
    const reason = error instanceof Error ? error.message : String(error);
    writer.warn(
      'component-failed',
      `\`<${node.name}>\` could not be rendered and only its content is shown: ${reason}`,
    );
    return writeNodes(node.children, writer);
  } finally {
    writer.owner = owner;
    writer.name = name;
    writer.verbatim = verbatim;
  }
}

function writeShown(view: View, writer: Writer): string {
  if (hasTag(view, blockTags)) writer.blocks++;
  if (hasTag(view, controlTags)) writer.controls++;
  return htmlOf(view);
}

/** Elements whose text is not prose. */
const verbatimTags = new Set(['code', 'pre', 'kbd', 'samp', 'tt', 'var', 'textarea']);

/** Elements in which parsers move whatever is not a part of a table to the place before it. */
const tableTags = new Set(['table', 'thead', 'tbody', 'tfoot', 'tr', 'colgroup']);

function writeHtmlContent({ name, props, children }: Element, writer: Writer): string {
  const inside = () =>
    phrasingTags.has(name) ? writePhrasing(children, writer) : writeNodes(children, writer);
  const flag = name === 'a' ? 'noLinks' : name === 'picture' ? 'noPicture' : null;
  const flagged = () => (flag === null ? inside() : withFlag(flag, inside, writer));
  const write = () => withFlag('inTable', flagged, writer, tableTags.has(name));
  const isVerbatim = verbatimTags.has(name) || isMarkedAsCode(props, writer.codeClasses);
  return isVerbatim ? withFlag('verbatim', write, writer) : write();
}

function wayOutOfScript({ props }: Element): string {
  if (props.type === 'application/ld+json')
    return ' Remove it: pages contain structured data if the URL of the site is known.';
  const isLocal = typeof props.src === 'string' && remoteUrl(props.src) === null;
  return isLocal
    ? ' Remove the tag: pages load each `.js` and `.css` file of the docs folder without one.'
    : ' Put the code into a `.js` file of the docs folder.';
}

function removeElement(node: Element, writer: Writer): string {
  const { name, children } = node;
  if (useRemoteScript(node, writer)) return '';
  if (name === 'style') {
    useStyle(children, writer);
    return '';
  }
  const wayOut = name === 'script' ? wayOutOfScript(node) : '';
  writer.warn(
    'removed-element',
    `\`<${name}>\` is not allowed in a page and is removed with its content.${wayOut}`,
  );
  return '';
}

function removeAnimation(name: string, writer: Writer): string {
  writer.warn(
    'removed-element',
    `\`<${name}>\` is removed: an animation can change shapes, colors and positions, but no links, styles or handlers.`,
  );
  return '';
}

function writeHtml(node: Element, writer: Writer): string {
  const { name } = node;
  const rule = elementRule(name, node.props);
  if (rule === 'remove') return removeElement(node, writer);
  if (animationTags.has(name) && !isSafeAnimation(name, node.props)) return removeAnimation(name, writer);
  if (!node.inline) writer.lastCharacter = '';
  if (blockTags.has(name)) writer.blocks++;
  if (name !== 'a' && controlTags.has(name)) writer.controls++;
  const content = writeHtmlContent(node, writer);
  if (rule === 'unwrap') {
    writer.warn(
      'unknown-element',
      `\`<${name}>\` is not an HTML element that pages can contain; only its content is shown.${suggestElement(name)}`,
    );
    return content;
  }
  if (/^h[1-6]$/.test(name)) return writeJsxHeading(node, content, writer);
  return writeHtmlElement(node, content, writer);
}

// What components ask for

function writeValue(value: Value, writer: Writer): View {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map((item) => writeValue(item, writer));
  if (value === undefined || !isNode(value)) return null;
  return contentOf(
    value.type === 'paragraph' ? writeNodes(value.children, writer) : writeNode(value, writer),
  );
}

function writeInlineMarkdown(markdown: string, writer: Writer): View {
  const nodes = inlineNodes(markdown, writer);
  return nodes === null ? markdown : contentOf(writeNodes(nodes, writer));
}

function isTransparent(node: Node): node is Extract<Node, { children: Node[] }> {
  const { type } = node;
  return type === 'paragraph' || type === 'root' || type === 'slot' || type === 'island';
}

function findElements(nodes: readonly Node[], names: readonly string[]): Element[] {
  const found: Element[] = [];
  for (const node of nodes) {
    if (node.type === 'element') {
      if (names.length === 0 || names.includes(node.name)) found.push(node);
    } else if (isTransparent(node)) {
      for (const element of findElements(node.children, names)) found.push(element);
    }
  }
  return found;
}
