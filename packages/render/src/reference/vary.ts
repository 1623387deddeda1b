import { isObject } from '../config/json.ts';
import { stringOfPattern } from './pattern.ts';
import type { At } from './resolver.ts';
import type { Schema, Schemas } from './schema.ts';

/** Levels of objects and lists inside of a value that are searched for a part that can vary. */
const MAX_DEPTH = 4;
/** Values that are compared and properties that are tried. */
const MAX_TRIED = 40;

/**
 * Up to `count` values that differ, the first of which is `value`: a list with `uniqueItems` has them. Fewer where the
 * schema allows no others that are known.
 */
export function differentValues(value: unknown, at: At, count: number, schemas: Schemas): unknown[] {
  const found = [value];
  const seen = new Set([JSON.stringify(value)]);
  for (let index = 1; found.length < count && index <= count + MAX_TRIED; index++) {
    const other = vary(value, at, index, schemas, 0);
    if (other === undefined) continue;
    const key = JSON.stringify(other);
    if (seen.has(key)) continue;
    seen.add(key);
    found.push(other);
  }
  return found;
}

/** Another value of a schema, by its index; undefined without one. */
function vary(value: unknown, at: At, index: number, schemas: Schemas, depth: number): unknown {
  if (depth > MAX_DEPTH) return undefined;
  const schema = schemas.read(at);
  if (schema.values.length > 0) return schema.values[index % schema.values.length]?.value;
  if (typeof value === 'boolean') return index % 2 === 1 ? !value : value;
  if (typeof value === 'number') return otherNumber(value, index, schema);
  if (typeof value === 'string') return otherText(value, index, schema);
  if (Array.isArray(value)) {
    const [first, ...rest] = value;
    if (schema.items === null || schema.prefix.length > 0) return undefined;
    const other = vary(first, schema.items, index, schemas, depth + 1);
    return other === undefined ? undefined : [other, ...rest];
  }
  return isObject(value) ? otherObject(value, index, schema, schemas, depth) : undefined;
}

function otherObject(
  value: Readonly<Record<string, unknown>>,
  index: number,
  schema: Schema,
  schemas: Schemas,
  depth: number,
): unknown {
  const parts = [schema, ...schema.variants.flatMap(({ list }) => list.slice(0, 1).map(schemas.read))];
  const described = parts.flatMap(({ properties }) => properties.slice(0, MAX_TRIED));
  for (const { name, schema: at } of described) {
    const own = value[name];
    if (own === undefined || schemas.read(at).values.length === 1) continue;
    const other = vary(own, at, index, schemas, depth + 1);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(own))
      return { ...value, [name]: other };
  }
  return undefined;
}

function otherNumber(value: number, index: number, { limits }: Schema): number | undefined {
  const limit = (name: string): number => Number(limits.get(name) ?? Number.NaN);
  const step = limit('multipleOf') > 0 ? limit('multipleOf') : 1;
  const isAllowed = (one: number): boolean =>
    !(one < limit('minimum') || one > limit('maximum')) &&
    !(one <= limit('exclusiveMinimum') || one >= limit('exclusiveMaximum'));
  const count = Math.ceil(index / 2) * (index % 2 === 1 ? 1 : -1);
  const other = Number((value + count * step).toPrecision(12));
  return isAllowed(other) ? other : undefined;
}

function otherText(value: string, index: number, { format, limits }: Schema): string | undefined {
  const least = Number(limits.get('minLength') ?? 0);
  const most = Number(limits.get('maxLength') ?? Number.POSITIVE_INFINITY);
  const pattern = limits.get('pattern');
  if (pattern !== undefined) return stringOfPattern(pattern, least, most, index) ?? undefined;
  if (format === 'byte' || format === 'binary') return undefined;
  const ending = String(index + 1);
  const numbered = withNumber(value, ending, format);
  if (numbered.length <= most) return numbered;
  return ending.length <= most && format === null ? value.slice(0, most - ending.length) + ending : undefined;
}

/** A text of a format with another number: in its last digits, else where a name in it ends. */
function withNumber(value: string, ending: string, format: string | null): string {
  const digits = /^([\s\S]*?)(\d+)(\D*)$/.exec(value);
  if (digits !== null && format !== null) {
    const [, start = '', number = '', end = ''] = digits;
    return start + (number.slice(0, -ending.length) + ending).padStart(number.length, '0') + end;
  }
  if (/^(?:uri|url|iri)$/.test(format ?? '')) return `${value.replace(/\/$/, '')}/${ending}`;
  return value.replace(/(?=@|\.|>)|$/, ending);
}
