import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Space for new files below a folder. */
export interface Disk {
  /** Free bytes for this process; null if the system does not report them. */
  freeBytes(): Promise<number | null>;
  /** Whether at least the minimum is free; true if the system does not report it. */
  hasRoom(): Promise<boolean>;
}

/** Reads the file system of a folder that may not exist yet. `minBytes` 0: there is always room. */
export function watchDisk(folder: string, minBytes: number): Disk {
  const freeBytes = async (): Promise<number | null> => {
    for (let path = folder; ; path = dirname(path)) {
      try {
        const { bavail, bsize } = await statfs(path);
        return bavail * bsize;
      } catch (error) {
        const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        if (!isMissing || path === dirname(path)) return null;
      }
    }
  };
  return {
    freeBytes,
    async hasRoom() {
      return minBytes === 0 || ((await freeBytes()) ?? minBytes) >= minBytes;
    },
  };
}
