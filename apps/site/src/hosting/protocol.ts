import type { Access } from '../access/access.ts';
import { cleanBasePath } from '../base-path.ts';

/** A host and what it serves, as the platform describes it. */
export interface HostedSite {
  /** Lower case, IDNA, without a port. */
  host: string;
  projectId: string;
  /** Null for a host that only redirects. */
  deploymentId: string | null;
  kind: 'production' | 'preview';
  /** Another host, to which all requests are redirected. */
  redirectTo: string | null;
  /** `/docs`, or empty for the root. */
  basePath: string;
  /** Digest of the bundle. */
  sha256: string | null;
  sizeBytes: number | null;
  /** Search engines must not list it. */
  noindex: boolean;
  access: Access;
  /** Releases for some of its readers. Empty: all readers get the release of the site. */
  variants: SiteVariant[];
  /** Its readers may be counted. */
  isMeasured: boolean;
}

/** The readers of a release that is not for all readers of its site. */
export interface Audience {
  /** Readers who are in all of these groups; null: those who have not signed in. */
  groups: readonly string[] | null;
  /** Readers in one of these groups do not get it. */
  unless: readonly string[];
}

/** A release of the same commit for some readers. */
export interface SiteVariant extends Audience {
  /** Names the bundle, as the id of a deployment does. */
  deploymentId: string;
  sha256: string;
}

const hostPattern = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?$/;
const idPattern = /^[A-Za-z0-9._-]{1,128}$/;
const digestPattern = /^[0-9a-f]{64}$/;
/** More variants of a site than the platform renders; the rest of a list is ignored. */
const maxVariants = 200;
const maxGroups = 400;
const closedKinds = ['password', 'members', 'oidc', 'token'] as const;

/**
 * The sites of a list. An entry that is not valid is left out and reported to `onInvalid`, so that it does not affect
 * the others. The first entry of a host counts.
 */
export function parseSites(list: readonly unknown[], onInvalid: (host: string) => void): HostedSite[] {
  const sites = new Map<string, HostedSite>();
  for (const entry of list) {
    const fields = fieldsOf(entry);
    const site = fields === null ? null : parseSite(fields);
    if (site === null) onInvalid(String(fields?.host ?? '').slice(0, 253));
    else if (!sites.has(site.host)) sites.set(site.host, site);
  }
  return [...sites.values()];
}

function parseSite(fields: Record<string, unknown>): HostedSite | null {
  const host = matching(fields.host, hostPattern);
  const projectId = matching(fields.projectId, idPattern);
  const access = parseAccess(fieldsOf(fields.access));
  const { kind, noindex } = fields;
  if (host === null || projectId === null || access === null) return null;
  if ((kind !== 'production' && kind !== 'preview') || typeof noindex !== 'boolean') return null;
  const redirectTo = matching(fields.redirectTo, hostPattern);
  const deploymentId = matching(fields.deploymentId, idPattern);
  const sha256 = matching(fields.sha256, digestPattern);
  const basePath = parseBasePath(fields.basePath);
  // a host that should be closed must not become one that redirects or is open
  if (basePath === null || (redirectTo === null && (deploymentId === null || sha256 === null))) return null;
  const { sizeBytes: size } = fields;
  const sizeBytes = typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : null;
  return {
    host,
    projectId,
    deploymentId,
    kind,
    redirectTo,
    basePath,
    sha256,
    sizeBytes,
    noindex,
    access,
    variants: parseVariants(fields.variants),
    // a platform of before does not count
    isMeasured: fields.isMeasured === true,
  };
}

/** A variant that is not valid is left out: its readers get less. */
function parseVariants(value: unknown): SiteVariant[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, maxVariants).flatMap((entry: unknown) => parseVariant(fieldsOf(entry)) ?? []);
}

function parseVariant(fields: Record<string, unknown> | null): SiteVariant | null {
  const audience = parseAudience(fields);
  const deploymentId = matching(fields?.deploymentId, idPattern);
  const sha256 = matching(fields?.sha256, digestPattern);
  return audience === null || deploymentId === null || sha256 === null
    ? null
    : { ...audience, deploymentId, sha256 };
}

/** Null if it is not known for sure who may get the release. */
export function parseAudience(fields: Record<string, unknown> | null): Audience | null {
  const unless = parseGroups(fields?.unless);
  const groups = fields?.groups === null ? null : parseGroups(fields?.groups);
  if (unless === null || (groups === null && fields?.groups !== null)) return null;
  return groups?.length === 0 ? null : { groups, unless };
}

function parseGroups(value: unknown): string[] | null {
  if (!Array.isArray(value) || value.length > maxGroups) return null;
  return value.every((group) => typeof group === 'string') ? value : null;
}

function parseAccess(fields: Record<string, unknown> | null): Access | null {
  if (fields?.kind === 'public') return { kind: 'public' };
  const kind = closedKinds.find((known) => known === fields?.kind);
  const cookieKey = matching(fields?.cookieKey, /^[A-Za-z0-9_-]{43}$/);
  return kind === undefined || cookieKey === null ? null : { kind, cookieKey };
}

function parseBasePath(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  try {
    return cleanBasePath(value);
  } catch {
    return null;
  }
}

function matching(value: unknown, pattern: RegExp): string | null {
  return typeof value === 'string' && pattern.test(value) ? value : null;
}

/** The fields of a JSON object; null for any other value. */
export function fieldsOf(value: unknown): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.fromEntries(Object.entries(value));
}
