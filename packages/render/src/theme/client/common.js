// biome-ignore-all lint/correctness/noUnusedVariables: the parts that stand after it use them
/* What the parts of the script share. Pages read without it; every part adds to what HTML does by itself. */

/** Words in the language of the page; English pages bring none. */
const words = {
  copied: 'Copied',
  copyFailed: 'Copying failed',
  showAllLines: 'Show all lines',
  showFewerLines: 'Show fewer lines',
  language: 'Language',
  enlargeImage: 'Enlarge image',
  close: 'Close',
  ...JSON.parse(document.getElementById('content')?.dataset.words ?? '{}'),
};

/** Adds an element that loads a file to the head; resolves when the file is there. */
const loadFile = (tag, values) =>
  new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(tag), values);
    element.onload = resolve;
    element.onerror = reject;
    document.head.append(element);
  });

const each = (root, selector, act) => root.querySelectorAll(selector).forEach(act);

/** Does it for the elements of the page, and for those that a component shows later. */
const setUp = (selector, act) => {
  each(document, selector, act);
  document.addEventListener('offprint:shown', ({ target }) => {
    if (target.matches(selector)) act(target);
    each(target, selector, act);
  });
};

/** A list as JSON; empty for what is none, since pages may write any attribute. */
const readTexts = (json) => {
  try {
    const list = JSON.parse(json ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
};

/** Choices of the reader under a key, the last one first. */
const readChoices = (key) => {
  try {
    return readTexts(localStorage.getItem(key)).filter((entry) => typeof entry === 'string');
  } catch {
    return [];
  }
};
const rememberChoice = (key, choice) => {
  const list = [choice, ...readChoices(key).filter((other) => other !== choice)].slice(0, 20);
  try {
    localStorage.setItem(key, JSON.stringify(list));
  } catch {
    // Some browsers deny storage to pages from files; the choice then applies to this page only.
  }
};

/** Writes an id into the URL, or takes the hash away, without a step in the history. */
const setHash = (id) => {
  const address = id === null ? location.pathname + location.search : `#${encodeURI(id)}`;
  try {
    history.replaceState(history.state, '', address);
  } catch {
    // Some browsers do not let pages from files change their URL.
  }
};

/** What a hash leads to; a heading named like a part of the page around the text has a number behind its id. */
const byHash = (hash) => {
  let id = hash.replace(/^#/, '');
  if (id === '') return null;
  const find = () =>
    document.querySelector(`#content [id="${CSS.escape(id)}"]`) ??
    document.querySelector(`#content :is(h1,h2,h3,h4,h5,h6)[id="${CSS.escape(id)}-2"]`) ??
    document.getElementById(id);
  const place = find();
  if (place) return place;
  try {
    id = decodeURIComponent(id);
  } catch {
    return null;
  }
  return find();
};

/** Says it to screen readers. */
const announce = (text) => {
  let region = document.getElementById('op-announcements');
  if (!region) {
    region = document.createElement('div');
    region.id = 'op-announcements';
    region.className = 'sr-only';
    region.setAttribute('role', 'status');
    document.body.append(region);
  }
  region.textContent = '';
  setTimeout(() => {
    region.textContent = text;
  }, 50);
};

/** Writes into the clipboard; rejects where the browser does not allow it. */
const copyText = (text) => {
  if (navigator.clipboard && isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr-only';
  area.setAttribute('readonly', '');
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  return isDone ? Promise.resolve() : Promise.reject(new Error('copying is not allowed here'));
};

/** Entries of the contents whose place is put away go with it. */
const refreshContents = () => {
  each(document, '#table-of-contents .op-toc-item > a', (link) => {
    const place = byHash(link.hash);
    link.parentElement.hidden = place?.closest(':is(.op-view, .op-variation, .op-update)[hidden]') != null;
  });
  // The mark of the current entry is set again as after scrolling.
  dispatchEvent(new Event('scrollend'));
};

const makeSelect = (label, options) => {
  const menu = document.createElement('select');
  menu.className = 'op-select';
  menu.setAttribute('aria-label', label);
  for (const [value, text] of options) menu.append(new Option(text, value));
  return menu;
};
