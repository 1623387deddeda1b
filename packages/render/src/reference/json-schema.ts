import { isObject, type JsonObject } from '../config/json.ts';

/** A part of a value that does not match a schema. */
export interface SchemaError {
  readonly path: readonly (string | number)[];
  /** A sentence without subject: `must be a string`. */
  readonly message: string;
}

const MAX_ERRORS = 50;
/** Checks of one value, so that aliases of a hostile file take no more time than a large file. */
const MAX_STEPS = 2_000_000;
const MAX_DEPTH = 400;

interface Checking {
  root: JsonObject;
  steps: number;
}

/**
 * Checks a value against a trusted JSON Schema of draft 7 with references to its own definitions. It interprets the
 * schema, because processes that read docs cannot compile code. `format` is not checked, and `oneOf` accepts a value that
 * several alternatives accept.
 */
export function checkSchema(root: JsonObject, value: unknown): SchemaError[] {
  return check(root, value, [], { root, steps: MAX_STEPS }).slice(0, MAX_ERRORS);
}

type Path = SchemaError['path'];

function check(schema: unknown, value: unknown, path: Path, checking: Checking): SchemaError[] {
  if (!isObject(schema)) return schema === false ? [{ path, message: 'is not allowed' }] : [];
  if (--checking.steps < 0 || path.length > MAX_DEPTH) return [];
  if (typeof schema.$ref === 'string')
    return check(definition(schema.$ref, checking.root), value, path, checking);
  const fault = checkValue(schema, value);
  if (fault !== null) return [{ path, message: fault }];
  return [
    ...(isObject(value) ? checkMembers(schema, value, path, checking) : []),
    ...(Array.isArray(value) ? checkItems(schema, value, path, checking) : []),
    ...checkParts(schema, value, path, checking),
  ];
}

function definition(reference: string, root: JsonObject): unknown {
  let found: unknown = root;
  for (const segment of reference.replace(/^#\/?/, '').split('/')) {
    if (segment !== '') found = isObject(found) ? found[decodeURIComponent(segment)] : undefined;
  }
  return found;
}

function checkValue(schema: JsonObject, value: unknown): string | null {
  const { type, enum: values } = schema;
  if (type !== undefined) {
    const types = Array.isArray(type) ? type : [type];
    if (!types.some((one) => isOfType(value, one))) return `must be ${types.map(nameOf).join(' or ')}`;
  }
  if (Object.hasOwn(schema, 'const') && !isSame(schema.const, value))
    return `must be ${JSON.stringify(schema.const)}`;
  if (Array.isArray(values) && !values.some((one) => isSame(one, value)))
    return `must be one of ${values
      .map((one) => JSON.stringify(one))
      .join(', ')
      .slice(0, 300)}`;
  return checkLimits(schema, value);
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const nameOf = (type: unknown): string =>
  type === 'null' ? 'null' : /^[aeio]/.test(String(type)) ? `an ${type}` : `a ${type}`;

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

function checkLimits(schema: JsonObject, value: unknown): string | null {
  const limit = (key: string, isBroken: (limit: number) => boolean, words: string): string | null => {
    const max = schema[key];
    return typeof max === 'number' && isBroken(max) ? words.replace('{}', String(max)) : null;
  };
  if (typeof value === 'number')
    return (
      limit('minimum', (min) => value < min, 'must be {} or greater') ??
      limit('maximum', (max) => value > max, 'must be at most {}') ??
      limit('exclusiveMinimum', (min) => value <= min, 'must be greater than {}')
    );
  if (typeof value === 'string') {
    const { pattern } = schema;
    if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value.slice(0, 1000)))
      return `must match ${pattern}`;
    return (
      limit('minLength', (min) => value.length < min, 'must not be empty') ??
      limit('maxLength', (max) => value.length > max, 'must have at most {} characters')
    );
  }
  if (!Array.isArray(value)) return null;
  return (
    limit('minItems', (min) => value.length < min, 'must have at least {} items') ??
    limit('maxItems', (max) => value.length > max, 'must have at most {} items')
  );
}

function checkMembers(schema: JsonObject, value: JsonObject, path: Path, checking: Checking): SchemaError[] {
  const errors: SchemaError[] = [];
  const { required, properties, patternProperties, additionalProperties, propertyNames } = schema;
  for (const key of Array.isArray(required) ? required : [])
    if (typeof key === 'string' && !Object.hasOwn(value, key))
      errors.push({ path, message: `must have ${JSON.stringify(key)}` });
  const patterns = Object.entries(isObject(patternProperties) ? patternProperties : {}).map(
    ([pattern, inner]) => [new RegExp(pattern, 'u'), inner] as const,
  );
  for (const [key, member] of Object.entries(value)) {
    const inside = [...path, key];
    const own = isObject(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [];
    const schemas = [...own, ...patterns.filter(([pattern]) => pattern.test(key)).map(([, inner]) => inner)];
    for (const inner of schemas) errors.push(...check(inner, member, inside, checking));
    if (schemas.length === 0 && additionalProperties !== undefined)
      errors.push(...check(additionalProperties, member, inside, checking));
    if (propertyNames !== undefined && check(propertyNames, key, inside, checking).length > 0)
      errors.push({ path: inside, message: 'has a name that is not allowed' });
    if (errors.length > MAX_ERRORS) break;
  }
  return errors;
}

function checkItems(schema: JsonObject, value: unknown[], path: Path, checking: Checking): SchemaError[] {
  const { items, additionalItems } = schema;
  const errors: SchemaError[] = [];
  for (const [index, item] of value.entries()) {
    const own = Array.isArray(items) ? (index < items.length ? items[index] : additionalItems) : items;
    if (own !== undefined) errors.push(...check(own, item, [...path, index], checking));
    if (errors.length > MAX_ERRORS) break;
  }
  return errors;
}

function checkParts(schema: JsonObject, value: unknown, path: Path, checking: Checking): SchemaError[] {
  const { allOf, oneOf, anyOf, not, if: condition } = schema;
  const errors: SchemaError[] = [];
  for (const part of Array.isArray(allOf) ? allOf : []) errors.push(...check(part, value, path, checking));
  for (const list of [oneOf, anyOf])
    if (Array.isArray(list)) errors.push(...checkChoices(list, value, path, checking));
  if (not !== undefined && check(not, value, path, checking).length === 0)
    errors.push({ path, message: 'is not allowed' });
  if (condition !== undefined) {
    const branch = check(condition, value, path, checking).length === 0 ? schema.then : schema.else;
    if (branch !== undefined) errors.push(...check(branch, value, path, checking));
  }
  return errors;
}

/**
 * Errors of the alternative that the value comes closest to: the one that fails deepest, and neither for a missing `$ref`
 * nor for another `type`.
 */
function checkChoices(
  list: readonly unknown[],
  value: unknown,
  path: Path,
  checking: Checking,
): SchemaError[] {
  let best: SchemaError[] | null = null;
  for (const part of list) {
    const errors = check(part, value, path, checking);
    if (errors.length === 0) return [];
    if (best === null || rank(errors, path.length) > rank(best, path.length)) best = errors;
  }
  return best ?? [];
}

function rank(errors: readonly SchemaError[], depth: number): number {
  const deepest = Math.max(...errors.map(({ path }) => path.length));
  const isOther = errors.some(
    ({ path, message }) =>
      message === 'must have "$ref"' ||
      (path.length === depth + 1 && path.at(-1) === 'type' && /^must be (?:one of )?"/.test(message)),
  );
  return (isOther ? 0 : 1_000_000) + deepest * 1000 - Math.min(errors.length, 999);
}
