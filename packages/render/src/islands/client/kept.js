import { Component, createContext, createPortal, Fragment, h, isValidElement, options } from 'preact';
import { components } from '../../components/index.ts';
import { makeKeys } from './key.js';
import { handlersOf, Live } from './live.js';

/*
 * Built-in components keep the nodes that the export wrote for them (built-ins.ts describes the marks). What is in them
 * is rendered as soon as it is not what the export wrote: a component of the page, a handler, a changed text.
 */

const { content, own, whole } = makeKeys((value) => {
  if (!isValidElement(value)) return null;
  const { type, ref } = value;
  const props = value.written ?? value.props;
  if (type === Fragment) return { list: props.children ?? [] };
  const name = typeof type === 'string' ? type : type.builtIn;
  const isAlive =
    ref || 'dangerouslySetInnerHTML' in props || Object.values(props).some((it) => typeof it === 'function');
  return isAlive ? {} : { name, props, children: props.children };
});

/** By number, and by key in the order of the page. */
const views = new Map();
const contents = new Map();
const byKey = new Map();
let clones = 0;

/** Notes the marks of a place; views of a template are for all elements. */
export function readMarks(root, isSpare = false) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  const open = [];
  for (let mark = walker.nextNode(); mark; mark = walker.nextNode()) {
    const [, isEnd, kind, id, owner, key, name] =
      /^(\/?)([vc])(\d+)(?: (\S+))?(?: (\S+))?(?: (\S+))?$/.exec(mark.data) ?? [];
    if (!kind) continue;
    const known = kind === 'v' ? views : contents;
    if (isEnd) {
      known.get(id).end = mark;
      if (kind === 'v') open.pop();
    } else if (kind === 'c') contents.set(id, { start: mark, key: owner, isElsewhere: !open.includes(id) });
    else {
      open.push(id);
      addView({ id, owner, key, name, start: mark, isSpare, isSetUp: !isSpare });
    }
  }
}

function addView(view) {
  views.set(view.id, view);
  setKey(view, view.key);
}

function setKey(view, key) {
  const others = (byKey.get(view.key) ?? []).filter((it) => it !== view);
  byKey.set(view.key, others);
  view.key = key;
  if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), view]);
}

/** Whether the parts of an element are in the one around it, as those of tabs are. */
const isPart = ({ id }) => contents.get(id)?.isElsewhere === true;
const partsOf = (id) => [...views.values()].filter((view) => view.owner === id && isPart(view));

const isElement = (node) => node.nodeType === 1;

/** Nodes between two marks; kept from the first time on. */
function nodesOf(view) {
  if (!view.nodes) {
    view.nodes = [];
    for (let node = view.start.nextSibling; node !== view.end; node = node.nextSibling) view.nodes.push(node);
  }
  return view.nodes;
}

/** A free view for one of the keys, in the content of an element. */
function findView(keys, owner) {
  const known = keys.flatMap((key) => byKey.get(key) ?? []);
  const free =
    known.find((view) => !view.isUsed && view.owner === owner) ??
    known.find((view) => !view.isUsed && view.isSpare && !isPart(view));
  if (free?.isSpare && !free.nodes) renameIds(nodesOf(free).filter(isElement), `v${free.id}`);
  if (free) return free;
  const model = known.find((view) => !isPart(view) && partsOf(view.id).length === 0);
  return model && cloneView(model, owner);
}

/** Gives elements ids of their own, where the page has them already. */
function renameIds(elements, suffix) {
  const all = elements.flatMap((element) => [element, ...element.querySelectorAll('*')]);
  const taken = new Set(all.map(({ id }) => id).filter((id) => id && document.getElementById(id)));
  for (const element of taken.size > 0 ? all : []) {
    for (const name of ['id', 'href', 'aria-controls', 'aria-labelledby', 'aria-describedby']) {
      const value = element.getAttribute(name);
      if (taken.has(name === 'href' ? value?.replace(/^#/, '') : value))
        element.setAttribute(name, `${value}-${suffix}`);
    }
  }
}

/** A copy with ids of its own. */
function cloneView(model, owner) {
  const id = `n${++clones}`;
  const holder = document.createDocumentFragment();
  const start = new Comment();
  const end = new Comment();
  holder.append(start, ...nodesOf(model).map((node) => node.cloneNode(true)), end);
  const walker = document.createTreeWalker(holder, NodeFilter.SHOW_COMMENT);
  for (let mark = walker.nextNode(); mark; mark = walker.nextNode()) {
    if (mark.data.startsWith(`c${model.id} `)) contents.set(id, { start: mark, key: '*' });
    else if (mark.data === `/c${model.id}`) contents.get(id).end = mark;
  }
  const view = {
    ...model,
    id,
    owner,
    start,
    end,
    nodes: null,
    isUsed: false,
    isSpare: false,
    isSetUp: false,
  };
  views.set(id, view);
  if (contents.has(id)) takeContent(contents.get(id));
  renameIds([...holder.children], id);
  return view;
}

/** Takes out what the export wrote between the marks of a content. */
function takeContent(place) {
  if (place.taken) return;
  place.taken = document.createDocumentFragment();
  while (place.start.nextSibling !== place.end) place.taken.append(place.start.nextSibling);
}

/** Puts everything of an island back where the export wrote it. */
export function restore(island) {
  const isOf = (view) => view && (view.owner === island ? true : isOf(views.get(view.owner)));
  for (const view of views.values()) if (view.nodes && isOf(view)) view.end.before(...view.nodes);
  for (const [id, place] of contents) if (place.taken && isOf(views.get(id))) place.end.before(place.taken);
}

/** Elements with content of an island that are outside of it, at the side of the page. */
export function placesOutside(island) {
  const found = [];
  for (const { start, end } of contents.values()) {
    if (!start.isConnected || island.contains(start)) continue;
    const owner = views.get(/\d+/.exec(start.data)?.[0])?.owner;
    if (owner !== island.dataset.view) continue;
    for (let node = start.nextSibling; node && node !== end; node = node.nextSibling)
      if (isElement(node)) found.push(node);
  }
  return found;
}

/** What Preact takes for the element in which it renders the content of a kept one. */
class Place {
  nodeType = 1;
  ownerDocument = document;
  get namespaceURI() {
    return this.at.start.parentNode.namespaceURI;
  }
  insertBefore(node, before) {
    const { end } = this.at;
    const isIn = before?.parentNode === end.parentNode && before.compareDocumentPosition(end) & 4;
    end.parentNode.insertBefore(node, isIn ? before : end);
  }
  /** Moves what is rendered to the content of another element. */
  moveTo(place) {
    takeContent(place);
    if (this.at && this.at !== place) {
      while (this.at.start.nextSibling !== this.at.end) place.end.before(this.at.start.nextSibling);
    }
    this.at = place;
  }
}

/* Preact takes a node of the export for the one that it made. */
const after = options.diffed;
options.diffed = (vnode) => {
  if (vnode.node) vnode.__e = vnode.node;
  after?.(vnode);
};

function adopt(node, key, handlers) {
  if (node.nodeType === 3) return node.data;
  if (!isElement(node)) return null;
  const vnode = h(node.localName, { ...handlers, key });
  vnode.node = node;
  return vnode;
}

/** Texts and attributes of a view that are not in its content. */
function* textsOf(nodes) {
  let inside = null;
  for (const node of nodes) {
    if (node.nodeType === 8 && !inside) inside = /^c\S+/.exec(node.data)?.[0];
    else if (node.nodeType === 8 && node.data === `/${inside}`) inside = null;
    if (inside) continue;
    if (node.nodeType === 3) yield node;
    if (!isElement(node)) continue;
    for (const attribute of node.attributes)
      if (/^(?:aria-label|title|alt|data-label)$/.test(attribute.name)) yield attribute;
    yield* textsOf(node.childNodes);
  }
}

/** Text of a prop or of content that is only text. */
const textOf = (value) => {
  const parts = [value].flat(9).filter((it) => it !== null && it !== undefined && typeof it !== 'boolean');
  return parts.every((it) => typeof it === 'string' || typeof it === 'number') ? parts.join('').trim() : '';
};

/** Writes changed texts into a kept view; false where another change than that is needed. */
function patch(view, before, next) {
  const changes = [];
  const nodes = isPart(view) ? nodesOf(views.get(view.owner)) : nodesOf(view);
  for (const name of new Set([...Object.keys(before), ...Object.keys(next)])) {
    if (name === 'children' && contents.has(view.id)) continue;
    const [from, to] = [before[name], next[name]];
    if (from === to || (typeof from === 'function' && typeof to === 'function')) continue;
    const key = content([from]);
    if (key !== null && key === content([to])) continue;
    const found = textOf(from) && textOf(to) ? [...textsOf(nodes)] : [];
    const texts = found.filter((it) => it.nodeValue.trim() === textOf(from));
    if (texts.length === 0) return false;
    changes.push(...texts.map((it) => [it, textOf(to)]));
  }
  for (const [it, text] of changes) it.nodeValue = text;
  return true;
}

/** Counts steps again if others are shown than those of the export. */
function countSteps(list, written) {
  const all = [...list.querySelectorAll('[data-component-part=step-number]')];
  const own = all.filter((it) => it.closest('[data-component-name=Steps]') === list);
  const numbers = own.map((it) => it.textContent);
  if (numbers.join() === written.slice(0, numbers.length).join()) return;
  for (const [at, it] of own.entries()) if (/^\d+$/.test(it.textContent)) it.textContent = String(at + 1);
}

/** The kept element around. */
const Owner = createContext({ id: '0' });
export const IslandRoot = ({ id, children }) => h(Owner.Provider, { value: { id }, children });

/** A built-in component: what the export wrote for it, else its definition rendered again. */
function keep(name) {
  return class extends Component {
    static contextType = Owner;
    static builtIn = name;
    place = new Place();
    around = { giveUp: () => this.giveUp(), isMounted: () => this.isMounted, count: () => this.count() };

    componentDidMount() {
      this.isMounted = true;
      if (name === 'Step') this.context.count?.();
      if (this.view && handlersOf(this.props)) this.setState({});
    }

    componentWillUnmount() {
      this.isMounted = false;
      const { giveUp, isMounted, count } = this.context;
      if (name === 'Step') count?.();
      if (this.view && isPart(this.view) && isMounted?.()) giveUp();
      this.take(null);
    }

    count() {
      const list = this.view?.nodes.find(isElement);
      if (name === 'Steps' && list) queueMicrotask(() => countSteps(list, this.view?.numbers ?? []));
    }

    take(view) {
      if (this.view) this.view.isUsed = false;
      this.view = view;
      if (!view) return;
      view.isUsed = true;
      if (view.isSetUp !== false) return;
      view.isSetUp = true;
      queueMicrotask(() => {
        for (const node of nodesOf(view).filter(isElement))
          node.dispatchEvent(new Event('offprint:shown', { bubbles: true }));
      });
    }

    /** Its parts are not those of the export any more. */
    giveUp() {
      if (this.isGivenUp) return;
      this.isGivenUp = true;
      this.setState({});
    }

    choose(props) {
      const keys = [own(name, props), whole(name, props, props.children)];
      if (this.isGivenUp) return this.take(null);
      if (this.view && keys.includes(this.view.key)) return;
      const isSame = keys.every((key, at) => key === this.keys?.[at]);
      this.keys = keys;
      if (isSame) return;
      const { id, giveUp } = this.context;
      const next = findView(keys.filter(Boolean), id);
      if (!next && this.view && patch(this.view, this.shown, props))
        return setKey(this.view, keys[contents.has(this.view.id) ? 0 : 1]);
      this.take(next ?? null);
      if (!next && partsOf(id).some((part) => part.name === name)) giveUp?.();
    }

    render(props) {
      this.choose(props);
      this.shown = props;
      const { view } = this;
      if (!view) return h(Live, { name, props });
      const nodes = nodesOf(view);
      const handlers = this.isMounted ? handlersOf(props) : undefined;
      const first = nodes.find(isElement);
      const show = (some) =>
        some.map((node, at) => adopt(node, `${view.id} ${at}`, node === first ? handlers : null));
      const at = contents.get(view.id);
      if (!at) return [show(nodes), null];
      this.around.id = view.id;
      const inside = h(Owner.Provider, { value: this.around, children: props.children });
      const start = nodes.indexOf(at.start);
      if (start >= 0) return [show(nodes.slice(0, start)), inside, show(nodes.slice(nodes.indexOf(at.end)))];
      if (!at.taken && content(props.children) === at.key) return [show(nodes), null];
      if (!at.taken && name === 'Steps')
        view.numbers = [...first.querySelectorAll('[data-component-part=step-number]')].map(
          (it) => it.textContent,
        );
      this.place.moveTo(at);
      return [show(nodes), createPortal(inside, this.place)];
    }
  };
}

/** Shows its children; for names that have no other meaning here. */
export const Missing = (props) => props?.children ?? null;

const made = new Map();

/** A built-in component by name, or one whose parts are (`Tree.Folder`). */
export function builtIn(name) {
  if (!made.has(name)) {
    const shown = name in components ? keep(name) : (props) => Missing(props);
    const get = (from, key) => (/^[A-Z]/.test(String(key)) ? builtIn(`${name}.${key}`) : from[key]);
    made.set(name, new Proxy(shown, { get }));
  }
  return made.get(name);
}
