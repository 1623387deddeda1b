import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ArtifactChunk, type ArtifactIndex, joinBundle, parseArtifactIndex } from '@offprint/bundle';
import { readObject } from '../platform/blob/read.ts';
import type { BlobStore } from '../platform/blob/store.ts';

export type ReadChunk = (chunk: ArtifactChunk) => Promise<Uint8Array>;

/** Chunks moved at a time. */
const PARALLEL = 8;

export function bundleKey(organizationId: string, sha256: string): string {
  return `bundles/${organizationId}/${sha256}.tar.gz`;
}

// An artifact is stored under the digest of its bundle, which is a digest of its chunks that we check
// ourselves.
export const chunkKey = (organizationId: string, bundle: string, chunk: string) =>
  `artifacts/${organizationId}/${bundle}/${chunk}`;

/** Written last: an artifact without it is not there. */
export const indexKey = (organizationId: string, bundle: string) =>
  chunkKey(organizationId, bundle, 'index.json');

/** Throws when the chunks do not make the bundle that the index names: an untrusted process wrote both. */
export async function checkIndex(index: ArtifactIndex, readChunk: ReadChunk): Promise<void> {
  const digest = createHash('sha256');
  let bytes = 0;
  for await (const piece of joinBundle(index, readChunk)) {
    digest.update(piece);
    bytes += piece.byteLength;
  }
  if (digest.digest('hex') !== index.bundle.sha256 || bytes !== index.bundle.bytes) {
    throw new Error('the chunks of the artifact do not make the bundle that its index names');
  }
}

/** Whether the artifact is stored whole. */
export async function isStored(
  blobs: BlobStore,
  organizationId: string,
  index: ArtifactIndex,
): Promise<boolean> {
  const bundle = index.bundle.sha256;
  const missing = new Map(
    index.chunks.map(({ sha256, bytes }) => [chunkKey(organizationId, bundle, sha256), bytes]),
  );
  let hasIndex = false;
  for await (const { key, bytes } of blobs.list(chunkKey(organizationId, bundle, ''))) {
    if (key === indexKey(organizationId, bundle)) hasIndex = true;
    else if (missing.get(key) === bytes) missing.delete(key);
  }
  return hasIndex && missing.size === 0;
}

/** Stores the chunks of an artifact, then its index. Doing it twice is harmless. */
export async function storeArtifact(
  blobs: BlobStore,
  organizationId: string,
  index: ArtifactIndex,
  readChunk: ReadChunk,
  onProgress?: (stored: number, total: number) => void,
): Promise<void> {
  const bundle = index.bundle.sha256;
  const chunks = [...new Map(index.chunks.map((chunk) => [chunk.sha256, chunk])).values()];
  let stored = 0;
  await eachOf(chunks, async (chunk) => {
    const key = chunkKey(organizationId, bundle, chunk.sha256);
    if ((await blobs.stat(key))?.bytes !== chunk.bytes) await blobs.put(key, await readChunk(chunk));
    stored += 1;
    onProgress?.(stored, chunks.length);
  });
  await blobs.put(indexKey(organizationId, bundle), Buffer.from(JSON.stringify(index)));
}

/** Stores the bundle of an artifact whose chunks are at hand. */
export async function storeBundle(
  blobs: BlobStore,
  organizationId: string,
  index: ArtifactIndex,
  readChunk: ReadChunk,
): Promise<void> {
  const key = bundleKey(organizationId, index.bundle.sha256);
  if ((await blobs.stat(key))?.bytes === index.bundle.bytes) return;
  await blobs.put(key, Readable.from(joinBundle(index, readChunk), { objectMode: false }));
}

/** Stores the bundle of a stored artifact again: the same bytes as ever. Throws when the artifact is not there. */
export async function packBundle(blobs: BlobStore, organizationId: string, bundle: string): Promise<void> {
  const index = await readIndex(blobs, organizationId, bundle);
  if (index === null) throw new Error(`the artifact of bundle ${bundle} of ${organizationId} is not stored`);
  await storeBundle(blobs, organizationId, index, (chunk) =>
    readStoredChunk(blobs, organizationId, bundle, chunk),
  );
}

/** The index of a stored artifact; null when it is missing. */
export function readIndex(
  blobs: BlobStore,
  organizationId: string,
  bundle: string,
): Promise<ArtifactIndex | null> {
  return readObject(blobs, indexKey(organizationId, bundle), (content) =>
    parseArtifactIndex(content.toString()),
  );
}

/** A chunk of a stored artifact, with the digest that names it. Throws when it is missing. */
export async function readStoredChunk(
  blobs: BlobStore,
  organizationId: string,
  bundle: string,
  { sha256, bytes }: ArtifactChunk,
): Promise<Uint8Array> {
  const chunk = await readObject(blobs, chunkKey(organizationId, bundle, sha256), (content) => {
    if (content.length !== bytes) throw new Error(`it has ${content.length} of ${bytes} bytes`);
    if (createHash('sha256').update(content).digest('hex') !== sha256)
      throw new Error('its digest is not the one in its name');
    return content;
  });
  if (chunk === null) throw new Error(`chunk ${sha256} of bundle ${bundle} is not stored`);
  return chunk;
}

/**
 * Removes a bundle and its artifact, the index first, so that nobody sees half of it. Throws when the signal aborts:
 * without the lock on the bundle an attempt could name chunks that are about to go.
 */
export async function removeArtifact(
  blobs: BlobStore,
  organizationId: string,
  bundle: string,
  signal: AbortSignal,
): Promise<void> {
  await blobs.delete(bundleKey(organizationId, bundle));
  await blobs.delete(indexKey(organizationId, bundle));
  const keys: string[] = [];
  for await (const { key } of blobs.list(chunkKey(organizationId, bundle, ''))) keys.push(key);
  await eachOf(keys, (key) => {
    signal.throwIfAborted();
    return blobs.delete(key);
  });
}

/** Removes every artifact and bundle of an organization that is gone. */
export async function removeArtifactsOf(blobs: BlobStore, organizationId: string): Promise<void> {
  for (const prefix of [`bundles/${organizationId}/`, `artifacts/${organizationId}/`]) {
    const keys: string[] = [];
    for await (const { key } of blobs.list(prefix)) keys.push(key);
    await eachOf(keys, (key) => blobs.delete(key));
  }
}

/** What is stored under the digest of one bundle: its artifact, the bundle, or a part of them. */
export interface StoredBundle {
  organizationId: string;
  bundle: string;
  /** When the newest object of it was stored. */
  modifiedAt: Date;
}

/** Everything stored of artifacts, then everything of bundles, so that a digest can come twice. */
export async function* listStored(blobs: BlobStore): AsyncGenerator<StoredBundle> {
  for (const prefix of ['artifacts/', 'bundles/']) {
    let last = null as StoredBundle | null;
    for await (const { key, modifiedAt } of blobs.list(prefix)) {
      const [, organizationId, bundle] = STORED_KEY.exec(key) ?? [];
      if (organizationId === undefined || bundle === undefined) continue;
      if (last?.organizationId === organizationId && last.bundle === bundle) {
        if (modifiedAt > last.modifiedAt) last.modifiedAt = modifiedAt;
        continue;
      }
      if (last !== null) yield last;
      last = { organizationId, bundle, modifiedAt };
    }
    if (last !== null) yield last;
  }
}

const STORED_KEY = /^(?:artifacts|bundles)\/([^/]+)\/([0-9a-f]{64})(?:\/|\.tar\.gz$)/;

/** Whether any object of the bundle or its artifact was stored after the time. */
export async function isStoredSince(
  blobs: BlobStore,
  organizationId: string,
  bundle: string,
  time: Date,
): Promise<boolean> {
  const packed = await blobs.stat(bundleKey(organizationId, bundle));
  if (packed !== null && packed.modifiedAt > time) return true;
  for await (const { modifiedAt } of blobs.list(chunkKey(organizationId, bundle, ''))) {
    if (modifiedAt > time) return true;
  }
  return false;
}

async function eachOf<Item>(items: readonly Item[], visit: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (const item of rest) await visit(item);
    }),
  );
}
