import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The connections of a server, and how it ends them. */
export interface Connections {
  /** Number of open ones. */
  count(): number;
  /** A request was read from the connection. */
  begin(socket: Socket): void;
  /** Its answer has ended. Gives the bytes that were sent since the answer before it. */
  end(socket: Socket): number;
  /** Whether a request of the connection is being answered. */
  isBusy(socket: Socket): boolean;
  /** True from the call of `stop` on: answers are the last ones of their connections. */
  isStopping(): boolean;
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /** How long new connections are still taken, so that whoever sends readers here learns of the stop. Default 0. */
  waitMs?: number;
  /** How long answers that are under way may take, counted from the call. Default ten seconds. */
  limitMs?: number;
}

interface Connection {
  /** Requests being answered: several where a client does not wait for answers. */
  requests: number;
  /** Bytes that were counted already. */
  counted: number;
}

/**
 * Watches the connections of a server. A server that stops ends those that wait for a request at once and the others
 * after their answer. `closeIdleConnections` is not enough: it leaves those that browsers open ahead and never use.
 */
export function watchConnections(server: Server): Connections {
  const open = new Map<Socket, Connection>();
  let stopping: Promise<void> | null = null;
  let isClosing = false;
  server.on('connection', (socket: Socket) => {
    open.set(socket, { requests: 0, counted: 0 });
    socket.once('close', () => open.delete(socket));
  });

  const close = (limitMs: number): Promise<void> =>
    new Promise((resolve) => {
      isClosing = true;
      const force = setTimeout(() => server.closeAllConnections(), limitMs);
      server.close(() => {
        clearTimeout(force);
        resolve();
      });
      for (const [socket, { requests }] of open) if (requests === 0) socket.destroy();
    });

  return {
    count: () => open.size,
    begin(socket) {
      const connection = open.get(socket);
      if (connection !== undefined) connection.requests += 1;
    },
    end(socket) {
      const connection = open.get(socket);
      if (connection === undefined) return 0;
      connection.requests -= 1;
      const bytes = socket.bytesWritten - connection.counted;
      connection.counted += bytes;
      if (isClosing && connection.requests === 0) socket.destroySoon();
      return bytes;
    },
    isBusy: (socket) => (open.get(socket)?.requests ?? 0) > 0,
    isStopping: () => stopping !== null,
    stop({ waitMs = 0, limitMs = 10_000 } = {}) {
      const wait = Math.min(waitMs, limitMs);
      stopping ??= delay(wait).then(() => close(limitMs - wait));
      return stopping;
    },
  };
}
