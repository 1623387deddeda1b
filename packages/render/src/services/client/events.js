/** Events that only the browser of a reader knows, sent in batches to the site that the page is from. */
const url = new URL('events', document.currentScript.src);
let waiting = [];

const flush = () => {
  if (waiting.length > 0) navigator.sendBeacon(url, JSON.stringify(waiting));
  waiting = [];
};
const add = (kind, more) => {
  waiting.push({ kind, path: location.pathname, ...more });
  if (waiting.length > 19) flush();
};

// Searches: what was typed before a pause, or before a result was opened. What the dialog lists before the first search has
// ended is not a result; a result is counted with the query that found it, whatever has been typed since.
let query = '';
let timer = 0;
const search = ({ dataset: { found } }) => {
  clearTimeout(timer);
  if (!found || found === query) return;
  query = found;
  const total = document.querySelector('.op-search-total').textContent;
  add('search', { query, results: Number(/\d+/.exec(total)?.[0] ?? 0) });
};

const onInput = ({ target }) => {
  clearTimeout(timer);
  if (target.id !== 'search-input') return;
  timer = setTimeout(() => {
    const list = document.querySelector('#search-results');
    if (list.dataset.found === target.value.trim()) search(list);
  }, 1500);
};

const onClick = ({ target }) => {
  const list = target.closest?.('#search-results');
  const result = list?.dataset.found && target.closest('a');
  if (result) {
    search(list);
    add('click', { query, target: result.pathname });
    // A browser may end a page that another one replaces before its last event.
    flush();
  }
  if (target.closest?.('[data-op-copy], [data-op-copy-text]')) add('copy');
  if (target.closest?.('.op-pg-send')) add('playground');
};

const ask = (form) => {
  const [yes, no] = form.querySelectorAll('[value]');
  const more = form.querySelector('.op-feedback-more');
  const thanks = form.querySelector('[data-op-thanks]');
  const entry = String(Math.random());
  let helpful;
  const send = (comment) => {
    add('feedback', { entry, helpful, comment });
    flush();
    thanks.textContent = thanks.dataset.opThanks;
  };
  form.hidden = false;
  form.addEventListener('click', ({ target }) => {
    if (target !== yes && target !== no) return;
    helpful = target === yes;
    yes.ariaPressed = helpful;
    no.ariaPressed = !helpful;
    more.hidden = false;
    send();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    more.hidden = true;
    send(form.querySelector('textarea').value);
  });
};

// Nothing is shown, sent or stored for readers who do not want to be counted.
if (navigator.doNotTrack !== '1' && !navigator.globalPrivacyControl) {
  addEventListener('visibilitychange', flush);
  addEventListener('pagehide', flush);
  setInterval(flush, 9999);
  addEventListener('input', onInput);
  addEventListener('click', onClick, true);
  const form = document.querySelector('.op-feedback');
  if (form) ask(form);
  // The page for URLs that are not found is the only one without a name.
  if (!document.documentElement.dataset.page) add('missing', { from: document.referrer });
}
