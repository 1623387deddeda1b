/** The documentation of the product at `/docs` of a platform, over HTTP and in a browser that uses its playground. */
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportSite } from '../../apps/server/src/exports/export-site.ts';
import { routes } from '../../packages/contract/src/index.ts';
import { findOne, readText, valuesOf } from '../../packages/render/test/dom.ts';
import { launchBrowser } from '../support/browser.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, expectError } from './api.ts';

const SOURCE = fileURLToPath(new URL('../../docs', import.meta.url));
/** Where screenshots go, if anywhere. */
const SHOTS = process.env.OFFPRINT_SHOTS;
const request = { domain: '', siteUrl: null, commit: null, committedAt: null };

let folder: string;
let exported: string;
let platform: TestPlatform;
let tenant: Tenant;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offprint-docs-'));
  exported = join(folder, 'exported');
  const { warnings } = await exportSite({ ...request, source: SOURCE, artifactDir: exported });
  expect(warnings).toEqual([]);
  platform = await startTestPlatform({ env: { OFFPRINT_DOCS_DIR: exported } });
  tenant = await platform.createTenant('enterprise');
});

afterAll(async () => {
  await platform?.stop();
  await rm(folder, { recursive: true, force: true });
});

const titleOf = (html: string): string => readText(findOne(html, { tag: 'title', within: { tag: 'head' } }));

const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(new URL(path, platform.url), { method, headers, redirect: 'manual' });

/** Status of a path that `fetch` would normalize. */
const rawStatus = (path: string): Promise<number | undefined> =>
  new Promise((done, fail) => {
    const { hostname, port } = new URL(platform.url);
    httpGet({ hostname, port, path }, (response) => {
      response.resume();
      done(response.statusCode);
    }).on('error', fail);
  });

describe('/docs', () => {
  test('shows the documentation to everyone, below its path, with a policy that allows its own files only', async () => {
    const moved = await read('/docs?from=help');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/docs/?from=help']);
    const page = await read('/docs/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await page.text();
    expect(titleOf(html)).toContain('Offprint');
    const [style = ''] = valuesOf(html, 'href', { tag: 'link', attributes: { rel: 'stylesheet' } });
    expect((await read(new URL(style, `${platform.url}/docs/`).pathname)).status).toBe(200);
    const policy = page.headers.get('content-security-policy')?.split('; ');
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(rule);
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('set-cookie')).toBeNull();
  });

  test('has a page for every operation of /openapi.json', async () => {
    const list = await (await read('/docs/llms.txt')).text();
    const described = (await call<{ paths: object }>(platform.url, 'GET', '/openapi.json')).body;
    expect(Object.keys(described.paths).length).toBeGreaterThan(50);
    for (const { summary } of Object.values(routes)) expect(list).toContain(`[${summary}](`);
    expect((await read('/docs/api/static-export/start-an-export')).status).toBe(200);
  });

  test('returns no body for HEAD, 304 for a known page, a range of a file, and 405 for other methods', async () => {
    const head = await read('/docs/quickstart', {}, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    const etag = String(head.headers.get('etag'));
    const known = await read('/docs/quickstart', { 'if-none-match': etag });
    expect([known.status, await known.text()]).toEqual([304, '']);
    const part = await read('/docs/quickstart.md', { range: 'bytes=0-2', 'accept-encoding': 'identity' });
    expect([part.status, await part.text()]).toEqual([206, '# Q']);
    const written = await call(platform.url, 'POST', '/docs/quickstart', { body: {} });
    expectError(written, 405, 'method_not_allowed');
    expect(written.headers.get('allow')).toBe('GET, HEAD');
  });

  test('compresses text, and returns Markdown to clients that prefer it', async () => {
    const plain = await read('/docs/quickstart', { 'accept-encoding': 'identity' });
    const tags = [plain.headers.get('etag')];
    const html = await plain.text();
    for (const coding of ['br', 'gzip']) {
      const packed = await read('/docs/quickstart', { 'accept-encoding': coding });
      expect(packed.headers.get('content-encoding')).toBe(coding);
      expect(packed.headers.get('vary')).toBe('Accept, Accept-Encoding');
      expect(await packed.text()).toBe(html);
      tags.push(packed.headers.get('etag'));
      const known = await read('/docs/quickstart', {
        'accept-encoding': coding,
        'if-none-match': tags.at(-1) ?? '',
      });
      expect([known.status, known.headers.get('content-encoding')]).toEqual([304, null]);
    }
    expect(new Set(tags).size).toBe(3);
    const markdown = await read('/docs/quickstart', { accept: 'text/markdown' });
    expect(markdown.headers.get('content-type')).toMatch(/^text\/markdown/);
    expect(markdown.headers.get('content-location')).toBe('/docs/quickstart.md');
  });

  test('shows its error page for unknown paths, with links that stay below /docs, and follows redirects', async () => {
    const missing = await read('/docs/no/such/page');
    expect(missing.status).toBe(404);
    const links = valuesOf(await missing.text(), 'href', { tag: 'a' }).filter((link) => link.startsWith('/'));
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !link.startsWith('/docs/'))).toEqual([]);
    const moved = await read('/docs/reference/calls');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/docs/reference/api']);
  });

  test.each([
    '/docs/../package.json',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%2e%2e/%2e%2e/etc/passwd',
    '/docs//etc/passwd',
    '/docs/artifact.json',
    '/docs/offprint.json',
    '/docs/api%2fstatic-export%2fstart-an-export',
  ])('reads only files of the documentation: %s', async (path) => {
    expect(await rawStatus(path)).toBe(404);
  });

  test('is 503 until the documentation exists, and shows a newer one without a restart', async () => {
    const later = join(folder, 'later');
    await mkdir(later);
    const url = await platform.startApi({ OFFPRINT_DOCS_DIR: later });
    const page = await fetch(`${url}/docs/`, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '10']);
    expect(readText(findOne(await page.text(), { tag: 'h1' }))).toBe('The documentation is being created');
    expectError(await call(url, 'GET', '/docs/'), 503, 'unavailable');

    await cp(exported, later, { recursive: true });
    expect(titleOf(await (await fetch(`${url}/docs/`)).text())).toContain('Offprint');

    const source = join(folder, 'source');
    await mkdir(source);
    await writeFile(
      join(source, 'docs.json'),
      JSON.stringify({ name: 'Newer', navigation: { pages: ['index'] } }),
    );
    await writeFile(join(source, 'index.mdx'), '# Newer');
    await exportSite({ ...request, source, artifactDir: join(folder, 'newer') });
    await cp(join(folder, 'newer'), later, {
      recursive: true,
      filter: (path) => !path.endsWith('artifact.json'),
    });
    await cp(join(folder, 'newer/artifact.json'), join(later, 'next'));
    await rename(join(later, 'next'), join(later, 'artifact.json'));
    expect(titleOf(await (await fetch(`${url}/docs/`)).text())).toContain('Newer');
  });

  test('is the documentation that the dashboard links to', async () => {
    const { body } = await call<{ docsUrl: string }>(platform.url, 'GET', '/v1/sign-in-options');
    expect(body.docsUrl).toBe('/docs');
  });

  test('sends bytes that a browser can read', async () => {
    const packed: Buffer = await new Promise((done, fail) => {
      const headers = { 'accept-encoding': 'br' };
      httpGet(new URL('/docs/', platform.url), { headers }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece) => pieces.push(piece)).on('end', () => done(Buffer.concat(pieces)));
      }).on('error', fail);
    });
    expect(titleOf(brotliDecompressSync(packed).toString())).toContain('Offprint');
  });
});

describe('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test('a reader finds an endpoint by search and sends a request with an API key', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    const hosts = new Set<string>();
    page.on('request', (sent) => hosts.add(new URL(sent.url()).origin));

    await page.goto(`${platform.url}/docs/`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('GET /v1/projects');
    await page
      .getByRole('listbox')
      .getByRole('option', { name: /List projects/ })
      .click();
    await page.waitForURL('**/docs/api/projects/list-projects*');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByLabel('Token', { exact: true }).fill(tenant.key);
    const sent = page.waitForRequest((one) => new URL(one.url()).pathname === '/v1/projects');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    expect(await (await sent).headerValue('authorization')).toBe(`Bearer ${tenant.key}`);
    const response = page.getByRole('region', { name: 'Response' });
    await response.getByText('200').first().waitFor();
    expect(await response.textContent()).toContain('"data"');
    if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, 'docs-playground.png') });
    expect([...hosts]).toEqual([platform.url]);
    expect(faults).toEqual([]);
    await context.close();
  });
});
