import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import {
  type ApiKey,
  type CreateApiKeyBody,
  type CreatedApiKey,
  formatKey,
  includesRole,
  isWellFormedKey,
  routes,
  type Scope,
  scopes,
} from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import { lockOrganization, revokeInvitationsOfKeys, roleOf } from '../organizations/service.ts';
import { batchLookups } from '../platform/db/batch.ts';
import type { Database } from '../platform/db/database.ts';
import { countOfLastHour } from '../platform/db/last-hour.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { runOnce, type StoredAnswer } from '../platform/http/idempotency.ts';
import type { KeyPrincipal, Principal, Reach } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/log.ts';
import { findUnknownProject } from '../projects/service.ts';
import { type Grant, grantOf, noLimits, requireWithin } from './grant.ts';
import { containsAddress } from './network.ts';
import {
  findKeysByHmac,
  insertKey,
  isUsable,
  type KeyRow,
  listKeys,
  revokeWithCreated,
  touchKey,
  transactionTime,
} from './store.ts';

export interface KeyService {
  /** The principal of an `Authorization` header; throws the 401, or the 403 for an address not in the allow-list. */
  authenticate(authorization: string | undefined, address: string): Promise<KeyPrincipal>;
  /** Creates a key with at most the rights of its creator, once per `Idempotency-Key`; the response is 201 with it. */
  create(
    principal: Principal,
    body: CreateApiKeyBody,
    request: { key: string | undefined; target: string },
  ): Promise<StoredAnswer & { body: CreatedApiKey }>;
  /** Creates a key with any rights, for operators of the installation. */
  issue(
    tx: Transaction<Database>,
    organizationId: string,
    createdBy: string,
    body: CreateApiKeyBody,
  ): Promise<CreatedApiKey>;
  /** The keys that a caller sees: all of the organization, or those limited to some of the caller's projects. */
  list(
    reach: Reach,
    query: { cursor?: string | undefined; limit: number },
  ): Promise<{ data: ApiKey[]; nextCursor: string | null }>;
  /** Revokes a key with all that it created; the ids of the other keys that ended now. Throws the 404. */
  revoke(reach: Reach, id: string): Promise<{ alsoRevoked: string[] }>;
  /** Throws the 401 for a key that was revoked or expired since the request started; needs the lock on the organization. */
  requireUsable(tx: Transaction<Database>, principal: Principal): Promise<void>;
  /** A key of the organization, by the key itself; null for any other. `isLasting`: it works for a day at least. */
  inspect(
    tx: Transaction<Database>,
    organizationId: string,
    key: string,
  ): Promise<{ id: string; isLasting: boolean } | null>;
  /** As `revoke`, in a transaction. */
  revokeIn(tx: Transaction<Database>, organizationId: string, id: string): Promise<void>;
}

/** `pepper`: 32 bytes that no database holds, so that a leaked table cannot be matched against keys. */
export function createKeyService(adapters: {
  db: Kysely<Database>;
  pepper: Buffer;
  keysPerHour: number;
  idempotencyHours: number;
  /** Seals responses with a key in them while they are kept for replay. */
  answerKey: Buffer;
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

  const issueGrant = async (
    tx: Transaction<Database>,
    organizationId: string,
    creator: { name: string; keyId: string | null },
    name: string,
    grant: Grant,
  ): Promise<CreatedApiKey> => {
    const unknown = await findUnknownProject(tx, organizationId, grant.projects ?? []);
    if (unknown !== undefined) {
      throw new AppError(
        'invalid_request',
        `projects: ${JSON.stringify(unknown)} is not the id of a project of the organization.`,
        { param: '/projects' },
      );
    }
    const key = formatKey(randomBytes(32));
    const row = await insertKey(tx, {
      id: newId('key'),
      organizationId,
      name,
      hmac: hmacOf(key),
      last4: key.slice(-4),
      grant,
      createdBy: creator.name,
      createdByKey: creator.keyId,
    });
    return { ...present(row), key };
  };

  const requireUsable: KeyService['requireUsable'] = async (tx, principal) => {
    if (principal.kind !== 'key' || (await isUsable(tx, principal.organizationId, principal.id))) return;
    throw keyInvalid();
  };

  /** Throws when the creator has lost the right since the request started; needs the lock on the organization. */
  const requireCreator = async (tx: Transaction<Database>, principal: Principal): Promise<void> => {
    await requireUsable(tx, principal);
    if (principal.kind === 'key') return;
    const role = await roleOf(tx, principal.organizationId, principal.id);
    if (role !== undefined && includesRole(role, routes.createApiKey.role)) return;
    throw new AppError('role_required', 'Your role was changed. Ask an admin of the organization.');
  };

  return {
    requireUsable,

    async issue(tx, organizationId, createdBy, body) {
      const grant = grantOf(body, await transactionTime(tx), noLimits);
      return issueGrant(tx, organizationId, { name: createdBy, keyId: null }, body.name, grant);
    },

    async authenticate(authorization, address) {
      if (authorization === undefined)
        throw unauthorized('Send an API key: Authorization: Bearer offprint_...');
      const key = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
      if (key === undefined) throw unauthorized('The Authorization header must be: Bearer offprint_...');
      if (!isWellFormedKey(key))
        throw unauthorized('This is not an API key: its format or its checksum is wrong.');
      const row = await findByHmac(hmacOf(key).toString('hex'));
      const reason = row === undefined ? 'unknown' : endOf(row);
      if (row === undefined || reason !== null) {
        log.info({ keyId: row?.id, reason, address }, 'API key rejected');
        throw keyInvalid();
      }
      if (row.allowed_cidrs.length > 0 && !containsAddress(row.allowed_cidrs, address)) {
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
        scopes: knownScopes(row.scopes),
        projects: row.projects,
        allowedCidrs: row.allowed_cidrs,
        expiresAt: row.expires_at,
      };
    },

    async create(principal, body, request) {
      const { organizationId } = principal;
      const once = {
        organizationId,
        // The response has a key in it, so nobody else may get it again.
        route: `${request.target} by ${principal.id}`,
        key: request.key,
        body,
        hours: adapters.idempotencyHours,
        sealKey: adapters.answerKey,
      };
      const answer = await runOnce(db, once, async (tx) => {
        await lockOrganization(tx, organizationId);
        await requireCreator(tx, principal);
        const limits = principal.kind === 'key' ? principal : noLimits;
        const grant = grantOf(body, await transactionTime(tx), limits);
        requireWithin(principal, grant, body);
        const { count, retryAfter } = await countOfLastHour(tx, 'api_keys', organizationId);
        if (count >= adapters.keysPerHour) {
          throw new AppError(
            'too_many_keys',
            `The organization created ${count} keys in the last hour, which is the limit. Try again later.`,
            { headers: { 'Retry-After': String(retryAfter) } },
          );
        }
        const creator = { name: principal.name, keyId: principal.kind === 'key' ? principal.id : null };
        const created = await issueGrant(tx, organizationId, creator, body.name, grant);
        return { status: 201, body: created, headers: {} };
      });
      return { ...answer, body: answer.body as CreatedApiKey };
    },

    async list(reach, query) {
      const rows = await listKeys(db, reach, {
        after: parseCursor(query.cursor),
        limit: query.limit,
      });
      return pageOf(rows, query.limit, present);
    },

    revoke: (reach, id) =>
      db.transaction().execute(async (tx) => {
        const revoked = await revokeIn(tx, reach, id);
        if (revoked.length === 0) throw notFound('API key');
        return { alsoRevoked: revoked.filter((key) => key.isNew && key.id !== id).map((key) => key.id) };
      }),

    async inspect(tx, organizationId, key) {
      const [row] = await findKeysByHmac(tx, [hmacOf(key)]);
      if (row === undefined || row.organization_id !== organizationId) return null;
      return { id: row.id, isLasting: !row.revoked && !row.expires_soon };
    },

    async revokeIn(tx, organizationId, id) {
      await revokeIn(tx, { organizationId, projects: null }, id);
    },
  };
}

/** Under the lock on the organization, so that a key cannot create another one meanwhile. */
async function revokeIn(tx: Transaction<Database>, reach: Reach, id: string) {
  await lockOrganization(tx, reach.organizationId);
  const revoked = await revokeWithCreated(tx, reach, id);
  await revokeInvitationsOfKeys(
    tx,
    reach.organizationId,
    revoked.map((key) => key.id),
  );
  return revoked;
}

/** Why a key no longer works, for the log; null: it works. */
function endOf(row: { revoked: boolean; expired: boolean; creator_ended: boolean }): string | null {
  if (row.revoked) return 'revoked';
  if (row.expired) return 'expired';
  return row.creator_ended ? 'creator revoked or expired' : null;
}

/** One sentence for all reasons: which one it is would tell a stranger that the key once was real. */
function keyInvalid(): AppError {
  return unauthorized('The API key is invalid: it is unknown, expired or revoked.');
}

function unauthorized(message: string): AppError {
  return new AppError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** The column also has names that earlier versions understand. */
function knownScopes(stored: readonly string[]): Scope[] {
  return scopes.filter((scope) => stored.includes(scope));
}

function present(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    last4: row.last4,
    scopes: knownScopes(row.scopes),
    projects: row.projects,
    allowedCidrs: row.allowed_cidrs,
    createdBy: row.created_by,
    createdByKey: row.created_by_key,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
