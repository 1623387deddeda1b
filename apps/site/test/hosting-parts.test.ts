import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BundleError, type Manifest } from '@offprint/bundle';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { normalizeHost } from '../src/hosting/host.ts';
import { createHostCounters } from '../src/hosting/host-counters.ts';
import { startHostingManagement } from '../src/hosting/management.ts';
import { createSecondUse } from '../src/hosting/second-use.ts';
import { formatTable, openTable, verifyTable } from '../src/hosting/table.ts';
import { createWeightedCache } from '../src/hosting/weighted-cache.ts';
import { createLog } from '../src/log.ts';
import { makeBundle } from './support/bundle.ts';
import { createHostingLab, servesDeployment, untilHost } from './support/hosting-lab.ts';
import { hostingToken, siteOf } from './support/hosting-platform.ts';
import { ask } from './support/reader.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'offprint-hosting-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function manifestOf(paths: readonly string[], contentType = (_path: string) => 'text/html'): Manifest {
  return {
    formatVersion: 1,
    site: { domain: 'docs.example.com', name: 'Docs', url: 'https://docs.example.com' },
    version: '1',
    commit: null,
    renderer: { name: 'offprint', version: '0.1.0' },
    redirects: [{ source: '/a', destination: '/b', permanent: true }],
    features: {},
    files: paths.map((path, index) => ({
      path,
      sha256: index.toString(16).padStart(64, '0'),
      size: index,
      contentType: contentType(path),
    })),
  };
}

it('a table finds each of its files by path, and nothing else', async () => {
  for (const count of [0, 1, 2, 63, 64, 65, 3000]) {
    const paths = Array.from({ length: count }, (_, index) => `part-${index % 7}/page-${index}.html`);
    writeFileSync(join(root, 'table'), Buffer.concat(await formatTable(manifestOf(paths))));
    expect(await verifyTable(root, 'table')).toBe(true);
    const table = await openTable(root, 'table');
    for (const [index, path] of paths.entries()) {
      const record = await table.find(path);
      expect([path, record?.sha256, record?.size]).toEqual([
        path,
        index.toString(16).padStart(64, '0'),
        index,
      ]);
    }
    for (let n = 0; n < 100; n++) expect(await table.find(`missing-${n}`)).toBeNull();
    let records = 0;
    for await (const _ of table.records()) records += 1;
    expect([count, table.count, records]).toEqual([count, count, count]);
    expect(table.head.redirects).toEqual([{ source: '/a', destination: '/b', permanent: true }]);
    await table.close();
  }
});

it('a table finds its files although their digests are not spread evenly', async () => {
  const paths = Array.from({ length: 2000 }, (_, index) => `page-${index}.html`);
  const bytes = Buffer.concat(await formatTable(manifestOf(paths)));
  // all keys but those of the first 100 records in the last 2 % of the space
  for (let record = 100; record < 2000; record++) bytes.writeUInt8(0xff, 32 + record * 64);
  const keys = Array.from({ length: 2000 }, (_, record) =>
    bytes.subarray(32 + record * 64, 96 + record * 64),
  );
  const sorted = Buffer.concat(keys.map((key) => Buffer.from(key)).sort(Buffer.compare));
  sorted.copy(bytes, 32);
  writeFileSync(join(root, 'table'), bytes);
  const table = await openTable(root, 'table');
  let found = 0;
  for (const path of paths) if ((await table.find(path)) !== null) found += 1;
  // the keys of the others were changed
  expect(found).toBeGreaterThanOrEqual(100);
  await table.close();
});

it('a table that was changed is recognized, and a bundle with too many content types is refused', async () => {
  const bytes = Buffer.concat(await formatTable(manifestOf(['index.html', 'index.md'])));
  for (const place of [9, 40, bytes.length - 40, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
    writeFileSync(join(root, 'table'), changed);
    expect(await verifyTable(root, 'table')).toBe(false);
  }
  writeFileSync(join(root, 'table'), bytes.subarray(0, 20));
  await expect(openTable(root, 'table')).rejects.toThrow();
  const paths = Array.from({ length: 1001 }, (_, index) => `file-${index}`);
  await expect(formatTable(manifestOf(paths, (path) => `text/${path}`))).rejects.toThrow(BundleError);
});

it('a host name is read in any form that clients send, and nothing else is one', () => {
  const cases: readonly [string, string | null][] = [
    ['docs.example.com', 'docs.example.com'],
    ['Docs.Example.COM:443', 'docs.example.com'],
    ['docs.example.com.:8080', 'docs.example.com'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    [Buffer.from('Bücher.example').toString('latin1'), 'xn--bcher-kva.example'],
    ['', null],
    ['.', null],
    [':80', null],
    ['a b', null],
    ['a/b', null],
    ['user@docs.example.com', null],
    ['[::1]:80', null],
    ['a'.repeat(300), null],
    ['docs.example.com:80:80', null],
  ];
  for (const [given, wanted] of cases) expect([given, normalizeHost(given)]).toEqual([given, wanted]);
});

it('a cache removes the least recently used values, and reports them', async () => {
  const removed: string[] = [];
  const cache = createWeightedCache<string>({
    maxBytes: 3 * 1000,
    weigh: () => 600,
    onRemoved: (value) => removed.push(value),
  });
  for (const key of ['a', 'b', 'c']) cache.set(key, key);
  cache.get('a');
  cache.set('d', 'd');
  expect(removed).toEqual(['b']);
  expect([...cache.keys()]).toEqual(['c', 'a', 'd']);
  const failing = cache.load('e', () => Promise.reject(new Error('failed')));
  await expect(failing).rejects.toThrow('failed');
  expect(await cache.load('e', async () => 'later')).toBe('later');
});

it('a cache keeps what is asked for a second time, and no scan replaces it', async () => {
  const cache = createWeightedCache<string>({
    maxBytes: 100 * 1000,
    weigh: () => 600,
    admits: createSecondUse(),
  });
  const ask = (key: string) => cache.load(key, async () => key);
  await ask('page');
  expect(cache.get('page')).toBeUndefined();
  await ask('page');
  for (let scanned = 0; scanned < 1000; scanned++) await ask(`scanned ${scanned}`);
  expect([...cache.keys()]).toEqual(['page']);
});

it('counters have a limited number of hosts', () => {
  const counters = createHostCounters(2);
  for (const host of ['a', 'b', 'c', 'd', null]) counters.count(host, host === 'b' ? 500 : 200, 10);
  expect(counters.snapshot()).toEqual([
    { host: 'a', requests: 1, failures: 0, bytes: 10 },
    { host: 'b', requests: 1, failures: 1, bytes: 10 },
    { host: 'other', requests: 3, failures: 0, bytes: 30 },
  ]);
});

it('the management port reports each site without secrets, and metrics by host', async () => {
  const lab = await createHostingLab();
  try {
    const [one, two] = [await makeBundle('one'), await makeBundle('two')];
    lab.platform.addDeployment('d1', one);
    const cookieKey = 'k'.repeat(43);
    const closed = siteOf('b.example.com', 'missing', two, { access: { kind: 'members', cookieKey } });
    lab.platform.setSites([siteOf('a.example.com', 'd1', one), closed]);
    const hosting = await lab.start();
    await untilHost(hosting, 'a.example.com', servesDeployment('d1'));
    await untilHost(hosting, 'b.example.com', (status) => status?.fault !== null);
    await lab.get(hosting, 'a.example.com', '/');
    await lab.get(hosting, 'unknown.example.com', '/');
    const management = await startHostingManagement({
      host: '127.0.0.1',
      port: 0,
      token: () => 'a-token-of-this-site',
      hosting,
      log: createLog('json', () => {}),
    });
    const get = async (path: string) => (await ask(management.port, path)).content.toString();
    expect(await get('/readyz')).toContain('"ready":true,"sites":2,"failing":1');
    const sites = await get('/sites');
    expect(sites).toContain('"host":"a.example.com"');
    expect(sites).toContain('"code":"no_export"');
    expect(sites + readFileSync(join(lab.volume, 'sites.json'), 'utf8')).not.toContain(hostingToken);
    expect(sites).not.toContain(cookieKey);
    expect(await get('/sites?after=a.example.com')).not.toContain('"a.example.com"');
    expect((await ask(management.port, '/sites?host=c.example.com')).status).toBe(404);
    const metrics = await get('/metrics');
    expect(metrics).toContain('offprint_site_hosts{state="served"} 1\n');
    expect(metrics).toContain('offprint_site_hosts{state="failed"} 1\n');
    expect(metrics).toContain('offprint_site_host_requests_total{host="a.example.com"} 1\n');
    expect(metrics).toContain('offprint_site_host_requests_total{host="other"} 1\n');
    expect((await ask(management.port, '/sites', { method: 'POST' })).status).toBe(401);
    const headers = { authorization: 'Bearer a-token-of-this-site' };
    expect((await ask(management.port, '/sites', { method: 'POST', headers })).status).toBe(202);
    await management.stop();
  } finally {
    await lab.close();
  }
});
