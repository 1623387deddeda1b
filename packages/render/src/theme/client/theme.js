/* Runs before the first paint: light or dark, and the sidebar that nav-*.js brings. */
(() => {
  const root = document.documentElement;
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
  if (root.dataset.banner && read('localStorage', `offprint-banner:${root.dataset.banner}`)) {
    root.setAttribute('data-banner-dismissed', '');
  }

  /* A preload tag would be an error in the console under file://, where fonts need none. */
  if (location.protocol !== 'file:') {
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

  const scroll = (base, active, name) => {
    const box = document.getElementById('sidebar-content');
    const key = `offprint-sidebar:${new URL(base || '.', location.href).pathname}${name}`;
    const top = Number(read('sessionStorage', key));
    if (top > 0) box.scrollTop = top;
    addEventListener('pagehide', () => {
      try {
        sessionStorage.setItem(key, String(box.scrollTop));
      } catch {
        // The next page then starts at its active entry.
      }
    });
    if (!active) return;
    const frame = box.getBoundingClientRect();
    const row = active.getBoundingClientRect();
    if (row.top < frame.top + 24 || row.bottom > frame.bottom - 24) {
      box.scrollTop += row.top - frame.top - frame.height / 3;
    }
  };

  window.offprintNavigation = (html) => {
    const nav = document.getElementById('navigation-items');
    const { base, page } = root.dataset;
    const template = document.createElement('template');
    template.innerHTML = html;
    const active = place(template.content, base, page);
    if (active) reveal(active);
    nav.replaceChildren(template.content);
    scroll(base, active, document.currentScript?.src.split('/').pop() ?? '');
  };
})();
