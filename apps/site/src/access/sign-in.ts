import type { IncomingMessage, ServerResponse } from 'node:http';
import { OAUTH_PATHS } from '@offprint/bundle';
import type { AccessSite } from './access.ts';

/** Body of `POST /v1/hosting/sign-in`: a request below `/login`, of `/logout`, or of what authorizes MCP clients. */
export interface SignInRequest {
  host: string;
  method: 'GET' | 'HEAD' | 'POST';
  path: string;
  /** Without the question mark. */
  query: string;
  headers: Record<string, string>;
  /** A form, the JSON of a client that registers, or empty. */
  body: string;
}

/** Response of the platform, which is sent to the reader. */
export interface SignInResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: string;
}

/** Sends the request to the platform; rejects if the platform is unavailable. */
export type PostSignIn = (request: SignInRequest) => Promise<SignInResponse>;

/** A form contains a password or a token of the team, and a path. */
const MAX_BODY = 32 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** What the platform needs of the reader's request. It trusts the forwarded ones, so they are set here. */
const PASSED_HEADERS = ['host', 'cookie', 'origin', 'sec-fetch-site', 'sec-fetch-dest', 'content-type'];

/** Lets the platform respond to a request of the sign-in. */
export async function relaySignIn(
  site: AccessSite,
  request: IncomingMessage,
  response: ServerResponse,
  connection: { address: string; isSecure: boolean; post: PostSignIn },
): Promise<void> {
  const { method = 'GET', url: target = '/' } = request;
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
    return send(request, response, refusal(405, 'Use GET or POST.', { Allow: 'GET, HEAD, POST' }));
  }
  const { pathname, search } = new URL(target, 'http://site.invalid');
  const type = pathname === site.basePath + OAUTH_PATHS.register ? JSON_TYPE : FORM_TYPE;
  const body = method === 'POST' ? await readText(request, type) : '';
  if (body === null) return send(request, response, refusal(413, `Send at most 32 kB of ${type}.`));
  const headers: Record<string, string> = {
    'x-forwarded-for': connection.address,
    'x-forwarded-proto': connection.isSecure ? 'https' : 'http',
  };
  for (const name of PASSED_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const message: SignInRequest = {
    host: site.host,
    method,
    path: pathname,
    query: search.slice(1),
    headers,
    body,
  };
  const answer = await connection.post(message).catch(() => unavailable);
  send(request, response, answer);
}

const unavailable: SignInResponse = refusal(503, 'Sign-in is unavailable. Try again in a minute.', {
  'Retry-After': '60',
});

function refusal(status: number, text: string, headers: Record<string, string> = {}): SignInResponse {
  return {
    status,
    body: `${text}\n`,
    headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  };
}

function send(request: IncomingMessage, response: ServerResponse, answer: SignInResponse): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, {
    ...answer.headers,
    'Cache-Control': 'private, no-store',
    'X-Robots-Tag': 'noindex',
    'Content-Length': String(body.length),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** The body of a request; null if it is longer than a form of the sign-in, or of another type. */
async function readText(request: IncomingMessage, type: string): Promise<string | null> {
  if (request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== type) return null;
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    const bytes = Buffer.from(piece);
    length += bytes.length;
    if (length > MAX_BODY) return null;
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString('utf8');
}
