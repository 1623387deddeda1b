import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** An ajv that knows the document under the name `document`. */
export function ajvFor(document: JsonObject): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  formats.default(ajv);
  ajv.addSchema({ $id: 'document', ...document });
  return ajv;
}

/** Every property in the document, with the object that holds it. */
export function* pointersOf(value: Json): Generator<{ key: string; value: Json; parent: JsonObject }> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* pointersOf(item);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    yield { key, value: inner, parent: value };
    yield* pointersOf(inner);
  }
}

/** What a `#/a/b` reference points to. */
export function resolvePointer(document: JsonObject, pointer: string): Json | undefined {
  let at: Json | undefined = document;
  for (const part of pointer.replace(/^#\//, '').split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null && !Array.isArray(at) ? at[key] : undefined;
  }
  return at;
}

/**
 * An OpenAPI 3.0 document as JSON Schema 2020-12: `nullable` becomes a type, `example` goes.
 */
export function fromOpenApi30(value: Json): Json {
  if (Array.isArray(value)) return value.map(fromOpenApi30);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, example, ...rest } = value;
  const inner = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, fromOpenApi30(item)]));
  if (nullable === true && typeof inner.type === 'string') return { ...inner, type: [inner.type, 'null'] };
  return inner;
}
