import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BundleError, readArchive } from '@offprint/bundle';
import { makeFolder } from '@offprint/bundle/make-folder';
import type { SourceUpload } from '@offprint/contract';
import type { BlobStore } from '../platform/blob/store.ts';
import { AppError } from '../platform/http/error.ts';

export interface UploadLimits {
  /** Bytes of the archive. */
  archiveBytes: number;
  /** Bytes of its files. */
  sourceBytes: number;
}

/** Times that an archive is stored in one call: again only when somebody removes it at the same time. */
const MAX_STORES = 10;

/** Where the uploaded archive of a project lies. Named by content, so that an upload never changes another. */
export function uploadKey(organizationId: string, sha256: string): string {
  return `sources/${organizationId}/${sha256}.tar.gz`;
}

/** Removes every uploaded archive of an organization that is gone. */
export async function removeUploadsOf(blobs: BlobStore, organizationId: string): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(`sources/${organizationId}/`)) keys.push(key);
  for (const key of keys) await blobs.delete(key);
}

/**
 * Receives an archive: to a file beside the store first, where it is read through once and checked, then into
 * the store. Throws the 400 or 413 for anything that is not a safe docs archive.
 */
export async function receiveUpload(
  bytes: Readable,
  organizationId: string,
  adapters: {
    blobs: BlobStore;
    workDir: string;
    limits: UploadLimits;
    /** Makes the archive somebody's; false when another call has removed it from the store meanwhile. */
    keep(sha256: string): Promise<boolean>;
  },
): Promise<SourceUpload> {
  const { blobs, workDir, limits } = adapters;
  await makeFolder(workDir, 0o700);
  const file = join(workDir, `upload-${randomBytes(8).toString('hex')}.tar.gz`);
  try {
    const { sha256, sizeBytes } = await spool(bytes, file, limits.archiveBytes);
    const files = await checkArchive(file, limits);
    const key = uploadKey(organizationId, sha256);
    for (let round = 1; round <= MAX_STORES; round++) {
      if ((await blobs.stat(key))?.bytes !== sizeBytes) await blobs.put(key, createReadStream(file));
      if (await adapters.keep(sha256)) return { sha256, sizeBytes, files };
    }
    throw new Error(`the archive ${sha256} does not stay stored`);
  } finally {
    await rm(file, { force: true });
  }
}

async function spool(
  bytes: Readable,
  file: string,
  maxBytes: number,
): Promise<{ sha256: string; sizeBytes: number }> {
  const digest = createHash('sha256');
  let sizeBytes = 0;
  await pipeline(
    async function* () {
      // The request must outlive a refusal, or the response could not be sent on its connection.
      for await (const piece of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        sizeBytes += piece.length;
        if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
        digest.update(piece);
        yield piece;
      }
    },
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
  );
  return { sha256: digest.digest('hex'), sizeBytes };
}

/** The rest of the body is not read: the connection closes after the response. */
function tooLarge(maxBytes: number): AppError {
  return new AppError('body_too_large', `The archive is larger than the limit of ${maxBytes} bytes.`, {
    headers: { Connection: 'close' },
  });
}

async function checkArchive(file: string, limits: UploadLimits): Promise<number> {
  let hasConfig = false;
  try {
    const { files } = await readArchive(
      createReadStream(file),
      async ({ path, content }) => {
        if (/(?:^|\/)(?:docs|mint)\.json$/.test(path)) hasConfig = true;
        for await (const _ of content);
      },
      { limits: { maxBytes: limits.sourceBytes } },
    );
    if (hasConfig) return files;
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    const way = error.code === 'gzip_invalid' ? ` ${packing}` : '';
    throw new AppError('invalid_archive', `The archive is invalid: ${error.message}${way}`, {
      cause: error,
    });
  }
  throw new AppError('invalid_archive', `The archive contains no docs.json. ${packing}`);
}

const packing = 'Pack the folder that has docs.json: tar czf docs.tar.gz -C docs .';
