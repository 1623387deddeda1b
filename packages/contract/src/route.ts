import type { z } from 'zod';
import type { ErrorCode } from './error.ts';
import { errorBody, errorCodes } from './error.ts';
import type { Plan } from './plan.ts';
import type { Role } from './role.ts';
import type { Scope } from './scope.ts';
import type { Tag } from './tags.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Response headers in the documentation of responses; `openapi.ts` describes each. */
export type ResponseHeader = 'Location' | 'Retry-After' | 'ETag' | 'WWW-Authenticate' | 'Idempotent-Replay';

/** One documented response. Without a schema: no body. */
export interface RouteResponse {
  description: string;
  schema?: z.ZodType;
  /** Default `application/json`. */
  contentType?: string;
  headers?: readonly ResponseHeader[];
  /** Error codes of this status, for the table of the reference. */
  codes?: readonly ErrorCode[];
}

/**
 * One operation of the API: the server registers it, the client sends it, the OpenAPI document describes it.
 */
export interface Route {
  operationId: string;
  method: Method;
  /** OpenAPI template: `/v1/static-export/jobs/{jobId}`. */
  path: string;
  tag: Tag;
  summary: string;
  description: string;
  /** Scope that the key needs; null: not for keys. */
  scope: Scope | null;
  /**
   * For keys that are limited to projects, if the path names neither a project nor an export. `filtered`: the
   * handler serves only what belongs to these projects. Default: the operation concerns the whole organization
   * and refuses such keys.
   */
  limitedKeys?: 'filtered';
  /** Lowest role of a member that may use the operation; present if `scope` is. */
  role?: Role;
  /**
   * Without a scope: who may use the operation. Default: anyone. `user`: signed-in users. `operator`:
   * operators.
   */
  access?: 'user' | 'operator';
  /** Least plan of the organization. */
  plan?: Plan;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** JSON body. */
  body?: z.ZodType;
  /** The body may be left out. */
  bodyOptional?: true;
  /** Content types of a body that is bytes and no JSON. */
  bytes?: readonly string[];
  /** Takes `Idempotency-Key`. */
  idempotent?: true;
  /** Seconds until the response, if it can take more than a minute. */
  maxSeconds?: number;
  /** Other request headers it reads, by name, with what they do. */
  requestHeaders?: Readonly<Record<string, string>>;
  responses: Readonly<Record<number, RouteResponse>>;
}

/** Keeps the exact types of a route. */
export function defineRoute<const R extends Route>(route: R): R {
  return route;
}

/**
 * How the operation treats a key that is limited to projects. `path`: the project or the export in the path must be
 * one of its own.
 */
export function limitedKeysOf(route: Route): 'path' | 'filtered' | 'refused' {
  if (/\{(?:projectId|jobId)\}/.test(route.path)) return 'path';
  return route.limitedKeys ?? 'refused';
}

const errorDescriptions: Record<number, string> = {
  400: 'The request is invalid. `param` names the field, parameter or header.',
  401: 'The credential is missing, malformed, unknown, expired or revoked.',
  403: 'The key, the role or the plan does not allow the operation.',
  404: 'The object does not exist, or belongs to another organization.',
  409: 'The state of the object does not allow the operation.',
  413: 'The body is too large.',
  415: 'The endpoint does not support the content type.',
  422: 'The `Idempotency-Key` was used with another body.',
  429: 'Too many requests. Retry after `Retry-After` seconds.',
  500: 'An internal error. The server log contains the reason with the request id.',
  503: 'A component that the operation needs is unavailable. Retry after `Retry-After` seconds.',
};

/** Documents the error responses with these codes, one entry per status. */
export function errorResponses(...codes: ErrorCode[]): Record<number, RouteResponse> {
  const responses: Record<number, RouteResponse> = {};
  for (const code of codes) {
    const status = errorCodes[code];
    const headers: ResponseHeader[] = [];
    if (status === 401) headers.push('WWW-Authenticate');
    if (status === 429 || status === 503 || code === 'idempotency_in_flight') headers.push('Retry-After');
    const before = responses[status];
    responses[status] = {
      description: errorDescriptions[status] ?? 'Error.',
      schema: errorBody,
      headers: [...new Set([...(before?.headers ?? []), ...headers])],
      codes: [...(before?.codes ?? []), code],
    };
  }
  return responses;
}

/** Errors of every operation that anyone may use. */
export const publicErrors = [
  'invalid_request',
  'cross_site',
  'rate_limited',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

/** Errors of every operation for signed-in users. */
export const userErrors = ['unauthorized', ...publicErrors] as const satisfies readonly ErrorCode[];

/** Errors of every operation that needs a key or a member's session. */
export const keyErrors = [
  'invalid_request',
  'unauthorized',
  'scope_missing',
  'address_not_allowed',
  'role_required',
  'cross_site',
  'rate_limited',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

/** Errors of every operation that concerns the whole organization. */
export const organizationErrors = [...keyErrors, 'project_limited'] as const satisfies readonly ErrorCode[];

/** Errors of every operation with a JSON body. */
export const jsonErrors = [
  'invalid_json',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/** Errors of every operation with an `Idempotency-Key`. */
export const idempotencyErrors = [
  'idempotency_in_flight',
  'idempotency_mismatch',
] as const satisfies readonly ErrorCode[];

/** Fills the template of a path: each `{name}` by the value, percent-encoded. */
export function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new TypeError(`Path parameter ${name} is missing.`);
    return encodeURIComponent(value);
  });
}
