/* The button that opens the playground, which is loaded with its first use; and the end of a sign-in in a popup. */
for (const root of document.querySelectorAll('[data-op-playground]')) {
  const { base = '' } = document.documentElement.dataset;
  const { opLabel, opScript, opStyle, opFailed } = root.dataset;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'op-button op-playground-open';
  button.textContent = opLabel;
  let loading = null;
  const loaded = (tag, values) =>
    new Promise((resolve, reject) => {
      const element = Object.assign(document.createElement(tag), values);
      element.onload = resolve;
      element.onerror = reject;
      document.head.append(element);
    });
  button.onclick = () => {
    loading ??= Promise.all([
      window.offprintPlayground ?? loaded('script', { src: base + opScript }),
      loaded('link', { rel: 'stylesheet', href: base + opStyle }),
    ]);
    loading.then(
      () => window.offprintPlayground(root),
      () => {
        loading = null;
        button.textContent = opFailed;
      },
    );
  };
  root.append(button);
}

// The provider of a sign-in leads back to this page; the page that opened the popup waits for the result.
const returned = new URLSearchParams(`${location.search}&${location.hash.slice(1)}`);
if (location.protocol !== 'file:' && returned.get('state')?.startsWith('offprint-')) {
  history.replaceState(null, '', location.pathname);
  new BroadcastChannel('offprint-oauth').postMessage(Object.fromEntries(returned));
  setTimeout(() => window.close(), 50);
}
