import { CORE_SCHEMA, Type } from 'js-yaml';
import { isObject, type JsonObject } from '../config/json.ts';

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

/**
 * Replaces integers of the type `bigint`: in limits and values of schemas of numbers by their digits as text, which pages
 * show, elsewhere by numbers, as JSON has them.
 */
export function settleIntegers(document: unknown): unknown {
  const known = new Set<object>();
  const settle = (value: unknown, isExact: boolean): unknown => {
    if (typeof value === 'bigint') {
      const number = Number(value);
      return isExact && !Number.isSafeInteger(number) ? String(value) : number;
    }
    if (typeof value !== 'object' || value === null || known.has(value)) return value;
    known.add(value);
    if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) value[index] = settle(one, isExact);
      return value;
    }
    if (!isObject(value)) return value;
    const isExactValue = isNumeric(value);
    for (const [key, one] of Object.entries(value))
      setMember(value, key, settle(one, isExactIn(key, isExactValue)));
    return value;
  };
  return settle(document, false);
}

const isNumeric = ({ type }: JsonObject): boolean =>
  [type].flat().some((one) => one === 'integer' || one === 'number');

const isExactIn = (key: string, isOfNumbers: boolean): boolean =>
  LIMITS.has(key) || (isOfNumbers && VALUES.has(key));

function setMember(holder: JsonObject, key: string, value: unknown): void {
  if (holder[key] !== value)
    Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
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
