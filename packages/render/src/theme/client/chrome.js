/* Banner, selectors, page actions, boxes that scroll. */
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

document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll('details.selector[open]')) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  for (const menu of document.querySelectorAll('details.selector[open]')) {
    menu.open = false;
    menu.querySelector('summary').focus();
  }
});

const confirm = (button) => {
  button.setAttribute('data-copied', '');
  setTimeout(() => button.removeAttribute('data-copied'), 1500);
};
if (navigator.clipboard) {
  for (const button of document.querySelectorAll('[data-copy-text]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copyText);
      confirm(button);
    });
  }
  // Another file of the site cannot be read from file://.
  if (location.protocol !== 'file:') {
    for (const button of document.querySelectorAll('[data-copy-page]')) {
      button.hidden = false;
      button.addEventListener('click', async () => {
        const source = document.querySelector('link[rel="alternate"][type="text/markdown"]').href;
        const text = fetch(source).then((answer) => answer.text());
        await navigator.clipboard.writeText(await text);
        confirm(button);
      });
    }
  }
}

/* A box that scrolls must be reachable by keyboard (WCAG 2.1.1). */
const reach = () => {
  for (const box of document.querySelectorAll('#content pre, #content .table-wrap')) {
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1;
    if (scrolls && !box.hasAttribute('tabindex')) box.tabIndex = 0;
  }
};
reach();
addEventListener('resize', reach, { passive: true });
