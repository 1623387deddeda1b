/** What the dialog shows. Text of the site goes in as text, never as HTML. */
import { markHits } from '@offprint/search/hits';

const EXCERPT = 170;

/**
 * An element with attributes and children; `false` and null leave an attribute or child out.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {...(Node | string | null | false)} children
 * @returns {any}
 */
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== false));
  return element;
}

/** An icon that the build drew. */
export function icon(name, className = '') {
  const holder = document.createElement('template');
  holder.innerHTML = offprintIcons[name];
  const drawing = holder.content.firstElementChild;
  drawing.setAttribute('class', `op-icon ${className}`);
  return drawing;
}

export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

function marked(text, terms, size) {
  return markHits(text, terms, size).map((piece) =>
    piece.isHit ? make('mark', {}, piece.text) : piece.text,
  );
}

let count = 0;

function option(href, className, ...children) {
  count++;
  const attributes = {
    id: `search-option-${count}`,
    role: 'option',
    'aria-selected': 'false',
    tabindex: '-1',
  };
  return make(
    'a',
    { ...attributes, href, class: `op-search-option ${className}` },
    ...children,
    icon('enter', 'op-search-enter'),
  );
}

const separated = (crumbs) =>
  crumbs.flatMap((crumb, at) => [at > 0 && icon('chevron', 'op-search-chevron'), make('span', {}, crumb)]);

/**
 * A page with its best sections, as a group of options.
 * @param {{ head: any, hits: any[], badges: string[], terms: ReadonlySet<string>, base: string }} shown
 */
export function resultGroup({ head, hits, badges, terms, base }) {
  const address = base + head.output.split('/').map(encodeURIComponent).join('/');
  const start = hits.find(({ id }) => id === '');
  const sections = hits.filter(({ id }) => id !== '').slice(0, 3);
  const about = start !== undefined || sections.length === 0 ? (start ?? head).text : '';
  const crumbs =
    head.crumbs.length > 0 && make('span', { class: 'op-search-crumbs' }, ...separated(head.crumbs));
  const page = option(
    address,
    'op-search-page',
    head.method === ''
      ? icon('page', 'op-search-kind')
      : make('span', { class: 'op-search-method', 'data-method': head.method.toLowerCase() }, head.method),
    make(
      'span',
      { class: 'op-search-text' },
      make(
        'span',
        { class: 'op-search-title' },
        make('span', {}, ...marked(head.title, terms)),
        ...badges.map((label) => make('span', { class: 'op-search-badge' }, label)),
      ),
      crumbs,
      about !== '' && make('span', { class: 'op-search-excerpt' }, ...marked(about, terms, EXCERPT)),
    ),
  );
  const rows = sections.map((section) =>
    option(
      `${address}#${encodeURIComponent(section.id)}`,
      'op-search-section',
      icon('section', 'op-search-kind'),
      make(
        'span',
        { class: 'op-search-text' },
        make('span', { class: 'op-search-title' }, make('span', {}, ...marked(section.heading, terms))),
        section.text !== '' &&
          make('span', { class: 'op-search-excerpt' }, ...marked(section.text, terms, EXCERPT)),
      ),
    ),
  );
  return make('div', { role: 'group', class: 'op-search-group', 'aria-label': head.title }, page, ...rows);
}

/** A suggested page to start with. */
export function startOption([output, title, section], base) {
  return option(
    base + output.split('/').map(encodeURIComponent).join('/'),
    'op-search-page',
    icon('page', 'op-search-kind'),
    make(
      'span',
      { class: 'op-search-text' },
      make('span', { class: 'op-search-title' }, title),
      section !== '' &&
        section !== title &&
        make('span', { class: 'op-search-crumbs' }, make('span', {}, section)),
    ),
  );
}

/** An earlier query; the button is for the mouse, the keyboard has Delete. */
export function recentOption(query, label, forget) {
  const row = option(
    '#',
    'op-search-recent',
    icon('recent', 'op-search-kind'),
    make('span', { class: 'op-search-text' }, make('span', { class: 'op-search-title' }, query)),
  );
  const button = make(
    'span',
    { class: 'op-search-forget', title: label, 'aria-hidden': 'true' },
    icon('clear'),
  );
  button.addEventListener('click', (event) => {
    event.preventDefault();
    event.stopPropagation();
    forget(query);
  });
  row.append(button);
  row.dataset.query = query;
  return row;
}

/** Continues the search in another place, the one with this number. */
export function placeOption(label, place) {
  const row = option(
    '#',
    'op-search-place',
    icon('search', 'op-search-kind'),
    make('span', { class: 'op-search-text' }, make('span', { class: 'op-search-title' }, label)),
  );
  row.dataset.place = place;
  return row;
}

/** Rows of the size of what comes. */
export function skeleton() {
  const row = () =>
    make(
      'div',
      { class: 'op-search-skeleton' },
      make('span', { class: 'op-search-bone' }),
      make('span', {}, make('span', { class: 'op-search-bone' }), make('span', { class: 'op-search-bone' })),
    );
  return make('div', { 'aria-hidden': 'true' }, row(), row(), row(), row());
}
