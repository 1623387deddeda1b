import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSpool } from '../src/analytics/spool.ts';
import type { SecureHosting } from '../src/hosting/secure.ts';
import { makeBundle } from './support/bundle.ts';
import { createHostingLab, type HostingLab, servesDeployment, untilHost } from './support/hosting-lab.ts';
import { siteOf } from './support/hosting-platform.ts';
import { ask } from './support/reader.ts';

const HOST = 'docs.example.com';
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const day = new Date().toISOString().slice(0, 10);
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const keys = [day, tomorrow].map((one) => ({
  day: one,
  key: createHash('sha256').update(one).digest('base64url'),
}));

describe('counting', () => {
  let lab: HostingLab;
  let accessLog: string[];
  beforeEach(async () => {
    accessLog = [];
    lab = await createHostingLab();
  });
  afterEach(() => lab.close());

  async function serve(options: { isMeasured?: boolean; analytics?: boolean; basePath?: string } = {}) {
    const { isMeasured = true, analytics = true, basePath = '' } = options;
    const bundle = await makeBundle('one', {
      head: { features: { analytics } },
      others: {
        'guides/start.html': Buffer.from('<!doctype html>start'),
        'guides/start.md': Buffer.from('# start'),
        'skill.md': Buffer.from('# no page'),
        'llms.txt': Buffer.from('pages'),
        '404.html': Buffer.from('<!doctype html>not here'),
      },
    });
    lab.platform.visitorKeys = keys;
    lab.platform.addDeployment('d1', bundle);
    lab.platform.setSites([siteOf(HOST, 'd1', bundle, { isMeasured, basePath })]);
    const hosting = await lab.start({
      events: { maxBytes: 1_000_000, intervalMs: 20 },
      isProxy: (address) => address === '127.0.0.1',
      accessLog: (lines) => void accessLog.push(lines),
    });
    await untilHost(hosting, HOST, servesDeployment('d1'));
    return hosting;
  }

  const get = (hosting: SecureHosting, path: string, headers: Record<string, string> = {}, method = 'GET') =>
    ask(hosting.port, path, { method, headers: { host: HOST, 'user-agent': BROWSER, ...headers } });
  const post = (hosting: SecureHosting, body: unknown, headers: Record<string, string> = {}) =>
    ask(hosting.port, '/_offprint/events', {
      method: 'POST',
      headers: { host: HOST, 'user-agent': BROWSER, 'content-type': 'text/plain', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  /** Events that the platform has, once there are as many. */
  async function events(count: number): Promise<Record<string, unknown>[]> {
    while (lab.platform.events.size < count) await sleep(10);
    return [...lab.platform.events.values()];
  }

  it('counts pages and Markdown copies that are sent or unchanged, once each, and nothing else', async () => {
    const hosting = await serve();
    const { headers } = await get(hosting, '/guides/start', { referer: 'https://search.example/q?secret=1' });
    await get(hosting, '/guides/start', {
      'if-none-match': String(headers.etag),
      referer: `http://${HOST}/`,
    });
    await get(hosting, '/guides/start.md', { 'user-agent': 'Claude-User/1.0' });
    await get(hosting, '/guides/start', { accept: 'text/markdown', 'user-agent': 'axios/1.7' });
    await get(hosting, '/', { 'user-agent': 'GPTBot/1.1' });
    for (const path of ['/skill.md', '/llms.txt', '/missing', '/404', '/guides/start.html?x=1&y'])
      await get(hosting, path);
    await get(hosting, '/guides/start', {}, 'HEAD');
    await get(hosting, '/guides/start', { range: 'bytes=0-3' });
    await get(hosting, '/guides/start.md', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' });
    for (const purpose of ['prefetch', 'prefetch;prerender'])
      await get(hosting, '/guides/start', { 'sec-purpose': purpose });
    await get(hosting, '/page-1', { 'user-agent': 'curl/8.5.0' });
    const all = await events(7);
    const rows = all.map(({ kind, path, client, isMarkdown, referrer }) => [
      kind,
      path,
      client,
      isMarkdown,
      referrer,
    ]);
    const start = '/guides/start';
    expect(rows).toEqual([
      ['view', start, 'person', false, 'search.example'],
      ['view', start, 'person', false, null],
      ['view', start, 'agent', true, null],
      ['view', start, 'agent', true, null],
      ['view', '/', 'training-crawler', false, null],
      ['view', start, 'person', false, null],
      ['view', '/page-1', 'other', false, null],
    ]);
  });

  it('counts as many views of each page as the access log has responses with pages', async () => {
    const hosting = await serve();
    const { headers } = await get(hosting, '/page-1');
    const paths = [
      '/',
      '/page-1',
      '/page-2.html',
      '/guides/start',
      '/guides/start.md',
      '/nothing',
      '/skill.md',
    ];
    for (let request = 0; request < 70; request += 1) {
      const path = paths[request % paths.length] ?? '/';
      const known = request % 3 === 0 ? { 'if-none-match': String(headers.etag) } : {};
      await get(hosting, path, known, request % 11 === 0 ? 'HEAD' : 'GET');
    }
    const logged = () =>
      accessLog
        .join('')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Record<string, string | number> => JSON.parse(line));
    while (logged().length < 71) await sleep(20);
    const counts = (names: string[]) =>
      Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
    const pages = logged()
      .filter(({ method, status, path, kind }) => {
        const isPage = kind === 'page' || kind === 'markdown' || path === '/guides/start.md';
        return method === 'GET' && (status === 200 || status === 304) && isPage;
      })
      .map(({ path }) => String(path).replace(/\.(?:html|md)$/, ''));
    const views = (await events(pages.length)).map(({ path }) => String(path));
    expect(counts(views)).toEqual(counts(pages));
    expect(pages.length).toBeGreaterThan(40);
  });

  it('counts nobody who sends Do Not Track or Global Privacy Control', async () => {
    const hosting = await serve();
    for (const refusal of [{ dnt: '1' }, { 'sec-gpc': '1' }]) {
      await get(hosting, '/', refusal);
      expect((await post(hosting, [{ kind: 'copy', path: '/' }], refusal)).status).toBe(202);
    }
    await get(hosting, '/page-1', { dnt: '0' });
    expect((await events(1)).map(({ path }) => path)).toEqual(['/page-1']);
  });

  it.each([{ isMeasured: false }, { analytics: false }])('counts nothing with %j', async (options) => {
    const hosting = await serve(options);
    await get(hosting, '/');
    const { status } = await post(hosting, [{ kind: 'copy', path: '/' }]);
    expect(status).toBe(202);
    await sleep(60);
    expect(hosting.events()).toMatchObject({ recorded: 0, dropped: 0 });
  });

  it('makes visitors that are the same for a reader and a day, and differ between hosts and readers', async () => {
    const hosting = await serve();
    for (const agent of [BROWSER, BROWSER, `${BROWSER} Edg/131`])
      await get(hosting, '/', { 'user-agent': agent });
    const [one, again, other] = (await events(3)).map(({ visitor }) => String(visitor));
    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect([again === one, other === one]).toEqual([true, false]);
  });

  it('writes neither IP addresses nor user agents nor cookies to the volume and the log', async () => {
    const hosting = await serve();
    lab.platform.refuseEvents = 503;
    const secrets = { cookie: 'session=cookiecanary', 'x-forwarded-for': '203.0.113.9' };
    await get(hosting, '/', { ...secrets, 'user-agent': `${BROWSER} agentcanary` });
    await post(hosting, [{ kind: 'copy', path: '/' }], secrets);
    expect(hosting.events()).toMatchObject({ recorded: 2, sent: 0 });
    const text = filesIn(lab.volume).join('\n') + lab.log();
    expect(text).toContain('"kind":"view"');
    for (const secret of ['203.0.113.9', 'canary', 'Chrome/131', ...keys.map(({ key }) => key)])
      expect(text, secret).not.toContain(secret);
  });

  it('stores events of pages without what does not belong in them', async () => {
    const hosting = await serve({ basePath: '/docs' });
    const sent = [
      { kind: 'search', path: '/docs/guides/start.html', query: ' web\u0000hooks ', results: 3, extra: 'x' },
      { kind: 'click', path: '/docs/', query: 'webhooks', target: '/docs/guides/start.html?token=1#a' },
      { kind: 'playground', path: '/docs/page-1', url: 'https://api.example/secret' },
      { kind: 'missing', path: '/docs/gone', from: `http://${HOST}/docs/guides/start?secret=1` },
      { kind: 'missing', path: '/docs/gone', from: 'https://other.example/list?secret=1' },
      { kind: 'feedback', path: '/docs/page-1', entry: '0.123456789', helpful: false, comment: 'Too short.' },
      // of no known form
      { kind: 'view', path: '/docs/' },
      { kind: 'search', path: '/docs/', query: '', results: 1 },
      { kind: 'search', path: '/docs/', query: 'x', results: -1 },
      { kind: 'click', path: '/docs/', query: 'x', target: '//evil.example' },
      { kind: 'copy', path: '/elsewhere' },
      { kind: 'feedback', path: '/docs/', entry: '<x>', helpful: true },
      null,
      7,
    ];
    const { status } = await ask(hosting.port, '/docs/_offprint/events', {
      method: 'POST',
      headers: {
        host: HOST,
        'user-agent': BROWSER,
        origin: `http://${HOST}`,
        'sec-fetch-site': 'same-origin',
      },
      body: JSON.stringify(sent),
    });
    expect(status).toBe(202);
    const rows = (await events(6)).map(({ at: _at, projectId: _id, client: _client, ...row }) => row);
    expect(rows).toEqual([
      { kind: 'search', path: '/guides/start', query: 'web hooks', results: 3 },
      { kind: 'click', path: '/', query: 'webhooks', target: '/guides/start' },
      { kind: 'playground', path: '/page-1' },
      { kind: 'missing', path: '/gone', referrer: '/guides/start' },
      { kind: 'missing', path: '/gone', referrer: 'https://other.example/list' },
      {
        ...{ kind: 'feedback', path: '/page-1', entry: '0.123456789' },
        ...{ helpful: false, comment: 'Too short.', isAgent: false },
      },
    ]);
  });

  it('refuses events of other sites, of no list, too many, and too large ones', async () => {
    const hosting = await serve();
    const copy = { kind: 'copy', path: '/' };
    const status = async (body: unknown, headers: Record<string, string> = {}) =>
      (await post(hosting, body, headers)).status;
    expect(await status([copy], { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await status([copy], { origin: 'https://evil.example' })).toBe(403);
    expect(await status([copy], { origin: 'null' })).toBe(403);
    for (const body of ['{', '{}', '"x"', Array(51).fill(copy)]) expect(await status(body)).toBe(400);
    expect(await status('x'.repeat(40_000))).toBe(413);
    expect((await get(hosting, '/_offprint/events')).status).toBe(405);
    for (const expected of [202, 202, 429]) expect(await status(Array(50).fill(copy))).toBe(expected);
    expect(hosting.events().recorded).toBe(100);
  });

  it('keeps events on the volume while the platform fails, and another process sends them', async () => {
    const hosting = await serve();
    lab.platform.refuseEvents = 503;
    for (let view = 0; view < 5; view += 1) await get(hosting, '/');
    await hosting.stop();
    expect(lab.platform.events.size).toBe(0);
    lab.platform.refuseEvents = null;
    await lab.start({ events: { maxBytes: 1_000_000, intervalMs: 20, adoptMs: 0 } });
    expect(await events(5)).toHaveLength(5);
  });

  it('gives up on a batch that the platform refuses', async () => {
    const hosting = await serve();
    lab.platform.refuseEvents = 400;
    await get(hosting, '/');
    while (!lab.log().includes('the platform refused events')) await sleep(10);
    lab.platform.refuseEvents = null;
    await get(hosting, '/page-1');
    expect((await events(1)).map(({ path }) => path)).toEqual(['/page-1']);
  });
});

describe('the spool', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'offprint-spool-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('drops events beyond its size, and counts them', async () => {
    const spool = await openSpool({ dir, maxBytes: 50 });
    const line = 'x'.repeat(19);
    expect([1, 2, 3].map(() => spool.append(line))).toEqual([true, true, false]);
    expect([spool.dropped(), spool.bytes()]).toEqual([1, 40]);
    spool.close();
    const [name = ''] = await spool.list();
    expect(await spool.read(name)).toEqual([line, line]);
    await spool.remove(name);
    expect(await spool.list()).toEqual([]);
    expect(spool.append(line)).toBe(true);
  });

  it('takes over the file of a process that died, without its incomplete last line', async () => {
    const died = await openSpool({ dir, maxBytes: 1_000 });
    died.append('whole');
    const [name = ''] = readdirSync(dir);
    writeFileSync(join(dir, name), 'half', { flag: 'a' });
    const next = await openSpool({ dir, maxBytes: 1_000, adoptMs: 60_000 });
    expect(await next.list(), 'it may live').toEqual([]);
    const old = new Date(Date.now() - 70_000);
    utimesSync(join(dir, name), old, old);
    const [taken = ''] = await next.list();
    expect(await next.read(taken)).toEqual(['whole']);
    // the process was only stopped: it does not write to what may have been sent
    died.close();
    expect(died.append('later')).toBe(true);
    died.close();
    expect((await died.list()).length).toBe(2);
    expect(await next.read(taken)).toEqual(['whole']);
  });

  it('starts a new batch after 900 events', async () => {
    const spool = await openSpool({ dir, maxBytes: 1_000_000 });
    for (let event = 0; event < 1_801; event += 1) spool.append(String(event));
    spool.close();
    const sizes: number[] = [];
    for (const name of await spool.list()) sizes.push((await spool.read(name))?.length ?? 0);
    expect(sizes.sort((a, b) => b - a)).toEqual([900, 900, 1]);
  });
});

/** The text of all files below a folder. */
function filesIn(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}
