import { ApiError } from '@offprint/client';
import { useEffect, useState } from 'react';

/** Seconds until another try is taken, counted down; 0: now. */
export function useLockOut(error: unknown): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const wait = error instanceof ApiError && error.status === 429 ? (error.retryAfter ?? 0) : 0;
    const until = Date.now() + wait * 1000;
    const tick = () => setSeconds(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    tick();
    if (wait === 0) return;
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [error]);
  return seconds;
}

/** `45 s`, `4:05 min`. */
export function formatWait(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`;
}
