import { ApiError } from '@offprint/client';
import type { ExportEvent, ExportJob } from '@offprint/contract';

/** Where the states of an export come from. */
export interface ExportSource {
  /** Its events from now on; ends early when the connection breaks. */
  stream(signal: AbortSignal): AsyncIterable<ExportEvent>;
  read(signal: AbortSignal): Promise<ExportJob>;
  pause(seconds: number, signal: AbortSignal): Promise<void>;
}

/** Seconds between two polls of an export whose events do not arrive, at first and at most. */
const PAUSE = { first: 1, most: 8 };

/**
 * The states of an export as they change, the finished one last. Events are asked for first; where they end early or
 * cannot pass (a proxy that buffers responses, a broken network), the export is polled and events are
 * tried again. Throws what will not change by itself: it is gone, or may not be seen.
 */
export async function* followExport(source: ExportSource, signal: AbortSignal): AsyncGenerator<ExportJob> {
  let seconds = PAUSE.first;
  while (!signal.aborted) {
    let told = 0;
    try {
      for await (const { event, data } of source.stream(signal)) {
        told++;
        yield data;
        if (event === 'done') return;
      }
    } catch (error) {
      throwIfFinal(error, signal);
    }
    // The first event is the current state, so a stream of one event has shown no change.
    seconds = told > 1 ? PAUSE.first : Math.min(PAUSE.most, seconds * 2);
    try {
      await source.pause(seconds, signal);
      const job = await source.read(signal);
      yield job;
      if (isFinished(job)) return;
    } catch (error) {
      throwIfFinal(error, signal);
    }
  }
}

/** Throws on what does not change by itself. */
function throwIfFinal(error: unknown, signal: AbortSignal): void {
  if (signal.aborted || !(error instanceof ApiError)) return;
  if (error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
}

export function isFinished({ status }: Pick<ExportJob, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}
