/** The messages of the Model Context Protocol that a server of tools and resources needs. */
import { fieldsOf } from '../site-files.ts';

/** Revisions with a handshake, the newest first. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** The revision in which every request names its own version. */
export const STATELESS_VERSION = '2026-07-28';
export const VERSIONS: readonly string[] = [STATELESS_VERSION, ...HANDSHAKE_VERSIONS];

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';

/** Codes of JSON-RPC and of the protocol. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

export type Fields = Readonly<Record<string, unknown>>;

/** A request or notification of a client. */
export interface ClientMessage {
  /** Undefined: a notification, to which nothing is returned. */
  id: string | number | undefined;
  method: string;
  params: Fields;
  /** The version that the request names; null before the stateless revision. */
  version: string | null;
}

/** What a client gets for one message; `code` is that of an error. */
export interface Reply {
  body: object | null;
  code: number | null;
}

/** An error that is sent to the client. */
export class McpError extends Error {
  override name = 'McpError';
  readonly code: number;
  readonly data: object | undefined;
  constructor(code: number, message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Reads one message. Throws an McpError. A response of a client, to which nothing is returned, is null. */
export function readMessage(value: unknown): ClientMessage | null {
  const fields = fieldsOf(value);
  if (fields === null || fields.jsonrpc !== '2.0')
    throw new McpError(CODES.invalidRequest, 'Send one JSON-RPC 2.0 message.');
  const { id, method } = fields;
  if (method === undefined && ('result' in fields || 'error' in fields)) return null;
  if (typeof method !== 'string' || method.length > 200)
    throw new McpError(CODES.invalidRequest, '"method" must be a string.');
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number')
    throw new McpError(CODES.invalidRequest, '"id" must be a string or a number.');
  const params = fields.params === undefined ? {} : fieldsOf(fields.params);
  if (params === null) throw new McpError(CODES.invalidParams, '"params" must be an object.');
  return { id, method, params, version: versionOf(params) };
}

function versionOf(params: Fields): string | null {
  const meta = fieldsOf(params._meta);
  const version = meta?.[VERSION_KEY];
  if (version === undefined) return null;
  if (typeof version !== 'string' || fieldsOf(meta?.[CAPABILITIES_KEY]) === null)
    throw new McpError(
      CODES.invalidParams,
      `_meta needs "${VERSION_KEY}" as a string and "${CAPABILITIES_KEY}" as an object.`,
    );
  return version;
}

/** The id of a message that could not be read, for the error. */
export function idOf(value: unknown): string | number | null {
  const id = fieldsOf(value)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

export function errorReply(id: string | number | null, error: unknown): Reply {
  const known = error instanceof McpError ? error : null;
  const code = known?.code ?? CODES.internal;
  // details of an internal error are for the log of the server
  const message = known?.message ?? 'The server cannot respond to this request.';
  const data = known?.data === undefined ? {} : { data: known.data };
  return { code, body: { jsonrpc: '2.0', id, error: { code, message, ...data } } };
}
