import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeploymentError } from '../error.ts';
import type { SourceMark } from '../releases/pointer.ts';
import type { AskReason, Offer, Source } from './source.ts';

export interface FileOptions {
  /** A bundle, or a folder whose newest `*.tar.gz` is used. */
  path: string;
  sha256: string | null;
  /** A file that did not change for this time is complete. Default 1000. */
  quietMs?: number;
}

/** Maximum wait for a file that keeps changing; the next check waits again. */
const quietLooks = 30;

/** A bundle that other means put on a disk. A file that is still being written is waited for. */
export function createFileSource({ path, sha256, quietMs = 1000 }: FileOptions): Source {
  return {
    kind: 'file',
    async ask(known: SourceMark | null, _reason: AskReason, signal): Promise<Offer | null> {
      let found = await find(path);
      if (known !== null && known.tag === found.tag) return null;
      for (let look = 0; found.ageMs < quietMs; look++) {
        if (look === quietLooks) {
          throw new DeploymentError(
            'bundle_refused',
            `${found.file} is still being written. It is read at the next check.`,
          );
        }
        await sleep(quietMs, undefined, { signal });
        const next = await find(path);
        // the clock of the file system may be ahead of ours
        found = next.tag === found.tag ? { ...next, ageMs: quietMs } : next;
      }
      if (known !== null && known.tag === found.tag) return null;
      const { file, tag, bytes } = found;
      return { id: tag, place: file, sha256, bytes, from: { file }, tag };
    },
  };
}

interface Found {
  file: string;
  bytes: number;
  /** Milliseconds since the last change. */
  ageMs: number;
  /** Differs if the file was replaced or changed. */
  tag: string;
}

async function find(path: string): Promise<Found> {
  try {
    const there = await stat(path);
    if (!there.isDirectory()) return describe(path, there);
    const names = (await readdir(path)).filter((name) => name.endsWith('.tar.gz') && !name.startsWith('.'));
    const files = await Promise.all(
      names.map(async (name) => ({ name, there: await stat(join(path, name)).catch(() => null) })),
    );
    let newest: Found | null = null;
    let newestMs = Number.NEGATIVE_INFINITY;
    for (const { name, there: file } of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      // of two files with the same time, the later name
      if (file === null || !file.isFile() || file.mtimeMs < newestMs) continue;
      newest = describe(join(path, name), file);
      newestMs = file.mtimeMs;
    }
    if (newest !== null) return newest;
    throw new DeploymentError(
      'bundle_missing',
      `The folder ${path} contains no *.tar.gz. Put a bundle there.`,
    );
  } catch (error) {
    if (error instanceof DeploymentError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOENT'
      ? new DeploymentError(
          'bundle_missing',
          `There is no bundle at ${path}. Put it there, or check the mount.`,
        )
      : new DeploymentError('source_failed', `Cannot read ${path} (${code}).`);
  }
}

function describe(
  file: string,
  {
    size,
    mtimeMs,
    ctimeMs,
    ino,
    dev,
  }: { size: number; mtimeMs: number; ctimeMs: number; ino: number; dev: number },
): Found {
  // a moved file keeps its modification time, but not its change time
  const ageMs = Date.now() - Math.max(mtimeMs, ctimeMs);
  return { file, bytes: size, ageMs, tag: `${dev}.${ino} ${size} ${mtimeMs} ${ctimeMs}` };
}
