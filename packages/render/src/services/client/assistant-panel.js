/*
 * The assistant: a dialog with a conversation. Answers are Markdown, of which elements are built here: nothing of an
 * answer is read as HTML, and links lead to pages of this site only. Knows `offprintWords` by language.
 */
const KEY = 'offprint-assistant';
const MAX_TURNS = 20;
const words = (() => {
  const tag = document.documentElement.lang.toLowerCase();
  return offprintWords[tag] ?? offprintWords[tag.split('-')[0]] ?? offprintWords.en;
})();

const make = (name, values = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(values)) {
    if (key in element && key !== 'role') element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
};

/* ---- Markdown ---- */

/** A link of an answer, if it stays on this site. */
const ownUrl = (href) => {
  const url = URL.canParse(href, location.href) ? new URL(href, location.href) : null;
  return url?.origin === location.origin && /^https?:$/.test(url.protocol) ? url.href : null;
};

/** On another site that embeds the assistant, links open beside it. */
const isEmbedded = window.top !== window;
const link = (href, ...children) =>
  make('a', isEmbedded ? { href, target: '_blank', rel: 'noopener' } : { href }, ...children);

const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"', nbsp: '\u00a0' };
const INLINE =
  /\\([!-/:-@[-`{-~])|(`+)([^`]|[^`][\s\S]*?[^`])\2(?!`)|\[((?:\\.|[^\]\\])*)\]\(([^()\s]*)\)|(\*\*|__)(?=\S)([\s\S]*?\S)\6|(\*|_)(?=\S)([\s\S]*?\S)\8(?!\w)|&(lt|gt|amp|quot|nbsp);/g;

/** Nodes of a text without blocks. */
const inline = (text, depth = 0) => {
  if (depth > 4) return [text];
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, escaped, , code, label, href, , strong, , emphasis, entity] = match;
    if (match.index > at) nodes.push(text.slice(at, match.index));
    at = match.index + whole.length;
    if (escaped !== undefined) nodes.push(escaped);
    else if (code !== undefined) nodes.push(make('code', {}, code.replace(/^ (.*) $/, '$1')));
    else if (label !== undefined) {
      const url = ownUrl(href);
      const inner = inline(label, depth + 1);
      nodes.push(...(url === null ? inner : [link(url, ...inner)]));
    } else if (strong !== undefined) nodes.push(make('strong', {}, ...inline(strong, depth + 1)));
    else if (emphasis !== undefined) nodes.push(make('em', {}, ...inline(emphasis, depth + 1)));
    else nodes.push(ENTITIES[entity]);
  }
  nodes.push(text.slice(at));
  return nodes;
};

const cells = (line) =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => inline(cell.trim()));

const codeBlock = (code) => {
  const copy = make('button', { type: 'button', className: 'op-assistant-copy', ariaLabel: words.copyCode });
  copy.onclick = () => copyText(code, copy);
  return make(
    'div',
    { className: 'op-assistant-code' },
    make('pre', { tabIndex: 0 }, make('code', {}, code)),
    copy,
  );
};

const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;

/** Items of a list from a line on, with the lists in them. */
const list = (lines, from) => {
  const [, indent, mark] = ITEM.exec(lines[from]);
  const element = make(/\d/.test(mark) ? 'ol' : 'ul');
  if (/\d/.test(mark)) element.start = Number.parseInt(mark, 10);
  let at = from;
  while (at < lines.length) {
    const item = ITEM.exec(lines[at]);
    if (item === null || item[1].length < indent.length) break;
    if (item[1].length > indent.length + 1 && element.lastChild) {
      const nested = list(lines, at);
      element.lastChild.append(nested.element);
      at = nested.end;
      continue;
    }
    element.append(make('li', {}, ...inline(item[3])));
    at++;
    while (at < lines.length && lines[at].trim() !== '' && !ITEM.test(lines[at]) && /^\s/.test(lines[at]))
      element.lastChild.append(' ', ...inline(lines[at++].trim()));
  }
  return { element, end: at };
};

const FENCE = /^(`{3,}|~{3,})/;
const isTableLine = (line) => /^\s*\|/.test(line ?? '');

/* Each reads one block at a line; null if it is another block. */
const KINDS = [
  (lines, at) => {
    const isRule = /^\s*([-*_])(?:\s*\1){2,}\s*$/.test(lines[at]);
    return lines[at].trim() === '' || isRule ? { end: at + 1 } : null;
  },
  (lines, at) => {
    const marks = FENCE.exec(lines[at])?.[1];
    if (!marks) return null;
    const isEnd = (line) => line.startsWith(marks) && line.trim().replace(/[`~]/g, '') === '';
    let end = at + 1;
    while (end < lines.length && !isEnd(lines[end])) end++;
    return { element: codeBlock(lines.slice(at + 1, end).join('\n')), end: end + 1 };
  },
  (lines, at) => {
    const text = /^#{1,6}\s+(.*)$/.exec(lines[at])?.[1];
    return text === undefined
      ? null
      : { element: make('p', { className: 'op-assistant-heading' }, ...inline(text)), end: at + 1 };
  },
  (lines, at) => (ITEM.test(lines[at]) ? list(lines, at) : null),
  (lines, at) => {
    if (!isTableLine(lines[at]) || !/^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[at + 1] ?? '')) return null;
    const row = (kind, line) => make('tr', {}, ...cells(line).map((cell) => make(kind, {}, ...cell)));
    const body = make('tbody');
    let end = at + 2;
    for (; isTableLine(lines[end]); end++) body.append(row('td', lines[end]));
    const table = make('table', {}, make('thead', {}, row('th', lines[at])), body);
    return { element: make('div', { className: 'op-assistant-table' }, table), end };
  },
  (lines, at) => {
    const isOther = (line) =>
      line.trim() === '' || FENCE.test(line) || /^#{1,6}\s/.test(line) || ITEM.test(line);
    let end = at + 1;
    while (end < lines.length && !isOther(lines[end])) end++;
    const text = lines.slice(at, end).map((line) => line.replace(/^>\s?/, ''));
    return { element: make('p', {}, ...inline(text.join('\n'))), end };
  },
];

/** Elements of a Markdown text. */
const blocks = (text) => {
  const lines = text.split('\n');
  const found = [];
  for (let at = 0; at < lines.length; ) {
    let block = null;
    for (const read of KINDS) block ??= read(lines, at);
    if (block.element) found.push(block.element);
    at = Math.max(block.end, at + 1);
  }
  return found;
};

const copyText = async (text, button) => {
  try {
    await navigator.clipboard.writeText(text);
    say(words.copied);
    button.dataset.copied = '';
    setTimeout(() => delete button.dataset.copied, 2000);
  } catch {
    say(words.copyFailed);
  }
};

/* ---- proof of work ---- */

/** First 32 bits of SHA-256 of a text of ASCII. */
const firstBits = (() => {
  const isPrime = (number) => {
    for (let by = 2; by * by <= number; by++) if (number % by === 0) return false;
    return true;
  };
  const fraction = (value) => ((value - Math.floor(value)) * 0x100000000) | 0;
  const primes = [];
  for (let number = 2; primes.length < 64; number++) if (isPrime(number)) primes.push(number);
  const K = primes.map((prime) => fraction(prime ** (1 / 3)));
  const H = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  const W = new Int32Array(64);
  const turn = (value, by) => (value >>> by) | (value << (32 - by));
  return (text) => {
    const size = (text.length + 9 + 63) & ~63;
    const bytes = new DataView(new ArrayBuffer(size));
    for (let at = 0; at < text.length; at++) bytes.setUint8(at, text.charCodeAt(at));
    bytes.setUint8(text.length, 128);
    bytes.setUint32(size - 4, text.length * 8);
    let state = H;
    for (let block = 0; block < size; block += 64) {
      for (let at = 0; at < 64; at++) {
        if (at < 16) W[at] = bytes.getInt32(block + at * 4);
        else {
          const [a, b] = [W[at - 15], W[at - 2]];
          W[at] =
            W[at - 16] +
            (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) +
            W[at - 7] +
            (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
        }
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let at = 0; at < 64; at++) {
        const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[at] + W[at]) | 0;
        const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
      }
      state = [a, b, c, d, e, f, g, h].map((value, at) => (value + state[at]) | 0);
    }
    return state[0] >>> 0;
  };
})();

/** The number that a challenge asks for, found in pieces so that the page stays usable. */
const solve = async (challenge, signal) => {
  const bits = Number.parseInt(challenge, 10);
  for (let number = 0; ; number++) {
    if (firstBits(`${challenge}.${number}`) >>> (32 - bits) === 0) return String(number);
    if (number % 2000 === 1999) {
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
    }
  }
};

/* ---- requests ---- */

let root = '';
const post = (path, body, signal) =>
  fetch(root + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });

/** Sends a question, with a proof of work where the site asks for one. */
const ask = async (body, signal) => {
  const response = await post('message', body, signal);
  const challenge = response.status === 429 ? response.headers.get('offprint-challenge') : null;
  if (challenge === null) return response;
  return post('message', { ...body, proof: { challenge, solution: await solve(challenge, signal) } }, signal);
};

/** The objects of an event stream. */
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop();
    for (const part of parts) if (/^data: \{/.test(part)) yield JSON.parse(part.slice(6));
  }
}

/* ---- the dialog ---- */

const stored = (() => {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
})();
/** Turns: `{ question, text, sources, results, contact, id, rating }`. */
let turns = Array.isArray(stored.turns) ? stored.turns : [];
let threadId = stored.threadId;
let context = null;
let running = null;
let opener = null;

const keep = () => {
  try {
    sessionStorage.setItem(
      KEY,
      JSON.stringify({ threadId, turns: turns.slice(-MAX_TURNS), isOpen: dialog.open }),
    );
  } catch {
    // Without storage, a conversation ends with its page.
  }
};

const icon = (name, title, act) =>
  make('button', {
    type: 'button',
    className: `op-assistant-icon op-assistant-${name}`,
    ariaLabel: title,
    title,
    onclick: act,
  });

const log = make('div', { className: 'op-assistant-log', tabIndex: -1 });
const starters = make('div', { className: 'op-assistant-starters' });
const status = make('p', { className: 'sr-only', role: 'status' });
const chip = make('div', { className: 'op-assistant-chip', hidden: true });
const input = make('textarea', {
  id: 'op-assistant-input',
  rows: 1,
  maxLength: 4000,
  placeholder: words.ask,
  ariaLabel: words.ask,
});
const send = make('button', { className: 'op-assistant-send', ariaLabel: words.send, title: words.send });
const form = make('form', { className: 'op-assistant-form' }, chip, input, send);
const dialog = make(
  'dialog',
  { id: 'op-assistant', 'aria-labelledby': 'op-assistant-title' },
  make(
    'header',
    {},
    make('h2', { id: 'op-assistant-title' }, words.title),
    icon('new', words.new, () => restart()),
    icon('close', words.close, () => close()),
  ),
  log,
  starters,
  status,
  form,
);

const say = (text) => {
  status.textContent = '';
  setTimeout(() => {
    status.textContent = text;
  }, 50);
};

const close = () => {
  dialog.close();
  keep();
  opener?.focus();
};

const restart = () => {
  running?.abort();
  turns = [];
  threadId = undefined;
  log.replaceChildren();
  starters.hidden = false;
  keep();
  input.focus();
};

const setContext = (value) => {
  context = value;
  chip.hidden = value === null;
  chip.replaceChildren();
  if (value === null) return;
  const text = value.value.replace(/\s+/g, ' ').slice(0, 80);
  chip.append(
    make('span', {}, `${words.selected}: ${text}`),
    icon('close', words.close, () => setContext(null)),
  );
};

const links = (title, entries) =>
  make(
    'div',
    { className: 'op-assistant-links' },
    make('p', {}, title),
    make('ul', {}, ...entries.map(({ url, title: name }) => make('li', {}, link(ownUrl(url) ?? '#', name)))),
  );

const actions = (turn) => {
  const rate = (rating) => async () => {
    turn.rating = turn.rating === rating ? null : rating;
    update();
    keep();
    await post('feedback', { messageId: turn.id, rating: turn.rating }).catch(() => {});
  };
  const up = icon('up', words.good, rate('up'));
  const down = icon('down', words.bad, rate('down'));
  const update = () => {
    up.ariaPressed = String(turn.rating === 'up');
    down.ariaPressed = String(turn.rating === 'down');
  };
  update();
  const copy = icon('copy', words.copy, () => copyText(turn.text, copy));
  const retry = icon('retry', words.retry, () => run(turn.question));
  return make('div', { className: 'op-assistant-actions' }, ...(turn.id ? [up, down] : []), copy, retry);
};

/** Shows a turn; `update` shows what was added to it. */
const show = (turn) => {
  const answer = make('div', { className: 'op-assistant-answer' });
  const element = make(
    'section',
    {},
    make('p', { className: 'op-assistant-question' }, turn.question),
    answer,
  );
  log.append(element);
  const update = () => {
    const isNear = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
    answer.replaceChildren(...blocks(turn.text));
    if (turn.note) answer.append(make('p', { className: 'op-assistant-note' }, turn.note));
    if (turn.results?.length) answer.append(links(words.sources, turn.results));
    if (turn.sources?.length) answer.append(links(words.sources, turn.sources));
    if (turn.contact)
      answer.append(
        make('a', { className: 'op-assistant-contact', href: turn.contact, rel: 'noopener' }, words.contact),
      );
    if (turn.isDone) answer.append(actions(turn));
    if (isNear) log.scrollTop = log.scrollHeight;
  };
  update();
  return update;
};

const contactUrl = ({ kind, target }) => {
  if (kind === 'email') return `mailto:${encodeURIComponent(target).replace('%40', '@')}`;
  return URL.canParse(target) && /^https?:$/.test(new URL(target).protocol) ? target : undefined;
};

/** Adds what one event says. */
const take = (turn, event) => {
  const { type } = event;
  if (type === 'start') turn.id = event.messageId;
  else if (type === 'text-delta') {
    turn.text += event.delta;
    turn.note = '';
  } else if (type === 'text-end') turn.text += '\n\n';
  else if (type === 'source-url') turn.sources.push({ url: event.url, title: event.title });
  else if (type === 'data-results') turn.results = event.data;
  else if (type === 'data-deflection') turn.contact = contactUrl(event.data);
  else if (type === 'error') turn.note = event.errorText;
  else if (type === 'finish') threadId = event.messageMetadata.threadId;
};

const setRunning = (controller) => {
  running = controller;
  const label = controller === null ? words.send : words.stop;
  send.ariaLabel = label;
  send.title = label;
  send.toggleAttribute('data-running', controller !== null);
};

const run = async (question) => {
  running?.abort();
  const controller = new AbortController();
  setRunning(controller);
  starters.hidden = true;
  const turn = { question, text: '', note: words.searching, sources: [] };
  turns.push(turn);
  const update = show(turn);
  log.scrollTop = log.scrollHeight;
  say(words.searching);
  const parts = [{ type: 'text', text: question }];
  const body = {
    messages: [{ id: 'question', role: 'user', parts }],
    threadId,
    currentPath: document.documentElement.dataset.currentPath,
    context: context === null ? [] : [context],
    isEmbedded,
  };
  setContext(null);
  let frame = 0;
  try {
    const response = await ask(body, controller.signal);
    if (!response.ok) {
      const { error } = await response.json().catch(() => ({}));
      turn.note = typeof error === 'string' ? error : words.failed;
    } else
      for await (const event of events(response)) {
        take(turn, event);
        if (frame === 0)
          frame = requestAnimationFrame(() => {
            frame = 0;
            update();
          });
      }
    if (turn.note === words.searching) turn.note = words.failed;
  } catch {
    if (turn.note) turn.note = controller.signal.aborted ? '' : words.failed;
  }
  cancelAnimationFrame(frame);
  turn.text = turn.text.trim();
  turn.isDone = true;
  update();
  say(
    turn.text === ''
      ? turn.note
      : log.lastChild.querySelector('.op-assistant-answer').innerText.slice(0, 2000),
  );
  keep();
  if (running === controller) setRunning(null);
};

const resize = () => {
  input.style.height = 'auto';
  input.style.height = `${Math.min(input.scrollHeight, 160)}px`;
};
input.addEventListener('input', resize);
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const question = input.value.trim();
  if (running !== null && question === '') return running.abort();
  if (question === '') return;
  input.value = '';
  resize();
  run(question);
});
dialog.addEventListener('cancel', (event) => {
  event.preventDefault();
  close();
});
dialog.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') close();
});
document.body.append(dialog);
setRunning(null);
for (const turn of turns) show(turn);

const loadStarters = async () => {
  const response = await post('panel', {}).catch(() => null);
  const { starterQuestions = [] } = response?.ok ? await response.json() : {};
  starters.replaceChildren(
    ...starterQuestions.map((text) => make('button', { type: 'button', onclick: () => run(text) }, text)),
  );
};

window.offprintAssistant = {
  open(options) {
    ({ root, opener } = options);
    if (starters.childElementCount === 0) loadStarters();
    starters.hidden = turns.length > 0;
    if (!dialog.open) {
      // On small screens, it covers the page.
      if (innerWidth < 700) dialog.showModal();
      else dialog.show();
    }
    if (options.context !== null) setContext(options.context);
    if (options.text !== '') input.value = options.text;
    log.scrollTop = log.scrollHeight;
    // A page that opens it again leaves the focus where it is.
    if (!options.isRestored) input.focus();
    resize();
    keep();
  },
};
