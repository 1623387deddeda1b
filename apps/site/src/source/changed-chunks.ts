import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import {
  type ArtifactChunk,
  type ArtifactIndex,
  chunkOffsets,
  joinBundle,
  parseArtifactIndex,
} from '@offprint/bundle';
import { DeploymentError } from '../error.ts';
import { type KeptBundle, maxIndexBytes } from '../releases/kept-bundle.ts';
import type { Downloaded, DownloadOptions } from './download.ts';
import { get, placeOf, type Transport } from './request.ts';

/** More requests than this, or most of the bytes: then the whole bundle is one request. */
const maxRequests = 64;
const maxShare = 0.7;
/** Bytes of one chunk that are held in memory; chunks of the packer have at most 256 kB of content. */
const maxChunkBytes = 16 * 1024 * 1024;

/** Chunks that follow each other in the bundle and are requested together. */
interface Run {
  start: number;
  chunks: ArtifactChunk[];
}

/**
 * Reads the index of the bundle with this digest. Throws a DeploymentError, a BundleError or a SyntaxError if it cannot
 * be read or belongs to another bundle.
 */
export async function readIndex(
  url: URL,
  sha256: string,
  transport: Transport,
  signal: AbortSignal,
): Promise<ArtifactIndex> {
  const { response, end } = await get(url, {}, transport, signal);
  try {
    if (response.statusCode !== 200) throw unexpected(url, `status ${response.statusCode}`);
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxIndexBytes) throw unexpected(url, `more than ${maxIndexBytes} bytes`);
      pieces.push(piece);
    }
    const index = parseArtifactIndex(Buffer.concat(pieces).toString());
    if (index.bundle.sha256 !== sha256) throw unexpected(url, 'the index of another bundle');
    return index;
  } finally {
    end();
  }
}

/**
 * Writes a bundle to a new file: chunks of `earlier`, and the others from the link, by requests for ranges. Returns null
 * if most of it is new. Every chunk and the whole are verified. Throws a DeploymentError or a BundleError and leaves no
 * file.
 */
export async function downloadChanges(
  url: URL,
  path: string,
  { index, earlier, ...options }: DownloadOptions & { index: ArtifactIndex; earlier: KeptBundle },
): Promise<(Downloaded & { received: number }) | null> {
  const { bytes: total, sha256 } = index.bundle;
  const plan = planRuns(index, earlier);
  if (plan === null || total > options.maxBytes || total > (await options.freeBytes())) return null;
  const missing = readRuns(url, plan.runs, options);
  const file = await open(path, 'wx', 0o644);
  let isDone = false;
  try {
    const digest = createHash('sha256');
    let bytes = 0;
    // in the order of the bundle, so the next one that is missing is the one asked for
    const readChunk = async (chunk: ArtifactChunk): Promise<Uint8Array> =>
      (plan.needed.has(chunk) ? (await missing.next()).value : await earlier.read(chunk)) ?? Buffer.alloc(0);
    for await (const piece of joinBundle(index, readChunk)) {
      options.signal.throwIfAborted();
      bytes += piece.byteLength;
      if (bytes > total) break;
      await file.appendFile(piece);
      digest.update(piece);
      options.onProgress?.(bytes, total);
    }
    if (digest.digest('hex') !== sha256) throw unexpected(url, 'chunks that do not make the bundle');
    await options.onSight?.({ etag: null, sha256 });
    isDone = true;
    return { bytes, sha256, etag: null, received: plan.bytes };
  } finally {
    await missing.return(undefined);
    await file.close();
    if (!isDone) await rm(path, { force: true });
  }
}

interface Plan {
  runs: Run[];
  needed: Set<ArtifactChunk>;
  /** Bytes of the chunks that are requested. */
  bytes: number;
}

function planRuns(index: ArtifactIndex, earlier: KeptBundle): Plan | null {
  const starts = chunkOffsets(index);
  const plan: Plan = { runs: [], needed: new Set(), bytes: 0 };
  let isInRun = false;
  for (const [at, chunk] of index.chunks.entries()) {
    if (chunk.bytes > maxChunkBytes) return null;
    const isNew = !earlier.has(chunk);
    if (isNew) {
      if (!isInRun) plan.runs.push({ start: starts[at] ?? 0, chunks: [] });
      plan.runs.at(-1)?.chunks.push(chunk);
      plan.needed.add(chunk);
      plan.bytes += chunk.bytes;
    }
    isInRun = isNew;
  }
  const isWorthIt = plan.runs.length <= maxRequests && plan.bytes <= maxShare * index.bundle.bytes;
  return isWorthIt ? plan : null;
}

/** The chunks of the runs, in order. */
async function* readRuns(
  url: URL,
  runs: readonly Run[],
  { transport, signal }: DownloadOptions,
): AsyncGenerator<Uint8Array, undefined, undefined> {
  for (const { start, chunks } of runs) {
    const end = chunks.reduce((sum, { bytes }) => sum + bytes, start) - 1;
    const answer = await get(url, { range: `bytes=${start}-${end}` }, transport, signal);
    try {
      const { statusCode, headers } = answer.response;
      if (statusCode !== 206 || !headers['content-range']?.startsWith(`bytes ${start}-${end}/`))
        throw unexpected(url, `status ${statusCode} for a range`);
      yield* cutChunks(answer.response, chunks, url);
    } finally {
      answer.end();
    }
  }
  return undefined;
}

async function* cutChunks(
  response: IncomingMessage,
  chunks: readonly ArtifactChunk[],
  url: URL,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = response[Symbol.asyncIterator]();
  let rest: Uint8Array = Buffer.alloc(0);
  for (const { bytes } of chunks) {
    const parts = [rest];
    for (let have = rest.length; have < bytes; ) {
      const { value, done } = await pieces.next();
      if (done === true) throw unexpected(url, 'less than the requested range');
      const piece: Uint8Array = value;
      parts.push(piece);
      have += piece.length;
    }
    const joined = Buffer.concat(parts);
    yield joined.subarray(0, bytes);
    rest = joined.subarray(bytes);
  }
}

function unexpected(url: URL, what: string): DeploymentError {
  return new DeploymentError('source_failed', `${placeOf(url)} returned ${what}.`);
}
