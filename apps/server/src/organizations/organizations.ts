import type { Organization, Plan } from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { notFound } from '../platform/http/error.ts';
import { newId } from '../platform/ids.ts';
import {
  findOrganization,
  findOrganizationByName,
  insertOrganization,
  type OrganizationRow,
} from './store.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** Throws the 404 for an organization that does not exist. */
export async function readOrganization(db: Db, id: string): Promise<Organization> {
  const row = await findOrganization(db, id);
  if (row === undefined) throw notFound('organization');
  return presentOrganization(row);
}

/** Makes an organization that nobody is a member of yet. */
export async function createOrganization(db: Db, body: { name: string; plan: Plan }): Promise<Organization> {
  return presentOrganization(await insertOrganization(db, { id: newId('org'), ...body }));
}

/** The oldest organization of this name, made where there is none. */
export async function ensureOrganization(db: Db, body: { name: string; plan: Plan }): Promise<Organization> {
  const row = await findOrganizationByName(db, body.name);
  return row === undefined ? createOrganization(db, body) : presentOrganization(row);
}

export function presentOrganization(row: OrganizationRow): Organization {
  return { id: row.id, name: row.name, plan: row.plan, createdAt: row.created_at.toISOString() };
}
