import type { Audience, HostedSite, SiteVariant } from './protocol.ts';
import type { HostRelease, HostState, VariantState } from './state.ts';
import type { Target } from './work.ts';

/** What the readers of one audience get. */
export interface ServedReleases {
  /** Null until the first release is installed. */
  current: HostRelease | null;
  /** Its hashed files remain available. */
  previous: HostRelease | null;
}

/** What requests of a host get. Replaced as a whole, so that a request sees one state of it. */
export interface Route extends ServedReleases {
  site: HostedSite;
  /** In the order of `site.variants`. */
  variants: readonly (ServedReleases & { variant: SiteVariant })[];
}

export type Routes = ReadonlyMap<string, Route>;

/** The routes of a new list. What a host serves stays, unless the host moves to another project. */
export function routesOf(sites: readonly HostedSite[], before: readonly HostState[]): Routes {
  const known = new Map(before.map((state) => [state.host, state]));
  return new Map(
    sites.map((site): [string, Route] => {
      const state = known.get(site.host);
      const own = state?.projectId === site.projectId && site.redirectTo === null ? state : null;
      // an audience that is not listed any more gets nothing of its own from now on
      const variants = site.variants.map((variant) => {
        const found = own?.variants.find((one) => audienceKey(one) === audienceKey(variant));
        return { variant, current: found?.current ?? null, previous: found?.previous ?? null };
      });
      return [site.host, { site, current: own?.current ?? null, previous: own?.previous ?? null, variants }];
    }),
  );
}

/** What each host serves. */
export function statesOf(routes: Routes): HostState[] {
  return [...routes.values()].flatMap(({ site: { host, projectId }, current, previous, variants }) =>
    current === null
      ? []
      : [
          {
            host,
            projectId,
            current,
            previous,
            variants: variants.flatMap(({ variant: { groups, unless }, ...served }): VariantState[] =>
              served.current === null
                ? []
                : [{ groups, unless, current: served.current, previous: served.previous }],
            ),
          },
        ],
  );
}

/** The routes once a release is installed, and the number of hosts where it replaced another one. */
export function activate(routes: Routes, sha256: string): { routes: Routes; switches: number } {
  const next = new Map(routes);
  let switches = 0;
  for (const [host, route] of routes) {
    const release = wantedRelease(route.site);
    const own = switched(route, release, sha256);
    if (own !== null && route.current !== null && own.current !== null)
      switches += own.current.sha256 === route.current.sha256 ? 0 : 1;
    const variants = route.variants.map((one) => ({
      ...one,
      ...switched(one, variantRelease(route.site, one.variant), sha256),
    }));
    next.set(host, { ...route, ...own, variants });
  }
  return { routes: next, switches };
}

/** What is served once the wanted release is installed; null: the same as before. */
function switched(
  { current, previous }: ServedReleases,
  wanted: HostRelease | null,
  sha256: string,
): ServedReleases | null {
  if (wanted?.sha256 !== sha256 || isSame(wanted, current)) return null;
  // the same files below another path are not a release of their own
  const isOther = current !== null && current.sha256 !== sha256;
  return { current: wanted, previous: isOther ? current : previous };
}

/** The releases that hosts should serve or serve, by digest. */
export function targetsOf(routes: Routes): Map<string, Target> {
  const targets = new Map<string, Target>();
  const add = (
    { host, projectId, kind }: HostedSite,
    { current, previous }: ServedReleases,
    wanted: HostRelease | null,
    isVariant: boolean,
  ): void => {
    for (const one of [wanted, current, previous]) {
      if (one === null) continue;
      const known = targets.get(one.sha256);
      targets.set(one.sha256, {
        host,
        projectId,
        kind,
        sha256: one.sha256,
        deploymentId: one.deploymentId,
        isVariant: isVariant && known?.isVariant !== false,
        isServing: current !== null || known?.isServing === true,
        isMissing: known?.isMissing === true || (one === wanted && !isSame(wanted, current)),
      });
    }
  };
  for (const route of routes.values()) {
    add(route.site, route, wantedRelease(route.site), false);
    for (const one of route.variants) add(route.site, one, variantRelease(route.site, one.variant), true);
  }
  return targets;
}

/** Digests of the releases that must stay on the volume. */
export function neededBy(states: readonly HostState[]): string[] {
  return states.flatMap((state) =>
    [state, ...state.variants].flatMap(({ current, previous }) =>
      previous === null ? [current.sha256] : [current.sha256, previous.sha256],
    ),
  );
}

/** The release that a host should serve; null for one that only redirects. */
function wantedRelease({ sha256, deploymentId, basePath, redirectTo }: HostedSite): HostRelease | null {
  return redirectTo !== null || sha256 === null || deploymentId === null
    ? null
    : { sha256, deploymentId, basePath };
}

const variantRelease = ({ basePath }: HostedSite, { sha256, deploymentId }: SiteVariant): HostRelease => ({
  sha256,
  deploymentId,
  basePath,
});

const audienceKey = ({ groups, unless }: Audience): string =>
  JSON.stringify([groups === null ? null : [...groups].sort(), [...unless].sort()]);

function isSame(one: HostRelease | null, other: HostRelease | null): boolean {
  return (
    one?.sha256 === other?.sha256 &&
    one?.basePath === other?.basePath &&
    one?.deploymentId === other?.deploymentId
  );
}
