/**
 * Makes HTTP requests of what a form contains. Used by the build, for code samples, and by browsers, for the
 * playground: it imports nothing of Node. Everything in a request is encoded: URL, headers and cookies are ASCII, and
 * no value can end the place that it is in.
 */
import { BOUNDARY, multipartPieces } from '../samples/text.ts';
import { clean, essence, isJson, partsOf, styleOf } from './multipart.js';
import { repeat } from './repeat.js';
import {
  encode,
  encodeCookie,
  encodeHeader,
  encodePath,
  encodeQuery,
  encodeReserved,
  expandPairs,
  expandText,
  isRecord,
  textOf,
} from './style.js';

/** @typedef {import('./types.ts').RequestForm} RequestForm */
/** @typedef {import('./types.ts').RequestValues} RequestValues */
/** @typedef {import('./types.ts').HttpRequest} HttpRequest */
/** @typedef {import('./types.ts').HttpBody} HttpBody */
/** @typedef {import('./types.ts').HttpPart} HttpPart */
/** @typedef {import('./types.ts').FormParameter} FormParameter */
/** @typedef {import('./types.ts').FormBody} FormBody */
/** @typedef {import('./types.ts').FormEncoding} FormEncoding */
/** @typedef {import('./types.ts').FormField} FormField */
/** @typedef {import('./types.ts').Credentials} Credentials */
/** @typedef {import('../operation.ts').ApiScheme} ApiScheme */
/** @typedef {[name: string, value: string]} Pair */

/** What `exampleValues` enters for basic authentication. */
export const USER = '<user>';
export const PASSWORD = '<password>';

/** Clients set these from the request itself. */
const OWN_HEADERS =
  /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|__proto__)$/i;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * The request of a form. Parameters without a value are not sent, and a path keeps their `{name}`. A server without a
 * scheme and a host gives a URL that is relative to the page. GET and HEAD have no body, which browsers cannot send.
 * @param {RequestForm} form
 * @param {RequestValues} values
 * @returns {HttpRequest}
 */
export function buildRequest(form, values) {
  const method = form.method.replace(/[^\w-]/g, '').toUpperCase() || 'GET';
  /** @type {Draft} */
  const draft = { query: [], headers: [], cookies: [], path: new Map() };
  addCredentials(draft, form.security, values.credentials);
  for (const parameter of form.parameters) {
    addParameter(draft, parameter, values.parameters[`${parameter.in}:${parameter.name}`]);
  }
  const hasBody = values.body !== null && method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? bodyOf(form, values.body) : null;
  // A parameter named Content-Type only chooses the type of a body that is there.
  if (body !== null) draft.headers = draft.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
  if (body?.type) draft.headers.push(['Content-Type', encodeHeader(body.type)]);
  return {
    method,
    url: urlOf(form.path, values.server, draft),
    headers: draft.headers,
    cookies: draft.cookies,
    body: body?.body ?? null,
  };
}

/** @typedef {{ query: string[], headers: Pair[], cookies: Pair[], path: Map<string, string> }} Draft */

/**
 * @param {string} path
 * @param {string} server
 * @param {Draft} draft
 */
function urlOf(path, server, draft) {
  const [plain = '', ...rest] = path.replace(/#.*$/s, '').split('?');
  const filled = plain
    .split(/(\{[^{}]*\})/)
    .map((part, index) => {
      if (index % 2 === 0) return encodePath(part);
      const name = part.slice(1, -1);
      return draft.path.get(name) ?? `{${encode(name)}}`;
    })
    .join('');
  const query = [...rest.map(encodeQuery), ...draft.query].filter((part) => part !== '').join('&');
  const base = cleanServer(server);
  const separator = filled === '' || filled.startsWith('/') ? '' : '/';
  return base + separator + filled + (query === '' ? '' : `?${query}`);
}

/** @param {string} server */
function cleanServer(server) {
  const [, origin = '', path = ''] = /^([a-z][a-z\d+.-]*:\/\/[^/?#\\]*)?([^?#]*)/is.exec(server.trim()) ?? [];
  // Unfilled variables stay visible.
  const keep = (/** @type {string} */ text) =>
    encodePath(text)
      .replaceAll('%7B', '{')
      .replaceAll('%7D', '}')
      .replaceAll('%5B', '[')
      .replaceAll('%5D', ']');
  return hostOf(origin, keep) + keep(path).replace(/\/+$/, '');
}

/**
 * @param {string} origin
 * @param {(text: string) => string} keep
 */
function hostOf(origin, keep) {
  if (/[^\0-\x7f]/.test(origin)) {
    // International host names are sent in Punycode.
    try {
      return new URL(origin).origin;
    } catch {
      return keep(origin);
    }
  }
  return keep(origin);
}

/**
 * URL of a server with its variables filled in: with `values`, else with their defaults.
 * @param {import('../operation.ts').ApiServer} server
 * @param {Readonly<Record<string, string>>} [values]
 * @returns {string}
 */
export function serverUrl(server, values = {}) {
  return server.url.replace(/\{([^{}]*)\}/g, (written, name) => {
    const variable = server.variables.find((one) => one.name === name);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value || variable?.default || variable?.values[0] || written;
  });
}

/**
 * URL for samples, which are not relative to a page.
 * @param {string} url
 * @returns {string}
 */
export function absoluteServer(url) {
  const clean = url.trim();
  if (/^https?:\/\//i.test(clean)) return clean;
  if (clean.startsWith('//')) return `https:${clean}`;
  // `{scheme}://host`, and schemes of other protocols.
  const [, host] = /^[^/?#]*:\/\/(.*)$/s.exec(clean) ?? [];
  if (host !== undefined) return `https://${host}`;
  if (/^\{[^{}]*\}/.test(clean)) return clean;
  return `https://example.com${clean === '' || clean.startsWith('/') ? '' : '/'}${clean}`;
}

/**
 * @param {Draft} draft
 * @param {FormParameter} parameter
 * @param {unknown} value
 */
function addParameter(draft, parameter, value) {
  if (value === undefined || value === null) return;
  const { name, in: place, style, explode, allowReserved, contentType } = parameter;
  // A value with a content type is one text.
  const written = contentType === null ? value : contentText(contentType, value);
  const how = { style, explode };
  switch (place) {
    case 'path': {
      const text = expandText(name, written, how, allowReserved ? encodeReserved('path') : encode);
      if (text !== null && text !== '') draft.path.set(name, text);
      return;
    }
    case 'query': {
      const write = allowReserved ? encodeReserved('query') : encode;
      const pairs = expandPairs(name, written, how, write);
      draft.query.push(...pairs.map(([key, text]) => `${key}=${text}`));
      return;
    }
    case 'querystring':
      draft.query.push(queryOf(contentType, value));
      return;
    case 'header': {
      const text = expandText(name, written, how, (part) => part);
      if (text !== null) addHeader(draft, name, text);
      return;
    }
    case 'cookie': {
      const write = style === 'cookie' ? encodeCookie : encode;
      draft.cookies.push(...expandPairs(name, written, how, write));
      return;
    }
  }
}

/**
 * A whole query, by its content type.
 * @param {string | null} contentType
 * @param {unknown} value
 */
function queryOf(contentType, value) {
  if (typeof value === 'string') return encodeQuery(value);
  if (contentType !== null && isJson(contentType)) return encode(JSON.stringify(value));
  return formPairs(isRecord(value) ? value : {}, {})
    .map(([name, text]) => `${encode(name)}=${encode(text)}`)
    .join('&');
}

/**
 * Adds a header unless one with its name exists.
 * @param {Draft} draft
 * @param {string} name
 * @param {string} value
 */
function addHeader(draft, name, value) {
  if (!TOKEN.test(name) || OWN_HEADERS.test(name)) return;
  if (name.toLowerCase() === 'cookie') {
    for (const pair of value.split(';')) {
      const [, key = '', text = ''] = /^\s*([^=]*)=(.*)$/s.exec(pair) ?? [];
      if (key !== '') draft.cookies.push([encode(key), encodeCookie(text.trim())]);
    }
    return;
  }
  if (draft.headers.some(([known]) => known.toLowerCase() === name.toLowerCase())) return;
  draft.headers.push([name, encodeHeader(value)]);
}

/**
 * @param {Draft} draft
 * @param {RequestForm['security']} security
 * @param {Readonly<Record<string, Credentials>>} credentials
 */
function addCredentials(draft, security, credentials) {
  const has = (/** @type {ApiScheme} */ { name, type }) =>
    type === 'mutualTLS' || (Object.hasOwn(credentials, name) && isGiven(credentials[name]));
  const alternatives = security.filter((schemes) =>
    schemes.some((one) => one.type !== 'mutualTLS' && has(one)),
  );
  // Alternatives exclude each other: one that is complete, else what was entered.
  const complete = alternatives.find((schemes) => schemes.every(has));
  for (const scheme of complete ?? alternatives[0] ?? []) {
    const given = Object.hasOwn(credentials, scheme.name) ? credentials[scheme.name] : undefined;
    if (given !== undefined && isGiven(given)) addScheme(draft, scheme, given);
  }
}

/** @param {Credentials | undefined} given */
const isGiven = (given) => Boolean(given?.value || given?.user || given?.password);

/**
 * @param {Draft} draft
 * @param {ApiScheme} scheme
 * @param {Credentials} given
 */
function addScheme(draft, scheme, given) {
  const { value = '' } = given;
  if (scheme.type === 'apiKey') {
    if (scheme.in === 'header') addHeader(draft, scheme.key, value);
    else if (scheme.in === 'query') draft.query.push(`${encode(scheme.key)}=${encode(value)}`);
    else draft.cookies.push([encode(scheme.key), encodeCookie(value)]);
  } else if (scheme.type === 'http' && scheme.scheme === 'basic') {
    addHeader(draft, 'Authorization', `Basic ${basicText(given)}`);
  } else if (scheme.type === 'http' && scheme.scheme !== 'bearer') {
    const name = scheme.scheme.replace(/[^\w-]/g, '');
    addHeader(draft, 'Authorization', `${name.slice(0, 1).toUpperCase()}${name.slice(1)} ${value}`);
  } else if (scheme.type !== 'mutualTLS') {
    addHeader(draft, 'Authorization', `Bearer ${value}`);
  }
}

/** @param {Credentials} given */
function basicText({ value, user = '', password = '' }) {
  if (value) return value;
  // Placeholders stay readable.
  if (user === USER && password === PASSWORD) return `<base64 of user:password>`;
  let bytes = '';
  for (const byte of new TextEncoder().encode(`${user}:${password}`)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

/** @param {string} kind */
const isForm = (kind) => kind.startsWith('multipart/') || kind === 'application/x-www-form-urlencoded';

/** @param {string} type */
const isJsonLines = (type) => /[/+](?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/.test(essence(type));

/**
 * A value in a content type, as one text.
 * @param {string} type
 * @param {unknown} value
 */
function contentText(type, value) {
  if (isJson(type) || typeof value !== 'string') return JSON.stringify(value) ?? '';
  return value;
}

/**
 * @param {RequestForm} form
 * @param {RequestValues['body']} entered
 * @returns {{ type: string, body: HttpBody } | null}
 */
function bodyOf(form, entered) {
  if (entered === null || entered.value === undefined) return null;
  const { type: written, value } = entered;
  const described = form.bodies.find((body) => body.type === written);
  const encoding = described?.encoding ?? {};
  const kind = essence(written);
  if (kind.startsWith('multipart/')) return multipartOf(kind, partsOf(value, encoding, described?.field));
  const isFile = described?.field.type === 'file';
  const type = concreteType(written, value, isFile);
  if (isFile) return { type, body: { kind: 'file', file: clean(textOf(value)) } };
  if (kind === 'application/x-www-form-urlencoded') {
    if (typeof value === 'string') return { type, body: { kind: 'text', text: encodeQuery(value) } };
    return { type, body: { kind: 'form', pairs: formPairs(isRecord(value) ? value : {}, encoding) } };
  }
  return { type, body: { kind: 'text', text: clean(bodyText(type, value)) } };
}

/**
 * Clients write `multipart/form-data` themselves. Other types, such as `multipart/mixed`, are texts that all clients can
 * send; with files, only those that write any type.
 * @param {string} kind
 * @param {HttpPart[]} parts
 * @returns {{ type: string, body: HttpBody }}
 */
function multipartOf(kind, parts) {
  const isForm = kind === 'multipart/form-data' || !/^multipart\/[\w.+-]+$/.test(kind);
  if (isForm) return { type: '', body: { kind: 'multipart', parts } };
  if (parts.some(({ file }) => file !== null))
    return { type: '', body: { kind: 'multipart', parts, type: kind } };
  let boundary = BOUNDARY;
  while (parts.some(({ name, text }) => `${name}${text}`.includes(boundary))) boundary += '0';
  const text = multipartPieces(parts, boundary)
    .map((piece) => ('text' in piece ? piece.text : ''))
    .join('');
  return { type: `${kind}; boundary=${boundary}`, body: { kind: 'text', text } };
}

/**
 * @param {string} type
 * @param {unknown} value
 */
function bodyText(type, value) {
  if (isJsonLines(type) && Array.isArray(value))
    return value.map((one) => `${JSON.stringify(one)}\n`).join('');
  if (isJson(type) || typeof value !== 'string') return JSON.stringify(value, null, 2) ?? '';
  return value;
}

/**
 * Descriptions may have ranges of content types, which cannot be sent.
 * @param {string} type
 * @param {unknown} value
 * @param {boolean} isFile
 */
function concreteType(type, value, isFile) {
  if (!type.includes('*')) return type;
  if (isFile) return 'application/octet-stream';
  return typeof value === 'string' ? 'text/plain' : 'application/json';
}

/**
 * Pairs of a form. Without a style, items of lists repeat the name, and objects are JSON.
 * @param {Record<string, unknown>} value
 * @param {Readonly<Record<string, FormEncoding>>} encoding
 * @returns {Pair[]}
 */
function formPairs(value, encoding) {
  return Object.entries(value)
    .flatMap(([name, one]) => {
      const how = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
      const style = how === undefined ? null : styleOf(how);
      if (style !== null) return expandPairs(name, one, style, (text) => text);
      const isJsonPart = how?.contentType !== undefined && isJson(how.contentType);
      if (isJsonPart && one !== undefined) return [/** @type {Pair} */ ([name, JSON.stringify(one)])];
      const explode = isRecord(one) ? textOf(one) : one;
      return expandPairs(name, explode, { style: 'form', explode: true }, (text) => text);
    })
    .map(([name, text]) => [clean(name), clean(text)]);
}

/**
 * Values for samples: examples, and placeholders where a value is needed and no example exists. Bodies have their
 * optional properties unless `onlyRequired` is set; optional parameters are those with an example.
 * @param {RequestForm} form
 * @param {{ onlyRequired: boolean }} options
 * @returns {RequestValues}
 */
export function exampleValues(form, { onlyRequired }) {
  const [server] = form.servers;
  /** @type {[string, unknown][]} */
  const parameters = [];
  for (const { name, in: place, isRequired, field } of form.parameters) {
    if (!isRequired && onlyRequired) continue;
    const example = exampleOf(field, { onlyRequired, isMade: false });
    // A path without an example keeps its `{name}`.
    const value = example ?? (isRequired && place !== 'path' ? placeholderOf(field, place) : undefined);
    if (value !== undefined) parameters.push([`${place}:${name}`, value]);
  }
  const [body] = form.bodies;
  const hasBody = body !== undefined && (form.isBodyRequired || !onlyRequired);
  return {
    server: absoluteServer(server === undefined ? '' : serverUrl(server)),
    parameters: Object.fromEntries(parameters),
    body: hasBody ? { type: body.type, value: bodyExample(body, onlyRequired) } : null,
    credentials: exampleCredentials(form.security, onlyRequired),
  };
}

/**
 * Placeholders for the credentials of the first alternative.
 * @param {RequestForm['security']} security
 * @param {boolean} onlyRequired
 * @returns {Record<string, Credentials>}
 */
export function exampleCredentials(security, onlyRequired) {
  const isOptional = security.some((schemes) => schemes.length === 0);
  const chosen = onlyRequired && isOptional ? [] : (security.find((schemes) => schemes.length > 0) ?? []);
  return Object.fromEntries(
    chosen.filter(({ type }) => type !== 'mutualTLS').map((scheme) => [scheme.name, placeholderFor(scheme)]),
  );
}

/**
 * @param {ApiScheme} scheme
 * @returns {Credentials}
 */
function placeholderFor(scheme) {
  if (scheme.initial) return { value: scheme.initial };
  if (scheme.type === 'http' && scheme.scheme === 'basic') return { user: USER, password: PASSWORD };
  if (scheme.type !== 'apiKey') return { value: '<token>' };
  // Angle brackets would be percent-encoded in a URL.
  return { value: scheme.in === 'query' ? 'YOUR_API_KEY' : '<api-key>' };
}

/**
 * @param {FormField} field
 * @param {import('../operation.ts').ParameterPlace} place
 * @returns {unknown}
 */
function placeholderOf(field, place) {
  switch (field.type) {
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return field.items === undefined
        ? undefined
        : repeat(placeholderOf(field.items, place) ?? 'string', field.itemsNeeded ?? 1);
    case 'object':
      return undefined;
    default:
      return place === 'header' ? '<string>' : 'string';
  }
}

/**
 * @param {FormBody} body
 * @param {boolean} onlyRequired
 */
function bodyExample({ type, field }, onlyRequired) {
  const kind = essence(type);
  if (field.type === 'file' && field.example === undefined) return fileName(kind);
  const value = exampleOf(field, { onlyRequired, isMade: true });
  if (value !== undefined) return value;
  return isJson(kind) || isForm(kind) ? {} : '<string>';
}

/** @param {string} type */
function fileName(type) {
  const [, ending = ''] = /^(?:image|audio|video|font|application)\/(?:x-)?([a-z\d]{2,5})$/.exec(type) ?? [];
  return ending === '' ? 'file' : `file.${ending}`;
}

/**
 * Example of a field: its own, else one made of its parts. `isMade` adds values of a type for parts without an example.
 * @param {FormField} field
 * @param {{ onlyRequired: boolean, isMade: boolean }} options
 * @returns {unknown}
 */
function exampleOf(field, options) {
  if (field.example !== undefined) return field.example;
  if (field.properties !== undefined) {
    /** @type {[string, unknown][]} */
    const entries = [];
    for (const { name, isRequired, isOmitted, field: property } of field.properties) {
      if (isOmitted || (!isRequired && options.onlyRequired)) continue;
      let value = exampleOf(property, options);
      if (value === undefined && isRequired && options.isMade && property.type === 'any') value = '<any>';
      if (value !== undefined) entries.push([name, value]);
    }
    return entries.length > 0 || options.isMade ? Object.fromEntries(entries) : undefined;
  }
  if (field.items !== undefined) {
    const item = exampleOf(field.items, options);
    if (item !== undefined) return repeat(item, field.itemsNeeded ?? 1);
  }
  return options.isMade ? valueOfType(field) : undefined;
}

/**
 * @param {FormField} field
 * @returns {unknown}
 */
function valueOfType({ type }) {
  if (type === 'file') return 'file';
  if (type === 'string') return '<string>';
  return type === 'array' ? [] : type === 'object' ? {} : undefined;
}
