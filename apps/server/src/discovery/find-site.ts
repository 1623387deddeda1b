import type { Kysely } from 'kysely';
import { findLive, type ServedSite } from '../deployments/service.ts';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import type { Reach } from '../platform/http/route.ts';
import { findProjectIdByDomain } from '../projects/service.ts';
import type { Access } from '../readers/service.ts';

/** The site behind a domain, with its kind of access. */
export interface FoundSite {
  projectId: string;
  /** The live deployment, which is for all readers who may read the site. */
  deploymentId: string;
  siteId: string;
  basePath: string;
  access: Access['kind'];
}

/** A release of a site for some of its readers. */
export interface ReaderVariant {
  /** Readers who are in all of these groups; null: those who have not signed in. */
  groups: readonly string[] | null;
  /** Readers in one of these groups do not get it. */
  unless: readonly string[];
  deploymentId: string;
}

export interface FindSiteAdapters {
  db: Kysely<Database>;
  findServedSite(host: string): Promise<ServedSite | undefined>;
  accessOf(
    hosts: readonly { host: string; projectId: string; site: ServedSite['site'] }[],
  ): Promise<readonly Access[]>;
}

/**
 * The site on a host, or that of the project with the domain. Throws the 404 for a site that the caller does not reach,
 * which is the same as for one that does not exist.
 */
export async function findSite(adapters: FindSiteAdapters, reach: Reach, domain: string): Promise<FoundSite> {
  const host = domain.toLowerCase();
  const served = (await findByHost(adapters, reach, host)) ?? (await findByProject(adapters, reach, host));
  const isReached = served !== null && (reach.projects?.includes(served.projectId) ?? true);
  if (!isReached) throw siteNotFound();
  const { projectId, deploymentId, siteId, basePath, site } = served;
  const [access] = await adapters.accessOf([{ host, projectId, site }]);
  if (access === undefined) throw siteNotFound();
  return { projectId, deploymentId, siteId, basePath, access: access.kind };
}

/** Without the host, so that the response never differs between sites that are missing and those of others. */
const siteNotFound = (): AppError =>
  new AppError(
    'not_found',
    'Site not found. Use the domain of a project that has a deployment, or a host that serves it.',
  );

type Located = Pick<ServedSite, 'projectId' | 'deploymentId' | 'siteId' | 'basePath' | 'site'>;

async function findByHost(
  { findServedSite }: FindSiteAdapters,
  { organizationId }: Reach,
  host: string,
): Promise<Located | null> {
  const found = await findServedSite(host);
  return found?.organizationId === organizationId ? found : null;
}

async function findByProject(
  { db }: FindSiteAdapters,
  { organizationId }: Reach,
  domain: string,
): Promise<Located | null> {
  const projectId = await findProjectIdByDomain(db, organizationId, domain);
  const live = projectId === undefined ? undefined : await findLive(db, organizationId, projectId);
  if (live === undefined) return null;
  const { project_id, id, site_id, base_path } = live;
  return {
    projectId: project_id,
    deploymentId: id,
    siteId: site_id,
    basePath: base_path,
    site: 'production',
  };
}

/**
 * The deployment or variant that a reader in these groups gets; null if nothing. As site servers choose it: of the
 * variants whose groups the reader all has, the one with the most groups. A reader without groups counts as one who has
 * not signed in.
 */
export function deploymentFor(
  { access, deploymentId }: Pick<FoundSite, 'access' | 'deploymentId'>,
  variants: readonly ReaderVariant[],
  groups: readonly string[],
): string | null {
  if (access === 'public') return deploymentId;
  if (groups.length === 0) return variants.find((one) => one.groups === null)?.deploymentId ?? null;
  const has = new Set(groups);
  const fitting = variants.filter(
    (one) => one.groups?.every((group) => has.has(group)) && !one.unless.some((group) => has.has(group)),
  );
  const [best] = fitting.sort((a, b) => (b.groups?.length ?? 0) - (a.groups?.length ?? 0));
  return best?.deploymentId ?? deploymentId;
}
