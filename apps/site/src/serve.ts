import type { Manifest } from '@offprint/bundle';
import { cleanBasePath } from './base-path.ts';
import { openStore, pointerEntry, type Release, type Store } from './releases/store.ts';
import { startSiteServer } from './serving/server.ts';

export interface SiteOptions {
  /** Path of the bundle. */
  bundle: string;
  /**
   * Folder of the unpacked bundles; created if missing. Two are kept. Only the served release is reachable.
   */
  releasesDir: string;
  /** 0 picks a free port. */
  port: number;
  /** IP address to listen on. */
  host: string;
  /** Base path of the site, such as `/docs`. Default: the root. */
  basePath?: string;
  /** Readers use https, through a proxy in front of this server: send HSTS. Default false. */
  https?: boolean;
  /** Also keep compressed files in `releasesDir`, created in the background. Default false. */
  compress?: boolean;
  /** Sync unpacked files to disk. Default true; false suits a temporary `releasesDir`. */
  durable?: boolean;
  /** If the bundle is refused, serve the last served release, if there is one. Default false. */
  lastGood?: boolean;
}

export interface Site {
  /** URL of the site, with a trailing slash. */
  url: string;
  port: number;
  /** SHA-256 of the bundle that is served. */
  sha256(): string;
  manifest(): Manifest;
  /** Why the requested bundle is not the one served; null if it is. */
  fault: unknown;
  /**
   * Serves another bundle from the next request on. Throws a BundleError and keeps serving the old one if the
   * new one is refused.
   */
  update(bundle: string): Promise<void>;
  /** Finishes open requests within ten seconds and stops. */
  stop(): Promise<void>;
}

/** Verifies a bundle, unpacks it and serves it as a site. Throws a BundleError if it is refused. */
export async function serveBundle(options: SiteOptions): Promise<Site> {
  const server = await startSiteServer({
    host: options.host,
    port: options.port,
    basePath: cleanBasePath(options.basePath ?? ''),
    https: options.https === true,
    encode: options.compress === true,
  });
  const closing: (() => Promise<void>)[] = [() => server.stop()];
  const stop = async () => {
    for (const close of closing) await close();
  };
  try {
    const store = await openStore(options.releasesDir, {
      durable: options.durable !== false,
      isInUse: server.isInUse,
    });
    closing.push(() => store.close());
    const { release: first, fault } = await firstRelease(options, store);
    let release = first;
    await server.onRelease(release);
    await keep(store, release);
    let updating: Promise<void> = Promise.resolve();
    return {
      url: server.url,
      port: server.port,
      sha256: () => release.sha256,
      manifest: () => release.manifest,
      fault,
      update(bundle) {
        const update = updating.then(async () => {
          const next = await store.install(bundle);
          await server.onRelease(next);
          release = next;
          await keep(store, next);
        });
        updating = update.catch(() => {});
        return update;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
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

/** Makes a release the one that is served after a restart, and removes all but it and the previous one. */
async function keep(store: Store, release: Release): Promise<void> {
  const before = await store.pointer();
  const same = before?.current.sha256 === release.sha256;
  const previous = (same ? before?.previous : before?.current) ?? null;
  const current = pointerEntry(release);
  const flip = await store.preparePointer({ current, previous, source: null });
  await flip();
  await store.sweep();
}
