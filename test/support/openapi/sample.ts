import { at, type Json } from './cut.ts';

/**
 * The least value that a schema of the description allows: required properties and plain values. What a double does
 * not care about is filled with it.
 */
export function sampleOf(document: Json, pointer: string): Json {
  return sample(document, at(document, pointer) as Json, 0) as Json;
}

function sample(document: Json, schema: Json, depth: number): unknown {
  if (typeof schema.$ref === 'string') return sample(document, at(document, schema.$ref) as Json, depth);
  if (schema.nullable === true || (Array.isArray(schema.type) && schema.type.includes('null'))) return null;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.allOf))
    return Object.assign({}, ...schema.allOf.map((member: Json) => sample(document, member, depth)));
  const union = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (union?.[0] !== undefined) return sample(document, union[0], depth);
  switch (schema.type) {
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'string':
      return sampleText(String(schema.format ?? ''));
    default:
      return sampleObject(document, schema, depth);
  }
}

function sampleText(format: string): string {
  if (format === 'date-time') return '2026-01-02T03:04:05Z';
  if (format === 'uri') return 'https://forge.example.com/x';
  if (format === 'email') return 'bot@example.com';
  return 'x';
}

function sampleObject(document: Json, schema: Json, depth: number): Json {
  const properties = (schema.properties ?? {}) as Record<string, Json>;
  if (depth > 8) throw new Error('The schema needs itself.');
  const required = (schema.required ?? []) as string[];
  return Object.fromEntries(
    required.map((name) => [name, sample(document, properties[name] ?? {}, depth + 1)]),
  );
}
