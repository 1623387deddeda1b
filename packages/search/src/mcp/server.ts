import {
  type ClientMessage,
  CODES,
  errorReply,
  type Fields,
  HANDSHAKE_VERSIONS,
  idOf,
  McpError,
  type Reply,
  readMessage,
  SERVER_KEY,
  STATELESS_VERSION,
  VERSIONS,
} from './protocol.ts';

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; properties: Fields; required: readonly string[] };
  annotations: Fields;
}

export interface ToolResult {
  content: { type: 'text'; text: string }[];
  isError?: boolean;
}

export interface Resource {
  uri: string;
  name: string;
  description: string;
  mimeType: string;
}

/** What a server offers. Nothing of it depends on earlier requests. */
export interface Offer {
  name: string;
  title: string;
  version: string;
  /** What the server is for, for the model. */
  instructions: string;
  tools(): Promise<Tool[]>;
  /** Throws an McpError for a tool that does not exist and for arguments that are not valid. */
  call(name: string, args: Fields): Promise<ToolResult>;
  resources(): Promise<Resource[]>;
  /** Null for an unknown URI. */
  readResource(uri: string): Promise<{ mimeType: string; text: string } | null>;
}

export interface McpServer {
  /** Responds to one parsed message. Never rejects; `onError` gets what was not expected. */
  handle(message: unknown): Promise<Reply>;
}

/** Milliseconds for which clients may keep lists. */
const TTL_MS = 60_000;
const CACHEABLE: ReadonlySet<string> = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
]);

/**
 * A stateless server: no response depends on an earlier message. It works with the handshake of earlier revisions and without it
 * (2026-07-28).
 */
export function createMcpServer(offer: Offer, onError: (error: unknown) => void): McpServer {
  const { name, title, version, instructions } = offer;
  const serverInfo = { name, title, version };
  const capabilities = { tools: {}, resources: {} };

  const methods: Readonly<Record<string, (params: Fields) => Promise<object> | object>> = {
    'tools/list': async () => ({ tools: await offer.tools() }),
    'tools/call': (params) => {
      const { name: tool, arguments: args = {} } = params;
      if (typeof tool !== 'string' || !isFields(args))
        throw new McpError(CODES.invalidParams, 'tools/call needs "name" and an object "arguments".');
      return offer.call(tool, args);
    },
    'resources/list': async () => ({ resources: await offer.resources() }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': async ({ uri }) => {
      const found = typeof uri === 'string' ? await offer.readResource(uri) : null;
      if (found === null)
        throw new McpError(CODES.invalidParams, 'Resource not found. resources/list names all.', { uri });
      return { contents: [{ uri, ...found }] };
    },
  };
  const withHandshake: typeof methods = {
    ...methods,
    ping: () => ({}),
    initialize: ({ protocolVersion }) => {
      const known = HANDSHAKE_VERSIONS.find((one) => one === protocolVersion);
      const agreed = known ?? HANDSHAKE_VERSIONS[0];
      return { protocolVersion: agreed, capabilities, serverInfo, instructions };
    },
  };
  const stateless: typeof methods = {
    ...methods,
    'server/discover': () => ({ supportedVersions: VERSIONS, capabilities, instructions }),
  };

  const respond = async (message: ClientMessage): Promise<object> => {
    const isStateless = message.version !== null;
    if (isStateless && message.version !== STATELESS_VERSION)
      throw new McpError(CODES.unsupportedVersion, 'This version of the protocol is not supported.', {
        supported: VERSIONS,
        requested: message.version,
      });
    const known = isStateless ? stateless : withHandshake;
    const method = Object.hasOwn(known, message.method) ? known[message.method] : undefined;
    if (method === undefined) throw new McpError(CODES.methodNotFound, 'Method not found.');
    const result = await method(message.params);
    if (!isStateless) return result;
    const cached = CACHEABLE.has(message.method) ? { ttlMs: TTL_MS, cacheScope: 'private' } : {};
    return { resultType: 'complete', _meta: { [SERVER_KEY]: serverInfo }, ...cached, ...result };
  };

  return {
    async handle(value) {
      try {
        const message = readMessage(value);
        if (message === null || message.id === undefined) return { code: null, body: null };
        const result = await respond(message);
        return { code: null, body: { jsonrpc: '2.0', id: message.id, result } };
      } catch (error) {
        if (!(error instanceof McpError)) onError(error);
        return errorReply(idOf(value), error);
      }
    },
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
