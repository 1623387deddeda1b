import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeploymentError } from '../error.ts';
import { explainConnectionError, get, minRate, placeOf, retryAfterOf, type Transport } from './request.ts';
import type { Download } from './source.ts';

export interface DownloadOptions {
  transport: Transport;
  signal: AbortSignal;
  /** Maximum size of the bundle. */
  maxBytes: number;
  /** Digest of the bundle, if known: then an interrupted download always resumes. */
  sha256: string | null;
  /** Bytes free where the file is. */
  freeBytes: () => Promise<number>;
  onProgress?: (bytes: number, total: number | null) => void;
  /** Receives the ETag of a response with a bundle, and also the digest when the bundle is complete. */
  onSight?: (identity: { etag: string | null; sha256: string | null }) => Promise<void>;
  /** How often an interrupted download resumes; default 5. Progress resets the count. */
  retries?: number;
  /** Delay before the first retry, doubled at each retry; default 500. */
  backoffMs?: number;
}

export interface Downloaded {
  bytes: number;
  sha256: string;
  etag: string | null;
}

/** State of a download. */
interface Progress {
  file: FileHandle;
  digest: Hash;
  bytes: number;
  total: number | null;
  /** Strong ETag or date with which the rest is requested. */
  validator: string | null;
  etag: string | null;
}

/**
 * Downloads a bundle to a new file. An interrupted download resumes after a delay if the server still has the
 * same bundle. Returns null if the server says that the bundle is the one with the ETag of the download.
 * Throws a DeploymentError and leaves no file.
 */
export async function downloadBundle(
  download: Download,
  path: string,
  options: DownloadOptions,
): Promise<Downloaded | null> {
  const file = await open(path, 'wx', 0o644);
  const progress: Progress = {
    file,
    digest: createHash('sha256'),
    bytes: 0,
    total: null,
    validator: null,
    etag: null,
  };
  let isDone = false;
  try {
    isDone = await fill(download, progress, options);
    if (!isDone) return null;
    const sha256 = progress.digest.digest('hex');
    await options.onSight?.({ etag: progress.etag, sha256 });
    if (options.sha256 !== null && options.sha256 !== sha256) {
      isDone = false;
      throw new DeploymentError(
        'sha256_mismatch',
        `The bundle from ${placeOf(download.url)} has the SHA-256 ${sha256}, not the expected ${options.sha256}. Check the digest, or generate the bundle again.`,
      );
    }
    return { bytes: progress.bytes, sha256, etag: progress.etag };
  } finally {
    await file.close();
    if (!isDone) await rm(path, { force: true });
  }
}

/** Returns false if the server says that nothing changed. */
async function fill(download: Download, progress: Progress, options: DownloadOptions): Promise<boolean> {
  const { signal, retries = 5, backoffMs = 500 } = options;
  let { url } = download;
  let failures = 0;
  let renewals = 0;
  /** Time since the last failure, delays included: drops and trickles add up to no progress. */
  let lap = { bytes: 0, at: performance.now() };
  for (;;) {
    try {
      return await readOnce(url, download.etag, progress, options);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DeploymentError)) throw error;
      const now = performance.now();
      const gained = progress.bytes - lap.bytes;
      if (gained > 0 && gained >= ((now - lap.at) / 1000) * minRate) failures = renewals = 0;
      lap = { bytes: progress.bytes, at: now };
      if (error.code === 'link_expired' && download.renew !== null && renewals++ === 0) {
        url = await download.renew(signal);
        continue;
      }
      // before the first byte, the error is reported soon: the caller retries later
      if (!isPassing(error) || ++failures > (progress.bytes === 0 ? 1 : retries)) throw error;
      await sleep(Math.max(error.retryAfterMs ?? 0, backoffMs * 2 ** (failures - 1)), undefined, { signal });
    }
  }
}

/** Whether to retry soon. A long `Retry-After` is left to the next check. */
function isPassing({ code, retryAfterMs }: DeploymentError): boolean {
  return code === 'source_unreachable' && (retryAfterMs ?? 0) <= 60_000;
}

async function readOnce(
  url: URL,
  etag: string | null,
  progress: Progress,
  options: DownloadOptions,
): Promise<boolean> {
  const canResume = progress.bytes > 0 && (progress.validator !== null || options.sha256 !== null);
  if (progress.bytes > 0 && !canResume) await startOver(progress);
  const { response, end } = await get(url, headersOf(progress, etag), options.transport, options.signal);
  try {
    if (response.statusCode === 304 && progress.bytes === 0 && etag !== null) return false;
    if (response.statusCode === 416 && progress.bytes > 0) {
      await startOver(progress);
      throw new DeploymentError(
        'source_unreachable',
        `${placeOf(url)} now returns another bundle than before. The download starts again at the next check.`,
      );
    }
    if (response.statusCode !== 200 && response.statusCode !== 206) throw refusal(response, url);
    // a host without conditional requests sends the bundle: its ETag says as much
    if (etag !== null && progress.bytes === 0 && response.headers.etag === etag) return false;
    await readHead(response, url, progress, options);
    await options.onSight?.({ etag: progress.etag, sha256: null });
    options.onProgress?.(progress.bytes, progress.total);
    await readBody(response, url, progress, options);
    return true;
  } finally {
    end();
  }
}

function headersOf({ bytes, validator }: Progress, etag: string | null): Record<string, string> {
  if (bytes === 0) return etag === null ? {} : { 'if-none-match': etag };
  const range = { range: `bytes=${bytes}-` };
  return validator === null ? range : { ...range, 'if-range': validator };
}

async function startOver(progress: Progress): Promise<void> {
  await progress.file.truncate(0);
  progress.digest = createHash('sha256');
  progress.bytes = 0;
  progress.total = null;
}

/** Updates the state from the headers of a response. */
async function readHead(
  response: IncomingMessage,
  url: URL,
  progress: Progress,
  options: DownloadOptions,
): Promise<void> {
  const { headers } = response;
  const length = sizeOf(headers['content-length']);
  if (response.statusCode === 206) {
    const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(headers['content-range'] ?? '');
    const total = sizeOf(range?.[3]);
    const isRest =
      progress.bytes > 0 &&
      Number(range?.[1]) === progress.bytes &&
      (total === null || progress.total === null || total === progress.total);
    if (!isRest) {
      await startOver(progress);
      throw new DeploymentError(
        'source_unreachable',
        `${placeOf(url)} returned another range than the requested one.`,
      );
    }
    progress.total = total ?? progress.total;
  } else {
    if (progress.bytes > 0) await startOver(progress);
    progress.total = length;
    const tag = headers.etag ?? null;
    progress.etag = tag;
    progress.validator = tag !== null && !tag.startsWith('W/') ? tag : (headers['last-modified'] ?? null);
  }
  const { total } = progress;
  if (total !== null && total > options.maxBytes) throw tooLarge(url, options.maxBytes);
  const free = total === null ? 0 : await options.freeBytes();
  if (total !== null && total - progress.bytes > free) {
    throw new DeploymentError(
      'disk_full',
      `The bundle from ${placeOf(url)} has ${total} bytes; the volume has ${free} bytes free. Enlarge the volume.`,
    );
  }
}

async function readBody(
  response: IncomingMessage,
  url: URL,
  progress: Progress,
  options: DownloadOptions,
): Promise<void> {
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      if (progress.bytes + piece.length > options.maxBytes) throw tooLarge(url, options.maxBytes);
      if (progress.total !== null && progress.bytes + piece.length > progress.total) {
        throw new DeploymentError(
          'source_failed',
          `${placeOf(url)} sent more than the announced ${progress.total} bytes.`,
        );
      }
      await writeAll(progress.file, piece, progress.bytes);
      progress.digest.update(piece);
      progress.bytes += piece.length;
      options.onProgress?.(progress.bytes, progress.total);
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof DeploymentError) throw error;
    if ((error as NodeJS.ErrnoException).syscall === 'write' && !isSocketError(error)) throw error;
    throw explainConnectionError(error as Error, url.host);
  }
  if (progress.total !== null && progress.bytes < progress.total) {
    throw new DeploymentError('source_unreachable', `${url.host} closed the connection too early.`);
  }
}

const isSocketError = (error: unknown): boolean =>
  ['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '');

/** At an offset, so that leftovers of a failed write are overwritten. */
async function writeAll(file: FileHandle, piece: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < piece.length) {
    const { bytesWritten } = await file.write(piece, written, piece.length - written, position + written);
    written += bytesWritten;
  }
}

function sizeOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function tooLarge(url: URL, maxBytes: number): DeploymentError {
  return new DeploymentError(
    'bundle_too_large',
    `The bundle from ${placeOf(url)} is larger than ${maxBytes} bytes. If that is expected, raise OFFPRINT_SITE_MAX_BUNDLE_MB.`,
  );
}

/** What a response without a bundle means. */
function refusal(response: IncomingMessage, url: URL): DeploymentError {
  const status = response.statusCode ?? 0;
  const place = placeOf(url);
  if (status === 403 || status === 410) {
    return new DeploymentError(
      'link_expired',
      `The link to ${place} has expired or was altered (status ${status}). Generate the bundle again, or use pull mode.`,
    );
  }
  if (status === 401 || status === 407) {
    return new DeploymentError(
      'link_refused',
      `${place} requires a sign-in (status ${status}). Use a link that includes the permission to download.`,
    );
  }
  if (status === 404) {
    return new DeploymentError(
      'bundle_missing',
      `There is no bundle at ${place} (status 404). Generate the bundle again, or check the link.`,
    );
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    return new DeploymentError(
      'source_unreachable',
      `${place} currently returns status ${status}. The request is retried.`,
      {
        retryAfterMs: retryAfterOf(response),
      },
    );
  }
  return new DeploymentError(
    'source_failed',
    `${place} returned status ${status} instead of a bundle. Check the link.`,
  );
}
