/* Opens the search, which is loaded with its first use. */
const entry = document.getElementById('search-bar-entry');
const { base } = document.documentElement.dataset;
let loading = null;
let typed = null;

const load = () => {
  loading ??= Promise.all([
    loadFile('script', { src: base + entry.dataset.search }),
    loadFile('link', { rel: 'stylesheet', href: base + entry.dataset.sheet }),
  ]).then(() => window.offprintSearch);
  loading.catch(() => {
    loading = null;
  });
  return loading;
};

const open = async (query) => {
  if (typed !== null) return;
  typed = query;
  try {
    const search = await load();
    search.open(entry.dataset, typed);
  } catch {
    announce(entry.dataset.failed);
    entry.querySelector('.op-search-entry-label').textContent = entry.dataset.failed;
  }
  typed = null;
};

/* What is typed before the search is there belongs into it. */
const isEditable = (target) => target.closest?.('input, textarea, select, [contenteditable]') != null;
document.addEventListener('keydown', (event) => {
  if (!entry || event.isComposing) return;
  const { key } = event;
  const isShortcut =
    (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && key.toLowerCase() === 'k';
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (isShortcut || (key === '/' && isPlain && !isEditable(event.target) && typed === null)) {
    if (!isShortcut && document.querySelector('dialog[open], [aria-modal="true"]')) return;
    event.preventDefault();
    open('');
  } else if (typed !== null && isPlain && key.length === 1) {
    event.preventDefault();
    typed += key;
  }
});

if (entry) {
  if (/Mac|iP(hone|ad|od)/.test(navigator.platform)) {
    for (const hint of entry.querySelectorAll('kbd')) hint.textContent = '⌘ K';
  }
  for (const button of document.querySelectorAll('#search-bar-entry, #search-bar-entry-mobile')) {
    button.addEventListener('click', () => open(''));
    button.addEventListener('pointerenter', () => load().catch(() => {}), { once: true });
  }
  const asked = new URLSearchParams(location.search);
  const query = asked.get('search') ?? asked.get('q');
  if (query !== null) open(query);
  else if (location.hash === '#search' && !document.getElementById('search')) open('');
  try {
    const marked = JSON.parse(sessionStorage.getItem('offprint-search-terms'));
    sessionStorage.removeItem('offprint-search-terms');
    if (marked?.page === decodeURIComponent(document.documentElement.dataset.page))
      load().then(
        (search) => search.highlight(marked.terms),
        () => {},
      );
  } catch {
    // Without storage nothing is marked.
  }
}
