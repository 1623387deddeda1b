import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Manifest } from '@offprint/bundle';
import { cleanBasePath } from './base-path.ts';
import { createHandler, type Handler } from './handler.ts';
import { openStore, pointerEntry, type Release, type Store } from './releases/store.ts';
import { createStop } from './stop.ts';

export interface SiteOptions {
  /** Path of the bundle. */
  bundle: string;
  /** Folder of the unpacked bundles; made when it is missing. Two are kept. Nothing in it but the release served is reachable. */
  releasesDir: string;
  /** 0 picks a free one. */
  port: number;
  /** Address to listen on. */
  host: string;
  /** Where the site begins: `/docs`. Default: the root. */
  basePath?: string;
  /** Readers come by https, at a proxy before this server: send HSTS. Default false. */
  https?: boolean;
  /** Sync unpacked files to disk. Default true; false suits a `releasesDir` that is thrown away. */
  durable?: boolean;
  /** When the bundle is refused: serve the release served last, if there is one. Default false. */
  lastGood?: boolean;
}

export interface Site {
  /** Address of the site, with a slash at the end. */
  url: string;
  port: number;
  /** SHA-256 of the bundle that is served. */
  sha256(): string;
  manifest(): Manifest;
  /** Why the bundle asked for is not the one served; null when it is. */
  fault: unknown;
  /**
   * Serves another bundle from the next request on. Throws a BundleError and goes on with the old one when the
   * new one is refused.
   */
  update(bundle: string): Promise<void>;
  /** Ends open requests within ten seconds and stops. */
  stop(): Promise<void>;
}

/** Verifies a bundle, unpacks it and serves it as a site. Throws a BundleError when it is refused. */
export async function serveBundle(options: SiteOptions): Promise<Site> {
  const basePath = cleanBasePath(options.basePath ?? '');
  const load = (release: Release) => createHandler(release, { basePath, https: options.https === true });
  const store = await openStore(options.releasesDir, { durable: options.durable !== false });
  const { release: first, fault } = await firstRelease(options, store).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  let release = first;
  let handler = await load(release);
  await keep(store, release);
  const server = createServer((request, response) => {
    handler(request, response).catch(() => sendFault(response));
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  // longer than the minute after which load balancers drop a connection: who closes first must be they
  server.keepAliveTimeout = 65_000;
  const stop = createStop(server);
  await listen(server, options.port, options.host);
  const { port } = server.address() as AddressInfo;
  let updating: Promise<void> = Promise.resolve();
  return {
    url: `http://${urlHost(options.host)}:${port}${basePath}/`,
    port,
    sha256: () => release.sha256,
    manifest: () => release.manifest,
    fault,
    update(bundle) {
      const update = updating.then(async () => {
        const next = await store.install(bundle);
        const nextHandler: Handler = await load(next);
        await keep(store, next);
        release = next;
        handler = nextHandler;
      });
      updating = update.catch(() => {});
      return update;
    },
    async stop() {
      await stop();
      await store.close();
    },
  };
}

/** The file could not be read. What was sent already cannot be taken back: then the connection ends. */
function sendFault(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const name of ['ETag', 'Accept-Ranges', 'Content-Range', 'Content-Length'])
    response.removeHeader(name);
  response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end('The file cannot be read.\n');
}

async function firstRelease(
  options: SiteOptions,
  store: Store,
): Promise<{ release: Release; fault: unknown }> {
  try {
    return { release: await store.install(options.bundle), fault: null };
  } catch (fault) {
    const kept = options.lastGood === true ? ((await store.pointer())?.current ?? null) : null;
    const last = kept === null ? null : await store.open(kept.sha256, kept.manifestSha256);
    if (last === null) throw fault;
    return { release: last, fault };
  }
}

/** Makes a release the one that a restart goes on with, and removes all but it and the one before. */
async function keep(store: Store, release: Release): Promise<void> {
  const before = await store.pointer();
  const same = before?.current.sha256 === release.sha256;
  const previous = (same ? before?.previous : before?.current) ?? null;
  const current = pointerEntry(release);
  const flip = await store.preparePointer({ current, previous, source: null });
  await flip();
  await store.sweep();
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
