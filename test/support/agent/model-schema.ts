import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Api } from './model-wire.ts';

type Json = Record<string, unknown>;

/** What does not fit its description; null when it fits. */
export type Check = (value: unknown) => string | null;

export interface ApiSchema {
  request: Check;
  /** One event of a stream. */
  event: Check;
  error: Check;
}

const load = (name: string): Json =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'openapi', `${name}.json`), 'utf8')) as Json;

let loaded: Record<Api, ApiSchema> | undefined;

/** The checks of the three APIs, both directions, compiled once. */
export function loadSchemas(): Record<Api, ApiSchema> {
  loaded ??= compileSchemas();
  return loaded;
}

function compileSchemas(): Record<Api, ApiSchema> {
  // Formats are left out: the only ones are of numbers that say they are times.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
  const openai = asUnions(load('openai')) as Json;
  ajv.addSchema({ $id: 'openai', components: openai.components });
  ajv.addSchema({ $id: 'anthropic', $defs: load('anthropic').$defs });
  const at = (id: string): Check => toCheck(ajv.compile({ $ref: id }));
  const ofOpenai = (name: string): string => `openai#/components/schemas/${name}`;
  // A property that nobody describes is a fault of the client, so requests are closed.
  const closed = (name: string): Check =>
    toCheck(ajv.compile({ $ref: ofOpenai(name), unevaluatedProperties: false }));
  const events = unionByType(openai, 'ResponseStreamEvent', (name) => at(ofOpenai(name)));
  const responses = closed('CreateResponse');
  return {
    chat: {
      request: closed('CreateChatCompletionRequest'),
      event: at(ofOpenai('CreateChatCompletionStreamResponse')),
      error: at(ofOpenai('ErrorResponse')),
    },
    responses: {
      request: (body) => responses(withWholeMessages(body as Json)),
      event: (event) => {
        const check = events.get(String((event as Json).type));
        return check === undefined ? 'is an event of no known type' : check(event);
      },
      error: at(ofOpenai('ErrorResponse')),
    },
    anthropic: {
      request: at('anthropic#/$defs/MessageCreateParamsStreaming'),
      event: at('anthropic#/$defs/RawMessageStreamEvent'),
      error: at('anthropic#/$defs/ErrorResponse'),
    },
  };
}

function toCheck(validate: ValidateFunction): Check {
  return (value) => {
    if (validate(value)) return null;
    const worst = [...(validate.errors ?? [])].sort(
      (a, b) => b.instancePath.length - a.instancePath.length,
    )[0];
    return `${worst?.instancePath || '/'} ${worst?.message} ${JSON.stringify(worst?.params)}`;
  };
}

/** Members of a union of events by the value of their `type`, so that a fault is told of the right one. */
function unionByType(document: Json, name: string, check: (name: string) => Check): Map<string, Check> {
  const schemas = (document.components as { schemas: Record<string, Json> }).schemas;
  const members = schemas[name]?.anyOf as { $ref: string }[];
  return new Map(
    members.map(({ $ref }) => {
      const member = $ref.split('/').at(-1) ?? '';
      const { type } = (schemas[member] as { properties: { type: { enum: string[] } } }).properties;
      return [type.enum[0] ?? '', check(member)];
    }),
  );
}

/**
 * The description in the words of JSON Schema: `nullable` is of OpenAPI 3.0, and its `oneOf` are unions whose members
 * overlap, such as the two forms of a message of the user, so that exactly one can never match.
 */
function asUnions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asUnions);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, oneOf, ...rest } = value as Json;
  const slim = Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, asUnions(member)]));
  if (Array.isArray(oneOf)) slim.anyOf = oneOf.map(asUnions);
  else if (oneOf !== undefined) slim.oneOf = asUnions(oneOf);
  return nullable === true ? { anyOf: [slim, { type: 'null' }] } : slim;
}

/**
 * What the model said goes back without the fields that only the server sets, which the description demands and the
 * API does not.
 */
function withWholeMessages(body: Json): Json {
  if (!Array.isArray(body.input)) return body;
  const input = body.input.map((item: Json) => {
    if (item.role !== 'assistant' || !Array.isArray(item.content)) return item;
    const content = item.content.map((part: Json) => ({ annotations: [], logprobs: [], ...part }));
    return { id: 'msg', type: 'message', status: 'completed', ...item, content };
  });
  return { ...body, input };
}
