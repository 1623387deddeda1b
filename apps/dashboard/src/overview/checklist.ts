import type { Plan, Role } from '@offprint/contract';
import { includesPlan, includesRole } from '@offprint/contract';

export type StepName = 'project' | 'export' | 'key' | 'invite';

/** A step of the first day. */
export interface Step {
  name: StepName;
  isDone: boolean;
  /** Why it cannot be done here and now; null: it can. */
  blocked: string | null;
}

/** What an organization has; undefined: unknown, for example without the permission to read it. */
export interface Holdings {
  projects: number;
  completedExports: number;
  keys: number | undefined;
  members: number;
  invitations: number | undefined;
}

/** The steps of the first day in their order, for a member with the role. */
export function stepsOf(holdings: Holdings, plan: Plan, role: Role): Step[] {
  const isEditor = includesRole(role, 'editor');
  const isAdmin = includesRole(role, 'admin');
  const hasProject = holdings.projects > 0;
  const steps: Step[] = [
    {
      name: 'project',
      isDone: hasProject,
      blocked: isEditor ? null : 'Requires the role editor or admin.',
    },
    {
      name: 'export',
      isDone: holdings.completedExports > 0,
      blocked: !includesPlan(plan, 'enterprise')
        ? 'Requires the enterprise plan.'
        : !isEditor
          ? 'Requires the role editor or admin.'
          : hasProject
            ? null
            : 'Create a project first.',
    },
  ];
  // Keys and members are matters of admins: to others the steps would say nothing they can do or see.
  if (!isAdmin) return steps;
  return [
    ...steps,
    { name: 'key', isDone: (holdings.keys ?? 0) > 0, blocked: null },
    {
      name: 'invite',
      isDone: holdings.members > 1 || (holdings.invitations ?? 0) > 0,
      blocked: null,
    },
  ];
}

/** The first step that waits for this person; null: none. */
export function nextStep(steps: readonly Step[]): StepName | null {
  return steps.find(({ isDone, blocked }) => !isDone && blocked === null)?.name ?? null;
}
