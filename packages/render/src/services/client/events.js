/* Events that only the browser of a reader knows, sent in batches to the site that the page is from. */
/* Nothing is sent and nothing is stored for readers who do not want to be counted. */
const { doNotTrack, globalPrivacyControl } = navigator;
if (doNotTrack === '1' || globalPrivacyControl) return;
const url = new URL('events', document.currentScript.src);
const path = location.pathname;
let waiting = [];

const flush = () => {
  if (waiting.length > 0) navigator.sendBeacon(url, JSON.stringify(waiting));
  waiting = [];
};
const add = (type, more) => {
  waiting.push({ type, path, ...more });
  if (waiting.length > 19) flush();
};
addEventListener('visibilitychange', flush);
addEventListener('pagehide', flush);
setInterval(flush, 9999);

/* The page for URLs that are not found is the only one without a name. */
if (!document.documentElement.dataset.page) {
  const from = document.referrer;
  add('missing', { from: from.startsWith(location.origin) ? new URL(from).pathname : from });
}

/* Searches: what was typed before a pause, or before a result was opened. */
let query = '';
let timer = 0;
const search = () => {
  clearTimeout(timer);
  const typed = document.querySelector('#search-input')?.value.trim();
  const dialog = document.querySelector('#search-dialog');
  if (!typed || typed === query || dialog.querySelector('[aria-busy=true]')) return;
  const results = Number(/\d+/.exec(dialog.querySelector('.op-search-total')?.textContent)?.[0] ?? 0);
  query = typed;
  add('search', { query, results });
};
addEventListener('input', ({ target }) => {
  clearTimeout(timer);
  if (target.id === 'search-input') timer = setTimeout(search, 1500);
});
addEventListener(
  'click',
  ({ target }) => {
    if (!target.closest) return;
    const result = target.closest('#search-results a');
    if (result) {
      search();
      if (query) add('click', { query, target: result.pathname });
    }
    if (target.closest('[data-op-copy], [data-op-copy-text]')) add('copy');
    if (target.closest('.op-pg-send')) add('playground');
  },
  true,
);

const form = document.querySelector('.op-feedback');
if (form) {
  const [yes, no] = form.querySelectorAll('[value]');
  const more = form.querySelector('.op-feedback-more');
  const thanks = form.querySelector('[data-op-thanks]');
  const id = String(Math.random());
  let helpful;
  const send = (text) => {
    add('feedback', { id, helpful, text });
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
}
