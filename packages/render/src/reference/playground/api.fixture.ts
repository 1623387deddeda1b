import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an operation of the API received. */
export interface Echo {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Latin-1, so that every byte is a character. */
  body: string;
}

export interface TestApi {
  url: string;
  /** Requests to `/echo` and `/closed`, the last one last. */
  received: Echo[];
  stop(): Promise<void>;
}

/** An API for the playground, and a small OAuth 2 and OpenID provider that accepts everybody with the client `docs`. */
export async function startTestApi(): Promise<TestApi> {
  const received: Echo[] = [];
  const provider = createProvider();
  const server: Server = createServer(async (request, response) => {
    const body = await read(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const echo: Echo = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body,
    };
    const isClosed = pathname.startsWith('/closed');
    if (!isClosed) allow(request, response);
    if (request.method === 'OPTIONS') {
      response.writeHead(isClosed ? 403 : 204).end();
      return;
    }
    if (pathname.startsWith('/oauth')) {
      provider(pathname, searchParams, echo, response);
      return;
    }
    if (pathname.startsWith('/echo') || isClosed) received.push(echo);
    respond(pathname, echo, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

function allow(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
  response.setHeader('access-control-allow-credentials', 'true');
  response.setHeader('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE');
  response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '');
}

/** A red square of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

const send = (response: ServerResponse, status: number, type: string, body: string | Buffer): void => {
  response.writeHead(status, { 'content-type': type }).end(body);
};
const json = (response: ServerResponse, status: number, value: unknown): void =>
  send(response, status, 'application/json', JSON.stringify(value));

function respond(path: string, echo: Echo, response: ServerResponse): void {
  if (path.startsWith('/echo') || path.startsWith('/closed')) json(response, 200, echo);
  else if (path === '/exact') send(response, 200, 'application/json', '{"id":12345678901234567890,"n":1.0}');
  else if (path === '/missing') json(response, 404, { error: 'No pet has this id.' });
  else if (path === '/redirect') response.writeHead(302, { location: '/echo/final' }).end();
  else if (path === '/image') send(response, 200, 'image/png', PNG);
  else if (path === '/file') send(response, 200, 'application/octet-stream', Buffer.alloc(3000, 7));
  else if (path === '/html') send(response, 200, 'text/html', '<script>document.title = "run"</script>');
  else if (path === '/large') json(response, 200, largeValue());
  else if (path === '/download') sendLarge(response);
  else if (path === '/events') sendEvents(response);
  // `/slow` never responds.
  else if (path !== '/slow') send(response, 404, 'text/plain', 'unknown');
}

/** About 5 MB as JSON. */
const largeValue = (): unknown[] =>
  Array.from({ length: 50_000 }, (_, id) => ({
    id,
    name: `Pet number ${id}`,
    tags: ['a', 'b', 'c'],
    tail: 'x'.repeat(40),
  }));

function sendEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('event: greeting\ndata: {"number":1}\n\n');
  setTimeout(() => response.write('data: {"number":2}\n\n'), 700);
  setTimeout(() => response.end('data: [DONE]\n\n'), 1400);
}

function sendLarge(response: ServerResponse): void {
  const block = Buffer.alloc(1_000_000, 65);
  let left = 100;
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': '100000000' });
  const write = (): void => {
    while (left > 0) {
      left--;
      if (!response.write(block)) break;
    }
    if (left > 0) response.once('drain', write);
    else response.end();
  };
  write();
}

type Provider = (path: string, query: URLSearchParams, echo: Echo, response: ServerResponse) => void;

function createProvider(): Provider {
  const codes = new Map<string, { challenge: string; redirect: string; scope: string }>();
  let polls = 0;
  return (path, query, echo, response) => {
    const fields = new URLSearchParams(echo.body);
    const base = `http://${echo.headers.host}/oauth`;
    if (path === '/oauth/configuration') {
      json(response, 200, {
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        device_authorization_endpoint: `${base}/device`,
      });
    } else if (path === '/oauth/authorize') {
      const redirect = new URL(query.get('redirect_uri') ?? '');
      const code = `code-${codes.size}`;
      const challenge = query.get('code_challenge_method') === 'S256' ? query.get('code_challenge') : null;
      if (query.get('client_id') !== 'docs' || challenge === null)
        redirect.searchParams.set('error', 'invalid_request');
      else redirect.searchParams.set('code', code);
      codes.set(code, {
        challenge: challenge ?? '',
        redirect: redirect.origin + redirect.pathname,
        scope: query.get('scope') ?? '',
      });
      redirect.searchParams.set('state', query.get('state') ?? '');
      // As a provider does that isolates its windows.
      response.setHeader('cross-origin-opener-policy', 'same-origin');
      response.writeHead(302, { location: redirect.href }).end();
    } else if (path === '/oauth/device') {
      polls = 0;
      json(response, 200, {
        device_code: 'd',
        user_code: 'WDJB-MJHT',
        verification_uri: `${base}/enter`,
        interval: 1,
      });
    } else if (path === '/oauth/token') {
      const result = grant(fields, echo);
      json(response, 'error' in result ? 400 : 200, result);
    } else send(response, 404, 'text/plain', '');
  };

  function grant(fields: URLSearchParams, echo: Echo): { error: string } | { access_token: string } {
    const refuse = (error: string) => ({ error });
    const accept = (token: string) => ({ access_token: token, token_type: 'Bearer', expires_in: 3600 });
    const type = fields.get('grant_type');
    if (type === 'authorization_code') {
      const issued = codes.get(fields.get('code') ?? '');
      const digest = createHash('sha256')
        .update(fields.get('code_verifier') ?? '')
        .digest('base64url');
      if (issued === undefined || issued.challenge !== digest) return refuse('invalid_grant');
      if (issued.redirect !== fields.get('redirect_uri')) return refuse('invalid_redirect');
      return accept(`token-code-${issued.scope}`);
    }
    if (type === 'client_credentials') {
      const isKnown = echo.headers.authorization === `Basic ${btoa('docs:s%3Acret')}`;
      return isKnown ? accept('token-client') : refuse('invalid_client');
    }
    if (type?.endsWith('device_code')) {
      polls++;
      return polls < 2 ? refuse('authorization_pending') : accept('token-device');
    }
    return refuse('unsupported_grant_type');
  }
}
