import { includesScope, type Role, roleScopes } from '@offprint/contract';
import { AppError } from '../platform/http/error.ts';
import type { Principal } from '../platform/http/route.ts';

/**
 * Throws the 403 for a key that would give a person more than it has: a person is not limited to IP addresses, has all
 * rights of the role, and outlasts the key. Admins are made in the dashboard only.
 */
export function requireGrantable(principal: Principal, role: Role): void {
  if (principal.kind !== 'key') return;
  if (role === 'admin') throw exceeded('A key cannot give the role admin.');
  if (principal.allowedCidrs.length > 0) {
    throw exceeded(
      `The key works only from ${principal.allowedCidrs.join(', ')}, and a member is not limited to IP addresses.`,
    );
  }
  // What a search finds is in the bundles that `exports:read` downloads.
  const held = [...principal.scopes];
  if (includesScope(held, 'exports:read')) held.push('discovery:read');
  const lacked = roleScopes[role].filter((scope) => !includesScope(held, scope));
  if (lacked.length === 0) return;
  throw exceeded(`The role ${role} includes ${lacked.join(', ')}, which the key does not have.`);
}

/** Throws the 403 for a key that would take rights from an admin. */
export function requireNoAdmin(principal: Principal, held: Role): void {
  if (principal.kind !== 'key' || held !== 'admin') return;
  throw new AppError(
    'rights_exceeded',
    'A key cannot change or remove an admin. Let another admin do this in the dashboard.',
    { param: 'userId' },
  );
}

function exceeded(limit: string): AppError {
  return new AppError(
    'rights_exceeded',
    `role exceeds the rights of the key. ${limit} Choose a lower role, or let an admin do this in the dashboard.`,
    { param: '/role' },
  );
}
