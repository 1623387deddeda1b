import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { findFileOwner, HOSTS_CHANGED, isVerifiedHost, proofOf } from '../domains/service.ts';
import type { Database } from '../platform/db/database.ts';
import type { Listener } from '../platform/db/listen.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import type { LimitAnonymous } from '../platform/http/server.ts';
import { requireSiteServer } from '../platform/http/site-server.ts';
import { unseal } from '../platform/secret.ts';
import { keyContext } from './order.ts';
import { CERTIFICATES_CHANGED, findChallenge, listUsed } from './store.ts';

export interface CertificateRouteAdapters {
  db: Kysely<Database>;
  listener: Listener;
  /** Undefined: the endpoints for site servers do not exist. */
  token: string | undefined;
  /** Opens the keys of certificates. */
  key: Buffer;
  /** Key of the proofs of domains. */
  domainKey: Buffer;
  /** Whether a site serves a host that is not a verified domain, such as that of a preview. */
  servesHost(host: string): Promise<boolean>;
}

/** Instead of the token of a challenge: the newest one, for tls-alpn-01, whose requests name no token. */
export const NEWEST_CHALLENGE = 'tls-alpn-01';

/** Longest time for which a request for the certificates waits for a change. */
const MAX_WAIT_SECONDS = 30;
/** A notification can be lost, so a waiter also polls. */
const POLL_MS = 5_000;

const query = z.object({
  after: z.string().min(1).max(100).optional(),
  waitSeconds: z.coerce.number().int().min(0).max(MAX_WAIT_SECONDS).default(0),
});

/** A certificate as site servers get it. */
interface ServedCertificate {
  domains: string[];
  chain: string;
  key: string;
  fingerprint: string;
  expiresAt: string;
}

/** Serves the certificates, responses to challenges, and the question of a proxy whether a host is served. */
export function registerCertificateRoutes(
  app: FastifyInstance,
  adapters: CertificateRouteAdapters,
  limitAnonymous: LimitAnonymous,
): void {
  const { db, token } = adapters;
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());

  const onRequest = requireSiteServer(token, limitAnonymous);

  app.get<{ Querystring: { domain?: unknown } }>(
    '/v1/hosting/ask',
    { onRequest: limitAnonymous },
    async (request, reply) => {
      const host = hostOf(request.query.domain);
      const isServed =
        host !== null && ((await isVerifiedHost(db, host)) || (await adapters.servesHost(host)));
      if (!isServed) throw notFound('site');
      return reply.type('text/plain; charset=utf-8').send('yes\n');
    },
  );

  app.get('/v1/hosting/certificates', { onRequest }, async (request, reply) => {
    const parsed = query.safeParse(request.query);
    if (!parsed.success) {
      throw new AppError('invalid_request', `waitSeconds must be a number from 0 to ${MAX_WAIT_SECONDS}.`, {
        param: 'waitSeconds',
      });
    }
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const signal = AbortSignal.any([closing.signal, gone.signal]);
    const list = await readChanged(adapters, parsed.data, signal);
    return list === null ? reply.code(304).send() : reply.send(list);
  });

  app.get<{ Params: { host: string; token: string } }>(
    '/v1/hosting/challenges/:host/:token',
    { onRequest },
    async (request, reply) => {
      const host = hostOf(request.params.host);
      const text = host === null ? undefined : await responseTo(adapters, host, request.params.token);
      if (text === undefined) throw notFound('challenge');
      return reply.type('text/plain; charset=utf-8').send(text);
    },
  );
}

/** The list when it differs from the one that the site server knows; null if it did not change in the time. */
async function readChanged(
  { db, key, listener }: CertificateRouteAdapters,
  { after, waitSeconds }: z.output<typeof query>,
  signal: AbortSignal,
): Promise<{ cursor: string; certificates: ServedCertificate[] } | null> {
  const deadline = performance.now() + waitSeconds * 1_000;
  for (;;) {
    const wake = new AbortController();
    const stops = [CERTIFICATES_CHANGED, HOSTS_CHANGED].map((channel) =>
      listener.listen(channel, () => wake.abort()),
    );
    try {
      const rows = await listUsed(db);
      const digest = createHash('sha256');
      for (const { host, fingerprint } of rows) digest.update(`${host} ${fingerprint}\n`);
      const cursor = digest.digest('base64url');
      if (cursor !== after) {
        const certificates = rows.map((row) => ({
          domains: [row.host],
          chain: row.chain,
          key: unseal(key, row.keySealed, keyContext(row.domainId)),
          fingerprint: row.fingerprint,
          expiresAt: row.expiresAt.toISOString(),
        }));
        return { cursor, certificates };
      }
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || signal.aborted) return null;
      await pause(Math.min(leftMs, POLL_MS), AbortSignal.any([signal, wake.signal]));
    } finally {
      for (const stop of stops) stop();
    }
  }
}

/** Of a certificate authority, or of a check of a domain that a file has verified. */
async function responseTo(
  { db, domainKey }: CertificateRouteAdapters,
  host: string,
  token: string,
): Promise<string | undefined> {
  if (token.includes('\0')) return undefined;
  const challenge = await findChallenge(db, host, token === NEWEST_CHALLENGE ? null : token);
  if (challenge !== undefined) return challenge;
  const owner = await findFileOwner(db, host);
  if (owner === undefined) return undefined;
  const proof = proofOf(domainKey, owner.organization_id, host);
  return proof.token === token ? proof.file?.content : undefined;
}

/** A host in the notation of the tables; null if it is not one. */
function hostOf(text: unknown): string | null {
  if (typeof text !== 'string' || text.length === 0 || text.length > 1_000) return null;
  const host = domainToASCII(text.replace(/\.$/, '')).toLowerCase();
  return /^[a-z0-9.-]{1,253}$/.test(host) ? host : null;
}

/** Resolves after the time or when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
