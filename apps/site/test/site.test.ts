import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { Agent, type IncomingMessage, request, Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPacker, joinBundle, type ManifestHead, memoryChunks } from '@offprint/bundle';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Site, type SiteOptions, serveBundle } from '../src/index.ts';

const files: Record<string, string | Uint8Array> = {
  'index.html': '<!doctype html><title>Home</title>',
  'quickstart.html': '<!doctype html><title>Quickstart</title>',
  'quickstart.md': '# Quickstart',
  'guides/index.html': '<!doctype html><title>Guides</title>',
  'guides/start.html': '<!doctype html><title>Start</title>',
  'both.html': 'page both',
  'both/index.html': 'folder both',
  '404.html': '<!doctype html><title>Nothing here</title><a href="/">Home</a><form action="/index.html">',
  '_offprint/site-0123456789.css': 'body{}',
  '_offprint/og/0123456789.png': 'picture',
  '_offprint/search.js': 'search()',
  '_offprint/nav-0123456789.js': 'navigation()',
  'images/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  'images/large.png': Buffer.alloc(400_000, 'abcdefghij'),
  'sitemap.xml': '<urlset/>',
  'llms.txt': 'hello',
  'a b/ü.html': 'spaces and umlauts',
};

const redirects = [
  { source: '/old', destination: '/quickstart', permanent: true },
  { source: '/soon', destination: '/quickstart#top', permanent: false },
  { source: '/away', destination: 'https://example.com/x?y=1', permanent: true },
  { source: '/self', destination: '/self', permanent: true },
  { source: '/v1/:slug*', destination: '/v2/:slug*', permanent: true },
  { source: '/blog/*', destination: '/*', permanent: true },
  { source: '/api/:group/:name', destination: '/reference/:name/:group', permanent: true },
  { source: '/script', destination: 'javascript:alert(1)', permanent: true },
];

const head = (change: Partial<ManifestHead> = {}): ManifestHead => ({
  site: { domain: 'docs.example.com', name: 'Docs', url: 'https://docs.example.com' },
  version: '1',
  commit: null,
  renderer: { name: 'offprint', version: '0.1.0' },
  redirects,
  features: {},
  ...change,
});

let root: string;
let site: Site;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-site-'));
});
afterEach(async () => {
  await site?.stop().catch(() => {});
  rmSync(root, { recursive: true, force: true });
});

async function makeBundle(
  name: string,
  content = files,
  change: Partial<ManifestHead> = {},
): Promise<string> {
  const store = memoryChunks();
  const packer = createPacker({ store });
  for (const [path, bytes] of Object.entries(content)) packer.add(path, bytes);
  const index = await packer.finish(head(change));
  const pieces: Uint8Array[] = [];
  for await (const piece of joinBundle(index, store.get)) pieces.push(piece);
  writeFileSync(join(root, name), Buffer.concat(pieces));
  return join(root, name);
}

async function start(options: Partial<SiteOptions> = {}): Promise<Site> {
  site = await serveBundle({
    bundle: options.bundle ?? (await makeBundle('site.tar.gz')),
    releasesDir: join(root, 'releases'),
    port: 0,
    host: '127.0.0.1',
    durable: false,
    ...options,
  });
  return site;
}

/** A request with the path exactly as given: `fetch` would normalize it. */
function raw(path: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  return new Promise<{ status: number; headers: Record<string, string | undefined>; body: Buffer }>(
    (resolve, reject) => {
      const sent = request({ port: site.port, host: '127.0.0.1', path, ...options }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string | undefined>,
            body: Buffer.concat(pieces),
          }),
        );
      });
      sent.on('error', reject);
      sent.end();
    },
  );
}

describe('a page', () => {
  it.each([
    ['/', 'Home'],
    ['/index.html', 'Home'],
    ['/index', 'Home'],
    ['/quickstart', 'Quickstart'],
    ['/quickstart.html', 'Quickstart'],
    ['/quickstart?x=1', 'Quickstart'],
    ['/guides/', 'Guides'],
    ['/guides/start', 'Start'],
    ['/both', 'page both'],
    ['/both/', 'folder both'],
    ['/a%20b/%C3%BC', 'spaces and umlauts'],
    ['/a%20b/u%CC%88', 'spaces and umlauts'],
  ])('is at %s', async (path, text) => {
    await start();
    const { status, headers, body } = await raw(path);
    expect(status).toBe(200);
    expect(body.toString()).toContain(text);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-length']).toBe(String(body.length));
  });

  it.each([
    ['/quickstart/', '/quickstart'],
    ['/guides', '/guides/'],
    ['/guides?x=1', '/guides/?x=1'],
    ['/guides/start/?q', '/guides/start?q'],
    ['/quickstart/index', '/quickstart'],
    ['/quickstart/index.html', '/quickstart'],
    ['//guides', '/guides/'],
  ])('asked for at %s is sent on to %s, where its relative links hold', async (path, location) => {
    await start();
    const answer = await raw(path);
    expect([answer.status, answer.headers.location]).toEqual(
      path.startsWith('//') ? [404, undefined] : [308, location],
    );
  });

  it('that does not exist gets the 404 page of the site, which works at any depth', async () => {
    await start({ basePath: '/docs' });
    const { status, headers, body } = await raw('/docs/no/such/page');
    expect(status).toBe(404);
    expect(body.toString()).toContain('<a href="/docs/">Home</a><form action="/docs/index.html">');
    expect(headers['content-security-policy']).toContain("base-uri 'none'");
  });

  it('that does not exist is a plain 404 where the site has no page for it', async () => {
    await start({ bundle: await makeBundle('bare.tar.gz', { 'index.html': 'x' }) });
    expect((await raw('/x')).status).toBe(404);
  });
});

describe('nothing but the files of the manifest can be reached', () => {
  it.each([
    '/../../etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/guides/../../current',
    '/....//current',
    '/current',
    '/../current',
    '/offprint.json',
    '/releases/',
    '/.%00/x',
    '/index.html%00.png',
    '/index.html/',
    '/guides\\start',
    '/constructor',
    '/__proto__',
    '//etc/passwd',
    '/C:/Windows/win.ini',
  ])('%s', async (path) => {
    await start();
    expect((await raw(path)).status).toBe(404);
  });

  it('an invalid path is 400', async () => {
    await start();
    expect((await raw('/%')).status).toBe(400);
    expect((await raw('/%ff')).status).toBe(400);
  });

  it('files of another release are not found', async () => {
    await start({ bundle: await makeBundle('one.tar.gz', { 'secret.html': 'old' }) });
    await site.update(await makeBundle('two.tar.gz', { 'index.html': 'new' }));
    expect((await raw('/secret')).status).toBe(404);
    expect((await raw('/')).body.toString()).toBe('new');
  });
});

describe('redirects of the manifest', () => {
  it.each([
    ['/old', 308, '/quickstart'],
    ['/old/', 308, '/quickstart'],
    ['/old.html', 308, '/quickstart'],
    ['/old?a=b', 308, '/quickstart?a=b'],
    ['/soon?a=b', 307, '/quickstart?a=b#top'],
    ['/away?a=b', 308, 'https://example.com/x?y=1'],
    ['/v1/a/b', 308, '/v2/a/b'],
    ['/blog/2020/x', 308, '/2020/x'],
    ['/blog//evil.example', 308, '/evil.example'],
    ['/blog/%2f%2fevil.example', 308, '/evil.example'],
    ['/blog/%5cevil.example', 308, '/%5Cevil.example'],
    ['/api/pets/list', 308, '/reference/list/pets'],
    ['/v1/%0d%0aSet-Cookie:x', 308, '/v2/%0D%0ASet-Cookie:x'],
    ['/v1/%C3%BC', 308, '/v2/%C3%BC'],
    ['/self', 404, undefined],
    ['/script', 404, undefined],
    ['/api/a/b/c', 404, undefined],
  ])('%s: %i %s', async (path, status, location) => {
    await start();
    const answer = await raw(path);
    expect([answer.status, answer.headers.location]).toEqual([status, location]);
  });

  it('by pattern never take the place of a page, and exact ones win over them', async () => {
    const redirects = [
      { source: '/guides/:slug*', destination: '/quickstart', permanent: true },
      { source: '/:page', destination: '/quickstart', permanent: true },
      { source: '/guides/:a/:b', destination: '/other', permanent: true },
      { source: '/guides/old', destination: '/index', permanent: true },
    ];
    await start({ bundle: await makeBundle('patterns.tar.gz', files, { redirects }) });
    expect((await raw('/guides/start')).status).toBe(200);
    expect((await raw('/quickstart')).status).toBe(200);
    expect((await raw('/')).status).toBe(200);
    expect((await raw('/guides/old')).headers.location).toBe('/index');
    expect((await raw('/guides/gone/away')).headers.location).toBe('/quickstart');
    expect((await raw('/gone')).headers.location).toBe('/quickstart');
  });

  it.each([
    ['/beta/:slug*', '/v2/:slug*', '/beta', '/v2/'],
    ['/beta/:slug*', '/v2/:slug*', '/beta/a/b', '/v2/a/b'],
    ['/beta/:slug*/end', '/v2/:slug*', '/beta/a/b/end', '/v2/a/b'],
    ['/beta/:slug*/end', '/v2/:slug*', '/beta/end', '/v2/'],
    ['/beta/:my-slug', '/v2/:my-slug', '/beta/a', '/v2/a'],
    ['/old/article-*', '/new/article-*', '/old/article-1', '/new/article-1'],
    ['/old/article-*', '/new/article-*', '/old/article-1/b', undefined],
    ['/old/article-*', '/new/article-*', '/old/article-', undefined],
    ['/old/*', 'https://example.com/*?from=*', '/old/a%3Fb', 'https://example.com/a%3Fb?from=a%3Fb'],
    ['/time/12:30', '/new', '/time/12:30', '/new'],
    ['/time/12:noon', '/new', '/time/12xyz', undefined],
    ['/a/:x/b', 'https://example.com:8080/:x', '/a/1/b', 'https://example.com:8080/1'],
  ])('%s -> %s leads %s to %s', async (source, destination, path, location) => {
    const redirects = [{ source, destination, permanent: true }];
    await start({ bundle: await makeBundle('pattern.tar.gz', files, { redirects }) });
    expect((await raw(path)).headers.location).toBe(location);
  });

  it('stay below the base path', async () => {
    await start({ basePath: 'docs' });
    expect((await raw('/docs/old')).headers.location).toBe('/docs/quickstart');
    expect((await raw('/docs/v1/x')).headers.location).toBe('/docs/v2/x');
    expect((await raw('/old')).status).toBe(404);
  });

  it('are found in time whatever the path', async () => {
    await start({
      bundle: await makeBundle('slow.tar.gz', files, {
        redirects: [
          { source: '/*a*b', destination: '/x', permanent: true },
          { source: '/*a*a*a*a*c', destination: '/x', permanent: true },
        ],
      }),
    });
    // backtracking over all matches of the stars would take days and block all other requests
    expect((await raw(`/${'a'.repeat(1000)}`)).status).toBe(404);
  });
});

describe('headers', () => {
  it('of every response restrict scripts, frames and content types', async () => {
    await start();
    for (const path of ['/', '/images/large.png', '/nope', '/old', '/%']) {
      const { headers } = await raw(path);
      expect(headers['content-security-policy'], path).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'; /,
      );
      expect(headers['content-security-policy']).not.toMatch(/unsafe-eval|script-src[^;]*unsafe/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('strict-origin-when-cross-origin');
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
      expect(headers['permissions-policy']).toContain('camera=()');
      expect(headers['strict-transport-security']).toBeUndefined();
    }
  });

  it('keep search engines to pages, away from their Markdown', async () => {
    await start();
    expect((await raw('/quickstart.md')).headers['x-robots-tag']).toBe('noindex');
    expect((await raw('/quickstart')).headers['x-robots-tag']).toBeUndefined();
  });

  it('hold HSTS when readers come by https', async () => {
    await start({ https: true });
    expect((await raw('/')).headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it('of an SVG or XML file opened by itself forbid scripts', async () => {
    await start();
    for (const path of ['/images/logo.svg', '/sitemap.xml']) {
      expect((await raw(path)).headers['content-security-policy']).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      );
    }
  });

  it('cache hashed files forever, everything else only with revalidation', async () => {
    await start();
    const cache = async (path: string) => (await raw(path)).headers['cache-control'];
    expect(await cache('/_offprint/site-0123456789.css')).toBe('public, max-age=31536000, immutable');
    expect(await cache('/_offprint/og/0123456789.png')).toBe('public, max-age=31536000, immutable');
    for (const path of ['/', '/_offprint/search.js', '/images/large.png', '/nope', '/old'])
      expect(await cache(path)).toBe('no-cache');
    // The name of a sidebar identifies it and does not depend on its content.
    expect(await cache('/_offprint/nav-0123456789.js')).toBe('no-cache');
  });

  it('hold a strong tag that is that of the content', async () => {
    await start();
    const first = (await raw('/')).headers.etag!;
    expect(first).toMatch(/^"[0-9a-f]{32}"$/);
    expect((await raw('/index.html')).headers.etag).toBe(first);
    expect((await raw('/quickstart')).headers.etag).not.toBe(first);
  });
});

describe('conditional and partial requests', () => {
  it('are 304 when the reader has the file', async () => {
    await start();
    const tag = (await raw('/')).headers.etag!;
    for (const value of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const answer = await raw('/', { headers: { 'if-none-match': value } });
      expect([answer.status, answer.body.length, answer.headers.etag]).toEqual([304, 0, tag]);
    }
    expect((await raw('/', { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  });

  it.each([
    ['bytes=0-0', 206, 'bytes 0-0/400000', 1],
    ['bytes=10-19', 206, 'bytes 10-19/400000', 10],
    ['bytes=399990-', 206, 'bytes 399990-399999/400000', 10],
    ['bytes=399990-999999', 206, 'bytes 399990-399999/400000', 10],
    ['bytes=-5', 206, 'bytes 399995-399999/400000', 5],
    ['bytes=-999999', 206, 'bytes 0-399999/400000', 400_000],
    ['bytes=400000-', 416, 'bytes */400000', null],
    ['bytes=-0', 416, 'bytes */400000', null],
    ['bytes=5-2', 200, undefined, 400_000],
    ['bytes=0-1,5-6', 200, undefined, 400_000],
    ['bytes=-', 200, undefined, 400_000],
    ['pages=1-2', 200, undefined, 400_000],
    [`bytes=${'9'.repeat(30)}-`, 200, undefined, 400_000],
  ])('%s: %i', async (range, status, contentRange, length) => {
    await start();
    const answer = await raw('/images/large.png', { headers: { range } });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-range']).toBe(contentRange);
    if (length !== null) expect(answer.body.length).toBe(length);
    const first = /bytes (\d+)-/.exec(contentRange ?? '')?.[1];
    if (first !== undefined) {
      const whole = files['images/large.png'] as Buffer;
      expect(
        Buffer.compare(answer.body, whole.subarray(Number(first), Number(first) + answer.body.length)),
      ).toBe(0);
    }
  });

  it('with If-Range are partial only when the file is still the same', async () => {
    await start();
    const tag = (await raw('/images/large.png')).headers.etag!;
    const status = async (value: string) =>
      (await raw('/images/large.png', { headers: { range: 'bytes=0-0', 'if-range': value } })).status;
    expect(await status(tag)).toBe(206);
    expect(await status('"other"')).toBe(200);
    expect(await status(`W/${tag}`)).toBe(200);
    expect(await status('Fri, 20 Nov 2026 00:00:00 GMT')).toBe(200);
  });

  it('by HEAD have the headers of GET and no body', async () => {
    await start();
    for (const path of ['/', '/images/large.png', '/nope', '/old']) {
      const get = await raw(path);
      const head = await raw(path, { method: 'HEAD' });
      expect(head.body).toHaveLength(0);
      expect(head.status).toBe(get.status);
      const { date: _, ...wanted } = get.headers;
      expect(head.headers).toMatchObject(wanted);
    }
  });

  it('by other methods are refused', async () => {
    await start();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']) {
      const answer = await raw('/', { method });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });
});

describe('releases', () => {
  const releases = () => readdirSync(join(root, 'releases')).filter((name) => name.length === 64);
  const current = (): string =>
    JSON.parse(readFileSync(join(root, 'releases/current'), 'utf8')).current.sha256;

  it('are named by the digest of the bundle and used again', async () => {
    const bundle = await makeBundle('site.tar.gz');
    await start({ bundle, durable: true });
    expect(releases()).toEqual([site.sha256()]);
    expect(current()).toBe(site.sha256());
    await site.stop();
    const folder = join(root, 'releases', current());
    const marker = readFileSync(join(folder, 'offprint.json'));
    await start({ bundle });
    expect(Buffer.compare(readFileSync(join(folder, 'offprint.json')), marker)).toBe(0);
    expect((await raw('/')).status).toBe(200);
  });

  it('that are damaged on disk are unpacked again', async () => {
    const bundle = await makeBundle('site.tar.gz');
    await start({ bundle });
    await site.stop();
    truncateSync(join(root, 'releases', current(), 'quickstart.html'), 3);
    await start({ bundle });
    expect((await raw('/quickstart')).body.toString()).toContain('Quickstart');
  });

  it('are two at most: the one served and the one before', async () => {
    await start({ bundle: await makeBundle('0.tar.gz', { 'index.html': '0' }) });
    const digests = [site.sha256()];
    for (const text of ['1', '2', '3']) {
      await site.update(await makeBundle(`${text}.tar.gz`, { 'index.html': text }));
      digests.push(site.sha256());
      expect((await raw('/')).body.toString()).toBe(text);
    }
    expect(releases().sort()).toEqual(digests.slice(-2).sort());
    expect(current()).toBe(digests.at(-1));
  });

  it('a refused bundle leaves the one served as it is', async () => {
    await start({ bundle: await makeBundle('good.tar.gz', { 'index.html': 'good' }) });
    const bad = readFileSync(await makeBundle('bad.tar.gz', { 'index.html': 'bad' }));
    bad[bad.length >> 1]! ^= 1;
    writeFileSync(join(root, 'bad.tar.gz'), bad);
    const before = site.sha256();
    await expect(site.update(join(root, 'bad.tar.gz'))).rejects.toMatchObject({ name: 'BundleError' });
    expect((await raw('/')).body.toString()).toBe('good');
    expect([site.sha256(), current(), ...releases()]).toEqual([before, before, before]);
  });

  it('a refused bundle at the start is an error, or the last good release when asked for', async () => {
    await start({ bundle: await makeBundle('good.tar.gz', { 'index.html': 'good' }) });
    await site.stop();
    writeFileSync(join(root, 'bad.tar.gz'), 'no bundle');
    const bundle = join(root, 'bad.tar.gz');
    await expect(start({ bundle })).rejects.toMatchObject({ code: 'gzip_invalid' });
    await start({ bundle, lastGood: true });
    expect(site.fault).toMatchObject({ code: 'gzip_invalid' });
    expect((await raw('/')).body.toString()).toBe('good');
    await site.stop();
    rmSync(join(root, 'releases'), { recursive: true });
    await expect(start({ bundle, lastGood: true })).rejects.toMatchObject({ code: 'gzip_invalid' });
  });

  it('a link or a folder in the place of a release is replaced, not followed', async () => {
    const bundle = await makeBundle('site.tar.gz');
    await start({ bundle });
    const name = site.sha256();
    await site.stop();
    rmSync(join(root, 'releases', name), { recursive: true });
    mkdirSync(join(root, 'releases', name));
    await start({ bundle });
    expect((await raw('/')).status).toBe(200);
  });
});

describe('the server', () => {
  it('gives its address, with the base path', async () => {
    await start({ basePath: '/docs/' });
    expect(site.url).toBe(`http://127.0.0.1:${site.port}/docs/`);
    expect((await fetch(site.url)).status).toBe(200);
    expect((await raw('/docs')).headers.location).toBe('/docs/');
    expect((await raw('/')).status).toBe(404);
    expect((await raw('/docsx')).status).toBe(404);
  });

  it('refuses an invalid base path', async () => {
    const bundle = await makeBundle('site.tar.gz');
    for (const basePath of ['/../x', '/a b', 'https://x/docs']) {
      await expect(start({ bundle, basePath })).rejects.toThrow('Use a path such as /docs');
    }
  });

  it('ends a request under way before it stops, and waits for no connection without one', async () => {
    const bytes = randomBytes(20_000_000);
    await start({ bundle: await makeBundle('large.tar.gz', { 'large.bin': bytes }) });
    const idle = connect(site.port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const gone = new Promise((resolve) => idle.once('close', resolve));
    idle.on('error', () => {}).resume();
    const response = await new Promise<IncomingMessage>((resolve) => {
      const agent = new Agent({ keepAlive: true });
      request({ port: site.port, path: '/large.bin', agent }, resolve).end();
    });
    const forced = vi.spyOn(Server.prototype, 'closeAllConnections');
    const stopped = site.stop();
    await gone;
    let length = 0;
    for await (const piece of response) length += (piece as Buffer).length;
    expect(length).toBe(bytes.length);
    // the connection that was kept would stay for a minute, and all are cut off after the grace
    await stopped;
    expect(forced).not.toHaveBeenCalled();
    forced.mockRestore();
    await expect(raw('/')).rejects.toThrow();
  });

  it('keeps serving when readers disconnect in the middle of a file', async () => {
    await start({
      bundle: await makeBundle('large.tar.gz', {
        'index.html': 'x',
        'large.bin': randomBytes(20_000_000),
      }),
    });
    for (let i = 0; i < 20; i++) {
      await new Promise<void>((resolve) => {
        const sent = request({ port: site.port, path: '/large.bin' }, (response) => {
          response.once('data', () => {
            sent.destroy();
            resolve();
          });
        });
        sent.on('error', () => {});
        sent.end();
      });
    }
    expect((await raw('/')).status).toBe(200);
  });

  it('returns 500 without a path of the machine when a file is missing on the disk', async () => {
    await start();
    rmSync(join(root, 'releases', site.sha256(), 'quickstart.html'));
    const answer = await raw('/quickstart');
    expect(answer.status).toBe(500);
    expect(answer.body.toString()).toBe('Cannot read the file.\n');
    expect((await raw('/')).status).toBe(200);
  });
});
