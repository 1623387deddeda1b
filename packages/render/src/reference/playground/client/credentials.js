/* Inputs for the credentials of a request. They stay in the memory of the page unless the reader chooses otherwise. */
import { button, copyButton, fill, make, row, secretInput, select, shorten, textInput } from './dom.js';
import { discover, getToken, isHttp } from './oauth.js';
import { inputOf } from './reader.js';

const STORE = 'offprint-playground';

/** What the reader chose to keep, for all pages of one API of this site. */
function createStore(servers) {
  const { base = '' } = document.documentElement.dataset;
  const key = `${STORE} ${new URL(base || '.', location.href).href} ${servers.map(({ url }) => url).join(' ')}`;
  return {
    read() {
      try {
        return JSON.parse(sessionStorage.getItem(key));
      } catch {
        return null;
      }
    },
    write(values) {
      try {
        if (values === null) sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, JSON.stringify(values));
      } catch {
        // Some browsers deny storage to pages from files; the credentials then stay on this page.
      }
    },
  };
}

/**
 * @returns {{ node: Node, read(): Record<string, any>, chosen(): any[], reset(): void, fillFor(given: any): void }} `chosen`: the schemes in use
 */
export function makeCredentials({ security, servers }, context) {
  const { words } = context;
  const store = createStore(servers);
  const kept = store.read();
  /** Inputs by scheme: one scheme may belong to several alternatives. */
  const parts = new Map();
  const keep = make('input', { type: 'checkbox', onchange: () => save() });
  keep.checked = kept !== null;
  const save = () => {
    const values = Object.fromEntries([...parts].map(([name, part]) => [name, part.read()]));
    store.write(keep.checked ? { ...store.read(), ...values } : null);
  };
  const changed = () => {
    if (keep.checked) save();
    context.changed();
  };
  const partOf = (scheme) => {
    if (!parts.has(scheme.name)) {
      const part = makeScheme(scheme, { ...context, changed });
      part.write(kept?.[scheme.name] ?? (scheme.initial === null ? {} : { value: scheme.initial }));
      parts.set(scheme.name, part);
    }
    return parts.get(scheme.name);
  };
  const holder = make('div', { class: 'op-pg-group op-pg-root' });
  const names = security.map((schemes) => schemes.map(({ name }) => name).join(' + ') || words.none);
  const menu = select(
    names.map((name, at) => [String(at), name]),
    {
      onchange: () => {
        show();
        context.changed();
      },
    },
  );
  const chosen = () => security[Number(menu.value)] ?? [];
  const show = () => holder.replaceChildren(...chosen().map((scheme) => partOf(scheme).node));
  show();
  const keepRow = make(
    'div',
    {},
    make('label', { class: 'op-pg-check' }, keep, ` ${words.keep}`),
    make('p', { class: 'op-pg-hint' }, words.keepHint),
  );
  return {
    node: make(
      'div',
      { class: 'op-pg-group op-pg-root' },
      security.length > 1 && row(words.authChoice, menu, { words, isCode: false }).node,
      holder,
      security.some((schemes) => schemes.length > 0) && keepRow,
    ),
    read: () => Object.fromEntries(chosen().map(({ name }) => [name, partOf({ name }).read()])),
    chosen,
    /** What the reader chose to keep stays. */
    fillFor(given) {
      for (const scheme of security.flat()) {
        const value = credentialOf(scheme, given);
        if (value !== undefined && !kept?.[scheme.name]?.value) partOf(scheme).write({ value });
      }
    },
    reset() {
      for (const part of parts.values()) part.write({});
      keep.checked = false;
      save();
    },
  };
}

/** What the reader has for a scheme that is sent as one value; undefined for any other. */
function credentialOf(scheme, given) {
  if (scheme.type === 'apiKey') return textOf(inputOf(given, scheme.in, scheme.key));
  const isToken =
    scheme.type === 'oauth2' ||
    scheme.type === 'openIdConnect' ||
    (scheme.type === 'http' && scheme.scheme === 'bearer');
  return isToken ? textOf(inputOf(given, 'header', 'Authorization'))?.replace(/^Bearer\s+/i, '') : undefined;
}

const textOf = (value) => (value === undefined ? undefined : String(value));

const clean = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** @returns {{ node: Node, read(): any, write(values: any): void }} */
function makeScheme(scheme, context) {
  const { words } = context;
  const title = make('p', { class: 'op-pg-scheme' }, scheme.name);
  const about = shorten(scheme.description);
  const hint = about === '' ? null : make('p', { class: 'op-pg-hint' }, about);
  const part = partFor(scheme, context);
  return {
    ...part,
    node: make('div', { class: 'op-pg-group op-pg-card' }, title, hint, part.node ?? words.none),
  };
}

function partFor(scheme, context) {
  const { words } = context;
  switch (scheme.type) {
    case 'apiKey': {
      const note = fill(words.apiKeyIn, { name: scheme.key, place: scheme.in });
      return secretPart(scheme.key, note, context);
    }
    case 'http':
      return scheme.scheme === 'basic' ? basicPart(context) : secretPart(words.token, scheme.format, context);
    case 'oauth2':
    case 'openIdConnect':
      return oauthPart(scheme, context);
    default:
      return {
        node: make('p', { class: 'op-pg-hint' }, words.clientCertificate),
        read: () => ({}),
        write() {},
      };
  }
}

function secretPart(label, hint, { words, changed }) {
  const { node, input } = secretInput(words, { 'aria-label': label, oninput: changed });
  input.removeAttribute('aria-label');
  return {
    node: row(label, node, { hint, words, isCode: false }).node,
    input,
    read: () => clean({ value: input.value.trim() }),
    write({ value = '' }) {
      input.value = value;
    },
  };
}

function basicPart({ words, changed }) {
  const user = textInput({ oninput: changed });
  const { node, input } = secretInput(words, { 'aria-label': words.password, oninput: changed });
  input.removeAttribute('aria-label');
  return {
    node: make(
      'div',
      { class: 'op-pg-pair' },
      row(words.user, user, { words, isCode: false }).node,
      row(words.password, node, { words, isCode: false }).node,
    ),
    read: () => clean({ user: user.value, password: input.value }),
    write({ user: name = '', password = '' }) {
      user.value = name;
      input.value = password;
    },
  };
}

const FLOW_WORDS = {
  authorizationCode: 'flowCode',
  clientCredentials: 'flowClient',
  deviceAuthorization: 'flowDevice',
  password: 'flowPassword',
  implicit: 'flowImplicit',
};
const OPENID_FLOWS = ['authorizationCode', 'clientCredentials', 'deviceAuthorization'];

/** A token that the reader enters, or that a flow returns. */
function oauthPart(scheme, context) {
  const token = secretPart(context.words.accessToken, null, context);
  const flows =
    scheme.type === 'openIdConnect'
      ? OPENID_FLOWS.map((kind) => ({
          kind,
          scopes: [...new Set(['openid', ...scheme.scopes])].map((name) => ({ name, description: '' })),
        }))
      : scheme.flows;
  const form = flows.length === 0 ? null : tokenForm(scheme, flows, token, context);
  return {
    node: make('div', { class: 'op-pg-group op-pg-root' }, token.node, form?.node ?? null),
    read: () => ({ ...token.read(), ...form?.read() }),
    write(values) {
      token.write(values);
      form?.write(values);
    },
  };
}

function tokenForm(scheme, flows, token, context) {
  const { words, changed, options } = context;
  const parts = tokenInputs(scheme, flows, context);
  const { flow, clientId, secret, user, password, secretIn } = parts;
  const redirectUri = new URL(options.redirect ?? location.pathname, location.href).href;
  const note = make('div', { class: 'op-pg-note', role: 'status' });
  const showNote = (...children) => note.replaceChildren(...children);
  let stop = null;
  const run = async () => {
    stop = new AbortController();
    getButton.hidden = true;
    cancelButton.hidden = false;
    const current = flows.find(({ kind }) => kind === flow.value);
    const request = {
      kind: flow.value,
      clientId: clientId.value.trim(),
      clientSecret: secret.value,
      secretIn: secretIn.value,
      scopes: parts.scopes(),
      user: user.value,
      password: password.value,
      redirectUri,
      signal: stop.signal,
      words,
      showNote,
      showCode: (url, code) => showNote(...codeNote(words, url, code)),
    };
    const find = async () => (scheme.type === 'openIdConnect' ? discover(scheme.url, request) : current);
    try {
      const { token: value, seconds } = await getToken(find, request);
      token.write({ value });
      showNote(seconds === null ? words.signInDoneOpen : fill(words.signInDone, { seconds }));
      changed();
    } catch (error) {
      showNote(stop.signal.aborted ? '' : fill(words.signInFailed, { reason: error.message }));
    }
    getButton.hidden = false;
    cancelButton.hidden = true;
  };
  const getButton = button(words.getToken, run, { class: 'op-button op-pg-get-token' });
  const cancelButton = button(words.cancel, () => stop?.abort(), { hidden: true });
  const redirectRow = redirectNote(words, redirectUri);
  parts.onFlow = () => {
    redirectRow.hidden = flow.value !== 'authorizationCode' && flow.value !== 'implicit';
    getButton.disabled = !redirectRow.hidden && !location.protocol.startsWith('http');
  };
  parts.onFlow();
  return {
    node: make(
      'details',
      { class: 'op-pg-nested' },
      make('summary', { class: 'op-pg-label' }, words.getToken),
      make(
        'div',
        { class: 'op-pg-group' },
        ...parts.nodes,
        redirectRow,
        make('div', { class: 'op-pg-actions' }, getButton, cancelButton),
        note,
      ),
    ),
    read: () => clean({ clientId: clientId.value.trim() }),
    write({ clientId: id = '' }) {
      clientId.value = id;
    },
  };
}

function redirectNote(words, redirectUri) {
  if (!location.protocol.startsWith('http')) return make('p', { class: 'op-pg-hint' }, words.signInFile);
  return make(
    'div',
    { class: 'op-pg-hint' },
    `${words.redirectUri}: `,
    make('code', { class: 'op-pg-code' }, redirectUri),
    ' ',
    copyButton(words, () => redirectUri),
  );
}

function codeNote(words, url, code) {
  const [before, between, after] = words.signInCode.split(/\{url\}|\{code\}/);
  const link = make(
    'a',
    { href: isHttp(url) ? url : null, target: '_blank', rel: 'noopener noreferrer' },
    url,
  );
  return [before, link, between, make('strong', {}, code), after];
}

/** The inputs of all flows; those that the chosen flow does not use are hidden. */
function tokenInputs(scheme, flows, { words, changed }) {
  const inputs = { clientId: textInput({ oninput: changed }), user: textInput() };
  const secretLabel = words.clientSecret;
  const secret = secretInput(words, { 'aria-label': secretLabel });
  const password = secretInput(words, { 'aria-label': words.password });
  const secretIn = select([
    ['body', words.clientAuthBody],
    ['header', words.clientAuthHeader],
  ]);
  const flow = select(
    flows.map(({ kind }) => [kind, words[FLOW_WORDS[kind]]]),
    { onchange: () => show() },
  );
  const plain = { words, isCode: false };
  const scopes = make('fieldset', { class: 'op-pg-scopes' });
  const userRow = row(words.user, inputs.user, plain).node;
  const passwordRow = row(words.password, password.node, plain).node;
  const secretRow = row(secretLabel, secret.node, plain).node;
  const secretInRow = row(words.clientAuth, secretIn, plain).node;
  const parts = {
    ...inputs,
    flow,
    secretIn,
    secret: secret.input,
    password: password.input,
    scopes: () => [...scopes.querySelectorAll('input:checked')].map(({ value }) => value),
    onFlow: () => {},
    nodes: [
      row(words.flow, flow, plain).node,
      row(words.clientId, inputs.clientId, plain).node,
      secretRow,
      secretInRow,
      userRow,
      passwordRow,
      scopes,
    ],
  };
  const show = () => {
    const kind = flow.value;
    userRow.hidden = passwordRow.hidden = kind !== 'password';
    secretRow.hidden = secretInRow.hidden = kind === 'implicit';
    const current = flows.find((one) => one.kind === kind);
    scopes.hidden = current.scopes.length === 0;
    scopes.replaceChildren(
      make('legend', { class: 'op-pg-label' }, words.scopes),
      ...current.scopes.map(({ name, description }) => {
        const box = make('input', { type: 'checkbox', value: name });
        box.checked = scheme.scopes.includes(name) || name === 'openid';
        return make(
          'label',
          { class: 'op-pg-check' },
          box,
          make('span', {}, make('code', {}, name), description && ` ${shorten(description)}`),
        );
      }),
    );
    parts.onFlow();
  };
  show();
  return parts;
}
