import type { Socket } from 'node:net';
import { keyPattern, type Route } from '@offprint/contract';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { OpenSpan } from '../tracing.ts';
import { type ActContext, actOf, actOfError, actStart, isRecorded } from './act.ts';
import { JSON_BODY_LIMIT, registerBodyParsers } from './body.ts';
import {
  type ConnectionLimits,
  type Connections,
  type ConnectionTimes,
  endWith,
  watchConnections,
} from './connections.ts';
import { limitDuration, RESPONSE_SECONDS } from './deadline.ts';
import { createDrain, type Drain } from './drain.ts';
import { AppError, answerError, notFound } from './error.ts';
import { matchesEtag } from './etag.ts';
import { endWhenRefused, eventStream } from './event-stream.ts';
import { requireOperator, requireProject, requireRight } from './permission.ts';
import { callerOf, RATE_WINDOW_SECONDS, type RateStanding } from './rate-limit.ts';
import { spanOf } from './request-span.ts';
import {
  type Act,
  type Answer,
  type Credentials,
  type HandledRoute,
  type Principal,
  parseRequest,
  presentBody,
  type TargetFacts,
  type UserPrincipal,
} from './route.ts';
import { createSessionCookie, requireSameSite, type SessionCookie } from './session-cookie.ts';
import { createSharedRateLimiter, type RateStore, type SharedRateLimiter } from './shared-rate-limit.ts';
import { continueTrace, type TraceContext } from './trace-context.ts';

export interface ServerOptions {
  routes: readonly HandledRoute[];
  /** Whom a key or a session speaks for in an organization; throws the 401 or 403. */
  authenticate(credentials: Credentials): Promise<Principal>;
  /** The signed-in caller; throws the 401. */
  identify(credentials: Credentials): Promise<UserPrincipal>;
  /** Writes the audit event before the response is sent. */
  record(act: Act): Promise<void>;
  /** What is known of the target of a request, before the request removes it. */
  describeTarget(act: Pick<Act, 'organizationId' | 'target'>): Promise<TargetFacts>;
  /** Origin of the dashboard where it is configured, such as `https://offprint.example.com`. */
  origin: string | undefined;
  /** Addresses or networks of proxies whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[];
  /** Requests per minute of one key, and of one address without a valid key or route. */
  rateLimit: number;
  anonymousRateLimit: number;
  /** Counts them for all processes; null: this one counts alone. */
  rates: RateStore | null;
  connections: Omit<ConnectionLimits, 'trustedProxies'>;
  /** Default: those of the product. */
  connectionTimes?: ConnectionTimes;
  /** Sends Strict-Transport-Security. */
  https: boolean;
  log: Logger;
  metrics: Metrics;
}

/** The anonymous limit, for routes outside the contract that serve strangers. */
export type LimitAnonymous = (request: FastifyRequest) => Promise<void>;

export interface Server {
  app: FastifyInstance;
  limitAnonymous: LimitAnonymous;
  drain: Drain;
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
    user: UserPrincipal | undefined;
    /** The limit that was checked for the request. */
    rate: RateOfRequest | undefined;
    trace: TraceContext | undefined;
    span: OpenSpan | undefined;
  }
  interface FastifyContextConfig {
    /** The handler gets the body as bytes, JSON too. */
    takesBytes?: boolean;
  }
}

interface RateOfRequest extends RateStanding {
  /** What is limited. */
  policy: RatePolicy;
}

type RatePolicy = 'key' | 'user' | 'address';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Time for a head to arrive, from the first byte of its connection or after the previous request. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Time for a whole upload to arrive. Other bodies have less: CONNECTION_TIMES. */
const REQUEST_TIMEOUT_MS = 300_000;
const TIMEOUT_CHECK_MS = 2_000;
/** Above the minute after which load balancers close an unused connection, so that they close it first. */
const KEEP_ALIVE_MS = 72_000;

const MAX_HEADERS = 100;
const MAX_HEADER_BYTES = 16 * 1024;

const CLOSE_IDLE_MS = 50;

/** Longest `wait` of the contract. */
const MAX_WAIT_SECONDS = 60;

/** The HTTP server with every call of `routes`; the caller adds what is outside the contract, then listens. */
export function createServer(options: ServerOptions): Server {
  const app: FastifyInstance = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    requestIdHeader: false,
    genReqId: (request) => acceptId(request.headers['x-request-id']),
    bodyLimit: JSON_BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node would refuse by itself, in a shape that is not ours; nothing here depends on the header.
    http: {
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: {
      // Handlers check parameters; a longer one than Node's limit of headers cannot arrive.
      maxParamLength: 16_384,
      ignoreTrailingSlash: false,
      caseSensitive: true,
    },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply, options.log),
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
        options.metrics.closedConnections.inc({ reason: connections.timeoutReason(socket) });
      answerBrokenRequest(error, socket, connections);
    },
  });
  // Node ignores further headers; one more shows that there are some.
  app.server.maxHeadersCount = MAX_HEADERS + 1;
  const connections = watchConnections(
    app.server,
    { ...options.connections, trustedProxies: options.trustedProxies },
    (socket) => answerBrokenRequest({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket, connections),
    (reason) => options.metrics.closedConnections.inc({ reason }),
    options.connectionTimes,
  );
  options.metrics.countConnections(connections.count);
  app.addHook('onClose', async () => connections.stop());
  // An expectation that is not known may be left aside (RFC 9110, section 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const { rates: store } = options;
  const perKey = createSharedRateLimiter({ name: 'key', perMinute: options.rateLimit, store });
  const perAddress = createSharedRateLimiter({
    name: 'address',
    perMinute: options.anonymousRateLimit,
    store,
  });
  const limitAnonymous: LimitAnonymous = (request) =>
    limit(request, perAddress, callerOf(request.ip), 'address');

  app.decorateRequest('principal', undefined);
  app.decorateRequest('user', undefined);
  app.decorateRequest('rate', undefined);
  app.decorateRequest('trace', undefined);
  app.decorateRequest('span', undefined);
  const cookie = createSessionCookie(options.https);
  registerBodyParsers(
    app,
    options.routes.flatMap(({ route }) => route.bytes ?? []),
  );
  addHeaders(app, options.https);
  const drain = createDrain(app);
  limitDuration(app);
  limitRequests(app, connections);
  observe(app, options);
  const openRequests = trackOpenRequests(app);

  for (const { route, handler } of options.routes) {
    app.route({
      method: route.method,
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      exposeHeadRoute: route.method === 'GET',
      config: { takesBytes: route.bytes !== undefined, responseMs: responseSeconds(route) * 1_000 },
      onRequest: async (request) => {
        if (route.scope !== null) {
          request.principal = await identify(request, options.authenticate);
          const { kind, id } = request.principal;
          await limit(request, perKey, id, kind === 'key' ? 'key' : 'user');
          await recorded(request, () => requirePermission(request.principal!, request.params));
        } else if (route.access !== undefined) {
          request.user = await identify(request, options.identify);
          await limit(request, perKey, request.user.id, 'user');
          await recorded(request, () => requireOperator(request.user!, route));
        } else if (route.method !== 'GET') {
          await limitAnonymous(request);
          refuseForeignPages(request);
        }
        if (isUpload(route)) connections.allowUpload(request.raw);
      },
      preParsing: async (request) => requireMediaType(route, request),
      handler: async (request, reply) => {
        const parts = parseRequest(route, {
          params: request.params,
          query: request.query,
          body: request.body,
        });
        const signal = openRequests.signalOf(reply);
        const described =
          route.method === 'DELETE' && isRecorded(route)
            ? await options.describeTarget(actStart(contextOf(request)))
            : undefined;
        const run: <Value>(step: () => Value) => Value = request.span?.run ?? ((step) => step());
        const answer = await recorded(request, () =>
          run(() =>
            handler({
              ...parts,
              bytes: request.body,
              principal: request.principal,
              user: request.user,
              address: request.ip,
              session: cookie.read(request),
              target: targetOf(request),
              header: (name: string) => headerOf(request, name),
              signal,
            } as never),
          ),
        );
        // A read that reports an audit event is recorded too: single sign-on ends with a GET.
        if (isRecorded(route) || answer.act !== undefined) {
          await record({ ...actOf(contextOf(request), answer), described });
        }
        if (answer.events !== undefined && request.principal !== undefined) {
          endWhenRefused(reply.raw, () => options.authenticate(credentialsOf(request)));
        }
        // Past its deadline, the request has its response.
        return reply.sent ? reply : send(route, request, reply, answer, signal, cookie);
      },
    });

    async function requirePermission(principal: Principal, params: unknown): Promise<void> {
      requireRight(principal, route);
      await requireProject(principal, route, params, options.describeTarget);
    }

    /** Runs a step of the call; what it throws is written down. */
    async function recorded<Value>(
      request: FastifyRequest,
      run: () => Value | Promise<Value>,
    ): Promise<Value> {
      try {
        return await run();
      } catch (error) {
        const act = isRecorded(route) ? actOfError(contextOf(request), error) : undefined;
        if (act !== undefined) await record(act);
        throw error;
      }
    }

    function contextOf(request: FastifyRequest): ActContext {
      const { principal, user, params, body, ip: address, id: requestId } = request;
      return { route, principal, user, params, body, address, requestId };
    }
  }

  /** The operation is done already: if its event cannot be written, the error is logged and not returned. */
  async function record(act: Act): Promise<void> {
    await options.record(act).catch((error: unknown) => {
      options.log.error({ err: error, act }, 'could not write an audit event');
    });
  }

  function credentialsOf(request: FastifyRequest): Credentials {
    return {
      authorization: request.headers.authorization,
      session: cookie.read(request),
      organization: headerOf(request, 'Offprint-Organization'),
      address: request.ip,
    };
  }

  async function identify<Who>(
    request: FastifyRequest,
    authenticate: (credentials: Credentials) => Promise<Who>,
  ): Promise<Who> {
    try {
      const who = await authenticate(credentialsOf(request));
      // A key is never sent by a browser on its own, a cookie is.
      if (request.headers.authorization === undefined) requireSameSite(request, options.origin);
      return who;
    } catch (error) {
      if (error instanceof AppError && error.status === 401) await limitAnonymous(request);
      throw error;
    }
  }

  /** A public call with a body from a page of another site would sign its visitor in as somebody else. */
  function refuseForeignPages(request: FastifyRequest): void {
    if (request.headers.origin === undefined && request.headers['sec-fetch-site'] === undefined) return;
    requireSameSite(request, options.origin);
  }

  const paths = options.routes.map(({ route }) => ({
    methods: route.method === 'GET' ? ['GET', 'HEAD'] : [route.method as string],
    pattern: new RegExp(`^${route.path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  app.setNotFoundHandler(async (request) => {
    await limitAnonymous(request);
    const path = pathOf(request.url);
    const allowed = [
      ...new Set(paths.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
    ];
    if (allowed.length === 0) throw notFound('route');
    throw new AppError('method_not_allowed', `This URL supports only ${allowed.join(', ')}.`, {
      headers: { Allow: allowed.join(', ') },
    });
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, options.log));
  return { app, limitAnonymous, drain };
}

function targetOf(request: FastifyRequest): string {
  const { principal } = request;
  const name = `${request.method} ${pathOf(request.url)}`;
  return principal === undefined || principal.projects === null ? name : `${name} ${principal.id}`;
}

/** The path of a request target, without the query. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function acceptId(header: string | string[] | undefined): string {
  // A key pasted into the wrong header must not be echoed or logged.
  const isUsable = typeof header === 'string' && REQUEST_ID.test(header) && !keyPattern.test(header);
  return isUsable ? header : newId('req');
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Counts the request, and refuses it above the limit. */
async function limit(
  request: FastifyRequest,
  limiter: SharedRateLimiter,
  caller: string,
  policy: RatePolicy,
): Promise<void> {
  const waitSeconds = await limiter.take(caller);
  request.rate = { policy, ...limiter.standing(caller) };
  if (waitSeconds === 0) return;
  throw new AppError(
    'rate_limited',
    `Too many requests from this ${policy}. Try again in ${waitSeconds} s.`,
    {
      headers: { 'Retry-After': String(waitSeconds) },
    },
  );
}

/** A body of a type that the call does not take is refused before a byte of it is read. */
function requireMediaType(route: Route, request: FastifyRequest): void {
  const length = request.headers['content-length'];
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (!hasBody && route.bytes === undefined) return;
  const encoding = request.headers['content-encoding']?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    throw new AppError(
      'unsupported_media_type',
      'Content-Encoding is not supported. Send the body without compression.',
      // RFC 9110, section 12.5.3: what a repeated request may use.
      { param: 'Content-Encoding', headers: { 'Accept-Encoding': 'identity' } },
    );
  }
  const taken = route.bytes ?? ['application/json'];
  if (type !== undefined && (taken.includes(type) || (route.bytes === undefined && type.endsWith('+json'))))
    return;
  throw new AppError('unsupported_media_type', `Content-Type must be ${taken.join(' or ')}.`, {
    param: 'Content-Type',
  });
}

function send(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  signal: AbortSignal,
  cookie: SessionCookie,
): FastifyReply {
  reply.code(answer.status).headers(answer.headers ?? {});
  if (answer.session !== undefined) reply.header('Set-Cookie', cookie.write(answer.session));
  if (answer.file !== undefined) {
    const { stream, contentType, name } = answer.file;
    reply.header('Content-Disposition', `attachment; filename="${name}"`).type(contentType);
    return request.method === 'HEAD' ? reply.send() : reply.send(stream);
  }
  if (answer.events !== undefined) {
    reply.headers({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
    if (request.method === 'HEAD') return reply.send();
    return reply.send(eventStream(answer.events, signal));
  }
  if (answer.stream !== undefined) return reply.send(answer.stream);
  const body = presentBody(route, answer);
  if (body === undefined) return reply.send();
  if (answer.etag !== undefined) {
    reply.headers({ ETag: answer.etag, 'Cache-Control': 'private, no-cache' });
    if (matchesEtag(headerOf(request, 'If-None-Match'), answer.etag)) return reply.code(304).send();
  }
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): void {
  const answer = answerError(error, request.id);
  if (request.raw.socket.destroyed) log.info({ requestId: request.id }, 'the client disconnected');
  else if (answer.status >= 500) log.error({ err: error, requestId: request.id }, 'request failed');
  reply
    .code(answer.status)
    .headers({ 'X-Request-Id': request.id, ...answer.headers })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(answer.body));
}

/**
 * Anything that is not HTTP, or has too large headers, gets a response of the same shape before the
 * connection closes.
 */
function answerBrokenRequest(error: { code?: string }, socket: Socket, connections: Connections): void {
  // A connection that was opened ahead and never used sent no bad request.
  const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || isUnused || !socket.writable || !connections.canRespond(socket)) {
    socket.destroy();
    return;
  }
  const [status, sentence] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', HEADERS_TOO_LARGE]
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request did not arrive in time.']
        : ['400 Bad Request', 'This is not a valid HTTP request.'];
  const requestId = newId('req');
  const body = JSON.stringify({ error: sentence, code: 'invalid_request', requestId });
  endWith(
    socket,
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${requestId}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const HEADERS_TOO_LARGE = `The headers are larger than ${MAX_HEADER_BYTES / 1024} kB or more than ${MAX_HEADERS}.`;

/** Refuses requests with too many headers, and more requests at a time than one client behind a proxy may have. */
function limitRequests(app: FastifyInstance, connections: Connections): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.raw.rawHeaders.length > 2 * MAX_HEADERS) {
      const body = { error: HEADERS_TOO_LARGE, code: 'invalid_request', requestId: request.id };
      return reply.code(431).header('Connection', 'close').send(body);
    }
    if (connections.admit(request.raw, reply.raw, request.ip)) return;
    throw new AppError(
      'rate_limited',
      'Too many requests of this address are in progress. Try again in 5 s.',
      {
        headers: { 'Retry-After': '5' },
      },
    );
  });
}

/** Uploads have the time that they may take to arrive, long polls that which clients may wait. */
function responseSeconds(route: Route): number {
  if (isUpload(route)) return 2 * (REQUEST_TIMEOUT_MS / 1_000);
  const waits = route.query !== undefined && 'wait' in route.query.shape;
  return (route.maxSeconds ?? RESPONSE_SECONDS) + (waits ? MAX_WAIT_SECONDS : 0);
}

/** Whether the body of the endpoint is a file. A body of JSON is small. */
function isUpload(route: Route): boolean {
  return route.bytes !== undefined && !route.bytes.includes('application/json');
}

function addHeaders(app: FastifyInstance, https: boolean): void {
  const fixed: Record<string, string> = {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    ...(https ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
  app.addHook('onRequest', async (request, reply) => {
    request.span = spanOf(request);
    request.trace = request.span ?? continueTrace(request.headers.traceparent);
    reply.headers({ ...fixed, 'X-Request-Id': request.id });
    if (request.trace !== undefined) reply.header('traceparent', request.trace.traceParent);
  });
  app.addHook('onSend', async ({ rate }, reply) => {
    if (rate === undefined) return;
    const { policy, limit, remaining, resetSeconds } = rate;
    reply.headers({
      'RateLimit-Policy': `"${policy}";q=${limit};w=${RATE_WINDOW_SECONDS}`,
      RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
    });
  });
}

function observe(app: FastifyInstance, options: ServerOptions): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    const seconds = reply.elapsedTime / 1000;
    options.metrics.requests.observe(
      { method: request.method, route, status: String(reply.statusCode) },
      seconds,
    );
    request.span?.end({
      attributes: { 'http.response.status_code': reply.statusCode },
      error: reply.statusCode >= 500 ? String(reply.statusCode) : undefined,
    });
    options.log.info(
      {
        requestId: request.id,
        traceId: request.trace?.traceId,
        method: request.method,
        // Without the query: the one of a signed link is a secret.
        path: pathOf(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        address: request.ip,
        organizationId: request.principal?.organizationId,
        actor: request.principal?.id ?? request.user?.id,
      },
      'request',
    );
  });
}

/** One for all: to make an error for each request that ends, stack and all, would cost more than to route it. */
const GONE = new DOMException('The request has ended.', 'AbortError');

/** Signals of requests in progress, so that waiting ones end when the client leaves or the server closes. */
function trackOpenRequests(app: FastifyInstance): { signalOf(reply: FastifyReply): AbortSignal } {
  const open = new Set<AbortController>();
  let closing = false;
  let idle: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    closing = true;
    for (const controller of open) controller.abort();
    // A connection whose last response ends from now on would be kept alive and keep the server from closing.
    idle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_MS);
  });
  app.addHook('onClose', async () => clearInterval(idle));
  return {
    signalOf(reply) {
      const controller = new AbortController();
      open.add(controller);
      reply.raw.once('close', () => {
        open.delete(controller);
        controller.abort(GONE);
      });
      if (closing) controller.abort();
      return controller.signal;
    },
  };
}
