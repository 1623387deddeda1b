import { type Kysely, sql, type Transaction } from 'kysely';
import { type Database, json } from '../db/database.ts';
import { seal, unseal } from '../secret.ts';
import { AppError } from './error.ts';
import { fingerprint } from './fingerprint.ts';

/** A response that can be replayed. */
export interface StoredAnswer {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

export interface IdempotentRequest {
  organizationId: string;
  /** Method and path. */
  route: string;
  /** The `Idempotency-Key` header; undefined = the request is not to be replayed. */
  key: string | undefined;
  body: unknown;
  /** How long a response is kept. */
  hours: number;
  /**
   * Key under which the body of the response is sealed while it is kept, for responses with a secret in them.
   */
  sealKey?: Buffer;
}

/**
 * Runs a request once per `Idempotency-Key`. The response is stored in the transaction that does the work, so
 * that either both exist or neither. Same key and body: the stored response with `Idempotent-Replay: true`;
 * another body: 422; the first still running: 409. What throws stores nothing.
 */
export async function runOnce(
  db: Kysely<Database>,
  request: IdempotentRequest,
  run: (tx: Transaction<Database>) => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  const { key } = request;
  if (key === undefined) return db.transaction().execute(run);
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key)) {
    throw new AppError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.', {
      param: 'Idempotency-Key',
    });
  }
  const print = fingerprint(request.body ?? null);
  return db.transaction().execute(async (tx) => {
    await lock(tx, request.organizationId, request.route, key);
    const stored = await find(tx, request, key);
    if (stored !== undefined) {
      if (!stored.fingerprint.equals(print)) {
        throw new AppError(
          'idempotency_mismatch',
          'This Idempotency-Key was used with another body. Use a new key for a new request.',
          { param: 'Idempotency-Key' },
        );
      }
      return {
        status: stored.response_status,
        body: openBody(request, key, stored.response_body),
        headers: { ...stored.response_headers, 'Idempotent-Replay': 'true' },
      };
    }
    const answer = await run(tx);
    await tx
      .insertInto('idempotency_keys')
      .values({
        organization_id: request.organizationId,
        route: request.route,
        key,
        fingerprint: print,
        response_status: answer.status,
        response_body: json(closeBody(request, key, answer.body)),
        response_headers: json(answer.headers),
      })
      .execute();
    return answer;
  });
}

function closeBody(request: IdempotentRequest, key: string, body: unknown): unknown {
  if (request.sealKey === undefined) return body;
  return { sealed: seal(request.sealKey, JSON.stringify(body), contextOf(request, key)).toString('base64') };
}

function openBody(request: IdempotentRequest, key: string, body: unknown): unknown {
  if (request.sealKey === undefined) return body;
  const { sealed } = body as { sealed: string };
  return JSON.parse(unseal(request.sealKey, Buffer.from(sealed, 'base64'), contextOf(request, key)));
}

function contextOf({ organizationId, route }: IdempotentRequest, key: string): string {
  return JSON.stringify(['answer', organizationId, route, key]);
}

/** Whether `runOnce` would not run the request but return the stored response. */
export async function hasAnswer(db: Kysely<Database>, request: IdempotentRequest): Promise<boolean> {
  const { key } = request;
  return key !== undefined && (await find(db, request, key)) !== undefined;
}

/** Deletes responses older than their time; returns how many. */
export async function forgetAnswers(db: Kysely<Database>, hours: number): Promise<number> {
  const result = await db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<', sql<Date>`now() - make_interval(hours => ${hours})`)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** The lock goes with the transaction: a process that dies leaves none behind. */
async function lock(
  tx: Transaction<Database>,
  organizationId: string,
  route: string,
  key: string,
): Promise<void> {
  const name = JSON.stringify(['idempotency', organizationId, route, key]);
  const { rows } = await sql<{ locked: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS locked`.execute(tx);
  if (rows[0]?.locked === true) return;
  throw new AppError(
    'idempotency_in_flight',
    'The first request with this Idempotency-Key is still in progress. Try again in a second.',
    { param: 'Idempotency-Key', headers: { 'Retry-After': '1' } },
  );
}

async function find(db: Kysely<Database> | Transaction<Database>, request: IdempotentRequest, key: string) {
  const scope = { organization_id: request.organizationId, route: request.route, key };
  await db
    .deleteFrom('idempotency_keys')
    .where((eb) => eb.and(scope))
    .where('created_at', '<', sql<Date>`now() - make_interval(hours => ${request.hours})`)
    .execute();
  return db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'response_status', 'response_body', 'response_headers'])
    .where((eb) => eb.and(scope))
    .executeTakeFirst();
}
