import type { Readable } from 'node:stream';
import {
  type AuditChange,
  type FaultPlace,
  faultOf,
  type Role,
  type Route,
  type Scope,
} from '@offprint/contract';
import type { z } from 'zod';
import { AppError } from './error.ts';

/** Whom a request of an organization speaks for. */
export type Principal = KeyPrincipal | MemberPrincipal;

interface Actor {
  /** Id of the key or the user. */
  id: string;
  /** As people know it: the name of the key, the address of the user. */
  name: string;
  organizationId: string;
  /** Ids of the projects to which the caller is limited; null: all of the organization. */
  projects: readonly string[] | null;
}

/** What a caller may reach: the organization, or some of its projects. */
export type Reach = Pick<Actor, 'organizationId' | 'projects'>;

/** An admin key. */
export interface KeyPrincipal extends Actor {
  kind: 'key';
  scopes: readonly Scope[];
  /** Empty: any IP address. */
  allowedCidrs: readonly string[];
  /** Null: never. */
  expiresAt: Date | null;
}

/** A member who is signed in to the dashboard. */
export interface MemberPrincipal extends Actor {
  kind: 'member';
  role: Role;
}

/** A person who is signed in, whatever the organization. */
export interface UserPrincipal {
  id: string;
  email: string;
  name: string;
  isOperator: boolean;
  sessionId: string;
}

/** What a request brings to say whom it speaks for. */
export interface Credentials {
  authorization: string | undefined;
  /** Token of the session cookie. */
  session: string | undefined;
  /** Header that names the organization for a session. */
  organization: string | undefined;
  /** Network address of the client. */
  address: string;
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
  /** The signed-in caller, for routes that require one. */
  user: R extends { access: 'user' | 'operator' } ? UserPrincipal : undefined;
  /** Network address of the client. */
  address: string;
  /** The token of the session cookie that came. */
  session: string | undefined;
  /**
   * What an `Idempotency-Key` belongs to: `METHOD /path` without the query, and the key if it is limited to projects,
   * which must not get the responses of others.
   */
  target: string;
  header(name: string): string | undefined;
  /** Aborts when the client goes away or the server closes. */
  signal: AbortSignal;
}

/** The target of an act as people know it. */
export interface TargetFacts {
  /** Its name; null if it has none, or is not of the organization. */
  name: string | null;
  /** The project that it belongs to; null if none. */
  projectId: string | null;
}

/** One thing that somebody did or tried to do, for the audit log. */
export interface Act {
  /** Null: outside any organization. */
  organizationId: string | null;
  actor: { kind: 'member' | 'key' | 'user' | 'operator' | 'stranger'; id: string | null; name: string };
  /** Operation id of the call. */
  action: string;
  /** Id of what it was done to. */
  target: string | null;
  /** What is known of the target; undefined: the audit log looks it up. */
  described?: TargetFacts | undefined;
  /** Fields that changed. */
  changes?: readonly AuditChange[] | undefined;
  outcome: 'done' | 'refused' | 'failed';
  /** Error code of a refusal or a fault. */
  code: string | null;
  address: string;
  requestId: string;
}

/** One server-sent event; `data` is sent as JSON. */
export interface ServerEvent {
  /** One line; clients send it as `Last-Event-ID` to resume after this event. */
  id?: string;
  event: string;
  data: unknown;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** Sets the session cookie to this token, or removes it (null). */
  session?: { token: string; expiresAt: Date } | null;
  /** What the audit log records of the request beyond its own data. */
  act?: {
    organizationId?: string;
    actor?: Act['actor'];
    target?: string;
    /** Fields that changed. */
    changes?: readonly AuditChange[];
    /** The response is a refusal, though its status does not show it: the reason. */
    refused?: string;
  };
  /** Checked against the schema of the contract before it is sent. */
  body?: unknown;
  /** Instead of a body: server-sent events until the iteration ends. */
  events?: AsyncIterable<ServerEvent>;
  /** Instead of a body: a file, sent as it comes. */
  file?: { stream: Readable; contentType: string; name: string };
  /** Instead of a body: bytes of the content type in `headers`, sent as they come. */
  stream?: Readable;
  /** Sent as ETag; a client that has it receives a 304. */
  etag?: string;
}

/** An endpoint of the contract with its handler. */
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
  throw new AppError('invalid_request', `Unknown parameter ${name}.`, { param: name });
}

function parseBody(route: Route, body: unknown): unknown {
  if (route.body === undefined) {
    const isEmpty = body === undefined || (isObject(body) && Object.keys(body).length === 0);
    if (isEmpty || route.bytes !== undefined) return undefined;
    const name = isObject(body) ? `/${Object.keys(body)[0]}` : '';
    throw new AppError('invalid_request', 'This endpoint does not accept a body.', { param: name });
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
  const fault = faultOf(result.error.issues, place, value, schema);
  throw new AppError('invalid_request', fault.message, { param: fault.param });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Checks a response against the contract: undocumented fields are not sent. Throws for a response that does
 * not match, which is an internal error.
 */
export function presentBody(route: Route, answer: Answer): unknown {
  const documented = route.responses[answer.status];
  if (documented === undefined)
    throw new Error(`${route.operationId} does not document status ${answer.status}`);
  if (documented.schema === undefined) return answer.body;
  const result = documented.schema.safeParse(answer.body);
  if (result.success) return result.data;
  throw new Error(
    `${route.operationId} returned a response that violates the contract: ${result.error.message}`,
  );
}
