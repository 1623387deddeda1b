import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The connections of a server, and how it ends them. */
export interface Connections {
  /** Number of open ones. */
  count(): number;
  /**
   * A request was read from the connection: `answer` is called when those before it are answered, so that who sends many
   * at once is given one at a time. Never called when the connection ends before. False when too many wait, or too long
   * ones: the connection ends.
   */
  begin(socket: Socket, answer: () => void, headers: readonly string[]): boolean;
  /** The answer has ended. Gives the bytes that were sent since the answer before it. */
  end(socket: Socket): number;
  /** Whether a request of the connection is being answered. */
  isBusy(socket: Socket): boolean;
  /** Bytes a second that the reader has taken of the answer under way; an answer just begun counts as fast. */
  pace(socket: Socket): number;
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

/** Requests of one connection that wait for an answer before theirs. Browsers send none ahead. */
const mostWaiting = 8;
/** Characters of the headers of requests that wait, since the last time that none did. */
const longestAhead = 32 * 1024;
/** Bytes that each answer is taken to have been read of when it begins: a short time says nothing of its reader. */
const aheadBytes = 64 * 1024;

interface Connection {
  /** A request is being answered. */
  isBusy: boolean;
  /** Answers to requests that came before it ended. */
  waiting: (() => void)[];
  /** Characters of the headers of requests that had to wait since the last time that none did. */
  ahead: number;
  /** Bytes that were counted already. */
  counted: number;
  /** When the answer under way began, in milliseconds. */
  begun: number;
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
    open.set(socket, { isBusy: false, waiting: [], ahead: 0, counted: 0, begun: 0 });
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
      for (const [socket, { isBusy }] of open) if (!isBusy) socket.destroy();
    });

  return {
    count: () => open.size,
    begin(socket, answer, headers) {
      const connection = open.get(socket);
      // what was read with the last bytes of a connection that has ended
      if (connection === undefined || socket.destroyed) return true;
      const { waiting } = connection;
      if (waiting.length === 0) connection.ahead = 0;
      if (connection.isBusy) connection.ahead += lengthOf(headers);
      if (waiting.length === mostWaiting || connection.ahead > longestAhead) {
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
