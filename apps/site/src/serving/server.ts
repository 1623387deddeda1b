import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { dirname } from 'node:path';
import { basePathOf } from '@offprint/bundle';
import type { Serving } from '../deployment/status.ts';
import type { Log } from '../log.ts';
import { memoryBytes } from '../releases/limits.ts';
import type { Release } from '../releases/store.ts';
import { createAccessLog } from './access-log.ts';
import { connectionsFor, limitConnections } from './connection-limit.ts';
import { type StopOptions, watchConnections } from './connections.ts';
import { streamBytes } from './content.ts';
import { type EncodingProgress, sweepEncodings } from './encodings.ts';
import { answer } from './handler.ts';
import { type LoadedSite, loadSite, type SiteOptions } from './site.ts';
import { type Answer, createTraffic, type Traffic } from './traffic.ts';

export interface SiteServerOptions extends SiteOptions {
  /** IP address to listen on. */
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Create compressed files in the background, on the volume. Default true. */
  encode?: boolean;
  /** Maximum number of connections. Default: what the memory of the process allows. */
  maxConnections?: number;
  log?: Log;
  /** Receives lines of JSON, one per request. Default: no access log. */
  accessLog?: (lines: string) => void;
}

/** Responds to readers from a release; another release can replace it without affecting requests. */
export interface SiteServer extends Serving {
  /** URL of the site, with a trailing slash. */
  url: string;
  port: number;
  /** Returns when the served release has all its compressed files, or will get no more. */
  encoded(): Promise<void>;
  traffic: Traffic;
  state(): ServerState;
  /** Finishes open requests, at the latest after the time limit, and stops. */
  stop(options?: StopOptions): Promise<void>;
}

/** The current state of a server. */
export interface ServerState {
  /** SHA-256 of the bundle that is served; null before the first. */
  release: string | null;
  isStopping: boolean;
  connections: number;
  /** Requests in progress. */
  inFlight: number;
  /** Number of times a release replaced another one. */
  switches: number;
  encoding: EncodingProgress;
}

const noProgress: EncodingProgress = { wanted: 0, settled: 0, bytes: 0 };

/** Starts a server that has no release yet and returns 503. */
export async function startSiteServer(options: SiteServerOptions): Promise<SiteServer> {
  const { log, basePath } = options;
  const traffic = createTraffic();
  const accessLog = options.accessLog === undefined ? null : createAccessLog(options.accessLog);
  let current: LoadedSite | null = null;
  let previous: LoadedSite | null = null;
  /** Releases that get no new requests, with responses in progress. */
  const leaving = new Set<LoadedSite>();
  let switching: Promise<void> = Promise.resolve();
  let encoding: Promise<void> = Promise.resolve();
  let switches = 0;
  let inFlight = 0;
  let faults = 0;

  const server = createServer(serverLimits);
  const connections = watchConnections(server);
  const most = options.maxConnections ?? connectionsFor(memoryBytes());
  const touch = limitConnections(
    server,
    most,
    connections.isBusy,
    () => traffic.countDropped(),
    connections.pace,
  );

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const inTurn = () => {
      // a previous response was the last one of the connection
      if (response.socket !== null) respond(request, response);
    };
    if (!connections.begin(request.socket, inTurn, request.rawHeaders)) traffic.countBroken(429);
  };

  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const begun = performance.now();
    const { socket } = request;
    const held = [current, previous];
    let noted: Answer = { kind: 'fault', coding: 'identity', release: null };
    inFlight += 1;
    for (const site of held) if (site !== null) site.inFlight += 1;
    response.once('close', () => {
      const bytes = connections.end(socket);
      touch(socket);
      inFlight -= 1;
      for (const site of held) if (site !== null) letGo(site);
      const seconds = (performance.now() - begun) / 1000;
      traffic.count(noted, response.statusCode, bytes, seconds);
      if (accessLog === null) return;
      const { method = '', url: target = '' } = request;
      accessLog.write({ method, target, status: response.statusCode, answer: noted, bytes, seconds });
    });
    const extra = connections.isStopping() || isLast(request) ? endOfConnection : noHeaders;
    const [site, before] = held;
    if (site === null || site === undefined) {
      sendUnready(response, extra);
      return;
    }
    const fail = (error: unknown) => {
      noted = { kind: 'fault', coding: 'identity', release: site.sha256 };
      faults += 1;
      // a failing volume causes this error for every request
      if (faults === 1 || faults % 1000 === 0) {
        const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
        log?.error('cannot read a file of the release', { release: site.sha256, reason, faults });
      }
      sendFault(site, response);
    };
    try {
      const note = (told: Answer) => {
        noted = told;
      };
      const exchange = { request, response, extra, note };
      answer(site, before ?? null, exchange)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  };

  const letGo = (site: LoadedSite): void => {
    site.inFlight -= 1;
    if (site.inFlight === 0 && leaving.has(site)) void retire(site);
  };

  const retire = async (site: LoadedSite): Promise<void> => {
    if (site.inFlight > 0) {
      leaving.add(site);
      return;
    }
    leaving.delete(site);
    await site.encoded.close().catch(() => {});
  };

  const encode = async (site: LoadedSite, from: LoadedSite | null): Promise<void> => {
    if (options.encode === false) return;
    try {
      await sweepEncodings(dirname(site.folder));
      await site.encoded.encode(from?.encoded ?? null);
    } catch (error) {
      log?.warn('compressed files are not created', {
        release: site.sha256,
        reason: (error as Error).message,
      });
    }
  };

  /** Everything that can fail is done before the first line that changes responses. */
  const change = async (release: Release, before: Release | null): Promise<void> => {
    if (current?.sha256 === release.sha256) return;
    const next = previous?.sha256 === release.sha256 ? previous : await loadSite(release, options);
    const isFirst = current === null;
    const old = current ?? (await loadBefore(before, release, options));
    const left = previous === next ? null : previous;
    current = next;
    previous = old;
    if (!isFirst) switches += 1;
    old?.cache.clear();
    // a closed release is no longer a source of copies
    await old?.encoded.pause();
    if (left !== null) await retire(left);
    warnOfBasePath(next, log);
    encoding = encode(next, old);
  };

  server.on('request', listener);
  // a client that sends `Expect: 100-continue` gets the response that the body would get
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    // opened ahead and never used: not a bad request
    if (socket.bytesRead === 0) return void socket.destroy();
    const status = brokenStatus(error.code);
    traffic.countBroken(status);
    if (connections.isBusy(socket)) return void socket.destroy();
    socket.end(
      `HTTP/1.1 ${status} ${brokenReasons[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
  });
  server.maxHeadersCount = 100;
  server.timeout = 60_000;
  await listen(server, options.port, options.host);
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://${urlHost(options.host)}:${port}${basePath}/`,
    port,
    traffic,
    onRelease(release, before = null) {
      const changed = switching.then(() => change(release, before));
      switching = changed.catch(() => {});
      return changed;
    },
    isInUse: (sha256) => [current, previous, ...leaving].some((site) => site?.sha256 === sha256),
    encoded: () => encoding,
    state: () => ({
      release: current?.sha256 ?? null,
      isStopping: connections.isStopping(),
      connections: connections.count(),
      inFlight,
      switches,
      encoding: current?.encoded.progress() ?? noProgress,
    }),
    async stop(stopOptions) {
      await connections.stop(stopOptions);
      await switching;
      for (const site of [current, previous, ...leaving]) await site?.encoded.close();
      accessLog?.flush();
    },
  };
}

const serverLimits = {
  // for each connection, twice: data read from a file, and data not yet received by the client
  highWaterMark: streamBytes,
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  // longer than the minute after which load balancers drop a connection: the load balancer must close first
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
};

const noHeaders: readonly string[] = [];
const endOfConnection: readonly string[] = ['Connection', 'close'];

/**
 * Whether no request may follow on the connection: after a body, which no request here has, the next request
 * would be ambiguous, and data after an upgrade request is discarded.
 */
function isLast({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  if (headers.upgrade !== undefined) return true;
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

const brokenReasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

function brokenStatus(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

/** The URLs that the files contain for others, such as search engines, cannot be changed here. */
function warnOfBasePath({ sha256, manifest, basePath }: LoadedSite, log: Log | undefined): void {
  const named = basePathOf(manifest.site.url).slice(0, 200);
  if (manifest.site.url === '' || named === basePath) return;
  log?.warn(
    'canonical links, the sitemap and llms.txt of the release have another base path; change OFFPRINT_SITE_BASE_PATH, or set the base path of the project and export again',
    { release: sha256, named: named || '/', served: basePath || '/' },
  );
}

async function loadBefore(
  before: Release | null,
  release: Release,
  options: SiteOptions,
): Promise<LoadedSite | null> {
  if (before === null || before.sha256 === release.sha256) return null;
  return loadSite(before, options);
}

function sendUnready(response: ServerResponse, extra: readonly string[]): void {
  const body = 'No release is served yet.\n';
  response.writeHead(503, [
    'Content-Type',
    'text/plain; charset=utf-8',
    'Cache-Control',
    'no-store',
    'Retry-After',
    '5',
    'Content-Length',
    String(body.length),
    ...extra,
  ]);
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** The file could not be read. If the response has started, the connection is closed. */
function sendFault(site: LoadedSite, response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = 'Cannot read the file.\n';
  response.writeHead(500, {
    ...site.headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Length': body.length,
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
