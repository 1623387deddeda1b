import type { Readable } from 'node:stream';
import { type FaultPlace, faultOf, type Route, type Scope } from '@offprint/contract';
import type { z } from 'zod';
import { AppError } from './error.ts';

/** Whom a request speaks for. */
export interface Principal {
  keyId: string;
  organizationId: string;
  scopes: readonly Scope[];
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Body<R extends Route> = R extends { bodyOptional: true }
  ? Parsed<R['body']> | undefined
  : Parsed<R['body']>;

/** A request as a handler sees it: authenticated, checked against the contract. */
export interface RouteRequest<R extends Route = Route> {
  params: Parsed<R['params']>;
  query: Parsed<R['query']>;
  body: Body<R>;
  /** The body of a route with `bytes`, as it arrives. */
  bytes: Readable;
  principal: R['scope'] extends null ? undefined : Principal;
  /** `METHOD /path` without the query. */
  target: string;
  header(name: string): string | undefined;
  /** Aborts when the client goes away or the server closes. */
  signal: AbortSignal;
}

/** One server-sent event; `data` is sent as JSON. */
export interface ServerEvent {
  /** One line; what a client sends as `Last-Event-ID` to go on after this event. */
  id?: string;
  event: string;
  data: unknown;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** Checked against the schema of the contract before it is sent. */
  body?: unknown;
  /** Instead of a body: server-sent events until the iteration ends. */
  events?: AsyncIterable<ServerEvent>;
  /** Sent as ETag; a client that has it is answered 304. */
  etag?: string;
}

/** A call of the contract with the function that answers it. */
export interface HandledRoute {
  route: Route;
  handler(request: RouteRequest): Promise<Answer>;
}

/** Ties a handler to its call of the contract, which gives the handler its types. */
export function handle<R extends Route>(
  route: R,
  handler: (request: RouteRequest<R>) => Promise<Answer>,
): HandledRoute {
  return { route, handler: handler as unknown as HandledRoute['handler'] };
}

/** Checks the parts of a request against the contract; throws the 400 that names the first fault. */
export function parseRequest(
  route: Route,
  raw: { params: unknown; query: unknown; body: unknown },
): { params: unknown; query: unknown; body: unknown } {
  return {
    params: route.params === undefined ? undefined : parsePart(route.params, raw.params, 'params'),
    query: parseQuery(route, raw.query),
    body: parseBody(route, raw.body),
  };
}

function parseQuery(route: Route, query: unknown): unknown {
  if (route.query !== undefined) return parsePart(route.query, query, 'query');
  const name = Object.keys(query ?? {})[0];
  if (name === undefined) return undefined;
  throw new AppError('invalid_request', `${name} is not a known parameter.`, { param: name });
}

function parseBody(route: Route, body: unknown): unknown {
  if (route.body === undefined) {
    const isEmpty = body === undefined || (isObject(body) && Object.keys(body).length === 0);
    if (isEmpty || route.bytes !== undefined) return undefined;
    const name = isObject(body) ? `/${Object.keys(body)[0]}` : '';
    throw new AppError('invalid_request', 'This call takes no body.', { param: name });
  }
  if (body === undefined) {
    if (route.bodyOptional === true) return undefined;
    throw new AppError(
      'invalid_request',
      'The body is missing: send JSON with Content-Type: application/json.',
      {
        param: '',
      },
    );
  }
  return parsePart(route.body, body, 'body');
}

function parsePart(schema: z.ZodType, value: unknown, place: FaultPlace): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fault = faultOf(result.error.issues, place);
  throw new AppError('invalid_request', fault.message, { param: fault.param });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Checks an answer against the contract: what is not documented is not sent. Throws for an answer that does
 * not fit, which is a fault of ours.
 */
export function presentBody(route: Route, answer: Answer): unknown {
  const documented = route.responses[answer.status];
  if (documented === undefined)
    throw new Error(`${route.operationId} does not document status ${answer.status}`);
  if (documented.schema === undefined) return answer.body;
  const result = documented.schema.safeParse(answer.body);
  if (result.success) return result.data;
  throw new Error(`${route.operationId} answered what the contract does not allow: ${result.error.message}`);
}
