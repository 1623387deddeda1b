import { CORE_SCHEMA, Type } from 'js-yaml';
import { isObject, type JsonObject } from '../config/json.ts';
import { DATA, NAMED } from './identifiers.ts';

declare global {
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** Whether a text may have integers that a number does not hold exactly; not one with hostile integers. */
export const mayHaveLongIntegers = (text: string): boolean => /\d{16}/.test(text) && !/\d{401}/.test(text);

const DECIMAL = /^[-+]?\d{16,}$/;

/** A value of JSON whose long integers are of the type `bigint`. */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && DECIMAL.test(source) ? BigInt(source) : value,
  );

/** The same for YAML. */
export const EXACT_SCHEMA = CORE_SCHEMA.extend({
  implicit: [
    new Type('tag:yaml.org,2002:int', {
      kind: 'scalar',
      resolve: (data: unknown) =>
        typeof data === 'string' && /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+|[-+]?0b[01]+)$/.test(data),
      construct: (data: string) => {
        if (DECIMAL.test(data)) return BigInt(data);
        const [, sign = '', rest = ''] = /^([-+]?)(.*)$/.exec(data) ?? [];
        return Number(/^0[box]/.test(rest) ? rest : rest.replace(/^0+(?=\d)/, '')) * (sign === '-' ? -1 : 1);
      },
    }),
  ],
});

const LIMITS: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]);
/** Members whose value is one of the schema. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'example', 'enum', 'examples']);
/** Further members whose values are data. */
const OTHER_DATA: ReadonlySet<string> = new Set(['dataValue', 'x-default']);

/** What integers with many digits become: their digits as text, a value that JSON writes with all digits, or numbers. */
type Form = 'text' | 'exact' | 'number';

/**
 * Replaces integers of the type `bigint`: in limits and values of schemas of numbers by their digits as text, which pages
 * show, in other values and examples by values with all digits, elsewhere by numbers, as JSON has them.
 */
export function settleIntegers(document: unknown): unknown {
  const known = new Set<object>();
  const settle = (value: unknown, form: Form, hasNames: boolean): unknown => {
    if (typeof value === 'bigint') return settled(value, form);
    if (typeof value !== 'object' || value === null || known.has(value)) return value;
    known.add(value);
    if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) value[index] = settle(one, form, false);
      return value;
    }
    if (!isObject(value)) return value;
    const formOf = (key: string): Form =>
      form !== 'number' ? 'exact' : hasNames ? 'number' : formIn(key, value);
    const isMap = (key: string): boolean => form === 'number' && !hasNames && NAMED.has(key);
    for (const [key, one] of Object.entries(value))
      setMember(value, key, settle(one, formOf(key), isMap(key)));
    return value;
  };
  return settle(document, 'number', false);
}

function settled(value: bigint, form: Form): unknown {
  const number = Number(value);
  if (form === 'number' || Number.isSafeInteger(number)) return number;
  return form === 'text' ? String(value) : JSON.rawJSON(String(value));
}

function formIn(key: string, holder: JsonObject): Form {
  if (isExactIn(key, isNumeric(holder))) return 'text';
  return DATA.has(key) || OTHER_DATA.has(key) ? 'exact' : 'number';
}

const isNumeric = ({ type }: JsonObject): boolean =>
  [type].flat().some((one) => one === 'integer' || one === 'number');

const isExactIn = (key: string, isOfNumbers: boolean): boolean =>
  LIMITS.has(key) || (isOfNumbers && VALUES.has(key));

function setMember(holder: JsonObject, key: string, value: unknown): void {
  if (holder[key] !== value)
    Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Makes exact integers again of what a library copied: objects with the text of one as their only member. */
export function restoreIntegers(document: unknown): unknown {
  const known = new Set<object>();
  const restore = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || known.has(value)) return value;
    const exact = isObject(value) && Object.keys(value).join() === 'rawJSON' ? exactOf(value.rawJSON) : value;
    if (exact !== value && typeof exact === 'object') return exact;
    known.add(value);
    if (Array.isArray(value)) for (const [index, one] of value.entries()) value[index] = restore(one);
    else if (isObject(value))
      for (const [key, one] of Object.entries(value)) setMember(value, key, restore(one));
    return value;
  };
  return restore(document);
}

/** The digits of an exact integer, or of a text that has such digits; null for other values. */
export function digitsOf(value: unknown): string | null {
  if (typeof value === 'string') return exactInteger(value) === null ? null : value;
  return JSON.isRawJSON(value) ? JSON.stringify(value) : null;
}

/** Digits of an integer as a value that JSON writes with all of them; null for other texts. */
export const exactInteger = (text: string): object | null =>
  /^-?[1-9]\d{15,400}$/.test(text) ? JSON.rawJSON(text) : null;

/** JSON of a part of a description, in which the integers that `settleIntegers` made texts are integers again. */
export const stringifyExact = (part: unknown, space = 0): string =>
  JSON.stringify(
    part,
    function (this: unknown, key: string, value: unknown) {
      if (!isObject(this) || !isExactIn(key, isNumeric(this))) return value;
      return Array.isArray(value) ? value.map(exactOf) : exactOf(value);
    },
    space,
  );

const exactOf = (value: unknown): unknown =>
  typeof value === 'string' ? (exactInteger(value) ?? value) : value;
