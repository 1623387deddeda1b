import { isObject } from '../config/json.ts';
import { isLong } from './long-example.ts';
import { exactInteger } from './long-integers.ts';
import { stringOfPattern } from './pattern.ts';
import { repeat } from './request/repeat.js';
import type { At } from './resolver.ts';
import type { Property, Schema, Schemas } from './schema.ts';
import { isScalarType, listOf } from './values.ts';
import { differentValues } from './vary.ts';

/** What an example contains. */
export interface ExampleOptions {
  /** Which properties are left out: those that only the other direction has. */
  direction: 'request' | 'response';
  /** Optional properties too. */
  isComplete: boolean;
  /** Values that several examples may have together; default: 300 for this one. */
  budget?: ExampleBudget;
}

/** Values that may still be made. */
export interface ExampleBudget {
  left: number;
}

interface Making extends ExampleOptions {
  schemas: Schemas;
  budget: ExampleBudget;
  /** Schemas that are open, by which a circle is seen. */
  open: Set<unknown>;
  /** The last value was not made because it contains itself, or is too deep. */
  isEndless: boolean;
}

/** Values of an example, or of all examples of a form. */
export const MAX_VALUES = 300;
const MAX_DEPTH = 8;
const MAX_PROPERTIES = 40;

/** An example of a schema: those that the description gives, else one made of its types. The same each time. */
export function exampleOf(at: At, schemas: Schemas, options: ExampleOptions): unknown {
  return make(
    at,
    { budget: { left: MAX_VALUES }, ...options, schemas, open: new Set(), isEndless: false },
    0,
  );
}

function make(at: At, making: Making, depth: number): unknown {
  if (--making.budget.left < 0) return undefined;
  const target = making.schemas.resolver.resolve(at);
  if (target === null) return undefined;
  const schema = making.schemas.read(at);
  const given = givenBy(schema);
  const isTooDeep = depth > MAX_DEPTH && !isScalar(schema);
  making.isEndless = given === undefined && (isTooDeep || making.open.has(target.value));
  if (given !== undefined) return given;
  if (making.isEndless) return undefined;
  making.open.add(target.value);
  const value = ofTypes(schema, making, depth);
  making.open.delete(target.value);
  return value;
}

const isScalar = ({ types, variants }: Schema): boolean =>
  variants.length === 0 && types.length > 0 && types.every(isScalarType);

function givenBy(schema: Schema): unknown {
  const { examples, default: initial, values } = schema;
  const given = [...examples, initial?.value].filter((one) => !isLong(one));
  for (const one of given) {
    const fitting = fittingValue(one, schema);
    if (fitting !== undefined) return fitting;
  }
  return fittingValue(values.find(({ value }) => !isLong(value))?.value, schema);
}

/**
 * An example or default as a value of the types of its schema: `1` of a string is `"1"`. Undefined if it is none, which
 * the page shows, but bodies do not contain. Allowed values are of any type.
 */
export function fittingValue(value: unknown, { types, isNullable, values }: Schema): unknown {
  const exact = exactOf(value, types);
  if (exact !== null) return exact;
  if (value === undefined || types.length === 0 || values.some((one) => one.value === value)) return value;
  if (value === null) return isNullable || types.includes('null') ? value : undefined;
  const own = Array.isArray(value) ? 'array' : typeof value;
  const isNumeric = types.includes('number') || types.includes('integer');
  if (own === 'number' && isNumeric) return value;
  if (types.includes(own)) return value;
  // A text may be the XML of an object.
  if (own === 'object' || own === 'array') return undefined;
  if (types.includes('string')) return String(value);
  if (typeof value !== 'string') return undefined;
  if (types.includes('object') && value.trimStart().startsWith('<')) return value;
  if (types.includes('boolean') && /^(?:true|false)$/.test(value)) return value === 'true';
  return isNumeric && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : undefined;
}

const isNumber = (type: string): boolean => type === 'integer' || type === 'number';

/** An integer with all of its digits as a value of the types; null for other values. */
function exactOf(value: unknown, types: readonly string[]): unknown {
  if (JSON.isRawJSON(value))
    return types.includes('string') && !types.some(isNumber) ? JSON.stringify(value) : value;
  const isOnlyNumber = types.length > 0 && types.every(isNumber);
  return isOnlyNumber && typeof value === 'string' ? exactInteger(value) : null;
}

function ofTypes(schema: Schema, making: Making, depth: number): unknown {
  const [variants] = schema.variants;
  const [first] = variants?.list ?? [];
  const own = ofType(schema, making, depth);
  if (first === undefined) return own;
  const chosen = make(first, making, depth + 1);
  const isMerged = isObject(own) && isObject(chosen);
  const value = isMerged ? { ...own, ...described(chosen, own) } : (chosen ?? own);
  const kind = variants?.discriminator;
  const [name] = kind?.values[0] ?? [];
  if (kind == null || name === undefined || !isObject(value)) return value;
  if (!(kind.property in value)) return { [kind.property]: name, ...value };
  // The base of the alternatives, or one of them, may know the property, but not its value.
  const isKnown = isObject(chosen) && kind.property in chosen && chosen[kind.property] !== USUAL_TEXT;
  return isKnown ? value : { ...value, [kind.property]: name };
}

/** Values of an alternative without those that only the schema around it describes. */
function described(chosen: Record<string, unknown>, own: Record<string, unknown>): Record<string, unknown> {
  const known = Object.entries(chosen).filter(([name, value]) => value !== ANY_VALUE || !(name in own));
  return Object.fromEntries(known);
}

function ofType(schema: Schema, making: Making, depth: number): unknown {
  switch (schema.types[0]) {
    case 'object':
      return ofObject(schema, making, depth);
    case 'array':
      return ofArray(schema, making, depth);
    case 'integer':
      return ofNumber(schema, 1);
    case 'number':
      return ofNumber(schema, /^u?int/.test(schema.format ?? '') ? 1 : 1.5);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return ofString(schema);
    default:
      // Only objects have names.
      if (schema.undescribed.length > 0) return ofObject(schema, making, depth);
      return schema.variants.length > 0 ? undefined : schema.isNullable ? null : undefined;
  }
}

/** Undefined where it would be without a required property, because that contains the object or is too deep. */
function ofObject(schema: Schema, making: Making, depth: number): Record<string, unknown> | undefined {
  // Names of properties may be `__proto__`, and each object has other names: the engine would keep a layout of each.
  const value: Record<string, unknown> = Object.create(null);
  let count = 0;
  const { list, max } = membersOf(schema);
  for (const { name, isRequired, schema: at } of list) {
    if (count >= max) break;
    if (!isRequired && !making.isComplete) continue;
    const property = making.schemas.read(at);
    if (making.direction === 'request' ? property.isReadOnly : property.isWriteOnly) continue;
    if (!isRequired && property.deprecated) continue;
    let made = make(at, making, depth + 1);
    if (made === undefined && isRequired && making.isEndless && depth > 0) return undefined;
    if (made === undefined && isRequired && isAny(property)) made = ANY_VALUE;
    if (made === undefined) continue;
    value[name] = made;
    count++;
  }
  addOthers(value, count === 0, schema, making, depth);
  return value;
}

/** Adds properties that only `required` or `additionalProperties` describes. */
function addOthers(
  value: Record<string, unknown>,
  isEmpty: boolean,
  { additional, undescribed }: Schema,
  making: Making,
  depth: number,
): void {
  const makeOne = (): unknown => (additional === null ? undefined : make(additional, making, depth + 1));
  for (const name of undescribed) {
    if (--making.budget.left < 0) return;
    value[name] = makeOne() ?? ANY_VALUE;
  }
  const key = isEmpty && undescribed.length === 0 ? makeOne() : undefined;
  if (key !== undefined) value.key = key;
}

const isAny = ({ types, variants, isNullable }: Schema): boolean =>
  types.length === 0 && variants.length === 0 && !isNullable;

/** The properties of an example, and how many it may have. */
export function membersOf({ properties, requirements, limits, not }: Schema): {
  list: readonly Property[];
  max: number;
} {
  const max = Math.min(MAX_PROPERTIES, Number(limits.get('maxProperties') ?? MAX_PROPERTIES));
  let list = properties;
  for (const { kind, list: alternatives } of requirements) {
    const chosen = new Set(alternatives[0]);
    // A value that has the properties of two alternatives of `oneOf` matches neither alone.
    const others = new Set(kind === 'oneOf' ? alternatives.flat() : []);
    list = list
      .filter(({ name, isRequired }) => isRequired || chosen.has(name) || !others.has(name))
      .map((one) => (chosen.has(one.name) ? { ...one, isRequired: true } : one));
  }
  const excluded = not === null ? [] : namesExcluded(not.value);
  // Properties that a value must not have together: without one of them, it may have the others.
  const omitted = list.find(({ name, isRequired }) => !isRequired && excluded.includes(name));
  if (omitted !== undefined) list = list.filter((one) => one !== omitted);
  if (list.length <= max) return { list, max };
  return { list: [...list.filter((one) => one.isRequired), ...list.filter((one) => !one.isRequired)], max };
}

/** Names of `not: {required: […]}`. */
function namesExcluded(not: unknown): unknown[] {
  const isOnly = isObject(not) && Object.keys(not).every((key) => key === 'required');
  return isOnly ? listOf(not.required) : [];
}

function ofArray(schema: Schema, making: Making, depth: number): unknown[] {
  const first = schema.prefix.map((at) => make(at, making, depth + 1)).filter((item) => item !== undefined);
  const list = [...first, ...matchingItems(schema, making, depth)];
  const count = itemsNeeded(schema) - list.length;
  if (count <= 0 || schema.items === null) return list;
  const item = make(schema.items, making, depth + 1);
  if (item === undefined) return list;
  if (!schema.limits.has('uniqueItems')) return [...list, ...repeat(item, count)];
  const known = new Set(list.map((one) => JSON.stringify(one)));
  // Of values that the list has already, there may be as many.
  const others = differentValues(item, schema.items, count + known.size, making.schemas);
  const isShort = JSON.stringify(item).length * count <= MAX_DIFFERENT;
  return [...list, ...others.filter((one) => !known.has(JSON.stringify(one))).slice(0, isShort ? count : 1)];
}

/** Items for `contains`. */
function matchingItems(schema: Schema, making: Making, depth: number): unknown[] {
  const { contains, items, limits } = schema;
  const count = Math.min(MAX_ITEMS, Number(limits.get('minContains') ?? 1));
  if (contains === null || !(count > 0)) return [];
  const both = { ...contains, value: { allOf: [items?.value, contains.value] } };
  const at = items === null || items.file !== contains.file ? contains : both;
  const item = make(at, making, depth + 1);
  if (item === undefined) return [];
  return limits.has('uniqueItems') ? differentValues(item, at, count, making.schemas) : repeat(item, count);
}

/** Items of an example that are made. */
const MAX_ITEMS = 20;
/** Characters of items that differ: lists in lists would otherwise grow with the power of their depth. */
const MAX_DIFFERENT = 800;

/** How many items the example of an array has. */
export function itemsNeeded({ limits, prefix }: Schema): number {
  const usual = prefix.length > 0 ? 0 : 1;
  const max = Number(limits.get('maxItems') ?? MAX_ITEMS);
  const min = Number(limits.get('minItems') ?? usual);
  return Math.min(MAX_ITEMS, Math.max(usual, min), Number.isNaN(max) ? MAX_ITEMS : max);
}

/** Whether the items of an example differ, so that it is not one item several times. */
export const hasDifferentItems = (schema: Schema): boolean =>
  schema.contains !== null || (schema.limits.has('uniqueItems') && itemsNeeded(schema) > 1);

/** A number that the limits allow, if one of those that are likely is. */
function ofNumber({ limits }: Schema, usual: number): number {
  const limit = (name: string): number => Number(limits.get(name) ?? Number.NaN);
  const [least, most] = [limit('minimum'), limit('maximum')];
  const [above, below] = [limit('exclusiveMinimum'), limit('exclusiveMaximum')];
  const step = stepOf(limit('multipleOf'), Number.isInteger(usual));
  const isAllowed = (value: number): boolean =>
    !(value < least || value > most || value <= above || value >= below);
  const [low, high] = [above, below].map((one, index) => (Number.isNaN(one) ? [least, most][index] : one));
  const likely = [usual, least, above + 1, most, below - 1, ((low ?? 0) + (high ?? 0)) / 2];
  const values = likely
    .filter(Number.isFinite)
    .flatMap((value) =>
      step === null
        ? [value]
        : [Math.ceil(value / step), Math.floor(value / step)].map((count) => rounded(count * step)),
    );
  return values.find(isAllowed) ?? usual;
}

/** What the number is a multiple of; null for any number. */
function stepOf(multipleOf: number, isWhole: boolean): number | null {
  if (isWhole && !Number.isInteger(multipleOf)) return 1;
  return multipleOf > 0 ? multipleOf : null;
}

/** Without the error of binary fractions, as 0.1 * 3 has it. */
const rounded = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(12)));

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-15',
  'date-time': '2026-01-15T09:30:00Z',
  time: '09:30:00Z',
  duration: 'P1D',
  email: 'user@example.com',
  'idn-email': 'user@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com',
  url: 'https://example.com',
  'uri-reference': '/path',
  uuid: '3c90c3cc-0d44-4b50-8888-8dd25736052a',
  byte: 'aGVsbG8=',
  binary: '<binary>',
  password: '<password>',
};

/** Where nothing is known of a text. */
export const USUAL_TEXT = '<string>';
/** Where nothing is known of a value that is required. */
const ANY_VALUE = '<any>';

function ofString({ format, limits }: Schema): string {
  const known = format !== null && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (known !== undefined) return known;
  const least = Number(limits.get('minLength') ?? 0);
  const most = Number(limits.get('maxLength') ?? Number.POSITIVE_INFINITY);
  const pattern = limits.get('pattern');
  const matching = pattern === undefined ? null : stringOfPattern(pattern, least, most);
  if (matching !== null) return matching;
  const text = USUAL_TEXT;
  if (least > text.length && least <= 200) return 'x'.repeat(least);
  return most < text.length ? 'x'.repeat(Math.max(0, most)) : text;
}
