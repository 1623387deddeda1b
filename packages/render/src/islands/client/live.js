import { Component, cloneElement, createContext, Fragment, h, isValidElement } from 'preact';
import { parseFenceMeta } from '../../code/fence.ts';
import { codeView, MIN_EXPANDABLE_LINES } from '../../code/view.ts';
import { components } from '../../components/index.ts';
import { isEmpty } from '../../components/markup.ts';
import { headingAnchor, linkAttributes } from '../../components/props.ts';

/*
 * Built-in components of which the export has no view: what they show depends on a state that it could not know. They
 * are rendered from their definitions, with Preact instead of HTML.
 */

/** SVG by name, words of the interface and languages of code, from the script of the page. */
const known = { icons: {}, words: {}, languages: {} };

export function addKnown(more) {
  for (const key in known) known[key] = { ...known[key], ...more[key] };
}

/** The place in which the definitions note what the components inside need. */
const root = { around: null };
const Around = createContext(root);

let count = 0;

/** A built-in component by its definition. */
export class Live extends Component {
  static contextType = Around;
  id = ++count;

  roots = new Set();
  note = (element) => element && this.roots.add(element);

  componentDidMount() {
    for (const element of this.roots) element.dispatchEvent(new Event('offprint:shown', { bubbles: true }));
  }

  render({ name, props: { children, ...props } }) {
    const page = makePage(name, this.context, this);
    const view = vnodesOf(components[name].view(props, nodesOf(children), page), handlersOf(props));
    for (const vnode of [view].flat(9)) if (typeof vnode?.type === 'string') vnode.ref ??= this.note;
    return view;
  }
}

/** The event handlers that a component of the page gives an element; undefined without any. */
export function handlersOf(props) {
  const found = Object.entries(props).filter(
    ([key, value]) => /^on[A-Z]/.test(key) && typeof value === 'function',
  );
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/* A view as Preact has it */

function vnodesOf(view, handlers) {
  if (view === null || view === undefined || typeof view === 'string') return view;
  if (Array.isArray(view)) return view.map((each) => vnodesOf(each, handlers));
  if ('vnodes' in view)
    return handlers ? [view.vnodes].flat(9).map((it) => handled(it, handlers)) : view.vnodes;
  const isRoot = handlers !== undefined && view.attributes['data-component-name'] !== undefined;
  const children = view.children.map((child) => vnodesOf(child, isRoot ? undefined : handlers));
  return h(view.tag, { ...plainAttributes(view.attributes), ...(isRoot && handlers) }, ...children);
}

/** The root of a component that is a Markdown element, such as a heading, with the handlers of the component. */
function handled(vnode, handlers) {
  return vnode?.props?.['data-component-name'] === undefined ? vnode : cloneElement(vnode, handlers);
}

/** An attribute without a value is an empty one; `true` would be written as text. */
function plainAttributes(attributes) {
  const entries = Object.entries(attributes).filter(([, value]) => value !== null && value !== false);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value === true && name.includes('-') ? '' : value]),
  );
}

/* Content as the definitions read it */

const written = new WeakMap();

/** Nodes for what JSX has as children; each leads back to it. */
function nodesOf(children) {
  if (Array.isArray(children)) return children.flatMap(nodesOf);
  if (typeof children === 'string' || typeof children === 'number')
    return [{ type: 'text', value: String(children) }];
  if (!isValidElement(children)) return [];
  const { type, props } = children;
  if (type === Fragment) return nodesOf(props.children);
  const name = typeof type === 'string' ? type : type.builtIn;
  const { children: inside, ...rest } = props;
  const node =
    name === undefined
      ? { type: 'slot', name: '', children: [] }
      : { type: 'element', name, props: rest, children: nodesOf(inside), inline: false };
  written.set(node, children);
  return [node];
}

/** A node as Preact has it. Parts of the component that shows them give what they have to it. */
function vnodeOf(node, page) {
  const own = written.get(node);
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return own ?? null;
  const definition = components[node.name];
  if (definition?.isPart)
    return vnodesOf(
      definition.view(node.props, node.children, { ...page, name: node.name, around: page, element: null }),
      handlersOf(node.props),
    );
  if (own) return own;
  const inside = node.children.map((child) => vnodeOf(child, page));
  if (definition) return h(Live, { name: node.name, props: { ...node.props, children: inside } });
  if (/^h[1-6]$/.test(node.name)) return headingOf(node, inside, page);
  const link = node.name === 'a' && node.props.href ? page.link(String(node.props.href)) : null;
  return h(node.name, link ? { ...node.props, ...linkAttributes(link) } : node.props, ...inside);
}

function headingOf({ name, props: { noAnchor, ...props }, children }, inside, page) {
  const id = props.id ?? page.id(textOf(children));
  return h(name, { ...props, id }, ...inside, noAnchor ? null : vnodesOf(headingAnchor(id)));
}

function textOf(value) {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(textOf).join('');
  if (isValidElement(value))
    return value.props.nodes?.map((node) => node.textContent).join('') ?? textOf(value.props.children);
  if (value?.children?.length > 0) return textOf(value.children);
  return value?.value ?? (written.has(value) ? textOf(written.get(value)) : '');
}

/** A value of a prop as a view. */
function valueView(value) {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(valueView);
  return isValidElement(value) ? { vnodes: value } : null;
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^()\s]+)\)/g;

/** The marks of inline Markdown that captions and hints have most often: code, bold, emphasis and links. */
function inlineView(markdown) {
  const view = [];
  let from = 0;
  for (const { 0: all, 1: code, 2: strong, 3: emphasis, 4: label, 5: href, index } of markdown.matchAll(
    INLINE,
  )) {
    view.push(markdown.slice(from, index));
    if (code) view.push(h('code', null, code));
    else if (strong) view.push(h('strong', null, strong));
    else if (emphasis) view.push(h('em', null, emphasis));
    else view.push(h('a', { href }, label));
    from = index + all.length;
  }
  return [...view, markdown.slice(from)].map((it) => (typeof it === 'string' ? it : { vnodes: it }));
}

const slugOf = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/&-]+/gu, '-')
    .replace(/^-+|-+$/g, '');

const write = (make) => make();
const nothing = () => {};

/** Whether the focus stops at something in a node. */
function holdsControl({ type, name, props, children = [] }) {
  const isControl =
    /^(?:a|button|input|select|summary|textarea)$/.test(name) || (props?.href && !props.disabled);
  return (type === 'element' && isControl) || children.some(holdsControl);
}

/** What a component may request of its page, for one element. */
function makePage(name, around, element) {
  let ids = 0;
  const page = {
    name,
    around,
    element,
    controls: 0,
    isLive: true,
    hasSide: false,
    noLinks: false,
    excluded: {},
    variations: [],
    strings: known.words,
    content(nodes) {
      if (nodes.some(holdsControl)) page.controls++;
      const vnodes = nodes.map((node) => vnodeOf(node, page)).filter((it) => it !== null && it !== '');
      return vnodes.length === 0 ? null : { vnodes };
    },
    value: valueView,
    inline: inlineView,
    text: textOf,
    markdown: textOf,
    elements: (nodes, ...names) =>
      nodes.filter((node) => node.type === 'element' && (names.length === 0 || names.includes(node.name))),
    nest(view, note) {
      if (isEmpty(view)) return view;
      const place = { around: page };
      note(place);
      return { vnodes: h(Around.Provider, { value: place }, vnodesOf(view)) };
    },
    id: (text) => `${slugOf(text) || 'section'}-l${element.id}-${++ids}`,
    slug: slugOf,
    takeId: (text) => text,
    style: mergeStyle,
    withoutToc: write,
    withoutLinks: write,
    link: (href) =>
      /^\s*(?:javascript|data|vbscript):/i.test(href) ? null : { href, external: /^[a-z]+:\/\//i.test(href) },
    asset: (src) => src,
    icon: iconView,
    code: plainCode,
    codeLabel: (lang, meta, fallback) =>
      parseFenceMeta(meta).title ?? languageOf(lang)?.label ?? lang ?? fallback,
    math: (tex) => ({ vnodes: h('code', { class: 'op-math-source' }, tex) }),
    toc: nothing,
    feed: nothing,
    use: nothing,
    warn: nothing,
  };
  return page;
}

function mergeStyle(values, style) {
  if (!values) return style ?? null;
  if (typeof style !== 'string') return { ...values, ...style };
  return `${Object.entries(values)
    .map(([name, value]) => `${name}:${value}`)
    .join(';')};${style}`;
}

const languageOf = (lang) => (Object.hasOwn(known.languages, lang ?? '') ? known.languages[lang] : undefined);

/** A code block without colors. */
function plainCode(value, lang, meta, attributes) {
  const fence = parseFenceMeta(meta);
  const language = languageOf(lang);
  const lines = value.split(/(?<=\n)/);
  const isExpandable = fence.expandable && lines.length >= MIN_EXPANDABLE_LINES;
  const looks = { wrap: fence.wrap, 'op-expandable-code': isExpandable, numbered: fence.lines };
  const { code } = known.words;
  return codeView(
    {
      attributes,
      looks: Object.keys(looks).filter((name) => looks[name]),
      language: language?.name ?? 'text',
      title: fence.title,
      icon: fence.icon && iconView(fence.icon, { size: 14, className: 'code-block-icon' }),
      label: fence.title ?? (language ? `${code}: ${language.label}` : code),
      body: fence.lines ? { vnodes: lines.map((line) => h('span', { class: 'line' }, line)) } : value,
      hasCopy: !fence.nocopy,
      isExpandable,
    },
    known.words,
  );
}

/* Icons */

function iconView(icon, { size = 16, className, isOwn = false, color, attributes = {} } = {}) {
  if (isValidElement(icon) || Array.isArray(icon))
    return { vnodes: h('span', { ...attributes, class: 'op-icon icon' }, icon) };
  const name = typeof icon === 'string' ? icon.trim() : icon?.name;
  if (typeof name !== 'string' || name === '') return null;
  const look = ['op-icon', isOwn ? null : 'icon', className].filter(Boolean).join(' ');
  const key = icon.library ? `${icon.library}:${name}` : name;
  if (Object.hasOwn(known.icons, key))
    return {
      vnodes: drawing(known.icons[key], { ...attributes, color, class: look, width: size, height: size }),
    };
  if (!name.includes('/')) return null;
  return { vnodes: h('img', { ...attributes, class: look, src: name, alt: '', width: size, height: size }) };
}

const drawings = new Map();

/** The element of an SVG text, with other attributes. */
function drawing(svg, attributes) {
  if (!drawings.has(svg)) {
    const holder = document.createElement('template');
    holder.innerHTML = svg;
    drawings.set(svg, holder.content.firstElementChild);
  }
  return elementVnode(drawings.get(svg), attributes);
}

function elementVnode(element, attributes = {}) {
  const own = Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
  const children = [...element.children].map((child) => elementVnode(child));
  return h(element.localName, { ...own, ...plainAttributes(attributes) }, ...children);
}
