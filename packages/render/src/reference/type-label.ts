import { isObject } from '../config/json.ts';
import type { At } from './resolver.ts';
import type { Schema, Schemas } from './schema.ts';

const MAX_TYPES = 4;
/** Arrays of arrays and maps of maps; deeper ones are of `any`. */
const MAX_DEPTH = 8;

/** Labels by schema as written; what a schema contains itself is `any` there. */
const labelsOf = new WeakMap<Schemas, Map<object, string>>();

/** The type of a schema in a few words: `string<date-time> | null`, `object[]`, `map of integer`. */
export function typeLabel(at: At, schemas: Schemas, depth = 0): string {
  if (depth > MAX_DEPTH) return 'any';
  const target = schemas.resolver.resolve(at);
  // The schema that no value matches.
  if (target?.value === false) return 'never';
  if (target === null || !isObject(target.value) || !isObject(at.value)) return 'any';
  const labels = labelsOf.get(schemas) ?? new Map<object, string>();
  labelsOf.set(schemas, labels);
  let label = labels.get(at.value);
  if (label === undefined) {
    labels.set(at.value, 'any');
    const schema = schemas.read(at);
    const words = wordsOf(schema, schemas, depth);
    label = schema.isNullable && words !== 'null' && words !== 'any' ? `${words} | null` : words;
    labels.set(at.value, label);
  }
  return label;
}

function wordsOf(schema: Schema, schemas: Schemas, depth: number): string {
  const { types, variants, format, values } = schema;
  if (types.length === 0) return variants.length > 0 ? choiceOf(variants[0]!.list, schemas, depth) : 'any';
  const labelOf = (type: string): string => {
    if (type === 'array') return arrayOf(schema, schemas, depth);
    if (type === 'object') return objectOf(schema, schemas, depth);
    if (values.length > 1) return types.length === 1 ? `enum<${type}>` : type;
    return format === null ? type : `${type}<${format.slice(0, 40)}>`;
  };
  return types.slice(0, MAX_TYPES).map(labelOf).join(' | ');
}

function arrayOf({ items, prefix }: Schema, schemas: Schemas, depth: number): string {
  if (prefix.length > 0) return 'tuple';
  if (items === null) return 'array';
  const inner = typeLabel(items, schemas, depth + 1);
  return shorten(inner.includes(' ') ? `(${inner})[]` : `${inner}[]`);
}

function objectOf({ properties, patterns, additional }: Schema, schemas: Schemas, depth: number): string {
  if (properties.length > 0 || patterns.length > 0 || additional === null) return 'object';
  const inner = typeLabel(additional, schemas, depth + 1);
  return inner === 'any' ? 'object' : shorten(`map of ${inner}`);
}

function choiceOf(list: readonly At[], schemas: Schemas, depth: number): string {
  const words = [...new Set(list.map((one) => typeLabel(one, schemas, depth + 1)))];
  const shown = words.slice(0, MAX_TYPES).join(' | ');
  return shorten(words.length > MAX_TYPES ? `${shown} | …` : shown);
}

const shorten = (label: string): string => (label.length > 120 ? `${label.slice(0, 120)}…` : label);
