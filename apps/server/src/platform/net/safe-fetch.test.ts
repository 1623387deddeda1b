import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { safeFetch } from './safe-fetch.ts';

const LOCAL = { allowPrivate: true, allowedHosts: [], allowHttp: true };
const LIMITS = { maxBytes: 1000, timeoutMs: 240_000 };
let server: Server;
let base: string;
const asked: string[] = [];

const answer: RequestListener = (request, response) => {
  asked.push(`${request.headers.host} ${request.url}`);
  const url = request.url ?? '';
  const hops = /^\/hop\/(\d+)$/.exec(url);
  if (url === '/hang') return;
  if (url === '/flood') {
    const timer = setInterval(() => response.write('x'.repeat(1000)), 1);
    response.on('close', () => clearInterval(timer));
    return;
  }
  if (url === '/change') {
    const change = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\nhello';
    request.socket.end(change);
    return;
  }
  if (url === '/broken') {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half');
    setTimeout(() => response.destroy(), 20);
    return;
  }
  if (hops !== null) {
    const left = Number(hops[1]);
    response.writeHead(left === 0 ? 200 : 302, left === 0 ? {} : { location: `/hop/${left - 1}` }).end('end');
    return;
  }
  if (url.startsWith('/to?')) {
    response.writeHead(302, { location: decodeURIComponent(url.slice(4)) }).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/plain' }).end(JSON.stringify(request.headers));
};

beforeAll(async () => {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('gets a body and sends nothing that identifies the server', async () => {
  const response = await safeFetch(`${base}/a`, { ...LIMITS, policy: LOCAL });
  expect(response.status).toBe(200);
  const sent = JSON.parse(new TextDecoder().decode(response.body)) as Record<string, string>;
  expect(Object.keys(sent).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
});

test('a private address is refused before a connection is made', async () => {
  asked.length = 0;
  const policy = { allowPrivate: false, allowedHosts: [], allowHttp: true };
  await expect(safeFetch(`${base}/a`, { ...LIMITS, policy })).rejects.toMatchObject({ code: 'host-refused' });
  expect(asked).toEqual([]);
});

test('a name that resolves differently after the check is connected to the checked address', async () => {
  const port = new URL(base).port;
  let looked = 0;
  const lookup = async () => {
    looked += 1;
    return [{ address: looked === 1 ? '127.0.0.1' : '192.0.2.1', family: 4 }] as const;
  };
  const response = await safeFetch(`http://rebind.example:${port}/a`, { ...LIMITS, policy: LOCAL, lookup });
  expect(response.status).toBe(200);
  expect(looked).toBe(1);
  expect(asked.at(-1)).toBe(`rebind.example:${port} /a`);
});

test('every redirect is checked again', async () => {
  asked.length = 0;
  const port = new URL(base).port;
  const policy = { allowPrivate: false, allowedHosts: ['docs.example'], allowHttp: true };
  const lookup = async (host: string) =>
    host === 'docs.example' || host === 'metadata.example'
      ? ([{ address: '127.0.0.1', family: 4 }] as const)
      : [];
  for (const location of [
    `http://metadata.example:${port}/secret`,
    'http://169.254.169.254/latest',
    `${base}/x`,
  ]) {
    const url = `http://docs.example:${port}/to?${encodeURIComponent(location)}`;
    await expect(safeFetch(url, { ...LIMITS, policy, lookup })).rejects.toMatchObject({
      code: 'host-refused',
    });
  }
  expect(asked.every((line) => line.includes('/to?'))).toBe(true);
});

test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'gopher://127.0.0.1/', 'data:text/plain,x'])(
  'a redirect to %s is refused',
  async (location) => {
    const url = `${base}/to?${encodeURIComponent(location)}`;
    await expect(safeFetch(url, { ...LIMITS, policy: LOCAL })).rejects.toMatchObject({
      code: 'host-refused',
    });
  },
);

test('three redirects are followed and a fourth is not', async () => {
  expect((await safeFetch(`${base}/hop/3`, { ...LIMITS, policy: LOCAL })).status).toBe(200);
  await expect(safeFetch(`${base}/hop/4`, { ...LIMITS, policy: LOCAL })).rejects.toMatchObject({
    code: 'unreachable',
  });
});

test('size and time are bounded, also without a content-length', async () => {
  await expect(safeFetch(`${base}/flood`, { ...LIMITS, policy: LOCAL })).rejects.toMatchObject({
    code: 'too-large',
  });
  await expect(
    safeFetch(`${base}/hang`, { maxBytes: 10, timeoutMs: 200, policy: LOCAL }),
  ).rejects.toMatchObject({ code: 'timeout' });
});

test('a change of protocol is a broken response', async () => {
  await expect(safeFetch(`${base}/change`, { ...LIMITS, policy: LOCAL })).rejects.toMatchObject({
    code: 'unreachable',
  });
});

test('a broken response is an error and never a shorter body', async () => {
  await expect(safeFetch(`${base}/broken`, { ...LIMITS, policy: LOCAL })).rejects.toMatchObject({
    code: 'unreachable',
  });
});

test('the caller can abort', async () => {
  const reason = new Error('stop');
  const signal = AbortSignal.timeout(50);
  const aborted = AbortSignal.any([signal]);
  await expect(
    safeFetch(`${base}/hang`, { ...LIMITS, policy: LOCAL, signal: aborted }),
  ).rejects.toMatchObject({
    name: 'TimeoutError',
  });
  await expect(
    safeFetch(`${base}/a`, { ...LIMITS, policy: LOCAL, signal: AbortSignal.abort(reason) }),
  ).rejects.toBe(reason);
});

test.each(['', 'x', 'http://user:pass@example.com/', 'https://[::1', 'https://a b/'])(
  '%j is refused as an address',
  async (url) => {
    await expect(safeFetch(url, { ...LIMITS, policy: LOCAL })).rejects.toMatchObject({ code: 'invalid' });
  },
);
