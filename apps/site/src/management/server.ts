import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Deployment, DeploymentStatus } from '../deployment/status.ts';
import type { Log } from '../log.ts';
import { limitConnections } from '../serving/connection-limit.ts';
import type { SiteServer } from '../serving/server.ts';
import { answerOf, CallError, createTokenCheck, isBearer, readWanted } from './calls.ts';
import { formatMetrics, type ProcessFigures } from './metrics.ts';

export interface ManagementOptions {
  /** IP address to listen on: one that readers cannot reach. */
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Returns the token for requests that change what is served; null: they return 403. */
  token: (() => string) | null;
  deployment: Deployment;
  site: Pick<SiteServer, 'state' | 'traffic'>;
  log: Log;
}

export interface ManagementServer {
  port: number;
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

type Call = (request: IncomingMessage) => Answer | Promise<Answer>;

/**
 * Probes come from one machine, management requests from a few. Beyond this limit, idle connections are
 * closed.
 */
const maxConnections = 256;
/** Sampling interval of the event loop delay. */
const delayMilliseconds = 20;
const textType = 'text/plain; version=0.0.4; charset=utf-8';

/** Starts the server for health, metrics, and the requests that report and change what is served. */
export async function startManagement(options: ManagementOptions): Promise<ManagementServer> {
  const { deployment, site, log } = options;
  const requireToken = createTokenCheck(options.token);
  const delay = monitorEventLoopDelay({ resolution: delayMilliseconds });
  delay.enable();

  const changing =
    (change: (request: IncomingMessage) => Promise<unknown>): Call =>
    async (request) => {
      requireToken(request);
      return { status: 200, body: await change(request) };
    };
  const calls: Readonly<Record<string, Readonly<Record<string, Call>>>> = {
    '/healthz': { GET: () => ({ status: 200, body: { status: 'ok' } }) },
    '/readyz': { GET: () => readiness(deployment.status(), site.state().isStopping) },
    '/metrics': {
      GET: () => ({
        status: 200,
        headers: { 'Content-Type': textType },
        body: formatMetrics({
          status: deployment.status(),
          state: site.state(),
          traffic: site.traffic.snapshot(),
          process: processFigures(delay),
        }),
      }),
    },
    '/release': {
      GET: (request) => {
        // a caller who sends a token needs to know whether it is valid before there is something to change
        if (isBearer(request)) requireToken(request);
        return { status: 200, body: deployment.status() };
      },
      POST: changing(async (request) => deployment.update((await readWanted(request)) ?? undefined)),
    },
    '/rollback': {
      POST: changing(async (request) => {
        if ((await readWanted(request)) !== null)
          throw new CallError(400, 'invalid_request', 'A rollback takes no parameters. Send no body, or {}.');
        return deployment.rollback();
      }),
    },
  };

  const handle = async (request: IncomingMessage): Promise<Answer> => {
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
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        delay.disable();
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

/**
 * Ready means that a complete release is served, even if it is not the wanted one; the body reports the
 * error.
 */
function readiness({ release, step, fault }: DeploymentStatus, isStopping: boolean): Answer {
  if (release !== null && !isStopping) {
    const { sha256, version } = release;
    return { status: 200, body: { ready: true, release: { sha256, version }, fault } };
  }
  const doing =
    step === null
      ? ''
      : ` (${step.name}${step.total === null ? '' : `, ${step.bytes} of ${step.total} bytes`})`;
  const reason = isStopping
    ? 'The server is stopping.'
    : (fault?.message ?? `No release is served yet${doing}.`);
  return { status: 503, body: { ready: false, reason, fault, step } };
}

function failure(error: unknown): Answer {
  const answer = answerOf(error);
  return answer.status === 401 ? { ...answer, headers: { 'WWW-Authenticate': 'Bearer' } } : answer;
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
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

function processFigures(delay: ReturnType<typeof monitorEventLoopDelay>): ProcessFigures {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - delayMilliseconds / 1e3) || 0;
  const figures = {
    started: Math.round(Date.now() / 1000 - process.uptime()),
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    heapBytes: heapUsed,
    delay: { p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) },
  };
  delay.reset();
  return figures;
}
