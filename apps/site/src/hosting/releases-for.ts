import type { Route, ServedReleases } from './routes.ts';
import type { HostRelease } from './state.ts';

/** The releases from which a response may come, all of them for readers like this one. */
export interface ReaderReleases {
  /** Null: nothing is served to this reader yet. */
  current: HostRelease | null;
  /** Whose hashed files pages that the reader has open may still request; in order. */
  earlier: readonly HostRelease[];
}

/**
 * The only place where it is decided which release a reader gets. `reader`: who has signed in; null: nobody.
 *
 * Of the variants whose groups the reader all has, the one with the most groups; without one, the release of the site.
 * Those who have not signed in to a restricted site get the variant of its open pages, or nothing.
 */
export function releasesFor(route: Route, reader: { groups: readonly string[] } | null): ReaderReleases {
  const { site, variants } = route;
  if (site.access.kind === 'public') return { current: route.current, earlier: present([route.previous]) };
  if (reader === null) {
    const open = variants.find(({ variant }) => variant.groups === null);
    return { current: open?.current ?? null, earlier: present([open?.previous ?? null]) };
  }
  const has = new Set(reader.groups);
  let best: ServedReleases = route;
  let most = 0;
  for (const one of variants) {
    const { groups, unless } = one.variant;
    if (groups === null || one.current === null || groups.length <= most) continue;
    if (!groups.every((group) => has.has(group)) || unless.some((group) => has.has(group))) continue;
    best = one;
    most = groups.length;
  }
  const { current, previous } = best;
  // the release of the site is for every reader who has signed in
  return {
    current,
    earlier: present(best === route ? [previous] : [previous, route.current, route.previous]),
  };
}

function present(releases: readonly (HostRelease | null)[]): HostRelease[] {
  return releases.filter((release) => release !== null);
}
