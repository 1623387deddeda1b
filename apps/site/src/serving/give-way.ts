import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Holds a server to so many connections: beyond them, the one that has been idle longest gives way to the new one, so
 * that who opens many and says nothing, or says it slowly, keeps nobody out. Where all are busy, the new one ends.
 * Gives the function to call when a connection was of use.
 */
export function giveWay(
  server: Server,
  most: number,
  isBusy: (socket: Socket) => boolean,
  onDropped: () => void = () => {},
): (socket: Socket) => void {
  // in the order in which they were of use last
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= most) return;
    const leaving = idleOf(socket);
    open.delete(leaving);
    leaving.destroy();
    onDropped();
  });
  const idleOf = (fresh: Socket): Socket => {
    for (const socket of open) if (!isBusy(socket)) return socket;
    return fresh;
  };
  return (socket) => {
    if (open.delete(socket)) open.add(socket);
  };
}
