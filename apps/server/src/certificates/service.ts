import type { DomainCertificate } from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { CertificatePort } from '../domains/service.ts';
import type { Database } from '../platform/db/database.ts';
import { type Periodic, startShared } from '../platform/jobs/periodic.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type CertificateRow, listStates, queueOrders } from './store.ts';

export type { Authority } from './acme.ts';
export { createCertificateKind } from './job.ts';
export type { OrderAdapters } from './order.ts';

const SWEEP_MS = 30_000;

/** What domains show of certificates, and how they ask for one. */
export function createCertificatePort(db: Kysely<Database>): CertificatePort {
  return {
    async read(domainIds) {
      const rows = domainIds.length === 0 ? [] : await listStates(db, domainIds);
      return new Map(rows.map((row) => [row.domain_id, presentCertificate(row)]));
    },
    async request(domainId) {
      await db.transaction().execute((tx) => queueOrders(tx, domainId));
    },
  };
}

function presentCertificate(row: CertificateRow): DomainCertificate {
  const hasFailed = row.error !== null && row.state === 'queued';
  return {
    state: hasFailed
      ? 'failed'
      : row.state === 'idle'
        ? row.chain === null
          ? 'queued'
          : 'ready'
        : row.state,
    expiresAt: row.expires_at?.toISOString() ?? null,
    renewAt: row.renew_at?.toISOString() ?? null,
    error: row.error,
    retryAt: row.retry_at?.toISOString() ?? null,
  };
}

/** Queues orders of new domains and renewals, once for the installation. */
export function startCertificateSweeper(adapters: {
  db: Kysely<Database>;
  log: Logger;
  metrics: Metrics;
}): Periodic {
  const { db } = adapters;
  const run = async () => {
    await db.transaction().execute((tx) => queueOrders(tx));
  };
  return startShared([{ name: 'order certificates', ms: SWEEP_MS, run }], adapters);
}
