import type { HostedSite } from './protocol.ts';
import type { HostRelease, HostState } from './state.ts';
import type { Target } from './work.ts';

/** What requests of a host get. Replaced as a whole, so that a request sees one state of it. */
export interface Route {
  site: HostedSite;
  /** Null until the first release of the project is installed. */
  current: HostRelease | null;
  /** Its hashed files remain available. */
  previous: HostRelease | null;
}

export type Routes = ReadonlyMap<string, Route>;

/** The routes of a new list. What a host serves stays, unless the host moves to another project. */
export function routesOf(sites: readonly HostedSite[], before: readonly HostState[]): Routes {
  const known = new Map(before.map((state) => [state.host, state]));
  return new Map(
    sites.map((site) => {
      const state = known.get(site.host);
      const isOwn = state?.projectId === site.projectId && site.redirectTo === null;
      const route = isOwn ? { site, current: state.current, previous: state.previous } : null;
      return [site.host, route ?? { site, current: null, previous: null }];
    }),
  );
}

/** What each host serves. */
export function statesOf(routes: Routes): HostState[] {
  return [...routes.values()].flatMap(({ site: { host, projectId }, current, previous }) =>
    current === null ? [] : [{ host, projectId, current, previous }],
  );
}

/** The routes once a release is installed, and the number of hosts where it replaced another one. */
export function activate(routes: Routes, sha256: string): { routes: Routes; switches: number } {
  const next = new Map(routes);
  let switches = 0;
  for (const [host, route] of routes) {
    const release = wantedRelease(route.site);
    if (release?.sha256 !== sha256 || isSame(release, route.current)) continue;
    // the same files below another path are not a release of their own
    const isOther = route.current !== null && route.current.sha256 !== sha256;
    next.set(host, { ...route, current: release, previous: isOther ? route.current : route.previous });
    if (isOther) switches += 1;
  }
  return { routes: next, switches };
}

/** The releases that hosts should serve or serve, by digest. */
export function targetsOf(routes: Routes): Map<string, Target> {
  const targets = new Map<string, Target>();
  for (const { site, current, previous } of routes.values()) {
    const { host, projectId, kind } = site;
    const release = wantedRelease(site);
    for (const one of [release, current, previous]) {
      if (one === null) continue;
      const known = targets.get(one.sha256);
      targets.set(one.sha256, {
        host,
        projectId,
        kind,
        sha256: one.sha256,
        deploymentId: one.deploymentId,
        isServing: current !== null || known?.isServing === true,
        isMissing: known?.isMissing === true || (one === release && !isSame(release, current)),
      });
    }
  }
  return targets;
}

/** Digests of the releases that must stay on the volume. */
export function neededBy(states: readonly HostState[]): string[] {
  return states.flatMap(({ current, previous }) =>
    previous === null ? [current.sha256] : [current.sha256, previous.sha256],
  );
}

/** The release that a host should serve; null for one that only redirects. */
function wantedRelease({ sha256, deploymentId, basePath, redirectTo }: HostedSite): HostRelease | null {
  return redirectTo !== null || sha256 === null || deploymentId === null
    ? null
    : { sha256, deploymentId, basePath };
}

function isSame(one: HostRelease | null, other: HostRelease | null): boolean {
  return (
    one?.sha256 === other?.sha256 &&
    one?.basePath === other?.basePath &&
    one?.deploymentId === other?.deploymentId
  );
}
