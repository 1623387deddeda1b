import { isObject } from '../../config/json.ts';
import type { ApiChannel, ApiChannelServer, ApiMessage } from '../channel.ts';
import { exampleOf } from '../example.ts';
import type { ApiParameter, ApiScheme } from '../operation.ts';
import type { At } from '../resolver.ts';
import type { Schemas } from '../schema.ts';
import { requestForm } from './form.ts';
import type { ChannelForm, ChannelMessage } from './types.ts';

const MAX_MESSAGES = 12;
/** Characters of one message that a form starts with. */
const MAX_TEXT = 20_000;

/** What readers enter to open a WebSocket and to send messages; null if no server of the channel is one of WebSockets. */
export function channelForm(channel: ApiChannel, schemas: Schemas): ChannelForm | null {
  const servers = channel.servers.filter(isSocket);
  if (servers.length === 0) return null;
  const parameters = [...addressParameters(channel), ...handshakeParameters(channel, schemas)];
  const form = requestForm(
    {
      method: 'GET',
      path: channel.address ?? '',
      servers: servers.map(({ url, description, variables }) => ({ url, description, variables })),
      security: securityOf(channel, servers),
      parameters,
      body: null,
    },
    schemas,
  );
  return { ...form, messages: sentMessages(channel).flatMap((message) => textsOf(message, schemas)) };
}

const isSocket = ({ url }: ApiChannelServer): boolean => /^wss?:\/\//i.test(url);

/** Alternatives of one scheme each. */
function securityOf({ operations }: ApiChannel, servers: readonly ApiChannelServer[]): ApiScheme[][] {
  const schemes = [...servers, ...operations].flatMap(({ security }) => security);
  const known = schemes.flatMap((scheme) => (scheme.type === 'other' ? [] : [scheme]));
  return [...new Map(known.map((scheme) => [scheme.name, [scheme]])).values()];
}

function parameterOf(
  name: string,
  place: 'path' | 'query' | 'header',
  schema: At,
  isRequired: boolean,
): ApiParameter {
  return {
    name,
    in: place,
    isRequired,
    deprecated: false,
    description: null,
    schema,
    style: place === 'query' ? 'form' : 'simple',
    explode: place === 'query',
    allowReserved: false,
    allowsEmpty: false,
    contentType: null,
    examples: [],
    remoteExamples: [],
  };
}

function addressParameters({ address, parameters }: ApiChannel): ApiParameter[] {
  return parameters.flatMap(({ name, schema }) =>
    address?.includes(`{${name}}`) === true ? [parameterOf(name, 'path', schema, true)] : [],
  );
}

const PLACES = [
  ['query', 'query'],
  ['headers', 'header'],
] as const;

/** The handshake is an HTTP request, whose parameters the binding describes. */
function handshakeParameters({ bindings }: ApiChannel, schemas: Schemas): ApiParameter[] {
  const own = bindings.filter(({ protocol }) => protocol === 'ws');
  return own.flatMap(({ at: { value, file } }) =>
    PLACES.flatMap(([key, place]) => {
      if (value[key] === undefined) return [];
      const { properties } = schemas.read({ value: value[key], file, name: null });
      return properties.map(({ name, schema, isRequired }) => parameterOf(name, place, schema, isRequired));
    }),
  );
}

/** A client sends what the described application receives, and replies to what it sends. */
function sentMessages({ operations, messages }: ApiChannel): readonly ApiMessage[] {
  if (operations.length === 0) return messages;
  const sent = operations.flatMap(({ action, messages: own, reply }) =>
    action === 'receive' ? own : (reply?.messages ?? []),
  );
  return [...new Map(sent.map((message) => [message.key, message])).values()];
}

function textsOf(message: ApiMessage, schemas: Schemas): ChannelMessage[] {
  const { title, payload, examples, headers } = message;
  const given = examples.map(({ title: own, value }) => ({
    title: own === null || own === title ? title : `${title}: ${own}`,
    value: headers !== null && hasHeaders(value) ? value.payload : value,
  }));
  if (given.length === 0) {
    const value =
      payload === null ? '' : exampleOf(payload, schemas, { direction: 'request', isComplete: true });
    given.push({ title, value });
  }
  return given.slice(0, MAX_MESSAGES).flatMap(({ title: shown, value }) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
    return text.length > MAX_TEXT ? [] : [{ title: shown, text }];
  });
}

/** Only payloads are sent as a message: WebSockets have no headers of messages. */
const hasHeaders = (value: unknown): value is { payload: unknown } =>
  isObject(value) && Object.keys(value).sort().join() === 'headers,payload';
