import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type VerifiedHost, verifiedHosts, verifiedWildcards } from '../domains/service.ts';
import type { Database } from '../platform/db/database.ts';
import type { Listener } from '../platform/db/listen.ts';
import type { Access, ReaderService } from '../readers/service.ts';
import { type ServedVariant, servedVariants } from './variants.ts';

/** What one host serves, as site servers read it. */
export interface Site {
  host: string;
  projectId: string;
  /** Null for a host that only redirects. */
  deploymentId: string | null;
  kind: 'production' | 'preview';
  redirectTo: string | null;
  basePath: string;
  sha256: string | null;
  sizeBytes: number | null;
  noindex: boolean;
  access: Access;
  /** Releases for some of its readers. */
  variants: ServedVariant[];
  /** Whether its readers may be counted. */
  isMeasured: boolean;
}

export interface SiteList {
  /** Digest of the list. */
  cursor: string;
  sites: Site[];
  /** Keys of days, with which site servers make visitors of requests. */
  visitorKeys: readonly { day: string; key: string }[];
}

export interface SiteListAdapters {
  db: Kysely<Database>;
  listener: Listener;
  previewDomain: string | null;
  accessOf: ReaderService['accessOf'];
  /** Of these projects, those whose readers may be counted. */
  readMeasured(projectIds: readonly string[]): Promise<ReadonlySet<string>>;
  readVisitorKeys(): Promise<SiteList['visitorKeys']>;
}

/** Notifications on it: sites or domains have changed. Sent by triggers of the tables. */
const CHANNEL = 'offprint_sites';
/** A notification can be lost, and previews expire without one. */
const POLL_MS = 5_000;
/** Changes that come together are read together. */
const SETTLE_MS = 20;

export interface Sites {
  read(): Promise<SiteList>;
  /** The list as soon as it differs from that of the cursor `after`; null after `seconds` without a change. */
  readChanged(after: string | undefined, seconds: number, signal: AbortSignal): Promise<SiteList | null>;
}

/** All requests of a process that wait share one query. */
export function createSites(adapters: SiteListAdapters): Sites {
  let reading: Promise<SiteList> | null = null;
  const read = (): Promise<SiteList> => {
    reading ??= sleep(SETTLE_MS).then(() => {
      // A later request may know of a change that this query does not see.
      reading = null;
      return listSites(adapters);
    });
    return reading;
  };
  return {
    read,
    async readChanged(after, seconds, signal) {
      const until = performance.now() + seconds * 1_000;
      for (;;) {
        const left = until - performance.now();
        // Subscribed before the list is read: a change in between is not missed.
        const subscription = new AbortController();
        const change = adapters.listener.wait(
          CHANNEL,
          '',
          Math.max(0, Math.min(POLL_MS, left)),
          AbortSignal.any([signal, subscription.signal]),
        );
        try {
          const list = await read();
          if (list.cursor !== after) return list;
          if (left <= 0 || signal.aborted) return null;
          await change;
        } finally {
          subscription.abort();
        }
      }
    },
  };
}

type OpenSite = Omit<Site, 'access' | 'variants' | 'isMeasured'> & { siteId: string };

async function listSites({ db, previewDomain, accessOf, ...adapters }: SiteListAdapters): Promise<SiteList> {
  const rows = await db
    .selectFrom('sites')
    .innerJoin('deployments', 'deployments.id', 'sites.deployment_id')
    .select(['sites.id as site_id', 'sites.project_id', 'sites.label'])
    .select(['deployments.id', 'deployments.base_path'])
    .select(['deployments.bundle_sha256', 'deployments.bundle_bytes'])
    .where(sql<boolean>`(sites.expires_at IS NULL OR sites.expires_at > now())`)
    .execute();
  const hosts = Map.groupBy(await verifiedHosts(db), ({ projectId }) => projectId);
  const wildcards = Map.groupBy(await verifiedWildcards(db), ({ projectId }) => projectId);
  const open = rows.flatMap((row): OpenSite[] => {
    const release = {
      siteId: row.site_id,
      projectId: row.project_id,
      basePath: row.base_path,
      deploymentId: row.id,
      sha256: row.bundle_sha256,
      sizeBytes: row.bundle_bytes,
    };
    if (row.label === null) {
      return (hosts.get(row.project_id) ?? [])
        .filter(({ host }) => !isPreviewHost(host, previewDomain))
        .map((host) => productionSite(release, host));
    }
    const bases = [...(wildcards.get(row.project_id) ?? []).map(({ base }) => base), previewDomain];
    return bases.flatMap((base): OpenSite[] =>
      base === null
        ? []
        : [{ ...release, host: `${row.label}.${base}`, kind: 'preview', redirectTo: null, noindex: true }],
    );
  });
  open.sort((a, b) => (a.host < b.host ? -1 : 1));
  const access = await accessOf(open.map(({ host, projectId, kind }) => ({ host, projectId, site: kind })));
  const variants = await servedVariants(db);
  const measured = await adapters.readMeasured(open.map(({ projectId }) => projectId));
  const visitorKeys = measured.size === 0 ? [] : await adapters.readVisitorKeys();
  const sites = open.map(({ siteId, ...site }, index): Site => {
    const granted = access[index];
    if (granted === undefined) throw new Error(`the access to ${site.host} is not known`);
    const hasOwn = granted.kind !== 'public' && site.redirectTo === null;
    return {
      ...site,
      access: granted,
      isMeasured: measured.has(site.projectId),
      variants: hasOwn ? (variants.get(siteId) ?? []) : [],
    };
  });
  const list = { sites, visitorKeys };
  return { cursor: hash('sha256', JSON.stringify(list), 'base64url'), ...list };
}

/** A host that site servers serve, with what its sign-in needs. */
export interface ServedSite {
  host: string;
  organizationId: string;
  projectId: string;
  site: 'production' | 'preview';
  basePath: string;
  siteId: string;
  deploymentId: string;
  /** Null if it was deleted. */
  exportId: string | null;
  /** Digest of its bundle; null as long as none is stored. */
  bundle: string | null;
}

/** The site of a host; undefined if it serves none, or only redirects. */
export async function findServedSite(
  { db, previewDomain }: Pick<SiteListAdapters, 'db' | 'previewDomain'>,
  host: string,
): Promise<ServedSite | undefined> {
  const [label = '', base = ''] = /^([^.]+)\.(.+)$/.exec(host)?.slice(1) ?? [];
  const open = db
    .selectFrom('sites')
    .innerJoin('deployments', 'deployments.id', 'sites.deployment_id')
    .select(['sites.organization_id', 'sites.project_id', 'deployments.base_path'])
    .select(['sites.id as site_id', 'deployments.id as deployment_id'])
    .select(['deployments.export_id', 'deployments.bundle_sha256'])
    .where(sql<boolean>`(sites.expires_at IS NULL OR sites.expires_at > now())`);
  const hasDomain = (domain: string) =>
    open
      .innerJoin('site_domains', 'site_domains.project_id', 'sites.project_id')
      .where('site_domains.host', '=', domain)
      .where('site_domains.state', '=', 'verified');
  const production = () =>
    hasDomain(host)
      .where('sites.label', 'is', null)
      .where('site_domains.redirect_to', 'is', null)
      .executeTakeFirst();
  const preview = () => hasDomain(`*.${base}`).where('sites.label', '=', label).executeTakeFirst();
  const ofInstallation = () => open.where('sites.label', '=', label).executeTakeFirst();
  const isOfInstallation = isPreviewHost(host, previewDomain);
  const served = isOfInstallation ? undefined : await production();
  const found =
    served ??
    (isOfInstallation && base === previewDomain ? await ofInstallation() : undefined) ??
    (await preview());
  if (found === undefined) return undefined;
  return {
    host,
    organizationId: found.organization_id,
    projectId: found.project_id,
    site: served === undefined ? 'preview' : 'production',
    basePath: found.base_path,
    siteId: found.site_id,
    deploymentId: found.deployment_id,
    exportId: found.export_id,
    bundle: found.bundle_sha256,
  };
}

/** Whether the host belongs to previews: a project that names it as its domain must not get the readers of one. */
function isPreviewHost(host: string, previewDomain: string | null): boolean {
  return previewDomain !== null && (host === previewDomain || host.endsWith(`.${previewDomain}`));
}

function productionSite(
  release: Omit<OpenSite, 'host' | 'kind' | 'redirectTo' | 'noindex'>,
  { host, redirectTo }: VerifiedHost,
): OpenSite {
  const isRedirect = redirectTo !== null;
  return {
    ...release,
    ...(isRedirect ? { deploymentId: null, sha256: null, sizeBytes: null } : {}),
    host,
    kind: 'production',
    redirectTo,
    noindex: false,
  };
}
