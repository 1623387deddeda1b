import { buffer } from 'node:stream/consumers';
import { BlobStoreError } from './error.ts';
import type { BlobStore } from './store.ts';

const MAX_READS = 2;

/** The store returns the same wrong content each time: the object itself is damaged. */
export class DamagedObjectError extends Error {
  override name = 'DamagedObjectError';
}

/**
 * The whole object as `parse` returns it; null when it is missing. A read that breaks off or is short, which `parse`
 * notices and throws, is repeated once: the object is usually whole and the connection was not. If it fails again, throws a
 * DamagedObjectError if both reads returned the same content in the size that the store reports, else a BlobStoreError.
 */
export async function readObject<Value>(
  blobs: Pick<BlobStore, 'get' | 'stat'>,
  key: string,
  parse: (content: Buffer) => Value,
): Promise<Value | null> {
  let before: Buffer | null = null;
  for (let read = 1; ; read++) {
    const stream = await blobs.get(key);
    if (stream === null) return null;
    let content: Buffer | null = null;
    try {
      content = await buffer(stream);
      return parse(content);
    } catch (error) {
      if (read < MAX_READS) {
        before = content;
        continue;
      }
      const reason = error instanceof Error ? error.message : String(error);
      const isStable = content !== null && before?.equals(content) === true;
      if (isStable && (await blobs.stat(key))?.bytes === content?.length)
        throw new DamagedObjectError(`The stored object ${key} is damaged: ${reason}.`, { cause: error });
      throw new BlobStoreError(
        'incomplete',
        `The stored object ${key} could not be read whole, ${MAX_READS} times: ${reason}. Check the store and the connection to it.`,
        { cause: error },
      );
    }
  }
}
