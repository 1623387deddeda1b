import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BundleError } from './error.ts';
import { makeFolderSync } from './make-folder.ts';

/** A piece of a bundle: raw deflate data that ends on a byte boundary. */
export interface ArtifactChunk {
  /** SHA-256 of the compressed bytes: the name of the chunk. */
  sha256: string;
  /** Compressed bytes. */
  bytes: number;
  /** Bytes of the tar stream in it. */
  rawBytes: number;
  /** CRC-32 of the tar bytes, unsigned. */
  crc32: number;
}

/** What is stored beside the chunks of an export: enough to rebuild the bundle with the same digest. */
export interface ArtifactIndex {
  formatVersion: 1;
  /** `sha256` is the digest of the manifest's text; `bytes` is the size of all files without the manifest. */
  artifact: { sha256: string; files: number; bytes: number };
  bundle: { sha256: string; bytes: number };
  /** In the order of the bundle. The first `manifestChunks` contain the manifest. */
  chunks: readonly ArtifactChunk[];
  manifestChunks: number;
}

/** Name of the index in a folder with the chunks of an artifact. */
export const artifactIndexFile = 'artifact.json';

/** Where a packer writes chunks, and from where they are joined. Names are SHA-256 digests. */
export interface ChunkStore {
  put(chunk: ArtifactChunk, bytes: Uint8Array): void | Promise<void>;
  get(chunk: ArtifactChunk): Uint8Array | Promise<Uint8Array>;
}

/**
 * Stores chunks as files named by digest in a folder, which is created. Writes synchronously, so memory use
 * stays bounded.
 */
export function directoryChunks(folder: string): ChunkStore {
  makeFolderSync(folder);
  return {
    put: (chunk, bytes) => writeFileSync(join(folder, chunk.sha256), bytes),
    get: (chunk) => readFileSync(join(folder, chunk.sha256)),
  };
}

/** Stores chunks in memory. */
export function memoryChunks(): ChunkStore {
  const chunks = new Map<string, Uint8Array>();
  return {
    put: (chunk, bytes) => void chunks.set(chunk.sha256, bytes),
    get: (chunk) => {
      const bytes = chunks.get(chunk.sha256);
      if (bytes === undefined) throw missing(chunk);
      return bytes;
    },
  };
}

function missing(chunk: ArtifactChunk): BundleError {
  return new BundleError('digest_mismatch', `Chunk ${chunk.sha256} is missing.`);
}

/** Validates the format of a stored index. Throws a BundleError. */
export function parseArtifactIndex(text: string): ArtifactIndex {
  const index = JSON.parse(text) as ArtifactIndex;
  const count = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  const digest = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
  const good =
    index.formatVersion === 1 &&
    digest(index.artifact?.sha256) &&
    count(index.artifact.files) &&
    count(index.artifact.bytes) &&
    digest(index.bundle?.sha256) &&
    count(index.bundle.bytes) &&
    Array.isArray(index.chunks) &&
    count(index.manifestChunks) &&
    index.chunks.every((c) => digest(c.sha256) && count(c.bytes) && count(c.rawBytes) && count(c.crc32));
  if (!good) throw new BundleError('manifest_invalid', 'The index of the artifact is damaged.');
  return index;
}
