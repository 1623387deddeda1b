import type { Kysely, Selectable, Transaction } from 'kysely';
import { recordNotification } from '../notifications/service.ts';
import { type Database, json, type SiteDomainsTable } from '../platform/db/database.ts';
import type { Logger } from '../platform/log.ts';
import { type CheckAdapters, checkDomain, type Finding, type Outcome } from './check.ts';
import { proofOf } from './proof.ts';
import { hasSeveralOrganizations, listDue, lockDomain, notifyHosts } from './store.ts';

export interface VerifyAdapters extends CheckAdapters {
  db: Kysely<Database>;
  log: Logger;
  /** Key of the proofs. */
  key: Buffer;
  graceMs: number;
  /** Trust domains while the installation has one organization. */
  mayTrust: boolean;
}

type Row = Selectable<SiteDomainsTable>;
type Change = Pick<Row, 'state' | 'method' | 'verified_at' | 'failing_since' | 'next_check_at'>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A domain that is not verified: often on its first day, then less often. */
const FIRST_MS = 5 * MINUTE_MS;
const FIRST_DAY_MS = 24 * HOUR_MS;
const CALM_MS = 6 * HOUR_MS;
/** A verified one whose proof was not found, or not looked up. */
const ALARM_MS = HOUR_MS;

const BATCH = 10;
const UNIQUE_VIOLATION = '23505';

/** Whether domains of the installation are trusted without a proof. */
export async function trustsDomains({
  db,
  mayTrust,
}: Pick<VerifyAdapters, 'db' | 'mayTrust'>): Promise<boolean> {
  return mayTrust && !(await hasSeveralOrganizations(db));
}

/** What a check makes of a domain. Pure, with the time of the database. */
export function changeOf(row: Row, outcome: Outcome | 'trusted', now: Date, graceMs: number): Change {
  const at = (ms: number) => new Date(now.getTime() + ms);
  if (outcome !== 'missing' && outcome !== 'unknown') {
    return {
      state: 'verified',
      method: outcome,
      verified_at: row.state === 'verified' ? row.verified_at : now,
      failing_since: null,
      next_check_at: at(CALM_MS),
    };
  }
  const { state, method, verified_at, failing_since } = row;
  if (state !== 'verified') {
    const isNew = now.getTime() - row.created_at.getTime() < FIRST_DAY_MS;
    return { state, method, verified_at, failing_since, next_check_at: at(isNew ? FIRST_MS : CALM_MS) };
  }
  if (outcome === 'unknown')
    return { state, method, verified_at, failing_since, next_check_at: at(ALARM_MS) };
  const since = failing_since ?? now;
  const leftMs = since.getTime() + graceMs - now.getTime();
  if (leftMs > 0) {
    return {
      state,
      method,
      verified_at,
      failing_since: since,
      next_check_at: at(Math.min(ALARM_MS, leftMs)),
    };
  }
  return {
    state: 'expired',
    method: null,
    verified_at: null,
    failing_since: since,
    next_check_at: at(CALM_MS),
  };
}

/** Checks one domain and stores the result. Does nothing if it is gone. */
export async function verifyDomain(
  adapters: VerifyAdapters,
  { id, organizationId, host }: { id: string; organizationId: string; host: string },
  signal: AbortSignal,
): Promise<void> {
  const { db } = adapters;
  const found = await checkDomain(adapters, proofOf(adapters.key, organizationId, host), signal);
  const isProven = found.outcome === 'dns' || found.outcome === 'file';
  const outcome = !isProven && (await trustsDomains(adapters)) ? 'trusted' : found.outcome;
  try {
    await db.transaction().execute((tx) => store(tx, adapters, { id, outcome, finding: found.finding }));
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Proven, but owned by another organization: the state stays, and the next check may succeed.
    await db.transaction().execute(async (tx) => {
      const row = await lockDomain(tx, id);
      if (row === undefined) return;
      const change = changeOf(row, 'unknown', row.now, adapters.graceMs);
      await write(tx, row, change, found.finding, true);
    });
  }
}

async function store(
  tx: Transaction<Database>,
  { graceMs, log }: VerifyAdapters,
  { id, outcome, finding }: { id: string; outcome: Outcome | 'trusted'; finding: Finding },
): Promise<void> {
  const row = await lockDomain(tx, id);
  if (row === undefined) return;
  const change = changeOf(row, outcome, row.now, graceMs);
  await write(tx, row, change, finding, false);
  const facts = { domainId: id, domain: row.host, organizationId: row.organization_id };
  if (change.state !== row.state) {
    await notifyHosts(tx);
    if (change.state === 'verified') log.info({ ...facts, method: change.method }, 'a domain is verified');
    else {
      log.warn(facts, 'a domain was removed from service: its proof was missing for too long');
      await notifyUnverified(tx, row, { isServed: false, endsAt: null });
    }
  } else if (change.failing_since !== null && row.failing_since === null) {
    log.warn(facts, 'the proof of a verified domain was not found');
    const endsAt = new Date(change.failing_since.getTime() + graceMs);
    await notifyUnverified(tx, row, { isServed: true, endsAt });
  }
}

/** Reports a verified domain whose proof is missing. `endsAt`: when it is taken out of service. */
function notifyUnverified(
  tx: Transaction<Database>,
  row: Row,
  { isServed, endsAt }: { isServed: boolean; endsAt: Date | null },
): Promise<void> {
  return recordNotification(tx, {
    organizationId: row.organization_id,
    projectId: row.project_id,
    event: 'domain.unverified',
    subject: isServed
      ? `The ownership of ${row.host} could not be verified`
      : `${row.host} was removed from service: its ownership could not be verified`,
    data: {
      domainId: row.id,
      domain: row.host,
      served: String(isServed),
      servedUntil: endsAt?.toISOString() ?? null,
    },
  });
}

async function write(
  tx: Transaction<Database>,
  row: Row & { now: Date },
  change: Change,
  finding: Finding,
  isOwnedElsewhere: boolean,
): Promise<void> {
  await tx
    .updateTable('site_domains')
    .set({ ...change, checked_at: row.now, finding: json({ ...finding, isOwnedElsewhere }) })
    .where('id', '=', row.id)
    .execute();
}

/** Checks every domain that is due. One that fails for a reason of ours holds up no other. */
export async function verifyDue(adapters: VerifyAdapters, signal: AbortSignal): Promise<void> {
  const tried: string[] = [];
  while (!signal.aborted) {
    const due = await listDue(adapters.db, tried, BATCH);
    if (due.length === 0) return;
    await Promise.all(
      due.map(({ id, organization_id: organizationId, host }) =>
        verifyDomain(adapters, { id, organizationId, host }, signal).catch((error: unknown) => {
          if (!signal.aborted) adapters.log.error({ err: error, domainId: id }, 'could not check a domain');
        }),
      ),
    );
    tried.push(...due.map(({ id }) => id));
  }
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
}
