import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '../log.ts';
import { limitConnections } from '../serving/connection-limit.ts';
import { answerOf, CallError } from './calls.ts';

export interface ManagementServer {
  port: number;
  stop(): Promise<void>;
}

export interface CallAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export type Call = (request: IncomingMessage) => CallAnswer | Promise<CallAnswer>;

/** By path and method; HEAD is GET. */
export type Calls = Readonly<Record<string, Readonly<Record<string, Call>>>>;

export interface CallServerOptions {
  /** IP address to listen on: one that readers cannot reach. */
  host: string;
  /** 0 picks a free port. */
  port: number;
  calls: Calls;
  log: Log;
}

/**
 * Probes come from one machine, management requests from a few. Beyond this limit, idle connections are
 * closed.
 */
const maxConnections = 256;

/** Starts a server of management requests. */
export async function startCalls(
  { host, port, calls, log }: CallServerOptions,
  onStop: () => void,
): Promise<ManagementServer> {
  const handle = async (request: IncomingMessage): Promise<CallAnswer> => {
    const path = (request.url ?? '').replace(/\?.*$/s, '');
    const methods = Object.hasOwn(calls, path) ? calls[path] : undefined;
    if (methods === undefined) throw new CallError(404, 'not_found', 'Unknown endpoint.');
    const { method = '' } = request;
    const call = methods[method === 'HEAD' ? 'GET' : method];
    if (call !== undefined && method !== '') return call(request);
    const allowed = Object.keys(methods).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
    const message = `${path} supports only ${allowed.join(', ')}.`;
    return {
      ...failure(new CallError(405, 'method_refused', message)),
      headers: { Allow: allowed.join(', ') },
    };
  };

  // only a change takes long: a client that does not read its response also counts as idle, because of
  // several pipelined requests the first may end last
  const busy = new Map<Socket, number>();
  const server = createServer(limits, (request, response) => {
    const { socket } = request;
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    handle(request)
      .catch((error: unknown) => {
        const answer = failure(error);
        if (answer.status === 500) log.error(`${request.method} ${request.url}: ${(error as Error).message}`);
        return answer;
      })
      .then((answer) => send(request, response, answer))
      .finally(() => {
        const left = (busy.get(socket) ?? 1) - 1;
        if (left > 0) busy.set(socket, left);
        else busy.delete(socket);
        touch(socket);
      });
  });
  const touch = limitConnections(server, maxConnections, (socket) => busy.has(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        onStop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

function failure(error: unknown): CallAnswer {
  const answer = answerOf(error);
  return answer.status === 401 ? { ...answer, headers: { 'WWW-Authenticate': 'Bearer' } } : answer;
}

function send(request: IncomingMessage, response: ServerResponse, answer: CallAnswer): void {
  const body = typeof answer.body === 'string' ? answer.body : `${JSON.stringify(answer.body)}\n`;
  // an unread body must not be parsed as the next request; data after an upgrade request is discarded
  if (!request.complete || request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
  response.writeHead(answer.status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...answer.headers,
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
