import {
  type ApiContent,
  type ApiOperation,
  type ApiParameter,
  type At,
  type DescribedOperation,
  type Description,
  isReference,
  readOperation,
  type Schema,
  type Schemas,
} from '@offprint/render/description';
import type { OperationAnswer } from './docs-check.ts';
import type { LineRange } from './operation-lines.ts';
import { lineKeysOf } from './operation-list.ts';

/** Levels of a schema that are shown; deeper levels are named by their type. */
const MAX_DEPTH = 6;
/** Characters of one page of the result, and pages. */
const PAGE_LENGTH = 24_000;
const MAX_PAGES = 20;
/** Characters of one description. */
const MAX_WORDS = 300;
const MAX_VALUES = 20;
/** Content types of a body and choices of a schema that are shown. */
const MAX_TYPES = 5;
const MAX_CHOICES = 10;

/** The result so far, and where it is in the description. */
interface Reading {
  schemas: Schemas;
  lines: string[];
  length: number;
  isCut: boolean;
  /** Schemas around this place, by which a cycle is found. */
  open: unknown[];
}

/** Which operation, and which part of the result. */
export interface OperationRequest {
  method: string;
  path: string;
  /** From 1; default 1. */
  page?: number;
  /** Where operations are in the file, if that is known. */
  places?: ReadonlyMap<string, LineRange>;
}

/**
 * What a writer needs of one operation of an API description: parameters, body and responses with their fields,
 * references followed. Bounded in depth and length, whatever the description contains.
 */
export function describeOperation(
  { description, schemas }: { description: Description; schemas: Schemas },
  request: OperationRequest,
): OperationAnswer {
  const wanted = request.method.trim().toUpperCase();
  const path = request.path.trim();
  const found = findOperation(description, wanted, path);
  const { place = null } = found ?? {};
  const operation = place === null ? null : readOperation(place, schemas.resolver);
  if (found === null || place === null || operation === null)
    return { fault: missingOperation(description, wanted, path) };
  const reading: Reading = { schemas, lines: [], length: 0, isCut: false, open: [] };
  addFacts(reading, found, operation);
  const range = lineKeysOf(found)
    .map((key) => request.places?.get(key))
    .find((one) => one !== undefined);
  if (range !== undefined) add(reading, `In the file: lines ${range.from}-${range.to}`);
  if (found.description !== null) add(reading, words(found.description, 1500));
  const servers = operation.servers.map(({ url }) => cut(url, 200));
  if (servers.length > 0) add(reading, `Servers: ${servers.slice(0, 5).join(', ')}`);
  addSecurity(reading, operation.security);
  addParameters(reading, operation.parameters);
  addBody(reading, operation);
  addResponses(reading, operation);
  if (reading.isCut) reading.lines.push('(cut here: there is more; read the file for the rest)');
  return pageOf(reading.lines, request.page ?? 1);
}

/** The lines of one page. */
function pageOf(lines: readonly string[], page: number): OperationAnswer {
  const pages: string[][] = [];
  let length = PAGE_LENGTH + 1;
  for (const line of lines) {
    if (length > PAGE_LENGTH) {
      pages.push([]);
      length = 0;
    }
    pages.at(-1)?.push(line);
    length += line.length + 1;
  }
  const shown = pages[page - 1];
  if (shown === undefined)
    return { fault: `Page ${page} of the operation was not found: the last one is ${pages.length}.` };
  const more =
    page < pages.length ? [`(page ${page} of ${pages.length}; continue with page=${page + 1})`] : [];
  return { text: [...shown, ...more].join('\n') };
}

/** The path as it is written comes before others that only look like it. */
function findOperation({ operations }: Description, method: string, path: string): DescribedOperation | null {
  const all = operations.filter((one) => one.method === method);
  return all.find((one) => one.path === path) ?? all.find((one) => isSameRoute(one.path, path)) ?? null;
}

/** The same path but for a slash at its end and the names of its parameters. */
function isSameRoute(a: string, b: string): boolean {
  const plain = (path: string): string =>
    path
      .replace(/^\/+|\/+$/g, '')
      .replace(/\{[^{}/]*\}|:[A-Za-z_]\w*/g, '{}')
      .toLowerCase();
  return plain(a) === plain(b);
}

function missingOperation({ operations }: Description, method: string, path: string): string {
  const parts = new Set(path.toLowerCase().split('/').filter(Boolean));
  const score = (entry: string): number =>
    entry
      .toLowerCase()
      .split(/[\s/]+/)
      .filter((part) => parts.has(part)).length;
  const near = operations
    .map((one) => `${one.method} ${one.path}`)
    .map((entry, index) => ({ entry, index, near: score(entry) }))
    .sort((a, b) => b.near - a.near || a.index - b.index);
  const shown = near.slice(0, 30).map(({ entry }) => cut(entry, 200));
  const left = near.length - shown.length;
  const rest = left > 0 ? ` and ${left} more; leave out method and path to list them` : '';
  const those = near.length === 0 ? 'It has no operation.' : `It has: ${shown.join(', ')}${rest}.`;
  return `The API description has no ${cut(method, 20)} ${cut(path, 200)}. ${those}`;
}

function addFacts(reading: Reading, found: DescribedOperation, { written }: ApiOperation): void {
  const { method, path, summary, deprecated } = found;
  add(reading, `${method} ${cut(path, 500)}${summary === null ? '' : ` - ${words(summary)}`}`);
  const tags = texts(written.tags).map((tag) => cut(tag, 100));
  const facts = [
    typeof written.operationId === 'string' ? `operationId: ${cut(written.operationId, 200)}` : '',
    tags.length > 0 ? `tags: ${tags.slice(0, MAX_VALUES).join(', ')}` : '',
    deprecated ? 'deprecated' : '',
  ].filter((fact) => fact !== '');
  if (facts.length > 0) add(reading, facts.join('; '));
}

function addSecurity(reading: Reading, security: ApiOperation['security']): void {
  const choices = security
    .slice(0, 5)
    .map((schemes) => (schemes.length === 0 ? 'none' : schemes.map(schemeText).join(' and ')));
  if (choices.length > 0) add(reading, `Security: ${choices.join(' or ')}`);
}

function schemeText(scheme: ApiOperation['security'][number][number]): string {
  const name = cut(scheme.name, 100);
  if (scheme.type === 'other') return `${name} (${cut(scheme.kind, 100) || 'not defined'})`;
  if (scheme.type === 'http') return `${name} (http ${cut(scheme.scheme, 100)})`;
  if (scheme.type === 'apiKey') return `${name} (apiKey ${scheme.in} ${cut(scheme.key, 100)})`;
  return `${name} (${scheme.type})`;
}

function addParameters(reading: Reading, parameters: readonly ApiParameter[]): void {
  if (parameters.length === 0) return;
  add(reading, '\nParameters:');
  for (const { name, in: place, schema, isRequired, description } of parameters)
    addField(reading, { name: `${name} (${place})`, schema, isRequired, description, depth: 1 });
}

function addBody(reading: Reading, { body }: ApiOperation): void {
  if (body === null) return;
  add(reading, `\nRequest body${body.isRequired ? ' (required)' : ''}:`);
  if (body.description !== null) add(reading, `  ${words(body.description)}`);
  addContents(reading, body.contents);
}

function addResponses(reading: Reading, { responses }: ApiOperation): void {
  if (responses.length > 0) add(reading, '\nResponses:');
  for (const { status, description, headers, contents } of responses) {
    add(reading, `  ${status}: ${description === null ? '' : words(description)}`);
    const names = headers.slice(0, MAX_VALUES).map(({ name }) => cut(name, 100));
    if (names.length > 0) add(reading, `  headers: ${names.join(', ')}`);
    addContents(reading, contents);
  }
}

function addContents(reading: Reading, contents: readonly ApiContent[]): void {
  for (const { type, schema, itemSchema } of contents.slice(0, MAX_TYPES)) {
    const shown = schema ?? itemSchema;
    const stream = schema === null && itemSchema !== null ? 'stream of ' : '';
    add(reading, `  ${cut(type, 100)}: ${stream}${shown === null ? 'any' : typeOf(reading, shown)}`);
    if (shown !== null) addSchema(reading, shown, 2);
  }
  if (contents.length > MAX_TYPES) add(reading, `  (${contents.length - MAX_TYPES} more content types)`);
}

/** Fields of an object, of the items of a list, or of each choice. */
function addSchema(reading: Reading, at: At, depth: number): void {
  if (depth > MAX_DEPTH || isFull(reading)) return;
  const target = reading.schemas.resolver.resolve(at);
  if (target === null) return;
  if (reading.open.includes(target.value)) {
    if (isReference(at.value)) add(reading, `${'  '.repeat(depth)}(again ${nameOf(at.value.$ref)})`);
    return;
  }
  reading.open.push(target.value);
  addMembers(reading, reading.schemas.read(target), depth);
  reading.open.pop();
}

function addMembers(reading: Reading, schema: Schema, depth: number): void {
  const indent = '  '.repeat(depth);
  for (const { name, isRequired, schema: property } of schema.properties)
    addField(reading, { name, schema: property, isRequired, depth });
  if (schema.items !== null) addSchema(reading, schema.items, depth);
  for (const { name, schema: property } of schema.patterns)
    addField(reading, { name: `(names like ${name})`, schema: property, isRequired: false, depth });
  if (schema.additional !== null)
    addField(reading, { name: '(any other name)', schema: schema.additional, isRequired: false, depth });
  const choices = schema.variants.flatMap(({ list }) => list);
  for (const [index, choice] of choices.slice(0, MAX_CHOICES).entries()) {
    add(reading, `${indent}choice ${index + 1}: ${typeOf(reading, choice)}`);
    addSchema(reading, choice, depth + 1);
  }
  if (choices.length > MAX_CHOICES) add(reading, `${indent}(${choices.length - MAX_CHOICES} more choices)`);
}

interface Field {
  name: string;
  schema: At;
  isRequired: boolean;
  description?: string | null;
  depth: number;
}

function addField(reading: Reading, { name, schema, isRequired, description = null, depth }: Field): void {
  if (isFull(reading)) return;
  const read = reading.schemas.read(schema);
  const text = description ?? read.descriptions.join(' ');
  const note = [...(isRequired ? ['required'] : []), ...factsOf(read)].join(', ');
  const tail = text === '' ? '' : ` - ${words(text)}`;
  const head = `${cut(name, 100)}: ${typeOf(reading, schema)}${note === '' ? '' : ` (${note})`}`;
  add(reading, `${'  '.repeat(depth)}${head}${tail}`);
  addSchema(reading, schema, depth + 1);
}

function factsOf(schema: Schema): string[] {
  const { values, examples, limits } = schema;
  const [example] = examples;
  const own = [
    [
      values.length === 0
        ? ''
        : `one of ${values
            .slice(0, MAX_VALUES)
            .map(({ value }) => shown(value))
            .join(', ')}`,
    ],
    [schema.default === null ? '' : `default ${shown(schema.default.value)}`],
    [...limits].map(([keyword, limit]) => `${keyword} ${cut(limit, 100)}`),
    [example === undefined ? '' : `example ${shown(example)}`],
    [schema.deprecated ? 'deprecated' : ''],
    [schema.isReadOnly ? 'readOnly' : ''],
    [schema.isWriteOnly ? 'writeOnly' : ''],
    [schema.isNullable ? 'nullable' : ''],
  ];
  return own.flat().filter((fact) => fact !== '');
}

/** `string`, `User object`, `list of integer int64`. */
function typeOf(reading: Reading, at: At, depth = 0): string {
  const name = isReference(at.value) ? `${nameOf(at.value.$ref)} ` : '';
  const target = reading.schemas.resolver.resolve(at);
  if (target === null || depth > 4) return `${name}any`;
  const { types, format, items, properties, variants } = reading.schemas.read(target);
  if (items !== null) return `${name}list of ${typeOf(reading, items, depth + 1)}`;
  if (types.length > 0) return `${name}${types.join(' or ')}${format === null ? '' : ` ${cut(format, 40)}`}`;
  if (properties.length > 0) return `${name}object`;
  return `${name}${variants.length > 0 ? 'one of several' : 'any'}`;
}

/** The last part of a reference, as readers know the schema. */
function nameOf(reference: string): string {
  const part = reference.split('/').at(-1) ?? '';
  let plain = part;
  try {
    plain = decodeURIComponent(part);
  } catch {
    // It is not a URL; used as written.
  }
  return cut(plain.replaceAll('~1', '/').replaceAll('~0', '~'), 100);
}

function add(reading: Reading, line: string): void {
  if (isFull(reading)) return;
  reading.length += line.length + 1;
  reading.lines.push(line);
}

function isFull(reading: Reading): boolean {
  reading.isCut ||= reading.length > PAGE_LENGTH * MAX_PAGES;
  return reading.isCut;
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
const shown = (value: unknown): string => cut(JSON.stringify(value) ?? '', 100);
const words = (text: string, most = MAX_WORDS): string => cut(text.trim().replace(/\s+/g, ' '), most);
const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
