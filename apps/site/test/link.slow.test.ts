/** A deployment whose source is a link: what is downloaded, refused and reported. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasOpenssl, makeCertificate } from '../../../test/support/certificate.ts';
import { downloadBundle } from '../src/source/download.ts';
import { createLinkSource } from '../src/source/link.ts';
import { makeBundle, type TestBundle } from './support/bundle.ts';
import { type BundleServer, sendBundle, startServer } from './support/bundle-server.ts';
import { createLab, errorOf, failed, type Lab, serves, settled, until } from './support/lab.ts';

const secret = 'signature-that-nobody-may-see';

let one: TestBundle;
let two: TestBundle;
let lab: Lab;
let host: BundleServer;
/** What the host holds. */
let held: TestBundle;
beforeAll(async () => {
  one = await makeBundle('1', { noise: 600_000 });
  two = await makeBundle('2', { noise: 600_000 });
});
beforeEach(async () => {
  lab = createLab();
  held = one;
  host = await startServer((request, response) => sendBundle(held, request, response));
});
afterEach(async () => {
  lab.expectNowhere(secret);
  await lab.close();
  await host.stop();
});

const link = (path = '/docs.tar.gz') => `${host.url}${path}?X-Signature=${secret}`;
const source = (path?: string, sha256: string | null = null) =>
  createLinkSource({ value: link(path) }, sha256);
/** The next responses of the host, in order; then the default ones. */
function answerWith(...answers: ((request: IncomingMessage, response: ServerResponse) => void)[]): void {
  host.answer = (request, response) => {
    const next = answers.shift();
    next?.(request, response);
    return next !== undefined;
  };
}
const cutAt = (bytes: number, etag?: string | null) => (request: IncomingMessage, response: ServerResponse) =>
  sendBundle(held, request, response, { cutAt: bytes, ...(etag === undefined ? {} : { etag }) });
const ranges = () => host.seen.map(({ headers }) => headers.range);

describe('a download', () => {
  it('becomes the release that is served, and leaves nothing else on the volume', async () => {
    const deployment = lab.start(source());
    const status = await until(deployment, settled('1'));
    expect(status).toMatchObject({
      source: 'link',
      release: { sha256: one.sha256, domain: 'docs.example.com', commit: null, files: 7 },
      previous: null,
      fault: null,
    });
    expect(lab.pointer().current.sha256).toBe(one.sha256);
    await deployment.stop();
    expect([lab.releases(), lab.debris()]).toEqual([[one.sha256], []]);
  });

  it('that breaks resumes where it stopped, on condition that the bundle is the same', async () => {
    answerWith(cutAt(200_000), cutAt(400_000));
    await until(lab.start(source()), serves('1'));
    const [first, second = '', third = ''] = ranges();
    expect([first, host.seen.length]).toEqual([undefined, 3]);
    const starts = [second, third].map((range) => Number(/^bytes=(\d+)-$/.exec(range)?.[1]));
    expect(starts[0]).toBeGreaterThan(0);
    expect(starts[1]).toBeGreaterThan(Number(starts[0]));
    expect(host.seen[1]?.headers['if-range']).toBe(`"${one.sha256}"`);
  });

  it('starts over when another bundle has replaced the first in between', async () => {
    answerWith((request, response) => {
      cutAt(300_000)(request, response);
      held = two;
    });
    await until(lab.start(source()), serves('2'));
    expect(lab.releases()).toEqual([two.sha256]);
  });

  it('starts over where nothing says whether the bundle is still the same', async () => {
    answerWith(cutAt(300_000, null));
    await until(lab.start(source()), serves('1'));
    expect(ranges()).toEqual([undefined, undefined]);
  });

  it('resumes without a condition if the digest of the bundle is known', async () => {
    answerWith(cutAt(300_000, null));
    await until(lab.start(source(undefined, one.sha256)), serves('1'));
    expect(ranges()[1]).toMatch(/^bytes=[1-9]/);
    expect(host.seen[1]?.headers['if-range']).toBeUndefined();
  });

  it('that stalls is aborted and resumed', async () => {
    lab.transport.stallMs = 1500;
    answerWith((request, response) => sendBundle(held, request, response, { stallAt: 300_000 }));
    await until(lab.start(source()), serves('1'));
    expect(ranges().some((range) => /^bytes=[1-9]/.test(range ?? ''))).toBe(true);
  });

  it('that trickles is aborted like one that stalls, counted and logged', async () => {
    host.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': one.bytes.length, etag: `"${one.sha256}"` });
      let at = 0;
      const drip = setInterval(() => response.write(one.bytes.subarray(at, ++at)), 20);
      response.on('close', () => clearInterval(drip));
      return true;
    };
    const from = { url: new URL(link()), etag: null, renew: null, indexUrl: null, tagOf: () => null };
    const error = await errorOf(
      downloadBundle(from, join(lab.root, 'part'), {
        transport: { ca: null, stallMs: 2_000 },
        signal: new AbortController().signal,
        maxBytes: 10 ** 9,
        sha256: null,
        freeBytes: async () => 10 ** 9,
        retries: 1,
        backoffMs: 5,
      }),
    );
    expect(error).toMatchObject({
      code: 'source_unreachable',
      message: expect.stringMatching(
        /only \d+ bytes from .* in 2 s; a download must reach 8192 bytes per second/,
      ),
    });
    expect(host.seen).toHaveLength(2);
    expect(existsSync(join(lab.root, 'part'))).toBe(false);
  });

  it('that breaks after a few bytes each time comes to an end as well', async () => {
    host.answer = (request, response) => {
      const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
      sendBundle(one, request, response, { cutAt: from + 3 });
      return true;
    };
    const from = { url: new URL(link()), etag: null, renew: null, indexUrl: null, tagOf: () => null };
    const error = await errorOf(
      downloadBundle(from, join(lab.root, 'part'), {
        transport: { ca: null, stallMs: 20_000 },
        signal: new AbortController().signal,
        maxBytes: 10 ** 9,
        sha256: null,
        freeBytes: async () => 10 ** 9,
        retries: 3,
        backoffMs: 5,
      }),
    );
    expect(error).toMatchObject({ code: 'source_unreachable' });
    expect(host.seen.length).toBeLessThan(10);
  });

  it('is retried if the host switches the protocol instead of responding', async () => {
    const change = ({ socket }: IncomingMessage) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\nhello');
    answerWith(change, change);
    const deployment = lab.start(source());
    await until(deployment, serves('1'));
    expect(lab.log()).toContain('source_unreachable');
  });

  it('that resumes with other bytes is refused', async () => {
    const other = { ...one, bytes: Buffer.from(one.bytes.map((byte) => byte ^ 1)) };
    answerWith(cutAt(300_000), (request, response) => sendBundle(other, request, response));
    const status = await until(lab.start(source()), failed);
    expect(host.seen).toHaveLength(2);
    expect(status).toMatchObject({ release: null, fault: { code: 'bundle_refused' } });
    expect([lab.releases(), lab.debris()]).toEqual([[], []]);
  });
});

describe('redirects', () => {
  const to =
    (location: string, status = 302) =>
    (_request: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(status, { location }).end();

  it('are followed three times, to other hosts without the credentials of the first', async () => {
    const other = await startServer((request, response) => sendBundle(one, request, response));
    try {
      answerWith(to('/a'), to(`${host.url}/b`, 307), to(`${other.url}/c.tar.gz`, 308));
      const url = link().replace('http://', `http://user:${secret}@`);
      await until(lab.start(createLinkSource({ value: url }, null)), serves('1'));
      const basic = `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`;
      expect(host.seen.map(({ headers }) => headers.authorization)).toEqual([basic, basic, basic]);
      expect(other.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
      lab.expectNowhere(basic);
    } finally {
      await other.stop();
    }
  });

  it.each([
    ['host', (port: string) => `http://${secret}.example.invalid:${port}/`],
    [
      'host, in pieces',
      (port: string) => `http://${secret.slice(0, 14)}.${secret.slice(14)}.invalid:${port}/`,
    ],
    ['path', (port: string) => `http://127.0.0.1:${port}/x/${secret}/y`],
    [
      'path, encoded',
      (port: string) =>
        `http://127.0.0.1:${port}/${[...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join('')}%0a{}`,
    ],
  ])('to the secret of the link as a %s do not reveal it', async (_name, locationOf) => {
    const location = locationOf(new URL(host.url).port);
    host.answer = (request, response) => {
      if (request.url?.includes('X-Signature')) to(location)(request, response);
      else to('file:///')(request, response);
      return true;
    };
    const deployment = lab.start(source());
    const { fault } = await until(deployment, failed);
    const { host: asked, pathname } = new URL(link());
    expect([
      `Cannot reach the redirect target of ${asked}: the host name is unknown.`,
      `Cannot reach the redirect target of ${asked}: the DNS lookup failed.`,
      `${asked}${pathname} redirects to a URL that is neither http nor https.`,
    ]).toContain(fault?.message);
    expect((await errorOf(deployment.update())).message).toBe(fault?.message);
    expect(lab.log().toLowerCase()).not.toMatch(/signature-th|nobody-may-see|%73/);
  });

  it.each([
    ['a fourth', [to('/a'), to('/b'), to('/c'), to('/d')], 'redirects more than 3 times'],
    ['one to a file', [to('file:///etc/passwd')], 'redirects to a URL that is neither http nor https'],
    ['one to nothing', [to('http://')], 'redirects to an invalid URL'],
  ])('%s is refused', async (_name, answers, message) => {
    answerWith(...answers);
    const status = await until(lab.start(source()), failed);
    expect(status.fault).toMatchObject({ code: 'source_failed', message: expect.stringContaining(message) });
  });
});

describe.skipIf(!hasOpenssl)(hasOpenssl ? 'https' : 'https: no openssl to make a certificate', () => {
  let folder: string;
  let secure: BundleServer;
  let certificate: ReturnType<typeof makeCertificate>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-tls-'));
    certificate = makeCertificate(folder);
    secure = await startServer((request, response) => sendBundle(one, request, response), certificate);
  });
  afterAll(async () => {
    await secure?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const secureSource = () => createLinkSource({ value: `${secure.url}/docs.tar.gz` }, null);

  it('of an unknown authority is refused, and the error names the remedy', async () => {
    const deployment = lab.start(secureSource(), { transport: { ...lab.transport, ca: null } });
    const { code, message } = await errorOf(deployment.update());
    expect(code).toBe('source_unreachable');
    expect(message).toContain('OFFPRINT_CA_FILE');
    expect(secure.seen).toEqual([]);
  });

  it('of an authority of OFFPRINT_CA_FILE is trusted', async () => {
    await until(
      lab.start(secureSource(), { transport: { ...lab.transport, ca: certificate.cert } }),
      serves('1'),
    );
  });

  it('is never left for http by a redirect', async () => {
    secure.answer = (_request, response) => {
      response.writeHead(302, { location: link() }).end();
      return true;
    };
    const deployment = lab.start(secureSource(), { transport: { ...lab.transport, ca: certificate.cert } });
    const status = await until(deployment, failed);
    expect(status.fault?.message).toContain('redirects from https to http');
    expect(host.seen).toEqual([]);
  });
});

describe('a link that is refused', () => {
  it.each([
    [403, 'link_expired', 'Generate the bundle again, or use pull mode.'],
    [410, 'link_expired', 'Generate the bundle again, or use pull mode.'],
    [401, 'link_refused', 'Use a link that includes the permission to download.'],
    [404, 'bundle_missing', 'Generate the bundle again, or check the link.'],
    [400, 'source_failed', 'returned status 400'],
    [204, 'source_failed', 'returned status 204'],
  ])('by %i is reported as %s with a remedy; the release stays', async (status, code, message) => {
    const deployment = lab.start(source());
    await until(deployment, serves('1'));
    host.answer = (_request, response) => {
      response.writeHead(status).end();
      return true;
    };
    const error = await errorOf(deployment.update());
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(error.message).toContain(host.url.slice('http://'.length));
    expect(deployment.status()).toMatchObject({ release: { version: '1' }, fault: { code } });
    // a line for the bundle that came, none for the link that led to nothing
    expect(lab.log().match(/"downloading","from"/g)).toHaveLength(1);
  });

  it.each([500, 503, 429])(
    'by %i is tried again, not before the time that the host asks for',
    async (status) => {
      answerWith((_request, response) => void response.writeHead(status, { 'retry-after': '1' }).end());
      await until(lab.start(source()), serves('1'));
      const [first, second] = host.seen;
      expect(host.seen).toHaveLength(2);
      expect(Number(second?.at) - Number(first?.at)).toBeGreaterThanOrEqual(990);
    },
  );

  it('because nothing listens is tried until something does', async () => {
    const { url } = host;
    await host.stop();
    const deployment = lab.start(source(), { intervalMs: 50 });
    const status = await until(deployment, failed);
    expect(status).toMatchObject({ release: null, fault: { code: 'source_unreachable' } });
    expect(status.fault?.message).toContain('connection was refused');
    const { createServer } = await import('node:http');
    const late = createServer((request, response) => sendBundle(one, request, response));
    await new Promise<void>((resolve) => late.listen(Number(new URL(url).port), '127.0.0.1', resolve));
    expect(await until(deployment, serves('1'))).toMatchObject({ fault: null });
    late.closeAllConnections();
    late.close();
  });
});

describe('a bundle that is refused', () => {
  it.each([
    ['says that it is larger than allowed', 10 ** 9],
    ['is larger than allowed without saying so', null],
  ])('because it %s', async (_name, length) => {
    answerWith((_request, response) => {
      if (length === null) response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(one.bytes);
      else response.writeHead(200, { 'content-length': length }).flushHeaders();
    });
    const status = await until(lab.start(source(), { maxBundleBytes: 500_000 }), failed);
    expect(status.fault).toMatchObject({
      code: 'bundle_too_large',
      message: expect.stringContaining('500000'),
    });
    expect([lab.releases(), lab.debris()]).toEqual([[], []]);
  });

  it('because its digest, version or domain differs: each is named, and the release stays', async () => {
    const deployment = lab.start(source(), { domain: 'docs.example.com' });
    await until(deployment, serves('1'));
    held = two;
    const bundleUrl = link('/2.tar.gz');
    expect(
      await errorOf(deployment.update({ bundleUrl, sha256: one.sha256.replace(/^./, 'x') })),
    ).toMatchObject({
      code: 'invalid_request',
    });
    const wrong = 'f'.repeat(64);
    expect(await errorOf(deployment.update({ bundleUrl, sha256: wrong }))).toMatchObject({
      code: 'sha256_mismatch',
      message: expect.stringContaining(wrong),
    });
    expect(await errorOf(deployment.update({ bundleUrl, version: '3' }))).toMatchObject({
      code: 'version_mismatch',
      message: expect.stringMatching(/"2", not "3"/),
    });
    held = await makeBundle('4', {
      head: { site: { domain: 'other.example.com', name: 'Other', url: 'https://other.example.com' } },
    });
    expect(await errorOf(deployment.update({ bundleUrl }))).toMatchObject({
      code: 'domain_mismatch',
      message: expect.stringMatching(/"other.example.com", not docs.example.com/),
    });
    expect(deployment.status()).toMatchObject({
      release: { version: '1' },
      fault: { code: 'domain_mismatch' },
    });
    expect([lab.releases(), lab.debris()]).toEqual([[one.sha256], []]);
  });

  it.each([
    ['it is cut', (bytes: Buffer) => bytes.subarray(0, 400_000)],
    [
      'a bit of it fell over',
      (bytes: Buffer) =>
        Buffer.concat([
          bytes.subarray(0, 400_000),
          Buffer.from([bytes[400_000]! ^ 1]),
          bytes.subarray(400_001),
        ]),
    ],
    ['something follows it', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('more')])],
    ['it is a page', () => Buffer.from('<html>Sign in</html>')],
    ['it is empty', () => Buffer.alloc(0)],
  ])('because %s', async (_name, change) => {
    answerWith((_request, response) => void response.end(change(one.bytes)));
    const deployment = lab.start(source());
    const { fault } = await until(deployment, failed);
    expect(fault).toMatchObject({
      code: 'bundle_refused',
      message: expect.stringMatching(/enerate .* again\.$/),
    });
    expect(fault?.message).not.toContain('tar ');
    expect([lab.releases(), lab.debris()]).toEqual([[], []]);
    // and when the host has come to its senses
    await deployment.update();
    expect(deployment.status()).toMatchObject({ release: { version: '1' }, fault: null });
  });
});

describe('asked again', () => {
  it('a host that says that nothing is new sends nothing', async () => {
    const deployment = lab.start(source());
    await until(deployment, serves('1'));
    await deployment.update();
    expect(host.seen[1]?.headers['if-none-match']).toBe(`"${one.sha256}"`);
    expect(deployment.shown).toEqual(['1']);
    held = two;
    expect(await deployment.update()).toMatchObject({ version: '2', sha256: two.sha256 });
    expect(deployment.status()).toMatchObject({ previous: { version: '1' }, fault: null });
  });

  it('the link is asked once: nothing polls what does not change', async () => {
    const deployment = lab.start(source(), { intervalMs: 20 });
    await until(deployment, serves('1'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(host.seen).toHaveLength(1);
  });

  it('another link in its file is followed at the interval', async () => {
    const { writeFileSync } = await import('node:fs');
    const file = join(lab.root, 'link');
    writeFileSync(file, `${link('/1.tar.gz')}\n`);
    const deployment = lab.start(createLinkSource({ file }, null), { intervalMs: 20 });
    await until(deployment, serves('1'));
    held = two;
    writeFileSync(file, link('/2.tar.gz'));
    await until(deployment, serves('2'));
    rmSync(file);
    expect(await errorOf(deployment.update())).toMatchObject({ code: 'source_failed' });
  });

  it('a call does not wait for a download that is under way', async () => {
    answerWith((request, response) => sendBundle(held, request, response, { stallAt: 300_000 }));
    const deployment = lab.start(source());
    await until(deployment, ({ step }) => step?.name === 'downloading' && step.bytes > 0);
    held = two;
    expect(
      await deployment.update({ bundleUrl: link('/2.tar.gz'), sha256: two.sha256, version: '2' }),
    ).toMatchObject({ version: '2' });
  });

  it('a link given by a call is served over restarts, until the own link brings something else', async () => {
    const first = lab.start(source());
    await until(first, serves('1'));
    host.answer = (request, response) => {
      if (!request.url?.startsWith('/2')) return false;
      sendBundle(two, request, response);
      return true;
    };
    await first.update({ bundleUrl: link('/2.tar.gz') });
    await first.stop();
    const second = lab.start(source());
    const status = await until(second, ({ checkedAt }) => checkedAt !== null);
    expect(status).toMatchObject({ release: { version: '2' }, previous: { version: '1' }, fault: null });
    held = await makeBundle('3');
    await second.stop();
    await until(lab.start(source()), serves('3'));
  });

  it.each(['ftp://example.com/x', 'docs.tar.gz', ''])('a link such as %j is refused', async (bundleUrl) => {
    const deployment = lab.start(source());
    await until(deployment, serves('1'));
    expect(await errorOf(deployment.update({ bundleUrl }))).toMatchObject({ code: 'invalid_request' });
    expect(await errorOf(deployment.update({ version: '1' }))).toMatchObject({ code: 'invalid_request' });
    expect(deployment.status().fault).toBeNull();
  });
});
