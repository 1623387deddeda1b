import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  contentTypeOf,
  createPaths,
  documentPolicy,
  type Found,
  isForeignDocument,
  isHashed,
  parseRange,
  siteHeaders,
} from '@offprint/bundle';
import type { Preview } from '@offprint/render';
import { assetPath } from '@offprint/render/assets';
import { isOwnHost } from './hosts.ts';
import { describe, type LiveSite } from './live-site.ts';
import { errorPage, PREVIEW_PATH, withPreviewScript } from './pages.ts';
import { pageState } from './problems.ts';

const CLIENT = assetPath('apps/cli/src/dev/client');
const CLIENT_FILES: readonly string[] = ['client.js', 'client.css', 'page.css'];
/** Interval of heartbeats, because proxies close idle connections. */
const HEARTBEAT_MS = 25_000;
/** Maximum number of ports to try after a port that is in use. */
const MAX_PORTS = 50;

export interface PreviewServer {
  port: number;
  /** Notifies every open page that these paths changed. */
  announce(paths: readonly string[]): void;
  /** Reloads every open page. */
  reload(): void;
  stop(): Promise<void>;
}

export interface PreviewServerOptions {
  site: LiveSite;
  host: string;
  /** 0 selects a free port. If the port is in use, the next free port is used. */
  port: number;
  /** Start of links that open a file in an editor (`vscode://file/home/me/docs/`); null for none. */
  editor: string | null;
  onError(error: unknown): void;
}

interface Serving extends PreviewServerOptions {
  run: string;
  clients: Set<ServerResponse>;
  find(target: string): Found<{ path: string }>;
}

/** Starts a server for the current state of the site. */
export async function startPreviewServer(options: PreviewServerOptions): Promise<PreviewServer> {
  const clients = new Set<ServerResponse>();
  const serving: Serving = { ...options, run: randomUUID(), clients, find: finder(options.site) };
  const server = createServer((request, response) => {
    respond(request, response, serving).catch((error: unknown) => {
      options.onError(error);
      if (response.headersSent) response.destroy();
      else sendText(request, response, 500, describe(error).message);
    });
  });
  server.keepAliveTimeout = 65_000;
  const port = await listenOnFree(server, options.port, options.host);
  const send = (event: string, data: unknown): void => {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const client of clients) client.write(text);
  };
  const heartbeat = setInterval(() => {
    for (const client of clients) client.write(': heartbeat\n\n');
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    port,
    announce: (paths) => send('change', { generation: options.site.generation(), paths }),
    reload: () => send('reload', {}),
    stop: () =>
      new Promise((resolve) => {
        clearInterval(heartbeat);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Resolves request paths by the rules of the site server; rebuilt when the site changes. */
function finder(site: LiveSite): Serving['find'] {
  let opened: Preview | null = null;
  let find: Serving['find'] = () => ({ kind: 'missing' });
  return (target) => {
    const preview = site.preview();
    if (preview !== opened && preview !== null) {
      opened = preview;
      const files = preview.outputs.map((path) => ({ path }));
      find = createPaths({ files, redirects: preview.redirects }, '');
    }
    return find(target);
  };
}

async function listenOnFree(server: Server, wanted: number, host: string): Promise<number> {
  for (let port = wanted; ; port++) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isInUse || port - wanted >= MAX_PORTS || port >= 65_535) throw error;
    }
  }
}

/** The policy in each page says to which APIs it may send requests. */
const DEV_HEADERS = { https: false, connect: ['http:', 'https:'] };

async function respond(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  for (const [name, value] of Object.entries(siteHeaders(DEV_HEADERS))) response.setHeader(name, value);
  response.setHeader('Cache-Control', 'no-store');
  if (!isOwnHost(request.headers.host, serving.host)) {
    const message = 'Invalid Host header. Open the preview at localhost or an IP address.';
    return sendText(request, response, 403, message);
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return sendText(request, response, 405, 'Method not allowed. Use GET or HEAD.');
  }
  const target = request.url ?? '/';
  if (target.startsWith(PREVIEW_PATH)) return respondPreview(target, request, response, serving);
  const preview = serving.site.preview();
  if (preview === null) return sendError(request, response, serving);
  const found = serving.find(target);
  if (found.kind === 'malformed') return sendText(request, response, 400, 'Invalid URL path.');
  if (found.kind === 'redirect') {
    response.setHeader('Location', found.location);
    // Temporary, because browsers cache permanent redirects after their rule has changed.
    return sendText(request, response, 307, `See ${found.location}`);
  }
  const path = found.kind === 'file' ? found.file.path : derivedPath(target);
  const page = path === null ? null : preview.page(path);
  if (page !== null && path !== null) {
    const shown = { output: path, navigation: page.navigation };
    return sendHtml(request, response, 200, page.html, shown, serving);
  }
  const content = path === null ? null : await preview.file(path);
  if (content !== null && path !== null) return sendFile(request, response, path, content);
  sendHtml(request, response, 404, preview.notFound(), null, serving);
}

/** Path of a file that an export generates, by its extension; null for other paths. */
function derivedPath(target: string): string | null {
  const path = target.replace(/^\/+|[?#].*$/gs, '');
  if (!/^_offprint\/|\.(?:xml|txt|json|md)$|^_(?:headers|redirects)$/.test(path)) return null;
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

async function respondPreview(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  serving: Serving,
): Promise<void> {
  const url = new URL(target, 'http://preview.invalid');
  const name = url.pathname.slice(PREVIEW_PATH.length);
  if (name === 'events') return subscribe(request, response, serving);
  if (name === 'state') {
    const state = pageState(serving.run, serving.site, url.searchParams.get('output'));
    return sendFile(request, response, 'state.json', JSON.stringify(state));
  }
  if (!CLIENT_FILES.includes(name)) return sendText(request, response, 404, 'File not found.');
  sendFile(request, response, name, await readFile(join(CLIENT, name)));
}

function subscribe(request: IncomingMessage, response: ServerResponse, serving: Serving): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
  const hello = { run: serving.run, generation: serving.site.generation() };
  response.write(`retry: 500\nevent: hello\ndata: ${JSON.stringify(hello)}\n\n`);
  serving.clients.add(response);
  request.once('close', () => serving.clients.delete(response));
}

function sendError(request: IncomingMessage, response: ServerResponse, serving: Serving): void {
  const error = serving.site.error();
  if (error === null) sendText(request, response, 503, 'The site is loading. Reload the page.');
  else sendHtml(request, response, 500, errorPage(error), null, serving);
}

function sendHtml(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  html: string,
  page: { output: string; navigation: string | null } | null,
  serving: Serving,
): void {
  const body = Buffer.from(withPreviewScript(html, page, serving.editor, serving.site.generation()));
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  content: string | Uint8Array,
): void {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  const type = contentTypeOf(path);
  response.setHeader('Content-Type', type);
  response.setHeader('Accept-Ranges', 'bytes');
  if (isHashed.test(path)) response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  if (isForeignDocument.test(type)) response.setHeader('Content-Security-Policy', documentPolicy);
  const range = request.method === 'GET' ? parseRange(request.headers.range, body.length) : null;
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${body.length}`);
    sendText(
      request,
      response,
      416,
      `The requested range is outside the file, which has ${body.length} bytes.`,
    );
    return;
  }
  const part = range === null ? body : body.subarray(range.start, range.end + 1);
  if (range !== null) response.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${body.length}`);
  response.writeHead(range === null ? 200 : 206, { 'Content-Length': part.length });
  response.end(request.method === 'HEAD' ? undefined : part);
}

function sendText(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}
