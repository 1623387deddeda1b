import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Listener } from '../platform/db/listen.ts';
import { type ServedHost, servedHosts } from './served-hosts.ts';

/** Readers to whom a site is open. */
export type Access =
  | { kind: 'public' }
  | { kind: 'password' | 'members' | 'oidc' | 'token'; cookieKey: string };

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
}

export interface SiteList {
  /** Digest of the list. */
  cursor: string;
  sites: Site[];
}

export interface SiteListAdapters {
  db: Kysely<Database>;
  listener: Listener;
  previewDomain: string | null;
}

/** Notifications on it: sites or domains have changed. Sent by triggers of the tables. */
const CHANNEL = 'offprint_sites';
/** A notification can be lost, and previews expire without one. */
const POLL_MS = 5_000;
/** Changes that come together are read together. */
const SETTLE_MS = 20;

export interface Sites {
  read(): Promise<SiteList>;
  /** The list when it is no longer the one of the cursor `after`; null after `seconds` without a change. */
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

async function listSites({ db, previewDomain }: SiteListAdapters): Promise<SiteList> {
  const rows = await db
    .selectFrom('sites')
    .innerJoin('deployments', 'deployments.id', 'sites.deployment_id')
    .select(['sites.project_id', 'sites.label', 'deployments.id', 'deployments.base_path'])
    .select(['deployments.bundle_sha256', 'deployments.bundle_bytes'])
    .where(sql<boolean>`(sites.expires_at IS NULL OR sites.expires_at > now())`)
    .execute();
  const hosts = Map.groupBy(await servedHosts(db), ({ projectId }) => projectId);
  const sites = rows.flatMap((row) => {
    const site = {
      projectId: row.project_id,
      basePath: row.base_path,
      deploymentId: row.id,
      sha256: row.bundle_sha256,
      sizeBytes: row.bundle_bytes,
      access: { kind: 'public' as const },
    };
    if (row.label !== null) {
      return previewDomain === null
        ? []
        : [
            {
              ...site,
              host: `${row.label}.${previewDomain}`,
              kind: 'preview' as const,
              redirectTo: null,
              noindex: true,
            },
          ];
    }
    return (hosts.get(row.project_id) ?? [])
      .filter(({ host }) => !isPreviewHost(host, previewDomain))
      .map((host) => productionSite(site, host));
  });
  sites.sort((a, b) => (a.host < b.host ? -1 : 1));
  return { cursor: hash('sha256', JSON.stringify(sites), 'base64url'), sites };
}

/** Whether the host belongs to previews: a project that names it as its domain must not get the readers of one. */
function isPreviewHost(host: string, previewDomain: string | null): boolean {
  return previewDomain !== null && (host === previewDomain || host.endsWith(`.${previewDomain}`));
}

function productionSite(
  site: Omit<Site, 'host' | 'kind' | 'redirectTo' | 'noindex'>,
  { host, redirectTo }: ServedHost,
): Site {
  const isRedirect = redirectTo !== null;
  return {
    ...site,
    ...(isRedirect ? { deploymentId: null, sha256: null, sizeBytes: null } : {}),
    host,
    kind: 'production',
    redirectTo,
    noindex: false,
  };
}
