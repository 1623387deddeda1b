/** Connections beyond the most that there may be: who stays, who goes. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { giveWay } from '../src/serving/give-way.ts';
import { ask } from './support/reader.ts';

let server: Server;
let port: number;
let dropped: number;
/** Answers that are under way. */
let waiting: { request: IncomingMessage; response: ServerResponse }[];
const sockets: Socket[] = [];
beforeEach(async () => {
  [dropped, waiting] = [0, []];
  const busy = new Set<Socket>();
  server = createServer((request, response) => {
    if (request.url === '/slow') {
      busy.add(request.socket);
      waiting.push({ request, response });
      return;
    }
    response.end('here');
    ofUse(request.socket);
  });
  const ofUse = giveWay(
    server,
    4,
    (socket) => busy.has(socket),
    () => {
      dropped += 1;
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

/** A connection that the server has taken, with these bytes of a request. */
async function open(bytes = ''): Promise<Socket> {
  const taken = once(server, 'connection');
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  sockets.push(socket);
  await taken;
  if (bytes !== '') socket.write(bytes);
  return socket;
}
const isOpen = (socket: Socket) => !socket.destroyed && !socket.readableEnded;
const ended = (socket: Socket) => (isOpen(socket) ? once(socket.resume(), 'close') : Promise.resolve());

it('who is idle, or slow to ask, gives way to who comes, the longest first', async () => {
  const [first, second] = [await open(), await open('GET / HT')];
  const kept = await open('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(kept, 'data');
  await open();
  expect((await ask(port, '/')).body.toString()).toBe('here');
  await ended(first);
  expect((await ask(port, '/')).body.toString()).toBe('here');
  expect(dropped).toBeGreaterThan(0);
  expect(isOpen(kept)).toBe(true);
  for (let more = 0; more < 3; more++) await open();
  await ended(second);
});

it('who is being answered stays, and who comes then has to go', async () => {
  for (let busy = 0; busy < 4; busy++) await open('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  while (waiting.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  await ended(await open());
  expect(dropped).toBe(1);
  expect(sockets.slice(0, 4).every(isOpen)).toBe(true);
});
