/** Connections beyond the limit: which stay open, which are closed. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { limitsFor } from '../src/releases/limits.ts';
import { connectionsFor, limitConnections } from '../src/serving/connection-limit.ts';
import { ask } from './support/reader.ts';

let server: Server;
let port: number;
let dropped: number;
/** Responses in progress. */
let waiting: { request: IncomingMessage; response: ServerResponse }[];
/** By the port of the reader. */
const paces = new Map<number | undefined, number>();
const sockets: Socket[] = [];
beforeEach(async () => {
  [dropped, waiting] = [0, []];
  paces.clear();
  const busy = new Set<Socket>();
  server = createServer((request, response) => {
    if (request.url === '/slow') {
      busy.add(request.socket);
      waiting.push({ request, response });
      return;
    }
    response.end('here');
    touch(request.socket);
  });
  const onDropped = () => {
    dropped += 1;
  };
  const touch = limitConnections(
    server,
    4,
    (socket) => busy.has(socket),
    onDropped,
    (socket) => paces.get(socket.remotePort) ?? Number.POSITIVE_INFINITY,
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

it('closes idle connections and slow requests for new connections, the longest first', async () => {
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

async function openBusy(): Promise<Socket> {
  const before = waiting.length;
  const socket = await open('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  while (waiting.length === before) await new Promise((resolve) => setTimeout(resolve, 5));
  return socket;
}

it('keeps connections with a response in progress while others are idle, then refuses new connections', async () => {
  const busy = [await openBusy(), await openBusy()];
  const idle = [await open(), await open()];
  await open();
  await ended(idle[0]!);
  await open();
  await ended(idle[1]!);
  expect(dropped).toBe(2);
  expect(busy.every(isOpen)).toBe(true);
});

it('closes the slowest readers if nearly all connections have a response in progress, and lets new connections send a request', async () => {
  const [quick, slow, slower] = [await openBusy(), await openBusy(), await openBusy()];
  await openBusy();
  paces.set(slow.localPort, 20).set(slower.localPort, 10).set(quick.localPort, 30);
  const [first, second] = [await open(), await open()];
  await ended(slower);
  await ended(slow);
  await open();
  await ended(first);
  expect(dropped).toBe(3);
  expect([quick, second].every(isOpen)).toBe(true);
});

it.each([128, 256, 512])(
  'at %i MiB the process, its manifests and slow readers go into the memory',
  (mebibytes) => {
    const memory = mebibytes * 1024 * 1024;
    // the measured maximum memory of a manifest and of a slow reader
    const manifests = 25 * limitsFor(memory).maxManifestBytes;
    expect(90e6 + manifests + 100e3 * connectionsFor(memory)).toBeLessThan(memory);
    expect(connectionsFor(2 ** 50)).toBe(4096);
  },
);
