import type { Scope } from '@offprint/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { newestFirst } from '../platform/db/newest-first.ts';
import type { Cursor } from '../platform/http/cursor.ts';

type Db = Kysely<Database> | Transaction<Database>;

export interface NewKey {
  id: string;
  organizationId: string;
  name: string;
  hmac: Buffer;
  last4: string;
  scopes: Scope[];
  allowedCidrs: string[];
  /** null = never. */
  expiresInDays: number | null;
  createdBy: string;
}

/** A key without its HMAC. */
export type KeyRow = Awaited<ReturnType<typeof insertKey>>;

const columns = [
  'id',
  'name',
  'last4',
  'scopes',
  'allowed_cidrs',
  'expires_at',
  'created_by',
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
      scopes: key.scopes,
      allowed_cidrs: key.allowedCidrs,
      expires_at:
        key.expiresInDays === null ? null : sql<Date>`now() + make_interval(days => ${key.expiresInDays})`,
      created_by: key.createdBy,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** The keys with these HMACs, usable or not, with what decides whether they are. */
export function findKeysByHmac(db: Db, hmacs: Buffer[]) {
  return db
    .selectFrom('api_keys')
    .select([
      'id',
      'key_hmac',
      'organization_id',
      'scopes',
      'name',
      'allowed_cidrs',
      sql<boolean>`revoked_at IS NOT NULL`.as('revoked'),
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

export function listKeys(
  db: Db,
  organizationId: string,
  page: { after: Cursor | undefined; limit: number },
): Promise<KeyRow[]> {
  return db
    .selectFrom('api_keys')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .$call((query) => newestFirst(query, page))
    .execute();
}

/** Whether the organization has the key; the time of an earlier revocation stays. */
export async function revokeKey(db: Db, organizationId: string, id: string): Promise<boolean> {
  const row = await db
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
