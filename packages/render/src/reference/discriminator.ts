import { isObject, type JsonObject } from '../config/json.ts';
import { type At, isReference, type Resolver } from './resolver.ts';
import { listOf } from './values.ts';

/** Property whose value chooses an alternative, and its values for each of them; none where they are unknown. */
export interface Discriminator {
  readonly property: string;
  readonly values: readonly (readonly string[])[];
  /** Place of the alternative for objects without the property and for unknown values; null without one. */
  readonly fallback: number | null;
}

const SCHEMAS = '#/components/schemas/';
/** Schemas that are named for one base; more are not shown. */
const MAX_BELOW = 101;
/** Parts of schemas in which a base is searched. */
const MAX_PARTS = 200;

/** The discriminator of a schema with alternatives. */
export function discriminatorOf({ discriminator }: JsonObject, list: readonly At[]): Discriminator | null {
  if (!isObject(discriminator) || typeof discriminator.propertyName !== 'string') return null;
  const mapping = isObject(discriminator.mapping) ? Object.entries(discriminator.mapping) : [];
  const names = list.map(({ value }) => (isReference(value) ? [value.$ref, lastSegment(value.$ref)] : []));
  const values = names.map(([$ref]) => ($ref === undefined ? [] : valuesOf($ref, mapping)));
  const { defaultMapping } = discriminator;
  const fallback = names.findIndex((own) => own.some((name) => name === defaultMapping));
  return { property: discriminator.propertyName, values, fallback: fallback < 0 ? null : fallback };
}

/** The target of a mapping is a reference or the name of a schema. */
const referenceTo = (target: string): string => (/[#/.]/.test(target) ? target : SCHEMAS + target);

/** Values that choose an alternative with this reference: those of the mapping, else its name. */
function valuesOf($ref: string, mapping: readonly [string, unknown][]): string[] {
  const name = lastSegment($ref);
  const mapped = mapping.flatMap(([key, target]) => (target === $ref || target === name ? [key] : []));
  return mapped.length === 0 ? [name] : mapped;
}

const lastSegment = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

/**
 * The schemas of the discriminator of a schema that lists no alternatives: those that extend it by `allOf`, each as what
 * it adds. Null without such schemas, or if one of them is being read, which `open` contains.
 */
export function subtypesOf(
  { value: base, file }: At<JsonObject>,
  resolver: Resolver,
  open: ReadonlySet<object>,
  max: number,
): { list: At[]; discriminator: Discriminator } | null {
  const { discriminator } = base;
  if (!isInherited(base) || !isObject(discriminator) || typeof discriminator.propertyName !== 'string')
    return null;
  const found = new Map<object, { at: At; values: string[] }>();
  const targetOf = (target: string): At | null =>
    resolver.resolve({ value: { $ref: referenceTo(target) }, file, name: null });
  const mapping = isObject(discriminator.mapping) ? discriminator.mapping : {};
  for (const [value, target] of [...Object.entries(mapping), ...impliedBy(base, mapping)]) {
    if (typeof target !== 'string') continue;
    const child = targetOf(target);
    if (child === null || !isObject(child.value) || child.value === base) continue;
    if (open.has(child.value)) return null;
    const known = found.get(child.value);
    if (known !== undefined) known.values.push(value);
    else if (found.size < max) {
      const at = addedBy({ ...child, value: child.value }, base, resolver);
      if (at !== null) found.set(child.value, { at, values: [value] });
    }
  }
  if (found.size === 0) return null;
  const all = [...found.values()];
  const { propertyName: property, defaultMapping } = discriminator;
  const last = typeof defaultMapping === 'string' ? targetOf(defaultMapping)?.value : undefined;
  const place = isObject(last) ? [...found.keys()].indexOf(last) : -1;
  const values = all.map((one) => one.values);
  const fallback = place < 0 ? null : place;
  return { list: all.map(({ at }) => at), discriminator: { property, values, fallback } };
}

/** What a schema adds to one that it extends; null if it does not extend it. */
function addedBy(child: At<JsonObject>, base: JsonObject, resolver: Resolver): At | null {
  if (!isExtended(child, base, resolver)) return null;
  const own = listOf(child.value.allOf).filter(
    (part) => resolver.resolve({ ...child, value: part })?.value !== base,
  );
  const value = { ...child.value, allOf: own };
  originals.set(value, child.value);
  return { ...child, value };
}

/** Schemas as they are written, by what they add to another one. */
const originals = new WeakMap<JsonObject, JsonObject>();

/**
 * The value of the discriminator of a schema in objects of the schema that extends it: the outermost one of `open`, which
 * are being read. Null if none has a value.
 */
export function valuesOfSubtype(
  base: At<JsonObject>,
  resolver: Resolver,
  open: ReadonlySet<object>,
): { property: string; values: readonly string[] } | null {
  const { discriminator } = base.value;
  if (!isObject(discriminator) || typeof discriminator.propertyName !== 'string') return null;
  const mapped = mappedValues(base, discriminator, resolver);
  const names = families.get(base.value)?.names;
  for (const one of open) {
    if (!isObject(one) || one === base.value || !Array.isArray(one.allOf)) continue;
    const schema = originals.get(one) ?? one;
    const name = names?.get(schema);
    const values = mapped.get(schema) ?? (name === undefined ? undefined : [name]);
    if (values !== undefined) return { property: discriminator.propertyName, values };
  }
  return null;
}

const mappings = new WeakMap<JsonObject, ReadonlyMap<object, string[]>>();

/** Values by the schemas that they choose, where a mapping or a list of alternatives names them. */
function mappedValues(
  { value: base, file }: At<JsonObject>,
  { mapping }: JsonObject,
  resolver: Resolver,
): ReadonlyMap<object, string[]> {
  const known = mappings.get(base);
  if (known !== undefined) return known;
  const found = new Map<object, string[]>();
  const entries = Object.entries(isObject(mapping) ? mapping : {});
  const schemaOf = ($ref: string): unknown => resolver.resolve({ value: { $ref }, file, name: null })?.value;
  // Where alternatives are listed, a mapping may name schemas that are none of them.
  for (const one of [...listOf(base.oneOf), ...listOf(base.anyOf)]) {
    const schema = isReference(one) ? schemaOf(one.$ref) : null;
    if (isReference(one) && isObject(schema) && !found.has(schema))
      found.set(schema, valuesOf(one.$ref, entries));
  }
  for (const [value, target] of isInherited(base) ? entries : []) {
    const schema = typeof target === 'string' ? schemaOf(referenceTo(target)) : null;
    if (isObject(schema)) found.set(schema, [...(found.get(schema) ?? []), value]);
  }
  mappings.set(base, found);
  return found;
}

function isExtended(child: At, base: JsonObject, resolver: Resolver): boolean {
  const open = [child];
  const known = new Set<unknown>();
  for (let at = open.pop(); at !== undefined && known.size < MAX_PARTS; at = open.pop()) {
    const { value, file } = at;
    if (value === base) return true;
    if (!isObject(value) || known.has(value)) continue;
    known.add(value);
    for (const part of listOf(value.allOf).slice(0, MAX_PARTS)) {
      const target = isReference(part) ? resolver.resolve({ value: part, file, name: null }) : null;
      if (target !== null) open.push(target);
    }
  }
  return false;
}

/** Whether alternatives are not listed, so that only schemas which extend it name it. */
const isInherited = ({ oneOf, anyOf }: JsonObject): boolean => !Array.isArray(oneOf) && !Array.isArray(anyOf);

interface Family {
  name: string;
  /** Of all schemas. */
  names: WeakMap<object, string>;
  children: ReadonlyMap<string, readonly string[]>;
}

const families = new WeakMap<JsonObject, Family>();

/**
 * Notes by which names other schemas extend those with a discriminator, whose mapping need not name them. They are
 * searched when a page shows the schema: thousands of schemas may extend each other.
 */
export function noteFamilies({ components }: JsonObject): void {
  const schemas = isObject(components) && isObject(components.schemas) ? components.schemas : {};
  const bases = Object.entries(schemas).flatMap(([name, schema]) =>
    isObject(schema) && isObject(schema.discriminator) && isInherited(schema) ? [{ name, schema }] : [],
  );
  if (bases.length === 0) return;
  const children = childrenOf(schemas);
  const names = new WeakMap<object, string>();
  for (const [name, schema] of Object.entries(schemas)) if (isObject(schema)) names.set(schema, name);
  for (const { name, schema } of bases) families.set(schema, { name, names, children });
}

/** Entries of schemas that a mapping does not name. */
function impliedBy(base: JsonObject, mapping: JsonObject): [string, string][] {
  const family = families.get(base);
  if (family === undefined) return [];
  const named = new Set(Object.values(mapping));
  return below(family).flatMap((child): [string, string][] => {
    const isNamed = named.has(child) || named.has(SCHEMAS + child) || Object.hasOwn(mapping, child);
    return isNamed ? [] : [[child, SCHEMAS + child]];
  });
}

/** Names of schemas by the reference in their `allOf`. */
function childrenOf(schemas: JsonObject): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const [name, schema] of Object.entries(schemas)) {
    for (const part of isObject(schema) ? listOf(schema.allOf) : []) {
      if (!isReference(part)) continue;
      const names = children.get(part.$ref) ?? [];
      names.push(name);
      children.set(part.$ref, names);
    }
  }
  return children;
}

/** Schemas that extend a schema, directly or not. */
function below({ name, children }: Family): string[] {
  const found = new Set<string>();
  const open = [name];
  for (let next = open.pop(); next !== undefined && found.size < MAX_BELOW; next = open.pop())
    for (const child of (children.get(SCHEMAS + next) ?? []).slice(0, MAX_BELOW))
      if (found.size < found.add(child).size) open.push(child);
  return [...found];
}
