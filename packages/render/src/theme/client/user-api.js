/* Names that scripts of a site may ask for; an exported site has no reader's account and no server to set. */
(() => {
  const ignore = () => {};
  const own = window.mintlify ?? {};
  own.user ??= {};
  own.api = {
    ...own.api,
    playground: { setServerVariables: ignore, clearServerVariables: ignore, ...own.api?.playground },
  };
  window.mintlify = own;
  // Behind all deferred scripts, which then listen.
  document.addEventListener('DOMContentLoaded', () => {
    document.dispatchEvent(new CustomEvent('mintlify:user', { detail: own.user, bubbles: true }));
  });
})();
