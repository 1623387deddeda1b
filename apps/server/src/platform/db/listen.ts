import pg from 'pg';
import { connectionSettings } from './database.ts';

/**
 * Hears NOTIFY on one connection for all listeners of a process. A notification is a hint: one sent while the
 * connection was down is lost, so a waiter also polls its row from time to time.
 */
export interface Listener {
  /** Calls `hear` with the payload of each notification on the channel, until the returned function is called. */
  listen(channel: string, hear: (payload: string) => void): () => void;
  /**
   * Resolves at the next notification whose payload is `payload`, after `timeoutMs`, or when the signal
   * aborts, whichever is first. Never rejects.
   */
  wait(channel: string, payload: string, timeoutMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Runs on the connection now and on each one that replaces it, for what belongs to the session, such as a lock that
   * shows that this process lives.
   */
  onSession(start: SessionStart): void;
  close(): Promise<void>;
}

export type SessionStart = (client: pg.Client) => Promise<unknown>;

const RECONNECT_MS = 500;

export interface ListenerOptions {
  role: string;
  onError?: (error: Error) => void;
  /** As `onSession`, from the first connection on. */
  onConnect?: SessionStart;
}

/** Opens the connection in the background and opens it again whenever it breaks. */
export function openListener(url: string, options: ListenerOptions): Listener {
  const listeners = new Map<string, Set<(payload: string) => void>>();
  const starts = options.onConnect === undefined ? [] : [options.onConnect];
  let client: pg.Client | null = null;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const fresh = new pg.Client(connectionSettings(url, `${options.role}-listen`));
    let lost = false;
    const reconnect = (error?: Error): void => {
      if (lost) return;
      lost = true;
      if (client === fresh) client = null;
      fresh.end().catch(() => {});
      if (closed) return;
      if (error) options.onError?.(error);
      timer = setTimeout(() => void connect(), RECONNECT_MS);
    };
    fresh.on('error', reconnect);
    fresh.on('end', () => reconnect());
    fresh.on('notification', ({ channel, payload }) => {
      for (const hear of listeners.get(channel) ?? []) hear(payload ?? '');
    });
    try {
      await fresh.connect();
      for (const start of starts) await start(fresh);
      if (closed) return void (await fresh.end());
      client = fresh;
      for (const channel of listeners.keys()) await subscribe(fresh, channel);
    } catch (error) {
      reconnect(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function listen(channel: string, hear: (payload: string) => void): () => void {
    let heard = listeners.get(channel);
    if (!heard) {
      heard = new Set();
      listeners.set(channel, heard);
      if (client) subscribe(client, channel).catch((error: Error) => options.onError?.(error));
    }
    heard.add(hear);
    return () => void heard.delete(hear);
  }

  function wait(channel: string, payload: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timeout);
        stop();
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timeout = setTimeout(finish, timeoutMs);
      const stop = listen(channel, (heard) => {
        if (heard === payload) finish();
      });
      if (signal?.aborted) finish();
      else signal?.addEventListener('abort', finish, { once: true });
    });
  }

  void connect();
  return {
    listen,
    wait,
    onSession(start) {
      starts.push(start);
      if (client) start(client).catch((error: Error) => options.onError?.(error));
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}

async function subscribe(client: pg.Client, channel: string): Promise<void> {
  await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
}
