import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '@offprint/bundle';
import { readNote } from './open-file.ts';

/** One release as the pointer describes it. */
export interface PointerEntry {
  sha256: string;
  version: string;
  /** Digest of its `offprint.json`, by which all other files are verified. */
  manifestSha256: string;
  /** ISO time. */
  activatedAt: string;
}

/**
 * The offer of the source that was last processed: until the source makes another offer, there is nothing to
 * do.
 */
export interface SourceMark {
  /** Digest of the bundle. */
  sha256: string;
  /** The source's own mark by which it recognizes the bundle; contains no secret. */
  tag: string | null;
  /** The settings under which it was processed: under other settings it is processed again. */
  settings: string;
}

/** The file `current`: the release to serve after a restart, and the one to roll back to. */
export interface Pointer {
  current: PointerEntry;
  previous: PointerEntry | null;
  source: SourceMark | null;
}

const pointerFile = 'current';

/** Null if none exists, or it is damaged. Throws if the file cannot be read for another reason. */
export async function readPointer(dir: string): Promise<Pointer | null> {
  const note = await readNote(join(dir, pointerFile));
  if (note === null) return null;
  try {
    const { current, previous, source } = JSON.parse(note.text) as Partial<Pointer>;
    if (!isEntry(current)) return null;
    return {
      current,
      previous: isEntry(previous) ? previous : null,
      source: isMark(source) ? source : null,
    };
  } catch {
    return null;
  }
}

/**
 * Writes a pointer to `temporary`, synced, and returns the function that activates it: everything that can
 * fail for lack of space has been done by then.
 */
export async function writePointer(
  dir: string,
  temporary: string,
  pointer: Pointer,
): Promise<() => Promise<void>> {
  const handle = await open(temporary, 'w', 0o644);
  try {
    await handle.writeFile(`${JSON.stringify(pointer)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return async () => {
    await rename(temporary, join(dir, pointerFile));
    await syncPath(dir);
  };
}

const digestPattern = /^[0-9a-f]{64}$/;

function isEntry(value: Partial<PointerEntry> | null | undefined): value is PointerEntry {
  return (
    typeof value === 'object' &&
    value !== null &&
    digestPattern.test(String(value.sha256)) &&
    digestPattern.test(String(value.manifestSha256)) &&
    typeof value.version === 'string' &&
    typeof value.activatedAt === 'string'
  );
}

function isMark(value: Partial<SourceMark> | null | undefined): value is SourceMark {
  return (
    typeof value === 'object' &&
    value !== null &&
    digestPattern.test(String(value.sha256)) &&
    (value.tag === null || typeof value.tag === 'string') &&
    typeof value.settings === 'string'
  );
}
