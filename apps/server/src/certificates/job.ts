import { sql, type Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Failure, Fence, Kind } from '../platform/jobs/jobs.ts';
import { NetworkError } from '../platform/net/error.ts';
import { AcmeError } from './acme.ts';
import {
  type OrderAdapters,
  OrderLostError,
  OrderPendingError,
  OrderRefusedError,
  runOrder,
} from './order.ts';
import { beginOrder, CERTIFICATE_KIND, requeueOrder, saveOrder, setAccountUrl } from './store.ts';

/** After the first refusal; times five after each one that follows, up to half a day. */
const REFUSED_MS = 120_000;
const MAX_REFUSED_MS = 43_200_000;
/** An authority that is slow or away. */
const PENDING_MS = 30_000;

const MAX_EXPONENT = 5;

/** A failure with the time until the next attempt, which depends on those before it. */
class OrderFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, options: ErrorOptions) {
    super(failure.message, options);
    this.failure = failure;
  }
}

/** Orders of certificates as jobs. They are never given up: a domain whose DNS is corrected gets its certificate. */
export function createCertificateKind(adapters: OrderAdapters & { refusedMs?: number }): Kind {
  const refusedMs = adapters.refusedMs ?? REFUSED_MS;
  return {
    name: CERTIFICATE_KIND,
    unfinished: sql`
      SELECT domain_id AS id, organization_id, NULL AS lane, attempt FROM certificates WHERE state <> 'idle'`,
    maxFailures: Number.MAX_SAFE_INTEGER,
    async begin(tx, fence) {
      const row = await beginOrder(tx, fence);
      if (row === undefined) return undefined;
      return {
        run: async (lease) => {
          try {
            return await runOrder(adapters, row, lease);
          } catch (error) {
            if (lease.signal.aborted || error instanceof OrderLostError) throw error;
            if (error instanceof AcmeError && error.type === 'accountDoesNotExist')
              await setAccountUrl(adapters.db, adapters.authority.directory, null);
            throw new OrderFailure(explain(error, row.failures, refusedMs), { cause: error });
          }
        },
      };
    },
    failureOf(error) {
      if (error instanceof OrderLostError) return null;
      if (error instanceof OrderFailure) return error.failure;
      return { code: 'internal', message: 'An internal error of the server.', retryable: true };
    },
    release: (tx, fence) => saveOrder(tx, fence, { state: 'queued' }),
    retry: (tx, fence, failure, delayMs) => requeue(tx, fence, failure, delayMs),
    fail: (tx, fence, failure) => requeue(tx, fence, failure, MAX_REFUSED_MS),
  };
}

function requeue(
  tx: Transaction<Database>,
  fence: Fence,
  { code, message }: Failure,
  delayMs: number,
): Promise<boolean> {
  return requeueOrder(tx, fence, {
    error: message,
    delayMs,
    isRefused: code === 'order_refused',
    counts: code !== 'order_pending',
  });
}

function explain(error: unknown, failures: number, refusedMs: number): Failure {
  const backOff = Math.min(MAX_REFUSED_MS, refusedMs * 5 ** Math.min(failures, MAX_EXPONENT));
  const failure = (code: string, message: string, retryAfterMs: number): Failure => ({
    code,
    message,
    retryable: true,
    retryAfterMs,
  });
  if (error instanceof OrderPendingError)
    return failure('order_pending', error.message, Math.min(backOff, PENDING_MS));
  if (error instanceof OrderRefusedError) return failure('order_refused', error.message, backOff);
  if (error instanceof AcmeError) {
    const code = error.status >= 500 ? 'authority_failed' : 'order_refused';
    return failure(code, error.message, Math.max(backOff, error.retryAfterMs ?? 0));
  }
  if (error instanceof NetworkError) {
    const message = `The certificate authority could not be reached. ${error.message}`;
    return failure('authority_unreachable', message, Math.min(backOff, PENDING_MS));
  }
  return failure('internal', 'An internal error of the server.', backOff);
}
