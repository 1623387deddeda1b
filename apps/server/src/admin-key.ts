import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { KeyService } from './keys/service.ts';
import type { Database } from './platform/db/database.ts';

/** Name and creator of the key. */
export const ADMIN_KEY_NAME = 'first start';
const DAYS = 30;

/** Path of the file that holds the admin key of a data folder, which only its owner can read. */
export const adminKeyFile = (dataDir: string): string => join(dataDir, 'admin-key');

export interface AdminKey {
  key: string;
  /** Id of a key that was made now; null for the one of an earlier start. */
  createdId: string | null;
}

/**
 * The admin key of a data folder: the one in its file while that works for at least another day, else a new one in its
 * place. The database holds no more than a hash of it, so the file is the only place to read it.
 */
export async function ensureAdminKey(
  tx: Transaction<Database>,
  keys: KeyService,
  { organizationId, dataDir }: { organizationId: string; dataDir: string },
): Promise<AdminKey> {
  // Two processes that start together on one data folder get one key.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`admin key ${dataDir}`}, 0))`.execute(tx);
  const kept = readKey(dataDir);
  const state = kept === null ? null : await keys.inspect(tx, organizationId, kept);
  if (kept !== null && state?.isLasting) return { key: kept, createdId: null };
  if (state != null) await keys.revokeIn(tx, organizationId, state.id);
  const { id, key } = await keys.issue(tx, organizationId, ADMIN_KEY_NAME, {
    name: ADMIN_KEY_NAME,
    scopes: ['write'],
    expiresInDays: DAYS,
  });
  writeKey(dataDir, key);
  return { key, createdId: id };
}

function readKey(dataDir: string): string | null {
  try {
    return readFileSync(adminKeyFile(dataDir), 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Readers see the old key or the new one. */
function writeKey(dataDir: string, key: string): void {
  const draft = `${adminKeyFile(dataDir)}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, adminKeyFile(dataDir));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
