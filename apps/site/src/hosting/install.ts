import { hash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import { endAttempt, readAttempt, writeAttempt } from '../deployment/attempt.ts';
import { waitAfter } from '../deployment/attempts.ts';
import { downloadOffer, type KeptBundles } from '../deployment/fetch-offer.ts';
import { DeploymentError } from '../error.ts';
import type { Log } from '../log.ts';
import { dropBundle, keepBundle, openKeptBundle } from '../releases/kept-bundle.ts';
import type { HostingPlatform } from '../source/hosting.ts';
import type { LinkedBundle } from '../source/platform.ts';
import { placeOf, type Transport } from '../source/request.ts';
import type { Volume } from './volume.ts';

export interface InstallerOptions {
  volume: Volume;
  platform: Pick<HostingPlatform, 'bundle'>;
  transport: Transport;
  maxBundleBytes: number;
  log: Log;
}

/** A release to install. */
export interface WantedRelease {
  sha256: string;
  deploymentId: string;
  /** Its last bundle is kept for the next download. */
  projectId: string;
  kind: 'production' | 'preview';
  /** For some readers only: the kept bundle remains that of the site. */
  isVariant: boolean;
}

export interface Installer {
  /**
   * Installs a release: several are downloaded at a time, and one is unpacked at a time. `isServing`: something is
   * served meanwhile. Throws a DeploymentError, a BundleError or a file system error.
   */
  install(
    wanted: WantedRelease,
    options: { repair: boolean; isServing: boolean; signal: AbortSignal },
  ): Promise<void>;
  /** Removes the kept bundles of other projects. */
  sweep(projectIds: ReadonlySet<string>): Promise<void>;
}

export function createInstaller({
  volume,
  platform,
  transport,
  maxBundleBytes,
  log,
}: InstallerOptions): Installer {
  const bundlesDir = join(volume.dir, 'bundles');
  const attemptsDir = join(volume.dir, 'attempts');
  let unpacking: Promise<unknown> = Promise.resolve();

  /** One at a time: if the process is killed, the bundle that it unpacked is known, and so is the memory needed. */
  const inTurn = (run: () => Promise<void>): Promise<void> => {
    const turn = unpacking.then(run);
    unpacking = turn.catch(() => {});
    return turn;
  };

  const unpack = async (
    path: string,
    { sha256, deploymentId }: WantedRelease,
    { repair, isServing, signal }: { repair: boolean; isServing: boolean; signal: AbortSignal },
  ): Promise<void> => {
    signal.throwIfAborted();
    const folder = join(attemptsDir, sha256);
    const left = await readAttempt(folder);
    const wait = left === null ? 0 : waitAfter(left.count, isServing) - (Date.now() - left.at);
    if (left !== null && wait > 0) throw unfinished(deploymentId, left.count, wait);
    const attempt = { offer: sha256, etag: null, count: (left?.count ?? 0) + 1, at: Date.now() };
    // a full or read-only volume is reported where it matters more
    await makeFolder(folder)
      .then(() => writeAttempt(folder, volume.newPath(), attempt))
      .catch(() => {});
    try {
      await volume.install(path, { sha256, signal, repair });
    } finally {
      await endAttempt(folder).catch(() => {});
      await rm(folder, { recursive: true, force: true }).catch(() => {});
    }
  };

  return {
    async install(wanted, options) {
      const { sha256, deploymentId } = wanted;
      const { signal } = options;
      if (!options.repair && (await volume.has(sha256))) return;
      const bundle = await platform.bundle(deploymentId, signal);
      if (bundle.sha256 !== sha256)
        throw new DeploymentError(
          'sha256_mismatch',
          `The platform offers another bundle for the deployment ${deploymentId} than its list of sites names.`,
        );
      const kept = join(bundlesDir, nameOf(wanted));
      await makeFolder(kept);
      const path = volume.newPath();
      try {
        const bundles: KeptBundles = {
          openKeptBundle: () => openKeptBundle(kept),
          dropBundle: () => dropBundle(kept),
          freeBytes: volume.freeBytes,
        };
        const downloaded = await downloadOffer(linkOf(bundle, platform, deploymentId), path, {
          offer: { sha256, bytes: bundle.bytes, place: placeOf(bundle.url) },
          bundles,
          transport,
          signal,
          maxBytes: maxBundleBytes,
          onStep: () => {},
          onSight: async () => {},
          log,
        });
        if (downloaded === null) return;
        await inTurn(() => unpack(path, wanted, options));
        if (downloaded.index !== null && !wanted.isVariant)
          await keep(volume, kept, path, downloaded.index, log);
      } finally {
        await rm(path, { force: true });
      }
    },
    async sweep(projectIds) {
      const wanted = new Set(
        [...projectIds].flatMap((projectId) => [
          nameOf({ projectId, kind: 'production' }),
          nameOf({ projectId, kind: 'preview' }),
        ]),
      );
      for (const name of await readdir(bundlesDir).catch(() => []))
        if (!wanted.has(name)) await rm(join(bundlesDir, name), { recursive: true, force: true });
    },
  };
}

async function keep(
  volume: Volume,
  folder: string,
  path: string,
  index: Parameters<typeof keepBundle>[2],
  log: Log,
): Promise<void> {
  try {
    // it must not take the space of the next release
    if ((await volume.freeBytes()) < index.artifact.bytes + 2 * index.bundle.bytes) await dropBundle(folder);
    else await keepBundle(folder, path, index);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log.info('cannot keep the bundle for the next download', { why });
  }
}

function linkOf(
  { url, sha256, indexUrl }: LinkedBundle,
  platform: Pick<HostingPlatform, 'bundle'>,
  deploymentId: string,
) {
  const renew = async (signal: AbortSignal): Promise<URL> => {
    const fresh = await platform.bundle(deploymentId, signal);
    if (fresh.sha256 === sha256) return fresh.url;
    throw new DeploymentError('source_unreachable', 'The deployment has another bundle now.');
  };
  return { url, etag: null, renew, indexUrl, tagOf: () => null };
}

/** Folder of the last bundle of a project; a preview must not replace the one of the production. */
function nameOf({ projectId, kind }: Pick<WantedRelease, 'projectId' | 'kind'>): string {
  return hash('sha256', `${kind} ${projectId}`).slice(0, 32);
}

function unfinished(deploymentId: string, count: number, wait: number): DeploymentError {
  return new DeploymentError(
    'attempts_unfinished',
    `The process was killed ${count} times while it unpacked the bundle of the deployment ${deploymentId}. Find out why it was killed; if it ran out of memory, raise the limit.`,
    { retryAfterMs: wait },
  );
}
