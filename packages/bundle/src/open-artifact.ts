import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, inflateRaw, type ZlibOptions } from 'node:zlib';
import { type ArtifactChunk, type ArtifactIndex, artifactIndexFile, parseArtifactIndex } from './artifact.ts';
import { chunkSize } from './cut.ts';
import { BundleError } from './error.ts';
import { collect, type ReadChunk } from './join.ts';
import { bundleLimits, manifestLimits } from './limits.ts';
import { type Manifest, type ManifestFile, manifestPath, parseManifestInTurns } from './manifest.ts';
import { headerLength, paddingOf } from './tar-header.ts';
import { readTar } from './tar-read.ts';

/** A file of an artifact, with the position of its content in the tar stream after the manifest. */
export type ArtifactFile = ManifestFile & { at: number };

/** A stored artifact whose files can be read one by one. */
export interface OpenArtifact {
  manifest: Omit<Manifest, 'files'> & { files: readonly ArtifactFile[] };
  /**
   * The content of a file of this manifest, or the bytes from `start` to `end`, both included. Keeps one
   * chunk in memory at a time. Throws a BundleError if a chunk is damaged.
   */
  read(
    file: ArtifactFile,
    range?: { start: number; end: number },
  ): AsyncGenerator<Uint8Array, void, undefined>;
}

const inflateInPool = promisify(inflateRaw) as (packed: Uint8Array, options: ZlibOptions) => Promise<Buffer>;

/**
 * Reads the manifest of an artifact. Its order, names and sizes give the position of each file in the tar
 * stream, and each chunk can be inflated by itself, so that a file can be read without the others. Throws a
 * BundleError.
 */
export async function openArtifact(index: ArtifactIndex, readChunk: ReadChunk): Promise<OpenArtifact> {
  const front = index.chunks.slice(0, index.manifestChunks);
  const content = index.chunks.slice(index.manifestChunks);
  const manifest = await readManifest(front, readChunk, index.artifact.sha256);
  let at = 0;
  const files = manifest.files.map((file) => {
    at += headerLength(file.path);
    const placed = { ...file, at };
    at += file.size + paddingOf(file.size);
    return placed;
  });
  const ends: number[] = [];
  for (const { rawBytes } of content) ends.push((ends.at(-1) ?? 0) + rawBytes);

  return {
    manifest: { ...manifest, files },
    async *read(file, range = { start: 0, end: file.size - 1 }) {
      let from = file.at + range.start;
      const end = file.at + range.end + 1;
      for (let place = firstAfter(ends, from); from < end; place++) {
        const chunk = content[place];
        if (chunk === undefined)
          throw new BundleError('truncated', 'The artifact ends too early.', file.path);
        const begin = ends[place]! - chunk.rawBytes;
        const raw = await inflate(chunk, readChunk);
        const piece = raw.subarray(from - begin, end - begin);
        yield piece;
        from += piece.length;
      }
    },
  };
}

/**
 * Opens the artifact in a folder with its index and chunks. Throws a BundleError, or a system error if a file is
 * missing.
 */
export async function openArtifactFolder(folder: string): Promise<OpenArtifact> {
  const index = parseArtifactIndex(await readFile(join(folder, artifactIndexFile), 'utf8'));
  return openArtifact(index, (chunk) => readFile(join(folder, chunk.sha256)));
}

/** Index of the first number of an ascending list that is greater. */
function firstAfter(rising: readonly number[], value: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rising[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function readManifest(
  chunks: readonly ArtifactChunk[],
  readChunk: ReadChunk,
  sha256: string,
): Promise<Manifest> {
  const raw = async function* () {
    let bytes = 0;
    for (const chunk of chunks) {
      bytes += chunk.rawBytes;
      if (bytes > manifestLimits(bundleLimits).bytes)
        throw new BundleError('too_large', 'The manifest is too large.', manifestPath);
      yield await inflate(chunk, readChunk);
    }
  };
  for await (const entry of readTar(raw())) {
    const pieces: Buffer[] = [];
    for await (const piece of entry.content) pieces.push(piece);
    const text = Buffer.concat(pieces);
    if (entry.path !== manifestPath || hash('sha256', text) !== sha256) break;
    return await parseManifestInTurns(text.toString());
  }
  throw new BundleError('manifest_invalid', 'The artifact does not start with its manifest.', manifestPath);
}

/** The tar bytes of a chunk. The size that the chunk's creator claims is not trusted. */
async function inflate(chunk: ArtifactChunk, readChunk: ReadChunk): Promise<Buffer> {
  const damaged = () =>
    new BundleError('digest_mismatch', `Chunk ${chunk.sha256} of the artifact is damaged.`);
  if (chunk.rawBytes > chunkSize || chunk.bytes > 2 * chunkSize) throw damaged();
  const packed = await collect(await readChunk(chunk));
  if (packed.length !== chunk.bytes || hash('sha256', packed) !== chunk.sha256) throw damaged();
  const raw = await inflateInPool(packed, {
    // A chunk ends with a flush; the end of the stream comes with the bundle.
    finishFlush: constants.Z_SYNC_FLUSH,
    maxOutputLength: chunkSize,
  }).catch(() => {
    throw damaged();
  });
  if (raw.length !== chunk.rawBytes) throw damaged();
  return raw;
}
