import type { OperationAnswer } from './docs-check.ts';
import { type LineRange, lineKey } from './operation-lines.ts';
import { METHODS, operationsOf } from './operation-list.ts';

type Fields = Record<string, unknown>;

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
/** Hops from reference to reference. */
const MAX_HOPS = 16;

/** A place of a description, with the references that are open around it. */
interface Reading {
  root: Fields;
  lines: string[];
  length: number;
  isCut: boolean;
  /** References on the way here, by which a circle is seen. */
  open: string[];
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
 * What a writer needs of one operation of an OpenAPI 3 or Swagger 2 document: parameters, body and responses with
 * their fields, local references followed. Bounded in depth and length, whatever the document holds.
 */
export function describeOperation(document: unknown, request: OperationRequest): OperationAnswer {
  if (!isFields(document)) return { fault: 'The API description is not an object.' };
  const wanted = request.method.trim().toLowerCase();
  const path = request.path.trim();
  const found = findOperation(document, wanted, path);
  if (found === null) return { fault: notThere(document, wanted, path) };
  const reading: Reading = { root: document, lines: [], length: 0, isCut: false, open: [] };
  const { operation, item, name } = found;
  add(reading, `${wanted === 'webhook' ? 'WEBHOOK' : wanted.toUpperCase()} ${name}${labelOf(operation)}`);
  const facts = [
    typeof operation.operationId === 'string' ? `operationId: ${operation.operationId}` : '',
    texts(operation.tags).length > 0 ? `tags: ${texts(operation.tags).join(', ')}` : '',
    operation.deprecated === true ? 'deprecated' : '',
  ].filter((fact) => fact !== '');
  if (facts.length > 0) add(reading, facts.join('; '));
  const place = request.places?.get(lineKey(found.group, name, found.key));
  if (place !== undefined) add(reading, `In the file: lines ${place.from}-${place.to}`);
  if (typeof operation.description === 'string') add(reading, words(operation.description, 1500));
  addServers(reading, operation, item);
  addSecurity(reading, operation);
  addParameters(reading, [...list(item.parameters), ...list(operation.parameters)]);
  addBody(reading, operation.requestBody);
  addResponses(reading, operation.responses);
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

interface Found {
  operation: Fields;
  item: Fields;
  /** Key of the group in the document, of the operation in the group, and of its method. */
  group: string;
  name: string;
  key: string;
}

function findOperation(root: Fields, method: string, path: string): Found | null {
  const isWebhook = method === 'webhook';
  for (const group of isWebhook ? ['webhooks', 'x-webhooks'] : ['paths']) {
    const items = root[group];
    if (!isFields(items)) continue;
    // The path as it is written comes before others that only look like it.
    const name = Object.hasOwn(items, path) ? path : Object.keys(items).find((key) => sameRoute(key, path));
    const item = name === undefined ? null : resolve(root, items[name]);
    if (name === undefined || !isFields(item)) continue;
    const key = isWebhook ? METHODS.find((one) => isFields(item[one])) : method;
    if (key === undefined || !METHODS.includes(key)) continue;
    const operation = item[key];
    if (isFields(operation)) return { operation, item, group, name, key };
  }
  return null;
}

/** The same path but for a slash at its end and the names of its parameters. */
function sameRoute(a: string, b: string): boolean {
  const plain = (path: string): string =>
    path
      .replace(/^\/+|\/+$/g, '')
      .replace(/\{[^{}/]*\}|:[A-Za-z_]\w*/g, '{}')
      .toLowerCase();
  return a === b || plain(a) === plain(b);
}

function notThere(root: Fields, method: string, path: string): string {
  const all = operationsOf(root).map(({ title }) => title);
  const parts = new Set(path.toLowerCase().split('/').filter(Boolean));
  const score = (entry: string): number =>
    entry
      .toLowerCase()
      .split(/[\s/]+/)
      .filter((part) => parts.has(part)).length;
  const near = all
    .map((entry, index) => ({ entry, index, near: score(entry) }))
    .sort((a, b) => b.near - a.near || a.index - b.index);
  const shown = near.slice(0, 30).map(({ entry }) => cut(entry, 200));
  const left = all.length - shown.length;
  const rest = left > 0 ? ` and ${left} more; leave out method and path to list them` : '';
  const those = all.length === 0 ? 'It has no operation.' : `It has: ${shown.join(', ')}${rest}.`;
  return `The API description has no ${method.toUpperCase()} ${cut(path, 200)}. ${those}`;
}

function addServers(reading: Reading, operation: Fields, item: Fields): void {
  const { root } = reading;
  const servers =
    [operation.servers, item.servers, root.servers].map(list).find((one) => one.length > 0) ?? [];
  const urls = servers.flatMap((server) =>
    isFields(server) && typeof server.url === 'string' ? [cut(server.url, 200)] : [],
  );
  if (urls.length > 0) add(reading, `Servers: ${urls.slice(0, 5).join(', ')}`);
}

function addSecurity(reading: Reading, operation: Fields): void {
  const { root } = reading;
  const wanted = list(operation.security ?? root.security);
  const components = isFields(root.components) ? root.components : root;
  const schemes = components.securitySchemes ?? components.securityDefinitions;
  const told = wanted.slice(0, 5).map((choice) => {
    if (!isFields(choice)) return '';
    const names = Object.keys(choice);
    return names.length === 0 ? 'none' : names.map((name) => schemeOf(root, schemes, name)).join(' and ');
  });
  const plain = told.filter((one) => one !== '');
  if (plain.length > 0) add(reading, `Security: ${plain.join(' or ')}`);
}

function schemeOf(root: Fields, schemes: unknown, name: string): string {
  const scheme = isFields(schemes) && Object.hasOwn(schemes, name) ? resolve(root, schemes[name]) : null;
  if (!isFields(scheme)) return name;
  const how = [scheme.type, scheme.scheme, scheme.in, scheme.name].filter((one) => typeof one === 'string');
  return `${name} (${cut(how.join(' '), 100)})`;
}

function addParameters(reading: Reading, written: readonly unknown[]): void {
  const byKey = new Map<string, Fields>();
  for (const one of written) {
    const parameter = resolve(reading.root, one);
    // An operation's own comes after that of its path and counts.
    if (isFields(parameter)) byKey.set(`${String(parameter.in)}\0${String(parameter.name)}`, parameter);
  }
  if (byKey.size === 0) return;
  add(reading, '\nParameters:');
  for (const parameter of byKey.values()) {
    const schema = parameter.schema ?? firstSchema(parameter.content) ?? parameter;
    addField(reading, {
      name: `${String(parameter.name)} (${String(parameter.in)})`,
      schema,
      isRequired: parameter.required === true,
      description: parameter.description,
      depth: 1,
    });
  }
}

function firstSchema(content: unknown): unknown {
  const [media] = isFields(content) ? Object.values(content) : [];
  return isFields(media) ? media.schema : undefined;
}

function addBody(reading: Reading, written: unknown): void {
  const body = resolve(reading.root, written);
  if (!isFields(body)) return;
  add(reading, `\nRequest body${body.required === true ? ' (required)' : ''}:`);
  if (typeof body.description === 'string') add(reading, `  ${words(body.description)}`);
  addContent(reading, body.content);
}

function addResponses(reading: Reading, written: unknown): void {
  if (!isFields(written)) return;
  add(reading, '\nResponses:');
  for (const [status, value] of Object.entries(written)) {
    const response = resolve(reading.root, value);
    if (!isFields(response)) continue;
    add(
      reading,
      `  ${status}: ${typeof response.description === 'string' ? words(response.description) : ''}`,
    );
    const headers = isFields(response.headers) ? Object.keys(response.headers) : [];
    if (headers.length > 0) add(reading, `  headers: ${headers.slice(0, MAX_VALUES).join(', ')}`);
    if (response.schema !== undefined) addSchema(reading, response.schema, 2);
    addContent(reading, response.content);
  }
}

function addContent(reading: Reading, content: unknown): void {
  if (!isFields(content)) return;
  const types = Object.entries(content);
  for (const [type, media] of types.slice(0, MAX_TYPES)) {
    const schema = isFields(media) ? media.schema : undefined;
    add(reading, `  ${cut(type, 100)}: ${typeOf(reading.root, schema)}`);
    if (schema !== undefined) addSchema(reading, schema, 2);
  }
  if (types.length > MAX_TYPES) add(reading, `  (${types.length - MAX_TYPES} more content types)`);
}

/** Fields of an object, of the items of a list, or of each choice. */
function addSchema(reading: Reading, written: unknown, depth: number): void {
  const { root, open } = reading;
  const reference = isFields(written) && typeof written.$ref === 'string' ? written.$ref : null;
  if (depth > MAX_DEPTH || isFull(reading)) return;
  if (reference !== null && open.includes(reference)) {
    add(reading, `${'  '.repeat(depth)}(again ${nameOf(reference)})`);
    return;
  }
  const schema = resolve(root, written);
  if (!isFields(schema)) return;
  if (reference !== null) open.push(reference);
  for (const part of list(schema.allOf)) addSchema(reading, part, depth);
  const required = new Set(texts(schema.required));
  for (const [name, property] of Object.entries(isFields(schema.properties) ? schema.properties : {})) {
    addField(reading, { name, schema: property, isRequired: required.has(name), depth });
  }
  if (isFields(schema.items)) addSchema(reading, schema.items, depth);
  if (isFields(schema.additionalProperties)) {
    addField(reading, {
      name: '(any other name)',
      schema: schema.additionalProperties,
      isRequired: false,
      depth,
    });
  }
  const choices = [...list(schema.oneOf), ...list(schema.anyOf)];
  for (const [index, choice] of choices.slice(0, MAX_CHOICES).entries()) {
    add(reading, `${'  '.repeat(depth)}choice ${index + 1}: ${typeOf(root, choice)}`);
    addSchema(reading, choice, depth + 1);
  }
  if (choices.length > MAX_CHOICES) {
    add(reading, `${'  '.repeat(depth)}(${choices.length - MAX_CHOICES} more choices)`);
  }
  if (reference !== null) open.pop();
}

interface Field {
  name: string;
  schema: unknown;
  isRequired: boolean;
  description?: unknown;
  depth: number;
}

function addField(reading: Reading, { name, schema, isRequired, description, depth }: Field): void {
  if (isFull(reading)) return;
  const resolved = resolve(reading.root, schema);
  const told = description ?? (isFields(resolved) ? resolved.description : undefined);
  const facts = [isRequired ? 'required' : '', ...(isFields(resolved) ? factsOf(resolved) : [])];
  const note = facts.filter((fact) => fact !== '').join(', ');
  const tail = typeof told === 'string' && told.trim() !== '' ? ` - ${words(told)}` : '';
  const head = `${cut(name, 100)}: ${typeOf(reading.root, schema)}${note === '' ? '' : ` (${note})`}`;
  add(reading, `${'  '.repeat(depth)}${head}${tail}`);
  addSchema(reading, schema, depth + 1);
}

function factsOf(schema: Fields): string[] {
  const facts: string[] = [];
  if (Array.isArray(schema.enum))
    facts.push(`one of ${schema.enum.slice(0, MAX_VALUES).map(shown).join(', ')}`);
  for (const key of [
    'default',
    'const',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'pattern',
    'example',
  ]) {
    if (schema[key] !== undefined) facts.push(`${key} ${shown(schema[key])}`);
  }
  for (const key of ['deprecated', 'readOnly', 'writeOnly', 'nullable'])
    if (schema[key] === true) facts.push(key);
  return facts;
}

/** `string`, `User`, `list of integer (int64)`. */
function typeOf(root: Fields, written: unknown, depth = 0): string {
  const name = isFields(written) && typeof written.$ref === 'string' ? `${nameOf(written.$ref)} ` : '';
  const schema = resolve(root, written);
  if (!isFields(schema) || depth > 4) return `${name}any`.trim();
  if (schema.type === 'array' || isFields(schema.items))
    return `${name}list of ${typeOf(root, schema.items, depth + 1)}`;
  const types = typeof schema.type === 'string' ? [schema.type] : texts(schema.type);
  const format = typeof schema.format === 'string' ? ` ${cut(schema.format, 40)}` : '';
  if (types.length > 0) return `${name}${types.join(' or ')}${format}`;
  if (isFields(schema.properties) || Array.isArray(schema.allOf)) return `${name}object`;
  if (Array.isArray(schema.oneOf) || Array.isArray(schema.anyOf)) return `${name}one of several`;
  return `${name}any`;
}

/** The target of local references; null where it leads to nothing, away, or in a circle. */
function resolve(root: Fields, written: unknown): unknown {
  let value = written;
  for (let hop = 0; isFields(value) && typeof value.$ref === 'string'; hop++) {
    if (hop === MAX_HOPS || !value.$ref.startsWith('#/')) return null;
    value = pointed(root, value.$ref);
  }
  return value;
}

function pointed(root: Fields, reference: string): unknown {
  let value: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = unescaped(part);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as Fields)[key];
  }
  return value;
}

/** One part of a JSON pointer in a URL. */
function unescaped(part: string): string {
  let plain = part;
  try {
    plain = decodeURIComponent(part);
  } catch {
    // It is not a URL; used as written.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
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

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const texts = (value: unknown): string[] =>
  list(value).filter((one): one is string => typeof one === 'string');
const nameOf = (reference: string): string => cut(unescaped(reference.split('/').at(-1) ?? ''), 100);
const labelOf = ({ summary }: Fields): string => (typeof summary === 'string' ? ` - ${words(summary)}` : '');
const shown = (value: unknown): string => cut(JSON.stringify(value) ?? '', 100);
const words = (text: string, most = MAX_WORDS): string => cut(text.trim().replace(/\s+/g, ' '), most);
const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
