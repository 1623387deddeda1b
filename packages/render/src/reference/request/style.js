/**
 * How values of parameters are written, by the `style`, `explode` and `allowReserved` of OpenAPI 3.1 and 3.2, which
 * follow RFC 6570. The result is ASCII. Used by the build and by browsers: nothing but the language itself.
 */

/** @typedef {{ style: string, explode: boolean, allowReserved?: boolean }} Style */

const textEncoder = new TextEncoder();

/**
 * Percent-encodes as UTF-8 what `kept` does not match. Lone surrogates become U+FFFD.
 * @param {string} text
 * @param {RegExp} kept a character that stays
 */
function encodeExcept(text, kept) {
  let result = '';
  for (const character of text.replace(/[\ud800-\udfff]/gu, '\ufffd')) {
    if (kept.test(character)) result += character;
    else
      for (const byte of textEncoder.encode(character))
        result += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return result;
}

/**
 * Leaves the unreserved characters of RFC 3986.
 * @param {string} text
 */
export const encode = (text) => encodeExcept(text, /[\w.~-]/);

/**
 * Leaves what is already percent-encoded, in the normal form of RFC 3986, which some clients send.
 * @param {string} text
 * @param {RegExp} kept
 */
function encodeRest(text, kept) {
  return text
    .split(/(%[\da-f]{2})/i)
    .map((part, index) => (index % 2 === 1 ? normalTriple(part) : encodeExcept(part, kept)))
    .join('');
}

/** @param {string} triple */
function normalTriple(triple) {
  const character = String.fromCharCode(Number.parseInt(triple.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : triple.toUpperCase();
}

/**
 * The path of a description outside of its parameters.
 * @param {string} text
 */
export const encodePath = (text) => encodeRest(text, /[\w.~!$&()*+,;=:@/-]/);

/**
 * A query as written in a URL.
 * @param {string} text
 */
export const encodeQuery = (text) => encodeRest(text, /[\w.~!$&()*+,;=:@/?-]/);

/**
 * `allowReserved`: reserved characters stay unless they would end the value or the place. RFC 3986 does not allow
 * brackets there, and clients encode apostrophes.
 * @param {'path' | 'query'} place
 * @returns {(text: string) => string}
 */
export const encodeReserved = (place) => {
  const kept = place === 'path' ? /[\w.~!$&()*+,;=:@-]/ : /[\w.~!$()*,;=:@/?-]/;
  return (text) => encodeRest(text, kept);
};

/**
 * A cookie value that is not percent-encoded, without what would end it (RFC 6265).
 * @param {string} text
 */
export const encodeCookie = (text) => encodeExcept(text, /[!#-+\--:<-[\]-~,]/);

/**
 * A header value: one line of ASCII.
 * @param {string} text
 */
export const encodeHeader = (text) => encodeExcept(text.replace(/[\r\n\t]+/g, ' ').trim(), /[ -~]/);

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export const isRecord = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value);

/**
 * An integer with more digits than a number holds, which only the build has.
 * @param {unknown} value
 */
const isExact = (value) => 'isRawJSON' in JSON && JSON.isRawJSON(value);

/**
 * Text of one value. Lists and objects inside of others have no style: they are written as JSON.
 * @param {unknown} value
 * @returns {string}
 */
export const textOf = (value) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');

/** @param {Record<string, unknown>} value */
const entriesOf = (value) => Object.entries(value).filter(([, one]) => one !== undefined && one !== null);

/** @param {unknown[]} list */
const itemsOf = (list) => list.filter((one) => one !== undefined && one !== null);

/** `tabDelimited` is the `tsv` of Swagger 2.0. */
const DELIMITERS = /** @type {Record<string, string>} */ ({
  spaceDelimited: ' ',
  pipeDelimited: '|',
  tabDelimited: '\t',
});

/**
 * A value as one text: of a path or a header (`simple`, `label`, `matrix`, or what separates items). Null if nothing is to be sent.
 * @param {string} name
 * @param {unknown} value
 * @param {Style} style
 * @param {(text: string) => string} write
 * @returns {string | null}
 */
export function expandText(name, value, { style, explode }, write) {
  if (value === undefined || value === null) return null;
  const key = write(name);
  const named = (/** @type {string} */ one, /** @type {string} */ text) =>
    style === 'matrix' && text === '' ? one : `${one}=${text}`;
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : '';
  const delimiter = DELIMITERS[style];
  const separator = delimiter !== undefined ? write(delimiter) : explode && prefix !== '' ? prefix : ',';
  /** @type {string[]} */
  let parts;
  let isNamed = style === 'matrix';
  if (Array.isArray(value)) {
    parts = itemsOf(value).map((one) => write(textOf(one)));
    if (parts.length === 0) return null;
    if (isNamed && explode) {
      parts = parts.map((text) => named(key, text));
      isNamed = false;
    }
  } else if (isRecord(value)) {
    const entries = entriesOf(value);
    if (entries.length === 0) return null;
    parts = entries.flatMap(([one, text]) =>
      explode ? [named(write(one), write(textOf(text)))] : [write(one), write(textOf(text))],
    );
    if (explode) isNamed = false;
  } else parts = [write(textOf(value))];
  const text = parts.join(separator);
  return prefix + (isNamed ? named(key, text) : text);
}

/**
 * A value as pairs: of a query, of cookies or of a form (`form`, `spaceDelimited`, `pipeDelimited`, `tabDelimited`,
 * `deepObject`).
 * `write` encodes names and values; delimiters are encoded as well if they are not allowed in a URL.
 * @param {string} name
 * @param {unknown} value
 * @param {Style} style
 * @param {(text: string) => string} write
 * @returns {[name: string, value: string][]}
 */
export function expandPairs(name, value, { style, explode }, write) {
  if (value === undefined || value === null) return [];
  const isList = Array.isArray(value);
  if (!isList && !isRecord(value)) return [[write(name), write(textOf(value))]];
  if (style === 'deepObject') return expandDeep(name, value, write, 0);
  const delimiter = DELIMITERS[style];
  if (explode) {
    if (isList) return itemsOf(value).map((one) => [write(name), write(textOf(one))]);
    return entriesOf(value).map(([key, one]) => [write(key), write(textOf(one))]);
  }
  const texts = isList ? itemsOf(value) : entriesOf(value).flat();
  if (texts.length === 0) return [];
  const text = texts.map((one) => write(textOf(one))).join(delimiter === undefined ? ',' : write(delimiter));
  return [[write(name), text]];
}

const MAX_DEPTH = 12;

/**
 * `a[b]=1`. OpenAPI leaves deeper values open: they continue the pattern, with indexes for lists, which keeps the
 * properties of each item together.
 * @param {string} name
 * @param {unknown} value
 * @param {(text: string) => string} write
 * @param {number} depth
 * @returns {[name: string, value: string][]}
 */
function expandDeep(name, value, write, depth) {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || depth > MAX_DEPTH) return [[write(name), write(textOf(value))]];
  return Object.entries(value).flatMap(([key, one]) => expandDeep(`${name}[${key}]`, one, write, depth + 1));
}
