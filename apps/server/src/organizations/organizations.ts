import type {
  CreateOrganizationBody,
  OperatedOrganization,
  OperatedOrganizationList,
  Organization,
  Plan,
} from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import type { UserPrincipal } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import { countOwnOrganizations, insertMember } from './member-store.ts';
import {
  deleteOrganizationRow,
  findOrganization,
  findOrganizationByName,
  insertOrganization,
  listOrganizationRows,
  type OperatedRow,
  type OrganizationRow,
  updateOrganizationRow,
} from './store.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** What an installation says about new organizations. */
export interface OrganizationRules {
  /** Where sign-up is closed, operators create organizations too. */
  signUp: 'open' | 'invited' | 'closed';
  defaultPlan: Plan;
}

/** Organizations that one user may be admin of and still make another. */
const PER_USER = 10;

/** Throws the 404 for an organization that does not exist. */
export async function readOrganization(db: Db, id: string): Promise<Organization> {
  return present(required(await findOrganization(db, id)));
}

/** Creates an organization without members. */
export async function createOrganization(db: Db, body: { name: string; plan: Plan }): Promise<Organization> {
  return present(await insertOrganization(db, { id: newId('org'), ...body }));
}

/** The oldest organization of this name, created if it does not exist. */
export async function ensureOrganization(
  db: Db,
  body: { name: string; plan: Plan },
): Promise<Organization & { isNew: boolean }> {
  const row = await findOrganizationByName(db, body.name);
  return row === undefined
    ? { ...(await createOrganization(db, body)), isNew: true }
    : { ...present(row), isNew: false };
}

/** Creates an organization whose admin is the user; throws the 403 for a user without permission. */
export function createOwnOrganization(
  db: Kysely<Database>,
  user: UserPrincipal,
  body: CreateOrganizationBody,
  rules: OrganizationRules,
): Promise<Organization> {
  return db.transaction().execute(async (tx) => {
    if (!user.isOperator) await requireMayCreate(tx, user.id, body, rules);
    const organization = await createOrganization(tx, {
      name: body.name,
      plan: body.plan ?? rules.defaultPlan,
    });
    await insertMember(tx, { organizationId: organization.id, userId: user.id, role: 'admin' });
    return organization;
  });
}

async function requireMayCreate(
  tx: Transaction<Database>,
  userId: string,
  body: CreateOrganizationBody,
  rules: OrganizationRules,
): Promise<void> {
  if (rules.signUp === 'closed') {
    throw new AppError(
      'sign_up_closed',
      'On this installation, operators create organizations. Ask an operator.',
    );
  }
  if (body.plan !== undefined) {
    throw new AppError(
      'operator_required',
      `Operators of the installation set plans. Leave out /plan: the organization starts with the ${rules.defaultPlan} plan.`,
      { param: '/plan' },
    );
  }
  if ((await countOwnOrganizations(tx, userId)) >= PER_USER) {
    throw new AppError(
      'operator_required',
      `You are an admin of ${PER_USER} organizations, which is the maximum. An operator of the installation can create more.`,
    );
  }
}

export async function renameOrganization(db: Db, id: string, name: string): Promise<Organization> {
  return present(required(await updateOrganizationRow(db, id, { name })));
}

/** Every organization of the installation, newest first. */
export async function listOrganizations(
  db: Db,
  query: { search?: string | undefined; cursor?: string | undefined; limit: number },
): Promise<OperatedOrganizationList> {
  const { search, limit } = query;
  const rows = await listOrganizationRows(db, { search, after: parseCursor(query.cursor), limit });
  return pageOf(rows, limit, presentOperated);
}

/** The organizations with this id or this very name: a name can be one of several. */
export async function findOrganizations(db: Db, idOrName: string): Promise<OperatedOrganization[]> {
  const byId = await listOrganizationRows(db, { id: idOrName, limit: 1 });
  const rows = byId.length > 0 ? byId : await listOrganizationRows(db, { name: idOrName, limit: 10 });
  return rows.map(presentOperated);
}

/** Throws the 404 for an organization that does not exist. */
export async function setPlan(db: Db, id: string, plan: Plan): Promise<OperatedOrganization> {
  required(await updateOrganizationRow(db, id, { plan }));
  const [row] = await listOrganizationRows(db, { id, limit: 1 });
  return presentOperated(required(row));
}

/** Deletes an organization with everything that belongs to it. Throws the 404. */
export async function deleteOrganization(tx: Transaction<Database>, id: string): Promise<void> {
  if (!(await deleteOrganizationRow(tx, id))) throw notFound('organization');
}

function required<Row>(row: Row | undefined): Row {
  if (row === undefined) throw notFound('organization');
  return row;
}

function present(row: OrganizationRow): Organization {
  return { id: row.id, name: row.name, plan: row.plan, createdAt: row.created_at.toISOString() };
}

function presentOperated(row: OperatedRow): OperatedOrganization {
  return { ...present(row), members: row.members, projects: row.projects };
}
