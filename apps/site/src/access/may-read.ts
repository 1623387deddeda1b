import type { Reader } from '@offprint/bundle';

/** The readers of a site, as the platform lists them. */
export type Access =
  | { kind: 'public' }
  | {
      kind: 'password' | 'members' | 'oidc' | 'token';
      /** 32 bytes, base64url: signs the cookies of readers of this host. A new key signs everyone out. */
      cookieKey: string;
    };

/** What a resource asks of its readers. */
export interface Requirement {
  /** Open on a restricted site, unless groups are named (`public` in the front matter). */
  isPublic: boolean;
  /** The reader must be in one of these; null: any reader. */
  groups: readonly string[] | null;
}

/** A resource without a rule of its own: for every reader of the site. */
export const EVERY_READER: Requirement = { isPublic: false, groups: null };

/** The one decision for every resource of a site: page, Markdown, asset, index, feed, error page. */
export function mayRead(access: Access, reader: Reader | null, requirement: Requirement): boolean {
  const { isPublic, groups } = requirement;
  if (groups !== null) return reader !== null && groups.some((group) => reader.groups.includes(group));
  return access.kind === 'public' || isPublic || reader !== null;
}
