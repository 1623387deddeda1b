import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { newestFirst } from '../platform/db/newest-first.ts';
import type { Cursor } from '../platform/http/cursor.ts';
import type { Reach } from '../platform/http/route.ts';
import type { Grant } from './grant.ts';

type Db = Kysely<Database> | Transaction<Database>;

export interface NewKey {
  id: string;
  organizationId: string;
  name: string;
  hmac: Buffer;
  last4: string;
  grant: Grant;
  createdBy: string;
  /** The key that creates it; null: none. */
  createdByKey: string | null;
}

/** A key without its HMAC. */
export type KeyRow = Awaited<ReturnType<typeof insertKey>>;

const columns = [
  'id',
  'name',
  'last4',
  'scopes',
  'projects',
  'allowed_cidrs',
  'expires_at',
  'created_by',
  'created_by_key',
  'created_at',
  'last_used_at',
  'revoked_at',
] as const;

export function insertKey(db: Db, key: NewKey) {
  return db
    .insertInto('api_keys')
    .values({
      id: key.id,
      organization_id: key.organizationId,
      name: key.name,
      key_hmac: key.hmac,
      last4: key.last4,
      scopes: [...key.grant.scopes],
      projects: key.grant.projects === null ? null : [...key.grant.projects],
      allowed_cidrs: [...key.grant.allowedCidrs],
      expires_at: key.grant.expiresAt,
      created_by: key.createdBy,
      created_by_key: key.createdByKey,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Whether a key that created this one, directly or through others, is revoked or expired. */
const creatorEnded = sql<boolean>`CASE WHEN created_by_key IS NULL THEN false ELSE (
  WITH RECURSIVE creators AS (
    SELECT id, created_by_key, revoked_at, expires_at FROM api_keys AS k WHERE k.id = api_keys.created_by_key
    UNION
    SELECT k.id, k.created_by_key, k.revoked_at, k.expires_at
    FROM api_keys AS k JOIN creators ON k.id = creators.created_by_key
  )
  SELECT coalesce(bool_or(revoked_at IS NOT NULL OR expires_at <= now()), false) FROM creators
) END`;

/** The keys with these HMACs, usable or not, with what decides whether they are. */
export function findKeysByHmac(db: Db, hmacs: Buffer[]) {
  return db
    .selectFrom('api_keys')
    .select([
      'id',
      'key_hmac',
      'organization_id',
      'scopes',
      'projects',
      'name',
      'allowed_cidrs',
      'expires_at',
      sql<boolean>`revoked_at IS NOT NULL`.as('revoked'),
      creatorEnded.as('creator_ended'),
      sql<boolean>`expires_at IS NOT NULL AND expires_at <= now()`.as('expired'),
      sql<boolean>`expires_at IS NOT NULL AND expires_at <= now() + interval '1 day'`.as('expires_soon'),
      sql<boolean>`last_used_at IS NULL OR last_used_at < now() - interval '1 minute'`.as('use_is_news'),
    ])
    .where('key_hmac', 'in', hmacs)
    .execute();
}

export async function touchKey(db: Db, id: string): Promise<void> {
  await db.updateTable('api_keys').set({ last_used_at: sql<Date>`now()` }).where('id', '=', id).execute();
}

/** A key that is limited to projects reaches the keys that are limited to some of these. */
const isWithin = (projects: Reach['projects']) =>
  projects === null ? sql<boolean>`true` : sql<boolean>`(projects <@ ${[...projects]}::text[])`;

export function listKeys(
  db: Db,
  { organizationId, projects }: Reach,
  page: { after: Cursor | undefined; limit: number },
): Promise<KeyRow[]> {
  return db
    .selectFrom('api_keys')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .where(isWithin(projects))
    .$call((query) => newestFirst(query, page))
    .execute();
}

/**
 * Revokes a key and every key that it created, directly or through others; the times of earlier revocations stay.
 * Returns all of them, the key itself first, with whether they were revoked now; an empty list if the key is unknown. The
 * caller holds the lock on the organization.
 */
export async function revokeWithCreated(
  tx: Transaction<Database>,
  { organizationId, projects }: Reach,
  id: string,
): Promise<{ id: string; isNew: boolean }[]> {
  const { rows } = await sql<{ id: string; isNew: boolean }>`
    WITH RECURSIVE revoked AS (
      SELECT id, revoked_at FROM api_keys
      WHERE organization_id = ${organizationId} AND id = ${id} AND ${isWithin(projects)}
      UNION
      SELECT k.id, k.revoked_at FROM api_keys AS k JOIN revoked ON k.created_by_key = revoked.id
    )
    UPDATE api_keys SET revoked_at = coalesce(api_keys.revoked_at, now())
    FROM revoked WHERE api_keys.id = revoked.id
    RETURNING api_keys.id, revoked.revoked_at IS NULL AS "isNew"`.execute(tx);
  return rows.sort((a, b) => Number(b.id === id) - Number(a.id === id));
}

/** Time of the database, which decides when keys expire. */
export async function transactionTime(tx: Transaction<Database>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`SELECT now() AS now`.execute(tx);
  return rows[0]!.now;
}

/** Whether the key can be used now. The caller holds the lock on the organization, under which keys are revoked. */
export async function isUsable(
  tx: Transaction<Database>,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const row = await tx
    .selectFrom('api_keys')
    .select(sql<boolean>`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`.as('own'))
    .select(creatorEnded.as('creator_ended'))
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.own === true && !row.creator_ended;
}
