import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, type Release, type Store } from '../src/releases/store.ts';
import { type SiteServer, type SiteServerOptions, startSiteServer } from '../src/serving/server.ts';
import { type Answer, ask, packFiles, talk } from './support/reader.ts';

const words = (seed: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${seed} ${(n * 7919) % 97} of the words`).join('\n');

const files: Record<string, string | Uint8Array> = {
  'index.html': `<!doctype html><title>Home</title>${words('home', 60)}`,
  'index.md': `# Home\n${words('home', 40)}`,
  'guide.html': `<!doctype html><title>Guide</title>${words('guide', 60)}`,
  'guide.md': `# Guide\n${words('guide', 40)}`,
  'a b/ü.html': `<!doctype html><title>Umlaut</title>${words('umlaut', 60)}`,
  'a b/ü.md': `# Umlaut\n${words('umlaut', 40)}`,
  'plain.html': `<!doctype html><title>Plain</title>${words('plain', 60)}`,
  'tiny.html': 'tiny',
  'tiny.md': '# tiny',
  '404.html': `<!doctype html><html><head><title>Nothing here</title></head>${words('nothing', 60)}`,
  'large.txt': words('large', 8_000),
  'huge.txt': words('huge', 60_000),
  'picture.png': randomBytes(3_000),
  'noise.txt': randomBytes(3_000),
  'llms.txt': 'for agents',
  _headers: '/*\n  X: y\n',
  _redirects: '/a /b 301\n',
  '_offprint/site-0123456789.css': `body { color: red } ${words('/* a */', 60)}`,
  '_offprint/nav-0123456789.js': `/* nav of one */ ${words('nav', 60)}`,
};

let root: string;
let store: Store;
let site: SiteServer;
let release: Release;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'offprint-site-'));
  store = await openStore(join(root, 'releases'), { durable: false, isInUse: () => true });
  release = await install(files);
  site = await start();
  await site.onRelease(release);
  await site.encoded();
});
afterAll(async () => {
  await site.stop();
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

async function install(content: Record<string, string | Uint8Array>): Promise<Release> {
  const path = join(root, `${randomBytes(4).toString('hex')}.tar.gz`);
  writeFileSync(path, await packFiles(content));
  return store.install(path);
}

function start(options: Partial<SiteServerOptions> = {}): Promise<SiteServer> {
  return startSiteServer({ host: '127.0.0.1', port: 0, basePath: '', https: false, ...options });
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(site.port, path, { headers });
const every = { 'accept-encoding': 'gzip, deflate, br' };

describe('the content encoding of a file', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['identity', undefined],
    ['gzip;q=0.1, identity;q=0.9', undefined],
    ['*', 'br'],
  ])('for %s is %s, and the content the same', async (accepted, coding) => {
    for (const path of ['/guide', '/large.txt', '/huge.txt', '/_offprint/site-0123456789.css']) {
      const answer = await get(path, { 'accept-encoding': accepted });
      expect([answer.status, answer.headers['content-encoding']], path).toEqual([200, coding]);
      const name = path === '/guide' ? 'guide.html' : path.slice(1);
      expect(answer.content.toString(), path).toBe(files[name]);
      expect(answer.headers['content-length'], path).toBe(String(answer.body.length));
      expect(answer.headers.vary, path).toContain('Accept-Encoding');
      if (coding !== undefined) expect(answer.body.length).toBeLessThan(answer.content.length / 2);
    }
  });

  it('is none where it would save nothing', async () => {
    for (const path of ['/picture.png', '/noise.txt', '/tiny']) {
      const { status, headers } = await get(path, every);
      expect([status, headers['content-encoding']], path).toEqual([200, undefined]);
    }
    expect((await get('/picture.png', every)).headers.vary).toBeUndefined();
  });

  it('is refused by 406 where nothing that the request accepts is there', async () => {
    const refused = await get('/guide', { 'accept-encoding': 'identity;q=0' });
    expect([refused.status, refused.headers['cache-control']]).toEqual([406, 'no-store']);
    expect((await get('/picture.png', { 'accept-encoding': 'gzip, *;q=0' })).status).toBe(406);
    expect((await get('/guide', { 'accept-encoding': 'gzip, *;q=0' })).headers['content-encoding']).toBe(
      'gzip',
    );
  });

  it('is also that of the page for what does not exist', async () => {
    for (const coding of ['br', 'gzip', undefined]) {
      const answer = await get('/no/such', coding === undefined ? {} : { 'accept-encoding': coding });
      expect([answer.status, answer.headers['content-encoding'], answer.headers.vary]).toEqual([
        404,
        coding,
        'Accept-Encoding',
      ]);
      expect(answer.content.toString()).toContain('<title>Nothing here');
    }
  });

  it('is the same for HEAD and GET', async () => {
    for (const path of ['/guide', '/huge.txt', '/no/such', '/picture.png']) {
      for (const headers of [every, { ...every, accept: 'text/markdown' }, { range: 'bytes=0-1' }]) {
        const { range: _, ...plain } = headers as Record<string, string>;
        const [whole, head] = [
          await get(path, plain),
          await ask(site.port, path, { method: 'HEAD', headers }),
        ];
        const { date: __, ...wanted } = whole.headers;
        expect(head.status, path).toBe(whole.status);
        expect(head.headers, path).toMatchObject(wanted);
        expect(head.body.length).toBe(0);
      }
    }
  });
});

describe('tags', () => {
  const tag = async (coding: string) =>
    (await get('/guide', { 'accept-encoding': coding })).headers.etag ?? '';

  it('differ by content encoding and are strong', async () => {
    const tags = [await tag('identity'), await tag('gzip'), await tag('br')];
    expect(new Set(tags).size).toBe(3);
    for (const one of tags) expect(one).toMatch(/^"[0-9a-f]{32}(?:-gzip|-br)?"$/);
  });

  it('of any content encoding that the request accepts result in 304', async () => {
    for (const coding of ['identity', 'gzip', 'br']) {
      const held = await tag(coding);
      for (const value of [held, `W/${held}`, `"x", ${held}`]) {
        const answer = await get('/guide', { ...every, 'if-none-match': value });
        expect([answer.status, answer.headers.etag, answer.body.length]).toEqual([304, held, 0]);
        expect(answer.headers.vary).toBe('Accept, Accept-Encoding');
        expect(answer.headers['content-encoding']).toBeUndefined();
      }
    }
    expect((await get('/guide', { ...every, 'if-none-match': '*' })).headers.etag).toBe(await tag('br'));
  });

  it('of a content encoding that the request does not accept do not', async () => {
    const answer = await get('/guide', { 'accept-encoding': 'gzip', 'if-none-match': await tag('br') });
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, 'gzip']);
  });

  it('of If-Match must be one of the file', async () => {
    expect((await get('/guide', { ...every, 'if-match': await tag('gzip') })).status).toBe(200);
    expect((await get('/guide', { ...every, 'if-match': '*' })).status).toBe(200);
    expect((await get('/guide', { ...every, 'if-match': '"other"' })).status).toBe(412);
  });
});

describe('ranges', () => {
  it('are of the uncompressed bytes, whatever content encoding is accepted', async () => {
    const plain = (await get('/guide')).headers.etag ?? '';
    for (const condition of [undefined, plain]) {
      const answer = await get('/guide', {
        ...every,
        range: 'bytes=2-8',
        ...(condition === undefined ? {} : { 'if-range': condition }),
      });
      expect([answer.status, answer.headers['content-encoding'], answer.headers.etag]).toEqual([
        206,
        undefined,
        plain,
      ]);
      expect(answer.body.toString()).toBe((files['guide.html'] as string).slice(2, 9));
    }
  });

  it('with the ETag of a content encoding return the whole file in the best one', async () => {
    const held = (await get('/guide', { 'accept-encoding': 'br' })).headers.etag ?? '';
    const answer = await get('/guide', { ...every, range: 'bytes=2-8', 'if-range': held });
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, 'br']);
    expect(answer.headers['accept-ranges']).toBeUndefined();
  });
});

describe('Markdown of a page', () => {
  it.each([
    ['/', 'index.md', '/index.md'],
    ['/guide', 'guide.md', '/guide.md'],
    ['/guide.html', 'guide.md', '/guide.md'],
    ['/a%20b/%C3%BC', 'a b/ü.md', '/a%20b/%C3%BC.md'],
  ])('at %s is %s', async (path, name, location) => {
    const answer = await get(path, { ...every, accept: 'text/markdown, text/html, */*' });
    expect(answer.status).toBe(200);
    expect(answer.content.toString()).toBe(files[name]);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'content-location': location,
      'content-encoding': 'br',
      vary: 'Accept, Accept-Encoding',
    });
    // search engines keep the address, which is that of the page
    expect(answer.headers['x-robots-tag']).toBeUndefined();
    expect((await get(location)).headers['x-robots-tag']).toBe('noindex');
    expect((await get(location, every)).headers.etag).toBe(answer.headers.etag);
  });

  it('is not for browsers, and not for pages without any', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
    const page = await get('/guide', { ...every, accept: browser });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      vary: 'Accept, Accept-Encoding',
    });
    expect(page.headers['content-location']).toBeUndefined();
    const plain = await get('/plain', { ...every, accept: 'text/markdown' });
    expect(plain.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      vary: 'Accept-Encoding',
    });
  });

  it('has tags of its own', async () => {
    const page = (await get('/guide', every)).headers.etag ?? '';
    const answer = await get('/guide', { ...every, accept: 'text/markdown', 'if-none-match': page });
    expect(answer.status).toBe(200);
    const again = { ...every, accept: 'text/markdown', 'if-none-match': answer.headers.etag ?? '' };
    expect((await get('/guide', again)).status).toBe(304);
  });

  it('is named for agents, with the texts of the site', async () => {
    expect((await get('/guide')).headers).toMatchObject({
      link: '</llms.txt>; rel="llms-txt"',
      'x-llms-txt': '/llms.txt',
    });
  });
});

describe('odd requests', () => {
  it.each([
    ['/a%20b%2f%C3%BC', 404],
    ['/a%20b%2F%C3%BC.html', 404],
    ['/_offprint%5csite-0123456789.css', 404],
    ['/guide%00', 404],
    ['/guide%00.html', 404],
    ['/./guide', 404],
    ['/../guide', 404],
    ['/x/../guide', 404],
    ['/%2e%2e/guide', 404],
    ['/%67uide', 200],
    ['/GUIDE', 404],
    ['/guide;x', 404],
    ['/guide?../../etc/passwd', 200],
    ['/guide#x', 404],
    ['/%', 400],
    ['/%ff%fe', 400],
    [`/${'a'.repeat(5000)}`, 414],
    [`/guide?${'a'.repeat(9000)}`, 200],
    [`/${'%41'.repeat(1300)}`, 404],
    ['http://elsewhere.example/guide', 200],
    ['HTTPS://elsewhere.example:99/guide?x', 200],
    ['http://elsewhere.example', 200],
    ['ftp://elsewhere.example/guide', 404],
    ['/releases/current', 404],
    ['/offprint.json', 404],
  ])('%s: %i', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  const lines = (...text: string[]) => `${text.join('\r\n')}\r\n\r\n`;

  it.each([
    ['two lengths', lines('GET / HTTP/1.1', 'Host: a', 'Content-Length: 5', 'Content-Length: 6')],
    [
      'a length and chunks',
      lines('POST / HTTP/1.1', 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    ],
    ['chunks under another name', lines('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: xchunked')],
    ['a space before the colon', lines('GET / HTTP/1.1', 'Host: a', 'Content-Length : 5')],
    ['a folded header', lines('GET / HTTP/1.1', 'Host: a', 'X: a', ' b')],
    ['a bare line feed', 'GET / HTTP/1.1\nHost: a\n\n'],
    ['no host', lines('GET / HTTP/1.1')],
    ['a control character', lines('GET /\x01 HTTP/1.1', 'Host: a')],
    ['another protocol', '\x16\x03\x01\x02\x00\x01'],
    ['HTTP/2 without being asked', lines('PRI * HTTP/2.0', '', 'SM')],
  ])('that are ambiguous end the connection: %s', async (_, bytes) => {
    const text = await talk(site.port, `${bytes}${lines('GET /guide HTTP/1.1', 'Host: a')}`);
    expect(text).not.toContain('<title>');
    expect(text).toMatch(/^HTTP\/1\.1 (?:400|405) |^$/);
  });

  it('with headers beyond 16 kB are 431', async () => {
    const text = await talk(site.port, lines('GET / HTTP/1.1', 'Host: a', `X: ${'a'.repeat(20_000)}`));
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('with a body end the connection: what follows may not be taken for a request', async () => {
    const body = lines('GET /guide HTTP/1.1', 'Host: a');
    const text = await talk(
      site.port,
      lines('GET / HTTP/1.1', 'Host: a', `Content-Length: ${body.length}`) + body + body,
    );
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1);
    expect(text).toMatch(/\r\nConnection: close\r\n/);
    expect(text).not.toContain('<title>Guide');
  });

  it('that ask for another protocol get a response and close the connection: data sent with them is discarded', async () => {
    const asked = lines('GET /plain HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket');
    const text = await talk(site.port, asked + lines('GET /guide HTTP/1.1', 'Host: a'));
    expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/);
    expect(text).not.toContain('<title>Guide');
  });

  it('that are pipelined get their responses in order', async () => {
    const one = (path: string, ...more: string[]) => lines(`GET ${path} HTTP/1.1`, 'Host: a', ...more);
    const text = await talk(
      site.port,
      one('/guide') + one('/large.txt') + one('/plain', 'Connection: close'),
    );
    const order = ['Guide</title>', 'large 0 of', 'Plain</title>'].map((part) => text.indexOf(part));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
  });

  it('that are pipelined by the thousand cost no more than one', async () => {
    const flood = lines('GET /large.txt HTTP/1.1', 'Host: a').repeat(2_000);
    const sockets = Array.from({ length: 5 }, () => connect(site.port, '127.0.0.1'));
    const ends = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, site.state().inFlight);
    }, 1);
    for (const socket of sockets)
      socket
        .on('error', () => {})
        .resume()
        .write(flood);
    await Promise.all(ends);
    clearInterval(watch);
    expect(most).toBeLessThanOrEqual(sockets.length);
    expect((await get('/guide')).status).toBe(200);
    await expect.poll(() => site.state().inFlight, { timeout: 60_000 }).toBe(0);
  });

  it('that expect what nobody knows, or come behind the last of a connection, leave nothing open', async () => {
    const guide = lines('GET /guide HTTP/1.1', 'Host: a');
    const odd = lines('GET /guide HTTP/1.1', 'Host: a', 'Expect: more', 'Connection: close');
    expect(await talk(site.port, odd + guide)).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(await talk(site.port, lines('GET /guide HTTP/1.1') + guide + guide)).toMatch(/^HTTP\/1\.1 400 /);
    await expect.poll(() => site.state().inFlight, { timeout: 60_000 }).toBe(0);
  });

  it('to change the protocol get the usual response', async () => {
    const text = await talk(
      site.port,
      lines('GET /guide HTTP/1.1', 'Host: a', 'Connection: upgrade, close', 'Upgrade: websocket'),
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});

describe('compressed files', () => {
  it('are kept beside the release, and a restart reads them again', async () => {
    const folder = `${release.folder}.encoded`;
    expect(readdirSync(folder).sort()).toEqual(['br', 'gzip']);
    const made = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).ino]);
    const other = await start();
    await other.onRelease(release);
    const { wanted, settled } = other.state().encoding;
    expect([wanted, settled]).toEqual([wanted, wanted]);
    expect(wanted).toBeGreaterThan(20);
    expect((await ask(other.port, '/guide', { headers: every })).headers['content-encoding']).toBe('br');
    await other.encoded();
    expect(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).ino])).toEqual(made);
    await other.stop();
  });

  it('that are damaged on the volume are recreated', async () => {
    const folder = `${release.folder}.encoded`;
    const whole = readFileSync(join(folder, 'gzip'));
    const broken = [
      whole.subarray(0, 1000),
      whole.subarray(0, -1),
      Buffer.alloc(whole.length),
      Buffer.alloc(0),
    ];
    for (const bytes of broken) {
      rmSync(join(folder, 'gzip'));
      writeFileSync(join(folder, 'gzip'), bytes);
      const other = await start();
      await other.onRelease(release);
      await other.encoded();
      const answer = await ask(other.port, '/guide', { headers: { 'accept-encoding': 'gzip' } });
      expect(answer.headers['content-encoding']).toBe('gzip');
      expect(answer.content.toString()).toBe(files['guide.html']);
      await other.stop();
      expect(readFileSync(join(folder, 'gzip')).equals(whole)).toBe(true);
    }
  });

  it('are not needed: without them, files are sent as they are', async () => {
    const other = await start({ encode: false });
    const fresh = await install({ ...files, 'extra.html': 'another bundle' });
    await other.onRelease(fresh);
    const answer = await ask(other.port, '/guide', { headers: every });
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
    expect(answer.headers.vary).toBe('Accept, Accept-Encoding');
    expect(answer.content.toString()).toBe(files['guide.html']);
    await other.stop();
  });

  it('are removed with their release', async () => {
    const other = await start();
    const gone = await install({ 'index.html': words('gone', 100) });
    await other.onRelease(gone);
    await other.encoded();
    await other.stop();
    rmSync(gone.folder, { recursive: true });
    const next = await start();
    await next.onRelease(release);
    await next.encoded();
    await next.stop();
    const names = readdirSync(join(root, 'releases'));
    expect(names).toContain(`${release.sha256}.encoded`);
    expect(names).not.toContain(`${gone.sha256}.encoded`);
  });
});

describe('the server', () => {
  it('returns 503 while it has no release', async () => {
    const other = await start();
    const answer = await ask(other.port, '/guide');
    expect([answer.status, answer.headers['retry-after'], answer.headers['cache-control']]).toEqual([
      503,
      '5',
      'no-store',
    ]);
    await other.stop();
  });

  it('keeps the old release when a new one cannot be read', async () => {
    const broken = await install({ 'index.html': 'broken', '404.html': 'x' });
    rmSync(join(broken.folder, '404.html'));
    await expect(site.onRelease(broken)).rejects.toThrow();
    expect((await get('/guide')).content.toString()).toBe(files['guide.html']);
  });

  it('closes connections after their response during shutdown, and accepts new ones while it waits', async () => {
    const other = await start();
    await other.onRelease(release);
    const stopped = other.stop({ waitMs: 300, limitMs: 20_000 });
    const answer = await ask(other.port, '/guide');
    expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
    expect(other.state().isStopping).toBe(true);
    await stopped;
    await expect(ask(other.port, '/guide')).rejects.toThrow();
  });

  it('closes the connection of a stalled reader when the time for shutdown is over', async () => {
    const other = await start();
    await other.onRelease(await install({ 'large.bin': randomBytes(30_000_000) }));
    const socket = connect(other.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.write('GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => socket.once('readable', resolve));
    expect(other.state().inFlight).toBe(1);
    await other.stop({ limitMs: 50 });
    socket.resume();
    await closed;
    expect(other.state().connections).toBe(0);
  });

  it('accepts new connections when stalled readers have all of them', async () => {
    const other = await start({ maxConnections: 4 });
    await other.onRelease(await install({ 'large.bin': randomBytes(30_000_000), 'index.html': 'home' }));
    const held = Array.from({ length: 4 }, () => connect(other.port, '127.0.0.1'));
    for (const socket of held) {
      socket.on('error', () => {});
      socket.write('GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(socket, 'readable');
    }
    expect(other.state().inFlight).toBe(4);
    for (let newcomer = 0; newcomer < 3; newcomer++)
      expect((await ask(other.port, '/')).content.toString()).toBe('home');
    expect(other.traffic.snapshot().dropped).toBeGreaterThan(0);
    for (const socket of held) socket.destroy();
    await other.stop();
  });

  it('closes a connection that pipelines long requests and does not read', async () => {
    const other = await start();
    await other.onRelease(await install({ 'large.bin': randomBytes(30_000_000) }));
    const socket = connect(other.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    const long = `GET /large.bin HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(14_000)}\r\n\r\n`;
    socket.write(long.repeat(8));
    while (!other.traffic.snapshot().broken.some(({ status, count }) => status === 'other' && count > 0))
      await new Promise((resolve) => setTimeout(resolve, 5));
    socket.resume();
    await closed;
    await other.stop();
  });

  it('warns of a release whose links to itself name another base path than the one it is served at', async () => {
    const told: unknown[] = [];
    const warn = (message: string, fields: unknown) => told.push([message, fields]);
    const log = { info: () => {}, warn, error: () => {} };
    for (const basePath of ['', '/docs']) {
      const server = await start({ basePath, log, encode: false });
      await server.onRelease(release);
      await server.stop();
    }
    const fields = { release: release.sha256, named: '/', served: '/docs' };
    expect(told).toEqual([[expect.stringContaining('have another base path'), fields]]);
  });

  it('counts responses by kind, and writes an access log without queries', async () => {
    let log = '';
    const other = await start({
      accessLog: (lines) => {
        log += lines;
      },
    });
    await other.onRelease(release);
    const paths = ['/guide?token=secret', '/no/such%1b[31m', '/guide.md', '/_offprint/site-0123456789.css'];
    for (const path of paths) await ask(other.port, path, { headers: every });
    await ask(other.port, '/guide', { method: 'POST' });
    await other.stop();
    const { answers, seconds } = other.traffic.snapshot();
    const counts = answers.map(
      ({ kind, coding, statusClass, count }) => `${kind} ${coding} ${statusClass} ${count}`,
    );
    expect(counts.sort()).toEqual([
      'asset br 2xx 2',
      'missing br 4xx 1',
      'page br 2xx 1',
      'refused identity 4xx 1',
    ]);
    expect(seconds.count).toBe(5);
    for (const { bytes } of answers) expect(bytes).toBeGreaterThan(500);
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
      'GET /guide 200',
      'GET /no/such%1b[31m 404',
      'GET /guide.md 200',
      'GET /_offprint/site-0123456789.css 200',
      'POST /guide 405',
    ]);
    expect(log).not.toContain('secret');
  });
});
