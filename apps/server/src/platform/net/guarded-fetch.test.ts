import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasOpenssl, makeCertificate } from '../../../../../test/support/certificate.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

const LOCAL = { allowPrivate: true, allowedHosts: [], allowHttp: true };
let server: Server;
let base: string;
let port: string;
const asked: { line: string; headers: Record<string, unknown>; body: string }[] = [];
const closed: string[] = [];

const answer: RequestListener = (request, response) => {
  const url = request.url ?? '';
  const chunks: Buffer[] = [];
  response.on('close', () => closed.push(url));
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    asked.push({ line: `${request.method} ${request.headers.host} ${url}`, headers: request.headers, body });
    if (url === '/hang') return;
    if (url === '/first')
      return void response.writeHead(200, { 'content-type': 'text/plain' }).write('first');
    if (url === '/broken') {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.destroy(), 20);
      return;
    }
    if (url === '/flood') return void response.writeHead(200).end('x'.repeat(2000));
    if (url === '/zipped') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
    if (url === '/nothing') return void response.writeHead(204).end();
    const status = Number(/^\/status\/(\d+)/.exec(url)?.[1] ?? 200);
    response.writeHead(status, { location: '/elsewhere', 'set-cookie': 'a=b' }).end('done');
  });
};

beforeAll(async () => {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = String((server.address() as AddressInfo).port);
  base = `http://127.0.0.1:${port}`;
});
beforeEach(() => {
  asked.length = 0;
  closed.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const local = createGuardedFetch({ policy: LOCAL });

test.each([
  ['text', 'grüße'],
  ['bytes', new TextEncoder().encode('grüße')],
  ['a part of bytes', new TextEncoder().encode('xxgrüße').subarray(2)],
])('sends a body of %s whole, with its length', async (_kind, body) => {
  const response = await local(`${base}/a?b=c`, {
    method: 'PATCH',
    headers: { 'content-type': 'text/plain', authorization: 'Bearer key' },
    body,
  });
  expect(await response.text()).toBe('done');
  expect(asked[0]).toMatchObject({
    line: `PATCH 127.0.0.1:${port} /a?b=c`,
    body: 'grüße',
    headers: { 'content-type': 'text/plain', authorization: 'Bearer key', 'content-length': '7' },
  });
});

test('sends nothing that identifies the server, and no header that steers the connection', async () => {
  await local(`${base}/a`, {
    headers: {
      host: 'other.example',
      cookie: 'a=b',
      'transfer-encoding': 'chunked',
      'accept-encoding': 'br',
    },
  });
  expect(asked[0]?.line).toBe(`GET 127.0.0.1:${port} /a`);
  expect(asked[0]?.headers).toEqual({
    host: `127.0.0.1:${port}`,
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'Offprint',
    connection: 'close',
  });
});

test('takes a Request as fetch does', async () => {
  const response = await local(new Request(`${base}/a`, { method: 'POST', body: 'x', headers: { a: 'b' } }));
  expect(response.status).toBe(200);
  expect(asked[0]).toMatchObject({ line: `POST 127.0.0.1:${port} /a`, body: 'x', headers: { a: 'b' } });
});

test('any status but a redirect is a response, also one without a body', async () => {
  expect((await local(`${base}/status/404`)).status).toBe(404);
  expect((await local(`${base}/status/500`)).status).toBe(500);
  const empty = await local(`${base}/nothing`);
  expect([empty.status, empty.body]).toEqual([204, null]);
  expect((await local(`${base}/a`)).headers.get('set-cookie')).toBe('a=b');
});

test.each([301, 302, 303, 307, 308])('a redirect (%i) is an error and is not followed', async (status) => {
  await expect(local(`${base}/status/${status}`, { method: 'POST', body: 'x' })).rejects.toMatchObject({
    code: 'invalid',
    message: `127.0.0.1:${port} redirects to 127.0.0.1:${port}, and redirects are not followed. Set the URL of the redirect target.`,
  });
  expect(asked).toHaveLength(1);
});

test('a private address is refused before a connection is made, even if http is allowed', async () => {
  const guarded = createGuardedFetch({ policy: { allowPrivate: false, allowedHosts: [], allowHttp: true } });
  await expect(guarded(`${base}/a`)).rejects.toMatchObject({ code: 'host-refused' });
  expect(asked).toEqual([]);
});

test('an allowed host may be private and may speak http, and no other host may', async () => {
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }] as const;
  const guarded = createGuardedFetch({
    policy: { allowPrivate: false, allowedHosts: ['model.corp.example', '*.lan.example'] },
    lookup,
  });
  expect((await guarded(`http://model.corp.example:${port}/a`)).status).toBe(200);
  expect((await guarded(`http://GPU.lan.example.:${port}/a`)).status).toBe(200);
  for (const host of ['corp.example', 'lan.example', '127.0.0.1', 'localhost']) {
    await expect(guarded(`http://${host}:${port}/a`), host).rejects.toMatchObject({ code: 'host-refused' });
  }
  expect(asked).toHaveLength(2);
});

test('a name that resolves differently after the check is connected to the checked address', async () => {
  let looked = 0;
  const lookup = async () => {
    looked += 1;
    return [{ address: looked === 1 ? '127.0.0.1' : '192.0.2.1', family: 4 }] as const;
  };
  const guarded = createGuardedFetch({ policy: LOCAL, lookup });
  expect((await guarded(`http://rebind.example:${port}/a`)).status).toBe(200);
  expect([looked, asked[0]?.line]).toEqual([1, `GET rebind.example:${port} /a`]);
});

test('a body streams: its first bytes are there before the last are sent', async () => {
  const response = await local(`${base}/first`);
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
  await reader?.cancel();
  await expect.poll(() => closed).toContain('/first');
});

test('an abort ends a request, a body that is read and a body that nobody reads', async () => {
  const reason = new Error('stop');
  const hanging = new AbortController();
  const pending = local(`${base}/hang`, { signal: hanging.signal });
  await expect.poll(() => asked.length).toBe(1);
  hanging.abort(reason);
  await expect(pending).rejects.toBe(reason);

  const reading = new AbortController();
  const reader = (await local(`${base}/first`, { signal: reading.signal })).body?.getReader();
  await reader?.read();
  const next = reader?.read();
  reading.abort(reason);
  await expect(next).rejects.toBe(reason);

  const unread = new AbortController();
  const response = await local(`${base}/first`, { signal: unread.signal });
  unread.abort(reason);
  await expect(response.text()).rejects.toBe(reason);

  await expect(local(`${base}/a`, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  // responses of earlier requests may close later
  const held = () => closed.filter((url) => url === '/hang' || url === '/first');
  await expect.poll(held).toEqual(['/hang', '/first', '/first']);
});

test('a broken, an endless and a compressed response are errors and never a shorter body', async () => {
  const small = createGuardedFetch({ policy: LOCAL, maxBytes: 1000 });
  const broken = await local(`${base}/broken`);
  await expect(broken.text()).rejects.toMatchObject({ code: 'unreachable' });
  const flood = small(`${base}/flood`).then((response) => response.text());
  await expect(flood).rejects.toMatchObject({ code: 'too-large' });
  await expect(local(`${base}/zipped`)).rejects.toMatchObject({ code: 'unreachable' });
});

test('no message quotes a header, an address or a body', async () => {
  const headers = { authorization: 'Bearer s3cret\nx' };
  await expect(local(`${base}/a`, { headers })).rejects.toMatchObject({
    code: 'invalid',
    message: expect.not.stringContaining('s3cret'),
  });
  await expect(local('http://127.0.0.1:1/s3cret?key=s3cret')).rejects.toMatchObject({
    code: 'unreachable',
    message: '127.0.0.1:1 could not be reached: ECONNREFUSED.',
  });
});

test.each(['', 'x', 'file:///etc/passwd', 'http://user:pass@127.0.0.1/', 'data:text/plain,x'])(
  '%j is refused as an address',
  async (url) => {
    await expect(local(url)).rejects.toMatchObject({
      code: /^(?:file|data)/.test(url) ? 'host-refused' : 'invalid',
    });
  },
);

describe.skipIf(!hasOpenssl)(hasOpenssl ? 'https' : 'https: no openssl to make a certificate', () => {
  test('a certificate must be of an authority that is known and for the name that was asked', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'offprint-fetch-'));
    const { key, cert, certFile } = makeCertificate(folder);
    const secure = createTlsServer({ key, cert }, answer);
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    const at = (host: string): string => `https://${host}:${(secure.address() as AddressInfo).port}/a`;
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }] as const;
    const policy = { allowPrivate: true, allowedHosts: [] };
    const trusting = createGuardedFetch({ policy, caFile: certFile, lookup });
    try {
      expect((await trusting(at('localhost'))).status).toBe(200);
      await expect(trusting(at('other.example'))).rejects.toThrow('ERR_TLS_CERT_ALTNAME_INVALID');
      await expect(createGuardedFetch({ policy, lookup })(at('localhost'))).rejects.toThrow(
        'DEPTH_ZERO_SELF_SIGNED_CERT',
      );
    } finally {
      secure.closeAllConnections();
      secure.close();
      await rm(folder, { recursive: true });
    }
  });
});
