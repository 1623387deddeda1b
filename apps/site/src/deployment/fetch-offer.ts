import { rm } from 'node:fs/promises';
import { type ArtifactIndex, BundleError, type Manifest } from '@offprint/bundle';
import { DeploymentError } from '../error.ts';
import type { Log } from '../log.ts';
import type { InstallOptions, Release, Store } from '../releases/store.ts';
import { downloadChanges, readIndex } from '../source/changed-chunks.ts';
import { type Downloaded, type DownloadOptions, downloadBundle } from '../source/download.ts';
import type { Transport } from '../source/request.ts';
import type { Download, Offer } from '../source/source.ts';
import type { BundleIdentity } from './attempts.ts';
import type { DeploymentStep } from './status.ts';

export interface FetchOptions {
  store: Store;
  /** Throws if the manifest does not match the pins. */
  accept(manifest: Manifest): void;
  maxBytes: number;
  transport: Transport;
  signal: AbortSignal;
  onStep(name: DeploymentStep['name'], bytes: number, total: number | null): void;
  /** Reports what is known about the bundle: first its ETag, then also its digest. */
  onSight(identity: BundleIdentity): Promise<void>;
  log: Log;
}

/**
 * Creates a release from an offer: downloads the bundle if it is remote, verifies and unpacks it. Returns
 * null if the source says that the bundle is the last one processed. Throws a DeploymentError, a BundleError
 * or a file system error.
 */
export async function fetchOffer(
  offer: Offer,
  options: FetchOptions,
): Promise<{ release: Release; tag: string | null } | null> {
  const { store, accept, signal, onStep } = options;
  const { from, sha256 } = offer;
  const install: InstallOptions = {
    accept,
    signal,
    onProgress: ({ step, bytes, total }) => onStep(step, bytes, total),
  };
  if (sha256 !== null) {
    onStep('verifying', 0, null);
    const there = await store.open(sha256);
    if (there !== null) {
      await options.onSight({ etag: null, sha256 });
      accept(there.manifest);
      return { release: there, tag: 'file' in from ? offer.tag : from.tagOf(null) };
    }
  }
  if ('file' in from) {
    const release = await store
      .install(from.file, sha256 === null ? install : { ...install, sha256 })
      .catch((error: unknown) => {
        throw readFault(error, from.file, sha256);
      });
    return { release, tag: offer.tag };
  }
  const path = store.newPath();
  onStep('downloading', 0, offer.bytes);
  try {
    const downloaded = await downloadOffer(from, path, { ...options, offer, bundles: store });
    if (downloaded === null) return null;
    const { index } = downloaded;
    onStep('verifying', 0, downloaded.bytes);
    const release = await store.install(path, { ...install, sha256: downloaded.sha256 });
    // the release does not depend on it
    if (index !== null)
      await store.keepBundle(path, release, index).catch((error: unknown) => {
        options.log.info('cannot keep the bundle for the next download', { why: messageOf(error) });
      });
    return { release, tag: from.tagOf(downloaded.etag) };
  } finally {
    await rm(path, { force: true });
  }
}

/** Where the last bundle of a site is kept. */
export type KeptBundles = Pick<Store, 'openKeptBundle' | 'dropBundle' | 'freeBytes'>;

export interface OfferDownloadOptions
  extends Pick<FetchOptions, 'maxBytes' | 'transport' | 'signal' | 'onStep' | 'onSight' | 'log'> {
  offer: Pick<Offer, 'sha256' | 'bytes' | 'place'>;
  bundles: KeptBundles;
}

/**
 * Downloads the bundle of an offer to a new file: what the bundle that was kept lacks, or else the whole bundle. `index`
 * is null if the source has none. Returns null if the source says that the bundle is the last one processed.
 */
export async function downloadOffer(
  from: Download,
  path: string,
  options: OfferDownloadOptions,
): Promise<(Downloaded & { index: ArtifactIndex | null }) | null> {
  const { offer, bundles, log, onStep } = options;
  const { sha256 } = offer;
  // logged only when a bundle arrives: an expired link is retried again and again, and a line for each retry
  // is noise
  let isTold = false;
  const index = sha256 === null ? null : await tryReadIndex(from, sha256, options);
  const downloaded = await download(from, path, index, bundles, log, {
    transport: options.transport,
    signal: options.signal,
    maxBytes: options.maxBytes,
    sha256,
    freeBytes: bundles.freeBytes,
    onSight: options.onSight,
    onProgress(bytes, known) {
      const total = known ?? offer.bytes;
      onStep('downloading', bytes, total);
      if (!isTold) log.info('downloading', { from: offer.place, bytes: total });
      isTold = true;
    },
  });
  return downloaded === null ? null : { ...downloaded, index };
}

/** Null if the source has no index, or none that can be read: then the whole bundle is downloaded. */
async function tryReadIndex(
  { indexUrl }: Download,
  sha256: string,
  { transport, signal, log }: Pick<FetchOptions, 'transport' | 'signal' | 'log'>,
): Promise<ArtifactIndex | null> {
  if (indexUrl === null) return null;
  try {
    return await readIndex(indexUrl, sha256, transport, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.info('cannot read the index of the bundle', { why: messageOf(error) });
    return null;
  }
}

/** Downloads what the bundle that was kept lacks, or else the whole bundle. */
async function download(
  from: Download,
  path: string,
  index: ArtifactIndex | null,
  bundles: KeptBundles,
  log: Log,
  options: DownloadOptions,
): Promise<Downloaded | null> {
  const earlier = index === null ? null : await bundles.openKeptBundle();
  if (index !== null && earlier !== null) {
    try {
      const changed = await downloadChanges(from.url, path, { ...options, index, earlier });
      if (changed !== null) {
        log.info('downloaded what has changed', { bytes: changed.received, of: changed.bytes });
        return changed;
      }
    } catch (error) {
      options.signal.throwIfAborted();
      log.info('cannot download what has changed, so the whole bundle is downloaded', {
        why: messageOf(error),
      });
    } finally {
      await earlier.close();
    }
  }
  await bundles.dropBundle();
  return downloadBundle(from, path, options);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function readFault(error: unknown, file: string, sha256: string | null): unknown {
  // read twice, first for the digest: if the two readings differ, the file is changing
  const hasChanged = error instanceof BundleError && error.code === 'digest_mismatch' && error.path === null;
  if (hasChanged && sha256 === null) {
    return new DeploymentError(
      'source_unreachable',
      `${file} changed while it was being read. It is read again at the next check.`,
    );
  }
  if ((error as NodeJS.ErrnoException).path !== file) return error;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT'
    ? new DeploymentError('bundle_missing', `${file} no longer exists. Put a bundle there.`)
    : new DeploymentError('source_failed', `Cannot read ${file} (${code}).`);
}
