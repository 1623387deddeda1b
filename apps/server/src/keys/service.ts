import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import {
  type ApiKey,
  type CreateApiKeyBody,
  type CreatedApiKey,
  formatKey,
  isWellFormedKey,
} from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import { lockOrganization } from '../organizations/service.ts';
import { batchLookups } from '../platform/db/batch.ts';
import type { Database } from '../platform/db/database.ts';
import { countOfLastHour } from '../platform/db/last-hour.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import type { KeyPrincipal, Principal } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/log.ts';
import { findKeysByHmac, insertKey, type KeyRow, listKeys, revokeKey, touchKey } from './store.ts';

export interface KeyService {
  /** The principal of an `Authorization` header; throws the 401, or the 403 for an address not in the allow-list. */
  authenticate(authorization: string | undefined, address: string): Promise<KeyPrincipal>;
  create(principal: Principal, body: CreateApiKeyBody): Promise<CreatedApiKey>;
  /** Creates a key for somebody who holds none yet: the operator at the first start. */
  issue(
    tx: Transaction<Database>,
    organizationId: string,
    createdBy: string,
    body: CreateApiKeyBody,
  ): Promise<CreatedApiKey>;
  list(
    organizationId: string,
    query: { cursor?: string | undefined; limit: number },
  ): Promise<{ data: ApiKey[]; nextCursor: string | null }>;
  revoke(organizationId: string, id: string): Promise<void>;
  /** A key of the organization, by the key itself; null for any other. `isLasting`: it works for a day at least. */
  inspect(
    tx: Transaction<Database>,
    organizationId: string,
    key: string,
  ): Promise<{ id: string; isLasting: boolean } | null>;
  /** As `revoke`, in a transaction. */
  revokeIn(tx: Transaction<Database>, organizationId: string, id: string): Promise<void>;
}

/** Days that a key lives when its creator says nothing. */
const DEFAULT_DAYS = 90;

/** `pepper`: 32 bytes that no database holds, so that a leaked table cannot be matched against keys. */
export function createKeyService(adapters: {
  db: Kysely<Database>;
  pepper: Buffer;
  keysPerHour: number;
  log: Logger;
}): KeyService {
  const { db, log } = adapters;
  const pepper = createSecretKey(adapters.pepper);
  const hmacOf = (key: string) => createHmac('sha256', pepper).update(key).digest();
  const findByHmac = batchLookups(async (hmacs) => {
    const rows = await findKeysByHmac(
      db,
      hmacs.map((hmac) => Buffer.from(hmac, 'hex')),
    );
    return new Map(rows.map((row) => [row.key_hmac.toString('hex'), row]));
  });
  // Many requests may see at once that the last use is to be written; they share one writing.
  const touching = new Map<string, Promise<void>>();
  const touch = (id: string): Promise<void> => {
    const running = touching.get(id) ?? touchKey(db, id).finally(() => touching.delete(id));
    touching.set(id, running);
    return running;
  };

  const issue: KeyService['issue'] = async (tx, organizationId, createdBy, body) => {
    const key = formatKey(randomBytes(32));
    const row = await insertKey(tx, {
      id: newId('key'),
      organizationId,
      name: body.name,
      hmac: hmacOf(key),
      last4: key.slice(-4),
      scopes:
        body.scopes === undefined || body.scopes.length === 0 ? ['read', 'write'] : [...new Set(body.scopes)],
      allowedCidrs: body.allowedCidrs ?? [],
      expiresInDays: body.expiresInDays === undefined ? DEFAULT_DAYS : body.expiresInDays,
      createdBy,
    });
    return { ...present(row), key };
  };

  return {
    issue,

    async authenticate(authorization, address) {
      if (authorization === undefined)
        throw unauthorized('Send an API key: Authorization: Bearer offprint_...');
      const key = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
      if (key === undefined) throw unauthorized('The Authorization header must be: Bearer offprint_...');
      if (!isWellFormedKey(key))
        throw unauthorized('This is not an API key: its format or its checksum is wrong.');
      const row = await findByHmac(hmacOf(key).toString('hex'));
      if (row === undefined || row.revoked || row.expired) {
        const reason = row === undefined ? 'unknown' : row.revoked ? 'revoked' : 'expired';
        log.info({ keyId: row?.id, reason, address }, 'API key rejected');
        // One sentence for all three: which one it is would tell a stranger that the key once was real.
        throw unauthorized('The API key is invalid: it is unknown, expired or revoked.');
      }
      if (!isAllowed(row.allowed_cidrs, address)) {
        log.info({ keyId: row.id, reason: 'address', address }, 'API key rejected');
        throw new AppError(
          'address_not_allowed',
          'The API key does not allow requests from this IP address. Use a key whose IP ranges contain it.',
        );
      }
      if (row.use_is_news) await touch(row.id);
      return {
        kind: 'key',
        id: row.id,
        name: row.name,
        organizationId: row.organization_id,
        scopes: row.scopes as KeyPrincipal['scopes'],
      };
    },

    create: (principal, body) =>
      db.transaction().execute(async (tx) => {
        await lockOrganization(tx, principal.organizationId);
        const { count, retryAfter } = await countOfLastHour(tx, 'api_keys', principal.organizationId);
        if (count >= adapters.keysPerHour) {
          throw new AppError(
            'too_many_keys',
            `The organization created ${count} keys in the last hour, which is the limit. Try again later.`,
            { headers: { 'Retry-After': String(retryAfter) } },
          );
        }
        return issue(tx, principal.organizationId, principal.name, body);
      }),

    async list(organizationId, query) {
      const rows = await listKeys(db, organizationId, {
        after: parseCursor(query.cursor),
        limit: query.limit,
      });
      return pageOf(rows, query.limit, present);
    },

    async inspect(tx, organizationId, key) {
      const [row] = await findKeysByHmac(tx, [hmacOf(key)]);
      if (row === undefined || row.organization_id !== organizationId) return null;
      return { id: row.id, isLasting: !row.revoked && !row.expires_soon };
    },

    async revokeIn(tx, organizationId, id) {
      await revokeKey(tx, organizationId, id);
    },

    async revoke(organizationId, id) {
      if (!(await revokeKey(db, organizationId, id))) throw notFound('API key');
    },
  };
}

function unauthorized(message: string): AppError {
  return new AppError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** An empty list allows every address. IPv4 seen as `::ffff:a.b.c.d` counts as IPv4. */
function isAllowed(cidrs: readonly string[], address: string): boolean {
  if (cidrs.length === 0) return true;
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  const family = isIP(plain);
  if (family === 0) return false;
  const allowed = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/');
    allowed.addSubnet(network, Number(prefix), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return allowed.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}

function present(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    last4: row.last4,
    scopes: row.scopes as ApiKey['scopes'],
    allowedCidrs: row.allowed_cidrs,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
