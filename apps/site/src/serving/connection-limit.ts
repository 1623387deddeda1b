import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { processBytes } from '../releases/limits.ts';

/**
 * Memory of one connection: a slow reader of a file costs up to 100 kB here, and the kernel's send buffer
 * counts too.
 */
const connectionBytes = 128e3;
const [minConnections, maxConnections] = [64, 4096];

/**
 * Number of connections that a process with this memory can hold beside its releases, even if all readers are
 * slow.
 */
export function connectionsFor(memory: number): number {
  // three quarters are for manifests
  const fitting = Math.floor((memory - processBytes) / 4 / connectionBytes);
  return Math.min(maxConnections, Math.max(minConnections, fitting));
}

/** Number of busy connections that are compared; comparing more would cost more than a new connection. */
const maxCompared = 512;

/**
 * Limits the number of connections of a server. Above the limit, a connection is closed for each new one, so
 * that clients that open many connections and stay idle, or read slowly, do not keep others out. While more
 * than a quarter are idle, it closes the longest idle one: new connections have not sent a request yet.
 * Otherwise it closes the one with the lowest `pace` among the least recently used busy ones; without `pace`,
 * no busy connection is closed: if all are busy, the new one ends. Returns the function to call when a
 * connection was used.
 */
export function limitConnections(
  server: Server,
  most: number,
  isBusy: (socket: Socket) => boolean,
  onDropped: () => void = () => {},
  pace: ((socket: Socket) => number) | null = null,
): (socket: Socket) => void {
  // in order of last use
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= most) return;
    const leaving = lowestOf(socket);
    open.delete(leaving);
    leaving.destroy();
    onDropped();
  });
  const lowestOf = (fresh: Socket): Socket => {
    let idlest: Socket | null = null;
    let slowest: Socket | null = null;
    let least = Number.POSITIVE_INFINITY;
    let [idle, compared] = [0, 0];
    for (const socket of open) {
      if (socket === fresh) continue;
      if (!isBusy(socket)) {
        idlest ??= socket;
        if (++idle > most / 4) return idlest;
      } else if (pace !== null && compared < maxCompared) {
        compared += 1;
        const speed = pace(socket);
        if (speed < least) [slowest, least] = [socket, speed];
      }
    }
    return slowest ?? idlest ?? fresh;
  };
  return (socket) => {
    if (open.delete(socket)) open.add(socket);
  };
}
