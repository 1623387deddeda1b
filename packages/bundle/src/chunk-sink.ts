import type { ArtifactChunk } from './artifact.ts';

/** Chunks of an earlier bundle, in an open file. */
export interface EarlierChunks {
  descriptor: number;
  /** A chunk that was made from the same, and where it starts in the file. Its bytes are not checked yet. */
  find(key: string): { chunk: ArtifactChunk; from: number } | null;
}

/** Where the tar bytes of chunks go. */
export interface ChunkSink {
  /** A buffer of `chunkSize` bytes to fill. */
  buffer(): Uint8Array<ArrayBuffer>;
  /** Compresses the first `used` bytes of a buffer as the next chunk; the buffer is the sink's from now on. */
  put(buffer: Uint8Array<ArrayBuffer>, used: number, level: number): void;
  /** Takes a chunk that was made from the same as the next one, if there is any; false if not. */
  reuse?(key: string): boolean;
  /** Resolves when another chunk can be compressed without waiting. */
  room(): Promise<void>;
  /** All chunks so far, in order, once they are stored. Rejects with the first error. */
  end(): Promise<readonly ArtifactChunk[]>;
  /** Joins all stored chunks to the bundle, the last `front` ones first, and returns its SHA-256. */
  join(ordered: readonly ArtifactChunk[], front: number): Promise<string>;
}
