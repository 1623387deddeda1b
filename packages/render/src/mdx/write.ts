import { renderCode } from '../code/index.ts';
import type { Component, PageScope, TocEntry } from '../components/component.ts';
import { components } from '../components/index.ts';
import { escapeAttribute, escapeText } from '../escape.ts';
import { iconSvg } from '../icons/index.ts';
import type { PageAsset } from '../page-asset.ts';
import type { IconRef, Page } from '../site.ts';
import { pageLanguage } from '../theme/place.ts';
import { languageTag, stringsFor } from '../theme/strings.ts';
import { type Element, isNode, type Node, type Props, type Value } from '../tree.ts';
import { type Anchors, commonAnchorOf, makeAnchors, takeAnchor, takeId } from './anchors.ts';
import { phrasingTags } from './elements.ts';
import { elementRule, writeHtmlElement, writeImage } from './html.ts';
import { inlineNodes } from './inline.ts';
import { type LinkPlace, resolveAsset, resolveLink, schemeOf } from './links.ts';
import type { PageLink } from './page.ts';
import type { ResolvedPage } from './resolve.ts';
import type { SiteState } from './state.ts';
import { lineText, valueText } from './text.ts';

/** Nodes and characters that one page may be written out to; shared parts could multiply without end. */
const maxNodes = 3_000_000;
const maxCharacters = 50_000_000;
const maxDepth = 300;

/** State of one page being written; also what components see of it. */
export interface Writer extends PageScope {
  readonly page: Page;
  readonly site: SiteState;
  readonly anchors: Anchors;
  readonly entries: TocEntry[];
  readonly links: PageLink[];
  /** By output path. */
  readonly pageAssets: Map<string, PageAsset>;
  readonly footnotes: ReadonlyMap<string, Node>;
  /** Identifiers of footnotes in the order of their first mark. */
  readonly marks: string[];
  /** Second anchors of headings, in the order of their marks (`<!--n-->`) in the HTML. */
  readonly aliases: string[];
  /** Headings get ids; not on pages that bring their own layout. */
  readonly headingIds: boolean;
  /** Set inside a link and while the label of a contents entry is written: links in it are text. */
  noLinks: boolean;
  /** Set where headings do not belong into the table of contents. */
  noToc: boolean;
  nodesLeft: number;
  charactersLeft: number;
  depth: number;
  file: string;
  line: number | null;
  /** Takes an id as the page wrote it; a second use gets a number. */
  takeId(id: string): string;
}

/** HTML of a page, and what was collected on the way. Never throws. */
export function writePage(
  resolved: ResolvedPage,
  page: Page,
  site: SiteState,
): { html: string; writer: Writer } {
  const writer = makeWriter(resolved, page, site);
  const html = writeNodes(resolved.children, writer);
  return { html: placeAliases(html + writeFootnotes(writer), writer), writer };
}

/** A second anchor must not take the id of a later heading, so it is placed when all ids are known. */
function placeAliases(html: string, writer: Writer): string {
  if (writer.aliases.length === 0) return html;
  return html.replace(/<!--(\d+)-->/g, (_, index: string) => {
    const alias = writer.aliases[Number(index)] ?? '';
    if (alias === '' || writer.anchors.ids.has(alias)) return '';
    writer.anchors.ids.add(alias);
    return `<span id="${escapeAttribute(alias)}"></span>`;
  });
}

function makeWriter(resolved: ResolvedPage, page: Page, site: SiteState): Writer {
  const { library } = site.siteMap.config.icons;
  const strings = stringsFor(languageTag(pageLanguage(site.siteMap, page)?.label ?? 'en'));
  const writer: Writer = {
    page,
    site,
    anchors: makeAnchors(),
    entries: [],
    links: [],
    pageAssets: new Map(),
    footnotes: resolved.footnotes,
    marks: [],
    aliases: [],
    headingIds: page.mode !== 'custom' && page.mode !== 'frame',
    noLinks: false,
    noToc: false,
    strings,
    nodesLeft: maxNodes,
    charactersLeft: maxCharacters,
    depth: 0,
    file: page.source ?? page.path,
    line: null,
    html: (nodes) => writeNodes(nodes, writer),
    value: (value) => writeValue(value, writer),
    inline: (markdown) => writeInlineMarkdown(markdown, writer),
    text: (value) => (isNodeList(value) ? lineText(value) : valueText(value).replace(/\s+/g, ' ')),
    elements: (nodes, ...names) => findElements(nodes, names),
    id: (text) => takeAnchor(writer.anchors, text),
    takeId: (id) => takeExplicit(writer, id),
    toc: (entry) => {
      if (!writer.noToc) writer.entries.push(entry);
    },
    withoutToc: (write) => withFlag('noToc', write, writer),
    link: (href) => resolveLink(href, placeOf(writer), site, writer.links),
    asset: (src) => resolveAsset(src, placeOf(writer), site),
    icon: (icon, options) => writeIcon(icon, options ?? {}, writer),
    code: (value, lang, meta) => renderCode(value, lang, meta, library, strings),
    use: (asset) => void writer.pageAssets.set(asset.path, asset),
    warn: (code, message) => site.warn({ file: writer.file, line: writer.line, code, message }),
  };
  return writer;
}

function placeOf(writer: Writer): LinkPlace {
  return { page: writer.page, file: writer.file, line: writer.line };
}

function isNodeList(value: Value | readonly Node[]): value is readonly Node[] {
  return Array.isArray(value) && value.every((item) => item !== undefined && isNode(item));
}

function takeExplicit(writer: Writer, id: string): string {
  const clean = id.replace(/[\s"'<>&]+/g, '-');
  if (clean === '') return '';
  return takeId(writer.anchors, clean);
}

// Nodes

function writeNodes(nodes: readonly Node[], writer: Writer): string {
  let html = '';
  for (const node of nodes) html += writeNode(node, writer);
  return html;
}

function writeNode(node: Node, writer: Writer): string {
  if (--writer.nodesLeft < 0 || writer.charactersLeft < 0 || writer.depth > maxDepth) return overflow(writer);
  const { file, line } = writer;
  enter(node, writer);
  writer.depth++;
  const html = writeOne(node, writer);
  writer.depth--;
  writer.file = file;
  writer.line = line;
  return html;
}

/** Warnings name the file and line of the construct, which in a snippet are not those of the page. */
function enter(node: Node, writer: Writer): void {
  if (node.position !== undefined) writer.line = node.position.start.line;
  const origin =
    node.type === 'element' && node.file !== undefined ? node.file : writer.site.origins.get(node);
  if (origin !== undefined) writer.file = origin;
}

function overflow(writer: Writer): string {
  if (writer.nodesLeft > -1_000_000) {
    writer.nodesLeft = -1_000_000;
    writer.warn('page-too-large', 'The page has grown too large when written out; the rest is left out.');
  }
  return '';
}

function writeOne(node: Node, writer: Writer): string {
  switch (node.type) {
    case 'text':
    case 'html':
      writer.charactersLeft -= node.value.length;
      return escapeText(node.value);
    case 'paragraph':
      return writeParagraph(node.children, writer);
    case 'element':
      return writeElement(node, writer);
    case 'inlineCode':
      return `<code>${escapeText(node.value)}</code>`;
    case 'code':
      writer.charactersLeft -= node.value.length;
      return writer.code(node.value, node.lang ?? null, node.meta ?? null);
    case 'heading':
      return writeHeading(node, writer);
    case 'link':
      return writeLink(node, writer);
    case 'image':
      return writeImage(imageProps(node), true, writer);
    case 'list':
      return writeList(node, writer);
    case 'table':
      return writeTable(node, writer);
    case 'emphasis':
      return `<em>${writeNodes(node.children, writer)}</em>`;
    case 'strong':
      return `<strong>${writeNodes(node.children, writer)}</strong>`;
    case 'delete':
      return `<del>${writeNodes(node.children, writer)}</del>`;
    case 'blockquote':
      return `<blockquote>${writeNodes(node.children, writer)}</blockquote>`;
    case 'break':
      return '<br>';
    case 'thematicBreak':
      return '<hr>';
    case 'inlineMath':
      return `<span class="math math-inline">${escapeText(node.value)}</span>`;
    case 'math':
      return `<div class="math math-display">${escapeText(node.value)}</div>`;
    case 'footnoteReference':
      return writeFootnoteMark(node.identifier, writer);
    case 'root':
      return writeNodes(node.children, writer);
    default:
      // Items, rows and cells stand in their list or table only.
      return 'children' in node ? writeNodes(node.children, writer) : '';
  }
}

const blockTag =
  /<(?:div|p|pre|ul|ol|dl|table|h[1-6]|blockquote|section|figure|details|article|aside|header|footer|nav|form|hr|fieldset)[\s>]/;

const placeholder = /^<(?:a|span) class="placeholder placeholder-inline/;

/** A component inside a line of text may give a block, which HTML does not allow in `<p>`. */
function writeParagraph(children: readonly Node[], writer: Writer): string {
  const html = writeNodes(children, writer);
  if (html === '') return '';
  // Alone in its paragraph, what stands for a picture takes the place of one.
  if (children.length === 1 && placeholder.test(html))
    return `<div class="paragraph">${html.replace(' placeholder-inline', '')}</div>`;
  const mixed = children.some((child) => child.type !== 'text') && blockTag.test(html);
  return mixed ? `<div class="paragraph">${html}</div>` : `<p>${html}</p>`;
}

/** Content of an element that may not hold paragraphs. */
function writePhrasing(children: readonly Node[], writer: Writer): string {
  let html = '';
  for (const child of children) {
    if (child.type !== 'paragraph') html += writeNode(child, writer);
    else html += (html === '' ? '' : '<br>') + writeNodes(child.children, writer);
  }
  return html;
}

/** Runs with a flag set; a component inside that fails leaves it as it was. */
function withFlag(flag: 'noLinks' | 'noToc', write: () => string, writer: Writer): string {
  const before = writer[flag];
  writer[flag] = true;
  const html = write();
  writer[flag] = before;
  return html;
}

function writeHeading(node: Node & { type: 'heading' }, writer: Writer): string {
  const tag = `h${node.depth}`;
  const content = writeNodes(node.children, writer);
  return writeHeadingTag(tag, node.depth, node.id, node.children, content, '', writer);
}

function writeHeadingTag(
  tag: string,
  depth: number,
  explicit: string | undefined,
  children: readonly Node[],
  content: string,
  attributes: string,
  writer: Writer,
): string {
  if (explicit === undefined && !writer.headingIds) return `<${tag}${attributes}>${content}</${tag}>`;
  const id =
    explicit === undefined ? takeAnchor(writer.anchors, lineText(children)) : takeExplicit(writer, explicit);
  if (depth >= 2 && depth <= 4 && writer.headingIds) {
    writer.toc({ depth: depth as 2 | 3 | 4, id, html: writeLabel(children, writer) });
  }
  const alias = explicit === undefined ? writeAlias(commonAnchorOf(lineText(children)), id, writer) : '';
  // Headings inside a link cannot hold one of their own.
  if (writer.noLinks) return `<${tag} id="${escapeAttribute(id)}"${attributes}>${alias}${content}</${tag}>`;
  const anchor = `<a class="heading-anchor" href="#${escapeAttribute(encodeURI(id.toWellFormed()))}" aria-hidden="true" tabindex="-1"></a>`;
  return `<${tag} id="${escapeAttribute(id)}"${attributes}>${alias}${content}${anchor}</${tag}>`;
}

function writeAlias(alias: string, id: string, writer: Writer): string {
  return alias === id ? '' : `<!--${writer.aliases.push(alias) - 1}-->`;
}

/** Heading text for the table of contents: no links, no second taking of ids or notes. */
function writeLabel(children: readonly Node[], writer: Writer): string {
  return withFlag('noLinks', () => withFlag('noToc', () => writeNodes(children, writer), writer), writer);
}

function writeLink(node: Node & { type: 'link' }, writer: Writer): string {
  const content = withFlag('noLinks', () => writeNodes(node.children, writer), writer);
  if (writer.noLinks) return content;
  const link = writer.link(node.url);
  if (link === null) return content;
  const title =
    node.title === null || node.title === undefined ? '' : ` title="${escapeAttribute(node.title)}"`;
  const external = link.external ? ' target="_blank" rel="noopener noreferrer"' : '';
  return `<a href="${escapeAttribute(link.href)}"${title}${external}>${content}</a>`;
}

function imageProps(node: Node & { type: 'image' }): Props {
  const props = Object.create(null) as Props;
  props.src = node.url;
  props.alt = node.alt ?? '';
  if (node.title !== null && node.title !== undefined) props.title = node.title;
  return props;
}

function writeList(node: Node & { type: 'list' }, writer: Writer): string {
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
  if (item.type !== 'listItem') return `<li>${writeNode(item, writer)}</li>`;
  const line = writer.line;
  enter(item, writer);
  let html = '';
  for (const child of item.children) {
    if (child.type === 'paragraph' && !loose) html += writeNodes(child.children, writer);
    else html += writeNode(child, writer);
  }
  writer.line = line;
  if (item.checked === null || item.checked === undefined) return `<li>${html}</li>`;
  const name = escapeAttribute(item.checked ? writer.strings.taskDone : writer.strings.taskOpen);
  const box = `<input type="checkbox" disabled${item.checked ? ' checked' : ''} aria-label="${name}"> `;
  return `<li class="task">${html.startsWith('<p>') ? `<p>${box}${html.slice(3)}` : box + html}</li>`;
}

function writeTable(node: Node & { type: 'table' }, writer: Writer): string {
  const [head, ...rows] = node.children;
  if (head === undefined) return '';
  const body =
    rows.length === 0
      ? ''
      : `<tbody>${rows.map((row) => writeRow(row, 'td', node.align, writer)).join('')}</tbody>`;
  return `<div class="table-wrap"><table><thead>${writeRow(head, 'th', node.align, writer)}</thead>${body}</table></div>`;
}

function writeRow(row: Node, tag: 'th' | 'td', align: readonly (string | null)[], writer: Writer): string {
  if (row.type !== 'tableRow') return '';
  const line = writer.line;
  enter(row, writer);
  let html = '';
  row.children.forEach((cell, index) => {
    const side = align[index] ?? null;
    const content = cell.type === 'tableCell' ? writeNodes(cell.children, writer) : writeNode(cell, writer);
    html += `<${tag}${side === null ? '' : ` class="align-${side}"`}>${content}</${tag}>`;
  });
  writer.line = line;
  return `<tr>${html}</tr>`;
}

// Footnotes

function writeFootnoteMark(identifier: string, writer: Writer): string {
  if (writer.noLinks || !writer.footnotes.has(identifier)) return '';
  let index = writer.marks.indexOf(identifier);
  const first = index === -1;
  if (first) index = writer.marks.push(identifier) - 1;
  const number = index + 1;
  const id = first ? ` id="footnote-mark-${number}"` : '';
  return `<sup><a${id} class="footnote-mark" href="#footnote-${number}">${number}</a></sup>`;
}

function writeFootnotes(writer: Writer): string {
  let html = '';
  // A footnote may bring further marks, so the list can grow while it is written.
  for (let index = 0; index < writer.marks.length; index++) {
    const node = writer.footnotes.get(writer.marks[index] ?? '');
    const number = index + 1;
    const content = node === undefined || !('children' in node) ? '' : writeNodes(node.children, writer);
    const back = ` <a class="footnote-back" href="#footnote-mark-${number}" aria-label="${escapeAttribute(writer.strings.backToText)}">↩</a>`;
    const closed = content.endsWith('</p>') ? `${content.slice(0, -4)}${back}</p>` : content + back;
    html += `<li id="footnote-${number}">${closed}</li>`;
  }
  return html === ''
    ? ''
    : `<section class="footnotes" aria-label="${escapeAttribute(writer.strings.footnotes)}"><ol>${html}</ol></section>`;
}

// Elements

function writeElement(node: Element, writer: Writer): string {
  const { name } = node;
  const first = name.charCodeAt(0);
  if (first >= 97 && first <= 122) return writeHtml(node, writer);
  const component: Component | undefined = components[name];
  if (component === undefined) {
    writer.warn(
      'unknown-component',
      `\`<${name}>\` is no built-in component and is not defined or imported here; only its content is shown.`,
    );
    return writeNodes(node.children, writer);
  }
  return writeComponent(component, node, writer);
}

/** A component that fails costs itself, not the page. */
function writeComponent(component: Component, node: Element, writer: Writer): string {
  const { depth, noLinks, noToc } = writer;
  try {
    return component(node.props, node.children, writer);
  } catch (error) {
    writer.depth = depth;
    writer.noLinks = noLinks;
    writer.noToc = noToc;
    const reason = error instanceof Error ? error.message : String(error);
    writer.warn(
      'component-failed',
      `\`<${node.name}>\` could not be rendered and only its content is shown: ${reason}`,
    );
    return writeNodes(node.children, writer);
  }
}

function writeHtml(node: Element, writer: Writer): string {
  const { name } = node;
  const rule = elementRule(name);
  if (rule === 'remove') {
    writer.warn(
      'removed-element',
      `\`<${name}>\` is not allowed in a page and is left out with its content.`,
    );
    return '';
  }
  const content =
    name === 'a'
      ? withFlag('noLinks', () => writePhrasing(node.children, writer), writer)
      : phrasingTags.has(name)
        ? writePhrasing(node.children, writer)
        : writeNodes(node.children, writer);
  if (rule === 'unwrap') {
    writer.warn(
      'unknown-element',
      `\`<${name}>\` is no HTML element and is not allowed; only its content is shown.`,
    );
    return content;
  }
  if (/^h[1-6]$/.test(name)) return writeJsxHeading(node, content, writer);
  return writeHtmlElement(node, content, writer);
}

function writeJsxHeading(node: Element, content: string, writer: Writer): string {
  const { id } = node.props;
  if (content === '') return '';
  const depth = Number(node.name.slice(1));
  const rest = Object.assign(Object.create(null), node.props) as Props;
  delete rest.id;
  const html = writeHtmlElement({ ...node, props: rest }, '', writer);
  const attributes = html.slice(node.name.length + 1, html.indexOf('>'));
  return writeHeadingTag(
    node.name,
    depth,
    typeof id === 'string' ? id : undefined,
    node.children,
    content,
    attributes,
    writer,
  );
}

// What components ask for

function writeValue(value: Value, writer: Writer): string {
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map((item) => writeValue(item, writer)).join('');
  if (value !== undefined && isNode(value)) {
    return value.type === 'paragraph' ? writeNodes(value.children, writer) : writeNode(value, writer);
  }
  return '';
}

function writeInlineMarkdown(markdown: string, writer: Writer): string {
  const nodes = inlineNodes(markdown, writer);
  return nodes === null ? escapeText(markdown) : writeNodes(nodes, writer);
}

function findElements(nodes: readonly Node[], names: readonly string[]): Element[] {
  const found: Element[] = [];
  for (const node of nodes) {
    if (node.type === 'element') {
      if (names.length === 0 || names.includes(node.name)) found.push(node);
    } else if (node.type === 'paragraph' || node.type === 'root') {
      for (const element of findElements(node.children, names)) found.push(element);
    }
  }
  return found;
}

interface IconOptions {
  style?: string | null;
  size?: number;
  className?: string;
}

function writeIcon(icon: IconRef | string | Value, options: IconOptions, writer: Writer): string {
  if (typeof icon === 'string')
    return writeNamedIcon(
      { name: icon.trim(), style: options.style ?? null, library: null },
      options,
      writer,
    );
  if (typeof icon !== 'object' || icon === null) return '';
  if (Array.isArray(icon) || isNode(icon as Value))
    return `<span class="icon">${writeValue(icon as Value, writer)}</span>`;
  const { name, style, library } = icon as { name?: unknown; style?: unknown; library?: unknown };
  if (typeof name !== 'string') return '';
  const known = library === 'fontawesome' || library === 'lucide' || library === 'tabler' ? library : null;
  return writeNamedIcon(
    { name, style: typeof style === 'string' ? style : (options.style ?? null), library: known },
    options,
    writer,
  );
}

function writeNamedIcon(icon: IconRef, options: IconOptions, writer: Writer): string {
  const { name } = icon;
  if (name === '') return '';
  const size = options.size ?? 16;
  if (name.includes('/') || schemeOf(name) !== null) {
    const src = writer.asset(name);
    const classes = options.className === undefined ? 'icon' : `icon ${options.className}`;
    return src === null
      ? ''
      : `<img class="${escapeAttribute(classes)}" src="${escapeAttribute(src)}" alt="" width="${size}" height="${size}">`;
  }
  const library = icon.library ?? writer.site.siteMap.config.icons.library;
  const svg = iconSvg(
    icon,
    library,
    options.className === undefined ? { size } : { size, className: options.className },
  );
  if (svg === null) writer.warn('unknown-icon', `No icon library has an icon named \`${name}\`.`);
  return svg ?? '';
}
