import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../../../test/support/browser.ts';
import { type StaticServer, serveStatic } from '../../../../../test/support/static-server.ts';
import { renderFiles } from '../../../test/output.ts';
import type { HttpRequest } from '../request/types.ts';
import { findLanguage, sampleLanguages } from '../samples/index.ts';
import { SAMPLE_SCRIPTS, sampleScript } from './script.ts';

const operation = (summary: string, more: Record<string, unknown> = {}) => ({
  summary,
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'limit', in: 'query', schema: { type: 'integer', example: 5 } },
    { name: 'X-Api-Key', in: 'header', schema: { type: 'string' } },
    { name: 'pin', in: 'query', schema: { type: 'string', format: 'password' } },
  ],
  requestBody: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { name: { type: 'string', example: 'Rex' }, password: { type: 'string' } },
        },
      },
    },
  },
  responses: { 200: { description: 'Done' } },
  ...more,
});

const description = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  security: [{ token: [] }],
  paths: {
    '/pets/{id}': {
      put: operation('Change a pet'),
      post: operation('Feed a pet', {
        'x-codeSamples': [{ lang: 'python', label: 'SDK', source: 'client.pets.feed()' }],
      }),
    },
  },
};

const siteFiles = (api: Record<string, unknown>): Record<string, string> => ({
  'docs.json': JSON.stringify({
    ...{ name: 'Pets', theme: 'mint', colors: { primary: '#0f766e' } },
    navigation: {
      groups: [
        { group: 'Start', pages: ['index'] },
        { group: 'API', openapi: 'api.json' },
      ],
    },
    api: { examples: { languages: sampleLanguages.map(({ key }) => key) }, ...api },
  }),
  'index.mdx': '---\ntitle: Start\n---\nText.',
  'api.json': JSON.stringify(description),
});

let folder: string;
let server: StaticServer;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-samples-'));
  const { files } = await renderFiles(siteFiles({}));
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  server = await serveStatic(folder, '/docs');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
});
afterEach(async () => {
  await context.close();
});

const CHANGE = 'api-reference/change-a-pet.html';

/** Opens the playground of a page, and keeps the requests that it announces. */
async function open(path: string, from: 'http' | 'file' = 'http'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(from === 'http' ? `${server.url}/${path}` : pathToFileURL(join(folder, path)).href);
  await page.evaluate("document.addEventListener('op-request', ({ detail }) => { window.seen = detail })");
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('dialog').waitFor();
  return page;
}

const announced = (page: Page): Promise<HttpRequest> => page.evaluate('window.seen');
/** Text of the open sample. */
const shown = (page: Page) =>
  page.locator('#request-example [data-op-tabs] > :not([hidden]) pre').innerText();
/** The menu of languages is behind the dialog. */
const choose = async (page: Page, label: string): Promise<void> => {
  await page.evaluate(
    `[...document.querySelectorAll('#request-example [role=tab]')].find((tab) => tab.dataset.label === ${JSON.stringify(label)}).click()`,
  );
};
const written = (key: string, request: HttpRequest): string => findLanguage(key)?.write(request) ?? '';

describe('samples of a page follow its form', () => {
  test('in the language that is shown, and in each other one when it is chosen', async () => {
    const page = await open(CHANGE);
    const scripts: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.push(request.url());
    });
    const before = await shown(page);
    await page.getByLabel('id', { exact: true }).fill('a b');
    await page.getByLabel('name', { exact: true }).fill('é "quoted" \'single\'\n');
    await expect.poll(() => shown(page)).toContain('/pets/a%20b');
    expect(scripts).toEqual([]);
    const request = await announced(page);
    for (const { key, label } of sampleLanguages) {
      await choose(page, label);
      await expect.poll(() => shown(page), { message: label }).toBe(written(key, request));
    }
    expect(scripts.length).toBe(Object.keys(SAMPLE_SCRIPTS).length);
    await choose(page, 'Go');
    await page.getByLabel('limit', { exact: true }).fill('7');
    await expect.poll(() => shown(page)).toContain('limit=7');
    await choose(page, 'cURL');
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect.poll(() => shown(page)).toBe(before);
  });

  test('with placeholders instead of what is secret, also in the event that scripts of the page receive', async () => {
    const page = await open(CHANGE);
    await page.getByLabel('Token', { exact: true }).fill('hidden-1');
    await page.getByLabel('X-Api-Key', { exact: true }).fill('hidden-2');
    await page.getByLabel('pin', { exact: true }).fill('hidden-3');
    await page.getByLabel('password', { exact: true }).fill('hidden-4');
    await page.getByLabel('id', { exact: true }).fill('seen');
    await expect.poll(() => shown(page)).toContain('seen');
    expect(await shown(page)).toContain('Bearer <token>');
    expect(await shown(page)).toContain('YOUR_SECRET');
    expect(JSON.stringify(await announced(page))).not.toContain('hidden');
    expect(await page.locator('#request-example').innerText()).not.toContain('hidden');
    const command = await page.getByRole('region', { name: 'cURL' }).locator('pre').textContent();
    for (const secret of ['hidden-1', 'hidden-2', 'hidden-3', 'hidden-4']) expect(command).toContain(secret);
  });

  test('and keep the colors and the copy button of the sample', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await open(CHANGE);
    await choose(page, 'Python');
    await page.getByLabel('id', { exact: true }).fill('copied');
    await expect.poll(() => shown(page)).toContain('/pets/copied');
    const sample = page.locator('#request-example [data-op-tabs] > :not([hidden]) pre');
    expect(await sample.locator('.ts').first().innerText()).toBe('"https://api.example.com/pets/copied"');
    expect(await sample.locator('.tk').first().innerText()).toBe('import');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('#request-example').getByRole('button', { name: 'Copy code' }).first().click();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(written('python', await announced(page)));
  });

  test('but not those that the description gives', async () => {
    const page = await open('api-reference/feed-a-pet.html');
    await page.getByLabel('id', { exact: true }).fill('7');
    await expect.poll(async () => (await announced(page))?.url).toContain('/pets/7');
    await choose(page, 'SDK');
    expect(await shown(page)).toBe('client.pets.feed()');
    await choose(page, 'cURL');
    await expect.poll(() => shown(page)).toContain('/pets/7');
    await choose(page, 'SDK');
    expect(await shown(page)).toBe('client.pets.feed()');
  });

  test('on a page that is opened from a file', async () => {
    const page = await open(CHANGE, 'file');
    await page.getByLabel('id', { exact: true }).fill('local');
    await choose(page, 'Go');
    await expect.poll(() => shown(page)).toContain('/pets/local');
  });
});

test('a script of samples has at most 8 kB, and every language has one', async () => {
  const own = sampleLanguages.filter(({ key }) => key !== 'bash');
  for (const { key } of own) {
    const script = sampleScript(key);
    if (script === null) throw new Error(`no script writes samples in ${key}`);
    expect(gzipSync(await script.content(), { level: 9 }).length).toBeLessThan(8_000);
  }
  const listed = Object.values(SAMPLE_SCRIPTS).flatMap((functions) => Object.keys(functions));
  expect(listed.sort()).toEqual(own.map(({ key }) => key).sort());
});

test('a site without the playground has no script of samples', async () => {
  const { files } = await renderFiles(siteFiles({ playground: { display: 'none' } }));
  expect([...files.keys()].filter((path) => path.includes('playground'))).toEqual([]);
});

test('a site has the scripts of the languages that its pages show', async () => {
  const { files } = await renderFiles(siteFiles({ examples: { languages: ['curl', 'go'] } }));
  const names = [...files.keys()].flatMap((path) => /playground-([a-z]+)-[^/]*\.js$/.exec(path)?.[1] ?? []);
  expect(names).toEqual(['go']);
});
