import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { isObject, type JsonObject } from '../src/config/json.ts';
import type { Kind, Place } from './reference-rows.ts';

/*
 * Reads public API descriptions without the code under test: another parser where there is one, and a walk that knows
 * where each kind of object of OpenAPI and Swagger can be written.
 */

export function readIndependently(file: string): JsonObject {
  const text = readFileSync(file, 'utf8');
  const value: unknown = file.endsWith('.json')
    ? JSON.parse(text)
    : parseDocument(text, { uniqueKeys: false, logLevel: 'silent' }).toJS({ maxAliasCount: -1 });
  if (!isObject(value)) throw new Error(`not an object: ${file}`);
  return value;
}

export const METHODS = 'get put post delete options head patch trace query'.split(' ');

type Visit = (kind: Kind, value: JsonObject, place: Place) => void;

/** Visits each object of a description where it is written; references are not followed. */
export function walk(document: JsonObject, visit: Visit): void {
  const seen = new Set<object>();
  const at = (
    kind: Kind,
    value: unknown,
    key: string,
    parent: JsonObject | null = null,
  ): value is JsonObject => {
    if (!isObject(value) || seen.has(value)) return false;
    seen.add(value);
    if (typeof value.$ref === 'string') visit('reference', value, { document, key, parent });
    if (typeof value.description === 'string')
      visit('text', { text: value.description }, { document, key, parent });
    visit(kind, value, { document, key, parent });
    return true;
  };
  const each = (value: unknown, use: (one: unknown, key: string) => void): void => {
    if (Array.isArray(value)) value.forEach((one, index) => void use(one, String(index)));
    else if (isObject(value)) for (const key of Object.keys(value)) use(value[key], key);
  };

  const schema = (value: unknown, key: string, parent: JsonObject | null): void => {
    if (!at('schema', value, key, parent)) return;
    for (const one of ['properties', 'patternProperties', '$defs', 'definitions'])
      if (!Array.isArray(value[one])) each(value[one], (own, name) => schema(own, name, value));
    for (const one of ['allOf', 'oneOf', 'anyOf', 'prefixItems'])
      each(value[one], (own) => schema(own, '', value));
    for (const one of ['additionalProperties', 'unevaluatedProperties', 'not', 'contains'])
      schema(value[one], '', value);
    if (Array.isArray(value.items)) each(value.items, (own) => schema(own, '', value));
    else schema(value.items, '', value);
  };
  const examples = (value: JsonObject): void =>
    each(value.examples, (one, key) => {
      if (isObject(one) && typeof one.$ref === 'string')
        visit('reference', one, { document, key, parent: null });
    });
  const content = (value: unknown): void =>
    each(value, (media, type) => {
      if (!at('media', media, type)) return;
      examples(media);
      schema(media.schema, '', null);
      schema(media.itemSchema, '', null);
    });
  const parameter = (kind: 'parameter' | 'header') => (value: unknown, key: string) => {
    if (!at(kind, value, key)) return;
    schema(value.schema, '', null);
    content(value.content);
    // Swagger 2 writes the schema of a parameter into the parameter.
    if (value.schema === undefined && value.type !== undefined) schema({ ...value }, '', null);
  };
  const body = (value: unknown, key: string): void => {
    if (at('body', value, key)) content(value.content);
  };
  const response = (value: unknown, key: string): void => {
    if (!at('response', value, key)) return;
    each(value.headers, parameter('header'));
    content(value.content);
    schema(value.schema, '', null);
  };
  const operation = (value: unknown, key: string): void => {
    if (!at('operation', value, key)) return;
    each(value.parameters, parameter('parameter'));
    body(value.requestBody, '');
    each(value.responses, response);
    each(value.callbacks, callback);
    each(value.servers, (one, index) => void at('server', one, index));
  };
  const item = (value: unknown, key: string): void => {
    if (!at('item', value, key)) return;
    each(value.parameters, parameter('parameter'));
    each(value.servers, (one, index) => void at('server', one, index));
    for (const method of METHODS) operation(value[method], method);
    each(value.additionalOperations, operation);
  };
  const callback = (value: unknown, key: string): void => {
    if (at('callback', value, key)) each(value, item);
  };

  visit('description', document, { document, key: '', parent: null });
  each(document.tags, (one, key) => void at('tag', one, key));
  each(document.servers, (one, key) => void at('server', one, key));
  each(document.paths, item);
  for (const key of ['webhooks', 'x-webhooks'])
    each(document[key], (one) => {
      if (isObject(one)) visit('webhook', one, { document, key, parent: null });
      item(one, key);
    });
  const components = isObject(document.components) ? document.components : document;
  each(components.schemas ?? components.definitions, (one, key) => schema(one, key, null));
  each(components.parameters, parameter('parameter'));
  each(components.headers, parameter('header'));
  each(components.responses, response);
  each(components.requestBodies, body);
  each(components.callbacks, callback);
  each(
    components.securitySchemes ?? components.securityDefinitions,
    (one, key) => void at('scheme', one, key),
  );
}
