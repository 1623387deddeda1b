import { includesPlan, type Plan } from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import { readOrganization } from './organizations.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** Running jobs that organizations have beside one another: with twice the weight, twice as many. */
export const PLAN_WEIGHTS: Readonly<Record<Plan, number>> = { free: 1, pro: 2, enterprise: 4 };

/** What plans decide about, as sentences name it. */
export type PlanFeature = 'Static export' | 'The agent';

/** The 403 for a feature that needs another plan than the organization has; null when it has it. */
export async function planFault(
  db: Db,
  organizationId: string,
  feature: PlanFeature,
  plan: Plan,
): Promise<AppError | null> {
  const held = (await readOrganization(db, organizationId)).plan;
  if (includesPlan(held, plan)) return null;
  const needed = plan === 'enterprise' ? 'the enterprise plan' : `the ${plan} plan or a higher one`;
  return new AppError(
    'plan_required',
    `${feature} requires ${needed}; the organization has the ${held} plan. An operator of this installation can change the plan.`,
  );
}

/** Throws the 403 for a feature that needs another plan than the organization has. */
export async function requirePlan(
  db: Db,
  organizationId: string,
  feature: PlanFeature,
  plan: Plan,
): Promise<void> {
  const fault = await planFault(db, organizationId, feature, plan);
  if (fault !== null) throw fault;
}
