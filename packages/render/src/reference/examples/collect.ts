import { isObject, type JsonObject } from '../../config/json.ts';
import type { ApiChannel, ApiMessage } from '../channel.ts';
import { METHODS, memberOf, type OperationPlace } from '../operation.ts';
import { type At, isReference } from '../resolver.ts';
import type { Schemas } from '../schema.ts';
import { isJsonType, listOf } from '../values.ts';
import type { Path } from './words.ts';

/** An example of a description, and the schema that it should match. */
export interface Example {
  readonly value: unknown;
  readonly schema: At;
  /** The object of the description that contains the example, and the keys that lead from it to the value. */
  readonly holder: At<JsonObject>;
  readonly keys: Path;
  readonly direction: 'request' | 'response' | null;
  /**
   * How a text stands for a value: `json` for a body that is written as text, `parameter` for a value as it is sent; null
   * where a text is only a text.
   */
  readonly text: 'json' | 'parameter' | null;
  /** Keywords beside `$ref` have no effect. */
  readonly ignoresSiblings: boolean;
}

/** Finds the examples of operations and channels, each once. */
export interface ExampleCollector {
  operation(place: OperationPlace): void;
  channel(channel: ApiChannel): void;
  /** In the order in which they were found. */
  readonly examples: readonly Example[];
}

type Direction = Example['direction'];

interface Walk {
  readonly schemas: Schemas;
  readonly examples: Example[];
  /** Objects of descriptions that were visited. */
  readonly seen: Set<object>;
  /** Schemas that are still to be visited. */
  readonly waiting: At[];
  /** Schemas that references lead to. */
  readonly targets: Set<unknown>;
  ignoresSiblings: boolean;
  left: number;
}

/** Objects of all descriptions of a site that are visited. */
const MAX_OBJECTS = 1_000_000;
const MAX_EXAMPLES = 100_000;

export function createCollector(schemas: Schemas): ExampleCollector {
  const walk: Walk = {
    schemas,
    examples: [],
    seen: new Set(),
    waiting: [],
    targets: new Set(),
    ignoresSiblings: true,
    left: MAX_OBJECTS,
  };
  return {
    examples: walk.examples,
    operation({ document, item, method, isWebhook }) {
      walk.ignoresSiblings = /^3\.0\b/.test(String(document.openapi));
      const operation = memberOf(item.value, method);
      if (operation === null) return;
      visitOperation({ ...item, value: operation }, item, isWebhook, walk);
      visitWaiting(walk);
    },
    channel(channel) {
      walk.ignoresSiblings = true;
      for (const message of messagesOf(channel)) visitMessage(message, walk);
      visitWaiting(walk);
    },
  };
}

/** An object that may be a reference, at its first visit; else null. */
function open(value: unknown, { file }: At, walk: Walk): At<JsonObject> | null {
  if (value === undefined) return null;
  const at = walk.schemas.resolver.resolve({ value, file, name: null });
  if (at === null || !isObject(at.value) || walk.seen.has(at.value) || --walk.left < 0) return null;
  walk.seen.add(at.value);
  return { ...at, value: at.value };
}

const membersOf = (value: unknown): unknown[] => (isObject(value) ? Object.values(value) : []);

function add(example: Omit<Example, 'ignoresSiblings'>, { examples, ignoresSiblings }: Walk): void {
  if (examples.length < MAX_EXAMPLES) examples.push({ ...example, ignoresSiblings });
}

// OpenAPI

function visitOperation(at: At<JsonObject>, item: At<JsonObject>, isWebhook: boolean, walk: Walk): void {
  if (walk.seen.has(at.value)) return;
  walk.seen.add(at.value);
  const { parameters, requestBody, responses, callbacks } = at.value;
  for (const [list, from] of [
    [item.value.parameters, item],
    [parameters, at],
  ] as const)
    for (const written of listOf(list)) visitParameter(open(written, from, walk), 'request', walk);
  // The API sends the request of a webhook.
  visitBody(open(requestBody, at, walk), isWebhook ? null : 'request', walk);
  for (const written of membersOf(responses)) {
    const response = open(written, at, walk);
    visitBody(response, isWebhook ? null : 'response', walk);
    if (response === null) continue;
    for (const header of membersOf(response.value.headers))
      visitParameter(open(header, response, walk), 'response', walk);
  }
  for (const written of membersOf(callbacks)) {
    const callback = open(written, at, walk);
    if (callback !== null) for (const path of membersOf(callback.value)) visitItem(path, callback, walk);
  }
}

function visitItem(written: unknown, from: At, walk: Walk): void {
  const item = open(written, from, walk);
  if (item === null) return;
  for (const method of METHODS) {
    const operation = item.value[method];
    if (isObject(operation)) visitOperation({ ...item, value: operation }, item, true, walk);
  }
}

function visitParameter(at: At<JsonObject> | null, direction: Direction, walk: Walk): void {
  if (at === null) return;
  const { schema, content } = at.value;
  visitContent(content, at, direction, walk);
  if (schema === undefined) return;
  walk.waiting.push({ value: schema, file: at.file, name: null });
  addExamples(at, schema, direction, 'parameter', walk);
}

function visitBody(at: At<JsonObject> | null, direction: Direction, walk: Walk): void {
  if (at !== null) visitContent(at.value.content, at, direction, walk);
}

function visitContent(content: unknown, from: At, direction: Direction, walk: Walk): void {
  if (!isObject(content)) return;
  for (const type of Object.keys(content)) {
    const media = open(content[type], from, walk);
    if (media === null) continue;
    const { schema, itemSchema } = media.value;
    for (const one of [schema, itemSchema])
      if (one !== undefined) walk.waiting.push({ value: one, file: media.file, name: null });
    // A document of XML differs from the value that it stands for.
    if (schema !== undefined && !/xml/i.test(type))
      addExamples(media, schema, direction, isJsonType(type) ? 'json' : 'parameter', walk);
  }
}

/** `example`, or the values of `examples`. */
function addExamples(
  holder: At<JsonObject>,
  schema: unknown,
  direction: Direction,
  text: Example['text'],
  walk: Walk,
): void {
  const about = { schema: { value: schema, file: holder.file, name: null }, direction, text };
  const { example, examples } = holder.value;
  if (example !== undefined) add({ ...about, holder, value: example, keys: ['example'] }, walk);
  if (!isObject(examples)) return;
  for (const name of Object.keys(examples)) {
    const written = examples[name];
    // One that several places refer to is checked for the first of them.
    const at = open(written, holder, walk);
    if (at === null) continue;
    const key = at.value.value === undefined ? 'dataValue' : 'value';
    const { [key]: value } = at.value;
    if (value !== undefined) add({ ...about, holder: at, value, keys: [key] }, walk);
  }
}

// AsyncAPI

function messagesOf({ messages, operations, replies }: ApiChannel): ApiMessage[] {
  const all = [...operations, ...replies];
  return [
    messages,
    ...all.map((one) => one.messages),
    ...all.map(({ reply }) => reply?.messages ?? []),
  ].flat();
}

function visitMessage({ payload, headers, examples }: ApiMessage, walk: Walk): void {
  for (const { written } of examples) {
    if (walk.seen.has(written.value)) continue;
    walk.seen.add(written.value);
    for (const [key, schema] of [
      ['payload', payload],
      ['headers', headers],
    ] as const) {
      const value = written.value[key];
      if (schema !== null && value !== undefined)
        add({ value, schema, holder: written, keys: [key], direction: null, text: 'json' }, walk);
    }
  }
  for (const schema of [payload, headers]) if (schema !== null) walk.waiting.push(schema);
}

// Schemas

/** Keywords with a schema, a list of schemas, or schemas by name. */
const KEYWORDS: ReadonlyMap<string, 'schema' | 'list' | 'map'> = new Map([
  ...(['additionalItems', 'additionalProperties', 'contains', 'if', 'then', 'else'] as const).map(
    (keyword) => [keyword, 'schema'] as const,
  ),
  ...(['items', 'allOf', 'oneOf', 'anyOf', 'prefixItems'] as const).map(
    (keyword) => [keyword, 'list'] as const,
  ),
  ...(['properties', 'patternProperties', 'dependentSchemas'] as const).map(
    (keyword) => [keyword, 'map'] as const,
  ),
]);

/** Outer schemas first, and not by recursion: a hostile schema has any depth. */
function visitWaiting(walk: Walk): void {
  for (let index = 0; index < walk.waiting.length; index++) {
    const next = walk.waiting[index];
    if (next !== undefined) visitSchema(next, walk);
  }
  walk.waiting.length = 0;
}

/**
 * Only the targets of references are remembered, because other schemas are reached from one place. Those that aliases of
 * YAML repeat end by the limit.
 */
function visitSchema(written: At, walk: Walk): void {
  const { value, file } = written;
  if (!isObject(value) || --walk.left < 0) return;
  if (isReference(value)) {
    const target = walk.schemas.resolver.resolve(written);
    if (target !== null && !walk.targets.has(target.value)) {
      walk.targets.add(target.value);
      walk.waiting.push(target);
    }
  }
  let hasExamples = false;
  for (const keyword of Object.keys(value)) {
    if (keyword === 'example' || keyword === 'examples') hasExamples = true;
    const kind = KEYWORDS.get(keyword);
    if (kind !== undefined) waitFor(value[keyword], kind, file, walk);
  }
  if (hasExamples) addOwnExamples({ ...written, value }, walk);
}

function waitFor(value: unknown, kind: 'schema' | 'list' | 'map', file: string, { waiting }: Walk): void {
  if (typeof value !== 'object' || value === null) return;
  if (kind === 'map' || Array.isArray(value))
    for (const one of Object.values(value)) waiting.push({ value: one, file, name: null });
  else waiting.push({ value, file, name: null });
}

function addOwnExamples(at: At<JsonObject>, walk: Walk): void {
  if (walk.seen.has(at.value)) return;
  walk.seen.add(at.value);
  const own = { schema: at, holder: at, direction: null, text: null };
  const { example, examples } = at.value;
  if (example !== undefined) add({ ...own, value: example, keys: ['example'] }, walk);
  for (const [index, value] of listOf(examples).entries())
    add({ ...own, value, keys: ['examples', index] }, walk);
}
