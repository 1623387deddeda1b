import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const graceMilliseconds = 10_000;

/**
 * The function that stops a server: it takes no new connection, ends those that wait for a request at once and
 * the others after their answer, at the latest after ten seconds. `closeIdleConnections` is not enough: it
 * leaves the connections that browsers open ahead and never use.
 */
export function createStop(server: Server): () => Promise<void> {
  const requests = new Map<Socket, number>();
  let stopping = false;
  const endIfIdle = (socket: Socket) => {
    if (stopping && requests.get(socket) === 0) socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    requests.set(socket, 0);
    socket.once('close', () => requests.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = requests.get(socket);
      if (left === undefined) return;
      requests.set(socket, left - 1);
      endIfIdle(socket);
    });
  });
  return () =>
    new Promise((resolve, reject) => {
      stopping = true;
      const force = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
      server.close((error) => {
        clearTimeout(force);
        if (error === undefined) resolve();
        else reject(error);
      });
      for (const socket of requests.keys()) endIfIdle(socket);
    });
}
