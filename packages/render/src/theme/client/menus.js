/* Disclosures of links (versions, languages, menus of tabs) and the menu of the page. */
const pickers = () => document.querySelectorAll('details.op-selector[open]');
const stopsOf = (menu) => [...menu.querySelectorAll('a[href], [role="menuitem"]')];

/* The row of tabs scrolls, so its menus stand outside of it, below their tab. */
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (!target.matches?.('details.op-selector[open]')) return;
    for (const other of pickers()) if (other !== target) other.open = false;
    const bar = target.closest('#navbar');
    if (!bar || !target.classList.contains('op-nav-tabs-menu')) return;
    const tab = target.getBoundingClientRect();
    const frame = bar.getBoundingClientRect();
    const start = getComputedStyle(bar).direction === 'rtl' ? frame.right - tab.right : tab.left - frame.left;
    target.style.setProperty('--menu-start', `${start}px`);
    target.style.setProperty('--menu-top', `${tab.bottom - frame.top}px`);
  },
  true,
);

/** Moves the focus among the entries of an open menu; returns whether the key was one of its keys. */
const walk = (entries, key) => {
  if (!/^(Arrow(Up|Down)|Home|End)$/.test(key)) return false;
  const at = entries.indexOf(document.activeElement);
  const last = entries.length - 1;
  const next =
    key === 'Home' ? 0 : key === 'End' ? last : key === 'ArrowDown' ? at + 1 : at === -1 ? last : at - 1;
  entries[(next + entries.length) % entries.length]?.focus();
  return true;
};

document.addEventListener('click', (event) => {
  for (const menu of pickers()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener('keydown', (event) => {
  for (const menu of pickers()) {
    if (event.key === 'Escape') {
      menu.open = false;
      menu.querySelector('summary').focus();
    } else if (menu.contains(document.activeElement) && walk(stopsOf(menu), event.key))
      event.preventDefault();
  }
});
document.addEventListener('focusout', ({ target, relatedTarget }) => {
  const menu = target.closest?.('details.op-selector[open]');
  if (menu && relatedTarget && !menu.contains(relatedTarget)) menu.open = false;
});

/* The tab of the page is in sight. */
const row = document.querySelector('.op-nav-tabs-row');
const tab = row?.querySelector('[data-active]');
if (tab && row.scrollWidth > row.clientWidth) {
  row.scrollLeft += tab.getBoundingClientRect().left - row.getBoundingClientRect().left - row.clientWidth / 3;
}

/* The menu of the page: the pattern of a menu button (ARIA APG). */
const button = document.getElementById('page-menu-button');
const menu = document.getElementById('page-menu');
if (button && menu) {
  const entries = stopsOf(menu);
  const isOpen = () => menu.hasAttribute('data-open');
  const close = (refocus) => {
    if (!isOpen()) return;
    menu.removeAttribute('data-open');
    button.setAttribute('aria-expanded', 'false');
    if (refocus) button.focus();
  };
  const open = (entry) => {
    menu.setAttribute('data-open', '');
    button.setAttribute('aria-expanded', 'true');
    entry?.focus();
  };
  button.addEventListener('click', () => (isOpen() ? close(true) : open(entries[0])));
  button.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    open(entries.at(event.key === 'ArrowDown' ? 0 : -1));
  });
  menu.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close(true);
    else if (event.key === 'Tab') close(true);
    else if (event.key === ' ' && document.activeElement.matches('a')) document.activeElement.click();
    else if (walk(entries, event.key)) event.stopPropagation();
    else {
      if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
      const from = entries.indexOf(document.activeElement) + 1;
      const letter = event.key.toLowerCase();
      [...entries.slice(from), ...entries.slice(0, from)]
        .find((entry) => entry.textContent.trim().toLowerCase().startsWith(letter))
        ?.focus();
      return;
    }
    if (event.key !== 'Tab') event.preventDefault();
  });
  menu.addEventListener('click', () => close(true));
  document.addEventListener('pointerdown', (event) => {
    if (!menu.contains(event.target) && !button.contains(event.target)) close(false);
  });
}

for (const print of document.querySelectorAll('[data-op-print]')) {
  print.addEventListener('click', () => setTimeout(() => window.print()));
}

/** The Markdown twin; from file://, where no other file can be read, the text of the page. */
const pageText = async () => {
  if (location.protocol !== 'file:') {
    try {
      const answer = await fetch(document.querySelector('link[rel="alternate"][type="text/markdown"]').href);
      if (answer.ok) return await answer.text();
    } catch {
      // The text of the page is better than nothing.
    }
  }
  const title = document.getElementById('page-title')?.innerText ?? document.title;
  return `# ${title}\n\n${document.getElementById('content').innerText}\n`;
};

const copying = '[data-op-copy-page], #navbar [data-op-copy-text], #header [data-op-copy-text]';
for (const copy of document.querySelectorAll(copying)) {
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    const { opCopyText: path } = copy.dataset;
    try {
      await copyText(path ?? (await pageText()));
    } catch {
      announce(words.copyFailed);
      return;
    }
    // The menu is closed by now, so the button beside it shows the result.
    const shown = copy.checkVisibility() ? copy : (document.querySelector('button.op-page-action') ?? copy);
    shown.setAttribute('data-copied', '');
    announce(words.copied);
    setTimeout(() => shown.removeAttribute('data-copied'), 1500);
  });
}

/* The mark beside a heading copies the URL of its section. */
document.addEventListener('click', async (event) => {
  const mark = event.target.closest?.('.op-heading-anchor');
  if (!mark) return;
  try {
    await copyText(mark.href);
    announce(words.copied);
  } catch {
    // The URL is in the address bar anyway.
  }
});
