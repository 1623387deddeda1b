import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The connections of a server, and how they end. */
export interface Connections {
  /** Number of open connections. */
  count(): number;
  /**
   * A request was read from the connection: `respond` is called after the responses to the requests before
   * it, so that pipelined requests are handled one at a time. Never called if the connection ends first.
   * Returns false if too many or too large requests are queued: the connection ends.
   */
  begin(socket: Socket, answer: () => void, headers: readonly string[]): boolean;
  /** The response has ended. Returns the bytes sent since the previous response. */
  end(socket: Socket): number;
  /** Whether a response is being sent on the connection. */
  isBusy(socket: Socket): boolean;
  /** Bytes per second that the reader has received of the current response; a new response counts as fast. */
  pace(socket: Socket): number;
  /** True from the call of `stop` on: responses are the last ones of their connections. */
  isStopping(): boolean;
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /** How long new connections are still accepted, so that load balancers notice the stop. Default 0. */
  waitMs?: number;
  /** How long current responses may take, counted from the call. Default ten seconds. */
  limitMs?: number;
}

/** Maximum number of pipelined requests queued per connection. Browsers do not pipeline. */
const maxQueued = 8;
/** Characters in the headers of queued requests, since the queue was last empty. */
const longestAhead = 32 * 1024;
/**
 * Bytes that each response is assumed to have sent at its start: a short time says nothing about the reader.
 */
const aheadBytes = 64 * 1024;

interface Connection {
  /** A response is being sent. */
  isBusy: boolean;
  /** Responses to earlier requests have ended. */
  waiting: (() => void)[];
  /** Characters in the headers of queued requests since the queue was last empty. */
  ahead: number;
  /** Bytes that were already counted. */
  counted: number;
  /** Start of the current response, in milliseconds. */
  begun: number;
}

/**
 * Tracks the connections of a server. When the server stops, idle connections end at once and the others
 * after their response. `closeIdleConnections` is not enough: it leaves the connections that browsers open
 * ahead and never use.
 */
export function watchConnections(server: Server): Connections {
  const open = new Map<Socket, Connection>();
  let stopping: Promise<void> | null = null;
  let isClosing = false;
  server.on('connection', (socket: Socket) => {
    open.set(socket, { isBusy: false, waiting: [], ahead: 0, counted: 0, begun: 0 });
    socket.once('close', () => open.delete(socket));
  });

  const close = async (limitMs: number): Promise<void> => {
    isClosing = true;
    const force = setTimeout(() => {
      for (const socket of open.keys()) socket.destroy();
    }, limitMs);
    for (const [socket, { isBusy }] of open) if (!isBusy) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    // the server does not wait for connections that another server has accepted
    await Promise.all(
      [...open.keys()].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    );
    clearTimeout(force);
  };

  return {
    count: () => open.size,
    begin(socket, answer, headers) {
      const connection = open.get(socket);
      // data received with the last bytes of a connection that has ended
      if (connection === undefined || socket.destroyed) return true;
      const { waiting } = connection;
      if (waiting.length === 0) connection.ahead = 0;
      if (connection.isBusy) connection.ahead += lengthOf(headers);
      if (waiting.length === maxQueued || connection.ahead > longestAhead) {
        socket.destroy();
        return false;
      }
      if (connection.isBusy) {
        waiting.push(answer);
      } else {
        connection.isBusy = true;
        connection.begun = performance.now();
        answer();
      }
      return true;
    },
    end(socket) {
      const connection = open.get(socket);
      if (connection === undefined) return 0;
      const bytes = socket.bytesWritten - connection.counted;
      connection.counted += bytes;
      const next = socket.destroyed ? undefined : connection.waiting.shift();
      connection.isBusy = next !== undefined;
      if (next !== undefined) {
        connection.begun = performance.now();
        next();
      } else if (isClosing) socket.destroySoon();
      return bytes;
    },
    isBusy: (socket) => open.get(socket)?.isBusy === true,
    pace(socket) {
      const connection = open.get(socket);
      if (connection === undefined) return 0;
      const taken = socket.bytesWritten - socket.writableLength - connection.counted;
      return (taken + aheadBytes) / Math.max(1e-3, (performance.now() - connection.begun) / 1000);
    },
    isStopping: () => stopping !== null,
    stop({ waitMs = 0, limitMs = 10_000 } = {}) {
      const wait = Math.min(waitMs, limitMs);
      stopping ??= delay(wait).then(() => close(limitMs - wait));
      return stopping;
    },
  };
}

function lengthOf(headers: readonly string[]): number {
  let length = 0;
  for (const part of headers) length += part.length;
  return length;
}
