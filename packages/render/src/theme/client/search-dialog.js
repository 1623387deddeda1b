/** The dialog: a combobox over a list (ARIA APG), filled by the engine. */
import { openIndex, takeFile, tryAgain } from './search-files.js';
import { highlight } from './search-marks.js';
import {
  fill,
  icon,
  make,
  placeOption,
  recentOption,
  resultGroup,
  skeleton,
  startOption,
} from './search-view.js';

const words = offprintWords;
const RECENT = 'offprint-search-recent';
const TERMS = 'offprint-search-terms';
const BATCH = 6;
const MAX_PAGES = 60;
/** A pause in typing after which is searched, and one after which the wait is shown, in ms. */
const PAUSE = 60;
const PATIENCE = 180;

const { base } = document.documentElement.dataset;

// Storage

const readRecent = () => {
  try {
    const list = JSON.parse(localStorage.getItem(RECENT) ?? '[]');
    return Array.isArray(list) ? list.filter((query) => typeof query === 'string').slice(0, 5) : [];
  } catch {
    return [];
  }
};
const writeRecent = (list) => {
  try {
    localStorage.setItem(RECENT, JSON.stringify(list.slice(0, 5)));
  } catch {
    // Without storage nothing is remembered.
  }
};
const remember = (query) => writeRecent([query, ...readRecent().filter((other) => other !== query)]);

// Parts

const input = make('input', {
  type: 'text',
  id: 'search-input',
  class: 'op-search-input',
  role: 'combobox',
  'aria-controls': 'search-results',
  'aria-expanded': 'false',
  'aria-autocomplete': 'list',
  'aria-label': words.search,
  autocomplete: 'off',
  autocorrect: 'off',
  autocapitalize: 'off',
  spellcheck: 'false',
  enterkeyhint: 'go',
  maxlength: '200',
});
const clear = make(
  'button',
  { type: 'button', class: 'op-icon-button op-search-clear', 'aria-label': words.searchClear, hidden: true },
  icon('clear'),
);
const cancel = make('button', { type: 'button', class: 'op-search-cancel' }, words.close);
const filterRow = make('div', { class: 'op-search-filters', hidden: true });
const note = make('p', { class: 'op-search-note', hidden: true });
/** `data-found` is the query whose results it shows; empty for what is offered before there are any. */
const list = make('div', {
  id: 'search-results',
  role: 'listbox',
  'aria-label': words.search,
  'data-found': '',
});
const state = make('div', { class: 'search-state' });
const more = make('div', { class: 'search-more' });
const body = make('div', { class: 'op-search-body' }, note, list, state, more);
const total = make('span', { class: 'op-search-total' });
const keyHint = (keys, label) => make('span', {}, ...keys.map((key) => make('kbd', {}, key)), ` ${label}`);
const commandKey = /Mac|iP(hone|ad|od)/.test(navigator.platform) ? '⌘' : 'Ctrl';
const foot = make(
  'div',
  { class: 'op-search-foot', 'aria-hidden': 'true' },
  keyHint(['↑', '↓'], words.searchMove),
  keyHint(['↵'], words.searchOpen),
  keyHint([commandKey, '↵'], words.searchNewTab),
  keyHint(['Esc'], words.close),
  total,
);
const status = make('div', { role: 'status', class: 'sr-only' });
const dialog = make(
  'dialog',
  { id: 'search-dialog', class: 'op-search-dialog', 'aria-label': words.search },
  make('div', { class: 'op-search-head' }, icon('search', 'op-search-glass'), input, clear, cancel),
  filterRow,
  body,
  foot,
  status,
);

// State

let page = {};
let path = '';
let filters = {};
let outcome = null;
let shown = 0;
let run = 0;
let active = null;
let timer = 0;
/** Language whose index is shown; results of another one are out of date. */
let index = null;

const options = () => [...list.querySelectorAll('[role="option"]')];

const select = (option, scroll = true) => {
  active?.setAttribute('aria-selected', 'false');
  active = option ?? null;
  if (active === null) {
    input.removeAttribute('aria-activedescendant');
    return;
  }
  active.setAttribute('aria-selected', 'true');
  input.setAttribute('aria-activedescendant', active.id);
  if (!scroll) return;
  const isFirst = active === options()[0];
  if (isFirst) body.scrollTop = 0;
  else active.scrollIntoView({ block: 'nearest' });
};

/** What was searched for is chosen; what is only offered is not. */
const setList = (children, isChosen = true) => {
  list.replaceChildren(...children);
  const all = options();
  input.setAttribute('aria-expanded', String(all.length > 0));
  list.hidden = all.length === 0;
  select(isChosen ? all[0] : null, false);
};

const say = (text) => {
  status.textContent = text;
};

const settle = () => {
  body.removeAttribute('aria-busy');
  state.replaceChildren();
  note.hidden = true;
};

// Empty, nothing found, failed

const labelled = (label, children) =>
  children.length === 0
    ? []
    : [
        make(
          'div',
          { role: 'group', class: 'op-search-group', 'aria-label': label },
          make('div', { class: 'op-search-label', 'aria-hidden': 'true' }, label),
          ...children,
        ),
      ];

const startGroup = () =>
  labelled(
    words.searchStarts,
    (index?.directory.starts ?? []).map((place) => startOption(place, base)),
  );

const showStart = () => {
  outcome = null;
  settle();
  list.dataset.found = '';
  total.textContent = '';
  say('');
  const forget = (query) => {
    writeRecent(readRecent().filter((other) => other !== query));
    showStart();
    input.focus();
  };
  const recent = readRecent().map((query) =>
    recentOption(query, fill(words.searchForget, { query }), forget),
  );
  setList([...labelled(words.searchRecent, recent), ...startGroup()], false);
  state.replaceChildren(make('p', { class: 'op-search-hint' }, words.searchHint));
};

/** Other products, versions or tabs with better pages than those that the filters let through. */
const placeOptions = () =>
  outcome.places.map(({ filters: changes, count }, at) => {
    const place = Object.values(changes).join(' · ');
    return placeOption(fill(words.searchMore, { count, place }), at);
  });

const showNone = (query) => {
  settle();
  setList([...placeOptions(), ...startGroup()], false);
  total.textContent = '';
  const title = fill(words.searchNone, { query });
  const parts = [make('p', { class: 'op-search-state-title' }, title), make('p', {}, words.searchNoneHint)];
  if (outcome.outside > 0) {
    parts.push(
      make('p', {}, fill(words.searchOutside, { count: outcome.outside })),
      make(
        'button',
        { type: 'button', class: 'op-search-action', onclick: clearFilters },
        words.searchEverywhere,
      ),
    );
  }
  state.replaceChildren(make('div', { class: 'op-search-message' }, icon('none'), ...parts));
  say(title);
};

const showFailure = () => {
  settle();
  list.dataset.found = '';
  setList([]);
  total.textContent = '';
  const retry = () => {
    tryAgain();
    input.focus();
    start();
  };
  state.replaceChildren(
    make(
      'div',
      { class: 'op-search-message' },
      icon('failed'),
      make('p', { class: 'op-search-state-title' }, words.searchFailed),
      make('p', {}, words.searchFailedHint),
      make('button', { type: 'button', class: 'op-search-action', onclick: retry }, words.searchRetry),
    ),
  );
  say(words.searchFailed);
};

// Results

const badgesOf = (engine, result) =>
  ['product', 'version'].flatMap((name) => {
    const label = filters[name] ? null : engine.facetOf(result.page, name);
    return label === null ? [] : [label];
  });

/** Groups of the next pages; all of their texts are there when it is done. */
const nextGroups = async ({ engine }, { results, terms }, from) => {
  const batch = results.slice(from, Math.min(from + BATCH, MAX_PAGES));
  return Promise.all(
    batch.map(async (result) => {
      const hits = await Promise.all(result.sections.map((section) => engine.entry(section)));
      return resultGroup({ head: hits[0], hits, badges: badgesOf(engine, result), terms, base });
    }),
  );
};

/** If only results with some of the words are left, a line explains this. */
const withDivider = (groups) =>
  groups.flatMap((group, at) =>
    shown + at === outcome.partialFrom
      ? [make('div', { class: 'op-search-label', role: 'presentation' }, words.searchPartial), group]
      : [group],
  );

const showNote = (query) => {
  const { corrections } = outcome;
  note.hidden = corrections.length === 0;
  if (corrections.length === 0) return;
  let corrected = query;
  for (const { from, to } of corrections)
    corrected = corrected.replace(new RegExp(from.replace(/[+#]/g, '\\$&'), 'i'), to);
  note.replaceChildren(fill(words.searchInstead, { words: corrected }));
};

const search = async () => {
  const mine = ++run;
  const query = input.value.trim();
  clear.hidden = input.value === '';
  const patience = setTimeout(() => {
    if (mine !== run) return;
    body.setAttribute('aria-busy', 'true');
    if (list.childElementCount === 0) state.replaceChildren(skeleton());
    say(words.searchLoading);
  }, PATIENCE);
  try {
    const current = await openIndex(path);
    if (mine !== run) return;
    if (index !== current) {
      index = current;
      showFilters();
    }
    if (query === '') return showStart();
    const found = await current.engine.search(input.value.trimStart(), filters);
    const groups = mine === run ? await nextGroups(current, found, 0) : [];
    if (mine !== run) return;
    outcome = found;
    shown = 0;
    list.dataset.found = query;
    if (groups.length === 0) return showNone(query);
    settle();
    const places = placeOptions();
    const [first, ...others] = withDivider(groups);
    // After the first result, which stays chosen.
    setList(
      groups[0] === first ? [first, ...places, ...others] : [first, others[0], ...places, ...others.slice(1)],
    );
    shown = groups.length;
    body.scrollTop = 0;
    showNote(query);
    total.textContent = fill(words.searchCount, { count: found.results.length });
    say([total, ...places].map(({ textContent }) => textContent).join('. '));
  } catch {
    if (mine === run) showFailure();
  } finally {
    clearTimeout(patience);
  }
};

let appending = null;
const append = async () => {
  if (outcome === null || appending !== null || shown >= Math.min(outcome.results.length, MAX_PAGES)) return;
  const mine = run;
  appending = nextGroups(index, outcome, shown).catch(() => []);
  const groups = await appending;
  appending = null;
  if (mine !== run) return;
  list.append(...withDivider(groups));
  shown += groups.length;
};
new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && append(), {
  root: body,
  rootMargin: '120px',
}).observe(more);

const start = () => {
  clearTimeout(timer);
  search();
};

// Filters

const NAMES = { product: words.product, version: words.version, tab: words.section };

const chip = (label, choices, value, change) => {
  const menu = make('select', { 'aria-label': label, onchange: () => change(menu.value) });
  for (const [key, text] of choices) menu.append(new Option(text, key, false, key === value));
  const isSet = value !== '';
  return make(
    'label',
    { class: 'op-search-chip', 'data-set': isSet },
    make('span', {}, label),
    menu,
    icon('down'),
  );
};

const clearFilters = () => {
  filters = {};
  showFilters();
  input.focus();
  start();
};

const showFilters = () => {
  const { directory, engine } = index;
  const chips = [];
  if (directory.languages.length > 1) {
    const choices = directory.languages.map((language) => [language.path, language.name]);
    chips.push(
      chip(words.language, choices, path, (chosen) => {
        path = chosen;
        start();
      }),
    );
  }
  for (const [name, labels] of Object.entries(engine.facets())) {
    if (labels.length < 2) continue;
    if (filters[name] && !labels.includes(filters[name])) filters[name] = null;
    const choices = [['', words.searchAll], ...labels.map((label) => [label, label])];
    chips.push(
      chip(NAMES[name], choices, filters[name] ?? '', (chosen) => {
        filters[name] = chosen === '' ? null : chosen;
        showFilters();
        start();
      }),
    );
  }
  const focused = [...filterRow.querySelectorAll('select')].indexOf(document.activeElement);
  filterRow.replaceChildren(...chips);
  filterRow.hidden = chips.length === 0;
  if (focused >= 0) filterRow.querySelectorAll('select')[focused]?.focus();
};

// Keys and clicks

const move = (step) => {
  const all = options();
  if (all.length === 0) return;
  const before = all.indexOf(active);
  const at = before < 0 && step < 0 ? all.length - 1 : before + step;
  if (step > 0 && at >= all.length - 3) append();
  if (Math.abs(step) > 1) select(all[Math.max(0, Math.min(all.length - 1, at))]);
  else select(all[(at + all.length) % all.length]);
};

/** The caret moves first; when it cannot, the choice does. */
const atEdge = (key) =>
  key === 'Home' ? input.selectionEnd === 0 : input.selectionStart === input.value.length;

const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 5, PageUp: -5 };

const openActive = (isApart) => {
  if (isApart) openApart(active);
  else active.click();
};

/** A user who types fast and presses Enter wants results for the whole query, not those of its beginning that are still shown. */
const searchAndOpen = async (isApart) => {
  clearTimeout(timer);
  await search();
  if (input.value.trim() === list.dataset.found && active !== null && dialog.open) openActive(isApart);
};

input.addEventListener('keydown', (event) => {
  const { key } = event;
  if (event.isComposing) return;
  if (key in STEPS) move(STEPS[key]);
  else if ((key === 'Home' || key === 'End') && !event.shiftKey && atEdge(key))
    select(options().at(key === 'Home' ? 0 : -1));
  else if (key === 'Enter') {
    const isApart = event.ctrlKey || event.metaKey;
    if (input.value.trim() !== list.dataset.found) searchAndOpen(isApart);
    else if (active === null) start();
    else openActive(isApart);
  } else if (key === 'Delete' && input.value === '' && active?.dataset.query !== undefined) {
    active.querySelector('.op-search-forget').click();
  } else return;
  event.preventDefault();
});
input.addEventListener('input', () => {
  clear.hidden = input.value === '';
  clearTimeout(timer);
  run++;
  timer = setTimeout(search, input.value.trim() === '' ? 0 : PAUSE);
});
clear.addEventListener('click', () => {
  input.value = '';
  input.focus();
  start();
});
cancel.addEventListener('click', () => dialog.close());

/** Rows that change the search instead of opening a page. */
const isAction = ({ dataset }) => dataset.query !== undefined || dataset.place !== undefined;

const openApart = (option) => {
  if (isAction(option)) return;
  if (input.value.trim() !== '') remember(input.value.trim());
  window.open(option.href, '_blank', 'noopener');
};

/** Words to mark on the page that opens. */
const carry = (option) => {
  if (outcome === null) return;
  const terms = [...outcome.terms].slice(0, 40);
  const target = new URL(option.href);
  if (target.pathname === location.pathname && target.host === location.host) return highlight(terms);
  try {
    const opened = decodeURIComponent(option.getAttribute('href').slice(base.length).replace(/#.*$/s, ''));
    sessionStorage.setItem(TERMS, JSON.stringify({ page: opened, terms }));
  } catch {
    // Nothing is marked then.
  }
};

list.addEventListener('click', (event) => {
  const option = event.target.closest('[role="option"]');
  if (option === null) return;
  if (isAction(option)) {
    event.preventDefault();
    const { query, place } = option.dataset;
    if (query !== undefined) input.value = query;
    else {
      Object.assign(filters, outcome.places[place].filters);
      showFilters();
    }
    input.focus();
    start();
    return;
  }
  if (input.value.trim() !== '') remember(input.value.trim());
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  carry(option);
  dialog.close();
});
list.addEventListener('pointermove', (event) => {
  const option = event.target.closest('[role="option"]');
  if (option !== null && option !== active) select(option, false);
});
// The list takes no focus from the input.
list.addEventListener('mousedown', (event) => event.preventDefault());
dialog.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close();
});

// Opening

function open(entry, query) {
  if (dialog.open) {
    if (query === '') dialog.close();
    return;
  }
  page = entry;
  if (!dialog.isConnected) {
    document.body.append(dialog);
    path = page.index;
    filters = { version: page.version ?? null, product: page.product ?? null };
    input.placeholder = page.prompt;
  }
  dialog.showModal();
  if (query !== '') input.value = query;
  input.focus();
  // Text that was typed already is kept; the query of the last time is replaced.
  if (query === '') input.select();
  else input.setSelectionRange(input.value.length, input.value.length);
  if (index === null || query !== '' || input.value === '') start();
}

window.offprintSearch = takeFile;
window.offprintSearch.open = open;
window.offprintSearch.highlight = highlight;
