import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { recordNotification } from '../notifications/service.ts';
import type { CertificatesTable, Database } from '../platform/db/database.ts';
import { enqueueJob, type Fence, later } from '../platform/jobs/jobs.ts';

export type Db = Kysely<Database> | Transaction<Database>;
type Tx = Transaction<Database>;

export type CertificateRow = Selectable<CertificatesTable>;

/** Kind of the jobs that order certificates. Their ids are those of domains, so a domain has one order at a time. */
export const CERTIFICATE_KIND = 'certificate';

/** Notifications on it: certificates in use have changed. */
export const CERTIFICATES_CHANGED = 'offprint_certificates_changed';

/** Domains for which certificates are obtained: http-01 and tls-alpn-01 cannot prove wildcards. */
const isServed = sql<boolean>`d.state = 'verified' AND d.host NOT LIKE '*.%'`;

/**
 * Queues orders: for verified domains without a certificate and for those that are to be renewed; of one domain where it
 * is named, also one whose last order failed. Returns their number.
 */
export async function queueOrders(tx: Tx, only?: string): Promise<number> {
  const ofOne = only === undefined ? sql`true` : sql`d.id = ${only}`;
  const { rows: made } = await sql<{ id: string; organizationId: string; attempt: number }>`
    INSERT INTO certificates (domain_id, organization_id)
    SELECT d.id, d.organization_id FROM site_domains d WHERE ${isServed} AND ${ofOne}
      AND NOT EXISTS (SELECT FROM certificates c WHERE c.domain_id = d.id)
    ON CONFLICT DO NOTHING
    RETURNING domain_id AS id, organization_id AS "organizationId", attempt`.execute(tx);
  const { rows: due } = await sql<{ id: string; organizationId: string; attempt: number }>`
    UPDATE certificates c SET state = 'queued', updated_at = now()
    FROM site_domains d WHERE d.id = c.domain_id AND ${isServed} AND ${ofOne}
      AND c.state = 'idle' AND (c.renew_at IS NULL OR c.renew_at <= now())
    RETURNING c.domain_id AS id, c.organization_id AS "organizationId", c.attempt`.execute(tx);
  const again =
    only === undefined
      ? []
      : await tx
          .updateTable('certificates')
          .set({ retry_at: null })
          .where('domain_id', '=', only)
          .where('state', '=', 'queued')
          .where('retry_at', 'is not', null)
          // An authority counts failed orders: a person who repeats them soon reaches its limits.
          .where('updated_at', '<', sql<Date>`now() - interval '1 minute'`)
          .returning(['domain_id as id', 'organization_id as organizationId', 'attempt'])
          .execute();
  const queued = [...made, ...due, ...again];
  for (const job of queued) await enqueueJob(tx, { ...job, kind: CERTIFICATE_KIND });
  return queued.length;
}

export interface OrderRow extends CertificateRow {
  host: string;
}

/** Starts an attempt; undefined if nothing is to be ordered, or a later attempt has started. */
export async function beginOrder(tx: Tx, { id, attempt }: Fence): Promise<OrderRow | undefined> {
  const row = await tx
    .updateTable('certificates')
    .set({ state: 'running', attempt, retry_at: null, updated_at: sql<Date>`now()` })
    .where('domain_id', '=', id)
    .where('attempt', '<', attempt)
    .where('state', '<>', 'idle')
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const domain = await tx
    .selectFrom('site_domains as d')
    .select('host')
    .where('id', '=', id)
    .where(isServed)
    .executeTakeFirst();
  if (domain !== undefined) return { ...row, host: domain.host };
  // Out of service: ordered again when it is verified again.
  await saveOrder(tx, { id, attempt }, { state: 'idle', renew_at: null });
  return undefined;
}

/** Writes under the fence. False if the attempt has lost the row. */
export async function saveOrder(
  db: Db,
  { id, attempt }: Fence,
  set: Partial<Omit<CertificateRow, 'domain_id' | 'organization_id' | 'attempt' | 'updated_at'>>,
): Promise<boolean> {
  const row = await db
    .updateTable('certificates')
    .set({ ...set, updated_at: sql<Date>`now()` })
    .where('domain_id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', '=', 'running')
    .returning('domain_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** A certificate that expires in fewer days is reported if it could not be renewed. */
const WARNING_DAYS = 14;

/** Ends an attempt that failed: the order waits for the next one. False if the attempt has lost the row. */
export async function requeueOrder(
  tx: Tx,
  { id, attempt }: Fence,
  failure: { error: string; delayMs: number; isRefused: boolean; counts: boolean },
): Promise<boolean> {
  const row = await tx
    .updateTable('certificates')
    .set({
      state: 'queued',
      error: failure.error,
      retry_at: later(failure.delayMs),
      updated_at: sql<Date>`now()`,
      ...(failure.counts ? { failures: sql<number>`failures + 1` } : {}),
      // A refused order is not used again.
      ...(failure.isRefused ? { order_url: null, order_key_sealed: null } : {}),
    })
    .where('domain_id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', '=', 'running')
    .returning('domain_id')
    .executeTakeFirst();
  if (row === undefined) return false;
  await notifyOfExpiry(tx, id, failure.error);
  return true;
}

/** Reports a certificate that expires soon, at most once a day. */
async function notifyOfExpiry(tx: Tx, domainId: string, error: string): Promise<void> {
  const warned = await tx
    .updateTable('certificates')
    .set({ warned_at: sql<Date>`now()` })
    .where('domain_id', '=', domainId)
    .where('expires_at', '<', sql<Date>`now() + make_interval(days => ${WARNING_DAYS})`)
    .where(sql<boolean>`(warned_at IS NULL OR warned_at < now() - interval '1 day')`)
    .returning(['expires_at'])
    .executeTakeFirst();
  if (warned === undefined) return;
  const domain = await tx
    .selectFrom('site_domains')
    .select(['organization_id', 'project_id', 'host'])
    .where('id', '=', domainId)
    .executeTakeFirstOrThrow();
  await recordNotification(tx, {
    organizationId: domain.organization_id,
    projectId: domain.project_id,
    event: 'certificate.expiring',
    subject: `The certificate of ${domain.host} could not be renewed`,
    data: {
      domainId,
      domain: domain.host,
      expiresAt: warned.expires_at?.toISOString() ?? null,
      error,
    },
  });
}

export async function saveChallenge(
  db: Db,
  challenge: { domain_id: string; token: string; key_authorization: string },
): Promise<void> {
  await db
    .insertInto('acme_challenges')
    .values(challenge)
    .onConflict((conflict) =>
      conflict
        .columns(['domain_id', 'token'])
        .doUpdateSet({ key_authorization: challenge.key_authorization, created_at: sql<Date>`now()` }),
    )
    .execute();
}

export async function forgetChallenges(db: Db, domainId: string): Promise<void> {
  await db.deleteFrom('acme_challenges').where('domain_id', '=', domainId).execute();
}

/** The response to a challenge of a verified host; without a token: the newest. */
export async function findChallenge(db: Db, host: string, token: string | null): Promise<string | undefined> {
  const row = await db
    .selectFrom('acme_challenges as c')
    .innerJoin('site_domains as d', 'd.id', 'c.domain_id')
    .select('c.key_authorization')
    .where('d.host', '=', host)
    .where('d.state', '=', 'verified')
    .$if(token !== null, (query) => query.where('c.token', '=', token ?? ''))
    .orderBy('c.created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.key_authorization;
}

export function listStates(db: Db, domainIds: readonly string[]): Promise<CertificateRow[]> {
  return db
    .selectFrom('certificates')
    .selectAll()
    .where(sql<boolean>`domain_id = ANY (${[...domainIds]}::text[])`)
    .execute();
}

export interface UsedCertificate {
  domainId: string;
  host: string;
  chain: string;
  keySealed: Buffer;
  fingerprint: string;
  expiresAt: Date;
}

/** Certificates of verified hosts. */
export async function listUsed(db: Db): Promise<UsedCertificate[]> {
  const { rows } = await sql<UsedCertificate>`
    SELECT c.domain_id AS "domainId", d.host, c.chain, c.key_sealed AS "keySealed", c.fingerprint,
      c.expires_at AS "expiresAt"
    FROM certificates c JOIN site_domains d ON d.id = c.domain_id
    WHERE d.state = 'verified' AND c.chain IS NOT NULL ORDER BY d.host COLLATE "C"`.execute(db);
  return rows;
}

export async function notifyCertificates(db: Db): Promise<void> {
  await sql`SELECT pg_notify(${CERTIFICATES_CHANGED}, '')`.execute(db);
}

/** The account at a directory. */
export function findAccount(
  db: Db,
  directory: string,
): Promise<{ key_sealed: Buffer; url: string | null } | undefined> {
  return db
    .selectFrom('acme_accounts')
    .select(['key_sealed', 'url'])
    .where('directory', '=', directory)
    .executeTakeFirst();
}

/** Keeps the key of another process that was faster. */
export async function insertAccount(db: Db, directory: string, keySealed: Buffer): Promise<void> {
  await db
    .insertInto('acme_accounts')
    .values({ directory, key_sealed: keySealed })
    .onConflict((conflict) => conflict.column('directory').doNothing())
    .execute();
}

export async function setAccountUrl(db: Db, directory: string, url: string | null): Promise<void> {
  await db.updateTable('acme_accounts').set({ url }).where('directory', '=', directory).execute();
}
