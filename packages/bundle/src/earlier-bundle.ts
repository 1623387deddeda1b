/** A bundle that was written before, whose chunks and files the next one may contain again. */
import { hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { constants, inflateRawSync } from 'node:zlib';
import { type ArtifactChunk, type ArtifactIndex, parseArtifactIndex } from './artifact.ts';
import type { EarlierChunks } from './chunk-sink.ts';
import { chunkSize } from './cut.ts';
import { damagedBundle } from './damaged-bundle.ts';
import { BundleError } from './error.ts';
import { gzipHeader } from './join.ts';
import { type ManifestFile, manifestPath } from './manifest.ts';
import type { StoredFile } from './packer.ts';
import { headerLength, paddingOf } from './tar-header.ts';

/** What is remembered of a bundle: its index, and what each chunk was made from. */
export interface ChunkTable {
  index: ArtifactIndex;
  keys: readonly string[];
}

export interface EarlierBundle extends EarlierChunks {
  /** A file of the bundle with this path; null if it is not there. Reading it throws if it is damaged (`isDamagedBundle`). */
  file(path: string): StoredFile | null;
  close(): void;
}

/** Parses what `JSON.stringify` wrote of a table. Throws a BundleError, or a SyntaxError. */
export function parseChunkTable(text: string): ChunkTable {
  const value: { index?: unknown; keys?: unknown } = JSON.parse(text);
  const index = parseArtifactIndex(JSON.stringify(value.index ?? null));
  const { keys } = value;
  const isList = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((key) => typeof key === 'string');
  if (!isList(keys) || keys.length !== index.chunks.length)
    throw new BundleError('manifest_invalid', 'The table of the chunks is damaged.');
  return { index, keys };
}

/** Opens the bundle at that byte of a file. Throws if it is not there or its manifest is damaged. */
export function openEarlierBundle(file: string, table: ChunkTable, start = 0): EarlierBundle {
  const descriptor = openSync(file, 'r');
  try {
    return readEarlier(descriptor, table, start);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

interface PlacedChunk {
  chunk: ArtifactChunk;
  /** Start in the file. */
  from: number;
  /** Start in the tar stream. */
  rawFrom: number;
}

function readEarlier(descriptor: number, { index, keys }: ChunkTable, fileStart: number): EarlierBundle {
  const places = placesOf(index, fileStart);
  const front = places.slice(0, index.manifestChunks);
  const content = places.slice(index.manifestChunks);
  const start = content[0]?.rawFrom ?? 0;
  let last: { place: PlacedChunk; raw: Uint8Array } | null = null;
  const inflate = (place: PlacedChunk): Uint8Array => {
    if (last?.place !== place) last = { place, raw: readChunk(descriptor, place) };
    return last.raw;
  };
  function* readFrom(at: number, size: number): Generator<Uint8Array> {
    let done = 0;
    for (let number = lastBefore(content, at); done < size; number++) {
      const place = content[number];
      if (place === undefined) throw damagedBundle();
      const piece = inflate(place).subarray(at + done - place.rawFrom, at + size - place.rawFrom);
      yield piece;
      done += piece.length;
    }
  }
  const byKey = new Map(keys.map((key, number) => [key, places[number]]));
  const byPath = new Map<string, ManifestFile & { at: number }>();
  let at = start;
  for (const file of readManifest(front.map(inflate), index.artifact.sha256)) {
    at += headerLength(file.path);
    byPath.set(file.path, { ...file, at });
    at += file.size + paddingOf(file.size);
  }
  return {
    descriptor,
    find: (key) => byKey.get(key) ?? null,
    file(path) {
      const known = byPath.get(path);
      if (known === undefined) return null;
      const { sha256, size } = known;
      return {
        sha256,
        size,
        read() {
          const bytes = Buffer.concat([...readFrom(known.at, size)]);
          if (hash('sha256', bytes) !== sha256) throw damagedBundle();
          return bytes;
        },
        // each chunk is checked
        pieces: () => readFrom(known.at, size),
      };
    },
    close: () => closeSync(descriptor),
  };
}

function placesOf({ chunks }: ArtifactIndex, start: number): PlacedChunk[] {
  let from = start + gzipHeader.length;
  let rawFrom = 0;
  return chunks.map((chunk) => {
    const place = { chunk, from, rawFrom };
    from += chunk.bytes;
    rawFrom += chunk.rawBytes;
    return place;
  });
}

/** Number of the chunk that contains this place of the tar stream. */
function lastBefore(places: readonly PlacedChunk[], at: number): number {
  let low = 0;
  let high = places.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (places[middle]!.rawFrom > at) high = middle;
    else low = middle;
  }
  return low;
}

function readChunk(descriptor: number, { chunk, from }: PlacedChunk): Uint8Array {
  if (chunk.rawBytes > chunkSize || chunk.bytes > 2 * chunkSize) throw damagedBundle();
  const packed = new Uint8Array(chunk.bytes);
  const count = readSync(descriptor, packed, 0, packed.length, from);
  if (count !== packed.length || hash('sha256', packed) !== chunk.sha256) throw damagedBundle();
  const raw = inflateRawSync(packed, {
    // a chunk ends with a flush; the end of the stream comes with the bundle
    finishFlush: constants.Z_SYNC_FLUSH,
    // in one piece: joining pieces takes as long as the rest
    chunkSize: Math.max(constants.Z_MIN_CHUNK, chunk.rawBytes + 1),
    maxOutputLength: chunkSize,
  });
  if (raw.length !== chunk.rawBytes) throw damagedBundle();
  return raw;
}

function readManifest(pieces: readonly Uint8Array[], sha256: string): readonly ManifestFile[] {
  const raw = Buffer.concat(pieces);
  const start = headerLength(manifestPath);
  // the size is in the header as octal digits (POSIX ustar)
  const size = Number.parseInt(raw.toString('latin1', 124, 135), 8);
  const text = raw.subarray(start, start + size);
  if (hash('sha256', text) !== sha256) throw damagedBundle();
  // with this digest, it is what a packer has written
  const { files }: { files: readonly ManifestFile[] } = JSON.parse(text.toString());
  return files;
}
