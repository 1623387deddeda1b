import { BlobStoreError } from './blob/error.ts';
import type { BlobStore } from './blob/store.ts';
import type { Metrics } from './metrics.ts';
import { type Outage, type OutageCode, outageOfWork } from './outage.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

/** The outages that this process has met. */
export interface OutageLog {
  note(error: unknown): void;
  /** Those of the last minutes, each once. */
  recent(): Outage[];
}

const RECENT_MS = 10 * 60_000;

export function createOutageLog(
  metrics: Pick<Metrics, 'outages'>,
  now: () => number = () => performance.now(),
): OutageLog {
  const last = new Map<OutageCode, { outage: Outage; at: number }>();
  return {
    note(error) {
      const outage = outageOfWork(error);
      if (outage === null) return;
      last.set(outage.code, { outage, at: now() });
      metrics.outages.inc({ code: outage.code });
    },
    recent: () => [...last.values()].filter(({ at }) => now() - at < RECENT_MS).map(({ outage }) => outage),
  };
}

/** The store, whose errors are noted and counted. */
export function watchStore(
  blobs: BlobStore,
  log: OutageLog,
  metrics: Pick<Metrics, 'storeErrors'>,
): BlobStore {
  const note = (error: unknown): void => {
    // A range outside an object is an error of the request.
    if (error instanceof RangeError) return;
    metrics.storeErrors.inc({ reason: reasonOf(error) });
    log.note(error);
  };
  const noted = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await work;
    } catch (error) {
      note(error);
      throw error;
    }
  };
  return {
    put: (key, content) => noted(blobs.put(key, content)),
    copy: (from, to) => noted(blobs.copy(from, to)),
    get: (key, range) => noted(blobs.get(key, range)),
    stat: (key) => noted(blobs.stat(key)),
    delete: (key) => noted(blobs.delete(key)),
    async *list(prefix) {
      try {
        yield* blobs.list(prefix);
      } catch (error) {
        note(error);
        throw error;
      }
    },
    signUrl: (key, options) => blobs.signUrl(key, options),
    removeUnfinished: (before) => noted(blobs.removeUnfinished(before)),
    check: () => noted(blobs.check()),
  };
}

/** The sandbox; children that the system killed or refused space are noted. */
export function watchSandbox(sandbox: Sandbox, log: OutageLog): Sandbox {
  return {
    ...sandbox,
    async run(run) {
      try {
        return await sandbox.run(run);
      } catch (error) {
        log.note(error);
        throw error;
      }
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof BlobStoreError) return error.fault;
  return error instanceof Error && 'code' in error ? String(error.code) : 'other';
}
