import type { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { AppError } from './error.ts';
import type { ServerEvent } from './route.ts';

/** Proxies close connections that are silent for a minute or less. */
const HEARTBEAT_MS = 15_000;

/**
 * Server-sent events as bytes (HTML standard, section 9.2), with a comment as heartbeat while nothing
 * happens. Ends with the iteration, or silently when the signal aborts.
 */
export function eventStream(events: AsyncIterable<ServerEvent>, signal: AbortSignal): Readable {
  return Readable.from(lines(events, signal), { objectMode: false, highWaterMark: 65_536 });
}

/** How long a reader whose permission was withdrawn keeps reading. */
const RECHECK_MS = 30_000;

/**
 * Breaks a response that stays open when its reader is refused: a key that was revoked, a session that has ended.
 * `authenticate` throws the refusal; what else it throws, such as a database that is away, changes nothing.
 */
export function endWhenRefused(
  response: EventEmitter & { destroy(): void },
  authenticate: () => Promise<unknown>,
  everyMs = RECHECK_MS,
): void {
  const timer = setInterval(() => {
    authenticate().catch((error: unknown) => {
      if (error instanceof AppError) response.destroy();
    });
  }, everyMs);
  response.once('close', () => clearInterval(timer));
}

async function* lines(events: AsyncIterable<ServerEvent>, signal: AbortSignal): AsyncGenerator<string> {
  const iterator = events[Symbol.asyncIterator]();
  yield ': connected\n\n';
  let pending = iterator.next();
  try {
    while (!signal.aborted) {
      const silence = pause(HEARTBEAT_MS, signal);
      const item = await Promise.race([pending, silence.over]).finally(silence.end);
      if (item === 'heartbeat') {
        if (!signal.aborted) yield ': heartbeat\n\n';
        continue;
      }
      if (item.done === true) return;
      pending = iterator.next();
      const { id, event, data } = item.value;
      yield `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    }
  } finally {
    pending.catch(() => undefined);
    await iterator.return?.();
  }
}

/** Is over after so long, when the signal aborts, or when it is ended. */
function pause(ms: number, signal: AbortSignal): { over: Promise<'heartbeat'>; end(): void } {
  const { promise, resolve } = Promise.withResolvers<'heartbeat'>();
  const end = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    resolve('heartbeat');
  };
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end, { once: true });
  return { over: promise, end };
}
