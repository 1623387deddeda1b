import { z } from 'zod';
import type { Role } from './role.ts';

/** What keys can be given access to. */
export const scopeAreas = [
  'exports',
  'agent',
  'projects',
  'discovery',
  'assistant',
  'analytics',
  'organization',
] as const;
export type ScopeArea = (typeof scopeAreas)[number];

/** Every scope, in the order in which lists show them. */
export const scopes = [
  'exports:read',
  'exports:write',
  'agent:read',
  'agent:write',
  'projects:read',
  'projects:write',
  'discovery:read',
  'assistant:use',
  'analytics:read',
  'analytics:write',
  'organization:read',
  'organization:write',
] as const;

/** What a key may do. `write` includes `read` of the same area. */
export const scope = z
  .enum(scopes)
  .describe(
    '`exports`: exports, their bundles and previews, and deployments of sites. `agent`: agent jobs. `projects`: projects with their sources, domains, features, automation, hosting, access of readers, notifications, and settings of agent and assistant. `discovery`: searches and pages of sites. `assistant:use`: questions to the assistants of sites. `analytics`: views, visitors, searches, questions and feedback of readers. `organization`: keys, members, invitations, webhook secrets, plan, audit log and usage. `write` includes `read`.',
  );
export type Scope = z.output<typeof scope>;

/** Names for all areas together, in requests only. */
export const scopeAliases = {
  read: [
    ...(['exports:read', 'agent:read', 'projects:read', 'discovery:read'] as const),
    ...(['analytics:read', 'organization:read'] as const),
  ],
  write: [
    ...(['exports:write', 'agent:write', 'projects:write', 'discovery:read'] as const),
    ...(['assistant:use', 'analytics:write', 'organization:write'] as const),
  ],
} as const satisfies Record<string, readonly Scope[]>;

/** A scope as requests name it. */
export const scopeInput = z
  .enum([...scopes, 'read', 'write'])
  .describe(
    'As in responses. `read` and `write` stand for this access to all areas; `discovery` has `read` only, and `assistant:use` is in `write` only.',
  );
export type ScopeInput = z.output<typeof scopeInput>;

/** Scopes of a key whose creator names none. */
export const defaultScopes: readonly Scope[] = ['exports:write'];

/** The scopes that equal a role of members. */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: scopeAliases.read,
  editor: [
    ...(['exports:write', 'agent:write', 'projects:write', 'discovery:read'] as const),
    ...(['assistant:use', 'analytics:write', 'organization:read'] as const),
  ],
  admin: scopeAliases.write,
};

/** Whether `held` permits what needs the scope `needed`. */
export function includesScope(held: readonly string[], needed: Scope): boolean {
  return held.includes(needed) || held.includes(needed.replace(/:read$/, ':write'));
}

/** Scopes as keys store them: without aliases, repetitions and what another one includes; in the usual order. */
export function normalizeScopes(given: readonly ScopeInput[]): Scope[] {
  const named = given.flatMap((one): readonly string[] =>
    one === 'read' || one === 'write' ? scopeAliases[one] : [one],
  );
  return scopes.filter(
    (one) =>
      named.includes(one) && !(one.endsWith(':read') && named.includes(one.replace(/:read$/, ':write'))),
  );
}
