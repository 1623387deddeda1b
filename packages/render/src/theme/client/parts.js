/* Parts of a page whose script is loaded with their first use: a button beside their data opens them. */
each(document, '[data-op-script]', (part) => {
  const { opScript, opStyle, opReturn } = part.dataset;
  const button = part.querySelector('button');
  let loading = null;
  const { base } = document.documentElement.dataset;
  const load = () => {
    loading ??= Promise.all([
      loadFile('script', { src: base + opScript }),
      loadFile('link', { rel: 'stylesheet', href: base + opStyle }),
    ]);
    return loading;
  };
  button.addEventListener('click', async () => {
    try {
      await load();
      part.dispatchEvent(new Event('offprint:open', { bubbles: true }));
    } catch {
      loading = null;
      button.textContent = part.dataset.opFailed;
    }
  });

  // A service led back here, and the script knows why.
  const returned = new URLSearchParams(`${location.search}&${location.hash.slice(1)}`);
  if (location.protocol !== 'file:' && returned.get('state')?.startsWith(opReturn)) load().catch(() => {});
});
