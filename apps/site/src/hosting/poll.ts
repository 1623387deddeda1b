import { setTimeout as sleep } from 'node:timers/promises';
import { toDeploymentError } from '../deployment/to-deployment-error.ts';
import type { Log } from '../log.ts';
import type { HostingPlatform, SiteList } from '../source/hosting.ts';
import { type Fault, faultOf } from './fault.ts';

export interface PollOptions {
  platform: Pick<HostingPlatform, 'sites'>;
  /** Receives each new list, and returns when it is in effect. */
  onList(list: SiteList): Promise<void>;
  log: Log;
}

/** Asks the platform for its list of sites, again and again. */
export interface Polling {
  /** Why the platform cannot be followed, and the time of its last response. */
  status(): { fault: Fault | null; checkedAt: string | null };
  /** Requests the whole list at once. */
  refresh(): void;
  stop(): Promise<void>;
}

const maxPauseMs = 60_000;
/** Pause after each response, and after one that came without waiting although nothing has changed. */
const [pauseMs, earlyPauseMs] = [100, 5_000];
const earlyMs = 1_000;

export function startPolling({ platform, onList, log }: PollOptions): Polling {
  let cursor: string | null = null;
  let fault: Fault | null = null;
  let checkedAt: string | null = null;
  let failures = 0;
  const stopping = new AbortController();
  let wake = new AbortController();

  const ask = async (signal: AbortSignal): Promise<void> => {
    const begun = performance.now();
    const list = await platform.sites(cursor, signal);
    checkedAt = new Date().toISOString();
    failures = 0;
    if (fault !== null) log.info('the error is resolved', { code: fault.code, since: fault.at });
    fault = null;
    if (list !== null) {
      await onList(list);
      cursor = list.cursor;
    }
    // a platform that does not wait for a change must not be asked without pause
    const isEarly = list === null && performance.now() - begun < earlyMs;
    await sleep(isEarly ? earlyPauseMs : pauseMs, undefined, { signal });
  };

  /** Milliseconds until the next request. */
  const fail = (error: unknown): number => {
    const wrong = toDeploymentError(error, '', {});
    failures += 1;
    if (fault?.message !== wrong.message) {
      fault = faultOf(wrong);
      log.warn(wrong.message, { code: wrong.code });
    }
    return Math.max(wrong.retryAfterMs ?? 0, Math.min(maxPauseMs, 1000 * 2 ** (failures - 1)));
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      wake = new AbortController();
      const signal = AbortSignal.any([stopping.signal, wake.signal]);
      try {
        await ask(signal);
      } catch (error) {
        if (signal.aborted) continue;
        // so that many processes do not send requests at the same moment
        const pause = fail(error) * (0.9 + 0.2 * Math.random());
        await sleep(pause, undefined, { signal }).catch(() => {});
      }
    }
  };
  const looping = loop();
  return {
    status: () => ({ fault, checkedAt }),
    refresh() {
      cursor = null;
      wake.abort();
    },
    async stop() {
      stopping.abort();
      await looping;
    },
  };
}
