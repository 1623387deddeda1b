import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database, RunningPhase, StoredCommit } from '../platform/db/database.ts';
import type { Fence } from '../platform/jobs/jobs.ts';
import { reportProgress } from './journal.ts';

export interface ProgressReport {
  /** Percent. */
  progress: number;
  pageCount?: number;
  totalPages?: number;
  phase?: RunningPhase;
  commit?: string | null;
  commitInfo?: StoredCommit | null;
}

export interface ProgressWriter {
  report(at: ProgressReport): void;
  /** Writes nothing more; resolves when the write that runs has ended. */
  end(): Promise<void>;
}

/** Rows are written this often at most: fast enough for an eye, slow enough for many exports at a time. */
const WRITE_MS = 100;

/**
 * Writes the latest report to the row now and then, one write at a time, and calls `lose` when the attempt has
 * lost the export. A write that fails is dropped: the next one says more.
 */
export function followProgress(db: Kysely<Database>, fence: Fence, lose: () => void): ProgressWriter {
  let latest: ProgressReport = { progress: 0 };
  let isNews = false;
  let running: Promise<void> | null = null;
  const ended = new AbortController();

  async function write(): Promise<void> {
    while (isNews && !ended.signal.aborted) {
      isNews = false;
      const { progress, pageCount = 0, totalPages = null, phase, commit, commitInfo } = latest;
      const owned = await reportProgress(db, fence, {
        progress,
        pageCount,
        totalPages,
        ...(phase === undefined ? {} : { phase }),
        ...(commit === undefined ? {} : { commit }),
        ...(commitInfo === undefined ? {} : { commitInfo }),
      }).catch(() => true);
      if (!owned) return lose();
      await delay(WRITE_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  }

  return {
    report(at) {
      latest = { ...latest, ...at };
      isNews = true;
      running ??= write().finally(() => {
        running = null;
      });
    },
    async end() {
      ended.abort();
      await running;
    },
  };
}
