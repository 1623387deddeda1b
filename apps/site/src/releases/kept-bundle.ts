import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArtifactChunk, type ArtifactIndex, chunkOffsets, parseArtifactIndex } from '@offprint/bundle';
import { openFile } from './open-file.ts';

/** A bundle on the volume whose chunks can be copied. */
export interface KeptBundle {
  has(chunk: ArtifactChunk): boolean;
  /** The bytes of a chunk, which may be damaged; fewer if it is not there. */
  read(chunk: ArtifactChunk): Promise<Uint8Array>;
  close(): Promise<void>;
}

const names = /^bundle-[0-9a-f]{64}\.(?:tar\.gz|json)$/;
/** Bytes of an index; that of 25,000 pages has two megabytes. */
export const maxIndexBytes = 8 * 1024 * 1024;

/**
 * Keeps a downloaded bundle, and no other: the next download needs only the chunks that it lacks. `file` is moved.
 * Throws file system errors.
 */
export async function keepBundle(dir: string, file: string, index: ArtifactIndex): Promise<void> {
  await dropBundle(dir);
  const path = join(dir, `bundle-${index.bundle.sha256}`);
  await rename(file, `${path}.tar.gz`);
  const note = await open(`${path}.json`, 'wx', 0o644);
  try {
    await note.writeFile(JSON.stringify(index));
  } finally {
    await note.close();
  }
}

/** Removes the bundle that is kept. */
export async function dropBundle(dir: string): Promise<void> {
  for (const name of await readdir(dir))
    if (names.test(name)) await rm(join(dir, name), { recursive: true, force: true });
}

/** The bundle that is kept; null if none exists, or if it cannot be read. */
export async function openKeptBundle(dir: string): Promise<KeptBundle | null> {
  let bundle: FileHandle | null = null;
  try {
    const name = (await readdir(dir)).find((each) => each.endsWith('.json') && names.test(each));
    if (name === undefined) return null;
    const places = placesOf(parseArtifactIndex(await readIndex(dir, name)));
    const handle = await openFile(dir, name.replace(/json$/, 'tar.gz'));
    bundle = handle;
    return {
      has: ({ sha256, bytes }) => places.get(sha256)?.bytes === bytes,
      read: ({ sha256, bytes }) => readAt(handle, places.get(sha256)?.start ?? 0, bytes),
      close: () => handle.close(),
    };
  } catch {
    await bundle?.close();
    return null;
  }
}

async function readIndex(dir: string, name: string): Promise<string> {
  const handle = await openFile(dir, name);
  try {
    const { size } = await handle.stat();
    if (size > maxIndexBytes) throw new Error(`${name} has ${size} bytes`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function placesOf(index: ArtifactIndex): Map<string, { start: number; bytes: number }> {
  const starts = chunkOffsets(index);
  return new Map(
    index.chunks.map(({ sha256, bytes }, at) => [sha256, { start: starts[at] ?? 0, bytes }] as const),
  );
}

async function readAt(handle: FileHandle, start: number, bytes: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, start);
  return buffer.subarray(0, bytesRead);
}
