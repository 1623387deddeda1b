import { open } from 'node:fs/promises';

/** Brings the bytes of a file or the names in a folder to disk. Windows syncs neither through a handle like this one. */
export async function syncPath(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
