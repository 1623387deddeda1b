import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';

/** Something done again and again, `ms` after it ended the last time. */
export interface PeriodicTask {
  name: string;
  ms: number;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Starts tasks at once and repeats each until the stop; one that throws is logged and repeated like any other. The stop
 * resolves when what runs has ended.
 */
export function startPeriodic(
  tasks: readonly PeriodicTask[],
  { log, metrics }: { log: Logger; metrics: Metrics },
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const started = tasks.map(start);
  return {
    stop: async () => {
      stopped.abort();
      await Promise.all(started.map((task) => task.stop()));
    },
  };

  function start({ name, ms, run }: PeriodicTask): { stop(): Promise<void> } {
    let timer: NodeJS.Timeout | undefined;
    let running = Promise.resolve();
    const turn = () => {
      running = run(stopped.signal)
        .then(
          () => metrics.sweeps.inc({ task: name, outcome: 'done' }),
          (error: unknown) => {
            metrics.sweeps.inc({ task: name, outcome: 'failed' });
            log.error({ err: error, task: name }, 'a periodic task failed');
          },
        )
        .then(() => {
          if (!stopped.signal.aborted) timer = setTimeout(turn, ms);
        });
    };
    turn();
    return {
      stop() {
        clearTimeout(timer);
        return running;
      },
    };
  }
}
