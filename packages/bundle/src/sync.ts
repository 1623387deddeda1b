import { open } from 'node:fs/promises';

/** Syncs the content of a file or the names in a folder to disk. Windows cannot sync folders this way. */
export async function syncPath(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
