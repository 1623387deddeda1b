/* The panel of a WebSocket. The script of the page loads it with its first use. */
import { buildRequest } from '../../request/build.js';
import { unpackForm } from '../../request/packed.ts';
import { button, fill, make, newId, select } from './dom.js';
import { watchPolicy } from './explain.js';
import { makeInputs, reveal, section } from './inputs.js';
import { makeLog } from './log.js';
import { ENGLISH, SOCKET_ENGLISH } from './words.js';

const panels = new WeakMap();

/** Opens the panel of an element `[data-op-playground]`. */
document.addEventListener('offprint:open', ({ target: root }) => {
  if (!panels.has(root)) {
    const data = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
    panels.set(root, createPanel({ ...data, form: unpackForm(data.form) }));
  }
  panels.get(root).showModal();
});

function createPanel({ form, words: own, options }) {
  const words = { ...ENGLISH, ...SOCKET_ENGLISH, ...own };
  const line = make('code', { class: 'op-pg-url' });
  const context = {
    words,
    options: { ...options, display: 'interactive', redirect: null },
    keepFile: () => '',
    isSocket: true,
    changed: () => show(),
  };
  const inputs = makeInputs(form, context, null);
  const read = () => buildRequest({ ...form, security: [inputs.credentials.chosen()] }, inputs.read());
  const show = () => {
    try {
      line.textContent = read().url;
    } catch {
      // A URL that is not finished; the form shows what is wrong with it.
      line.textContent = form.path;
    }
  };
  const log = makeLog(words);
  const message = makeMessage(form.messages, words);
  const connection = makeConnection({ inputs, read, log, words });
  inputs.fillIn();
  show();
  const dialog = makeDialog({ words, line, inputs, log, message, connection, show });
  document.body.append(dialog);
  return dialog;
}

/** The message to send, which starts with an example. */
function makeMessage(examples, words) {
  const area = make('textarea', {
    class: 'op-pg-input op-pg-area op-pg-json',
    rows: '8',
    spellcheck: 'false',
    autocapitalize: 'off',
    'aria-label': words.socketMessage,
  });
  const pairs = examples.map(({ title }, at) => [String(at), title]);
  const menu = select(pairs, { 'aria-label': words.socketMessage, onchange: () => fillIn() });
  const fillIn = () => {
    area.value = examples[Number(menu.value)]?.text ?? '';
  };
  fillIn();
  return {
    node: make('div', { class: 'op-pg-group op-pg-root' }, examples.length > 1 && menu, area),
    read: () => area.value,
    reset() {
      menu.value = '0';
      fillIn();
    },
  };
}

/** What of a handshake browsers do not let pages set. */
function hiddenNames({ headers, cookies }) {
  return [...headers.map(([name]) => name), ...(cookies.length > 0 ? ['Cookie'] : [])];
}

/** One connection at a time. `state`: closed, connecting or open. */
function makeConnection({ inputs, read, log, words }) {
  const note = make('div', { class: 'op-pg-notes' });
  const listeners = [];
  let socket = null;
  const setState = (state) => {
    for (const listener of listeners) listener(state);
  };
  const remark = (text, attributes) => note.append(make('p', attributes, text));
  const fail = (url) => {
    if (location.protocol === 'https:' && new URL(url).protocol === 'ws:')
      log.add('error', words.socketMixed);
    const page = location.protocol === 'file:' ? 'null' : location.origin;
    log.add('error', fill(words.socketFailed, { origin: page }));
  };
  const open = () => {
    note.replaceChildren();
    const problems = inputs.check().filter(({ kind }) => kind === 'invalid');
    if (problems.length > 0) {
      remark(words.checkForm, { class: 'op-pg-error', role: 'alert' });
      reveal(problems.find(({ target }) => target)?.target);
      return;
    }
    const request = read();
    const hidden = hiddenNames(request);
    if (hidden.length > 0)
      remark(fill(words.socketHidden, { names: hidden.join(', ') }), { class: 'op-pg-hint' });
    let own;
    // Browsers report what a policy refuses, and may not close the socket.
    const policy = watchPolicy(() => {
      if (own === undefined || socket !== own) return;
      log.add('error', fill(words.failedPolicy, { origin: new URL(request.url).origin }));
      socket = null;
      policy.end();
      setState('closed');
    });
    try {
      own = new WebSocket(request.url);
    } catch (error) {
      policy.end();
      log.add('error', fill(words.notAllowed, { reason: error.message }));
      return;
    }
    let isOpen = false;
    socket = own;
    log.add('state', fill(words.socketConnecting, { url: request.url }));
    setState('connecting');
    own.onopen = () => {
      isOpen = true;
      policy.end();
      log.add('state', words.socketConnected);
      setState('open');
    };
    own.onmessage = ({ data }) => log.add('received', data);
    own.onclose = ({ code, reason }) => {
      policy.end();
      if (socket !== own && !isOpen) return;
      if (!isOpen) fail(request.url);
      const text = fill(words.socketClosed, { code });
      log.add('state', reason === '' ? text : `${text}: ${reason}`);
      if (socket !== own) return;
      socket = null;
      setState('closed');
    };
  };
  return {
    note,
    open,
    close() {
      const own = socket;
      socket = null;
      setState('closed');
      own?.close(1000);
    },
    send(text) {
      if (socket?.readyState !== WebSocket.OPEN) return;
      socket.send(text);
      log.add('sent', text);
    },
    isOpen: () => socket?.readyState === WebSocket.OPEN,
    onChange: (listener) => listeners.push(listener),
  };
}

function makeDialog({ words, line, inputs, log, message, connection, show }) {
  const send = () => connection.send(message.read());
  const connectButton = button(words.socketConnect, connection.open, { class: 'op-button op-pg-send' });
  const closeButton = button(words.socketDisconnect, connection.close, { hidden: true });
  const sendButton = button(words.send, send, { class: 'op-button op-pg-send', disabled: true });
  message.node.append(make('div', {}, sendButton));
  const resetButton = button(words.reset, () => {
    connection.close();
    connection.note.replaceChildren();
    inputs.reset();
    inputs.fillIn();
    message.reset();
    log.clear();
    show();
  });
  connection.onChange((state) => {
    const hadFocus = [connectButton, closeButton].includes(document.activeElement);
    connectButton.hidden = state !== 'closed';
    closeButton.hidden = state === 'closed';
    sendButton.disabled = state !== 'open';
    if (hadFocus) (state === 'closed' ? connectButton : closeButton).focus();
  });
  const title = make('h2', { class: 'op-pg-title', id: newId() }, words.title);
  const close = button(words.close, () => dialog.close(), { class: 'op-button op-pg-close' });
  const dialog = make(
    'dialog',
    { class: 'op-pg', 'aria-labelledby': title.id },
    make('header', { class: 'op-pg-head' }, title, close),
    make(
      'div',
      { class: 'op-pg-line' },
      make('span', { class: 'op-method-pill', 'data-method': 'ws' }, 'WS'),
      line,
    ),
    make(
      'div',
      { class: 'op-pg-columns' },
      make('div', { class: 'op-pg-form' }, ...inputs.nodes, section(words.socketMessage, message.node)),
      make('div', { class: 'op-pg-output' }, section(words.socketLog, log.node)),
    ),
    connection.note,
    make('footer', { class: 'op-pg-foot' }, connectButton, closeButton, resetButton),
  );
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (connection.isOpen()) send();
    else if (!connectButton.hidden) connection.open();
  });
  // Not `click`: selecting text may end outside of the dialog.
  dialog.addEventListener('pointerdown', (event) => event.target === dialog && dialog.close());
  return dialog;
}
