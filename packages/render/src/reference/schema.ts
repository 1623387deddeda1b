import { isObject, type JsonObject } from '../config/json.ts';
import { isNull, MAX_VARIANTS, requirementsOf } from './alternatives.ts';
import { hasReference, isEqual } from './compare.ts';
import { type Condition, conditionsOf, MAX_CONDITIONS, rulesOf } from './conditions.ts';
import { type Description, descriptionsOf } from './descriptions.ts';
import { type Discriminator, discriminatorOf, subtypesOf, valuesOfSubtype } from './discriminator.ts';
import { addLimits } from './limits.ts';
import { parseJson } from './parse.ts';
import { type At, containerAt, exampleAt, isReference, type Resolver } from './resolver.ts';
import { listOf, scalarText, textOf } from './values.ts';

/** A JSON Schema as a reader of the reference needs it: references resolved, `allOf` merged. */
export interface Schema {
  /** Name of the referenced schema. */
  readonly name: string | null;
  readonly title: string | null;
  /** Those of its parts that say different things. */
  readonly descriptions: readonly string[];
  /** JSON types without `null`, in the order of the description; empty if it does not say. */
  readonly types: readonly string[];
  readonly isNullable: boolean;
  readonly format: string | null;
  /** `externalDocs`. */
  readonly documentation: unknown;
  readonly values: readonly EnumValue[];
  readonly deprecated: boolean;
  /** `default`, if there is one. */
  readonly default: { value: unknown } | null;
  readonly examples: readonly unknown[];
  /** Only in responses. */
  readonly isReadOnly: boolean;
  /** Only in requests. */
  readonly isWriteOnly: boolean;
  /** Limits by keyword: `minLength`, `pattern`, `multipleOf`. */
  readonly limits: ReadonlyMap<string, string>;
  readonly properties: readonly Property[];
  /** Names that are required and are not among the properties. */
  readonly undescribed: readonly string[];
  /** Schemas of properties by patterns of their names. */
  readonly patterns: readonly Property[];
  /** Of properties with other names; null if they are not described. */
  readonly additional: At | null;
  /** Properties with other names are not allowed. */
  readonly isClosed: boolean;
  readonly items: At | null;
  /** Of items of which an array has some. */
  readonly contains: At | null;
  /** First items of an array, each with a schema of its own. */
  readonly prefix: readonly At[];
  readonly variants: readonly Variants[];
  /** Alternatives that only require properties. */
  readonly requirements: readonly Requirements[];
  /** Schemas that apply only in some cases. */
  readonly conditions: readonly Condition[];
  /** Keywords that are shown as they are written. */
  readonly rules: readonly (readonly [keyword: string, value: unknown])[];
  /** What a text contains. */
  readonly content: At | null;
  readonly not: At | null;
  /** Keywords to which parts of `allOf` give different values. */
  readonly conflicts: readonly string[];
}

export interface EnumValue {
  readonly value: unknown;
  /** By the common vendor keys; null without it. */
  readonly name: string | null;
  readonly description: string | null;
}

export interface Property {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: At;
}

/** Alternatives. */
export interface Variants {
  readonly kind: 'oneOf' | 'anyOf';
  readonly list: readonly At[];
  readonly discriminator: Discriminator | null;
}

/** Names of properties, of which each alternative requires some. */
export interface Requirements {
  readonly kind: Variants['kind'];
  readonly list: readonly (readonly string[])[];
}

/** Reads each schema of a description once for a page, and those that many pages show mostly once. */
export interface Schemas {
  read(at: At): Schema;
  readonly resolver: Resolver;
  /** Called between pages: forgets what was read of schemas if that is much. */
  trim(): void;
}

/** Parts of `allOf` that are merged, at all levels together; hostile descriptions have thousands. */
const MAX_PARTS = 200;
const MAX_PROPERTIES = 2000;
/** Required names without a description. */
const MAX_UNDESCRIBED = 100;
const MAX_VALUES = 2000;
const MAX_DEPTH = 24;

/**
 * Unnamed schemas that are kept. Those of an operation are read for its page only; all of them would take more memory
 * than the description.
 */
const MAX_KEPT = 50_000;

export function openSchemas(resolver: Resolver): Schemas {
  // Descriptions live as long as these: weak maps of hundreds of thousands of schemas take most of the time of the
  // garbage collection.
  const unnamed = new Map<object, Schema>();
  const named = new Map<object, Map<string, Schema>>();
  const make = (at: At): Schema => {
    // All references to a schema that say nothing themselves share what is read of it.
    const target = isReference(at.value) ? pastPlainReferences(at, resolver) : at;
    if (target !== at && isObject(target.value)) return read(target);
    const draft = createDraft();
    draft.name = isReference(at.value) ? null : at.name;
    merge(draft, at, { ...WHOLE, resolver, open: new Set() });
    if (draft.cut !== null) resolver.exceeded(at.file, `a schema with more than ${draft.cut}`);
    addSubtype(draft, at, read);
    return finish(draft, at);
  };
  const read = (at: At): Schema => {
    const { value, name } = at;
    if (!isObject(value)) return finish(createDraft(), at);
    if (name === null || isReference(value)) {
      let schema = unnamed.get(value);
      if (schema === undefined) {
        schema = make(at);
        unnamed.set(value, schema);
      }
      return schema;
    }
    const names = named.get(value) ?? new Map<string, Schema>();
    named.set(value, names);
    let schema = names.get(name);
    if (schema === undefined) {
      schema = make(at);
      names.set(name, schema);
    }
    return schema;
  };
  const trim = (): void => {
    if (unnamed.size > MAX_KEPT) unnamed.clear();
  };
  return { resolver, read, trim };
}

/** The first schema of a chain of references that says something itself; the start if the chain has no end. */
function pastPlainReferences(at: At, resolver: Resolver): At {
  if (resolver.resolve(at) === null) return at;
  let { value, file, name } = at;
  while (isReference(value) && isPlain(value)) {
    const next = resolver.step({ value, file, name });
    if (next === null) return at;
    ({ value, file, name } = next);
  }
  return value === at.value ? at : { value, file, name };
}

function isPlain(value: JsonObject): boolean {
  for (const key in value) if (key !== '$ref') return false;
  return true;
}

// Most schemas have none of most members. One empty value for all of them halves the memory of a description.
const NO_LIST: readonly never[] = [];
const NO_LIMITS: ReadonlyMap<string, string> = new Map();

const orNone = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NO_LIST : list);

interface Draft {
  name: string | null;
  parts: number;
  /** First value of each keyword that one value describes. */
  words: Map<string, unknown>;
  descriptions: Description[];
  types: string[] | null;
  isNullable: boolean;
  values: EnumValue[] | null;
  examples: unknown[];
  limits: Map<string, string>;
  properties: Map<string, At>;
  required: Set<string>;
  patterns: Map<string, At>;
  additional: At | null;
  isClosed: boolean;
  items: At | null;
  contains: At | null;
  prefix: At[];
  variants: Variants[];
  /** The discriminator of a schema that it extends. */
  subtype: ReturnType<typeof valuesOfSubtype>;
  requirements: Requirements[];
  conditions: Condition[];
  rules: [string, unknown][];
  content: At | null;
  not: At | null;
  conflicts: Set<string>;
  /** The limit that it exceeds. */
  cut: string | null;
}

interface Merging {
  resolver: Resolver;
  /** Schemas that are being merged: a schema in its own `allOf` adds nothing. */
  open: Set<object>;
  depth: number;
  /** They are extended: what else extends them says nothing about this schema. */
  isBase: boolean;
  /** They have a name of their own, and so their title is not that of the schema that extends them. */
  isOther: boolean;
  /** Named schemas around it in `allOf`. */
  level: number;
  /** In `allOf`. */
  isPart: boolean;
  /** A reference to it has a description, which replaces its own one. */
  isDescribed: boolean;
}

const WHOLE = {
  depth: 0,
  isBase: false,
  isOther: false,
  level: 0,
  isPart: false,
  isDescribed: false,
} as const;

function createDraft(): Draft {
  return {
    name: null,
    parts: 0,
    words: new Map(),
    descriptions: [],
    types: null,
    isNullable: false,
    values: null,
    examples: [],
    limits: new Map(),
    properties: new Map(),
    required: new Set(),
    patterns: new Map(),
    additional: null,
    isClosed: false,
    items: null,
    contains: null,
    prefix: [],
    variants: [],
    subtype: null,
    requirements: [],
    conditions: [],
    rules: [],
    content: null,
    not: null,
    conflicts: new Set(),
    cut: null,
  };
}

function finish(draft: Draft, at: At): Schema {
  const { words, properties, required } = draft;
  const fallback = words.get('default');
  const types = draft.types ?? guessTypes(draft);
  return {
    name: draft.name,
    title: textOf(words.get('title')),
    descriptions: orNone(descriptionsOf(draft.descriptions, types.includes('object'))),
    types,
    isNullable: draft.isNullable || at.value === null,
    format: textOf(words.get('format')),
    documentation: words.get('externalDocs'),
    values: orNone(draft.values ?? NO_LIST),
    deprecated: words.get('deprecated') === true,
    default: fallback === undefined ? null : { value: fallback },
    examples: orNone(draft.examples),
    isReadOnly: words.get('readOnly') === true,
    isWriteOnly: words.get('writeOnly') === true,
    limits: draft.limits.size === 0 ? NO_LIMITS : draft.limits,
    properties: propertiesOf(properties, required),
    undescribed: undescribedOf(properties, required),
    patterns: propertiesOf(draft.patterns, NO_NAMES),
    additional: draft.additional,
    isClosed: draft.isClosed,
    items: draft.items,
    contains: draft.contains,
    prefix: orNone(draft.prefix),
    variants: orNone(draft.variants),
    requirements: orNone(draft.requirements),
    conditions: orNone(draft.conditions),
    rules: orNone(draft.rules),
    content: draft.content,
    not: draft.not,
    conflicts: draft.conflicts.size === 0 ? NO_LIST : [...draft.conflicts],
  };
}

const NO_NAMES: ReadonlySet<string> = new Set();

function propertiesOf(schemas: ReadonlyMap<string, At>, required: ReadonlySet<string>): readonly Property[] {
  if (schemas.size === 0) return NO_LIST;
  return Array.from(schemas, ([name, schema]) => ({ name, schema, isRequired: required.has(name) }));
}

function undescribedOf(
  properties: ReadonlyMap<string, At>,
  required: ReadonlySet<string>,
): readonly string[] {
  if (required.size === 0) return NO_LIST;
  return orNone([...required].filter((name) => !properties.has(name)).slice(0, MAX_UNDESCRIBED));
}

function guessTypes({
  properties,
  patterns,
  additional,
  items,
  prefix,
  values,
  isNullable,
}: Draft): string[] {
  if (properties.size > 0 || patterns.size > 0 || additional !== null) return ['object'];
  if (items !== null || prefix.length > 0) return ['array'];
  // `null` is not among the values.
  if (values?.length === 0 && isNullable) return ['null'];
  const kinds = new Set((values ?? []).map(({ value }) => typeOf(value)));
  return kinds.size === 1 ? [...kinds] : [];
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (JSON.isRawJSON(value)) return 'integer';
  return value === null ? 'null' : typeof value;
}

/** Adds what a schema says to what is known. */
function merge(draft: Draft, at: At, merging: Merging): void {
  const { resolver, open, depth } = merging;
  if (depth > MAX_DEPTH) draft.cut = `${MAX_DEPTH} levels of \`allOf\``;
  else if (++draft.parts > MAX_PARTS) draft.cut = `${MAX_PARTS} parts of \`allOf\``;
  if (depth > MAX_DEPTH || draft.parts > MAX_PARTS) return;
  const { value } = at;
  if (!isObject(value) || open.has(value)) return;
  open.add(value);
  const inner = { ...merging, depth: depth + 1 };
  // Members beside a reference come first: they were written for this place.
  addOwn(draft, { ...at, value }, merging);
  const isDescribed = merging.isDescribed || textOf(value.description) !== null;
  if (isReference(value)) {
    const end = resolver.resolve(at);
    const target = end === null ? null : resolver.step({ ...at, value });
    if (end !== null && target !== null) {
      if (depth === 0 && draft.name === null) draft.name = end.name;
      // Not the end: a reference on the way may say something too.
      const level = merging.isPart ? merging.level + 1 : merging.level;
      merge(draft, target, { ...inner, isOther: merging.isBase, level, isPart: false, isDescribed });
    }
  }
  const parts = listOf(value.allOf);
  // One part alone is a reference with words beside it.
  const isBase = merging.isBase || parts.length > 1 || value.properties !== undefined;
  for (const part of parts)
    merge(draft, { value: part, file: at.file, name: null }, { ...inner, isBase, isPart: true });
  addChoices(draft, { ...at, value }, { ...inner, isDescribed });
  const subtypes = merging.isBase ? null : subtypesOf({ ...at, value }, resolver, open, MAX_VARIANTS);
  if (subtypes !== null) draft.variants.push({ kind: 'oneOf', ...subtypes });
  draft.subtype ??= valuesOfSubtype({ ...at, value }, resolver, open);
  open.delete(value);
}

/** The value that the discriminator has in this schema is the example of its property. */
function addSubtype({ subtype, properties, required }: Draft, { file }: At, read: Schemas['read']): void {
  if (subtype === null) return;
  const { property, values } = subtype;
  const at = properties.get(property) ?? { value: { type: 'string' }, file, name: null };
  if (!properties.has(property) && !required.has(property)) return;
  const allowed = read(at).values.map(({ value }) => value);
  const example = allowed.length === 0 ? values[0] : values.find((one) => allowed.includes(one));
  if (example === undefined || allowed.length === 1 || !isObject(at.value)) return;
  properties.set(property, { ...at, value: { ...at.value, example } });
}

const WORDS = [...['title', 'format', 'deprecated', 'readOnly', 'writeOnly', 'default', 'externalDocs']];
/** Words to which two parts of `allOf` should not give different values. */
const STRICT = new Set(['format', 'default']);

function addOwn(draft: Draft, at: At<JsonObject>, merging: Merging): void {
  const { isOther, isDescribed, level, resolver } = merging;
  const { value } = at;
  const description = isDescribed ? null : textOf(value.description);
  if (description !== null) draft.descriptions.push({ text: description, level });
  for (const word of WORDS) {
    const written = value[word];
    if (written === undefined || (isOther && word === 'title')) continue;
    const known = draft.words.get(word);
    if (known === undefined) draft.words.set(word, written);
    else if (STRICT.has(word) && !isEqual(known, written)) draft.conflicts.add(word);
  }
  addTypes(draft, value);
  addValues(draft, at, resolver);
  for (const rule of addLimits(draft.limits, value)) addRule(draft, rule);
  addExamples(draft, at, resolver);
  addMembers(draft, at, resolver);
  addConditions(draft, at);
  if (isObject(value.contentSchema)) draft.content ??= inside(at, value.contentSchema);
  if (value.not !== undefined && draft.not === null) draft.not = inside(at, value.not);
}

function addTypes(draft: Draft, { type, nullable, ...value }: JsonObject): void {
  if (nullable === true || value['x-nullable'] === true) draft.isNullable = true;
  const written = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  if (written.includes('null')) draft.isNullable = true;
  const types = written.filter((one) => one !== 'null');
  if (types.length === 0) {
    if (written.length > 0 && draft.types === null) draft.types = ['null'];
    return;
  }
  if (draft.types === null) {
    draft.types = [...new Set(types)];
    return;
  }
  const both = draft.types.flatMap((one) => types.flatMap((other) => narrower(one, other) ?? []));
  if (both.length > 0) draft.types = [...new Set(both)];
  else draft.conflicts.add('type');
}

/** The type of values that have both types; null if no value has. */
function narrower(one: string, other: string): string | null {
  if (one === other || (one === 'integer' && other === 'number')) return one;
  return one === 'number' && other === 'integer' ? other : null;
}

function addValues(draft: Draft, at: At<JsonObject>, resolver: Resolver): void {
  const { value } = at;
  const isConst = Object.hasOwn(value, 'const');
  const written = isConst ? [value.const] : partAt(at, 'enum', resolver).value;
  if (!Array.isArray(written)) return;
  const names = listOf(value['x-enum-varnames'] ?? value['x-enumNames'] ?? value['x-enum-names']);
  const texts = value['x-enum-descriptions'] ?? value['x-enumDescriptions'] ?? value['x-enum-elements'];
  if (written.length > MAX_VALUES) draft.cut = `${MAX_VALUES} allowed values`;
  const values = written.slice(0, MAX_VALUES).map((one, index) => ({
    value: one,
    name: textOf(names[index]),
    description: textOf(descriptionOf(texts, one, index)),
  }));
  if (values.some((one) => one.value === null)) draft.isNullable = true;
  const known = draft.values;
  if (known === null) {
    draft.values = values.filter((one) => one.value !== null);
    return;
  }
  const both = known.filter((one) => values.some((other) => isEqual(one.value, other.value)));
  if (both.length > 0) draft.values = both;
  else draft.conflicts.add(isConst ? 'const' : 'enum');
}

function descriptionOf(texts: unknown, value: unknown, index: number): unknown {
  const item = Array.isArray(texts) ? texts[index] : undefined;
  if (isObject(item)) return item.description;
  if (item !== undefined) return item;
  return isObject(texts) && Object.hasOwn(texts, scalarText(value)) ? texts[scalarText(value)] : undefined;
}

function addExamples(draft: Draft, at: At<JsonObject>, resolver: Resolver): void {
  if (draft.examples.length > 0) return;
  const { value } = at;
  const written = value.example === undefined ? listOf(value.examples) : [value.example];
  const more = written.map((one) => exampleAt(inside(at, one), resolver));
  const isList = [value.type].flat().every((type) => LISTS.has(type));
  draft.examples = more.slice(0, 5).map((one) => (isList ? readText(one) : one));
}

const LISTS: ReadonlySet<unknown> = new Set(['array', 'object', 'null']);

/** A list or an object that is written as a text of JSON stands for its value. */
function readText(example: unknown): unknown {
  if (typeof example !== 'string' || !/^\s*[[{]/.test(example)) return example;
  return parseJson(example) ?? example;
}

const partAt = (at: At<JsonObject>, key: string, resolver: Resolver): At =>
  containerAt(inside(at, at.value[key]), resolver);

function addMembers(draft: Draft, at: At<JsonObject>, resolver: Resolver): void {
  const { value } = at;
  for (const name of listOf(partAt(at, 'required', resolver).value))
    if (typeof name === 'string') draft.required.add(name);
  addSchemas(draft, draft.properties, partAt(at, 'properties', resolver));
  addSchemas(draft, draft.patterns, partAt(at, 'patternProperties', resolver));
  const { items } = value;
  const additional = value.additionalProperties ?? value.unevaluatedProperties;
  if (additional === false || value.unevaluatedProperties === false) draft.isClosed = true;
  if (isObject(additional))
    draft.additional = both(draft, 'additionalProperties', draft.additional, at, additional);
  else if (additional === true) draft.additional ??= inside(at, {});
  if (Array.isArray(value.prefixItems) && draft.prefix.length === 0)
    draft.prefix = value.prefixItems.slice(0, MAX_VARIANTS).map((item) => inside(at, item));
  if (isObject(value.contains)) draft.contains ??= inside(at, value.contains);
  // A tuple in older drafts.
  if (Array.isArray(items)) {
    if (draft.prefix.length === 0)
      draft.prefix = items.slice(0, MAX_VARIANTS).map((item) => inside(at, item));
  } else if (isObject(items)) draft.items = both(draft, 'items', draft.items, at, items);
}

function addSchemas(draft: Draft, known: Map<string, At>, at: At): void {
  const { value: written } = at;
  if (!isObject(written)) return;
  for (const name of Object.keys(written)) {
    if (known.size >= MAX_PROPERTIES) {
      draft.cut = `${MAX_PROPERTIES} properties`;
      return;
    }
    known.set(name, both(draft, name, known.get(name) ?? null, at, written[name]));
  }
}

/** Two parts of `allOf` may describe one property: both schemas apply to it. */
function both(draft: Draft, name: string, before: At | null, { file }: At, value: unknown): At {
  if (before === null) return { value, file, name: null };
  if (isEqual(before.value, value)) return before;
  // References into two files cannot be in one value; then the first is shown.
  const shared = before.file === file || !hasReference(value) ? before.file : file;
  if (shared !== before.file && hasReference(before.value)) {
    draft.conflicts.add(name);
    return before;
  }
  return { value: { allOf: [before.value, value] }, file: shared, name: null };
}

function addConditions(draft: Draft, at: At): void {
  const left = MAX_CONDITIONS - draft.conditions.length;
  draft.conditions.push(...conditionsOf(at).slice(0, Math.max(0, left)));
  for (const rule of rulesOf(at)) addRule(draft, rule);
}

function addRule(draft: Draft, rule: [string, unknown]): void {
  if (draft.rules.length < MAX_CONDITIONS) draft.rules.push(rule);
}

function inside(at: At, value: unknown): At {
  return { value, file: at.file, name: null };
}

/** `oneOf` and `anyOf`; one of two alternatives that is `null` makes the other nullable. */
function addChoices(draft: Draft, at: At<JsonObject>, merging: Merging): void {
  for (const kind of ['oneOf', 'anyOf'] as const) {
    const written = at.value[kind];
    if (!Array.isArray(written) || written.length === 0) continue;
    if (written.length > MAX_VARIANTS) draft.cut = `${MAX_VARIANTS} alternatives`;
    const list = written.slice(0, MAX_VARIANTS).map((one) => inside(at, one));
    const others = list.filter((one) => !isNull(one, merging.resolver));
    if (others.length < list.length) draft.isNullable = true;
    const [only] = others;
    if (only === undefined) continue;
    if (others.length === 1) {
      const target = merging.resolver.resolve(only);
      if (draft.name === null && merging.depth === 1 && target !== null) draft.name = target.name;
      merge(draft, only, merging);
      continue;
    }
    const requirements = requirementsOf(written);
    if (requirements !== null) {
      if (!draft.requirements.some((one) => one.kind === kind && isEqual(one.list, requirements)))
        draft.requirements.push({ kind, list: requirements });
      continue;
    }
    if (addConstants(draft, others, merging.resolver)) continue;
    draft.variants.push({ kind, list: others, discriminator: discriminatorOf(at.value, others) });
  }
}

/** Alternatives of one value each are allowed values, with a name and a description for each. */
function addConstants(draft: Draft, list: readonly At[], resolver: Resolver): boolean {
  const values: EnumValue[] = [];
  const types = new Set<string>();
  for (const at of list) {
    const target = resolver.resolve(at)?.value;
    if (!isObject(target)) return false;
    const [only, ...more] = Array.isArray(target.enum) ? target.enum : [];
    const value = Object.hasOwn(target, 'const') ? target.const : only;
    if (value === undefined || more.length > 0 || isObject(value) || Array.isArray(value)) return false;
    values.push({ value, name: textOf(target.title), description: textOf(target.description) });
    types.add(typeOf(value));
  }
  const known = draft.values;
  draft.values =
    known === null ? values : values.filter((one) => known.some((other) => isEqual(one.value, other.value)));
  draft.types ??= [...types];
  return true;
}
