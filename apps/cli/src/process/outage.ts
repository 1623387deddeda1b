/** Waiting for a job on a server that restarts, or that cannot be reached for some minutes. */
import { CliError, explain } from '../errors.ts';

/**
 * How often in a row an attempt may fail. The client repeats a request with increasing delays, about 12 s in all,
 * before an attempt fails: the limit is reached after about four minutes.
 */
const MAX_OUTAGES = 20;
/** What proxies and servers return while the server behind them, or its database, is away. */
const AWAY = [502, 503, 504];

export interface OutageOptions<Result> {
  /** Waits for the job, and calls `onContact` whenever the server responds. */
  attempt(onContact: () => void): Promise<Result>;
  /** Called with the reason when the server stops responding. */
  onOutage(reason: string): void;
}

/** Repeats an attempt while the server is away, which does not affect its jobs. Rejects with the last error. */
export async function throughOutages<Result>({ attempt, onOutage }: OutageOptions<Result>): Promise<Result> {
  let outages = 0;
  for (;;) {
    try {
      return await attempt(() => {
        outages = 0;
      });
    } catch (error) {
      outages += 1;
      const reason = await outageText(error);
      if (reason === null || outages === MAX_OUTAGES) throw error;
      if (outages === 1) onOutage(reason);
    }
  }
}

/** The reason without its final period, if the server is away; null for other errors. */
export async function outageText(error: unknown): Promise<string | null> {
  const { ApiError, ConnectionError } = await import('@offprint/client');
  const isAway = error instanceof ApiError ? AWAY.includes(error.status) : error instanceof ConnectionError;
  if (!isAway) return null;
  const known = await explain(error);
  return known instanceof CliError ? known.message.replace(/\.$/, '') : null;
}
