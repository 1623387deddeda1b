import { isObject } from '../config/json.ts';
import type { Strings } from '../theme/strings.ts';
import type { Node } from '../tree.ts';
import type {
  ApiAddressParameter,
  ApiBinding,
  ApiChannel,
  ApiChannelOperation,
  ApiChannelScheme,
  ApiChannelServer,
  ApiMessage,
  ApiReply,
  ChannelName,
} from './channel.ts';
import { documentationNodes } from './documentation.ts';
import { addFields, addNested, dataOf, type FieldScope, fieldNode, withText } from './fields.ts';
import { aboutExamples, examplesOf, titleOf } from './given-examples.ts';
import type { ApiVariable } from './operation.ts';
import type { ReferenceOptions } from './page.ts';
import { type At, isReference } from './resolver.ts';
import { schemesOf } from './security.ts';
import { variablesOf } from './servers.ts';
import { shortenJson, shortenText } from './shorten.ts';
import { code, element, fence, heading, list, paragraph, text } from './tree.ts';

/** Examples of each direction. */
const MAX_EXAMPLES = 12;
/** Characters of a schema in another language. */
const MAX_SCHEMA = 20_000;

export interface ChannelOptions extends ReferenceOptions {
  /** URL of the page of a channel; null without one. */
  linkTo(channel: ChannelName): string | null;
}

/** What a client does with a message. */
type Direction = 'request' | 'response';

interface PageScope extends FieldScope {
  readonly taken: Set<string>;
  linkTo: ChannelOptions['linkTo'];
}

/** The reference of a channel, as a page could have written it with components. */
export function channelNodes(channel: ApiChannel, options: ChannelOptions): Node[] {
  const scope: PageScope = { ...options, waiting: [], shown: 0, taken: new Set() };
  const { strings } = options;
  const nodes = [
    ...documentationNodes(channel.written.externalDocs, scope),
    ...(channel.address === null ? [paragraph([text(strings.unknownAddress)])] : []),
    ...(channel.servers.length > 0 ? serverNodes(channel.servers, scope) : []),
    ...securityNodes(securityOf(channel.servers), 2, 'authorizations', scope),
    ...parameterNodes(channel.parameters, scope),
    ...bindingNodes(channel.bindings, 2, '', scope),
    ...channel.operations.flatMap((operation) => operationNodes(operation, channel, scope)),
    ...channel.replies.flatMap((operation) => replyNodes(operation, 2, scope)),
    ...otherMessages(channel, scope),
  ];
  addNested(scope);
  return [...nodes, ...exampleNodes(channel, options)];
}

/** An id that no other node of the page has. */
function unique(id: string, { taken }: PageScope): string {
  let free = id;
  for (let count = 2; taken.has(free); count++) free = `${id}-${count}`;
  taken.add(free);
  return free;
}

const placeOf = (id: string, direction: Direction, scope: PageScope) => ({
  id: unique(id, scope),
  direction,
  around: [],
  depth: 0,
});

// Servers

function serverNodes(servers: readonly ApiChannelServer[], scope: PageScope): Node[] {
  const nodes: Node[] = [heading(2, scope.strings.servers, unique('servers', scope))];
  const { own, common } = variablesOf(servers);
  for (const [index, server] of servers.entries()) {
    const version = server.protocolVersion === null ? '' : ` (${server.protocol} ${server.protocolVersion})`;
    const title = server.title === null ? '' : ` ${server.title}`;
    nodes.push(paragraph([code(server.url), text(version + title)]));
    if (server.description !== null) nodes.push(...scope.markdown(server.description));
    nodes.push(...(own[index] ?? []).map((one) => variableNode(one, scope)));
    nodes.push(...bindingNodes(server.bindings, null, `server-${server.name}-`, scope));
    nodes.push(...annotationNodes(server, scope));
  }
  return [...nodes, ...common.map((one) => variableNode(one, scope))];
}

/** The keyword is the same in all languages. */
function annotationNodes(
  { tags, documentation }: Pick<ApiMessage, 'tags' | 'documentation'>,
  scope: PageScope,
): Node[] {
  const rows = tags.map((tag) => [
    ...withText([code(tag.name)], tag.description, scope),
    ...documentationNodes(tag.documentation, scope),
  ]);
  const shown = rows.length === 0 ? [] : [paragraph([code('tags'), text(':')]), list(rows)];
  return [...shown, ...documentationNodes(documentation, scope)];
}

function variableNode(variable: ApiVariable, scope: PageScope): Node {
  const { name, description, default: fallback, values } = variable;
  const schema = {
    type: 'string',
    ...(fallback === '' ? {} : { default: fallback }),
    ...(values.length > 0 ? { enum: values } : {}),
  };
  return fieldNode(
    { name, in: 'path', isRequired: fallback === '', deprecated: false, description },
    { value: schema, file: '', name: null },
    placeOf(`server-${name}`, 'request', scope),
    scope,
  );
}

/** Schemes of all servers, each once. */
function securityOf(servers: readonly ApiChannelServer[]): ApiChannelScheme[] {
  const schemes = servers.flatMap(({ security }) => security);
  return [...new Map(schemes.map((scheme) => [scheme.name, scheme])).values()];
}

/** Alternatives: one as fields, several as tabs. */
function securityNodes(
  schemes: readonly ApiChannelScheme[],
  depth: 2 | 3,
  id: string,
  scope: PageScope,
): Node[] {
  if (schemes.length === 0) return [];
  const prefixOf = (index: number): string => {
    const own = id === 'authorizations' ? '' : `${id}-`;
    return index === 0 ? own : `${own}${index + 1}-`;
  };
  const fields = schemes.map((scheme, index) => schemeNodes(scheme, prefixOf(index), scope));
  const title = heading(depth, scope.strings.authorizations, unique(id, scope));
  if (fields.length === 1) return [title, ...fields.flat()];
  const tabs = fields.map((content, index) =>
    element('Tab', { title: schemes[index]?.name ?? '', id: `${id}-option-${index + 1}` }, content),
  );
  return [title, element('Tabs', {}, tabs)];
}

function schemeNodes(scheme: ApiChannelScheme, prefix: string, scope: PageScope): Node[] {
  if (scheme.type !== 'other') return schemesOf([scheme], prefix, scope);
  const { name, kind, description } = scheme;
  const field = fieldNode(
    { name, isRequired: true, deprecated: false, description },
    { value: { type: 'string' }, file: '', name: null },
    placeOf(`authorization-${prefix}${name}`, 'request', scope),
    scope,
  );
  field.props.type = Object.hasOwn(KINDS, kind) ? KINDS[kind] : kind;
  return [field];
}

/** Names of schemes that only other protocols than HTTP have. */
const KINDS: Readonly<Record<string, string>> = {
  userPassword: 'user name and password',
  apiKey: 'API key',
  symmetricEncryption: 'symmetric encryption',
  asymmetricEncryption: 'asymmetric encryption',
  plain: 'SASL PLAIN',
  scramSha256: 'SASL SCRAM-SHA-256',
  scramSha512: 'SASL SCRAM-SHA-512',
  gssapi: 'SASL GSSAPI',
};

// Address and bindings

function parameterNodes(parameters: readonly ApiAddressParameter[], scope: PageScope): Node[] {
  if (parameters.length === 0) return [];
  const nodes: Node[] = [heading(2, scope.strings.addressParameters, unique('address-parameters', scope))];
  for (const { name, description, schema, location } of parameters) {
    const isRequired = !(isObject(schema.value) && Object.hasOwn(schema.value, 'default'));
    const field = fieldNode(
      { name, in: 'path', isRequired, deprecated: false, description },
      schema,
      placeOf(`parameter-${name}`, 'request', scope),
      scope,
    );
    if (location !== null) field.children.push(paragraph([text(`${scope.strings.sameAs} `), code(location)]));
    nodes.push(field);
  }
  return nodes;
}

const SECTIONS = [
  ['query', 'query', 'queryParameters'],
  ['headers', 'header', 'headerParameters'],
] as const;

/** What a protocol needs: parameters of the handshake as fields, others as a list. */
function bindingNodes(
  bindings: readonly ApiBinding[],
  depth: 2 | null,
  prefix: string,
  scope: PageScope,
): Node[] {
  const nodes: Node[] = [];
  const rows: Node[][] = [];
  for (const { protocol, at } of bindings) {
    for (const [key, value] of Object.entries(at.value)) {
      if (key === 'bindingVersion' || key.startsWith('x-')) continue;
      const schema = { value, file: at.file, name: null };
      const section = handshakeNodes(protocol, key, schema, { depth, prefix }, scope);
      if (section !== null) nodes.push(...section);
      else if (isSchema(value)) {
        const facts = { name: `${protocol}.${key}`, isRequired: false, deprecated: false, description: null };
        nodes.push(fieldNode(facts, schema, placeOf(`${prefix}binding-${key}`, 'request', scope), scope));
      } else rows.push([paragraph([code(`${protocol}.${key}`), text(': '), code(dataOf(value))])]);
    }
  }
  if (rows.length === 0) return nodes;
  // Sections of the handshake have headings of their own.
  if (depth === 2) nodes.push(heading(2, scope.strings.bindings, unique(`${prefix}bindings`, scope)));
  return [...nodes, list(rows)];
}

/** `query` and `headers` of protocols that start with a request; null for other settings. */
function handshakeNodes(
  protocol: string,
  key: string,
  schema: At,
  { depth, prefix }: { depth: 2 | null; prefix: string },
  scope: PageScope,
): Node[] | null {
  const section = SECTIONS.find(([name]) => name === key);
  if (section === undefined || (protocol !== 'ws' && protocol !== 'http')) return null;
  const [, place, word] = section;
  const fields = propertyNodes(schema, place, `${prefix}parameter`, 'request', scope);
  if (fields.length === 0) return [];
  const title = scope.strings[word];
  const id = unique(`${prefix}${place}-parameters`, scope);
  return [depth === null ? paragraph([text(`${title}:`)]) : heading(2, title, id), ...fields];
}

const isSchema = (value: unknown): boolean =>
  isReference(value) ||
  (isObject(value) &&
    ['type', 'enum', 'const', 'properties', 'oneOf', 'anyOf', 'allOf'].some((key) =>
      Object.hasOwn(value, key),
    ));

/** The description of an object schema, and its properties as fields that name their place. */
function propertyNodes(
  at: At,
  place: 'query' | 'header',
  prefix: string,
  direction: Direction,
  scope: PageScope,
): Node[] {
  const { descriptions, properties } = scope.schemas.read(at);
  const fields = properties.map(({ name, isRequired, schema }) =>
    fieldNode(
      { name, in: place, isRequired, deprecated: false, description: null },
      schema,
      placeOf(`${prefix}-${name}`, direction, scope),
      scope,
    ),
  );
  return [...descriptions.flatMap((one) => scope.markdown(one)), ...fields];
}

// Operations

/** A client receives what the described application sends. */
const directionOf = (action: ApiChannelOperation['action']): Direction =>
  action === 'send' ? 'response' : 'request';

const opposite = (direction: Direction): Direction => (direction === 'request' ? 'response' : 'request');

function operationNodes(
  operation: ApiChannelOperation,
  { operations }: ApiChannel,
  scope: PageScope,
): Node[] {
  const { strings } = scope;
  const { id, action } = operation;
  const direction = directionOf(action);
  const verb = direction === 'response' ? strings.receive : strings.send;
  const isOnly = operations.filter((other) => other.action === action).length === 1;
  const name = operation.title ?? (isOnly ? null : id);
  const nodes: Node[] = [
    heading(2, name === null ? verb : `${verb}: ${name}`, unique(`operation-${id}`, scope)),
    sentence(direction === 'response' ? strings.clientReceives : strings.clientSends, operation),
    ...markdownOf(operation, scope),
    ...deprecation(operation, strings),
    ...annotationNodes(operation, scope),
    ...securityNodes(operation.security, 3, `operation-${id}-authorizations`, scope),
    ...bindingNodes(operation.bindings, null, `operation-${id}-`, scope),
    ...operation.messages.flatMap((message) => messageNodes(message, direction, 3, scope)),
  ];
  return operation.reply === null ? nodes : [...nodes, ...replyNodes(operation, 3, scope)];
}

const sentence = (words: string, { id, action }: ApiChannelOperation): Node =>
  paragraph([text(`${words} `), code(id), text(', '), code(`action: ${action}`)]);

const deprecation = ({ deprecated }: { deprecated: boolean }, strings: Strings): Node[] =>
  deprecated ? [paragraph([{ type: 'strong', children: [text(strings.fieldDeprecated)] }])] : [];

function markdownOf(
  { summary, description }: { summary: string | null; description: string | null },
  scope: PageScope,
): Node[] {
  return [summary, description === summary ? null : description].flatMap((written) =>
    written === null ? [] : scope.markdown(written),
  );
}

/** The reply to an operation, on its own page below it and on the page of the channel of the reply. */
function replyNodes(operation: ApiChannelOperation, depth: 2 | 3, scope: PageScope): Node[] {
  const { reply, action, id } = operation;
  if (reply === null) return [];
  const { strings } = scope;
  const direction = opposite(directionOf(action));
  const words = direction === 'response' ? strings.clientReceivesReply : strings.clientSendsReply;
  const title = depth === 2 ? `${strings.reply}: ${operation.title ?? id}` : strings.reply;
  return [
    heading(depth, title, unique(`operation-${id}-reply`, scope)),
    sentence(words, operation),
    ...replyAddress(reply, scope),
    // The other one: of the reply below the operation, of the operation on the page of the reply.
    ...channelNode(depth === 2 ? operation.channel : reply.channel, scope),
    ...reply.messages.flatMap((message) => messageNodes(message, direction, depth === 2 ? 3 : 4, scope)),
  ];
}

function replyAddress({ location, description }: ApiReply, scope: PageScope): Node[] {
  const { strings } = scope;
  const nodes: Node[] = [];
  if (location !== null) nodes.push(paragraph([text(`${strings.replyAddress}: `), code(location)]));
  if (description !== null) nodes.push(...scope.markdown(description));
  return nodes;
}

function channelNode(channel: ChannelName | null, scope: PageScope): Node[] {
  if (channel === null) return [];
  const url = scope.linkTo(channel);
  const name: Node = code(channel.id);
  const shown: Node = url === null ? name : { type: 'link', url, title: null, children: [name] };
  return [paragraph([text(`${scope.strings.channel}: `), shown])];
}

/** Messages that no operation uses. */
function otherMessages(channel: ApiChannel, scope: PageScope): Node[] {
  const others = unusedMessages(channel);
  if (others.length === 0) return [];
  return [
    heading(2, scope.strings.messages, unique('messages', scope)),
    ...others.flatMap((message) => messageNodes(message, 'response', 3, scope)),
  ];
}

function unusedMessages({ messages, operations, replies }: ApiChannel): ApiMessage[] {
  const used = new Set(
    [...operations, ...replies].flatMap((operation) =>
      [...operation.messages, ...(operation.reply?.messages ?? [])].map(({ key }) => key),
    ),
  );
  return messages.filter(({ key }) => !used.has(key));
}

// Messages

function messageNodes(message: ApiMessage, direction: Direction, depth: 3 | 4, scope: PageScope): Node[] {
  const { strings } = scope;
  const { key, name, title, contentType, payload, otherPayload, headers, correlationId } = message;
  const id = unique(`message-${key}`, scope);
  const names = [name ?? key, contentType].filter((one) => one !== null && one !== title);
  const nodes: Node[] = [heading(depth, title, id)];
  if (names.length > 0)
    nodes.push(paragraph(names.flatMap((one, index) => [text(index === 0 ? '' : ' '), code(one ?? '')])));
  nodes.push(...deprecation(message, strings), ...markdownOf(message, scope));
  nodes.push(...annotationNodes(message, scope));
  const headerFields =
    headers === null ? [] : propertyNodes(headers, 'header', `${id}-header`, direction, scope);
  if (headerFields.length > 0) nodes.push(label(strings.headerParameters), ...headerFields);
  if (correlationId !== null) {
    nodes.push(paragraph([text(`${strings.correlationId}: `), code(correlationId.location)]));
    if (correlationId.description !== null) nodes.push(...scope.markdown(correlationId.description));
  }
  nodes.push(...bindingNodes(message.bindings, null, `${id}-`, scope));
  if (payload !== null) {
    if (headerFields.length > 0) nodes.push(label(strings.payload));
    nodes.push(...payloadNodes(payload, id, direction, scope));
  }
  if (otherPayload !== null) {
    const { format, value } = otherPayload;
    const isText = typeof value === 'string';
    const written = isText ? shortenText(value, MAX_SCHEMA) : shortenJson(value, MAX_SCHEMA);
    const lang = isText ? (/protobuf/i.test(format) ? 'protobuf' : 'text') : 'json';
    nodes.push(label(strings.payload), fence(written, lang, titleOf(format)));
  }
  nodes.push(...aboutExamples([{ type: title, examples: message.examples, remoteExamples: [] }], scope));
  return nodes;
}

const label = (words: string): Node => paragraph([{ type: 'strong', children: [text(words)] }]);

function payloadNodes(at: At, id: string, direction: Direction, scope: PageScope): Node[] {
  const schema = scope.schemas.read(at);
  const isObjectSchema = schema.types.length === 1 && schema.types[0] === 'object';
  if (
    (isObjectSchema && schema.properties.length > 0) ||
    (schema.types.length === 0 && schema.variants.length > 0)
  ) {
    const nodes = schema.descriptions.flatMap((one) => scope.markdown(one));
    addFields(at, nodes, { id, direction }, scope);
    return nodes;
  }
  const facts = { name: 'payload', isRequired: false, deprecated: false, description: null };
  return [fieldNode(facts, at, placeOf(`${id}-payload`, direction, scope), scope)];
}

// Examples in the column at the side

function exampleNodes(channel: ApiChannel, options: ChannelOptions): Node[] {
  const shown: Record<Direction, Map<string, Node>> = { request: new Map(), response: new Map() };
  const add = (message: ApiMessage, direction: Direction): void => {
    for (const example of messageExamples(message, direction, options))
      if (shown[direction].size < MAX_EXAMPLES) shown[direction].set(JSON.stringify(example), example);
  };
  for (const { action, messages, reply } of [...channel.operations, ...channel.replies]) {
    const direction = directionOf(action);
    if (channel.operations.some((own) => own.messages === messages))
      for (const message of messages) add(message, direction);
    for (const message of reply?.messages ?? []) add(message, opposite(direction));
  }
  for (const message of unusedMessages(channel)) add(message, 'response');
  const nodes: Node[] = [];
  const requests = [...shown.request.values()];
  const responses = [...shown.response.values()];
  if (!options.has.request && requests.length > 0)
    nodes.push(element('RequestExample', { dropdown: requests.length > 4 }, requests));
  if (!options.has.response && responses.length > 0)
    nodes.push(element('ResponseExample', { dropdown: responses.length > 6 }, responses));
  return nodes;
}

function messageExamples(message: ApiMessage, direction: Direction, options: ChannelOptions): Node[] {
  const { contentType, payload, examples, title } = message;
  const content = {
    type: contentType ?? 'application/json',
    schema: payload,
    itemSchema: null,
    examples,
  };
  return examplesOf(content, direction, options, title);
}
