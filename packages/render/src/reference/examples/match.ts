import { isObject, type JsonObject } from '../../config/json.ts';
import { digitsOf, exactInteger } from '../long-integers.ts';
import { type At, isReference } from '../resolver.ts';
import type { Schemas } from '../schema.ts';
import { listOf } from '../values.ts';
import { aType, enumWords, type Path, pathWords, typeOf } from './words.ts';

/** A part of a value that a schema does not accept. */
export interface Mismatch {
  readonly path: Path;
  /** A sentence without subject: `must be a string, not null`. */
  readonly message: string;
  /** The schema, as it is written, that does not accept the part. */
  readonly schema: object;
  /** The types that the schema accepts, where the type of the part is the error. */
  readonly types?: readonly string[];
}

/**
 * `null`: the value matches. `unknown`: that cannot be said, because the schema uses a keyword that is not checked, or
 * because a limit was reached.
 */
export type Match = Mismatch | 'unknown' | null;

export interface MatchOptions {
  readonly schemas: Schemas;
  /**
   * A request need not have properties that only responses have, and a response none that only requests have; null
   * means that the value may be either.
   */
  readonly direction: 'request' | 'response' | null;
  /** Keywords beside `$ref` have no effect, as in OpenAPI 3.0 and AsyncAPI. */
  readonly ignoresSiblings: boolean;
  /** Steps that are left for all values together; without any, each result is `unknown`. */
  readonly budget: { steps: number };
}

interface Context extends MatchOptions {
  steps: number;
}

/** A value that is being checked. */
interface Place {
  readonly value: unknown;
  readonly path: Path;
  /** Other schemas that apply to the same value. */
  readonly around: readonly At[];
  readonly depth: number;
}

/** Schemas and members of one value that are checked; a larger value is `unknown`. */
const MAX_STEPS = 20_000;
/** Schemas and values inside each other, so that no circle exceeds the stack. */
const MAX_DEPTH = 150;
/** Allowed values and items that are compared with each other. */
const MAX_COMPARED = 2_000;
const MAX_UNIQUE = 100;
/** Characters of a string that are counted. */
const MAX_COUNTED = 100_000;

/**
 * Checks a value against a schema of an untrusted description. It interprets the schema, and an error that it finds is
 * one: what it does not check makes the result `unknown`. `pattern` is not checked, because it may take exponential
 * time, nor is `format`. `oneOf` accepts a value that several alternatives accept.
 */
export function matchSchema(at: At, value: unknown, options: MatchOptions): Match {
  const { budget } = options;
  const context = { ...options, steps: Math.min(MAX_STEPS, budget.steps) };
  budget.steps -= context.steps;
  const match = check(at, { value, path: [], around: [], depth: 0 }, context);
  budget.steps += Math.max(0, context.steps);
  return match;
}

export const isMismatch = (match: Match): match is Mismatch => match !== null && match !== 'unknown';

function check(at: At, place: Place, context: Context): Match {
  if (--context.steps < 0 || place.depth > MAX_DEPTH) return 'unknown';
  const { value: schema } = at;
  if (schema === true) return null;
  // References inside of a schema with `$id` are relative to it.
  if (!isObject(schema) || typeof schema.$id === 'string') return 'unknown';
  // An example may be put together by references, which only some tools follow.
  if (isReference(place.value)) return 'unknown';
  if (place.value === null && (schema.nullable === true || schema['x-nullable'] === true)) return 'unknown';
  if (!isReference(schema)) return checkOwn({ ...at, value: schema }, place, context);
  const target = context.schemas.resolver.resolve(at);
  const match = target === null ? 'unknown' : check(target, sameValue(place, at), context);
  if (isMismatch(match) || context.ignoresSiblings) return match;
  return worse(match, checkOwn({ ...at, value: schema }, place, context));
}

/** Of two results that both count. */
function worse(a: Match, b: Match): Match {
  if (isMismatch(a)) return a;
  return isMismatch(b) || a === null ? b : a;
}

type Rule = (at: At<JsonObject>, place: Place, context: Context) => Match;

function checkOwn(at: At<JsonObject>, place: Place, context: Context): Match {
  let found: Match = UNCHECKED.some((keyword) => at.value[keyword] !== undefined) ? 'unknown' : null;
  for (const rule of RULES) {
    found = worse(found, rule(at, place, context));
    if (isMismatch(found)) break;
  }
  return found;
}

/** Keywords that can make a value invalid and are not checked. */
const UNCHECKED: readonly string[] = [
  ...['pattern', '$dynamicRef', '$recursiveRef', 'dependencies', 'contains', 'unevaluatedItems'],
  'unevaluatedProperties',
];

const fail = ({ value: schema }: At<JsonObject>, { path }: Place, message: string): Mismatch => ({
  path,
  message,
  schema,
});

// Any value

const TYPES: ReadonlySet<unknown> = new Set([
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'],
]);

const checkType: Rule = (at, place) => {
  const { type } = at.value;
  if (type === undefined) return null;
  const types = Array.isArray(type) ? type : [type];
  if (types.length === 0 || !types.every((one) => TYPES.has(one))) return 'unknown';
  // The digits of a long integer.
  if (typeof place.value === 'string' && exactInteger(place.value) !== null && !types.includes('string'))
    return 'unknown';
  const own = typeOf(place.value);
  if (types.includes(own) || (own === 'integer' && types.includes('number'))) return null;
  const message = `must be ${types.map(aType).join(' or ')}, not ${aType(own)}`;
  return { ...fail(at, place, message), types: types.map(String) };
};

const checkValues: Rule = (at, place, context) => {
  const { enum: values } = at.value;
  const isOneOf = (list: readonly unknown[]): boolean | 'unknown' => {
    const isFound = list.length <= MAX_COMPARED && list.some((one) => isEqual(one, place.value, context));
    return isFound || (list.length <= MAX_COMPARED && context.steps >= 0 ? false : 'unknown');
  };
  let found: Match = null;
  for (const list of [Object.hasOwn(at.value, 'const') ? [at.value.const] : [], listOf(values)]) {
    const is = list.length === 0 || isOneOf(list);
    if (is === 'unknown') found = is;
    if (is === false)
      return fail(at, place, `must be ${list.length === 1 ? '' : 'one of '}${enumWords(list)}`);
  }
  return found;
};

/** Whether two values are the same, in any order of members. Without steps left, the result has no meaning. */
function isEqual(a: unknown, b: unknown, context: Context): boolean {
  if (a === b) return true;
  if (--context.steps < 0) return false;
  const digits = digitsOf(a);
  if (digits !== null) return digits === digitsOf(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, index) => isEqual(one, b[index], context));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name], context))
  );
}

/** A keyword with a number, whether a value exceeds it, and the words with `{}` for the number. */
type Limit<T> = readonly [string, (value: T, limit: number, schema: JsonObject) => boolean, string];

/** The first limit of a list that a value exceeds. */
function checkLimits<T>(at: At<JsonObject>, value: T, place: Place, limits: readonly Limit<T>[]): Match {
  for (const [keyword, isExceeded, words] of limits) {
    const limit = at.value[keyword];
    if (typeof limit === 'number' && isExceeded(value, limit, at.value))
      return fail(at, place, `must ${words.replace('{}', String(limit))}`);
  }
  return null;
}

const NUMBERS: readonly Limit<number>[] = [
  ['minimum', (value, min) => value < min, 'be at least {}'],
  ['minimum', (value, min, schema) => schema.exclusiveMinimum === true && value <= min, 'be greater than {}'],
  ['exclusiveMinimum', (value, min) => value <= min, 'be greater than {}'],
  ['maximum', (value, max) => value > max, 'be at most {}'],
  ['maximum', (value, max, schema) => schema.exclusiveMaximum === true && value >= max, 'be less than {}'],
  ['exclusiveMaximum', (value, max) => value >= max, 'be less than {}'],
  ['multipleOf', (value, step) => isBetween(value / step), 'be a multiple of {}'],
];

/** Whether a quotient is not a whole number, whatever rounding did to it. */
const isBetween = (quotient: number): boolean =>
  Math.abs(quotient) < 1e9 && Math.abs(quotient - Math.round(quotient)) > 1e-6;

const checkNumber: Rule = (at, place) =>
  typeof place.value === 'number' ? checkLimits(at, place.value, place, NUMBERS) : null;

const STRINGS: readonly Limit<string>[] = [
  ['minLength', (value, min) => lengthOf(value) < min, 'have {} or more characters'],
  ['maxLength', (value, max) => value.length > max && lengthOf(value) > max, 'have at most {} characters'],
];

/** Characters outside of the basic plane have two units. */
const lengthOf = (value: string): number =>
  value.length - (value.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

const checkString: Rule = (at, place, context) => {
  const { value } = place;
  if (typeof value !== 'string') return null;
  context.steps -= Math.floor(value.length / 100);
  return value.length > MAX_COUNTED ? 'unknown' : checkLimits(at, value, place, STRINGS);
};

// Objects

const PROPERTIES: readonly Limit<number>[] = [
  ['minProperties', (count, min) => count < min, 'have {} or more properties'],
  ['maxProperties', (count, max) => count > max, 'have at most {} properties'],
];

const checkObject: Rule = (at, place, context) => {
  const { value } = place;
  if (!isObject(value)) return null;
  const names = Object.keys(value);
  context.steps -= names.length;
  const limits = checkLimits(at, names.length, place, PROPERTIES);
  let found = worse(limits, checkRequired(at, value, place, context));
  for (const name of names) {
    if (isMismatch(found) || context.steps < 0) break;
    found = worse(found, checkMember(at, name, value, place, context));
  }
  return context.steps < 0 && !isMismatch(found) ? 'unknown' : found;
};

function checkRequired(at: At<JsonObject>, value: JsonObject, place: Place, context: Context): Match {
  const { required, dependentRequired } = at.value;
  const lists = [listOf(required)];
  for (const name of isObject(dependentRequired) ? Object.keys(dependentRequired) : [])
    if (Object.hasOwn(value, name) && isObject(dependentRequired))
      lists.push(listOf(dependentRequired[name]));
  let found: Match = null;
  for (const name of lists.flat()) {
    if (--context.steps < 0) return 'unknown';
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
    if (!isOfOtherDirection(name, [...place.around, at], context))
      return fail(at, place, `must have the property ${pathWords([name])}`);
    found = 'unknown';
  }
  return found;
}

/** Whether a property is only in requests or only in responses, by any of the schemas that describe it. */
function isOfOtherDirection(name: string, list: readonly At[], context: Context): boolean {
  const { schemas, direction } = context;
  return list.some((at) => {
    context.steps -= 20;
    const property = schemas.read(at).properties.find((one) => one.name === name);
    if (property === undefined) return false;
    const { isReadOnly, isWriteOnly } = schemas.read(property.schema);
    return (isReadOnly && direction !== 'response') || (isWriteOnly && direction !== 'request');
  });
}

function checkMember(
  at: At<JsonObject>,
  name: string,
  value: JsonObject,
  place: Place,
  context: Context,
): Match {
  const { properties, patternProperties, additionalProperties, propertyNames } = at.value;
  const inside = insideOf(place, name, value[name]);
  const inner = (schema: unknown): Match => check({ ...at, value: schema, name: null }, inside, context);
  const notAllowed = (): Match => fail(at, place, `must not have the property ${pathWords([name])}`);
  const named = propertyNames === undefined || propertyNames === true ? null : 'unknown';
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (own === false) return notAllowed();
  if (own !== undefined) return worse(named, inner(own));
  // Patterns of names are not checked either.
  if (isObject(patternProperties) && Object.keys(patternProperties).length > 0) return 'unknown';
  if (additionalProperties === undefined) return named;
  if (additionalProperties === false) return notAllowed();
  return worse(named, inner(additionalProperties));
}

const insideOf = ({ path, depth }: Place, key: string | number, value: unknown): Place => ({
  value,
  path: [...path, key],
  around: [],
  depth: depth + 1,
});

// Arrays

const ITEMS: readonly Limit<number>[] = [
  ['minItems', (count, min) => count < min, 'have {} or more items'],
  ['maxItems', (count, max) => count > max, 'have at most {} items'],
];

const checkArray: Rule = (at, place, context) => {
  const { value } = place;
  if (!Array.isArray(value)) return null;
  const { items, additionalItems, prefixItems, uniqueItems } = at.value;
  let found = checkLimits(at, value.length, place, ITEMS);
  if (uniqueItems === true) found = worse(found, checkUnique(at, value, place, context));
  // A tuple in older drafts.
  const first = Array.isArray(items) ? items : listOf(prefixItems);
  const rest = Array.isArray(items) ? additionalItems : items;
  for (const [index, item] of value.entries()) {
    const schema: unknown = index < first.length ? first[index] : rest;
    if (isMismatch(found) || context.steps < 0) break;
    if (schema === false) found = fail(at, place, `must have at most ${first.length} items`);
    else if (schema !== undefined)
      found = worse(
        found,
        check({ ...at, value: schema, name: null }, insideOf(place, index, item), context),
      );
  }
  return context.steps < 0 && !isMismatch(found) ? 'unknown' : found;
};

function checkUnique(at: At<JsonObject>, items: readonly unknown[], place: Place, context: Context): Match {
  if (items.length > MAX_UNIQUE) return 'unknown';
  const isRepeated = items.some((item, index) =>
    items.slice(0, index).some((other) => isEqual(item, other, context)),
  );
  if (context.steps < 0) return 'unknown';
  return isRepeated ? fail(at, place, 'must not have an item twice') : null;
}

// Schemas of schemas

const checkParts: Rule = (at, place, context) => {
  const { allOf, not, if: condition, dependentSchemas } = at.value;
  const inner = (schema: unknown): Match =>
    check({ ...at, value: schema, name: null }, sameValue(place, at), context);
  let found: Match = null;
  for (const part of listOf(allOf)) {
    found = worse(found, inner(part));
    if (isMismatch(found)) return found;
  }
  for (const kind of ['oneOf', 'anyOf'] as const) {
    found = worse(found, checkChoices(at, kind, place, context));
    if (isMismatch(found)) return found;
  }
  for (const name of isObject(dependentSchemas) ? Object.keys(dependentSchemas) : []) {
    const applies = isObject(place.value) && Object.hasOwn(place.value, name);
    if (applies && isObject(dependentSchemas)) found = worse(found, inner(dependentSchemas[name]));
  }
  if (not !== undefined) found = worse(found, negated(inner(not), at, place));
  if (condition === undefined) return found;
  const isMet = inner(condition);
  if (isMet === 'unknown') return worse(found, isMet);
  const branch = isMet === null ? at.value.then : at.value.else;
  return branch === undefined ? found : worse(found, inner(branch));
};

const sameValue = (place: Place, at: At): Place => ({
  ...place,
  around: [...place.around, at],
  depth: place.depth + 1,
});

function negated(match: Match, at: At<JsonObject>, place: Place): Match {
  if (match === null) return fail(at, place, 'must not match the schema in "not"');
  return match === 'unknown' ? match : null;
}

function checkChoices(at: At<JsonObject>, kind: 'oneOf' | 'anyOf', place: Place, context: Context): Match {
  const list = listOf(at.value[kind]);
  if (list.length === 0) return at.value[kind] === undefined ? null : 'unknown';
  const found: Mismatch[] = [];
  let isUnknown = false;
  for (const part of list) {
    const match = check({ ...at, value: part, name: null }, sameValue(place, at), context);
    // Another alternative may accept the value, too, which `oneOf` does not allow.
    if (match === null) return kind === 'oneOf' && list.length > 1 ? 'unknown' : null;
    if (match === 'unknown') isUnknown = true;
    else found.push(match);
  }
  return isUnknown ? 'unknown' : noChoice(at, kind, list, found, place);
}

/** The error of a value that no alternative accepts. `found` has one for each of `list`. */
function noChoice(
  at: At<JsonObject>,
  kind: string,
  list: readonly unknown[],
  found: readonly Mismatch[],
  place: Place,
): Mismatch {
  const depth = place.path.length;
  const isHere = ({ path, types }: Mismatch): boolean => types !== undefined && path.length === depth;
  if (found.every(isHere)) {
    const types = [...new Set(found.flatMap((one) => one.types ?? []))];
    const message = `must be ${types.map(aType).join(' or ')}, not ${aType(typeOf(place.value))}`;
    return { ...fail(at, place, message), types };
  }
  const others = found.filter((one) => !(isHere(one) && one.types?.join() === 'null'));
  const [only] = others;
  if (only !== undefined && others.length === 1) return only;
  const chosen = chosenBy(at.value, list, place.value);
  const best =
    (chosen === -1 ? undefined : found[chosen]) ??
    found.reduce((a, b) => (b.path.length > a.path.length ? b : a));
  const inner = best.path.length === depth ? best.message : `${pathWords(best.path)} ${best.message}`;
  return fail(
    at,
    place,
    `must match an alternative of "${kind}"; for alternative ${found.indexOf(best) + 1} of ${list.length}, ${best.path.length === depth ? 'it ' : ''}${inner}`,
  );
}

/** The alternative that the discriminator of a value names; otherwise -1. */
function chosenBy({ discriminator }: JsonObject, list: readonly unknown[], value: unknown): number {
  if (!isObject(discriminator) || !isObject(value)) return -1;
  const { propertyName, mapping } = discriminator;
  const name = typeof propertyName === 'string' ? value[propertyName] : undefined;
  if (typeof name !== 'string') return -1;
  const target = isObject(mapping) && Object.hasOwn(mapping, name) ? mapping[name] : name;
  return list.findIndex(
    (one) => isReference(one) && (one.$ref === target || one.$ref.split('/').at(-1) === target),
  );
}

const RULES: readonly Rule[] = [
  ...[checkType, checkValues, checkNumber, checkString, checkObject, checkArray, checkParts],
];
