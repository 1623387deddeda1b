import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isReadable } from './contents.ts';
import type { BaseEntry } from './workspace.ts';

/** Where a content is in a store. */
export interface Place {
  at: number;
  length: number;
}

const BLOCK = 1024 ** 2;

/**
 * Contents of files in one file without a name, so that large docs do not fill the memory of the process, and nothing
 * is left behind when it ends. What was read lately is in the cache of the system, so that reads need not be
 * asynchronous.
 */
export class ContentStore {
  readonly #file: number;
  readonly #block = Buffer.alloc(BLOCK);
  /** Bytes of the block that are not written yet; they follow those of the file. */
  #pending = 0;
  #written = 0;

  constructor(folder: string) {
    const path = join(folder, `contents-${randomBytes(8).toString('hex')}`);
    this.#file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
  }

  add(content: Uint8Array): Place {
    const place = { at: this.#written + this.#pending, length: content.byteLength };
    if (this.#pending + content.byteLength > BLOCK) this.#flush();
    if (content.byteLength > BLOCK) this.#write(content);
    else {
      this.#block.set(content, this.#pending);
      this.#pending += content.byteLength;
    }
    return place;
  }

  read({ at, length }: Place): Uint8Array {
    this.#flush();
    const content = new Uint8Array(length);
    for (let read = 0; read < length; ) {
      const count = readSync(this.#file, content, read, length - read, at + read);
      if (count === 0) throw new Error('the contents of the docs were cut off');
      read += count;
    }
    return content;
  }

  close(): void {
    closeSync(this.#file);
  }

  #flush(): void {
    const pending = this.#block.subarray(0, this.#pending);
    this.#pending = 0;
    this.#write(pending);
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.byteLength; )
      done += writeSync(this.#file, bytes, done, bytes.byteLength - done, this.#written + done);
    this.#written += bytes.byteLength;
  }
}

/** A regular file whose content is in a store. */
export function storedEntry(
  store: ContentStore,
  { path, executable }: Pick<BaseEntry, 'path' | 'executable'>,
  content: Uint8Array,
): BaseEntry {
  const place = store.add(content);
  const isText = isReadable(path, content);
  return {
    path,
    kind: 'file',
    executable,
    bytes: content.byteLength,
    isText,
    get content() {
      return store.read(place);
    },
  };
}
