import type { AddDomainBody, SiteDomain, SiteDomainList, UpdateDomainBody } from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { newId } from '../platform/ids.ts';
import { type Periodic, startShared } from '../platform/jobs/periodic.ts';
import type { Metrics } from '../platform/metrics.ts';
import { addProjectDomain, lockProject, readProject } from '../projects/service.ts';
import { refusalOf } from './host-rules.ts';
import { presentDomain } from './present.ts';
import {
  countDomains,
  type DomainKey,
  type DomainRow,
  deleteDomain,
  findDomain,
  findHost,
  insertDomain,
  isTarget,
  listDomains,
  setRedirect,
} from './store.ts';
import { type VerifyAdapters, verifyDomain, verifyDue } from './verify.ts';

export { proofOf } from './proof.ts';
export {
  findFileOwner,
  HOSTS_CHANGED,
  isVerifiedHost,
  type VerifiedHost,
  verifiedHosts,
  verifiedWildcards,
} from './store.ts';
export type { VerifyAdapters } from './verify.ts';

export interface DomainService {
  list(
    organizationId: string,
    projectId: string,
    query: { cursor?: string | undefined; limit: number },
  ): Promise<SiteDomainList>;
  /** Claims a domain, which becomes one of the project unless it redirects, and checks it once. */
  add(
    organizationId: string,
    projectId: string,
    body: AddDomainBody,
    signal: AbortSignal,
  ): Promise<SiteDomain>;
  read(key: DomainKey): Promise<SiteDomain>;
  /** The domain before and after the change. */
  update(key: DomainKey, body: UpdateDomainBody): Promise<{ before: SiteDomain; domain: SiteDomain }>;
  check(key: DomainKey, signal: AbortSignal): Promise<SiteDomain>;
  release(key: DomainKey): Promise<void>;
}

/** What certificates add to domains. */
export interface CertificatePort {
  /** Certificates by the id of their domain; without those of domains for which none is obtained. */
  read(domainIds: readonly string[]): Promise<ReadonlyMap<string, NonNullable<SiteDomain['certificate']>>>;
  /** Orders a certificate that is missing, and repeats an order that failed. */
  request(domainId: string): Promise<void>;
}

/** Of an installation that obtains no certificates. */
export const noCertificates: CertificatePort = {
  read: async () => new Map(),
  request: async () => undefined,
};

export interface DomainAdapters extends VerifyAdapters {
  /** Hosts of the platform, and domains below which it names hosts: nobody can claim them. */
  ownHosts(): readonly string[];
  /** Whether site servers can get the sites of this installation. */
  servesSites: boolean;
  certificates: CertificatePort;
}

/** A project serves at most this number of hosts. */
const MAX_DOMAINS = 200;
/** A domain that was just checked is not checked again. */
const RECENT_MS = 5_000;
const SWEEP_MS = 60_000;

export function createDomainService(adapters: DomainAdapters): DomainService {
  const { db, certificates } = adapters;

  const present = async (rows: readonly DomainRow[]): Promise<SiteDomain[]> => {
    const found = await certificates.read(rows.map(({ id }) => id));
    return rows.map((row) => presentDomain(row, found.get(row.id) ?? null, adapters));
  };
  const find = async (on: Kysely<Database>, key: DomainKey): Promise<DomainRow> => {
    await readProject(on, key.organizationId, key.projectId);
    const row = await findDomain(on, key);
    if (row === undefined) throw notFound('domain');
    return row;
  };
  const read = async (key: DomainKey): Promise<SiteDomain> => {
    const [shown] = await present([await find(db, key)]);
    if (shown === undefined) throw notFound('domain');
    return shown;
  };

  return {
    read,

    async list(organizationId, projectId, query) {
      await readProject(db, organizationId, projectId);
      const page = { after: parseCursor(query.cursor), limit: query.limit };
      const rows = await listDomains(db, { organizationId, projectId }, page);
      const { data, nextCursor } = pageOf(rows, query.limit, (row) => row);
      return { data: await present(data), nextCursor };
    },

    async add(organizationId, projectId, body, signal) {
      const { domain: host, redirectTo = null } = body;
      const refusal = refusalOf(host, adapters.ownHosts());
      if (refusal !== null) throw new AppError('domain_refused', refusal, { param: '/domain' });
      const id = newId('dom');
      await db.transaction().execute(async (tx) => {
        await readProject(tx, organizationId, projectId);
        await lockProject(tx, organizationId, projectId);
        if ((await countDomains(tx, projectId)) >= MAX_DOMAINS) {
          throw new AppError(
            'invalid_request',
            `The project has ${MAX_DOMAINS} domains, which is the limit. Release one first.`,
            { param: '/domain' },
          );
        }
        const target = await targetOf(tx, { projectId, host, id: null }, redirectTo);
        const row = { id, organization_id: organizationId, project_id: projectId, host, redirect_to: target };
        const isFree =
          (target !== null ||
            host.startsWith('*.') ||
            (await addProjectDomain(tx, { organizationId, projectId }, host))) &&
          (await insertDomain(tx, row));
        if (isFree) return;
        throw new AppError('domain_taken', `A project of the organization already has the domain ${host}.`, {
          param: '/domain',
        });
      });
      await verifyDomain(adapters, { id, organizationId, host }, signal);
      return read({ organizationId, projectId, id });
    },

    async update(key, { redirectTo }) {
      const before = await read(key);
      await db.transaction().execute(async (tx) => {
        await lockProject(tx, key.organizationId, key.projectId);
        const { host, id } = await find(tx, key);
        await setRedirect(tx, key, await targetOf(tx, { projectId: key.projectId, host, id }, redirectTo));
      });
      return { before, domain: await read(key) };
    },

    async check(key, signal) {
      const row = await find(db, key);
      const isRecent = row.checked_at !== null && Date.now() - row.checked_at.getTime() < RECENT_MS;
      if (!isRecent) {
        await verifyDomain(adapters, { ...key, host: row.host }, signal);
        await certificates.request(key.id);
      }
      return read(key);
    },

    async release(key) {
      await readProject(db, key.organizationId, key.projectId);
      const isDeleted = await db.transaction().execute((tx) => deleteDomain(tx, key));
      if (!isDeleted) throw notFound('domain');
    },
  };
}

/** The id of the domain to which one is redirected. Redirects have one step, so that none is endless. */
async function targetOf(
  tx: Transaction<Database>,
  from: { projectId: string; host: string; id: string | null },
  redirectTo: string | null,
): Promise<string | null> {
  if (redirectTo === null) return null;
  const refuse = (message: string): AppError =>
    new AppError('invalid_request', message, { param: '/redirectTo' });
  if (redirectTo.startsWith('*.') || from.host.startsWith('*.'))
    throw refuse('redirectTo: a wildcard cannot be redirected, and cannot be the target of a redirect.');
  const target = await findHost(tx, from.projectId, redirectTo);
  if (target === undefined)
    throw refuse(`redirectTo: ${redirectTo} is not a domain of the project. Add it first.`);
  if (target.id === from.id) throw refuse('redirectTo: a domain cannot be redirected to itself.');
  if (target.redirect_to !== null)
    throw refuse(`redirectTo: ${redirectTo} is redirected itself. Name the domain that serves the site.`);
  if (from.id !== null && (await isTarget(tx, from.id)))
    throw refuse(`redirectTo: other domains are redirected to ${from.host}. Change them first.`);
  return target.id;
}

/** Checks domains when they are due, once for the installation. */
export function startDomainSweeper(adapters: VerifyAdapters & { metrics: Metrics }): Periodic {
  return startShared(
    [{ name: 'check domains', ms: SWEEP_MS, run: (signal) => verifyDue(adapters, signal) }],
    adapters,
  );
}
