import { isObject, type JsonObject } from '../config/json.ts';
import type { ApiScheme, ApiVariable, OtherScheme } from './operation.ts';
import { parseJson } from './parse.ts';
import { type At, exampleAt, isReference, type Resolver } from './resolver.ts';
import { schemeOf } from './schemes.ts';
import { listOf, scalarText, textOf } from './values.ts';

/** One channel of an AsyncAPI 3 description. Schemas are read when they are shown. */
export interface ApiChannel {
  readonly id: string;
  /** With `{parameters}`; null if it is known only at run time. */
  readonly address: string | null;
  readonly servers: readonly ApiChannelServer[];
  readonly parameters: readonly ApiAddressParameter[];
  readonly bindings: readonly ApiBinding[];
  readonly operations: readonly ApiChannelOperation[];
  /** Operations of other channels whose replies use this one. */
  readonly replies: readonly ApiChannelOperation[];
  /** All messages of the channel, also those that no operation uses. */
  readonly messages: readonly ApiMessage[];
  /** The channel as written. */
  readonly written: JsonObject;
}

/** A word that groups parts of a description. */
export interface ApiTag {
  readonly name: string;
  readonly description: string | null;
  readonly documentation: unknown;
}

/** What servers, operations and messages say beside their texts. */
interface Annotations {
  readonly tags: readonly ApiTag[];
  /** `externalDocs`. */
  readonly documentation: unknown;
}

export interface ApiChannelServer extends Annotations {
  readonly name: string;
  /** `wss://host/path` with `{variables}`. */
  readonly url: string;
  /** Lower case: `wss`, `kafka`. */
  readonly protocol: string;
  readonly protocolVersion: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly variables: readonly ApiVariable[];
  /** Alternatives: a client needs one of them. */
  readonly security: readonly ApiChannelScheme[];
  readonly bindings: readonly ApiBinding[];
}

/** A scheme of HTTP, or one that only other protocols have. */
export type ApiChannelScheme = ApiScheme | OtherScheme;

export interface ApiAddressParameter {
  readonly name: string;
  readonly description: string | null;
  /** `enum`, `default` and `examples` as a schema. */
  readonly schema: At;
  /** Part of the message that contains the value. */
  readonly location: string | null;
}

/** What a protocol needs in addition. */
export interface ApiBinding {
  readonly protocol: string;
  readonly at: At<JsonObject>;
}

export interface ApiChannelOperation extends Annotations {
  readonly id: string;
  /** `send`: the described application sends and a client receives. */
  readonly action: 'send' | 'receive';
  readonly title: string | null;
  readonly summary: string | null;
  readonly description: string | null;
  readonly deprecated: boolean;
  readonly channel: ChannelName | null;
  readonly security: readonly ApiChannelScheme[];
  readonly bindings: readonly ApiBinding[];
  readonly messages: readonly ApiMessage[];
  readonly reply: ApiReply | null;
  readonly written: JsonObject;
}

export interface ApiReply {
  /** Expression for the address: `$message.header#/replyTo`. */
  readonly location: string | null;
  readonly description: string | null;
  readonly channel: ChannelName | null;
  readonly messages: readonly ApiMessage[];
}

/** A channel by its description file and its id. */
export interface ChannelName {
  readonly file: string;
  readonly id: string;
}

export interface ApiMessage extends Annotations {
  /** Key in the channel. */
  readonly key: string;
  /** Title, else name, else key. */
  readonly title: string;
  readonly name: string | null;
  readonly summary: string | null;
  readonly description: string | null;
  readonly deprecated: boolean;
  readonly contentType: string | null;
  /** A JSON Schema; null without one. */
  readonly payload: At | null;
  /** A schema in another language, such as Avro or Protobuf. */
  readonly otherPayload: { readonly format: string; readonly value: unknown } | null;
  readonly headers: At | null;
  readonly correlationId: { readonly location: string; readonly description: string | null } | null;
  readonly bindings: readonly ApiBinding[];
  readonly examples: readonly ApiMessageExample[];
}

export interface ApiMessageExample {
  readonly title: string | null;
  /** Its summary, where that is not its title. */
  readonly description: string | null;
  /** The payload; with headers `{headers, payload}`. */
  readonly value: unknown;
  /** The example as it is written. */
  readonly written: At<JsonObject>;
}

/** Where a channel is. */
export interface ChannelPlace {
  readonly document: JsonObject;
  readonly file: string;
  readonly id: string;
  readonly channel: At<JsonObject>;
  /** Operations on the channel. */
  readonly operations: readonly NamedAt[];
  /** Operations on other channels that are replied to on this one. */
  readonly replies: readonly NamedAt[];
}

export interface NamedAt {
  readonly id: string;
  readonly at: At<JsonObject>;
}

const MAX_SERVERS = 50;
const MAX_VARIABLES = 100;
const MAX_PARAMETERS = 200;
const MAX_OPERATIONS = 100;
const MAX_MESSAGES = 200;
const MAX_EXAMPLES = 12;
const MAX_TRAITS = 20;
const MAX_SCHEMES = 12;
const MAX_BINDINGS = 20;
const MAX_TAGS = 50;

interface Reading {
  resolver: Resolver;
  document: JsonObject;
  file: string;
}

export function readChannel(place: ChannelPlace, resolver: Resolver): ApiChannel {
  const { channel, document, file, id } = place;
  const reading: Reading = { resolver, document, file };
  const { value } = channel;
  return {
    id,
    address: textOf(value.address),
    servers: serversOf(channel, reading),
    parameters: parametersOf({ ...channel, value: value.parameters }, reading),
    bindings: bindingsOf({ ...channel, value: value.bindings }, reading),
    operations: operationsOf(place.operations, reading),
    replies: operationsOf(place.replies, reading),
    messages: messagesOf({ ...channel, value: value.messages }, reading),
    written: value,
  };
}

/** Members of an object that may be a reference, each resolved, with their keys. */
export function membersOf(at: At, resolver: Resolver, max: number): NamedAt[] {
  const target = resolver.resolve(at);
  if (target === null || !isObject(target.value)) return [];
  const { value, file } = target;
  return Object.keys(value)
    .slice(0, max)
    .flatMap((id) => {
      const member = resolver.resolve({ value: value[id], file, name: null });
      return member !== null && isObject(member.value)
        ? [{ id, at: { ...member, value: member.value } }]
        : [];
    });
}

/** Items of a list, each resolved; the key is the end of its reference. */
function itemsOf({ value, file }: At, resolver: Resolver, max: number): NamedAt[] {
  return listOf(value)
    .slice(0, max)
    .flatMap((written) => {
      const item = resolver.resolve({ value: written, file, name: null });
      if (item === null || !isObject(item.value)) return [];
      const id = isReference(written) ? lastSegment(written.$ref) : (item.name ?? '');
      return [{ id, at: { ...item, value: item.value } }];
    });
}

function lastSegment(reference: string): string {
  const segment = reference.slice(Math.max(reference.lastIndexOf('/'), reference.lastIndexOf('#')) + 1);
  const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

// Servers

/** The servers that the channel names, else all of the description. */
function serversOf({ value, file }: At<JsonObject>, reading: Reading): ApiChannelServer[] {
  const { resolver, document } = reading;
  const named = itemsOf({ value: value.servers, file, name: null }, resolver, MAX_SERVERS);
  const all = { value: document.servers, file: reading.file, name: null };
  const servers = named.length > 0 ? named : membersOf(all, resolver, MAX_SERVERS);
  return servers.flatMap(({ id, at }) => serverOf(id, at, reading));
}

function serverOf(name: string, at: At<JsonObject>, reading: Reading): ApiChannelServer[] {
  const { value } = at;
  const host = textOf(value.host);
  if (host === null) return [];
  const protocol = (textOf(value.protocol) ?? '').toLowerCase();
  const pathname = textOf(value.pathname) ?? '';
  const scheme = protocol === '' || host.includes('://') ? '' : `${protocol}://`;
  const path = pathname === '' || pathname.startsWith('/') ? pathname : `/${pathname}`;
  const variables = membersOf({ ...at, value: value.variables }, reading.resolver, MAX_VARIABLES);
  return [
    {
      name,
      url: `${scheme}${host.replace(/\/+$/, '')}${path}`,
      protocol,
      protocolVersion: textOf(scalarText(value.protocolVersion)),
      title: textOf(value.title),
      description: textOf(value.description) ?? textOf(value.summary),
      variables: variables.map((variable) => variableOf(variable)),
      security: schemesOf({ ...at, value: value.security }, reading),
      bindings: bindingsOf({ ...at, value: value.bindings }, reading),
      ...annotationsOf((key) => ({ ...at, value: value[key] }), reading),
    },
  ];
}

function variableOf({ id, at: { value } }: NamedAt): ApiVariable {
  return {
    name: id,
    default: scalarOf(value.default) ?? '',
    values: listOf(value.enum).flatMap((one) => scalarOf(one) ?? []),
    description: textOf(value.description),
  };
}

const scalarOf = (value: unknown): string | null =>
  value == null || isObject(value) || Array.isArray(value) ? null : scalarText(value);

/** The protocol of a channel: of its servers, else of its bindings; null if the description does not say. */
export function protocolOf(place: ChannelPlace, resolver: Resolver): string | null {
  const reading = { ...place, resolver };
  const servers = serversOf(place.channel, reading);
  const protocol = servers.find((server) => server.protocol !== '')?.protocol;
  const [binding] = bindingsOf({ ...place.channel, value: place.channel.value.bindings }, reading);
  return protocol ?? binding?.protocol ?? null;
}

function annotationsOf(member: (key: string) => At, { resolver }: Reading): Annotations {
  const tags = itemsOf(member('tags'), resolver, MAX_TAGS).flatMap(({ at: { value, file } }) => {
    const name = textOf(value.name);
    const documentation = resolver.resolve({ value: value.externalDocs, file, name: null })?.value;
    return name === null ? [] : [{ name, description: textOf(value.description), documentation }];
  });
  return { tags, documentation: resolver.resolve(member('externalDocs'))?.value };
}

// Security

function schemesOf(at: At, { resolver }: Reading): ApiChannelScheme[] {
  return itemsOf(at, resolver, MAX_SCHEMES).flatMap(({ id, at: { value } }) => {
    const kind = textOf(value.type);
    return kind === null ? [] : schemeOfKind(id === '' ? kind : id, kind, value);
  });
}

function schemeOfKind(name: string, kind: string, value: JsonObject): ApiChannelScheme[] {
  const scopes = listOf(value.scopes).filter((scope) => typeof scope === 'string');
  switch (kind) {
    case 'httpApiKey':
      return schemeOf(name, { ...value, type: 'apiKey' }, scopes);
    case 'http':
    case 'openIdConnect':
      return schemeOf(name, value, scopes);
    case 'oauth2':
      return schemeOf(name, { ...value, flows: withScopes(value.flows) }, scopes);
    case 'X509':
      return schemeOf(name, { ...value, type: 'mutualTLS' }, scopes);
    default:
      return [{ type: 'other', name, kind, description: textOf(value.description) }];
  }
}

/** AsyncAPI names the scopes of a flow `availableScopes`. */
function withScopes(flows: unknown): JsonObject {
  if (!isObject(flows)) return {};
  return Object.fromEntries(
    Object.entries(flows).map(([kind, flow]) => [
      kind,
      isObject(flow) ? { ...flow, scopes: flow.availableScopes ?? flow.scopes } : flow,
    ]),
  );
}

// Parameters and bindings

function parametersOf(at: At, { resolver }: Reading): ApiAddressParameter[] {
  return membersOf(at, resolver, MAX_PARAMETERS).map(({ id, at: { value, file } }) => {
    const { enum: values, default: fallback, examples } = value;
    const own = isObject(value.schema) ? value.schema : {};
    const schema = {
      type: 'string',
      ...own,
      ...(Array.isArray(values) ? { enum: values } : {}),
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(Array.isArray(examples) ? { examples } : {}),
    };
    return {
      name: id,
      description: textOf(value.description),
      schema: { value: schema, file, name: null },
      location: textOf(value.location),
    };
  });
}

function bindingsOf(at: At, { resolver }: Reading): ApiBinding[] {
  return membersOf(at, resolver, MAX_BINDINGS).flatMap(({ id, at: binding }) =>
    /^x-/.test(id) ? [] : [{ protocol: id, at: binding }],
  );
}

// Operations

function operationsOf(list: readonly NamedAt[], reading: Reading): ApiChannelOperation[] {
  return list.slice(0, MAX_OPERATIONS).flatMap(({ id, at }) => {
    const { action } = at.value;
    if (action !== 'send' && action !== 'receive') return [];
    const member = withTraits(at, reading);
    return [
      {
        id,
        action,
        title: textOf(member('title').value),
        summary: textOf(member('summary').value),
        description: textOf(member('description').value),
        deprecated: member('deprecated').value === true || member('x-deprecated').value === true,
        channel: channelName({ ...at, value: at.value.channel }),
        security: schemesOf(member('security'), reading),
        bindings: bindingsOf(member('bindings'), reading),
        messages: operationMessages(at, reading),
        reply: replyOf({ ...at, value: at.value.reply }, reading),
        ...annotationsOf(member, reading),
        written: at.value,
      },
    ];
  });
}

/** The messages that the operation names, else all of its channel. */
function operationMessages({ value, file }: At<JsonObject>, reading: Reading): ApiMessage[] {
  if (Array.isArray(value.messages))
    return namedMessages({ value: value.messages, file, name: null }, reading);
  return channelMessages({ value: value.channel, file, name: null }, reading);
}

function channelMessages(at: At, reading: Reading): ApiMessage[] {
  const channel = reading.resolver.resolve(at);
  if (channel === null || !isObject(channel.value)) return [];
  return messagesOf({ ...channel, value: channel.value.messages }, reading);
}

function replyOf(written: At, reading: Reading): ApiReply | null {
  if (written.value === undefined) return null;
  const at = reading.resolver.resolve(written);
  if (at === null || !isObject(at.value)) return null;
  const { value, file } = at;
  const address = reading.resolver.resolve({ value: value.address, file, name: null })?.value;
  const channel = { value: value.channel, file, name: null };
  return {
    location: isObject(address) ? textOf(address.location) : null,
    description: isObject(address) ? textOf(address.description) : null,
    channel: channelName(channel),
    messages: Array.isArray(value.messages)
      ? namedMessages({ value: value.messages, file, name: null }, reading)
      : value.channel === undefined
        ? []
        : channelMessages(channel, reading),
  };
}

/** The channel of a reference to `#/channels/id` of the same file; null for others. */
export function channelName({ value, file }: At): ChannelName | null {
  if (!isReference(value)) return null;
  const [, pointer] = /^#\/channels\/([^/]+)$/.exec(value.$ref) ?? [];
  return pointer === undefined ? null : { file, id: lastSegment(`/${pointer}`) };
}

/** A member of an operation or message: its own, else that of its last trait that has it. */
function withTraits(at: At<JsonObject>, { resolver }: Reading): (key: string) => At {
  const traits = itemsOf({ ...at, value: at.value.traits }, resolver, MAX_TRAITS).map((trait) => trait.at);
  return (key) => {
    const found = [at, ...traits.toReversed()].filter(({ value }) => Object.hasOwn(value, key));
    const [first, second] = found;
    if (first === undefined) return { value: undefined, file: at.file, name: null };
    const own = first.value[key];
    const other = second?.value[key];
    // Headers of both are shown. Other objects are rarely in two places.
    if (key === 'headers' && second?.file === first.file && isObject(own) && isObject(other))
      return { value: { allOf: [own, other] }, file: first.file, name: null };
    return { value: own, file: first.file, name: null };
  };
}

// Messages

function messagesOf(at: At, reading: Reading): ApiMessage[] {
  return membersOf(at, reading.resolver, MAX_MESSAGES).map((message) => messageOf(message, reading));
}

function namedMessages(at: At, reading: Reading): ApiMessage[] {
  return itemsOf(at, reading.resolver, MAX_MESSAGES).map((message) => messageOf(message, reading));
}

function messageOf({ id, at }: NamedAt, reading: Reading): ApiMessage {
  const member = withTraits(at, reading);
  const name = textOf(member('name').value);
  const title = textOf(member('title').value);
  const key = id === '' ? (name ?? 'message') : id;
  const correlation = reading.resolver.resolve(member('correlationId'))?.value;
  const location = isObject(correlation) ? textOf(correlation.location) : null;
  const payload = payloadOf(member('payload'), reading);
  const headers = payloadOf(member('headers'), reading).payload;
  const contentType = textOf(member('contentType').value) ?? textOf(reading.document.defaultContentType);
  return {
    key,
    title: title ?? name ?? key,
    name,
    summary: textOf(member('summary').value),
    description: textOf(member('description').value),
    deprecated: member('deprecated').value === true || member('x-deprecated').value === true,
    contentType,
    ...annotationsOf(member, reading),
    ...payload,
    headers,
    correlationId:
      location === null || !isObject(correlation)
        ? null
        : { location, description: textOf(correlation.description) },
    bindings: bindingsOf(member('bindings'), reading),
    examples: examplesOf(member('examples'), { payload: payload.payload, headers }, reading),
  };
}

/** Formats of schemas that are JSON Schema or nearly so. */
const JSON_SCHEMA = /^application\/(?:vnd\.aai\.asyncapi|schema\+|vnd\.oai\.openapi)/i;

/** A schema, or `{schemaFormat, schema}`. */
function payloadOf(written: At, { resolver }: Reading): Pick<ApiMessage, 'payload' | 'otherPayload'> {
  const none = { payload: null, otherPayload: null };
  if (written.value === undefined || written.value === null) return none;
  const target = resolver.resolve(written);
  if (target === null) return none;
  const { value, file } = target;
  if (!isObject(value) || value.schema === undefined || isPlainSchema(value))
    return { payload: written, otherPayload: null };
  const format = textOf(value.schemaFormat);
  const schema = { value: value.schema, file, name: null };
  if (format === null || JSON_SCHEMA.test(format)) return { payload: schema, otherPayload: null };
  const other = resolver.resolve(schema);
  return other === null ? none : { payload: null, otherPayload: { format, value: other.value } };
}

const isPlainSchema = (value: JsonObject): boolean =>
  value.schemaFormat === undefined &&
  ['type', 'properties', 'allOf', 'oneOf', 'anyOf'].some((key) => value[key] !== undefined);

/** Many generators write an object or a list as a text of JSON; it stands for its value if the schema has no strings. */
function readText(value: unknown, schema: At | null, resolver: Resolver): unknown {
  if (typeof value !== 'string' || schema === null || !/^\s*[[{]/.test(value)) return value;
  const target = resolver.resolve(schema)?.value;
  const types = isObject(target) ? [target.type].flat() : [];
  const hasOnlyParts = types.length > 0 && types.every((type) => type === 'object' || type === 'array');
  return hasOnlyParts ? (parseJson(value) ?? value) : value;
}

function examplesOf(
  at: At,
  schemas: Pick<ApiMessage, 'payload' | 'headers'>,
  { resolver }: Reading,
): ApiMessageExample[] {
  return itemsOf(at, resolver, MAX_EXAMPLES).flatMap(({ at: written }) => {
    const { value } = written;
    const headers = readText(value.headers, schemas.headers, resolver);
    const data = exampleAt({ ...written, value: value.payload }, resolver);
    const payload = readText(data, schemas.payload, resolver);
    if (headers === undefined && payload === undefined) return [];
    const [name, summary] = [textOf(value.name), textOf(value.summary)];
    return [
      {
        title: name ?? summary,
        description: name === null ? null : summary,
        value: headers === undefined ? payload : { headers, payload },
        written,
      },
    ];
  });
}
