import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { Spool } from './spool.ts';

/** Events that are stored together, once. */
export interface EventBatch {
  id: string;
  /** An event each, as JSON. */
  lines: readonly string[];
}

/** The part of the platform that takes events. */
export interface EventSink {
  /** `refused`: they are not stored, and no retry helps. Throws a DeploymentError if it can be tried again. */
  sendEvents(batch: EventBatch, signal: AbortSignal): Promise<'stored' | 'refused'>;
}

export interface Sender {
  sent(): number;
  /** Sends what waits, if the platform responds within the time, and stops. */
  stop(limitMs: number): Promise<void>;
}

/** Between two checks of the spool: events wait at most that long for others. */
const intervalMs = 1_000;
const minBackOffMs = 1_000;
const maxBackOffMs = 60_000;

/** Sends batches until it is stopped, one after the other, and again after a failure. */
export function startSender(options: {
  spool: Spool;
  sink: EventSink;
  log: Log;
  intervalMs?: number;
}): Sender {
  const { spool, sink, log } = options;
  const stopping = new AbortController();
  const ended = new AbortController();
  let sent = 0;
  let failures = 0;

  const sendAll = async (): Promise<void> => {
    spool.close();
    for (const name of await spool.list()) {
      if (ended.signal.aborted) return;
      const lines = await spool.read(name);
      if (lines === null) continue;
      if (lines.length > 0) await sendBatch(name, lines);
      await spool.remove(name);
    }
  };
  const sendBatch = async (name: string, lines: readonly string[]): Promise<void> => {
    const outcome = await sink.sendEvents({ id: name.replace(/\.ready$/, ''), lines }, ended.signal);
    if (outcome === 'stored') sent += lines.length;
    else log.error('the platform refused events, which are lost', { count: lines.length });
  };
  const turn = async (): Promise<void> => {
    try {
      await sendAll();
      if (failures > 0) log.info('events are sent again');
      failures = 0;
    } catch (error) {
      failures += 1;
      const reason = error instanceof Error ? error.message : String(error);
      if (failures === 1 || failures % 60 === 0)
        log.warn('cannot send events; they wait on the volume', { reason, failures });
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await turn();
      const backOff = Math.min(maxBackOffMs, minBackOffMs * 2 ** Math.min(failures, 10));
      const pause = failures === 0 ? (options.intervalMs ?? intervalMs) : backOff;
      await sleep(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
    await turn();
  };
  const running = run();
  return {
    sent: () => sent,
    async stop(limitMs) {
      stopping.abort();
      const limit = setTimeout(() => ended.abort(), limitMs);
      await running;
      clearTimeout(limit);
    },
  };
}
