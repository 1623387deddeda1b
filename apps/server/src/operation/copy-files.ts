import { createHash } from 'node:crypto';
import {
  bundleKey,
  chunkKey,
  indexKey,
  LostArtifactError,
  readIndex,
  readStoredChunk,
  vectorsKey,
} from '../exports/artifact.ts';
import type { BlobStore } from '../platform/blob/store.ts';
import { uploadKey } from '../projects/upload.ts';
import type { NeededObjects } from './stored-objects.ts';

/** A verified object of the store. */
export interface CopiedObject {
  key: string;
  content: Uint8Array | { bytes: number; stream: AsyncIterable<Uint8Array> };
}

/** An artifact or an upload that is not stored as its rows say. */
export interface LostObject {
  organizationId: string;
  bundle: string;
  reason: string;
}

/** Chunks that are read at the same time. */
const AHEAD = 8;

/**
 * Every object that the rows need, read and compared with its digest. Bundles are made of artifacts again, so they
 * are left out, except where only the bundle is whole. What is lost is passed to `onLost`, except vectors, which are made
 * again by themselves.
 */
export async function* readObjects(
  blobs: BlobStore,
  { artifacts, uploads, vectors }: NeededObjects,
  onLost: (lost: LostObject) => void,
): AsyncGenerator<CopiedObject> {
  for (const { organizationId, bundle } of artifacts) {
    try {
      yield* readArtifact(blobs, organizationId, bundle);
    } catch (error) {
      if (!(error instanceof LostArtifactError)) throw error;
      const whole = await readBundle(blobs, organizationId, bundle);
      if (whole === null) onLost({ organizationId, bundle, reason: error.message });
      else yield whole;
    }
  }
  for (const { organizationId, sha256 } of uploads) {
    const key = uploadKey(organizationId, sha256);
    const upload = await openVerified(blobs, key, sha256);
    if (upload === null) onLost({ organizationId, bundle: sha256, reason: `${key} is missing or damaged` });
    else yield upload;
  }
  for (const { organizationId, bundle, sha256 } of vectors) {
    const file = await openVerified(blobs, vectorsKey(organizationId, bundle, sha256), sha256);
    if (file !== null) yield file;
  }
}

/** All chunks before the index, so that nothing is left of an artifact with a lost chunk but chunks. */
async function* readArtifact(
  blobs: BlobStore,
  organizationId: string,
  bundle: string,
): AsyncGenerator<CopiedObject> {
  const index = await readIndex(blobs, organizationId, bundle);
  const chunks = [...new Map(index.chunks.map((chunk) => [chunk.sha256, chunk])).values()];
  const running: Promise<CopiedObject>[] = [];
  let next = 0;
  const readNext = (): void => {
    const chunk = chunks[next++];
    if (chunk === undefined) return;
    const read = readStoredChunk(blobs, organizationId, bundle, chunk).then((content) => ({
      key: chunkKey(organizationId, bundle, chunk.sha256),
      content,
    }));
    // It is awaited in its turn.
    read.catch(() => undefined);
    running.push(read);
  };
  while (next < Math.min(AHEAD, chunks.length)) readNext();
  for (let read = running.shift(); read !== undefined; read = running.shift()) {
    const object = await read;
    readNext();
    yield object;
  }
  yield { key: indexKey(organizationId, bundle), content: Buffer.from(JSON.stringify(index)) };
}

const readBundle = (blobs: BlobStore, organizationId: string, bundle: string) =>
  openVerified(blobs, bundleKey(organizationId, bundle), bundle);

/** An object that is named by its digest, after reading it once; null if it is missing or has another digest. */
async function openVerified(blobs: BlobStore, key: string, sha256: string): Promise<CopiedObject | null> {
  const first = await blobs.get(key);
  if (first === null) return null;
  const digest = createHash('sha256');
  let bytes = 0;
  for await (const piece of first) {
    digest.update(piece);
    bytes += piece.length;
  }
  if (digest.digest('hex') !== sha256) return null;
  const stream = await blobs.get(key);
  return stream === null ? null : { key, content: { bytes, stream } };
}
