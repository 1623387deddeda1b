import type { JsonObject } from '../config/json.ts';
import { digitsOf } from './long-integers.ts';

const LIMITS = [
  ...['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['pattern', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'minContains'],
  ...['maxContains', 'contentEncoding', 'contentMediaType'],
];

/**
 * Adds the limits of a part of a schema to those that are known. Of two limits, the one that implies the other stays; a
 * limit that applies beside another one of its keyword is returned.
 */
export function addLimits(
  known: Map<string, string>,
  value: JsonObject,
): [keyword: string, value: unknown][] {
  const written =
    value.exclusiveMinimum === true || value.exclusiveMaximum === true ? asLimits(value) : value;
  const others: [string, unknown][] = [];
  for (const key of LIMITS) {
    const limit = digitsOf(written[key]) ?? written[key];
    if (typeof limit !== 'string' && typeof limit !== 'number' && limit !== true) continue;
    const before = known.get(key);
    const merged =
      before === undefined || before === String(limit) ? String(limit) : both(key, before, limit);
    if (merged === null) others.push([key, limit]);
    else known.set(key, merged);
  }
  keepStricter(known, 'minimum', 'exclusiveMinimum', 1);
  keepStricter(known, 'maximum', 'exclusiveMaximum', -1);
  return others;
}

/** `exclusiveMinimum` is a flag beside `minimum` in OpenAPI 3.0, and the limit itself in later versions. */
function asLimits(value: JsonObject): JsonObject {
  const limits = { ...value };
  for (const [flag, key] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (value[flag] !== true) continue;
    limits[flag] = value[key];
    delete limits[key];
  }
  return limits;
}

/** One limit that says the same as two different ones; null if none does. */
function both(key: string, known: string, limit: string | number | true): string | null {
  const [a, b] = [Number(known), Number(limit)];
  if (Number.isNaN(a) || Number.isNaN(b)) return null;
  if (key === 'multipleOf') return commonMultiple(a, b);
  const isUpper = /^max|Maximum$/.test(key);
  return (isUpper ? a <= b : a >= b) ? known : String(limit);
}

function commonMultiple(a: number, b: number): string | null {
  if (!(a > 0 && b > 0)) return null;
  const [small, large] = a < b ? [a, b] : [b, a];
  if (Number.isInteger(Number((large / small).toPrecision(12)))) return String(large);
  if (!Number.isInteger(a) || !Number.isInteger(b)) return null;
  const multiple = (a / greatestDivisor(a, b)) * b;
  return Number.isSafeInteger(multiple) ? String(multiple) : null;
}

function greatestDivisor(a: number, b: number): number {
  let [one, other] = [a, b];
  while (other !== 0) [one, other] = [other, one % other];
  return one;
}

/** `sign` is 1 for lower limits and -1 for upper ones. */
function keepStricter(known: Map<string, string>, inclusive: string, exclusive: string, sign: 1 | -1): void {
  const [from, beyond] = [known.get(inclusive), known.get(exclusive)];
  if (from === undefined || beyond === undefined) return;
  known.delete(sign * Number(from) > sign * Number(beyond) ? exclusive : inclusive);
}

/** `1 <= x <= 100`, `length <= 20`, `2 <= items`; null without limits. */
export function rangeOf(limits: ReadonlyMap<string, string>): string | null {
  const parts: string[] = [];
  const add = (
    least: string | undefined,
    word: string,
    most: string | undefined,
    signs: [string, string],
  ): void => {
    if (least === undefined && most === undefined) return;
    const from = least === undefined ? '' : `${least} ${signs[0]} `;
    const to = most === undefined ? '' : ` ${signs[1]} ${most}`;
    parts.push(`${from}${word}${to}`);
  };
  const [above, below] = [limits.get('exclusiveMinimum'), limits.get('exclusiveMaximum')];
  add(above ?? limits.get('minimum'), 'x', below ?? limits.get('maximum'), [
    above === undefined ? '<=' : '<',
    below === undefined ? '<=' : '<',
  ]);
  add(limits.get('minLength'), 'length', limits.get('maxLength'), ['<=', '<=']);
  add(limits.get('minItems'), 'items', limits.get('maxItems'), ['<=', '<=']);
  add(limits.get('minProperties'), 'properties', limits.get('maxProperties'), ['<=', '<=']);
  add(limits.get('minContains'), 'matching items', limits.get('maxContains'), ['<=', '<=']);
  return parts.length === 0 ? null : parts.join(', ');
}
