import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type {
  AutomationsTable,
  Database,
  TriggerKind,
  TriggerOutcome,
  TriggersTable,
} from '../platform/db/database.ts';

type Db = Kysely<Database> | Transaction<Database>;

export type AutomationRow = Selectable<AutomationsTable>;
export type TriggerRow = Selectable<TriggersTable>;

export function findAutomation(
  db: Db,
  organizationId: string,
  projectId: string,
): Promise<AutomationRow | undefined> {
  return db
    .selectFrom('automations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

/** The automation of a project of any organization: who asks for it has yet to show the secret. */
export function findAnyAutomation(db: Db, projectId: string): Promise<AutomationRow | undefined> {
  return db.selectFrom('automations').selectAll().where('project_id', '=', projectId).executeTakeFirst();
}

/** Sets what is named and leaves the rest. */
export async function saveAutomation(
  db: Db,
  key: { organization_id: string; project_id: string },
  changes: Partial<Omit<AutomationRow, 'organization_id' | 'project_id' | 'updated_at'>>,
): Promise<AutomationRow> {
  return db
    .insertInto('automations')
    .values({ ...key, ...changes })
    .onConflict((conflict) =>
      conflict.column('project_id').doUpdateSet({ ...changes, updated_at: sql<Date>`now()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Time of the database, which all processes share. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`SELECT clock_timestamp() AS now`.execute(db);
  return rows[0]!.now;
}

/** A schedule whose time has come, held until the transaction ends; another process passes over it. */
export function claimDue(
  tx: Transaction<Database>,
  except: readonly string[],
): Promise<AutomationRow | undefined> {
  return tx
    .selectFrom('automations')
    .selectAll()
    .where('next_at', '<=', sql<Date>`now()`)
    .$if(except.length > 0, (query) => query.where('project_id', 'not in', [...except]))
    .orderBy('next_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

export async function setNextTime(
  tx: Transaction<Database>,
  projectId: string,
  at: Date | null,
): Promise<void> {
  await tx.updateTable('automations').set({ next_at: at }).where('project_id', '=', projectId).execute();
}

export interface TriggerFacts {
  project_id: string;
  kind: TriggerKind;
  delivery: string;
  event: string | null;
  ref: string | null;
  commit: string | null;
}

export interface TriggerResult {
  outcome: TriggerOutcome;
  message: string;
  export_id: string | null;
}

/**
 * Takes a delivery for the transaction: its row with no result yet, or the result of an earlier one. Waits
 * for other work on the same delivery. One that was refused may come again.
 */
export async function takeDelivery(
  tx: Transaction<Database>,
  facts: TriggerFacts,
): Promise<{ id: number } | TriggerResult> {
  const made = await tx
    .insertInto('triggers')
    .values({ ...facts, outcome: 'refused', message: '' })
    .onConflict((conflict) => conflict.columns(['project_id', 'kind', 'delivery']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made !== undefined) return made;
  const earlier = await tx
    .selectFrom('triggers')
    .select(['id', 'outcome', 'message', 'export_id'])
    .where('project_id', '=', facts.project_id)
    .where('kind', '=', facts.kind)
    .where('delivery', '=', facts.delivery)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return earlier.outcome === 'refused' ? { id: earlier.id } : earlier;
}

export async function setResult(tx: Transaction<Database>, id: number, result: TriggerResult): Promise<void> {
  await tx
    .updateTable('triggers')
    .set({ ...result, at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .execute();
}

export function listTriggers(
  db: Db,
  projectId: string,
  page: { before: number | undefined; limit: number },
): Promise<TriggerRow[]> {
  return db
    .selectFrom('triggers')
    .selectAll()
    .where('project_id', '=', projectId)
    .$if(page.before !== undefined, (query) => query.where('id', '<', page.before ?? 0))
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** Deletes triggers older than the given number of days. */
export async function forgetTriggers(db: Db, days: number): Promise<void> {
  await db
    .deleteFrom('triggers')
    .where('at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .execute();
}
