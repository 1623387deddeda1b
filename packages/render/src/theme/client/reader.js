/* Writes what is known of a signed-in reader into the page, as text. Pages that show nothing of it do not load this. */
(() => {
  if (!/(?:^|; )(?:__Host-)?offprint_signed_in=1(?:;|$)/.test(document.cookie)) return;
  const valueAt = (content, path) => {
    let value = content;
    for (const name of path.split('.'))
      value = typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? value[name] : null;
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
  };
  const show = ({ content }) => {
    for (const place of document.querySelectorAll('[data-op-reader]')) {
      const text = valueAt(content, place.dataset.opReader);
      if (text !== '') place.textContent = text;
    }
  };
  const { base = '' } = document.documentElement.dataset;
  fetch(`${base}_offprint/reader.json`, { cache: 'no-store' })
    .then((response) => (response.ok ? response.json() : { content: {} }))
    .then(show)
    // The page shows what it shows to everyone.
    .catch(() => {});
})();
