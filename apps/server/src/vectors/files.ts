import { createHash } from 'node:crypto';
import { DamagedVectorsError, MAX_VECTOR_FILE, readVectors, type Vectors } from '@offprint/search';
import { DamagedObjectError, readObject } from '../platform/blob/read.ts';
import type { BlobStore } from '../platform/blob/store.ts';

/** A stored file of vectors; null if it is missing, damaged, or not the one with this digest. */
export async function readVectorFile(
  blobs: Pick<BlobStore, 'get' | 'stat'>,
  key: string,
  sha256: string | null,
): Promise<Vectors | null> {
  const stat = await blobs.stat(key);
  if (stat === null || stat.bytes > MAX_VECTOR_FILE) return null;
  try {
    return await readObject(blobs, key, (content) => {
      if (sha256 !== null && createHash('sha256').update(content).digest('hex') !== sha256)
        throw new DamagedVectorsError('its digest is not the one in its name');
      return readVectors(content);
    });
  } catch (error) {
    if (error instanceof DamagedObjectError) return null;
    throw error;
  }
}
