import { codeLabel, renderCode } from '../src/code/index.ts';
import type { PageScope, TocEntry } from '../src/components/component.ts';
import { components } from '../src/components/index.ts';
import { attributesOf, type Content, htmlOf } from '../src/components/markup.ts';
import { escapeAttribute, escapeText } from '../src/escape.ts';
import { iconSvg } from '../src/icons/index.ts';
import { styleText } from '../src/mdx/guard/style.ts';
import type { IconRef } from '../src/site.ts';
import { stringsFor } from '../src/theme/words/index.ts';
import { type Element, isNode, type Node, type Props, type Value } from '../src/tree.ts';

/** A page scope that writes the few nodes that tests of single components need, and records what it receives. */
export interface TestPage extends PageScope {
  html(nodes: readonly Node[]): string;
  name: string;
  readonly entries: TocEntry[];
  readonly warnings: string[];
  noLinks: boolean;
  hasSide: boolean;
  variations: { id: string; label: string }[];
}

export function createTestPage(): TestPage {
  const entries: TocEntry[] = [];
  const warnings: string[] = [];
  const ids = new Map<string, number>();
  const page: TestPage = {
    entries,
    warnings,
    name: '',
    around: null,
    isLive: false,
    element: null,
    controls: 0,
    nest: (view) => view,
    html: (nodes) => nodes.map((node) => writeNode(node, page)).join(''),
    content: (nodes) => contentOf(page.html(nodes)),
    value: (value) => (isNode(value) ? page.content([value]) : textOf(value)),
    inline: (markdown) => contentOf(escapeText(markdown).replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')),
    style: (values, written) =>
      [styleText(Object.assign(Object.create(null), values)), styleText(written)].filter(Boolean).join(';') ||
      null,
    text: (value) => textOf(value as Value),
    elements: (nodes, ...names) =>
      nodes.flatMap((node) =>
        node.type === 'paragraph'
          ? page.elements(node.children, ...names)
          : node.type === 'element' && (names.length === 0 || names.includes(node.name))
            ? [node]
            : [],
      ),
    id(text) {
      return page.takeId(slugOf(text) || 'section');
    },
    slug: slugOf,
    takeId(id) {
      const count = (ids.get(id) ?? 0) + 1;
      ids.set(id, count);
      return count === 1 ? id : `${id}-${count}`;
    },
    markdown: (nodes) => textOf(nodes),
    noLinks: false,
    withoutLinks(write) {
      const before = page.noLinks;
      page.noLinks = true;
      const html = write();
      page.noLinks = before;
      return html;
    },
    hasSide: true,
    variations: [],
    excluded: {},
    use: () => undefined,
    feed: () => undefined,
    strings: stringsFor('en'),
    withoutToc(write) {
      const count = entries.length;
      const html = write();
      entries.length = count;
      return html;
    },
    toc: ({ depth, id, label }) => void entries.push({ depth, id, html: htmlOf(label) }),
    link(href) {
      if (/^\s*(?:javascript|data|vbscript):/i.test(href)) return null;
      return { href, external: /^https?:/i.test(href) };
    },
    asset: (src) => (/^(?:\/|https:)/.test(src) ? src : null),
    icon(icon, options) {
      const name = typeof icon === 'string' ? icon : '';
      const { size = 16, className } = options ?? {};
      const look = { size, className: className === undefined ? 'icon' : `icon ${className}` };
      const ref = isRef(icon) ? icon : { name, style: options?.style ?? null, library: null };
      const attributes = attributesOf({ ...options?.attributes, color: options?.color });
      return contentOf(iconSvg(ref, 'fontawesome', { ...look, attributes }) ?? '');
    },
    code: (value, lang, meta, attributes) =>
      contentOf(renderCode(value, lang, meta, { ...(attributes === undefined ? {} : { attributes }) })),
    codeLabel,
    math: (tex) => contentOf(`<span class="op-math">${escapeText(tex)}</span>`),
    warn: (code) => void warnings.push(code),
  };
  return page;
}

function contentOf(html: string): Content | null {
  return html === '' ? null : { html };
}

function isRef(icon: Value | IconRef): icon is IconRef {
  return typeof icon === 'object' && icon !== null && 'library' in icon && 'name' in icon;
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/&-]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

/** An element node; strings among the children are paragraphs. */
export function element(name: string, props: Props, ...children: (Node | string)[]): Element {
  return { type: 'element', name, props, children: children.map(toNode), inline: false };
}

export function fence(lang: string | null, value: string, meta: string | null = null): Node {
  return { type: 'code', value, lang, meta };
}

/** HTML of one built-in component on a page of its own. */
export function write(name: string, props: Props, ...children: (Node | string)[]): string {
  return createTestPage().html([element(name, props, ...children)]);
}

function toNode(child: Node | string): Node {
  return typeof child === 'string'
    ? { type: 'paragraph', children: [{ type: 'text', value: child }] }
    : child;
}

function textOf(value: Value | readonly Node[]): string {
  if (Array.isArray(value)) return value.map((item: Value) => textOf(item)).join('');
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return '';
  if ('children' in value) return textOf(value.children as Node[]);
  return 'value' in value && typeof value.value === 'string' ? value.value : '';
}

const TAGS: Readonly<Record<string, string>> = {
  paragraph: 'p',
  strong: 'strong',
  emphasis: 'em',
  list: 'ul',
  listItem: 'li',
};

function writeNode(node: Node, page: TestPage): string {
  if (node.type === 'text') return escapeText(node.value);
  if (node.type === 'inlineCode') return `<code>${escapeText(node.value)}</code>`;
  if (node.type === 'inlineMath' || node.type === 'math')
    return `<span class="op-math">${escapeText(node.value)}</span>`;
  if (node.type === 'code') return htmlOf(page.code(node.value, node.lang, node.meta));
  if (node.type === 'link') {
    const href = page.link(node.url)?.href ?? '#';
    if (page.noLinks) return page.html(node.children);
    return `<a href="${escapeAttribute(href)}">${page.html(node.children)}</a>`;
  }
  if (node.type === 'heading') return `<h${node.depth}>${page.html(node.children)}</h${node.depth}>`;
  if (node.type === 'element') {
    const component = components[node.name];
    if (component !== undefined) {
      const outer = page.name;
      page.name = node.name;
      const html = htmlOf(component.view(node.props, node.children, page));
      page.name = outer;
      return html;
    }
    if (node.name === 'img')
      return `<img src="${escapeAttribute(page.asset(textOf(node.props.src)) ?? '')}" alt="">`;
  }
  const body = 'children' in node ? page.html(node.children) : '';
  const tag = TAGS[node.type];
  return tag === undefined ? body : `<${tag}>${body}</${tag}>`;
}
