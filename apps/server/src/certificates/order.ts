import { createPrivateKey, X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Lease } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/log.ts';
import { seal, unseal } from '../platform/secret.ts';
import {
  type AcmeClient,
  AcmeError,
  type Authority,
  type Authorization,
  createAcmeClient,
  type Order,
  type Polled,
  textOf,
} from './acme.ts';
import { createRequest } from './der.ts';
import { newKey } from './jws.ts';
import {
  findAccount,
  forgetChallenges,
  insertAccount,
  notifyCertificates,
  type OrderRow,
  saveChallenge,
  saveOrder,
  setAccountUrl,
} from './store.ts';

export interface OrderAdapters {
  db: Kysely<Database>;
  log: Logger;
  authority: Authority;
  challenge: 'http-01' | 'tls-alpn-01';
  /** Seals keys. */
  key: Buffer;
  /** How long one attempt waits for the authority; default 2 minutes. */
  waitMs?: number;
}

/** The authority refused the order, or validation failed: the next attempt creates another order. */
export class OrderRefusedError extends Error {
  override name = 'OrderRefusedError';
}

/** The authority has not decided yet: the next attempt continues the order. */
export class OrderPendingError extends Error {
  override name = 'OrderPendingError';
}

/** A later attempt, a release or a cancel has taken the order away. */
export class OrderLostError extends Error {
  override name = 'OrderLostError';
}

const WAIT_MS = 120_000;
const [MIN_POLL_MS, MAX_POLL_MS] = [250, 10_000];

/** Contexts of sealed keys: one opens nowhere else. */
export const keyContext = (domainId: string) => `certificates.key_sealed ${domainId}`;
const orderKeyContext = (domainId: string) => `certificates.order_key_sealed ${domainId}`;
const accountContext = (directory: string) => `acme_accounts.key_sealed ${directory}`;

/** Obtains a certificate for a host. Continues where an earlier attempt ended. */
export async function runOrder(adapters: OrderAdapters, row: OrderRow, lease: Lease): Promise<string> {
  const { db } = adapters;
  const { domain_id: domainId, host } = row;
  const save = async (set: Parameters<typeof saveOrder>[2]): Promise<void> => {
    if (!(await saveOrder(db, lease, set))) throw new OrderLostError('The order was taken away.');
  };
  const client = await openClient(adapters, lease.signal);
  const { url, order } = await openOrder(client, row, save);
  const wait = createWait(adapters.waitMs ?? WAIT_MS, lease.signal);

  if (order.status === 'pending') {
    for (const authorization of order.authorizations)
      await authorize(adapters, client, { row, authorization, wait });
  }
  const ready = await wait(
    () => client.order(url),
    ({ status }) => status !== 'pending',
  );
  let key =
    row.order_key_sealed === null
      ? null
      : unseal(adapters.key, row.order_key_sealed, orderKeyContext(domainId));
  if (ready.status === 'ready') {
    key = newKey();
    // Kept before the request is sent: the certificate of an order whose key is lost is of no use.
    await save({ order_key_sealed: seal(adapters.key, key, orderKeyContext(domainId)) });
    await client.finalize(ready.finalize, createRequest(key, host));
  }
  const done = await wait(
    () => client.order(url),
    ({ status }) => status === 'valid' || status === 'invalid',
  );
  if (done.status === 'invalid') throw new OrderRefusedError(reasonOf(done));
  if (done.certificate === undefined || key === null)
    throw new OrderRefusedError('The order has no certificate.');
  const chain = await client.certificate(done.certificate);
  const facts = inspectChain(chain, key, host);
  const sealed = seal(adapters.key, key, keyContext(domainId));
  await db.transaction().execute(async (tx) => {
    const isMine = await saveOrder(tx, lease, {
      ...facts,
      state: 'idle',
      chain,
      key_sealed: sealed,
      failures: 0,
      error: null,
      order_url: null,
      order_key_sealed: null,
    });
    if (!isMine) throw new OrderLostError('The order was taken away.');
    await forgetChallenges(tx, domainId);
    await notifyCertificates(tx);
  });
  adapters.log.info({ domainId, domain: host, expiresAt: facts.expires_at }, 'a certificate was issued');
  return 'completed';
}

/** The client of the account of this installation, which is registered at the first use. */
async function openClient({ db, authority, key }: OrderAdapters, signal: AbortSignal): Promise<AcmeClient> {
  const { directory } = authority;
  const context = accountContext(directory);
  if ((await findAccount(db, directory)) === undefined)
    await insertAccount(db, directory, seal(key, newKey(), context));
  const account = await findAccount(db, directory);
  if (account === undefined) throw new Error('the account of the certificate authority is not stored');
  const client = createAcmeClient(authority, {
    key: unseal(key, account.key_sealed, context),
    account: account.url,
    signal,
  });
  const url = await client.register();
  if (url !== account.url) await setAccountUrl(db, directory, url);
  return client;
}

/** The order in progress, or another one where it is invalid or the authority has forgotten it. */
async function openOrder(
  client: AcmeClient,
  row: OrderRow,
  save: (set: { order_url: string; order_key_sealed: null }) => Promise<void>,
): Promise<{ url: string; order: Order }> {
  if (row.order_url !== null) {
    const kept = await client.order(row.order_url).catch((error: unknown) => {
      if (error instanceof AcmeError && error.status < 500) return null;
      throw error;
    });
    const isUsable = kept !== null && kept.value.status !== 'invalid';
    // The key of a finished order is needed for its certificate.
    const hasKey =
      kept?.value.status === 'pending' || kept?.value.status === 'ready' || row.order_key_sealed !== null;
    if (isUsable && hasKey) return { url: row.order_url, order: kept.value };
  }
  const created = await client.newOrder(row.host);
  await save({ order_url: created.url, order_key_sealed: null });
  return created;
}

type Wait = <Value>(read: () => Promise<Polled<Value>>, isOver: (value: Value) => boolean) => Promise<Value>;

/** Polls until the state is reached, within one time for all calls. */
function createWait(waitMs: number, signal: AbortSignal): Wait {
  const deadline = performance.now() + waitMs;
  return async (read, isOver) => {
    for (let pause = MIN_POLL_MS; ; pause = Math.min(MAX_POLL_MS, pause * 2)) {
      const { value, retryAfterMs } = await read();
      if (isOver(value)) return value;
      const next = retryAfterMs ?? pause;
      if (performance.now() + next > deadline)
        throw new OrderPendingError('The certificate authority has not decided about the order yet.');
      await sleep(next, undefined, { signal });
    }
  };
}

async function authorize(
  { db, challenge: type }: OrderAdapters,
  client: AcmeClient,
  { row, authorization: url, wait }: { row: OrderRow; authorization: string; wait: Wait },
): Promise<void> {
  const { value: authorization } = await client.authorization(url);
  if (authorization.status === 'pending') {
    const challenge = authorization.challenges.find((each) => each.type === type);
    if (challenge?.token === undefined) {
      const offered = authorization.challenges.map((each) => each.type).join(', ');
      throw new OrderRefusedError(`The certificate authority offers no ${type} challenge, only ${offered}.`);
    }
    await saveChallenge(db, {
      domain_id: row.domain_id,
      token: challenge.token,
      key_authorization: client.keyAuthorization(challenge.token),
    });
    if (challenge.status === 'pending') await client.accept(challenge.url);
  }
  const decided = await wait(
    () => client.authorization(url),
    ({ status }) => status !== 'pending',
  );
  if (decided.status !== 'valid') throw new OrderRefusedError(validationText(decided));
}

function validationText({ status, challenges }: Authorization): string {
  const error = challenges.find((each) => each.error !== undefined)?.error;
  return error === undefined ? `The authorization of the domain is ${status}.` : textOf(error);
}

const reasonOf = ({ error }: Order): string =>
  error === undefined ? 'The certificate authority refused the order.' : textOf(error);

/** What is kept of a chain. Throws unless its first certificate is for the host and the key, and valid now. */
export function inspectChain(
  chain: string,
  key: string,
  host: string,
): { fingerprint: string; expires_at: Date; renew_at: Date } {
  const leaf = parseCertificate(chain);
  const isOurs = leaf?.checkPrivateKey(createPrivateKey(key)) === true && leaf.checkHost(host) !== undefined;
  const [start, end] = [leaf?.validFromDate ?? new Date(0), leaf?.validToDate ?? new Date(0)];
  if (leaf === null || !isOurs || end.getTime() <= Date.now())
    throw new OrderRefusedError(
      'The certificate authority returned a certificate that is not valid for the domain.',
    );
  const lifetime = end.getTime() - start.getTime();
  return {
    fingerprint: leaf.fingerprint256,
    expires_at: end,
    renew_at: new Date(end.getTime() - lifetime / 3),
  };
}

function parseCertificate(chain: string): X509Certificate | null {
  try {
    return new X509Certificate(chain);
  } catch {
    return null;
  }
}
