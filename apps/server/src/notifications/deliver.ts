import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { StoredAttempt } from '../platform/db/schema.ts';
import type { Failure, Kind, Lease } from '../platform/jobs/jobs.ts';
import type { Mailer } from '../platform/mail.ts';
import { NetworkError } from '../platform/net/error.ts';
import { unseal } from '../platform/secret.ts';
import { standardSignature } from '../platform/webhook-signature.ts';
import { mailText, webhookBody } from './message.ts';
import { NOTIFICATION_KIND } from './record.ts';
import {
  beginDelivery,
  failDelivery,
  findEndpoint,
  holdsDelivery,
  type NotificationRow,
  recordAttempt,
} from './store.ts';

export interface DeliveryAdapters {
  db: Kysely<Database>;
  /** Opens URLs and secrets of endpoints. */
  key: Buffer;
  /** Sends requests to hosts that the installation allows. */
  fetch: typeof fetch;
  /** Null: the installation sends no email. */
  mailer: Mailer | null;
  /** Address of the dashboard, for links; null if it is unknown. */
  publicUrl: string | null;
}

/** Time of a request from the look-up of its host to its response, in milliseconds. */
const REQUEST_MS = 15_000;

/** Milliseconds before each attempt after the first: about 20 hours together. */
const DELAYS_MS = [5, 30, 300, 1_800, 7_200, 18_000, 43_200].map((seconds) => seconds * 1_000);

/** Status by which an endpoint says that it wants nothing more. */
const GONE = 410;

class DeliveryError extends Error {
  override name = 'DeliveryError';
  readonly retryable: boolean;
  readonly status: number | null;
  /** Failed attempts before this one. */
  readonly tries: number;
  constructor(message: string, facts: { retryable: boolean; status?: number; tries: number }) {
    super(message);
    this.retryable = facts.retryable;
    this.status = facts.status ?? null;
    this.tries = facts.tries;
  }
}

/** Additional data of a context: a sealed value opens only for its endpoint. */
export const contextOf = (endpointId: string, part: 'url' | 'secret'): string =>
  `webhook-endpoint/${endpointId}/${part}`;

/** Notifications as jobs: each is delivered at least once, with the same id each time. */
export function createNotificationKind(adapters: DeliveryAdapters): Kind {
  return {
    name: NOTIFICATION_KIND,
    unfinished: sql`
      SELECT id, organization_id, coalesce(endpoint_id, user_id) AS lane, attempt
      FROM notifications WHERE state = 'queued'`,
    maxFailures: DELAYS_MS.length + 1,
    async begin(tx, fence) {
      const row = await beginDelivery(tx, fence);
      return row && { run: (lease) => deliver(adapters, row, lease) };
    },
    failureOf: explain,
    release: holdsDelivery,
    retry: holdsDelivery,
    fail: failDelivery,
  };
}

async function deliver(
  { db, ...means }: DeliveryAdapters,
  row: NotificationRow,
  lease: Lease,
): Promise<string> {
  const started = performance.now();
  const at = new Date().toISOString();
  const attempt = (status: number | null, error: string | null): StoredAttempt => ({
    at,
    status,
    error,
    milliseconds: Math.round(performance.now() - started),
  });
  try {
    const status =
      row.endpoint_id === null
        ? await sendMail({ db, ...means }, row)
        : await sendRequest({ db, ...means }, row, row.endpoint_id, lease.signal);
    return (await recordAttempt(db, lease, attempt(status, null), 'delivered')) ? 'completed' : 'lost';
  } catch (error) {
    lease.signal.throwIfAborted();
    const failed = toDeliveryError(error, row.tries);
    await recordAttempt(db, lease, attempt(failed.status, failed.message), 'queued');
    if (failed.status === GONE && row.endpoint_id !== null) await disable(db, row.endpoint_id);
    throw failed;
  }
}

/** Resolves with the status of a response that acknowledges the request. */
async function sendRequest(
  { db, key, fetch: send, publicUrl }: DeliveryAdapters,
  row: NotificationRow,
  endpointId: string,
  signal: AbortSignal,
): Promise<number> {
  const endpoint = await findEndpoint(db, row.project_id, endpointId);
  if (endpoint === undefined || !endpoint.enabled) {
    throw new DeliveryError('The endpoint is disabled.', { retryable: false, tries: row.tries });
  }
  const body = Buffer.from(JSON.stringify(webhookBody(row, publicUrl)));
  const time = String(Math.floor(Date.now() / 1_000));
  const secret = unseal(key, endpoint.secret_sealed, contextOf(endpointId, 'secret'));
  const response = await send(unseal(key, endpoint.url_sealed, contextOf(endpointId, 'url')), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': row.id,
      'webhook-timestamp': time,
      'webhook-signature': standardSignature(secret, { id: row.id, time, body }),
    },
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
  });
  await response.body?.cancel();
  if (response.ok) return response.status;
  throw new DeliveryError(`${endpoint.origin} responded with status ${response.status}.`, {
    retryable: response.status !== GONE,
    status: response.status,
    tries: row.tries,
  });
}

async function sendMail({ db, mailer, publicUrl }: DeliveryAdapters, row: NotificationRow): Promise<null> {
  const refuse = (why: string): never => {
    throw new DeliveryError(why, { retryable: false, tries: row.tries });
  };
  if (mailer === null) return refuse('The installation does not send email.');
  // Members who left after the event get no email.
  const user = await db
    .selectFrom('users')
    .innerJoin('members', 'members.user_id', 'users.id')
    .select('users.email')
    .where('users.id', '=', row.user_id ?? '')
    .where('members.organization_id', '=', row.organization_id)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst();
  if (user === undefined) return refuse('The user is no longer a member of the organization.');
  await mailer.send({ to: user.email, subject: row.subject, text: mailText(row, publicUrl) });
  return null;
}

async function disable(db: Kysely<Database>, endpointId: string): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({
      enabled: false,
      disabled_reason: 'The endpoint responded with status 410, which means that it no longer exists.',
    })
    .where('id', '=', endpointId)
    .execute();
}

function toDeliveryError(error: unknown, tries: number): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof NetworkError) {
    return new DeliveryError(error.message, { retryable: error.retryable, tries });
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new DeliveryError(`No response within ${REQUEST_MS / 1_000} s.`, { retryable: true, tries });
  }
  const why = error instanceof Error ? error.message : String(error);
  return new DeliveryError(why.slice(0, 500), { retryable: true, tries });
}

function explain(error: unknown): Failure {
  const { message, retryable, tries } = toDeliveryError(error, 0);
  return { code: 'undelivered', message, retryable, retryAfterMs: DELAYS_MS[tries] ?? 0 };
}
