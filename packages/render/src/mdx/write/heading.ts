import { htmlOf } from '../../components/markup.ts';
import { headingAnchor } from '../../components/props.ts';
import { escapeAttribute } from '../../escape.ts';
import { RESERVED_IDS } from '../../theme/reserved.ts';
import type { Element, Node, Props } from '../../tree.ts';
import { lineText } from '../text.ts';
import { headingAnchorOf, otherAnchorsOf, takeId } from './anchors.ts';
import { writeHtmlElement } from './html.ts';
import { type Writer, withFlag } from './writer.ts';

export function writeHeading(node: Node & { type: 'heading' }, writer: Writer): string {
  writer.lastCharacter = '';
  const tag = `h${node.depth}`;
  const content = writer.html(node.children);
  // Number signs alone: screen readers would announce a heading without a name.
  if (content.trim() === '' && node.id === undefined) return '';
  return writeHeadingTag(
    {
      tag,
      depth: node.depth,
      explicit: node.id,
      anchor: node.anchor,
      children: node.children,
      content,
      attributes: '',
      noAnchor: false,
    },
    writer,
  );
}

interface Written {
  tag: string;
  depth: number;
  explicit: string | undefined;
  /** Text without that of components, of which hosts make the anchor too. */
  anchor: string | undefined;
  children: readonly Node[];
  content: string;
  attributes: string;
  /** Has an id, and no visible link to it. */
  noAnchor: boolean;
}

function writeHeadingTag(heading: Written, writer: Writer): string {
  const { tag, depth, explicit, children, content, attributes } = heading;
  if (explicit === undefined && !writer.headingIds) return `<${tag}${attributes}>${content}</${tag}>`;
  const text = lineText(withoutComponents(children));
  const id =
    explicit === undefined
      ? takeId(writer.anchors, headingAnchorOf(text) || 'section')
      : takeExplicit(writer, explicit);
  writer.headingAnchors.set(children, id);
  if (depth >= 2 && depth <= 4 && writer.headingIds) {
    const html = writeLabel(children, writer);
    if (html.trim() !== '') writer.toc({ depth: depth as 2 | 3 | 4, id, label: { html } });
  }
  const alias = explicit === undefined ? writeAliases([text, heading.anchor ?? text], id, writer) : '';
  // Headings inside a link cannot hold one of their own.
  if (writer.noLinks || heading.noAnchor)
    return `<${tag} id="${escapeAttribute(id)}"${attributes}>${alias}${content}</${tag}>`;
  return `<${tag} id="${escapeAttribute(id)}"${attributes}>${alias}${content}${htmlOf(headingAnchor(id))}</${tag}>`;
}

function writeAliases([text, own]: [text: string, own: string], id: string, writer: Writer): string {
  const aliases = new Set(otherAnchorsOf(text));
  if (own !== text) for (const alias of [headingAnchorOf(own), ...otherAnchorsOf(own)]) aliases.add(alias);
  let marks = '';
  for (const alias of aliases) {
    if (alias !== id) marks += `<!--${writer.aliases.push({ alias, id }) - 1}-->`;
  }
  return marks;
}

/** The anchors of a heading that is left out lead to the title of the page, which it repeats. */
export function writeTitleAnchors(heading: Node & { type: 'heading' }, writer: Writer): string {
  const { ids, places, aliases } = writer.anchors;
  const text = lineText(withoutComponents(heading.children));
  const anchors = new Set([heading.id ?? '', headingAnchorOf(text), ...otherAnchorsOf(text)]);
  let html = '';
  for (const anchor of anchors) {
    if (anchor === '' || RESERVED_IDS.has(anchor) || ids.has(anchor)) continue;
    ids.add(anchor);
    aliases.add(anchor);
    places.set(anchor, writer.anchors.here());
    html += `<span id="${escapeAttribute(anchor)}" class="op-title-anchor"></span>`;
  }
  return html;
}

/** Heading text for the table of contents: no links, no second taking of ids or notes, components as their text. */
function writeLabel(children: readonly Node[], writer: Writer): string {
  writer.lastCharacter = '';
  const plain = withoutComponents(children);
  return withFlag('noLinks', () => withFlag('noToc', () => writer.html(plain), writer), writer);
}

/** Text in place of components (badges, hints); what they show on demand is not part of a heading. */
function withoutComponents(children: readonly Node[]): readonly Node[] {
  const isComponent = (node: Node) => node.type === 'element' && /^[A-Z]/.test(node.name);
  if (!children.some(isComponent)) return children;
  return children.map((node) =>
    isComponent(node) && 'children' in node ? { type: 'text', value: lineText(node.children) } : node,
  );
}

export function writeJsxHeading(node: Element, content: string, writer: Writer): string {
  const { id } = node.props;
  if (content === '') return '';
  const depth = Number(node.name.slice(1));
  const rest = Object.assign(Object.create(null), node.props) as Props;
  delete rest.id;
  delete rest.noAnchor;
  const html = writeHtmlElement({ ...node, props: rest }, '', writer);
  const attributes = html.slice(node.name.length + 1, html.indexOf('>'));
  const explicit = typeof id === 'string' ? id : undefined;
  return writeHeadingTag(
    {
      tag: node.name,
      depth,
      explicit,
      anchor: undefined,
      children: node.children,
      content,
      attributes,
      noAnchor: node.props.noAnchor === true,
    },
    writer,
  );
}

/** Takes an id that the page names itself; empty without a usable character. */
export function takeExplicit(writer: Writer, id: string): string {
  const clean = id.replace(/[\s"'<>&]+/g, '-');
  if (clean === '') return '';
  const taken = takeId(writer.anchors, clean);
  if (RESERVED_IDS.has(clean)) {
    writer.warn(
      'reserved-name',
      `The id \`${clean}\` belongs to a part of every page, so the element gets \`${taken}\`. Choose another id.`,
    );
  }
  return taken;
}

/** A second anchor must not take the id of a later heading, so it is placed when all ids are known. */
export function placeAliases(html: string, writer: Writer): string {
  const placed = placeAll(html, writer);
  const { ids, places, names, aliases } = writer.anchors;
  for (const [name, place] of names) {
    if (name === '' || RESERVED_IDS.has(name) || ids.has(name)) continue;
    ids.add(name);
    places.set(name, place);
    aliases.add(name);
  }
  return placed;
}

function placeAll(html: string, writer: Writer): string {
  if (writer.aliases.length === 0) return html;
  return html.replace(/<!--(\d+)-->/g, (_, index: string) => {
    const { alias, id } = writer.aliases[Number(index)] ?? { alias: '', id: '' };
    const { ids, places, aliases } = writer.anchors;
    if (alias === '' || RESERVED_IDS.has(alias) || ids.has(alias)) return '';
    ids.add(alias);
    aliases.add(alias);
    const place = places.get(id);
    if (place !== undefined) places.set(alias, place);
    return `<span id="${escapeAttribute(alias)}"></span>`;
  });
}
