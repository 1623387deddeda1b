import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { memoryBytes } from '../releases/limits.ts';
import { createAccessLog } from './access-log.ts';
import { connectionsFor, limitConnections } from './connection-limit.ts';
import { type StopOptions, watchConnections } from './connections.ts';
import { streamBytes } from './content.ts';
import type { Exchange } from './handler.ts';
import { type Answer, createTraffic, type Traffic } from './traffic.ts';

export interface ListenerOptions {
  /** IP address to listen on. */
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Maximum number of connections. Default: what the memory of the process allows. */
  maxConnections?: number;
  /** Receives lines of JSON, one per request. Default: no access log. */
  accessLog?: (lines: string) => void;
  /** Host of a request for the access log. Default: hosts are not logged. */
  hostOf?: (request: IncomingMessage) => string;
}

/** A port on which readers are served. */
export interface Listener {
  port: number;
  traffic: Traffic;
  /** Requests in progress. */
  inFlight(): number;
  connections(): number;
  isStopping(): boolean;
  /** Serves a connection that another server has accepted, such as one with TLS. */
  accept(socket: Socket): void;
  /** Finishes open requests, at the latest after the time limit, and stops. */
  stop(options?: StopOptions): Promise<void>;
}

/**
 * Responds to a request, and returns the function to call when the response has ended, with its size.
 */
export type Respond = (
  exchange: Exchange,
) => (ended: { status: number; bytes: number; answer: Answer }) => void;

/** Starts to listen. `respond` handles the requests of a connection one at a time. */
export async function startListener(options: ListenerOptions, respond: Respond): Promise<Listener> {
  const traffic = createTraffic();
  const accessLog = options.accessLog === undefined ? null : createAccessLog(options.accessLog);
  let inFlight = 0;

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const inTurn = () => {
      // a previous response was the last one of the connection
      if (response.socket !== null) begin(request, response);
    };
    if (!connections.begin(request.socket, inTurn, request.rawHeaders)) traffic.countBroken(429);
  };
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const begun = performance.now();
    const { socket } = request;
    let answer: Answer = { kind: 'fault', coding: 'identity', release: null };
    let end: ReturnType<Respond> = () => {};
    inFlight += 1;
    response.once('close', () => {
      const bytes = connections.end(socket);
      touch(socket);
      inFlight -= 1;
      const seconds = (performance.now() - begun) / 1000;
      const { statusCode: status } = response;
      traffic.count(answer, status, bytes, seconds);
      end({ status, bytes, answer });
      if (accessLog !== null) {
        const host = options.hostOf?.(request);
        const { method = '', url: target = '' } = request;
        const access = { method, target, status, answer, bytes, seconds };
        accessLog.write(host === undefined ? access : { host, ...access });
      }
    });
    const extra = connections.isStopping() || isLast(request) ? endOfConnection : noHeaders;
    const note = (told: Answer) => {
      answer = told;
    };
    end = respond({ request, response, extra, note });
  };

  const server = createServer(serverLimits, listener);
  const connections = watchConnections(server);
  const touch = limitConnections(
    server,
    options.maxConnections ?? connectionsFor(memoryBytes()),
    connections.isBusy,
    () => traffic.countDropped(),
    connections.pace,
  );
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
  const port = await listen(server, options.port, options.host);
  return {
    port,
    traffic,
    inFlight: () => inFlight,
    connections: () => connections.count(),
    isStopping: () => connections.isStopping(),
    accept: (socket) => void server.emit('connection', socket),
    async stop(stopOptions) {
      await connections.stop(stopOptions);
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

/** The host of a URL for an IP address on which a server listens. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns the port. */
function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
