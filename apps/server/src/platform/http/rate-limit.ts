export interface RateLimiter {
  /** Takes one request of the caller; 0 if it may pass, else the seconds until it may retry. */
  take(caller: string): number;
  /** The same, without taking a request. */
  wait(caller: string): number;
  /** Counts what others have let pass: at least this part of the allowance, in milliseconds, is used. */
  raise(caller: string, usedMs: number): void;
  /** What is left of the allowance of the caller. */
  standing(caller: string): RateStanding;
}

export interface RateStanding {
  /** Requests of a whole allowance. */
  limit: number;
  /** Requests that may pass now. */
  remaining: number;
  /** Until the whole allowance is available again. */
  resetSeconds: number;
}

export const RATE_WINDOW_SECONDS = 60;

/**
 * The caller that an address stands for: itself, or the /64 network of an IPv6 address, which one machine has all
 * of.
 */
export function callerOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  if (tail !== undefined) {
    const rest = tail.split(':').filter((group) => group !== '');
    while (groups.length + rest.length < 8) groups.push('0');
    groups.push(...rest);
  }
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** Callers remembered at most; past that the oldest are forgotten, which can only let somebody pass. */
const MAX_CALLERS = 100_000;

/**
 * Limits callers to `perMinute` requests in any minute, evenly refilled (generic cell rate algorithm), so a
 * caller can spend the whole allowance at once and is then held to the rate. Kept in this process:
 * `createSharedRateLimiter` counts for all of them.
 */
export function createRateLimiter(
  perMinute: number,
  now: () => number = () => performance.now(),
): RateLimiter {
  const interval = 60_000 / perMinute;
  // Caller to the moment at which all of its allowance is there again.
  const fullAt = new Map<string, number>();

  const waitMs = (caller: string, time: number): number => {
    const start = Math.max(fullAt.get(caller) ?? time, time);
    return start + interval - time - 60_000;
  };

  const set = (caller: string, time: number, next: number): void => {
    fullAt.delete(caller);
    fullAt.set(caller, next);
    if (fullAt.size > MAX_CALLERS) forget(fullAt, time);
  };

  return {
    take(caller) {
      const time = now();
      const wait = waitMs(caller, time);
      // Half an interval of slack keeps rounding from refusing the last request of the allowance.
      if (wait > 1e-6) return seconds(wait);
      set(caller, time, Math.max(fullAt.get(caller) ?? time, time) + interval);
      return 0;
    },
    wait: (caller) => seconds(waitMs(caller, now())),
    raise(caller, usedMs) {
      const time = now();
      if (usedMs > 0 && time + usedMs > (fullAt.get(caller) ?? time)) set(caller, time, time + usedMs);
    },
    standing(caller) {
      const time = now();
      const used = Math.max(0, (fullAt.get(caller) ?? time) - time);
      const remaining = Math.floor((60_000 - used) / interval + 1e-6);
      return { limit: perMinute, remaining: Math.max(0, remaining), resetSeconds: Math.ceil(used / 1000) };
    },
  };
}

function seconds(ms: number): number {
  return ms <= 1e-6 ? 0 : Math.max(1, Math.ceil(ms / 1000));
}

function forget(fullAt: Map<string, number>, time: number): void {
  for (const [caller, at] of fullAt) {
    if (at > time && fullAt.size <= MAX_CALLERS) break;
    fullAt.delete(caller);
  }
}
