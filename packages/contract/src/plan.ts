import { z } from 'zod';

/** Plans, each with everything that the one before includes. */
export const plans = ['free', 'pro', 'enterprise'] as const;

/** What an organization may use: agent jobs need `pro`, static export needs `enterprise`. */
export const plan = z.enum(plans).describe('Agent jobs need `pro` or higher, static export `enterprise`.');
export type Plan = z.output<typeof plan>;

/** Whether `held` includes what needs the plan `needed`. */
export function includesPlan(held: Plan, needed: Plan): boolean {
  return plans.indexOf(held) >= plans.indexOf(needed);
}
