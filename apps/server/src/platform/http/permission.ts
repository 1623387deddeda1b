import { includesRole, includesScope, limitedKeysOf, type Route } from '@offprint/contract';
import { AppError, notFound } from './error.ts';
import type { Act, Principal, TargetFacts, UserPrincipal } from './route.ts';

/** Throws the 403 for a key without the scope of the operation and a member without its role. */
export function requireRight(principal: Principal, route: Route): void {
  if (principal.kind === 'member') {
    const needed = route.role ?? 'admin';
    if (includesRole(principal.role, needed)) return;
    throw new AppError(
      'role_required',
      `This requires the role ${needed}; you are ${principal.role} of this organization. Ask an admin of the organization.`,
    );
  }
  if (route.scope !== null && includesScope(principal.scopes, route.scope)) return;
  const held = principal.scopes.length === 0 ? 'none' : principal.scopes.join(', ');
  throw new AppError(
    'scope_missing',
    `The key lacks the scope ${route.scope}; its scopes: ${held}. Use or create a key that has it.`,
  );
}

/**
 * Holds a key to the projects to which it is limited. What belongs to another project gets the 404 of what does not
 * exist; an operation that concerns the whole organization throws the 403.
 */
export async function requireProject(
  principal: Principal,
  route: Route,
  params: unknown,
  describeTarget: (act: Pick<Act, 'organizationId' | 'target'>) => Promise<TargetFacts>,
): Promise<void> {
  const { organizationId, projects } = principal;
  if (projects === null) return;
  const kind = limitedKeysOf(route);
  if (kind === 'filtered') return;
  if (kind === 'refused') {
    throw new AppError(
      'project_limited',
      'The key is limited to projects, and this operation concerns the whole organization. Use a key without this limit.',
    );
  }
  const { projectId, jobId, id } = params as { projectId?: string; jobId?: string; id?: string };
  const target = projectId ?? (await describeTarget({ organizationId, target: jobId ?? null })).projectId;
  if (target !== null && projects.includes(target)) return;
  throw notFound(jobId !== undefined ? 'export' : id !== undefined ? 'agent job' : 'project');
}

/** Throws the 403 for a user who is not an operator where the operation needs one. */
export function requireOperator(user: UserPrincipal, route: Route): void {
  if (route.access !== 'operator' || user.isOperator) return;
  throw new AppError('operator_required', 'Only operators of the installation can do this.');
}
