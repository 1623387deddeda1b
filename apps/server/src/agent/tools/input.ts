import { z } from 'zod';

/** A JSON Schema as zod writes it, as far as it is read here. */
interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

const schemas = new WeakMap<z.ZodObject, Readonly<Record<string, unknown>>>();

/** JSON Schema of what a model gives: parameters with a default are optional. */
export function schemaOf(parameters: z.ZodObject): Readonly<Record<string, unknown>> {
  let schema = schemas.get(parameters);
  if (schema === undefined) {
    const { $schema: _, ...rest } = z.toJSONSchema(parameters, { io: 'input' });
    schema = Object.freeze(withoutBounds(rest) as Record<string, unknown>);
    schemas.set(parameters, schema);
  }
  return schema;
}

/** Without the bounds of integers that every number has, which cost tokens and tell nothing. */
function withoutBounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBounds);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value)
    .filter(([key, one]) => !(key === 'maximum' && one === Number.MAX_SAFE_INTEGER))
    .filter(([key, one]) => !(key === 'minimum' && one === Number.MIN_SAFE_INTEGER))
    .map(([key, one]) => [key, withoutBounds(one)] as const);
  return Object.fromEntries(entries);
}

/**
 * What a model sent, with harmless mistakes repaired: JSON as text, numbers and booleans as text, null for
 * optional parameters, `oldText` for `old_text`. Unknown parameters are left out and named.
 */
export function fitInput(parameters: z.ZodObject, input: unknown): { value: unknown; unknown: string[] } {
  const schema = schemaOf(parameters) as Schema;
  const given = asObject(input);
  if (given === null) return { value: input, unknown: [] };
  const properties = new Map(Object.entries(schema.properties ?? {}));
  const value = new Map<string, unknown>();
  const unknown: string[] = [];
  for (const [key, one] of Object.entries(given)) {
    const name = properties.has(key) ? key : snakeCase(key);
    const property = properties.get(name);
    if (property === undefined) unknown.push(JSON.stringify(key.slice(0, 40)));
    else if (name !== key && Object.hasOwn(given, name)) unknown.push(JSON.stringify(key.slice(0, 40)));
    else if (one !== null || schema.required?.includes(name)) value.set(name, fitValue(property, one));
  }
  return { value: Object.fromEntries(value), unknown: unknown.slice(0, 10) };
}

function asObject(input: unknown): Record<string, unknown> | null {
  let value = input;
  if (value === undefined || value === null || value === '') return {};
  if (typeof value === 'string') value = jsonOf(value);
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function fitValue(schema: Schema, value: unknown): unknown {
  const { type } = schema;
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  if (typeof value === 'string') {
    const plain = value.trim();
    if ((type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(plain)) return Number(plain);
    if (type === 'boolean' && /^(?:true|false)$/i.test(plain)) return plain.toLowerCase() === 'true';
    if (type === 'array' || type === 'object') {
      const parsed = jsonOf(plain);
      return parsed !== null && typeof parsed === 'object' ? fitValue(schema, parsed) : value;
    }
    return value;
  }
  const { items, properties } = schema;
  if (Array.isArray(value)) return items === undefined ? value : value.map((one) => fitValue(items, one));
  if (value === null || typeof value !== 'object' || properties === undefined) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, property === undefined ? one : fitValue(property, one)];
    }),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Why a text that a model sent as input is not JSON, in a sentence that does not repeat the text; null: it is JSON. */
export function jsonFault(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const place = /at position (\d+)/.exec(String(error))?.[1];
    const isCut =
      /unterminated|unexpected end/i.test(String(error)) || Number(place) >= text.trimEnd().length;
    if (isCut) return `the JSON ends early, after ${text.length} characters`;
    return `the JSON is not valid${place === undefined ? '' : ` at character ${Number(place) + 1} of ${text.length}`}`;
  }
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
