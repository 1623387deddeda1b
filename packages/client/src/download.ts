import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { ApiError, ConnectionError, readApiError, retryAfterOf } from './error.ts';
import { sleep } from './request.ts';

/** What of an ExportBundle a download needs. */
export interface BundleLink {
  bundleUrl: string;
  sizeBytes: number;
  /** SHA-256 of the bundle, hexadecimal. */
  sha256: string;
}

export interface DownloadOptions {
  onProgress?: (done: { bytes: number; total: number }) => void;
  signal?: AbortSignal;
  /** Gives a fresh link when the one at hand has expired; without it that is an error. */
  renew?: () => Promise<BundleLink>;
  /** Default: the `fetch` of the platform. */
  fetch?: typeof fetch;
  /** How often an interrupted download resumes; default 5. Progress resets the count. */
  retries?: number;
}

/** The downloaded bytes are not those of the bundle. */
export class DigestError extends Error {
  override name = 'DigestError';
}

/**
 * Downloads a bundle to a file. Bytes are written to `<file>.<digest>.part` beside it, which a later call
 * resumes; when they have the size and the SHA-256 of the link, the file is synced and renamed. Rejects with
 * an ApiError (the link is rejected), a ConnectionError (after the retries) or a DigestError (the part is
 * removed).
 */
export async function downloadBundle(
  link: BundleLink,
  file: string,
  options: DownloadOptions = {},
): Promise<{ bytes: number }> {
  const part = `${file}.${link.sha256.slice(0, 12)}.part`;
  const handle = await open(part, 'a');
  try {
    await fill(handle, part, link, options);
    await checkDigest(part, link, handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(part, file);
  return { bytes: link.sizeBytes };
}

async function fill(
  handle: FileHandle,
  part: string,
  link: BundleLink,
  options: DownloadOptions,
): Promise<void> {
  const retries = options.retries ?? 5;
  let current = link;
  let failures = 0;
  let done = (await stat(part)).size;
  if (done > link.sizeBytes) {
    await handle.truncate(0);
    done = 0;
  }
  while (done < link.sizeBytes) {
    const before = done;
    try {
      for await (const piece of readFrom(current, done, options)) {
        done = await append(handle, piece, done, link);
        options.onProgress?.({ bytes: done, total: link.sizeBytes });
      }
      if (done < link.sizeBytes) throw new ConnectionError('The connection was interrupted.');
    } catch (error) {
      options.signal?.throwIfAborted();
      failures = done > before ? 1 : failures + 1;
      if (failures > retries || !canGoOn(error, options)) throw error;
      if (isRefusal(error) && options.renew !== undefined) current = await options.renew();
      else await sleep(delayOf(error, failures), options.signal);
    }
  }
}

/** Returns how many bytes there are then. */
async function append(
  handle: FileHandle,
  piece: Uint8Array | 'restart',
  done: number,
  link: BundleLink,
): Promise<number> {
  if (piece === 'restart') {
    await handle.truncate(0);
    return 0;
  }
  await handle.appendFile(piece);
  const now = done + piece.length;
  if (now > link.sizeBytes) throw await mismatch(handle, link, `it has more than ${link.sizeBytes} bytes`);
  return now;
}

/** A fresh link helps: this one has expired, or the bundle is to be packed again. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 403 || error.status === 404);
}

function canGoOn(error: unknown, options: DownloadOptions): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError)) return false;
  return error.status === 429 || error.status >= 500 || (isRefusal(error) && options.renew !== undefined);
}

/** Seconds. */
function delayOf(error: unknown, failures: number): number {
  const asked = error instanceof ApiError ? error.retryAfter : null;
  return Math.min(60, asked ?? 2 ** failures * 0.25);
}

/** The bytes from an offset on. `restart` comes first when the server sends the whole file instead. */
async function* readFrom(
  link: BundleLink,
  offset: number,
  options: DownloadOptions,
): AsyncGenerator<Uint8Array | 'restart'> {
  const send = options.fetch ?? globalThis.fetch;
  const response = await send(link.bundleUrl, {
    headers: offset === 0 ? {} : { range: `bytes=${offset}-` },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  }).catch((error: unknown) => {
    options.signal?.throwIfAborted();
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new ConnectionError(`Cannot reach ${new URL(link.bundleUrl).origin}: ${cause}`, { cause: error });
  });
  if (!response.ok) throw await storageError(response);
  if (offset > 0 && response.status !== 206) yield 'restart';
  if (response.body === null) return;
  try {
    for await (const piece of response.body) yield piece;
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new ConnectionError('The connection was interrupted.', { cause: error });
  }
}

/** Object stores return errors as XML: only the status is read then. */
async function storageError(response: Response): Promise<ApiError> {
  const error = await readApiError(response);
  if (error.code !== null) return error;
  const why = response.status === 403 ? 'the link has expired or was altered' : `status ${response.status}`;
  return new ApiError(`Cannot download the bundle: ${why}.`, {
    status: response.status,
    retryAfter: retryAfterOf(response),
  });
}

async function checkDigest(part: string, link: BundleLink, handle: FileHandle): Promise<void> {
  const digest = createHash('sha256');
  for await (const piece of createReadStream(part)) digest.update(piece as Buffer);
  const found = digest.digest('hex');
  if (found !== link.sha256) throw await mismatch(handle, link, `its SHA-256 is ${found}`);
}

/** Empties the part, so that the next call does not resume from wrong bytes. */
async function mismatch(handle: FileHandle, link: BundleLink, what: string): Promise<DigestError> {
  await handle.truncate(0);
  return new DigestError(`The download is not the bundle ${link.sha256}: ${what}. Download it again.`);
}
