/** Connections of the API that are slow, idle or too many. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { defineRoute } from '@offprint/contract';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createMetrics } from '../metrics.ts';
import { CONNECTION_TIMES, type ConnectionTimes } from './connections.ts';
import { handle, type ServerEvent } from './route.ts';
import { createServer } from './server.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const shared = { tag: 'Health', summary: 'x', description: 'x', scope: null } as const;
const responses = { 200: { description: 'x' } };

async function* noEvents(): AsyncGenerator<ServerEvent> {
  await new Promise(() => {});
}

const routes = [
  handle(
    defineRoute({ ...shared, operationId: 'a', method: 'GET', path: '/short', responses }),
    async () => ({
      status: 200,
    }),
  ),
  handle(
    defineRoute({ ...shared, operationId: 'b', method: 'POST', path: '/json', responses }),
    async () => ({
      status: 200,
    }),
  ),
  handle(
    defineRoute({
      ...shared,
      operationId: 'c',
      method: 'PUT',
      path: '/upload',
      bytes: ['application/gzip'],
      responses,
    }),
    async ({ bytes }) => {
      let size = 0;
      for await (const piece of bytes) size += (piece as Buffer).length;
      return { status: 200, headers: { 'X-Size': String(size) } };
    },
  ),
  handle(
    defineRoute({ ...shared, operationId: 'd', method: 'GET', path: '/events', responses }),
    async () => ({
      status: 200,
      events: noEvents(),
    }),
  ),
  handle(defineRoute({ ...shared, operationId: 'e', method: 'GET', path: '/large', responses }), async () => {
    const piece = Buffer.alloc(65_536);
    const stream = Readable.from(
      (function* () {
        for (let sent = 0; sent < 1_000; sent++) yield piece;
      })(),
      { objectMode: false },
    );
    return { status: 200, file: { stream, contentType: 'application/gzip', name: 'large.gz' } };
  }),
];

interface Options {
  max?: number;
  maxPerAddress?: number;
  trustedProxies?: string[];
  times?: Partial<ConnectionTimes>;
}

async function start({ max = 4_096, maxPerAddress = 4_096, trustedProxies = [], times = {} }: Options = {}) {
  const refuse = async (): Promise<never> => {
    throw new Error('no route of this test requires it');
  };
  const metrics = createMetrics();
  const { app } = createServer({
    routes,
    authenticate: refuse,
    identify: refuse,
    record: async () => {},
    describeTarget: refuse,
    origin: undefined,
    trustedProxies,
    rateLimit: 1e6,
    anonymousRateLimit: 1e6,
    rates: null,
    connections: { max, maxPerAddress },
    connectionTimes: { ...CONNECTION_TIMES, ...times },
    https: false,
    log: pino({ level: 'silent' }),
    metrics,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  closing.push(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  const { port } = app.server.address() as AddressInfo;

  /** A connection with these bytes sent; its text grows. */
  const open = async (bytes = '', localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    closing.push(() => socket.destroy());
    const client = { socket, text: '' };
    socket.setEncoding('utf8').on('data', (text: string) => {
      client.text += text;
    });
    socket.on('error', () => {});
    await once(socket, 'connect');
    if (bytes !== '') socket.write(bytes);
    return client;
  };
  const readCount = async () =>
    Number(/^offprint_http_connections (\d+)$/m.exec(await metrics.registry.metrics())?.[1]);
  const readClosed = async (reason: string) =>
    (await metrics.closedConnections.get()).values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  return { port, open, get, readCount, readClosed };
}

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['open']>>;

const HALF_HEAD = 'GET /short HTTP/1.1\r\nHost: a\r\nX-Half: ';
const HALF_BODY =
  'POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":';
const EVENTS = 'GET /events HTTP/1.1\r\nHost: a\r\n\r\n';

async function openStream(
  open: (bytes: string, from?: string) => Promise<Client>,
  from?: string,
): Promise<Client> {
  const client = await open(EVENTS, from);
  await expect.poll(() => client.text).toContain(': connected');
  return client;
}

const isOpen = ({ socket }: { socket: Socket }): boolean => !socket.destroyed && !socket.readableEnded;

test('a new client gets a response while 1,500 connections are half open', async () => {
  const { open, get, readCount } = await start();
  const half = Array.from({ length: 1_500 }, (_, index) => open(index % 2 === 0 ? HALF_HEAD : HALF_BODY));
  await Promise.all(half);
  await expect.poll(readCount).toBe(1_500);
  const response = await get('/short');
  expect(response.status).toBe(200);
  expect(await readCount()).toBeGreaterThanOrEqual(1_500);
});

test('at the limit, half-open connections are closed for new clients, and none with a response in progress', async () => {
  const { open, get, readCount, readClosed } = await start({ max: 200 });
  const stream = await openStream(open);
  const half: Client[] = [];
  for (let index = 0; index < 500; index++) half.push(await open(index % 2 === 0 ? HALF_HEAD : HALF_BODY));
  expect((await get('/short')).status).toBe(200);
  await expect.poll(readCount).toBeLessThanOrEqual(200);
  expect(await readClosed('limit')).toBeGreaterThanOrEqual(301);
  await expect.poll(() => half.slice(0, 300).some(isOpen)).toBe(false);
  expect(isOpen(stream)).toBe(true);
});

test('refuses a new connection with 503 when every other one has a response in progress', async () => {
  const { open, readClosed } = await start({ max: 4 });
  const streams = await Promise.all(Array.from({ length: 4 }, () => openStream(open)));
  const client = await open();
  await once(client.socket, 'close');
  expect(client.text).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 5\r\n/s);
  expect(streams.every(isOpen)).toBe(true);
  expect(await readClosed('refused')).toBe(1);
});

// Other systems have one loopback address only.
test.skipIf(process.platform !== 'linux')('one address cannot take the connections of others', async () => {
  const { open, readClosed } = await start({ max: 100, maxPerAddress: 10 });
  const others = await Promise.all(Array.from({ length: 10 }, () => open(HALF_HEAD, '127.0.0.2')));
  const flood: Client[] = [];
  for (let index = 0; index < 60; index++) flood.push(await open(HALF_HEAD, '127.0.0.3'));
  await expect.poll(() => flood.filter(isOpen).length).toBe(10);
  expect(others.every(isOpen)).toBe(true);
  expect(await readClosed('address-limit')).toBe(50);
});

test('limits the requests in progress of each client behind a trusted proxy, not its connections', async () => {
  const { open, port } = await start({ maxPerAddress: 3, trustedProxies: ['127.0.0.0/8'] });
  const from = (address: string) => EVENTS.replace('\r\n\r\n', `\r\nX-Forwarded-For: ${address}\r\n\r\n`);
  const streams = await Promise.all(Array.from({ length: 3 }, () => open(from('203.0.113.1'))));
  for (const stream of streams) await expect.poll(() => stream.text).toContain(': connected');
  const ask = (address: string) =>
    fetch(`http://127.0.0.1:${port}/short`, { headers: { 'X-Forwarded-For': address } });
  const refused = await ask('203.0.113.1');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect((await ask('203.0.113.2')).status).toBe(200);
  streams[0]?.socket.destroy();
  await expect.poll(async () => (await ask('203.0.113.1')).status).toBe(200);
});

test('a body that does not arrive in time gets 408, and an upload that progresses does not', async () => {
  const { open, readClosed } = await start({
    times: { body: 50, uploadWindow: 50, uploadRate: 0, check: 10 },
  });
  const upload = await open(
    'PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Type: application/gzip\r\nContent-Length: 10\r\n\r\n12345',
  );
  const body = await open(HALF_BODY);
  await expect.poll(() => body.text).toMatch(/^HTTP\/1\.1 408 /);
  expect(await readClosed('slow-body')).toBe(1);
  upload.socket.write('67890');
  await expect.poll(() => upload.text).toMatch(/^HTTP\/1\.1 200 .*\r\nX-Size: 10\r\n/is);
});

test('an upload below the minimum rate gets 408', async () => {
  const { open } = await start({ times: { uploadWindow: 50, uploadRate: 1e9, check: 10 } });
  const upload = await open(
    'PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Type: application/gzip\r\nContent-Length: 10\r\n\r\n12345',
  );
  await expect.poll(() => upload.text).toMatch(/^HTTP\/1\.1 408 /);
});

test('a connection that got its last response is closed, although the client keeps its end open', async () => {
  const { open, readCount, readClosed } = await start({ times: { body: 50, check: 10 } });
  const client = await open();
  client.socket.pause();
  client.socket.write(HALF_BODY);
  await expect.poll(() => readClosed('slow-body')).toBe(1);
  await expect.poll(readCount).toBe(0);
  expect(await readClosed('slow-body')).toBe(1);
});

test('a slow body after a request in progress closes the connection without a response in its stream', async () => {
  const { open } = await start({ times: { body: 50, check: 10 } });
  const client = await openStream(open);
  client.socket.write(HALF_BODY);
  await once(client.socket, 'close');
  expect(client.text).not.toContain('HTTP/1.1 408');
});

test('closes a client that reads nothing of its response, and no event stream without events', async () => {
  const { open, readClosed } = await start({ times: { stall: 50, check: 10 } });
  const stream = await openStream(open);
  const slow = await open();
  slow.socket.pause();
  slow.socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => readClosed('slow-reader')).toBe(1);
  expect(isOpen(stream)).toBe(true);
});

test('a request with more than 100 headers gets 431', async () => {
  const { open } = await start();
  const headers = (count: number) =>
    `GET /short HTTP/1.1\r\nHost: a\r\n${Array.from({ length: count - 1 }, (_, index) => `X-${index}: a\r\n`).join('')}\r\n`;
  const [most, more] = [await open(headers(100)), await open(headers(101))];
  await expect.poll(() => most.text).toMatch(/^HTTP\/1\.1 200 /);
  await expect.poll(() => more.text).toMatch(/^HTTP\/1\.1 431 /);
});
