import { Component, h, options, render } from 'preact';
import * as react from 'preact/compat';
import * as jsx from 'preact/jsx-runtime';
import { builtIn, IslandRoot, Missing, placesOutside, readMarks, restore } from './kept.js';
import { addKnown } from './live.js';
import { localAttribute, localCss } from './local.js';

/* URLs are as in an export, and style elements need no permission as sheets. */
const before = options.vnode;
options.vnode = (vnode) => {
  const { type, props } = vnode;
  if (type === 'style') {
    vnode.type = Style;
    vnode.props = { text: localCss(String(styleText(props))) };
  } else if (type === 'script') {
    vnode.type = Missing;
    vnode.props = {};
  } else if (typeof type === 'string') {
    const written = { ...props };
    for (const name in props) if (name !== 'children') props[name] = localAttribute(type, name, props[name]);
    vnode.written = written;
  }
  before?.(vnode);
};

function styleText({ children, dangerouslySetInnerHTML }) {
  return dangerouslySetInnerHTML?.__html ?? [children].flat(9).join('');
}

/** `<style>` of a component: a constructed sheet, which the policy of the pages allows. */
class Style extends Component {
  componentDidMount() {
    this.sheet = new CSSStyleSheet();
    this.sheet.replaceSync(this.props.text);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.sheet];
  }
  componentDidUpdate() {
    this.sheet.replaceSync(this.props.text);
  }
  componentWillUnmount() {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.sheet);
  }
  render() {
    return null;
  }
}

/** Nodes of the page where the component shows one of its props. They keep their state when they are hidden. */
class Slot extends Component {
  shouldComponentUpdate() {
    return false;
  }
  componentDidMount() {
    const { nodes } = this.props;
    const isElsewhere = nodes.some((node) => node.isConnected);
    this.element.append(...(isElsewhere ? nodes.map((node) => node.cloneNode(true)) : nodes));
  }
  componentWillUnmount() {
    if (this.props.nodes.some((node) => node.parentNode === this.element)) {
      for (const node of this.props.nodes) node.remove();
    }
  }
  render() {
    return h('offprint-slot', {
      'data-slot': this.props.name,
      ref: (element) => {
        this.element = element ?? this.element;
      },
    });
  }
}

/** What the page showed before; restored when the component fails. */
class Boundary extends Component {
  constructor() {
    super();
    this.state = { failed: false };
  }
  componentDidCatch(error) {
    this.setState({ failed: true });
    this.props.onFail(error);
  }
  render({ children }, { failed }) {
    return failed ? null : children;
  }
}

function revive(text, slots, code) {
  return JSON.parse(text, (_key, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    if (typeof value.$slot === 'string') return slots(value.$slot);
    if (typeof value.$code === 'string') return code[value.$code]?.();
    const entries = Object.entries(value);
    if (!entries.some(([key]) => key.startsWith('$'))) return value;
    return Object.fromEntries(entries.map(([key, item]) => [key.replace(/^\$/, ''), item]));
  });
}

/** Elements with the name that belong to this island and not to one inside it. */
function ownAll(island, selector) {
  return [...island.querySelectorAll(selector)].filter(
    (element) => element.closest('offprint-island') === island,
  );
}

/** Takes the nodes of each slot out of the first view; `back` puts them where they were. */
function takeSlots(island) {
  const taken = new Map();
  const outside = placesOutside(island).flatMap((element) => [
    ...(element.matches('offprint-slot[data-slot]') ? [element] : []),
    ...element.querySelectorAll('offprint-slot[data-slot]'),
  ]);
  for (const place of [...ownAll(island, 'offprint-slot[data-slot], template[data-slot]'), ...outside]) {
    const from = place.localName === 'template' ? place.content : place;
    if (!taken.has(place.dataset.slot)) taken.set(place.dataset.slot, { from, nodes: [...from.childNodes] });
  }
  return {
    get: (name) => taken.get(name)?.nodes ?? [],
    take() {
      for (const { nodes } of taken.values()) for (const node of nodes) node.remove();
    },
    back() {
      for (const { from, nodes } of taken.values()) from.append(...nodes);
    },
  };
}

/** Names of events that React calls otherwise. */
function eventName(handler, element) {
  const name = handler.slice(2).toLowerCase();
  if (name === 'doubleclick') return 'dblclick';
  return name === 'change' && element.matches('textarea, input:not([type=checkbox], [type=radio])')
    ? 'input'
    : name;
}

/** Adds the event handlers of a page to an element of it. */
function attach(island, handlers) {
  const element = island.firstElementChild;
  for (const [name, handler] of Object.entries(handlers)) {
    if (typeof handler === 'function') element?.addEventListener(eventName(name, element), handler);
  }
  island.setAttribute('data-mounted', '');
}

function mountOne(island, components, code) {
  const name = island.dataset.component;
  if (island.hasAttribute('data-attach')) {
    try {
      attach(island, components[name]());
    } catch (error) {
      console.warn('An event handler of this page failed to load.', error);
    }
    return;
  }
  const slots = takeSlots(island);
  const view = document.createDocumentFragment();
  let failed = false;
  const fail = (error) => {
    if (failed) return;
    failed = true;
    console.warn('A component of this page failed; its first view stays.', error);
    queueMicrotask(() => {
      render(null, island);
      restore(island.dataset.view);
      slots.back();
      island.replaceChildren(view);
      island.removeAttribute('data-mounted');
      island.setAttribute('data-failed', '');
    });
  };
  try {
    const slot = (key) => h(Slot, { nodes: slots.get(key), name: key, key });
    const props = revive(island.dataset.props ?? '{}', slot, code);
    const component = components[name]();
    slots.take();
    view.append(...island.childNodes);
    const root = h(IslandRoot, { id: island.dataset.view }, h(component, props));
    render(h(Boundary, { onFail: fail }, root), island);
    if (!failed) island.setAttribute('data-mounted', '');
  } catch (error) {
    fail(error);
  }
}

/** Makes the elements that a parser would have moved out of a table, around what is between their marks. */
function wrapInTables(root) {
  for (const start of root.querySelectorAll('template[data-op-start]')) {
    const kind = start.dataset.opStart;
    const element = document.createElement(`offprint-${kind}`);
    for (const { name, value } of start.attributes)
      if (name !== 'data-op-start') element.setAttribute(name, value);
    let depth = 0;
    for (let node = start.nextSibling; node !== null; node = start.nextSibling) {
      const mark = node.localName === 'template' ? node.dataset : {};
      if (mark.opStart !== undefined) depth++;
      if (mark.opEnd !== undefined && depth-- === 0) {
        node.remove();
        break;
      }
      element.append(node);
    }
    element.append(start.content);
    start.replaceWith(element);
  }
}

/** Mounts the islands of a place, those in the templates of others included. */
function mountAll(root, components, code) {
  wrapInTables(root);
  readMarks(root);
  for (const island of [...root.querySelectorAll('offprint-island')]) {
    if (!Object.hasOwn(components, island.dataset.component)) continue;
    if (island.hasAttribute('data-mounted') || island.hasAttribute('data-failed')) continue;
    for (const template of ownAll(island, 'template[data-slot]')) {
      mountAll(template.content, components, code);
    }
    for (const template of ownAll(island, 'template[data-views]')) readMarks(template.content, true);
    mountOne(island, components, code);
  }
}

window.offprintIslands = {
  react,
  jsx,
  builtIn,
  Missing,
  mount(components, code, known) {
    addKnown(known);
    mountAll(document, components, code);
  },
};
