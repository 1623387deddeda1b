import type { Plan, UsageLimits } from '@offprint/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import { readOrganization } from '../organizations/service.ts';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';

type Db = Kysely<Database> | Transaction<Database>;

/** A limit for each plan; 0: none. */
export type PlanLimits = Readonly<Record<Plan, number>>;

/** What the plans of an installation allow one organization. */
export interface Quotas {
  dailyExports: PlanLimits;
  dailyAgentJobs: PlanLimits;
  /** Megabytes of 1,000,000 bytes. */
  storageMb: PlanLimits;
}

const MEGABYTE = 1_000_000;

const day = sql<string>`(now() AT TIME ZONE 'UTC')::date`;

/**
 * Counts one start of today; throws the 429 if the plan of the organization allows no more. Call it in the transaction
 * that starts: it waits for others that start for the organization, so that the count is exact.
 */
export async function takeDaily(
  tx: Transaction<Database>,
  organizationId: string,
  what: 'exports' | 'agent_jobs',
  limits: PlanLimits,
): Promise<void> {
  const { plan } = await readOrganization(tx, organizationId);
  const limit = limits[plan];
  const column = sql.ref(what);
  const { rows } = await sql`
    INSERT INTO usage_days AS held (organization_id, day, ${column}) VALUES (${organizationId}, ${day}, 1)
    ON CONFLICT (organization_id, day) DO UPDATE SET ${column} = held.${column} + 1
      WHERE ${limit} = 0 OR held.${column} < ${limit}
    RETURNING 1`.execute(tx);
  if (rows.length > 0) return;
  const { used, resetsAt, seconds } = await readDay(tx, organizationId);
  const [count, started] =
    what === 'exports' ? [used.exports, 'exports were started'] : [used.agentJobs, 'agent jobs were created'];
  throw new AppError(
    'daily_quota_exceeded',
    `${count} ${started} in the organization today, and its ${plan} plan allows ${limit} a day. Try again after ${resetsAt}. An operator of this installation can change the plan or its limit.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

/** Throws the 403 if the stored exports of the organization have the size that its plan allows. */
export async function requireStorage(db: Db, organizationId: string, limits: PlanLimits): Promise<void> {
  const { plan } = await readOrganization(db, organizationId);
  if (limits[plan] === 0) return;
  const bytes = await storedBytes(db, organizationId);
  if (bytes < limits[plan] * MEGABYTE) return;
  throw new AppError(
    'storage_quota_exceeded',
    `The stored exports of the organization use ${Math.floor(bytes / MEGABYTE)} MB; its ${plan} plan allows ${limits[plan]} MB. Delete exports that you no longer need. An operator of this installation can change the plan or its limit.`,
  );
}

/** The limits of the plan of an organization, with what is used of them. */
export async function readLimits(db: Db, organizationId: string, quotas: Quotas): Promise<UsageLimits> {
  const { plan } = await readOrganization(db, organizationId);
  const [{ used, resetsAt }, bytes] = await Promise.all([
    readDay(db, organizationId),
    storedBytes(db, organizationId),
  ]);
  const limitOf = (limits: PlanLimits, unit = 1) => (limits[plan] === 0 ? null : limits[plan] * unit);
  return {
    exportsToday: { used: used.exports, limit: limitOf(quotas.dailyExports) },
    agentJobsToday: { used: used.agentJobs, limit: limitOf(quotas.dailyAgentJobs) },
    storageBytes: { used: bytes, limit: limitOf(quotas.storageMb, MEGABYTE) },
    resetsAt,
  };
}

/** Deletes the counts of past days. */
export async function forgetDays(db: Db): Promise<void> {
  await db.deleteFrom('usage_days').where('day', '<', day).execute();
}

async function readDay(db: Db, organizationId: string) {
  const { rows } = await sql<{ exports: number; agentJobs: number; end: Date; seconds: number }>`
    SELECT coalesce(exports, 0) AS exports, coalesce(agent_jobs, 0) AS "agentJobs", "end",
      greatest(1, ceil(extract(epoch FROM "end" - now())))::int AS seconds
    FROM (SELECT ((${day} + 1)::timestamp AT TIME ZONE 'UTC') AS "end") AS today
    LEFT JOIN usage_days ON organization_id = ${organizationId} AND day = ${day}`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error('the database has no day');
  return {
    used: { exports: row.exports, agentJobs: row.agentJobs },
    resetsAt: row.end.toISOString(),
    seconds: row.seconds,
  };
}

/** Size of the bundles of the organization; the same bundle of several exports is stored once. */
async function storedBytes(db: Db, organizationId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM (
      SELECT max(bundle_bytes) AS bytes FROM exports
      WHERE organization_id = ${organizationId} AND bundle_sha256 IS NOT NULL
      GROUP BY bundle_sha256
    ) bundles`.execute(db);
  return rows[0]?.bytes ?? 0;
}
