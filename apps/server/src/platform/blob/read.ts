import { buffer } from 'node:stream/consumers';
import { BlobStoreError } from './error.ts';
import type { BlobStore } from './store.ts';

const MAX_READS = 2;

/**
 * The whole object as `parse` returns it; null when it is missing. A read that breaks off or is short, which `parse`
 * notices and throws, is repeated once: the object is usually whole and the connection was not. Throws a BlobStoreError
 * if it fails again.
 */
export async function readObject<Value>(
  blobs: Pick<BlobStore, 'get'>,
  key: string,
  parse: (content: Buffer) => Value,
): Promise<Value | null> {
  for (let read = 1; ; read++) {
    const stream = await blobs.get(key);
    if (stream === null) return null;
    try {
      return parse(await buffer(stream));
    } catch (error) {
      if (read < MAX_READS) continue;
      const reason = error instanceof Error ? error.message : String(error);
      throw new BlobStoreError(
        'incomplete',
        `The stored object ${key} could not be read whole, ${MAX_READS} times: ${reason}. Check the store; if the object is damaged, restore it from a backup.`,
        { cause: error },
      );
    }
  }
}
