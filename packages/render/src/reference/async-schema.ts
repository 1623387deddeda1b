import { readFileSync } from 'node:fs';
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { packageFile } from '../assets.ts';
import type { JsonObject } from '../config/json.ts';
import type { SourceTree } from '../source.ts';
import type { KnownWarning } from '../warning.ts';
import { checkSchema, type SchemaError } from './json-schema.ts';
import { digitsOf } from './long-integers.ts';

/** Bytes of a description in which errors have lines. */
const MAX_BYTES = 4 * 1024 * 1024;

const schemas = new Map<string, JsonObject>();

/** The published schema of a version of AsyncAPI 3. */
function schemaOf(version: string): JsonObject {
  const name = /^3\.0\b/.test(version) ? '3.0.0' : '3.1.0';
  let schema = schemas.get(name);
  if (schema === undefined) {
    const file = packageFile('@asyncapi/specs', `schemas/${name}-without-$id.json`);
    schema = JSON.parse(readFileSync(file, 'utf8')) as JsonObject;
    schemas.set(name, schema);
  }
  return schema;
}

/** What the published schema of AsyncAPI does not accept in a description. */
export function checkAsyncApi(source: SourceTree, file: string, document: JsonObject): KnownWarning[] {
  const errors = checkSchema(schemaOf(String(document.asyncapi)), document).filter(
    ({ path }) => !isLongInteger(document, path),
  );
  if (errors.length === 0) return [];
  const lineOf = source.size(file) > MAX_BYTES ? () => null : lineFinder(source.readText(file));
  return errors.map(({ path, message }) => ({
    file,
    line: lineOf(path),
    code: 'description-schema',
    message: `${nameOf(path)} ${message}. See the specification of AsyncAPI ${String(document.asyncapi).slice(0, 20)}.`,
  }));
}

/** Limits with many digits are texts. */
function isLongInteger(document: JsonObject, path: SchemaError['path']): boolean {
  let value: unknown = document;
  for (const key of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : null;
  return digitsOf(value) !== null;
}

function nameOf(path: SchemaError['path']): string {
  if (path.length === 0) return 'The AsyncAPI description';
  const name = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key.slice(0, 60)}`)).join('');
  return JSON.stringify(name.replace(/^\./, '').slice(-200));
}

/** Finds the line of a member of YAML or JSON, or of the closest part around it. */
export function lineFinder(text: string): (path: SchemaError['path']) => number | null {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, logLevel: 'silent' });
  return (path) => {
    let place: Place | null = { node: document.contents, offset: document.contents?.range?.[0] ?? 0 };
    let offset = place.offset;
    for (const key of path) {
      const node = isAlias(place.node) ? place.node.resolve(document) : place.node;
      place = memberOf(node, key);
      if (place === null) break;
      offset = place.offset;
    }
    return lines.linePos(offset).line;
  };
}

interface Place {
  node: unknown;
  offset: number;
}

function memberOf(node: unknown, key: string | number): Place | null {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
    if (pair === undefined || !isScalar(pair.key)) return null;
    return { node: pair.value, offset: pair.key.range?.[0] ?? 0 };
  }
  const item = isSeq(node) && typeof key === 'number' ? node.items[key] : undefined;
  return isNode(item) ? { node: item, offset: item.range?.[0] ?? 0 } : null;
}
