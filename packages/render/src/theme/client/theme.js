/* Runs before the first paint: light or dark, the fonts, and the sidebar that nav-*.js brings. */
const root = document.documentElement;
const isFirst = !root.classList.contains('js');
root.classList.add('js');

const read = (storage, key) => {
  try {
    return window[storage].getItem(key);
  } catch {
    // Storage can be off; under file:// it is per folder.
    return null;
  }
};

const { appearance } = root.dataset;
const stored = root.hasAttribute('data-appearance-strict') ? null : read('localStorage', 'offprint-theme');
let theme = stored === 'light' || stored === 'dark' ? stored : appearance;
if (theme !== 'light' && theme !== 'dark') {
  theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
root.classList.toggle('dark', theme === 'dark');
root.classList.toggle('light', theme === 'light');
if (root.dataset.opBanner && read('localStorage', `offprint-banner:${root.dataset.opBanner}`)) {
  root.setAttribute('data-banner-dismissed', '');
}

/* A preload tag would be an error in the console under file://, where fonts need none. */
if (isFirst && location.protocol !== 'file:') {
  const { text, code } = offprintFonts;
  for (const font of root.hasAttribute('data-code') ? [...text, ...code] : text) {
    const link = document.createElement('link');
    Object.assign(link, {
      rel: 'preload',
      as: 'font',
      type: /\.woff$/.test(font) ? 'font/woff' : 'font/woff2',
      crossOrigin: '',
      href: root.dataset.base + font,
    });
    document.head.append(link);
  }
}

/* Links of the tree start at the root of the site; returns the one that leads to this page. */
const place = (tree, base, page) => {
  let active = null;
  for (const link of tree.querySelectorAll('a[href]')) {
    const href = link.getAttribute('href');
    if (/^(?:[a-z][\w+.-]*:|#|\/)/i.test(href)) continue;
    if (!active && href === page && !link.matches('.op-sidebar-toggle')) active = link;
    link.setAttribute('href', base + href);
  }
  for (const image of tree.querySelectorAll('img[src]')) {
    const src = image.getAttribute('src');
    if (!src.startsWith('data:')) image.setAttribute('src', base + src);
  }
  return active;
};

const reveal = (active) => {
  active.setAttribute('aria-current', 'page');
  active.setAttribute('data-active', 'true');
  active.closest('li')?.setAttribute('data-active', 'true');
  active.closest('.op-sidebar-group')?.setAttribute('data-active', 'true');
  for (let list = active.closest('ul'); list; list = list.parentElement?.closest('ul')) {
    list.hidden = false;
    list.parentElement
      ?.querySelector(':scope > .op-sidebar-toggle, :scope > .op-sidebar-row > .op-sidebar-toggle')
      ?.setAttribute('aria-expanded', 'true');
  }
  // The children of a page that is the root of its group.
  const own = active.closest('.op-sidebar-row');
  if (!own) return;
  own.querySelector('.op-sidebar-toggle')?.setAttribute('aria-expanded', 'true');
  own.nextElementSibling.hidden = false;
};

/* Sites below one host have sidebars of the same name. */
const navigationKey = () =>
  `offprint-sidebar:${new URL(root.dataset.base || '.', location.href).pathname}${root.dataset.sidebar}`;

/* The entry of the page stays where it is; after another page of the same sidebar, the sidebar does. */
const scroll = (active, before) => {
  const box = document.getElementById('sidebar-content');
  const kept = Number(read('sessionStorage', navigationKey()));
  addEventListener('pagehide', () => {
    try {
      sessionStorage.setItem(navigationKey(), String(box.scrollTop));
    } catch {
      // The next page then starts at its active entry.
    }
  });
  if (kept > 0) box.scrollTop = kept;
  if (!active) return;
  if (kept === 0 && before !== undefined) box.scrollTop += active.getBoundingClientRect().top - before;
  const frame = box.getBoundingClientRect();
  const row = active.getBoundingClientRect();
  if (row.top < frame.top + 24 || row.bottom > frame.bottom - 24) {
    box.scrollTop += row.top - frame.top - frame.height / 3;
  }
};

const whenParsed = (act) => {
  if (document.readyState === 'loading') document.addEventListener('readystatechange', act, { once: true });
  else act();
};

const showNavigation = (html) => {
  const nav = document.getElementById('navigation-items');
  const { base, page } = root.dataset;
  const template = document.createElement('template');
  template.innerHTML = html;
  const active = place(template.content, base, page);
  if (active) reveal(active);
  const focused = nav.contains(document.activeElement) ? document.activeElement.href : undefined;
  const before = nav.querySelector('[aria-current]')?.getBoundingClientRect().top;
  nav.replaceChildren(template.content);
  nav.setAttribute('data-op-whole', '');
  scroll(active, before);
  if (focused) [...nav.querySelectorAll('a')].find(({ href }) => href === focused)?.focus();
};

window.offprintNavigation = (html) => {
  // What follows the sidebar is there, so all of it is.
  if (document.getElementById('content-container')) showNavigation(html);
  else whenParsed(() => showNavigation(html));
};

let isAsked = false;
const loadNavigation = (blocking = '') => {
  const { base, sidebar } = root.dataset;
  if (isAsked || !sidebar || document.querySelector('#navigation-items[data-op-whole]')) return;
  isAsked = true;
  const script = document.createElement('script');
  Object.assign(script, { src: base + sidebar, blocking });
  document.head.append(script);
};

/*
 * The page holds the entries around its own. The others come when it is idle, and before the first paint where the
 * browser has them from an earlier page. A browser that draws nothing may never call an idle page. Small screens show them in a sheet, which asks for them.
 */
const wide = matchMedia('(min-width: 1024px)');
const loadWhenWide = () => wide.matches && loadNavigation();
const whenIdle = () =>
  window.requestIdleCallback
    ? requestIdleCallback(loadWhenWide, { timeout: 1000 })
    : setTimeout(loadWhenWide);
if (wide.matches && read('sessionStorage', navigationKey()) !== null) loadNavigation('render');
else if (document.readyState === 'complete') whenIdle();
else addEventListener('load', whenIdle);
wide.addEventListener('change', whenIdle);
