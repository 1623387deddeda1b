/* The dialog: the form, and beside it the request as cURL and the response. */
import { buildRequest } from '../../request/build.js';
import { bashSample } from '../../samples/bash.ts';
import { makeBody } from './body.js';
import { button, copyButton, fill, make, newId } from './dom.js';
import { explainFailure, watchPolicy } from './explain.js';
import { makeInputs, reveal, section } from './inputs.js';
import { readerInputs } from './reader.js';
import { showResponse, timeText } from './response.js';
import { makeSamples } from './samples.js';
import { withoutSecrets } from './secrets.js';
import { prepare, refusalOf, send, withFileTypes } from './send.js';
import { ENGLISH } from './words.js';

const DEFAULTS = { display: 'interactive', proxy: null, credentials: false, prefill: false, redirect: null };

/** @returns {{ open(): void }} */
export function createPanel(root, data) {
  const { form } = data;
  const words = { ...ENGLISH, ...data.words };
  const options = { ...DEFAULTS, ...data.options };
  const files = new Map();
  const context = {
    words,
    options,
    isExpanded: form.isExpanded,
    keepFile: (file) => keepFile(files, file),
    changed: () => output.follow(),
  };
  const inputs = makeInputs(form, context, makeBody);
  const read = () => {
    files.clear();
    const values = inputs.read();
    const chosen = form.security.length === 0 ? [] : [inputs.credentials.chosen()];
    const requestOf = (given) => withFileTypes(buildRequest({ ...form, security: chosen }, given), files);
    return {
      request: requestOf(values),
      shared: () => requestOf(withoutSecrets(form, values, chosen.flat())),
    };
  };
  const request = () => read().request;
  const output = makeOutput(root, { form, words, read, samples: makeSamples(data.samples ?? []) });
  const sender = makeSender({ inputs, output, request, files, words, options });
  const dialog = makeDialog({ form, words, options, inputs, output, sender });
  inputs.fillIn();
  output.update();
  readerInputs().then((given) => {
    if (given === null) return;
    inputs.fillFor(given);
    output.update();
  });
  document.body.append(dialog);
  return { open: () => dialog.showModal() };
}

/** Two files of one name get different names. */
function keepFile(files, file) {
  let { name } = file;
  for (let at = 2; files.has(name) && files.get(name) !== file; at++)
    name = file.name.replace(/(\.\w+)?$/, ` (${at})$1`);
  files.set(name, file);
  return name;
}

/** The request as a line, as cURL and as the samples of the page, and the place of the response. */
function makeOutput(root, { form, words, read, samples }) {
  const line = make('code', { class: 'op-pg-url' });
  const curl = make('pre', { class: 'op-pg-text', tabindex: '0', 'aria-label': words.curl });
  const holder = make(
    'div',
    { class: 'op-pg-response' },
    make('p', { class: 'op-pg-hint' }, words.responseNone),
  );
  const status = make('div', { class: 'sr-only', role: 'status' });
  let isPending = false;
  /** Whether the reader has changed something. */
  let isChanged = false;
  const update = () => {
    if (isPending) return;
    isPending = true;
    // After the handlers of the event, once for all of its changes.
    setTimeout(() => {
      isPending = false;
      show();
    });
  };
  const show = () => {
    let current;
    try {
      current = read();
    } catch {
      // Such as a URL that is not finished; the form shows what is wrong with it.
      line.textContent = form.path;
      return;
    }
    line.textContent = current.request.url;
    curl.textContent = bashSample(current.request);
    if (!isChanged) return;
    const shared = current.shared();
    samples.show(shared);
    root.dispatchEvent(new CustomEvent('op-request', { bubbles: true, detail: shared }));
  };
  const curlSection = section(
    words.curl,
    make(
      'div',
      { class: 'op-pg-block' },
      copyButton(words, () => curl.textContent),
      curl,
    ),
  );
  return {
    line,
    update,
    follow() {
      isChanged = true;
      update();
    },
    reset() {
      isChanged = false;
      samples.restore();
      update();
    },
    holder,
    curlSection,
    responseSection: section(words.response, holder),
    status,
    announce: (text) => {
      status.textContent = text;
    },
  };
}

/** Sends the request, once at a time. */
function makeSender({ inputs, output, request, files, words, options }) {
  const { holder, announce } = output;
  const note = make('div', { class: 'op-pg-notes' });
  let running = null;
  let free = () => {};
  const listeners = [];
  const setRunning = (controller) => {
    running = controller;
    for (const listener of listeners) listener(controller !== null);
  };
  const fail = (...nodes) => {
    holder.replaceChildren(make('div', { class: 'op-pg-failure' }, ...nodes));
    announce(nodes.map(({ textContent }) => textContent).join(' '));
  };
  const run = async (prepared, controller) => {
    const started = performance.now();
    const policy = watchPolicy();
    holder.replaceChildren(make('p', { class: 'op-pg-hint' }, words.waiting));
    announce(words.waiting);
    let response;
    try {
      response = await send(prepared, controller.signal);
    } catch {
      const isBlockedByPolicy = await policy.end();
      if (controller.signal.aborted)
        fail(make('p', {}, fill(words.canceled, { time: timeText(performance.now() - started) })));
      else fail(...explainFailure(prepared, { words, isBlockedByPolicy }));
      return;
    }
    policy.end();
    free();
    free = await showResponse(response, holder, { words, started, announce, asked: prepared.url });
  };
  const start = async () => {
    if (running !== null) return;
    const problems = inputs.check();
    const invalid = problems.filter(({ kind }) => kind === 'invalid');
    note.replaceChildren();
    if (invalid.length > 0) {
      note.replaceChildren(make('p', { class: 'op-pg-error', role: 'alert' }, words.checkForm));
      reveal(invalid.find(({ target }) => target)?.target);
      return;
    }
    const names = problems.map(({ name }) => name).join(', ');
    const notes = names === '' ? [] : [fill(words.fillRequired, { names })];
    const current = request();
    const reason = refusalOf(current, words);
    scrollTo(holder);
    if (reason !== null) {
      fail(
        make('p', { class: 'op-pg-failed' }, fill(words.notAllowed, { reason })),
        make('p', {}, words.failedCurl),
      );
      return;
    }
    const prepared = prepare(current, files, options);
    if (prepared.hidden.length > 0)
      notes.push(fill(words.hiddenParts, { names: prepared.hidden.join(', ') }));
    note.replaceChildren(...notes.map((text) => make('p', { class: 'op-pg-hint' }, text)));
    const controller = new AbortController();
    setRunning(controller);
    await run(prepared, controller);
    setRunning(null);
  };
  return {
    note,
    start,
    cancel: () => running?.abort(),
    onChange: (listener) => listeners.push(listener),
    reset() {
      note.replaceChildren();
      holder.replaceChildren(make('p', { class: 'op-pg-hint' }, words.responseNone));
      free();
      free = () => {};
    },
  };
}

/** On narrow screens the response is below the form. */
function scrollTo(node) {
  node.closest('section')?.scrollIntoView({ block: 'nearest' });
}

function makeDialog({ form, words, options, inputs, output, sender }) {
  const isSending = options.display === 'interactive';
  const sendButton = button(words.send, sender.start, { class: 'tryit-button op-button op-pg-send' });
  const cancelButton = button(words.cancel, sender.cancel, { hidden: true });
  const resetButton = button(words.reset, () => {
    inputs.reset();
    inputs.fillIn();
    sender.reset();
    output.reset();
  });
  sender.onChange((isRunning) => {
    const hadFocus = [sendButton, cancelButton].includes(document.activeElement);
    sendButton.hidden = isRunning;
    cancelButton.hidden = !isRunning;
    if (hadFocus) (isRunning ? cancelButton : sendButton).focus();
  });
  const title = make('h2', { class: 'op-pg-title', id: newId() }, words.title);
  const close = button(words.close, () => dialog.close(), { class: 'op-button op-pg-close' });
  const dialog = make(
    'dialog',
    { class: 'op-pg', 'aria-labelledby': title.id, 'data-display': options.display },
    make('header', { class: 'op-pg-head' }, title, close),
    make(
      'div',
      { class: 'op-pg-line' },
      make('span', { class: 'op-method-pill', 'data-method': form.method.toLowerCase() }, form.method),
      output.line,
    ),
    make(
      'div',
      { class: 'op-pg-columns' },
      make('div', { class: 'op-pg-form' }, ...inputs.nodes),
      make('div', { class: 'op-pg-output' }, isSending && output.responseSection, output.curlSection),
    ),
    sender.note,
    make('footer', { class: 'op-pg-foot' }, isSending && sendButton, cancelButton, resetButton),
    output.status,
  );
  dialog.addEventListener('keydown', (event) => {
    if (isSending && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      sender.start();
    }
  });
  // Not `click`: selecting text may end outside of the dialog.
  dialog.addEventListener('pointerdown', (event) => event.target === dialog && dialog.close());
  return dialog;
}
