import { includesPlan, type Plan } from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import { readOrganization } from './organizations.ts';

/** Throws the 403 that names the plan that a feature needs and the one that the organization has. */
export async function requirePlan(
  db: Kysely<Database> | Transaction<Database>,
  organizationId: string,
  feature: string,
  plan: Plan,
): Promise<void> {
  const held = (await readOrganization(db, organizationId)).plan;
  if (includesPlan(held, plan)) return;
  throw new AppError('plan_required', planSentence(feature, plan, held));
}

/** `feature`: begins the sentence, in the singular. */
function planSentence(feature: string, needed: Plan, held: Plan): string {
  const wanted = needed === 'enterprise' ? 'the enterprise plan' : `the ${needed} plan or a higher one`;
  return `${feature} needs ${wanted}; the organization has the ${held} plan. Ask the operator of this installation to change it.`;
}
