import type { Log } from '../log.ts';
import type { HostingPlatform } from '../source/hosting.ts';
import { type Fault, messageOf } from './fault.ts';
import type { Installer } from './install.ts';
import { startPolling } from './poll.ts';
import { type HostedSite, parseSites } from './protocol.ts';
import { activate, neededBy, type Route, type Routes, routesOf, statesOf, targetsOf } from './routes.ts';
import { type HostRelease, type HostState, readState, type VariantState, writeState } from './state.ts';
import type { Volume } from './volume.ts';
import { createWork, type Work } from './work.ts';

export interface FollowOptions {
  volume: Volume;
  platform: Pick<HostingPlatform, 'sites'>;
  installer: Installer;
  /** A release is served from now on. */
  onServed(sha256: string): void;
  /** The files of a release were replaced. */
  onRepaired(sha256: string): void;
  durable?: boolean;
  log: Log;
}

/** Follows the list of the platform, and installs what it names. */
export interface Follower {
  route(host: string): Route | undefined;
  /** Whether the platform or the volume has named the sites. */
  isListKnown(): boolean;
  status(): FollowerStatus;
  /** Asks the platform at once, and retries what has failed. */
  refresh(): void;
  /** A file of a release cannot be read: installs the release again. */
  repair(sha256: string): void;
  stop(): Promise<void>;
}

export interface FollowerStatus {
  /** A list is known, and each of its releases was installed or has failed once. */
  isReady: boolean;
  /** Why the platform cannot be followed. */
  fault: Fault | null;
  /** Time of the last response of the platform. */
  checkedAt: string | null;
  hosts: HostStatus[];
  /** Number of times a release replaced another one. */
  switches: number;
}

export interface HostStatus {
  host: string;
  projectId: string;
  kind: HostedSite['kind'];
  access: HostedSite['access']['kind'];
  redirectTo: string | null;
  deploymentId: string | null;
  served: { sha256: string; deploymentId: string } | null;
  fault: Fault | null;
}

const sweepMs = 120_000;

/** Serves what the volume has at once, then follows the platform. Never throws: errors are in the status. */
export async function startFollower(options: FollowOptions): Promise<Follower> {
  const { volume, installer, log } = options;
  let routes: Routes = new Map();
  let isListKnown = false;
  let isReady = false;
  let switches = 0;
  let saving: Promise<void> = Promise.resolve();
  let isSaveQueued = false;

  const save = (): Promise<void> => {
    // one that has not started writes what is new by then
    if (isSaveQueued) return saving;
    isSaveQueued = true;
    saving = saving.then(async () => {
      isSaveQueued = false;
      const sites = [...routes.values()].map(({ site }) => site);
      const state = { sites, hosts: statesOf(routes) };
      await writeState(volume.dir, volume.newPath(), state, options.durable !== false).catch(
        (error: unknown) => log.warn('cannot record the list of sites', { reason: messageOf(error) }),
      );
    });
    return saving;
  };
  const sweep = async (): Promise<void> => {
    try {
      // what the volume names is what another process would start with
      const recorded = (await readState(volume.dir))?.hosts ?? [];
      await volume.sweep([...neededBy(recorded), ...neededBy(statesOf(routes)), ...targetsOf(routes).keys()]);
      await installer.sweep(new Set([...routes.values()].map(({ site }) => site.projectId)));
    } catch (error) {
      log.warn('cannot remove old releases', { reason: messageOf(error) });
    }
  };
  const work = createWork({
    installer,
    dir: volume.dir,
    log,
    onInstalled(sha256, wasRepaired) {
      const next = activate(routes, sha256);
      routes = next.routes;
      switches += next.switches;
      if (wasRepaired) options.onRepaired(sha256);
      options.onServed(sha256);
      log.info('serving a release', { sha256, hosts: hostsOf(routes, sha256) });
      void save();
    },
    onFailed({ code }) {
      if (code === 'disk_full') void sweep();
    },
  });
  const apply = (sites: readonly HostedSite[], before: readonly HostState[]): void => {
    routes = routesOf(sites, before);
    isListKnown = true;
    work.setTargets(targetsOf(routes));
  };

  const state = await readState(volume.dir);
  if (state !== null) {
    const hosts = await intactHosts(state.hosts, volume, log);
    const served = hosts.flatMap(({ current, variants }) => [current, ...variants.map((one) => one.current)]);
    for (const sha256 of new Set(served.map((release) => release.sha256))) options.onServed(sha256);
    apply(state.sites, hosts);
    log.info('serving the releases on the volume', { hosts: hosts.length });
  }
  const onInvalid = (host: string) => log.warn('an entry in the list of sites is not valid', { host });
  const polling = startPolling({
    platform: options.platform,
    log,
    async onList(list) {
      apply(parseSites(list.sites, onInvalid), statesOf(routes));
      await save();
    },
  });
  const sweeping = setInterval(() => void sweep(), sweepMs).unref();
  return {
    route: (host) => routes.get(host),
    isListKnown: () => isListKnown,
    status() {
      isReady ||= isListKnown && work.isSettled();
      const hosts = [...routes.values()].map((route) => statusOf(route, work));
      return { isReady, switches, hosts, ...polling.status() };
    },
    refresh() {
      work.retry();
      polling.refresh();
    },
    repair: work.repair,
    async stop() {
      clearInterval(sweeping);
      await Promise.all([polling.stop(), work.stop()]);
      await saving;
    },
  };
}

/** What hosts can serve from the volume, although some releases may be damaged. */
async function intactHosts(hosts: readonly HostState[], volume: Volume, log: Log): Promise<HostState[]> {
  const intact = new Map<string, boolean>();
  const check = async (release: HostRelease | null): Promise<HostRelease | null> => {
    if (release === null) return null;
    const { sha256 } = release;
    const known = intact.get(sha256) ?? (await volume.has(sha256));
    intact.set(sha256, known);
    return known ? release : null;
  };
  const found: HostState[] = [];
  for (const one of hosts) {
    const [current, previous] = [await check(one.current), await check(one.previous)];
    const served = current ?? previous;
    if (current === null)
      log.warn('a release on the volume is damaged', { host: one.host, sha256: one.current.sha256 });
    if (served === null) continue;
    const variants: VariantState[] = [];
    for (const variant of one.variants) {
      const own = await check(variant.current);
      if (own !== null) variants.push({ ...variant, current: own, previous: await check(variant.previous) });
    }
    found.push({ ...one, current: served, previous, variants });
  }
  return found;
}

/** Number of hosts that serve a release. */
function hostsOf(routes: Routes, sha256: string): number {
  let count = 0;
  for (const { current } of routes.values()) if (current?.sha256 === sha256) count += 1;
  return count;
}

function statusOf({ site, current, variants }: Route, work: Work): HostStatus {
  const wanted = [site.sha256, ...variants.map(({ variant }) => variant.sha256)];
  const { host, projectId, kind, redirectTo, deploymentId } = site;
  return {
    host,
    projectId,
    kind,
    access: site.access.kind,
    redirectTo,
    deploymentId,
    served: current === null ? null : { sha256: current.sha256, deploymentId: current.deploymentId },
    fault: wanted.map((sha256) => (sha256 === null ? null : work.fault(sha256))).find(Boolean) ?? null,
  };
}
