import { rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readNote } from '../releases/open-file.ts';

/** An offer that is being taken, as the file `attempt` tells the process after one that was killed over it. */
export interface Attempt {
  /** Id of the offer. */
  offer: string;
  /** Tag of the answer of its link, where it has one. */
  etag: string | null;
  /** How often it was begun without an end, this time included. */
  count: number;
  /** When it was last heard of, in milliseconds since 1970. */
  at: number;
}

const attemptFile = 'attempt';

/** Null where no attempt was left unfinished, or the file is damaged. */
export async function readAttempt(dir: string): Promise<Attempt | null> {
  try {
    const note = await readNote(join(dir, attemptFile));
    if (note === null) return null;
    const { offer, etag, count } = JSON.parse(note.text) as Partial<Attempt>;
    if (typeof offer !== 'string' || !Number.isSafeInteger(count)) return null;
    return { offer, etag: typeof etag === 'string' ? etag : null, count: count as number, at: note.mtimeMs };
  } catch {
    return null;
  }
}

/** Notes an attempt. What it is noted for is not a power cut: nothing is synced. */
export async function writeAttempt(dir: string, temporary: string, attempt: Attempt): Promise<void> {
  const { offer, etag, count, at } = attempt;
  await writeFile(temporary, `${JSON.stringify({ offer, etag, count })}\n`, { mode: 0o644 });
  await utimes(temporary, at / 1000, at / 1000);
  await rename(temporary, join(dir, attemptFile));
}

/** Notes that the attempt has an end. */
export async function endAttempt(dir: string): Promise<void> {
  await rm(join(dir, attemptFile), { force: true });
}
