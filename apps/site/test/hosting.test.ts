import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeBundle, noise } from './support/bundle.ts';
import {
  createHostingLab,
  type HostingLab,
  namesIn,
  servesDeployment,
  untilHost,
} from './support/hosting-lab.ts';
import { hostingToken, siteOf } from './support/hosting-platform.ts';

let lab: HostingLab;
beforeEach(async () => {
  lab = await createHostingLab();
});
afterEach(() => lab.close());

const cookieKey = 'a'.repeat(43);

/** A bundle of a page and a style sheet whose name changes with its content. */
async function bundleWithStyle(version: string) {
  const style = Buffer.from(`/* ${version} */ body { color: red }`);
  const name = `_offprint/site-${createHash('sha256').update(style).digest('hex').slice(0, 10)}.css`;
  const bundle = await makeBundle(version, { others: { [name]: style } });
  return { ...bundle, style: name };
}

describe('requests', () => {
  it('get the site of their host, whatever case, port or trailing dot it has', async () => {
    const [one, two] = [await makeBundle('one'), await makeBundle('two')];
    lab.platform.addDeployment('d1', one);
    lab.platform.addDeployment('d2', two);
    lab.platform.setSites([siteOf('a.example.com', 'd1', one), siteOf('xn--bcher-kva.example', 'd2', two)]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    await untilHost(hosting, 'xn--bcher-kva.example', servesDeployment('d2'));
    for (const host of ['a.example.com', 'A.Example.COM:8443', 'a.example.com.']) {
      const answer = await lab.get(hosting, host, '/');
      expect([host, answer.status, answer.content.toString()]).toEqual([
        host,
        200,
        '<!doctype html><title>version one</title>',
      ]);
    }
    const utf8 = Buffer.from('bücher.example').toString('latin1');
    expect((await lab.get(hosting, utf8, '/page-1')).content.toString()).toBe('two 1');
    // a target with a host takes precedence
    const answer = await lab.get(hosting, 'a.example.com', 'http://xn--bcher-kva.example/page-1');
    expect(answer.content.toString()).toBe('two 1');
  });

  it('of an unknown host get 404 with a page that names no site', async () => {
    const one = await makeBundle('one');
    lab.platform.addDeployment('d1', one);
    lab.platform.setSites([siteOf('a.example.com', 'd1', one)]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    for (const host of ['b.example.com', '127.0.0.1', 'a.example.com@evil.example', '[::1]:80']) {
      const answer = await lab.get(hosting, host, '/');
      expect([host, answer.status]).toEqual([host, 404]);
      expect(answer.content.toString()).toContain('No site at this address');
      expect(answer.content.toString()).not.toContain('example.com');
    }
  });

  it('get 503 before the list of sites is known', async () => {
    lab.platform.server.answer = (_request, response) => {
      response.writeHead(500).end();
      return true;
    };
    const hosting = await lab.start();
    expect((await lab.get(hosting, 'a.example.com', '/')).status).toBe(503);
    expect(hosting.status().isReady).toBe(false);
  });

  it('of a host that redirects get 308 to the other host, with path and query', async () => {
    const one = await makeBundle('one');
    lab.platform.addDeployment('d1', one);
    const redirect = siteOf('www.example.com', 'd1', one, {
      redirectTo: 'example.com',
      deploymentId: null,
      sha256: null,
      sizeBytes: null,
    });
    lab.platform.setSites([siteOf('example.com', 'd1', one), redirect]);
    const hosting = await lab.start({ https: true });
    await untilHost(hosting, 'example.com', servesDeployment('d1'));
    const answer = await lab.get(hosting, 'www.example.com', '//x/y?z=1');
    expect([answer.status, answer.headers.location]).toEqual([308, 'https://example.com//x/y?z=1']);
    expect(answer.headers['strict-transport-security']).toBeDefined();
  });

  it('get pages, redirects, Markdown, ranges, ETags and the error page as from a server of one site', async () => {
    const page = '<!doctype html><title>Start</title>'.padEnd(2000, 'x');
    const bundle = await makeBundle('one', {
      others: {
        'guides/start.html': Buffer.from(page),
        'guides/start.md': Buffer.from('# Start'),
        '404.html': Buffer.from('<!doctype html><title>Nothing</title><a href="/">Home</a>'),
        'large.bin': noise(200_000, 'large'),
      },
      head: { redirects: [{ source: '/old', destination: '/guides/start', permanent: true }] },
    });
    lab.platform.addDeployment('d1', bundle);
    lab.platform.setSites([siteOf('a.example.com', 'd1', bundle, { basePath: '/docs' })]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    const get = (path: string, headers: Record<string, string> = {}) =>
      lab.get(hosting, 'a.example.com', path, headers);

    const start = await get('/docs/guides/start');
    expect([start.status, start.content.toString(), start.headers['cache-control']]).toEqual([
      200,
      page,
      'no-cache',
    ]);
    expect(start.headers['content-security-policy']).toContain("default-src 'none'");
    expect(start.headers['offprint-release']).toBe(bundle.sha256.slice(0, 16));
    const etag = start.headers.etag ?? '';
    expect((await get('/docs/guides/start', { 'if-none-match': etag })).status).toBe(304);
    const markdown = await get('/docs/guides/start', { accept: 'text/markdown' });
    expect([markdown.content.toString(), markdown.headers.vary]).toEqual([
      '# Start',
      'Accept, Accept-Encoding',
    ]);
    expect((await get('/docs/guides/start/')).headers.location).toBe('/docs/guides/start');
    expect((await get('/docs')).headers.location).toBe('/docs/');
    expect((await get('/docs/old?x=1')).headers.location).toBe('/docs/guides/start?x=1');
    const part = await get('/docs/large.bin', { range: 'bytes=100000-100009' });
    expect([part.status, part.content]).toEqual([206, noise(200_000, 'large').subarray(100_000, 100_010)]);
    expect((await get('/docs/large.bin')).content).toEqual(noise(200_000, 'large'));
    const missing = await get('/docs/nothing');
    expect([missing.status, missing.content.toString()]).toEqual([
      404,
      '<!doctype html><title>Nothing</title><a href="/docs/">Home</a>',
    ]);
    expect((await get('/guides/start')).status).toBe(404);
    expect((await get('/docs/%2e%2e/sites.json')).status).toBe(404);
    expect((await get('/docs/%zz')).status).toBe(400);
    expect((await get('/docs/table')).status).toBe(404);
  });

  it('get compressed copies when they exist, and the file itself if a copy is damaged', async () => {
    const page = `<!doctype html>${'words and words '.repeat(300)}`;
    const bundle = await makeBundle('one', { others: { 'long.html': Buffer.from(page) } });
    lab.platform.addDeployment('d1', bundle);
    lab.platform.setSites([siteOf('a.example.com', 'd1', bundle)]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    await expect.poll(() => hosting.state().encoding).toBe(0);
    const get = (encoding: string) =>
      lab.get(hosting, 'a.example.com', '/long', { 'accept-encoding': encoding });
    const answer = await get('br');
    expect([answer.headers['content-encoding'], answer.content.toString()]).toEqual(['br', page]);
    const shard = join(lab.volume, 'files');
    const copies = readdirSync(shard, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.gzip'),
    );
    for (const name of copies)
      writeFileSync(join(shard, name), Buffer.alloc(statSync(join(shard, name)).size, 1));
    const other = await get('gzip');
    expect([other.status, other.headers['content-encoding'], other.content.toString()]).toEqual([
      200,
      undefined,
      page,
    ]);
  });

  it('of a preview get noindex and a robots.txt that disallows everything', async () => {
    const bundle = await makeBundle('one', {
      others: { 'robots.txt': Buffer.from('User-agent: *\nAllow: /\n') },
    });
    lab.platform.addDeployment('d1', bundle);
    lab.platform.setSites([
      siteOf('a.example.com', 'd1', bundle),
      siteOf('p.preview.example', 'd1', bundle, { kind: 'preview', noindex: true }),
    ]);
    const hosting = await lab.start();
    await untilHost(hosting, 'p.preview.example', servesDeployment('d1'));
    const robots = async (host: string) => (await lab.get(hosting, host, '/robots.txt')).content.toString();
    expect(await robots('a.example.com')).toContain('Allow: /');
    expect(await robots('p.preview.example')).toBe('User-agent: *\nDisallow: /\n');
    expect((await lab.get(hosting, 'p.preview.example', '/')).headers['x-robots-tag']).toBe('noindex');
    expect((await lab.get(hosting, 'p.preview.example', '/nothing')).headers['x-robots-tag']).toBe('noindex');
    expect((await lab.get(hosting, 'a.example.com', '/')).headers['x-robots-tag']).toBeUndefined();
  });
});

describe('access', () => {
  it('changes at once, even if the new deployment cannot be installed', async () => {
    const bundle = await makeBundle('one');
    lab.platform.addDeployment('d1', bundle);
    lab.platform.setSites([siteOf('a.example.com', 'd1', bundle)]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    const closed = { access: { kind: 'members', cookieKey } } as const;
    lab.platform.setSites([siteOf('a.example.com', 'missing', await makeBundle('two'), closed)]);
    await untilHost(hosting, 'a.example.com', (status) => status?.access === 'members');
    expect((await lab.get(hosting, 'a.example.com', '/')).status).toBe(401);
  });
});

describe('releases', () => {
  it('keep serving if a bundle fails, and the other sites are not affected', async () => {
    const [one, two, three] = [await makeBundle('one'), await makeBundle('two'), await makeBundle('three')];
    lab.platform.addDeployment('d1', one);
    lab.platform.addDeployment('d3', three);
    lab.platform.setSites([siteOf('a.example.com', 'd1', one), siteOf('b.example.com', 'd1', one)]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    const damaged = { ...two, bytes: Buffer.concat([two.bytes.subarray(0, -20), Buffer.alloc(20)]) };
    lab.platform.addDeployment('d2', damaged);
    lab.platform.setSites([siteOf('a.example.com', 'd2', two), siteOf('b.example.com', 'd3', three)]);
    const status = await untilHost(hosting, 'a.example.com', (one) => one?.fault !== null);
    expect([status?.fault?.code, status?.served?.deploymentId]).toEqual(['sha256_mismatch', 'd1']);
    await untilHost(hosting, 'b.example.com', servesDeployment('d3'));
    expect((await lab.get(hosting, 'a.example.com', '/page-1')).content.toString()).toBe('one 1');
    expect((await lab.get(hosting, 'b.example.com', '/page-1')).content.toString()).toBe('three 1');
    expect(lab.log()).not.toContain(hostingToken);
    expect(lab.log()).not.toContain('s3cret-of-the-link');
  });

  it('of one project are not served for another one to which the host has moved', async () => {
    const one = await makeBundle('one');
    lab.platform.addDeployment('d1', one);
    lab.platform.setSites([siteOf('a.example.com', 'd1', one)]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    lab.platform.setSites([
      siteOf('a.example.com', 'missing', await makeBundle('two'), { projectId: 'other' }),
    ]);
    await untilHost(hosting, 'a.example.com', (status) => status?.fault !== null);
    expect((await lab.get(hosting, 'a.example.com', '/')).status).toBe(503);
  });

  it('of an entry that is not valid are left out, without an effect on others', async () => {
    const one = await makeBundle('one');
    lab.platform.addDeployment('d1', one);
    const good = siteOf('a.example.com', 'd1', one);
    lab.platform.setSites([
      null,
      { ...good, host: '../etc' },
      { ...good, host: 'b.example.com', access: { kind: 'unknown' } },
      { ...good, host: 'c.example.com', access: { kind: 'members' } },
      { ...good, host: 'd.example.com', sha256: '../../x' },
      { ...good, host: 'e.example.com', basePath: '/../..' },
      good,
    ]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    expect(hosting.status().hosts.map(({ host }) => host)).toEqual(['a.example.com']);
  });

  it('keep the hashed files of the previous one available', async () => {
    const [one, two] = [await bundleWithStyle('one'), await bundleWithStyle('two')];
    lab.platform.addDeployment('d1', one);
    lab.platform.addDeployment('d2', two);
    lab.platform.setSites([siteOf('a.example.com', 'd1', one)]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    lab.platform.setSites([siteOf('a.example.com', 'd2', two)]);
    await untilHost(hosting, 'a.example.com', servesDeployment('d2'));
    for (const { style, sha256 } of [one, two]) {
      const answer = await lab.get(hosting, 'a.example.com', `/${style}`);
      expect([answer.status, answer.headers['offprint-release']]).toEqual([200, sha256.slice(0, 16)]);
    }
    expect(hosting.status().switches).toBe(1);
  });

  it('are served from the volume while the platform is unreachable', async () => {
    const [one, two] = [await makeBundle('one'), await makeBundle('two')];
    lab.platform.addDeployment('d1', one);
    lab.platform.addDeployment('d2', two);
    const access = { kind: 'members', cookieKey } as const;
    lab.platform.setSites([
      siteOf('a.example.com', 'd1', one),
      siteOf('b.example.com', 'd2', two, { access }),
    ]);
    const first = await lab.start();
    await untilHost(first, 'a.example.com', servesDeployment('d1'));
    await untilHost(first, 'b.example.com', servesDeployment('d2'));
    await first.stop({ limitMs: 0 });
    lab.platform.server.answer = (_request, response) => {
      response.socket?.destroy();
      return true;
    };
    const second = await lab.start();
    expect(second.status().isReady).toBe(true);
    expect((await lab.get(second, 'a.example.com', '/page-1')).content.toString()).toBe('one 1');
    expect((await lab.get(second, 'b.example.com', '/page-1')).status).toBe(401);
    expect(statSync(join(lab.volume, 'sites.json')).mode & 0o777).toBe(0o600);
    await expect.poll(() => second.status().fault?.code).toBe('source_unreachable');
  });

  it('are repaired when one of their files is damaged', async () => {
    const one = await makeBundle('one');
    lab.platform.addDeployment('d1', one);
    lab.platform.setSites([siteOf('a.example.com', 'd1', one)]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    const folder = join(lab.volume, 'releases', one.sha256);
    const page = namesIn(folder).find((name) => readFileSync(join(folder, name), 'utf8') === 'one 1') ?? '';
    writeFileSync(join(folder, page), 'evil!');
    expect((await lab.get(hosting, 'a.example.com', '/page-1')).status).toBe(500);
    await untilHost(hosting, 'a.example.com', (status) => status?.fault === null);
    await expect
      .poll(async () => (await lab.get(hosting, 'a.example.com', '/page-1')).content.toString())
      .toBe('one 1');
  });

  it('share the files that are the same, and download only what has changed', async () => {
    const others = { 'same.bin': noise(400_000, 'same') };
    const [one, two] = [await makeBundle('one', { others }), await makeBundle('two', { others })];
    lab.platform.addDeployment('d1', one);
    lab.platform.addDeployment('d2', two);
    lab.platform.setSites([siteOf('a.example.com', 'd1', one)]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    await expect.poll(() => namesIn(join(lab.volume, 'bundles')).length).toBe(1);
    lab.platform.setSites([siteOf('a.example.com', 'd2', two)]);
    await untilHost(hosting, 'a.example.com', servesDeployment('d2'));
    const digest = createHash('sha256').update(others['same.bin']).digest('hex');
    const files = [one, two].map(({ sha256 }) => statSync(join(lab.volume, 'releases', sha256, digest)).ino);
    expect(files[0]).toBe(files[1]);
    expect(lab.log()).toContain('downloaded what has changed');
  });
});

it('the access log names the host of a site, and no host that clients make up', async () => {
  const one = await makeBundle('one');
  lab.platform.addDeployment('d1', one);
  lab.platform.setSites([siteOf('a.example.com', 'd1', one)]);
  const lines: string[] = [];
  const hosting = await lab.start({ accessLog: (text) => lines.push(text) });
  await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
  await lab.get(hosting, 'A.example.com', '/page-1?secret=1');
  await lab.get(hosting, 'evil.example', '/');
  await hosting.stop({ limitMs: 0 });
  expect(lines.join('')).toContain('"host":"a.example.com","method":"GET","path":"/page-1","status":200');
  expect(lines.join('')).not.toContain('evil');
});

describe('failures', () => {
  it('of the previous release do not affect the pages of the current one', async () => {
    const [one, two] = [await bundleWithStyle('one'), await bundleWithStyle('two')];
    lab.platform.addDeployment('d1', one);
    lab.platform.addDeployment('d2', two);
    lab.platform.setSites([siteOf('a.example.com', 'd1', one)]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    lab.platform.setSites([siteOf('a.example.com', 'd2', two)]);
    await untilHost(hosting, 'a.example.com', servesDeployment('d2'));
    rmSync(join(lab.volume, 'releases', one.sha256), { recursive: true });
    expect((await lab.get(hosting, 'a.example.com', '/page-1')).content.toString()).toBe('two 1');
    expect((await lab.get(hosting, 'a.example.com', `/${one.style}`)).status).toBe(404);
  });
});
