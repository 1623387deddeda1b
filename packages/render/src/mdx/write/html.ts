import { cleanValue } from '../../clean/css.ts';
import { escapeAttribute, escapeText } from '../../escape.ts';
import { hidesMember, RESERVED_IDS } from '../../theme/reserved.ts';
import type { Element, Node, Props, Value } from '../../tree.ts';
import { isPrimitive } from '../evaluate/operators.ts';
import {
  attributeName,
  booleanAttributes,
  htmlTags,
  removedTags,
  svgTags,
  voidTags,
} from '../guard/elements.ts';
import { styleText } from '../guard/style.ts';
import { animationTags } from '../guard/svg-animation.ts';
import { writeIcon } from './icon.ts';
import { withImageActions, zoomAttribute } from './image-actions.ts';
import { loadingAttributes, sizeAttributes, writePicture } from './images.ts';
import { remoteUrl, schemeOf } from './links.ts';
import type { Writer } from './writer.ts';

/** What the allow-list says about an element: written as it is, only its content, or nothing of it. */
export function elementRule(name: string, props: Props): 'keep' | 'unwrap' | 'remove' {
  if (name === 'image' && typeof (props.href ?? props.xlinkHref) !== 'string') return 'unwrap';
  if (htmlTags.has(name) || svgTags.has(name) || animationTags.has(name)) return 'keep';
  return removedTags.has(name.toLowerCase()) ? 'remove' : 'unwrap';
}

/** HTML of an allowed element around content that is already HTML. */
export function writeHtmlElement(node: Element, content: string, writer: Writer): string {
  const tag = node.name;
  if (tag === 'iframe') return writeFrame(node, writer);
  if (tag === 'video' || tag === 'audio') return writeMedia(node, content, writer);
  if (tag === 'img') return writeImage(node.props, node, writer);
  if (tag === 'a') return writeAnchor(node, content, writer);
  const attributes = writeAttributes(tag, node.props, writer);
  if (voidTags.has(tag)) return `<${tag}${attributes}>`;
  return `<${tag}${attributes}>${content}</${tag}>`;
}

/** Attributes of an element, each with a leading blank; what the allow-list does not name is left out. */
function writeAttributes(tag: string, props: Props, writer: Writer): string {
  let text = '';
  for (const key of Object.keys(props)) {
    const name = attributeName(tag, key);
    const value = props[key];
    if (name === null || value === undefined || value === null || value === false) {
      if (key === 'dangerouslySetInnerHTML' && writer.shownSlots === null)
        writer.warn('raw-html', '`dangerouslySetInnerHTML` is ignored; write the content as MDX.');
      continue;
    }
    text += writeAttribute(tag, name, value, writer);
  }
  return text;
}

/** Remembers classes of the content, whose rules the page then loads. */
export function noteClasses(value: Value, writer: Writer): void {
  if (typeof value === 'string' && value.length < 5000) writer.classes.add(value);
}

const urlAttributes = new Set(['src', 'poster', 'srcset']);

function writeAttribute(tag: string, name: string, value: Value, writer: Writer): string {
  if (name === 'style') return attribute(name, styleText(value, writer.asset));
  if (name === 'class') noteClasses(value, writer);
  if (booleanAttributes.has(name)) return value === 'false' ? '' : ` ${name}`;
  if (value === true)
    return name.startsWith('aria-') || name.startsWith('data-') ? ` ${name}="true"` : ` ${name}`;
  if (!isPrimitive(value)) return '';
  const text = namesOf(name, String(value));
  if (hidesMember(tag, name, text)) {
    const message = `\`${name}="${text}"\` of \`<${tag}>\` is removed: it would hide a member of the form from scripts. Choose another name.`;
    writer.warn('reserved-name', message);
    return '';
  }
  if (name === 'id') return attribute(name, writer.takeId(text));
  if (name === 'name' && tag === 'a') writer.anchors.names.set(text, writer.anchors.here());
  if (name === 'srcset') return attribute(name, sourceSet(text, writer));
  if (urlAttributes.has(name)) return attribute(name, fileOf(tag, name, text, writer));
  if (name === 'href' && tag === 'image') return attribute(name, fileOf(tag, 'src', text, writer));
  if (name === 'href') return svgTags.has(tag) ? localReference(text) : '';
  if (schemeOf(text) === 'javascript:') return '';
  const isStyle = svgTags.has(tag) && !isText(name);
  const written = isStyle ? cleanValue(text, (url) => (url.startsWith('#') ? url : writer.asset(url))) : text;
  return written === null ? '' : ` ${name}="${escapeAttribute(written)}"`;
}

const referring = new Set(['for', 'aria-controls', 'aria-describedby', 'aria-labelledby', 'aria-owns']);

/** A value whose ids are those that elements of the content get for reserved ones. */
function namesOf(attribute: string, text: string): string {
  if (!referring.has(attribute)) return text;
  return text.replace(/\S+/g, (id) => (RESERVED_IDS.has(id) ? `${id}-2` : id));
}

/** Whether an attribute is never read as CSS. */
function isText(name: string): boolean {
  return /^(?:class|title|lang|role|aria-.*|data-.*)$/.test(name);
}

/** URL of a file; data in place of one is for pictures only, as the policy of the export has it. */
function fileOf(tag: string, name: string, text: string, writer: Writer): string {
  const address = writer.asset(text) ?? '';
  if (name !== 'src' || tag === 'img' || tag === 'image' || !/^data:/i.test(address)) return address;
  writer.warn('unsafe-link', `\`<${tag}>\` cannot show a \`data:\` URL; put the file into the docs folder.`);
  return '';
}

function attribute(name: string, value: string): string {
  return value === '' ? '' : ` ${name}="${escapeAttribute(value)}"`;
}

/** `<use href>` and gradients may name a part of the same page only. */
function localReference(href: string): string {
  return /^#[\w:.-]{1,200}$/.test(href) ? ` href="${href}"` : '';
}

function sourceSet(text: string, writer: Writer): string {
  const parts: string[] = [];
  for (const part of text.split(/,\s+/)) {
    const [url = '', size = ''] = part.trim().split(/\s+/);
    const asset = url === '' ? null : writer.asset(url);
    if (asset !== null) parts.push(/^[\d.]+[wx]$/.test(size) ? `${asset} ${size}` : asset);
  }
  return parts.join(', ');
}

function writeAnchor(node: Element, content: string, writer: Writer): string {
  if (writer.noLinks) return content;
  const { href } = node.props;
  const rest = writeAttributes('a', withoutKeys(node.props, 'href', 'target', 'rel'), writer);
  if (typeof href !== 'string') return rest === '' ? content : `<a${rest}>${content}</a>`;
  const link = writer.link(href);
  if (link === null)
    return `<span${writeAttributes('span', withoutKeys(node.props, 'href', 'target', 'rel', 'download'), writer)}>${content}</span>`;
  writer.controls++;
  const blank = link.external || node.props.target === '_blank';
  const name = node.props['aria-label'] === undefined ? iconName(node.children, content) : '';
  return `<a href="${escapeAttribute(link.href)}"${blank ? ' target="_blank" rel="noopener noreferrer"' : ''}${name}${rest}>${content}</a>`;
}

/** A link that shows nothing but an icon is named by it; an attribute with its space, or nothing. */
export function iconName(children: readonly Node[], content: string): string {
  if (!content.startsWith('<') || /\salt="[^"]/.test(content)) return '';
  if (content.replace(/<[^>]*>/g, '').trim() !== '') return '';
  const icon = children.find((child) => child.type === 'element' && child.name === 'Icon') as
    | Element
    | undefined;
  const name = icon?.props.icon;
  if (typeof name !== 'string') return '';
  const words = name
    .replace(/^.*\//, '')
    .replace(/\.\w+$/, '')
    .replace(/[-_]+/g, ' ')
    .trim();
  return attribute('aria-label', words);
}

function withoutKeys(props: Props, ...names: string[]): Props {
  const copy = Object.create(null) as Props;
  for (const key of Object.keys(props)) if (!names.includes(key)) copy[key] = props[key];
  return copy;
}

/** An image of the page or of JSX. A missing file leaves its text. */
export function writeImage(props: Props, node: Node, writer: Writer): string {
  const alt = typeof props.alt === 'string' ? props.alt : '';
  const src = typeof props.src === 'string' ? writer.asset(props.src) : null;
  if (src === null) {
    const remote = remoteUrl(props.src);
    const look: Look = {
      icon: 'image',
      className: props.className ?? props.class,
      place: placeOf(node, writer),
      isSmall: isSmallImage(props),
    };
    noteClasses(look.className, writer);
    if (remote !== null) return remoteLink(remote, alt, look, writer);
    return alt === '' ? '' : placeholder('span', '', escapeText(alt), look, writer);
  }
  const rest = writeAttributes(
    'img',
    withoutKeys(props, 'src', 'alt', 'loading', 'decoding', 'srcSet', 'srcset'),
    writer,
  );
  const set = props.srcSet ?? props.srcset;
  const sources = typeof set === 'string' ? attribute('srcset', sourceSet(set, writer)) : '';
  const picture = writePicture(src, props, writer);
  const size = sizeAttributes(src, props, writer, picture?.size);
  const html = `<img src="${escapeAttribute(src)}" alt="${escapeAttribute(alt)}"${size}${loadingAttributes(props, writer)}${sources}${rest}${zoomAttribute(props)}>`;
  if (picture !== null) return `<picture>${picture.source}${html}</picture>`;
  return withImageActions(html, src, props, writer.strings);
}

/** Frames show other sites, which an export does not load: a link takes their place. */
function writeFrame(node: Element, writer: Writer): string {
  const url = remoteUrl(node.props.src);
  if (url === null) {
    writer.warn('unsafe-frame', 'The `<iframe>` has no http or https URL and is removed. Set one as `src`.');
    return '';
  }
  writer.warn(
    'remote-frame',
    `The \`<iframe>\` with \`${url.slice(0, 120)}\` loads another site, so the page shows a link to it instead.`,
  );
  return remoteLink(url, textProp(node.props.title), lookOf('external-link', node, writer), writer);
}

function lookOf(icon: Look['icon'], node: Element, writer: Writer): Look {
  noteClasses(node.props.className ?? node.props.class, writer);
  const className = node.props.className ?? node.props.class;
  return { icon, className, place: placeOf(node, writer), isSmall: false };
}

/** Where a replacement is: one that is alone in its paragraph is a block, like what it replaces. */
function placeOf(node: Node, writer: Writer): Look['place'] {
  if (node.type === 'element' && !node.inline) return 'block';
  return node === writer.lone ? 'lone' : 'line';
}

/** A video or sound of the docs folder; one from elsewhere becomes a link. */
function writeMedia(node: Element, content: string, writer: Writer): string {
  const remote = remoteUrl(node.props.src) ?? remoteSource(node, writer);
  if (remote !== null && writer.asset(remote) === null) {
    return remoteLink(remote, textProp(node.props.title), lookOf('play', node, writer), writer);
  }
  return `<${node.name}${writeAttributes(node.name, node.props, writer)}>${content}</${node.name}>`;
}

/** The URL of the first source, when none of them is in the docs folder. */
function remoteSource(node: Element, writer: Writer): string | null {
  if (node.props.src !== undefined) return null;
  const sources = writer.elements(node.children, 'source').map(({ props }) => remoteUrl(props.src));
  return sources.length > 0 && sources.every((url) => url !== null) ? (sources[0] ?? null) : null;
}

function textProp(value: Value): string {
  return typeof value === 'string' ? value.trim() : '';
}

interface Look {
  /** Name in the Lucide library. */
  icon: 'image' | 'play' | 'external-link';
  /** Classes of the element that it replaces; pages show one of two by them. */
  className: Value;
  /** In a line of text, alone in a paragraph, or a block. */
  place: 'line' | 'lone' | 'block';
  /** Has no room for text: the icon alone is shown, and the text becomes its title. */
  isSmall: boolean;
}

/** Largest side in pixels of an image that is used as an icon. */
const ICON_SIDE = 64;

/** An image of the size of an icon, or a decorative one whose size the author's classes or styles set. */
function isSmallImage(props: Props): boolean {
  for (const side of [props.width, props.height]) {
    const pixels = /^(\d{1,4})(?:px)?$/.exec(String(side))?.[1];
    if (pixels !== undefined && Number(pixels) <= ICON_SIDE) return true;
  }
  return props.alt === '' && (props.className ?? props.class ?? props.style) !== undefined;
}

/** Replaces a resource that would load from another host: its text and a link that readers can follow. */
function remoteLink(url: string, label: string, look: Look, writer: Writer): string {
  const host = escapeText(URL.canParse(url) ? new URL(url).hostname : 'another site');
  const text = label === '' ? host : `${escapeText(label)} <span class="op-placeholder-host">${host}</span>`;
  const title = look.isSmall ? `${attribute('title', label === '' ? host : `${label} ${host}`)}` : '';
  if (writer.noLinks) return placeholder('span', title, text, look, writer);
  const attributes = `${title} href="${escapeAttribute(url)}" target="_blank" rel="noopener noreferrer"`;
  return placeholder('a', attributes, text, look, writer);
}

function placeholder(
  tag: 'a' | 'span',
  attributes: string,
  html: string,
  look: Look,
  writer: Writer,
): string {
  const given = typeof look.className === 'string' ? ` ${look.className}` : '';
  const kind = look.isSmall ? ' op-placeholder-small' : look.place === 'line' ? ' op-placeholder-inline' : '';
  if (look.place === 'lone' && !look.isSmall) writer.blocks++;
  if (tag === 'a') writer.controls++;
  const classes = `op-placeholder${kind}${given}`;
  const icon = writeIcon({ name: look.icon, style: null, library: 'lucide' }, { size: 16 }, writer);
  return `<${tag} class="${escapeAttribute(classes)}"${attributes}>${icon}${look.isSmall ? '' : `<span class="op-placeholder-text">${html}</span>`}</${tag}>`;
}
