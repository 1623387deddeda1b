import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { processBytes } from '../releases/limits.ts';

/**
 * Memory of one connection: a slow reader of a file costs up to 100 kB here, and the kernel counts what is on its way
 * to it.
 */
const connectionBytes = 128e3;
const [fewestConnections, mostConnections] = [64, 4096];

/** Connections that a process of so many bytes can hold beside its releases, however slowly their readers take. */
export function connectionsFor(memory: number): number {
  // three quarters are for manifests
  const fitting = Math.floor((memory - processBytes) / 4 / connectionBytes);
  return Math.min(mostConnections, Math.max(fewestConnections, fitting));
}

/** Busy connections that are compared; beyond them, it would cost more than the connection that comes. */
const mostCompared = 512;

/**
 * Holds a server to so many connections: beyond them, one gives way to the new one, so that who opens many and says
 * nothing, or reads slowly, keeps nobody out. That is the one idle longest while more than a quarter are idle: those who
 * have just come have not asked yet. Otherwise it is the busy one of the least `pace`, of those not of use for longest;
 * without a pace, no busy one: where all are, the new one ends. Gives the function to call when a connection was of use.
 */
export function giveWay(
  server: Server,
  most: number,
  isBusy: (socket: Socket) => boolean,
  onDropped: () => void = () => {},
  pace: ((socket: Socket) => number) | null = null,
): (socket: Socket) => void {
  // in the order in which they were of use last
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= most) return;
    const leaving = leastOf(socket);
    open.delete(leaving);
    leaving.destroy();
    onDropped();
  });
  const leastOf = (fresh: Socket): Socket => {
    let idlest: Socket | null = null;
    let slowest: Socket | null = null;
    let least = Number.POSITIVE_INFINITY;
    let [idle, compared] = [0, 0];
    for (const socket of open) {
      if (socket === fresh) continue;
      if (!isBusy(socket)) {
        idlest ??= socket;
        if (++idle > most / 4) return idlest;
      } else if (pace !== null && compared < mostCompared) {
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
