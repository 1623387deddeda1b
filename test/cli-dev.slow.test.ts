/** `offprint dev` as its users have it: a process of its own, files that are saved, a browser that follows. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchBrowser } from './support/browser.ts';
import { LINKED } from './support/processes.ts';

const BIN = fileURLToPath(new URL('../apps/cli/bin/offprint.mjs', import.meta.url));
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64');

const CONFIG = {
  theme: 'mint',
  name: 'Preview',
  colors: { primary: '#0f766e' },
  navigation: { groups: [{ group: 'Pages', pages: ['index', 'guides/start', 'more'] }] },
  redirects: [{ source: '/old', destination: '/guides/start' }],
};
const LONG = Array.from({ length: 60 }, (_, at) => `## Part ${at}\n\nWords of part ${at}.\n`).join('\n');
const START = `---
title: Start
---

First words.

<Tabs>
  <Tab title="One">Panel one</Tab>
  <Tab title="Two">Panel two</Tab>
</Tabs>

<Accordion title="Details">Hidden words</Accordion>

${LONG}
![A pixel](/images/pixel.gif)
`;

interface Preview {
  url: string;
  child: ChildProcess;
  exit: Promise<number | null>;
  /** What it wrote to standard error. */
  said(): string;
}

let docs: string;
let browser: Browser;
let running: Preview[];
let faults: string[];

const write = (path: string, text: string | Buffer): void => {
  mkdirSync(join(docs, path, '..'), { recursive: true });
  writeFileSync(join(docs, path), text);
};

async function preview(args: string[] = [], dir = docs): Promise<Preview> {
  const child = spawn(process.execPath, [...LINKED, BIN, 'dev', dir, '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', () => {
      const found = /^ {2}(http:\S+)$/m.exec(said)?.[1];
      if (found !== undefined && said.includes('Watching for changes')) resolve(found);
    });
    void exit.then((code) => reject(new Error(`ended with ${code}: ${said}`)));
  });
  const started = { url, child, exit, said: () => said };
  running.push(started);
  return started;
}

async function open(url: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (404|500)/.test(message.text()))
      faults.push(message.text());
  });
  page.on('request', (made) => {
    if (!made.url().startsWith('http://127.0.0.1:')) faults.push(`request to ${made.url()}`);
  });
  await page.goto(url);
  return page;
}

/** The overlay is in a shadow tree, which selectors of Playwright pierce. */
const problems = (page: Page) => page.locator('offprint-preview #panel');
const badge = (page: Page) => page.locator('offprint-preview .badge');
const mark = (page: Page) => page.evaluate('window.sameWindow = true');
const isSameWindow = (page: Page) => page.evaluate('window.sameWindow === true');

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

beforeEach(() => {
  docs = mkdtempSync(join(tmpdir(), 'offprint dev ö-'));
  running = [];
  faults = [];
  write('docs.json', JSON.stringify(CONFIG));
  write('index.mdx', '---\ntitle: Home\n---\n\nWelcome to [the start](/guides/start).\n');
  write('guides/start.mdx', START);
  write('more.mdx', '---\ntitle: More\n---\n\nMore words.\n');
  write('images/pixel.gif', PIXEL);
});
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  for (const context of browser.contexts()) await context.close();
  rmSync(docs, { recursive: true, force: true });
});

describe('what is saved is shown', () => {
  test('a changed body is put in place; scroll, tab, disclosure and focus stay', async () => {
    const { url } = await preview();
    const page = await open(`${url}guides/start`);
    await mark(page);
    await page.getByRole('tab', { name: 'Two' }).click();
    await page.getByText('Details').click();
    await page.locator('#part-30').scrollIntoViewIfNeeded();
    await page.locator('#content a[href="#part-30"]').focus();
    const before = await page.locator('#part-30').evaluate((heading) => heading.getBoundingClientRect().top);
    write('guides/start.mdx', START.replace('First words.', 'Other words.\n\nAnd a second paragraph.'));
    await page.getByText('And a second paragraph.').waitFor({ state: 'attached' });
    await page.waitForSelector('html[data-preview-generation]');
    expect(await isSameWindow(page)).toBe(true);
    expect(await page.getByRole('tab', { name: 'Two' }).getAttribute('aria-selected')).toBe('true');
    expect(await page.getByText('Panel two').isVisible()).toBe(true);
    expect(await page.getByText('Hidden words').isVisible()).toBe(true);
    const after = await page.locator('#part-30').evaluate((heading) => heading.getBoundingClientRect().top);
    expect(Math.abs(after - before)).toBeLessThan(2);
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe('#part-30');
    // The scripts of the page work on what was put in place, once each.
    await page.getByRole('tab', { name: 'One' }).click();
    expect(await page.getByText('Panel one').isVisible()).toBe(true);
    expect(faults).toEqual([]);
  });

  test('components that need a browser work on, also where they loaded more than the page names', async () => {
    const body = (words: string): string =>
      `export const Count = () => { const [n, set] = useState(0); return <button id="count" onClick={() => set(n + 1)}>count {n}</button> };\n\n<Count />\n\n\`\`\`mermaid\ngraph TD\n  A --> B\n\`\`\`\n\n${words} $x^2$\n`;
    write('more.mdx', body('First words'));
    const { url } = await preview();
    const page = await open(`${url}more`);
    await page.locator('#content svg[id]').first().waitFor();
    await mark(page);
    write('more.mdx', body('Other words'));
    await page.getByText('Other words').waitFor();
    await page.waitForSelector('html[data-preview-generation]');
    await page.click('#count');
    await page.getByText('count 1').waitFor();
    await page.locator('#content svg[id]').first().waitFor();
    expect(await isSameWindow(page)).toBe(true);
    expect(faults).toEqual([]);
  });

  test('the search finds what was saved', async () => {
    const { url } = await preview();
    const page = await open(`${url}more`);
    write('index.mdx', '---\ntitle: Home\n---\n\nWords about zebras.\n');
    await page.waitForSelector('html[data-preview-generation]', { state: 'attached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('zebras');
    await page.getByRole('option').filter({ hasText: 'Home' }).first().waitFor();
    expect(faults).toEqual([]);
  });

  test('a new title reaches heading, window title and navigation of other pages', async () => {
    const { url } = await preview();
    const page = await open(`${url}more`);
    write('guides/start.mdx', START.replace('title: Start', 'title: Begin here'));
    await page.locator('#navigation-items').getByText('Begin here').waitFor();
    write('more.mdx', '---\ntitle: Even more\n---\n\nMore words.\n\n## A part\n\n## Another\n');
    await page.locator('#page-title', { hasText: 'Even more' }).waitFor();
    await page.locator('#table-of-contents', { hasText: 'Another' }).waitFor();
    expect(await page.title()).toContain('Even more');
    expect(faults).toEqual([]);
  });

  test('new, renamed and removed pages, and docs.json, are followed', async () => {
    const { url } = await preview();
    const page = await open(`${url}later`);
    await page.getByText('404').first().waitFor();
    write('later.mdx', '---\ntitle: Later\n---\n\nHere now.\n');
    await page.getByText('Here now.').waitFor();
    const pages = ['index', 'guides/start', 'more', 'later'];
    write('docs.json', JSON.stringify({ ...CONFIG, navigation: { groups: [{ group: 'All', pages }] } }));
    await page.locator('#navigation-items').getByText('Later').waitFor();
    renameSync(join(docs, 'later.mdx'), join(docs, 'soon.mdx'));
    await page.getByText('404').first().waitFor();
    // In another tab: a rename is two changes, and the second one may reload this one.
    const renamed = await open(`${url}soon`);
    await renamed.getByText('Here now.').waitFor();
    expect(faults).toEqual([]);
  });

  test('snippets, style sheets and images are followed, style sheets without a new page', async () => {
    write('snippets/part.mdx', 'Words of a snippet.\n');
    write('more.mdx', 'import Part from "/snippets/part.mdx";\n\n<Part />\n\n![Pixel](/images/pixel.gif)\n');
    write('style.css', '#page-title { color: rgb(1, 2, 3) }');
    const { url } = await preview();
    const page = await open(`${url}more`);
    write('snippets/part.mdx', 'Other words of a snippet.\n');
    await page.getByText('Other words of a snippet.').waitFor();
    await mark(page);
    write('style.css', '#page-title { color: rgb(4, 5, 6) }');
    const color = () => page.evaluate('getComputedStyle(document.getElementById("page-title")).color');
    await expect.poll(color).toBe('rgb(4, 5, 6)');
    const fetched = page.waitForResponse((response) => response.url().includes('pixel.gif'));
    write('images/pixel.gif', Buffer.concat([PIXEL, Buffer.from([0])]));
    expect((await (await fetched).body()).length).toBe(PIXEL.length + 1);
    expect(await isSameWindow(page)).toBe(true);
    expect(faults).toEqual([]);
  });
});

describe('what is wrong is said', () => {
  test('problems of the page are an overlay with file and line that a key closes', async () => {
    const { url, said } = await preview();
    const page = await open(`${url}more`);
    expect(await badge(page).isVisible()).toBe(false);
    write('more.mdx', '---\ntitle: More\n---\n\nGone: [away](/nowhere)\n');
    await problems(page).getByText('more.mdx:5').waitFor();
    expect(await problems(page).getByText('broken-link').isVisible()).toBe(true);
    expect(await problems(page).locator('a').count()).toBe(0);
    await problems(page).press('Escape');
    expect(await problems(page).isVisible()).toBe(false);
    expect(await badge(page).innerText()).toBe('1 error');
    expect(said()).toMatch(/^error {5}more\.mdx:5: .*nowhere/m);
    write('more.mdx', '---\ntitle: More\n---\n\nMended.\n');
    await page.getByText('Mended.').waitFor();
    await badge(page).waitFor({ state: 'hidden' });
    expect(faults).toEqual([]);
  });

  test('examples of a description that do not match their schemas are in the overlay and on the terminal', async () => {
    const navigation = { groups: [...CONFIG.navigation.groups, { group: 'API', openapi: 'api.yaml' }] };
    const description = (example: string): string =>
      `openapi: 3.1.0\ninfo: {title: API, version: '1'}\npaths:\n  /a:\n    get:\n      summary: Get a\n      parameters:\n        - {name: n, in: query, schema: {type: integer}, example: ${example}}\n`;
    write('docs.json', JSON.stringify({ ...CONFIG, navigation }));
    write('api.yaml', description('1'));
    const { url, said } = await preview();
    const page = await open(`${url}api-reference/get-a`);
    expect(await problems(page).isVisible()).toBe(false);
    write('api.yaml', description('[one]'));
    await badge(page).getByText('1 warning').click();
    await problems(page).getByText('api.yaml:8').waitFor();
    await expect.poll(said).toMatch(/api\.yaml:8: This example does not match its schema/);
  });

  test('places are links of an editor only where that was asked for', async () => {
    write('more.mdx', '[away](/nowhere)\n');
    const { url } = await preview(['--editor', 'vscode']);
    const page = await open(`${url}more`);
    const link = problems(page).locator('a', { hasText: 'more.mdx:1' });
    expect(await link.getAttribute('href')).toMatch(/^vscode:\/\/file\/.*\/more\.mdx:1$/);
  });

  test('a change between the load of a page and its subscription to events is shown', async () => {
    const { url } = await preview();
    const page = await open(`${url}more`);
    await page.route('**/events', async (route) => {
      write('more.mdx', 'Late words.\n');
      await expect.poll(async () => (await fetch(`${url}more`)).text()).toContain('Late words.');
      await route.continue();
    });
    await page.reload();
    await page.getByText('Late words.').waitFor();
  });

  test('a fatal error in docs.json covers the last good page until it is fixed', async () => {
    const { url, said } = await preview();
    const page = await open(`${url}more`);
    write('docs.json', `${JSON.stringify(CONFIG, null, 2).slice(0, -2)},,}`);
    await problems(page).getByText('invalid-json').waitFor();
    expect(
      await problems(page)
        .getByText(/docs\.json:\d+/)
        .isVisible(),
    ).toBe(true);
    expect(await page.getByText('More words.').isVisible()).toBe(true);
    expect(said()).toMatch(/error {5}docs\.json:\d+:/);
    write('docs.json', JSON.stringify(CONFIG));
    await problems(page).waitFor({ state: 'hidden' });
    expect(await badge(page).isVisible()).toBe(false);
  });

  test('a site that cannot be shown at the start is a page that becomes the site', async () => {
    rmSync(join(docs, 'docs.json'));
    const { url, said } = await preview();
    expect(said()).toContain('error');
    const page = await open(`${url}more`);
    await page.getByRole('heading', { name: 'The site cannot be shown' }).waitFor();
    expect(await page.getByText('docs.json').first().isVisible()).toBe(true);
    write('docs.json', '{ "name": ');
    await page.getByText('invalid-json').waitFor();
    write('docs.json', JSON.stringify(CONFIG));
    await page.getByText('More words.').waitFor();
    expect(faults).toEqual([]);
  });
});

describe('the server', () => {
  /** `fetch` cleans paths and sets the host, so this one does neither. */
  const get = (url: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const made = request({ hostname, port, path, headers, method }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      });
      made.once('error', reject);
      made.end();
    });

  test('responds like the exported site: pages, types, redirects, twins, feeds, not found', async () => {
    write('data.json', '{}');
    const { url } = await preview();
    expect((await get(url, '/guides/start.html')).body).toContain('First words.');
    expect((await get(url, '/guides/start')).headers['content-security-policy']).toContain(
      "script-src 'self'",
    );
    expect((await get(url, '/old')).headers.location).toBe('/guides/start');
    const image = await get(url, '/images/pixel.gif', { range: 'bytes=0-2' });
    expect([image.status, image.headers['content-type'], image.body]).toEqual([206, 'image/gif', 'GIF']);
    expect((await get(url, '/guides/start.md')).body).toContain('# Start');
    expect((await get(url, '/sitemap.xml')).body).toContain('/guides/start');
    expect((await get(url, '/data.json')).headers['content-type']).toContain('application/json');
    expect([(await get(url, '/nowhere')).status, (await get(url, '/%zz')).status]).toEqual([404, 400]);
    expect((await get(url, '/', {}, 'POST')).status).toBe(405);
    expect((await get(url, '/', {}, 'HEAD')).body).toBe('');
  });

  test('nothing outside of the folder and no hidden part of it can be had', async () => {
    write('.git/config', 'secret');
    write('.env', 'secret');
    const { url } = await preview();
    for (const path of [
      '/../../../../etc/passwd',
      '/..%2f..%2f..%2fetc%2fpasswd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/images/..%5c..%5cdocs.json',
      '/.git/config',
      '/docs.json',
      '/_offprint/preview/../../docs.json',
      '/_offprint/preview/%2e%2e/server.ts',
      '/_offprint/preview/..%2fserver.ts',
    ]) {
      const { status, body } = await get(url, path);
      expect([path, status === 404 || status === 400, body.includes('secret')]).toEqual([path, true, false]);
    }
  });

  test('a name that leads here by DNS reads nothing', async () => {
    const { url } = await preview();
    const { port } = new URL(url);
    const ask = async (host: string) => (await get(url, '/', { host })).status;
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ])
      expect([host, await ask(host)]).toEqual([host, 403]);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, '[::1]', 'docs.localhost'])
      expect([host, await ask(host)]).toEqual([host, 200]);
  });

  test('a taken port gives the next one with a note; the end is clean', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => blocker.once('listening', resolve));
    const { port } = blocker.address() as { port: number };
    const { url, said, child, exit } = await preview(['--port', String(port)]);
    expect(Number(new URL(url).port)).toBeGreaterThan(port);
    expect(said()).toContain(`Port ${port} is in use`);
    child.kill('SIGINT');
    expect(await exit).toBe(0);
    blocker.close();
  });

  test('a missing folder exits with 2', async () => {
    await expect(preview([], join(docs, 'nothing'))).rejects.toThrow(
      'ended with 2: offprint: Folder not found',
    );
  });
});
