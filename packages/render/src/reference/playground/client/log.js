/* What happened on a connection, the last entries only. */
import { button, fill, make } from './dom.js';
import { formatJson } from './json.js';
import { sizeText } from './size.js';

export const MAX_ENTRIES = 200;
/** Characters of one entry. */
const MAX_TEXT = 20_000;
/** Milliseconds between two updates: a server may send thousands of messages in a second. */
const UPDATE = 60;

/** @returns {{ node: Node, add(kind: string, content: string | Blob): void, clear(): void }} */
export function makeLog(words) {
  const empty = make('p', { class: 'op-pg-hint' }, words.socketLogEmpty);
  const cut = make(
    'p',
    { class: 'op-pg-hint', hidden: true },
    fill(words.socketLogCut, { count: MAX_ENTRIES }),
  );
  const list = make('ol', { class: 'op-pg-entries' });
  const box = make(
    'div',
    { class: 'op-pg-log', role: 'log', 'aria-label': words.socketLog, tabindex: '0' },
    list,
  );
  const labels = { sent: words.socketSent, received: words.socketReceived };
  let waiting = [];
  let timer = 0;
  const paint = () => {
    timer = 0;
    const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 24;
    list.append(...waiting.map((entry) => entryNode(entry, labels, words)));
    waiting = [];
    while (list.children.length > MAX_ENTRIES) {
      list.firstChild.remove();
      cut.hidden = false;
    }
    if (isAtEnd) box.scrollTop = box.scrollHeight;
  };
  const clearButton = button(words.socketClear, () => clear(), {
    class: 'op-button op-pg-small',
    hidden: true,
  });
  const setEmpty = (isEmpty) => {
    empty.hidden = !isEmpty;
    box.hidden = isEmpty;
    clearButton.hidden = isEmpty;
  };
  const clear = () => {
    clearTimeout(timer);
    timer = 0;
    waiting = [];
    list.replaceChildren();
    cut.hidden = true;
    setEmpty(true);
  };
  setEmpty(true);
  return {
    node: make('div', { class: 'op-pg-group op-pg-root' }, empty, cut, box, make('div', {}, clearButton)),
    add(kind, content) {
      setEmpty(false);
      waiting.push({ kind, content, time: new Date() });
      if (waiting.length > MAX_ENTRIES) {
        waiting.shift();
        cut.hidden = false;
      }
      if (timer === 0) timer = setTimeout(paint, UPDATE);
    },
    clear,
  };
}

function entryNode({ kind, content, time }, labels, words) {
  const label = labels[kind];
  const head = make(
    'p',
    { class: 'op-pg-entry-head' },
    label !== undefined && make('strong', {}, label),
    make('time', { datetime: time.toISOString() }, time.toLocaleTimeString()),
  );
  const text =
    typeof content === 'string'
      ? textOf(content)
      : fill(words.socketBinary, { size: sizeText(content.size) });
  const body = label === undefined ? make('p', {}, text) : make('pre', { class: 'op-pg-text' }, text);
  return make('li', { class: 'op-pg-entry', 'data-kind': kind }, head, body);
}

/** JSON is indented; nothing else changes. */
function textOf(content) {
  const shown = content.length > MAX_TEXT ? `${content.slice(0, MAX_TEXT)}…` : content;
  if (!/^\s*[[{]/.test(shown)) return shown;
  const pieces = [];
  formatJson(shown, (_kind, piece) => pieces.push(piece));
  return pieces.join('');
}
