import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpBody, HttpRequest } from '../request/types.ts';

/** What a server received. */
export interface Received {
  method: string;
  url: string;
  /** By lower-case name. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

export interface Echo {
  url: string;
  /** By the first segment of the path. */
  received: Map<string, Received[]>;
  close(): Promise<void>;
}

/** A server on this machine that keeps every request. */
export async function startEcho(): Promise<Echo> {
  const received = new Map<string, Received[]>();
  const server = createServer({ keepAliveTimeout: 500 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request;
      allow(request, response);
      if (request.headers['access-control-request-method'] !== undefined) {
        response.writeHead(204).end();
        return;
      }
      const headers = new Map<string, string>();
      for (let at = 0; at < rawHeaders.length; at += 2)
        headers.set((rawHeaders[at] ?? '').toLowerCase(), rawHeaders[at + 1] ?? '');
      const key = url.split('/')[1] ?? '';
      received.set(key, [
        ...(received.get(key) ?? []),
        { method, url, headers, body: Buffer.concat(chunks) },
      ]);
      response.end('ok\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Lets pages of all sites send everything. */
function allow({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin === undefined) return;
  response.setHeader('access-control-allow-origin', headers.origin);
  response.setHeader('access-control-allow-credentials', 'true');
  response.setHeader('access-control-allow-methods', headers['access-control-request-method'] ?? '');
  response.setHeader('access-control-allow-headers', headers['access-control-request-headers'] ?? '');
}

/** A request in a form that can be compared. Types that a request leaves open are null. */
export interface Comparable {
  method: string;
  url: string;
  headers: Record<string, string>;
  cookie: string;
  body: unknown;
}

/** `isFormData`: what the class FormData sends, which gives texts with a content type a file name and changes line ends. */
export function comparable(
  request: HttpRequest,
  contents: Readonly<Record<string, string>>,
  isFormData = false,
): Comparable {
  const url = new URL(request.url);
  return {
    method: request.method,
    url: request.url.slice(url.origin.length),
    headers: Object.fromEntries(request.headers.map(([name, value]) => [name.toLowerCase(), value])),
    cookie: request.cookies.map(([name, value]) => `${name}=${value}`).join('; '),
    body: expectedBody(request, contents, isFormData),
  };
}

const bytesOf = (file: string, contents: Readonly<Record<string, string>>): string =>
  Buffer.from(contents[file] ?? '', 'latin1').toString('latin1');

function expectedBody(
  { body, headers }: HttpRequest,
  contents: Readonly<Record<string, string>>,
  isFormData: boolean,
): unknown {
  if (body === null) return '';
  switch (body.kind) {
    case 'text':
      return isJson(headers.find(([name]) => name === 'Content-Type')?.[1])
        ? { json: JSON.parse(body.text) as unknown }
        : body.text;
    case 'form':
      return body.pairs;
    case 'file':
      return bytesOf(body.file, contents);
    case 'multipart':
      return body.parts.map(({ name, text, file, type }) => ({
        ...{ name: plainName(name), type },
        file: isFormData && file === null && type !== null ? 'blob' : file,
        text:
          file !== null
            ? bytesOf(file, contents)
            : isFormData && type === null
              ? text?.replace(/\r\n?|\n/g, '\r\n')
              : text,
      }));
  }
}

const isJson = (type: string | undefined): boolean => /[/+]json/.test(type ?? '');

/** What was received, reduced to what the request decides. */
export function comparableReceived(request: HttpRequest, received: Received): Comparable {
  const named = request.headers.map(([name]) => name.toLowerCase());
  return {
    method: received.method,
    url: received.url,
    headers: Object.fromEntries(
      named.flatMap((name) => {
        const value = received.headers.get(name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    cookie: received.headers.get('cookie') ?? '',
    body: receivedBody(request, received),
  };
}

function receivedBody(request: HttpRequest, { body, headers }: Received): unknown {
  const type = headers.get('content-type');
  switch (request.body?.kind) {
    case 'form':
      return [...new URLSearchParams(body.toString())];
    case 'multipart':
      return partsOf(body, type ?? '', request.body);
    case 'file':
      return body.toString('latin1');
    case 'text':
      return isJson(type) && body.length > 0
        ? { json: JSON.parse(body.toString()) as unknown }
        : body.toString();
    default:
      return body.toString();
  }
}

/** Clients escape quotation marks and line ends in names in different ways. */
const plainName = (name: string): string =>
  name
    .replace(/\\(["\\])/g, '$1')
    .replaceAll('%22', '"')
    .replaceAll('%27', "'")
    .replaceAll('%5C', '\\');

function partsOf(
  body: Buffer,
  type: string,
  { parts: expected, type: kind = 'multipart/form-data' }: Extract<HttpBody, { kind: 'multipart' }>,
): unknown {
  const [, sent, quoted, plain] = /^([^;]+);.*boundary=(?:"([^"]+)"|([^;]+))/.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || sent !== kind) return `not multipart: ${type}`;
  const pieces = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1, -1);
  return pieces.map((piece, index) => {
    const end = piece.indexOf('\r\n\r\n');
    const head = Buffer.from(piece.slice(0, end), 'latin1').toString();
    const content = piece.slice(end + 4);
    const [, name = ''] = /[; ]name="((?:\\.|[^"\\]|\\(?="))*)"/.exec(head) ?? [];
    const [, file = null] = /filename="((?:\\.|[^"\\])*)"/.exec(head) ?? [];
    const [, partType = null] = /content-type: *(.*)/i.exec(head) ?? [];
    return {
      ...{ name: plainName(name), file },
      type: expected[index]?.type === null ? null : partType,
      text: expected[index]?.file === null ? Buffer.from(content, 'latin1').toString() : content,
    };
  });
}
