import type { ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { basePathOf } from '@offprint/bundle';
import type { Serving } from '../deployment/status.ts';
import type { Log } from '../log.ts';
import type { Release } from '../releases/store.ts';
import { findService } from '../services/service.ts';
import { createServices } from '../services/table.ts';
import type { StopOptions } from './connections.ts';
import { type EncodingProgress, sweepEncodings } from './encodings.ts';
import { answer, type Exchange } from './handler.ts';
import { type ListenerOptions, type Respond, startListener, urlHost } from './listener.ts';
import { type LoadedSite, loadSite, type SiteOptions } from './site.ts';
import type { Traffic } from './traffic.ts';

export interface SiteServerOptions extends SiteOptions, ListenerOptions {
  /** Create compressed files in the background, on the volume. Default true. */
  encode?: boolean;
  log?: Log;
}

/** Responds to readers from a release; another release can replace it without affecting requests. */
export interface SiteServer extends Serving {
  /** URL of the site, with a trailing slash. */
  url: string;
  port: number;
  /** Returns when the served release has all its compressed files, or will get no more. */
  encoded(): Promise<void>;
  traffic: Traffic;
  state(): ServerState;
  /** Finishes open requests, at the latest after the time limit, and stops. */
  stop(options?: StopOptions): Promise<void>;
}

/** The current state of a server. */
export interface ServerState {
  /** SHA-256 of the bundle that is served; null before the first. */
  release: string | null;
  isStopping: boolean;
  connections: number;
  /** Requests in progress. */
  inFlight: number;
  /** Number of times a release replaced another one. */
  switches: number;
  encoding: EncodingProgress;
}

const noProgress: EncodingProgress = { wanted: 0, settled: 0, bytes: 0 };

/** Starts a server that has no release yet and returns 503. */
export async function startSiteServer(options: SiteServerOptions): Promise<SiteServer> {
  const { log, basePath } = options;
  let current: LoadedSite | null = null;
  let previous: LoadedSite | null = null;
  /** Releases that get no new requests, with responses in progress. */
  const leaving = new Set<LoadedSite>();
  let switching: Promise<void> = Promise.resolve();
  let encoding: Promise<void> = Promise.resolve();
  let switches = 0;
  let faults = 0;
  const services = createServices({ log });

  const respond: Respond = (exchange) => {
    const held = [current, previous];
    for (const site of held) if (site !== null) site.inFlight += 1;
    begin(exchange);
    return () => {
      for (const site of held) if (site !== null) letGo(site);
    };
  };

  const begin = (exchange: Exchange): void => {
    const [site, before] = [current, previous];
    if (site === null) {
      sendUnready(exchange);
      return;
    }
    const fail = (error: unknown) => {
      exchange.note({ kind: 'fault', coding: 'identity', release: site.sha256 });
      faults += 1;
      // a failing volume causes this error for every request
      if (faults === 1 || faults % 1000 === 0) {
        const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
        log?.error('cannot read a file of the release', { release: site.sha256, reason, faults });
      }
      sendFault(site.headers, exchange.response);
    };
    try {
      (serve(site, exchange) ?? answer(site, before, exchange))?.catch(fail);
    } catch (error) {
      fail(error);
    }
  };

  /** The response of a service; undefined if none responds. */
  const serve = (release: LoadedSite, exchange: Exchange): Promise<void> | undefined => {
    const called = findService(services, basePath, exchange.request);
    return called?.service.respond({
      exchange,
      path: called.path,
      query: called.query,
      site: { host: null, projectId: null, basePath, isRestricted: false, isMeasured: false },
      reader: null,
      release: {
        ...release.manifest.site,
        version: release.manifest.version,
        sha256: release.sha256,
        find: release.find,
        read: release.read,
      },
      isSecure: options.https === true,
    });
  };

  const letGo = (site: LoadedSite): void => {
    site.inFlight -= 1;
    if (site.inFlight === 0 && leaving.has(site)) void retire(site);
  };

  const retire = async (site: LoadedSite): Promise<void> => {
    if (site.inFlight > 0) {
      leaving.add(site);
      return;
    }
    leaving.delete(site);
    await site.encoded.close().catch(() => {});
  };

  const encode = async (site: LoadedSite, from: LoadedSite | null): Promise<void> => {
    if (options.encode === false) return;
    try {
      await sweepEncodings(dirname(site.folder));
      await site.encoded.encode(from?.encoded ?? null);
    } catch (error) {
      log?.warn('compressed files are not created', {
        release: site.sha256,
        reason: (error as Error).message,
      });
    }
  };

  /** Everything that can fail is done before the first line that changes responses. */
  const change = async (release: Release, before: Release | null): Promise<void> => {
    if (current?.sha256 === release.sha256) return;
    const next = previous?.sha256 === release.sha256 ? previous : await loadSite(release, options);
    const isFirst = current === null;
    const old = current ?? (await loadBefore(before, release, options));
    const left = previous === next ? null : previous;
    current = next;
    previous = old;
    if (!isFirst) switches += 1;
    old?.cache.clear();
    // a closed release is no longer a source of copies
    await old?.encoded.pause();
    if (left !== null) await retire(left);
    warnOfBasePath(next, log);
    encoding = encode(next, old);
  };

  const listener = await startListener(options, respond);
  const { port, traffic } = listener;

  return {
    url: `http://${urlHost(options.host)}:${port}${basePath}/`,
    port,
    traffic,
    onRelease(release, before = null) {
      const changed = switching.then(() => change(release, before));
      switching = changed.catch(() => {});
      return changed;
    },
    isInUse: (sha256) => [current, previous, ...leaving].some((site) => site?.sha256 === sha256),
    encoded: () => encoding,
    state: () => ({
      release: current?.sha256 ?? null,
      isStopping: listener.isStopping(),
      connections: listener.connections(),
      inFlight: listener.inFlight(),
      switches,
      encoding: current?.encoded.progress() ?? noProgress,
    }),
    async stop(stopOptions) {
      await listener.stop(stopOptions);
      await switching;
      for (const site of [current, previous, ...leaving]) await site?.encoded.close();
    },
  };
}

/** The URLs that the files contain for others, such as search engines, cannot be changed here. */
function warnOfBasePath({ sha256, manifest, basePath }: LoadedSite, log: Log | undefined): void {
  const named = basePathOf(manifest.site.url).slice(0, 200);
  if (manifest.site.url === '' || named === basePath) return;
  log?.warn(
    'canonical links, the sitemap and llms.txt of the release have another base path; change OFFPRINT_SITE_BASE_PATH, or set the base path of the project and export again',
    { release: sha256, named: named || '/', served: basePath || '/' },
  );
}

async function loadBefore(
  before: Release | null,
  release: Release,
  options: SiteOptions,
): Promise<LoadedSite | null> {
  if (before === null || before.sha256 === release.sha256) return null;
  return loadSite(before, options);
}

/** No release has been deployed yet. */
export function sendUnready({ response, extra }: Exchange): void {
  const body = 'No release is served yet.\n';
  response.writeHead(503, [
    'Content-Type',
    'text/plain; charset=utf-8',
    'Cache-Control',
    'no-store',
    'Retry-After',
    '5',
    'Content-Length',
    String(body.length),
    ...extra,
  ]);
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** The file could not be read. If the response has started, the connection is closed. */
export function sendFault(headers: Readonly<Record<string, string>>, response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = 'Cannot read the file.\n';
  response.writeHead(500, {
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Length': body.length,
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
