import { fieldsOf } from '../site-files.ts';
import { CODES, errorReply, type Fields, idOf, McpError, STATELESS_VERSION, VERSIONS } from './protocol.ts';
import type { McpServer } from './server.ts';

/** Bytes of a message: a query or a report, not a file. */
export const MAX_MCP_BODY = 64 * 1024;

export interface HttpRequest {
  method: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Null for one that is larger than MAX_MCP_BODY. */
  body: string | null;
}

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Fields of `params` that the header `Mcp-Name` repeats. */
const NAMED: Readonly<Record<string, string>> = { 'tools/call': 'name', 'resources/read': 'uri' };
const ENCODED = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/;

/**
 * The transport "streamable HTTP" without streams: a message in, a message out. Origin and host are checked by the
 * server before.
 */
export async function respondMcp(server: McpServer, request: HttpRequest): Promise<HttpAnswer> {
  if (request.method !== 'POST')
    return failure(405, CODES.invalidRequest, 'Send messages with POST.', { Allow: 'POST' });
  const [type = ''] = headerOf(request, 'content-type').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    return failure(415, CODES.invalidRequest, 'Send messages as application/json.');
  if (request.body === null)
    return failure(413, CODES.invalidRequest, `A message can have ${MAX_MCP_BODY} bytes.`);
  const message = parseJson(request.body);
  if (message === undefined) return failure(400, CODES.parse, 'The message is not valid JSON.');
  try {
    checkHeaders(request, message);
  } catch (error) {
    const { body } = errorReply(idOf(message), error);
    return json(400, body);
  }
  const { body, code } = await server.handle(message);
  if (body === null) return { status: 202, headers: {}, body: '' };
  return json(statusOf(code, metaVersion(message) !== undefined), body);
}

function statusOf(code: number | null, isStateless: boolean): number {
  if (code === CODES.invalidRequest || code === CODES.unsupportedVersion) return 400;
  return code === CODES.methodNotFound && isStateless ? 404 : 200;
}

/** Headers repeat what the message says, so that proxies can rely on them. */
function checkHeaders(request: HttpRequest, message: unknown): void {
  const version = headerOf(request, 'mcp-protocol-version');
  const named = metaVersion(message);
  if (version !== '' && !VERSIONS.includes(version))
    throw new McpError(CODES.unsupportedVersion, 'This version of the protocol is not supported.', {
      supported: VERSIONS,
      requested: version.slice(0, 100),
    });
  if (named === undefined) {
    if (version === STATELESS_VERSION)
      throw new McpError(
        CODES.invalidParams,
        `Requests of ${STATELESS_VERSION} need their version in _meta.`,
      );
    return;
  }
  const { method, params } = fieldsOf(message) ?? {};
  const field = typeof method === 'string' && Object.hasOwn(NAMED, method) ? NAMED[method] : undefined;
  const name = field === undefined ? undefined : fieldsOf(params)?.[field];
  const wanted: readonly (readonly [header: string, value: unknown])[] = [
    ['mcp-protocol-version', named],
    ['mcp-method', method],
    ...(typeof name === 'string' ? [['mcp-name', name] as const] : []),
  ];
  for (const [header, value] of wanted) {
    if (decodeHeader(headerOf(request, header)) !== value)
      throw new McpError(CODES.headerMismatch, `The header ${header} must repeat the value of the message.`);
  }
}

function metaVersion(message: unknown): unknown {
  const params: Fields | null = fieldsOf(fieldsOf(message)?.params);
  return fieldsOf(params?._meta)?.['io.modelcontextprotocol/protocolVersion'];
}

/** Values that a header cannot have are sent as base64 of UTF-8. */
function decodeHeader(value: string): string {
  const encoded = ENCODED.exec(value)?.[1];
  if (encoded === undefined) return value;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)));
  } catch {
    return value;
  }
}

function headerOf({ headers }: HttpRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failure(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const answer = json(status, errorReply(null, new McpError(code, message)).body);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function json(status: number, body: object | null): HttpAnswer {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
