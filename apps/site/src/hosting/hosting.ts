import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type AnalyticsFigures, type AnalyticsOptions, startAnalytics } from '../analytics/analytics.ts';
import type { Log } from '../log.ts';
import { limitsFor } from '../releases/limits.ts';
import { createServices } from '../services/table.ts';
import type { StopOptions } from '../serving/connections.ts';
import { type Respond, startListener } from '../serving/listener.ts';
import type { Traffic } from '../serving/traffic.ts';
import type { HostingPlatform } from '../source/hosting.ts';
import type { Transport } from '../source/request.ts';
import type { PlainHandler } from '../tls/plain.ts';
import { clientAddressOf, type IsProxy } from './client-address.ts';
import { createEncodingQueue } from './encode.ts';
import { type FollowerStatus, startFollower } from './follow.ts';
import { hostOf } from './host.ts';
import { createHostCounters, type HostCount } from './host-counters.ts';
import { createInstaller } from './install.ts';
import { createReleases } from './releases.ts';
import { createResponder } from './respond.ts';
import { openVolume } from './volume.ts';

export interface HostingOptions {
  platform: HostingPlatform;
  transport: Transport;
  /** Folder of releases. */
  dir: string;
  maxBundleBytes: number;
  /** Memory limit of the process in bytes: manifests that need more are refused. */
  memory: number;
  /** IP address to listen on. */
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Readers use https through a reverse proxy. */
  https: boolean;
  /** Whose `X-Forwarded-For` names the reader. Default: nobody's. */
  isProxy?: IsProxy;
  /** Responds to what is special about plain http. Default: nothing is. */
  respondPlain?: PlainHandler;
  accessLog?: (lines: string) => void;
  /** Events of readers that wait for the platform: maximum size on the volume in bytes. */
  events: Pick<AnalyticsOptions, 'maxBytes' | 'adoptMs' | 'intervalMs'>;
  /** Sync files to disk. Default true. */
  durable?: boolean;
  /** Create compressed copies in the background. Default true. */
  encode?: boolean;
  /** How long a release is unused before it is removed. Default one minute. */
  graceMs?: number;
  log: Log;
}

/** Many sites in one process. */
export interface Hosting {
  port: number;
  /** Serves a connection that another server has accepted, such as one with TLS. */
  accept(socket: Socket): void;
  traffic: Traffic;
  state(): HostingProcessState;
  status(): FollowerStatus;
  hosts(): HostCount[];
  events(): AnalyticsFigures;
  /** Asks the platform at once, and retries what has failed. */
  refresh(): void;
  /** Finishes open requests, at the latest after the time limit, and stops. */
  stop(options?: StopOptions): Promise<void>;
}

export interface HostingProcessState {
  isStopping: boolean;
  connections: number;
  inFlight: number;
  /** Releases whose compressed copies are not complete. */
  encoding: number;
}

/**
 * Maximum size of a manifest and number of its files: while a bundle is unpacked, they are in memory. Other sites are
 * served meanwhile, since a manifest is read in pieces.
 */
const manifestLimits = { maxManifestBytes: 32 * 1024 * 1024, maxFiles: 200_000 };

/** Serves the sites on the volume, then follows the platform. Throws if the volume or a port cannot be opened. */
export async function startHosting(options: HostingOptions): Promise<Hosting> {
  const { platform, transport, log } = options;
  const fitting = limitsFor(options.memory);
  const volume = await openVolume(options.dir, {
    durable: options.durable !== false,
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
    limits: {
      maxManifestBytes: Math.min(manifestLimits.maxManifestBytes, fitting.maxManifestBytes),
      maxFiles: Math.min(manifestLimits.maxFiles, fitting.maxFiles),
    },
    isInUse: (sha256) => releases.isInUse(sha256),
  });
  const releases = createReleases(volume);
  const queue = createEncodingQueue({ volume, onEncoded: releases.onEncoded, log });
  const installer = createInstaller({
    volume,
    platform,
    transport,
    maxBundleBytes: options.maxBundleBytes,
    log,
  });
  const isProxy = options.isProxy ?? (() => false);
  const analytics = await startAnalytics({
    ...options.events,
    dir: join(options.dir, 'events'),
    isProxy,
    sink: platform,
    log,
  });
  const followed: Pick<HostingPlatform, 'sites'> = {
    async sites(after, signal) {
      const list = await platform.sites(after, signal);
      if (list !== null) analytics.setKeys(list.visitorKeys);
      return list;
    },
  };
  const follower = await startFollower({
    volume,
    platform: followed,
    installer,
    onServed: (sha256) => options.encode !== false && queue.add(sha256),
    onRepaired: releases.forget,
    durable: options.durable !== false,
    log,
  });
  const counters = createHostCounters();
  const respond = createResponder({
    route: follower.route,
    isListKnown: follower.isListKnown,
    releases,
    signIn: platform.signIn,
    respondPlain: options.respondPlain ?? (() => null),
    isProxy,
    services: createServices({
      log,
      analytics,
      assistant: { post: platform.assistant, addressOf: (request) => clientAddressOf(request, isProxy) },
    }),
    analytics,
    https: options.https,
    onDamaged: follower.repair,
    log,
  });
  const begin: Respond = (exchange) => {
    const host = hostOf(exchange.request);
    const route = host === null ? undefined : follower.route(host);
    void respond(exchange, route);
    return ({ status, bytes }) => counters.count(route?.site.host ?? null, status, bytes);
  };
  const closeFiles = async (): Promise<void> => {
    await analytics.stop();
    await queue.stop();
    releases.close();
    await volume.close();
  };
  const { host, port, accessLog } = options;
  const listener = await startListener(
    {
      host,
      port,
      // only hosts of the list: the header of a request may contain anything
      hostOf: (request) => follower.route(hostOf(request) ?? '')?.site.host ?? '',
      ...(accessLog === undefined ? {} : { accessLog }),
    },
    begin,
  ).catch(async (error: unknown) => {
    await follower.stop();
    await closeFiles();
    throw error;
  });
  const { traffic, accept } = listener;
  return {
    port: listener.port,
    traffic,
    accept,
    state: () => ({
      isStopping: listener.isStopping(),
      connections: listener.connections(),
      inFlight: listener.inFlight(),
      encoding: queue.waiting(),
    }),
    status: follower.status,
    events: analytics.figures,
    hosts: counters.snapshot,
    refresh: follower.refresh,
    async stop(stopOptions) {
      await Promise.all([listener.stop(stopOptions), follower.stop()]);
      await closeFiles();
    },
  };
}
