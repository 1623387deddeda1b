import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type ArtifactChunk,
  type ArtifactIndex,
  joinBundle,
  linkFactsFile,
  parseArtifactIndex,
} from '@offprint/bundle';
import { DamagedObjectError, readObject } from '../platform/blob/read.ts';
import type { BlobStore } from '../platform/blob/store.ts';

/** Stored files of an artifact are missing or damaged. A store that cannot be used is another error. */
export class LostArtifactError extends Error {
  override name = 'LostArtifactError';
}

export type ReadChunk = (chunk: ArtifactChunk) => Promise<Uint8Array>;

/** Bytes of compressed places of links. */
const MAX_STORED_LINKS = 16 * 1024 * 1024;

/** Chunks moved at a time. */
const PARALLEL = 8;

export function bundleKey(organizationId: string, sha256: string): string {
  return `bundles/${organizationId}/${sha256}.tar.gz`;
}

// An artifact is stored under the digest of its bundle, which is a digest of its chunks that we check
// ourselves.
export const chunkKey = (organizationId: string, bundle: string, chunk: string) =>
  `artifacts/${organizationId}/${bundle}/${chunk}`;

/** Not part of the bundle: where links are in the source of the export. */
export const linksKey = (organizationId: string, bundle: string) =>
  chunkKey(organizationId, bundle, linkFactsFile);

/** Not part of the bundle either: vectors of its sections, named by the digest of their file. */
export const vectorsKey = (organizationId: string, bundle: string, sha256: string) =>
  chunkKey(organizationId, bundle, `vectors-${sha256}`);

/** Vectors that an attempt has so far. */
export const unfinishedVectorsKey = (organizationId: string, bundle: string, space: string) =>
  chunkKey(organizationId, bundle, `vectors-${space}.part`);

const INDEX_FILE = 'index.json';

/** Written last: an artifact without it is not there. */
export const indexKey = (organizationId: string, bundle: string) =>
  chunkKey(organizationId, bundle, INDEX_FILE);

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
  const parts = await storedParts(blobs, organizationId, index.bundle.sha256);
  return parts.has(INDEX_FILE) && index.chunks.every(({ sha256, bytes }) => parts.get(sha256) === bytes);
}

/** Bytes of what is stored of the artifact of a bundle, by the last part of the key. */
async function storedParts(
  blobs: BlobStore,
  organizationId: string,
  bundle: string,
): Promise<Map<string, number>> {
  const prefix = chunkKey(organizationId, bundle, '');
  const found = new Map<string, number>();
  for await (const { key, bytes } of blobs.list(prefix)) found.set(key.slice(prefix.length), bytes);
  return found;
}

/**
 * Stores the chunks of an artifact, then its index. Doing it twice is harmless. What is stored in the same size is left
 * as it is, unless it may be damaged. Chunks that `earlier`, another bundle, has in this size are copied within the store.
 */
export async function storeArtifact(
  blobs: BlobStore,
  organizationId: string,
  index: ArtifactIndex,
  readChunk: ReadChunk,
  options: {
    mayBeDamaged?: boolean;
    earlier?: string | null;
    links?: Uint8Array | null;
    onProgress?: (stored: number, total: number) => void;
  } = {},
): Promise<void> {
  const { mayBeDamaged = false, earlier = null, links = null, onProgress } = options;
  const bundle = index.bundle.sha256;
  const partsOf = async (of: string | null) =>
    of === null || mayBeDamaged ? new Map<string, number>() : storedParts(blobs, organizationId, of);
  const [known, others] = await Promise.all([partsOf(bundle), partsOf(earlier === bundle ? null : earlier)]);
  const copied = async ({ sha256, bytes }: ArtifactChunk): Promise<boolean> => {
    if (earlier === null || others.get(sha256) !== bytes) return false;
    const from = chunkKey(organizationId, earlier, sha256);
    // A store without copies gets the bytes.
    return blobs.copy(from, chunkKey(organizationId, bundle, sha256)).catch(() => false);
  };
  // First: copies keep the time of their source, and an artifact without anything new would pass for a left one.
  if (links !== null) await blobs.put(linksKey(organizationId, bundle), links);
  const chunks = [...new Map(index.chunks.map((chunk) => [chunk.sha256, chunk])).values()];
  let stored = 0;
  await eachOf(chunks, async (chunk) => {
    if (known.get(chunk.sha256) !== chunk.bytes && !(await copied(chunk)))
      await blobs.put(chunkKey(organizationId, bundle, chunk.sha256), await readChunk(chunk));
    stored += 1;
    onProgress?.(stored, chunks.length);
  });
  await blobs.put(indexKey(organizationId, bundle), Buffer.from(JSON.stringify(index)));
}

/** Stores the bundle of an artifact whose chunks are at hand; one of the same size is left unless it may be damaged. */
export async function storeBundle(
  blobs: BlobStore,
  organizationId: string,
  index: ArtifactIndex,
  readChunk: ReadChunk,
  { mayBeDamaged = false }: { mayBeDamaged?: boolean } = {},
): Promise<void> {
  const key = bundleKey(organizationId, index.bundle.sha256);
  if (!mayBeDamaged && (await blobs.stat(key))?.bytes === index.bundle.bytes) return;
  await blobs.put(key, Readable.from(joinBundle(index, readChunk), { objectMode: false }));
}

/** Stores the bundle of a stored artifact again: the same bytes as ever. Throws a LostArtifactError. */
export async function packBundle(blobs: BlobStore, organizationId: string, bundle: string): Promise<void> {
  const index = await readIndex(blobs, organizationId, bundle);
  await storeBundle(blobs, organizationId, index, (chunk) =>
    readStoredChunk(blobs, organizationId, bundle, chunk),
  );
}

/** The compressed places of links of a stored artifact; null if it has none or they cannot be used. */
export async function readStoredLinks(
  blobs: BlobStore,
  organizationId: string,
  bundle: string,
): Promise<Uint8Array | null> {
  const key = linksKey(organizationId, bundle);
  const stat = await blobs.stat(key);
  if (stat === null || stat.bytes > MAX_STORED_LINKS) return null;
  return readObject(blobs, key, (content) => content);
}

/** The index of a stored artifact. Throws a LostArtifactError if it is missing or damaged. */
export function readIndex(blobs: BlobStore, organizationId: string, bundle: string): Promise<ArtifactIndex> {
  return readPart(blobs, indexKey(organizationId, bundle), (content) => {
    const index = parseArtifactIndex(content.toString());
    if (index.bundle.sha256 !== bundle) throw new Error('it names another bundle');
    return index;
  });
}

async function readPart<Value>(
  blobs: BlobStore,
  key: string,
  parse: (content: Buffer) => Value,
): Promise<Value> {
  try {
    const part = await readObject(blobs, key, parse);
    if (part !== null) return part;
  } catch (error) {
    if (!(error instanceof DamagedObjectError)) throw error;
    throw new LostArtifactError(`${key} is damaged`, { cause: error });
  }
  throw new LostArtifactError(`${key} is missing`);
}

/** Why a stored artifact is lost; null when all of it can be read and has its digests. */
export async function findLoss(
  blobs: BlobStore,
  organizationId: string,
  bundle: string,
): Promise<string | null> {
  try {
    const { chunks } = await readIndex(blobs, organizationId, bundle);
    await eachOf(chunks, (chunk) => readStoredChunk(blobs, organizationId, bundle, chunk));
    return null;
  } catch (error) {
    if (error instanceof LostArtifactError) return error.message;
    throw error;
  }
}

/** A chunk of a stored artifact. Throws a LostArtifactError if it is missing, or its digest is not that of its name. */
export function readStoredChunk(
  blobs: BlobStore,
  organizationId: string,
  bundle: string,
  { sha256, bytes }: ArtifactChunk,
): Promise<Uint8Array> {
  return readPart(blobs, chunkKey(organizationId, bundle, sha256), (content) => {
    if (content.length !== bytes) throw new Error(`it has ${content.length} of ${bytes} bytes`);
    if (createHash('sha256').update(content).digest('hex') !== sha256)
      throw new Error('its digest is not the one in its name');
    return content;
  });
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

async function eachOf<Item>(items: readonly Item[], visit: (item: Item) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (const item of rest) await visit(item);
    }),
  );
}
