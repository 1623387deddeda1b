import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { type ArtifactChunk, type ArtifactIndex, joinBundle, parseArtifactIndex } from '@offprint/bundle';
import type { BlobStore } from '../platform/blob/store.ts';

/** Chunks moved at a time. */
const PARALLEL = 8;

export function bundleKey(organizationId: string, sha256: string): string {
  return `bundles/${organizationId}/${sha256}.tar.gz`;
}

const chunkKey = (organizationId: string, artifact: string, chunk: string) =>
  `artifacts/${organizationId}/${artifact}/${chunk}`;

/** Written last: an artifact without it is not there. */
const indexKey = (organizationId: string, artifact: string) =>
  chunkKey(organizationId, artifact, 'index.json');

/** Whether the artifact is stored whole. */
export async function hasArtifact(
  blobs: BlobStore,
  organizationId: string,
  artifact: string,
): Promise<boolean> {
  return (await blobs.stat(indexKey(organizationId, artifact))) !== null;
}

/** Stores the chunks of an artifact, then its index. Doing it twice is harmless. */
export async function storeArtifact(
  blobs: BlobStore,
  organizationId: string,
  index: ArtifactIndex,
  readChunk: (chunk: ArtifactChunk) => Promise<Uint8Array>,
  onProgress?: (stored: number, total: number) => void,
): Promise<void> {
  const artifact = index.artifact.sha256;
  const chunks = [...new Map(index.chunks.map((chunk) => [chunk.sha256, chunk])).values()];
  let stored = 0;
  await eachOf(chunks, async (chunk) => {
    const key = chunkKey(organizationId, artifact, chunk.sha256);
    if ((await blobs.stat(key))?.bytes !== chunk.bytes) await blobs.put(key, await readChunk(chunk));
    stored += 1;
    onProgress?.(stored, chunks.length);
  });
  await blobs.put(indexKey(organizationId, artifact), Buffer.from(JSON.stringify(index)));
}

/** Stores the bundle of a stored artifact: the same bytes as ever. Throws when the artifact is not there. */
export async function packBundle(blobs: BlobStore, organizationId: string, artifact: string): Promise<void> {
  const stored = await blobs.get(indexKey(organizationId, artifact));
  if (stored === null) throw new Error(`artifact ${artifact} of ${organizationId} is not stored`);
  const index = parseArtifactIndex(await text(stored));
  await storeBundle(blobs, organizationId, index, async (chunk) => {
    const content = await blobs.get(chunkKey(organizationId, artifact, chunk.sha256));
    if (content === null) throw new Error(`chunk ${chunk.sha256} of artifact ${artifact} is not stored`);
    return buffer(content);
  });
}

/** Stores the bundle of an artifact whose chunks are at hand. */
export async function storeBundle(
  blobs: BlobStore,
  organizationId: string,
  index: ArtifactIndex,
  readChunk: (chunk: ArtifactChunk) => Promise<Uint8Array>,
): Promise<void> {
  const key = bundleKey(organizationId, index.bundle.sha256);
  if ((await blobs.stat(key))?.bytes === index.bundle.bytes) return;
  await blobs.put(key, Readable.from(joinBundle(index, readChunk), { objectMode: false }));
}

/** Removes an artifact: its index first, so that nobody sees half of it. */
export async function removeArtifact(
  blobs: BlobStore,
  organizationId: string,
  artifact: string,
): Promise<void> {
  await blobs.delete(indexKey(organizationId, artifact));
  const keys: string[] = [];
  for await (const { key } of blobs.list(chunkKey(organizationId, artifact, ''))) keys.push(key);
  await eachOf(keys, (key) => blobs.delete(key));
}

async function eachOf<Item>(items: readonly Item[], visit: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (const item of rest) await visit(item);
    }),
  );
}
