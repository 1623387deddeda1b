/**
 * Parts of multipart bodies, and the texts that are in bodies of all kinds. Used by the build and by browsers: nothing but
 * the language itself.
 */
import { encodeHeader, expandPairs, isRecord, textOf } from './style.js';

/** @typedef {import('./types.ts').HttpPart} HttpPart */
/** @typedef {import('./types.ts').FormEncoding} FormEncoding */
/** @typedef {import('./types.ts').FormField} FormField */

/** @param {string} type */
export const essence = (type) => (type.split(';')[0] ?? '').trim().toLowerCase();

/** @param {string} type */
export const isJson = (type) => /[/+]json$/.test(essence(type));

/**
 * No text of a request has NUL, which the arguments of a program cannot have, or lone surrogates.
 * @param {string} text
 */
export const clean = (text) => text.replace(/[\ud800-\udfff\0]/gu, '\ufffd');

/**
 * How a property is written as pairs; null if its content type decides.
 * @param {FormEncoding} encoding
 */
export function styleOf({ style, explode, allowReserved }) {
  if (style === undefined && explode === undefined && allowReserved === undefined) return null;
  return { style: style ?? 'form', explode: explode ?? (style ?? 'form') === 'form' };
}

/**
 * @param {unknown} value
 * @param {Readonly<Record<string, FormEncoding>>} encoding
 * @param {FormField | undefined} field
 * @returns {HttpPart[]}
 */
export function partsOf(value, encoding, field) {
  if (Array.isArray(value)) return value.flatMap((one, index) => partOfList(one, index, encoding, field));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const property = field?.properties?.find((known) => known.name === name)?.field;
    const how = (Object.hasOwn(encoding, name) ? encoding[name] : undefined) ?? {};
    return partsOfProperty(clean(name), one, how, property);
  });
}

/**
 * Parts of a list have no names; clients need one.
 * @param {unknown} value
 * @param {number} index
 * @param {Readonly<Record<string, FormEncoding>>} encoding
 * @param {FormField | undefined} field
 * @returns {HttpPart[]}
 */
function partOfList(value, index, encoding, field) {
  const isFile = field?.items?.type === 'file';
  const rest = Object.keys(encoding).find((key) => /^\[\d+…\]$/.test(key));
  const { contentType } = encoding[`[${index}]`] ?? encoding[rest ?? ''] ?? {};
  return partOfItem(isFile ? 'file' : 'part', value, partType(contentType), isFile);
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {FormEncoding} encoding
 * @param {FormField | undefined} field
 * @returns {HttpPart[]}
 */
function partsOfProperty(name, value, encoding, field) {
  if (value === undefined || value === null) return [];
  const style = styleOf(encoding);
  const isFile = field?.type === 'file' || field?.items?.type === 'file';
  if (style !== null && !isFile)
    return expandPairs(name, value, style, (text) => text).map(([key, text]) => ({
      name: clean(key),
      text: clean(text),
      file: null,
      type: null,
    }));
  const type = partType(encoding.contentType);
  // A list of JSON is one part only if its content type says it.
  const items = Array.isArray(value) && (type === null || !isJson(type)) ? value : [value];
  return items.flatMap((one) => partOfItem(name, one, type, isFile));
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {string | null} type
 * @param {boolean} isFile
 * @returns {HttpPart[]}
 */
function partOfItem(name, value, type, isFile) {
  if (value === undefined || value === null) return [];
  if (isFile) return [{ name, text: null, file: clean(textOf(value)) || 'file', type }];
  const isObject = Array.isArray(value) || isRecord(value);
  const text = isObject || (type !== null && isJson(type)) ? JSON.stringify(value, null, 2) : textOf(value);
  return [{ name, text: clean(text), file: null, type: type ?? (isObject ? 'application/json' : null) }];
}

/**
 * The first content type of a list; null for a range.
 * @param {string | undefined} written
 */
function partType(written) {
  const type = encodeHeader((written ?? '').split(',')[0] ?? '');
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: ?;.*)?$/.test(type) ? type : null;
}
