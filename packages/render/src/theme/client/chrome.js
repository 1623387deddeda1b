/* Banner, boxes that scroll. */
const banner = document.getElementById('banner');
if (banner) {
  const key = `offprint-banner:${document.documentElement.dataset.banner}`;
  banner.querySelector('[data-dismiss]')?.addEventListener('click', () => {
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
  for (const box of document.querySelectorAll('#content pre, #content .table-wrap')) {
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1;
    if (scrolls && !box.hasAttribute('tabindex')) box.tabIndex = 0;
  }
};
reach();
addEventListener('resize', reach, { passive: true });
