/* Banner, print, boxes that scroll, pages fetched ahead. */
const banner = document.getElementById('banner');
if (banner) {
  const key = `offprint-banner:${document.documentElement.dataset.opBanner}`;
  banner.querySelector('[data-op-dismiss]')?.addEventListener('click', () => {
    banner.remove();
    try {
      localStorage.setItem(key, '1');
    } catch {
      // Dismissed for this page only.
    }
  });
}

/* What is folded is printed too. */
let folded = [];
addEventListener('beforeprint', () => {
  folded = [...document.querySelectorAll('#content details:not([open])')];
  for (const part of folded) part.open = true;
});
addEventListener('afterprint', () => {
  for (const part of folded) part.open = false;
  folded = [];
});

/* A box that scrolls must be reachable by keyboard (WCAG 2.1.1). */
const reach = () => {
  for (const box of document.querySelectorAll('#content pre, #content .op-table-wrap')) {
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1;
    if (scrolls && !box.hasAttribute('tabindex')) box.tabIndex = 0;
  }
};
reach();
addEventListener('resize', reach, { passive: true });

/* A page is fetched while the pointer rests on its link, so that it is there at once. */
if (location.protocol !== 'file:' && !navigator.connection?.saveData) {
  const asked = new Set([location.pathname]);
  let timer = 0;
  document.addEventListener('pointerover', ({ target }) => {
    clearTimeout(timer);
    const link = target.closest?.('a[href]');
    if (!link || link.origin !== location.origin || !/\.html$/.test(link.pathname)) return;
    if (asked.has(link.pathname) || link.hasAttribute('download')) return;
    timer = setTimeout(() => {
      asked.add(link.pathname);
      const ahead = document.createElement('link');
      ahead.rel = 'prefetch';
      ahead.href = link.pathname;
      document.head.append(ahead);
    }, 80);
  });
}
