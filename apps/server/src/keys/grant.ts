import {
  type CreateApiKeyBody,
  defaultScopes,
  includesScope,
  normalizeScopes,
  roleScopes,
  type Scope,
} from '@offprint/contract';
import { AppError } from '../platform/http/error.ts';
import type { Principal } from '../platform/http/route.ts';
import { containsRange } from './network.ts';

/** What a key may do, where, from where and until when. */
export interface Grant {
  scopes: readonly Scope[];
  /** Null: all. */
  projects: readonly string[] | null;
  /** Empty: any. */
  allowedCidrs: readonly string[];
  /** Null: never. */
  expiresAt: Date | null;
}

/** Days that a key lives when its creator says nothing. */
const DEFAULT_DAYS = 90;
const DAY_MS = 86_400_000;

/** Limits of the one who creates a key, which apply to what the request leaves out. */
type Limits = Omit<Grant, 'scopes'>;

export const noLimits: Limits = { projects: null, allowedCidrs: [], expiresAt: null };

/**
 * What a request for a key asks for. Left out: the limits of its creator, and 90 days at most. Throws the 400 for a
 * time that has passed.
 */
export function grantOf(body: CreateApiKeyBody, now: Date, limits: Limits): Grant {
  const projects = body.projects === undefined ? limits.projects : body.projects;
  const named = body.scopes ?? [];
  return {
    scopes: normalizeScopes(named.length === 0 ? defaultScopes : named),
    projects: projects === null ? null : [...new Set(projects)],
    allowedCidrs: body.allowedCidrs ?? limits.allowedCidrs,
    expiresAt: expiryOf(body, now, limits.expiresAt),
  };
}

function expiryOf(
  { expiresAt, expiresInDays }: CreateApiKeyBody,
  now: Date,
  limit: Date | null,
): Date | null {
  if (expiresInDays === null) return null;
  if (expiresAt === undefined) {
    const end = new Date(now.getTime() + (expiresInDays ?? DEFAULT_DAYS) * DAY_MS);
    return expiresInDays === undefined && limit !== null && limit < end ? limit : end;
  }
  const end = new Date(expiresAt);
  if (end > now) return end;
  throw new AppError('invalid_request', 'expiresAt must be in the future.', { param: '/expiresAt' });
}

/** Throws the 403 that names the first field in which a new key would exceed the one who creates it. */
export function requireWithin(maker: Principal, grant: Grant, body: CreateApiKeyBody): void {
  const held = maker.kind === 'key' ? maker.scopes : roleScopes[maker.role];
  const lacked = grant.scopes.find((scope) => !includesScope(held, scope));
  if (lacked !== undefined) {
    const isNamed = (body.scopes ?? []).length > 0;
    const who = maker.kind === 'key' ? 'the key that creates this one' : `your role ${maker.role}`;
    throw exceeded(
      '/scopes',
      `${isNamed ? '' : `The default is ${defaultScopes.join(', ')}. `}${capital(who)} does not have ${lacked}, only ${held.join(', ')}.`,
      'Request only these scopes',
    );
  }
  if (maker.kind !== 'key') return;
  requireProjects(maker.projects, grant.projects);
  requireRanges(maker.allowedCidrs, grant.allowedCidrs);
  requireEnd(maker.expiresAt, grant.expiresAt, body);
}

function requireProjects(held: readonly string[] | null, wanted: readonly string[] | null): void {
  if (held === null || wanted?.every((id) => held.includes(id))) return;
  throw exceeded(
    '/projects',
    `The key that creates this one is limited to ${held.join(', ')}.`,
    'Name only these projects',
  );
}

function requireRanges(held: readonly string[], wanted: readonly string[]): void {
  if (held.length === 0) return;
  const at = wanted.findIndex((range) => !containsRange(held, range));
  if (at === -1 && wanted.length > 0) return;
  throw exceeded(
    at === -1 ? '/allowedCidrs' : `/allowedCidrs/${at}`,
    `The key that creates this one works only from ${held.join(', ')}.`,
    'Name only ranges within one of these',
  );
}

function requireEnd(held: Date | null, wanted: Date | null, body: CreateApiKeyBody): void {
  if (held === null || (wanted !== null && wanted <= held)) return;
  throw exceeded(
    body.expiresAt === undefined ? '/expiresInDays' : '/expiresAt',
    `The key that creates this one expires at ${held.toISOString()}.`,
    'Set expiresAt to this time or earlier',
  );
}

function exceeded(param: string, limit: string, wayOut: string): AppError {
  return new AppError(
    'rights_exceeded',
    `${param.split('/')[1]} exceeds the rights of its creator. ${limit} ${wayOut}, or let an admin create the key in the dashboard.`,
    { param },
  );
}

const capital = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`;
