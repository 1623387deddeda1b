import { rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readNote } from '../releases/open-file.ts';

/**
 * An offer that is being deployed. The file `attempt` reports it to the next process if this one is killed.
 */
export interface Attempt {
  /** Id of the offer. */
  offer: string;
  /** ETag of the response, if it has one. */
  etag: string | null;
  /** Number of attempts without an end, including this one. */
  count: number;
  /** Time of the last sign of progress, in milliseconds since 1970. */
  at: number;
}

const attemptFile = 'attempt';

/** Null if no attempt was left unfinished, or if the file is damaged. */
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

/** Records an attempt. It guards against killed processes, not power failures: nothing is synced. */
export async function writeAttempt(dir: string, temporary: string, attempt: Attempt): Promise<void> {
  const { offer, etag, count, at } = attempt;
  await writeFile(temporary, `${JSON.stringify({ offer, etag, count })}\n`, { mode: 0o644 });
  await utimes(temporary, at / 1000, at / 1000);
  await rename(temporary, join(dir, attemptFile));
}

/** Records that the attempt has ended. */
export async function endAttempt(dir: string): Promise<void> {
  await rm(join(dir, attemptFile), { force: true });
}
