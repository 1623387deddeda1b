/**
 * The script of the events in a real browser on a served site: what it reports, and that it stores nothing and reports
 * nothing for readers who do not want to be counted.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memorySource } from '@offprint/render';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportSite } from '../apps/server/src/exports/export-site.ts';
import {
  createHostingLab,
  type HostingLab,
  servesDeployment,
  untilHost,
} from '../apps/site/test/support/hosting-lab.ts';
import { siteOf } from '../apps/site/test/support/hosting-platform.ts';
import { type ArtifactChunk, type ArtifactIndex, joinBundle } from '../packages/bundle/src/index.ts';
import { launchBrowser } from './support/browser.ts';

const HOST = 'localhost';
const HANG_MS = 60_000;

let lab: HostingLab;
let browser: Browser;
let origin: string;
let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'offprint-events-browser-'));
  const source = memorySource({
    'docs.json': JSON.stringify({ name: 'Zoo', navigation: { pages: ['index', 'giraffes'] } }),
    'index.mdx': '---\ntitle: Start\n---\nWelcome.\n\n```sh\nnpm install zoo\n```\n\n[Gone](/gone)\n',
    'giraffes.mdx': '---\ntitle: Giraffes\n---\nGiraffes eat leaves.\n',
  });
  const { index } = await exportSite({
    ...{ source, domain: HOST, siteUrl: `http://${HOST}`, commit: null, committedAt: null },
    ...{ artifactDir: join(dir, 'artifact'), services: { analytics: true } },
  });
  const bytes = await bundleOf(index);
  lab = await createHostingLab();
  const bundle = {
    ...{ version: 'one', bytes, sha256: index.bundle.sha256, index },
    write: () => '',
  };
  lab.platform.addDeployment('d1', bundle);
  lab.platform.setSites([siteOf(HOST, 'd1', bundle, { isMeasured: true })]);
  const hosting = await lab.start({ events: { maxBytes: 1_000_000, intervalMs: 50 } });
  await untilHost(hosting, HOST, servesDeployment('d1'));
  origin = `http://${HOST}:${hosting.port}`;
  browser = await launchBrowser();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await lab?.close();
  rmSync(dir, { recursive: true, force: true });
});

async function bundleOf(index: ArtifactIndex): Promise<Buffer> {
  const read = async (chunk: Pick<ArtifactChunk, 'sha256'>) =>
    readFileSync(join(dir, 'artifact', chunk.sha256));
  const pieces: Uint8Array[] = [];
  for await (const piece of joinBundle(index, (chunk) => read(chunk))) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The events of one kind, once there are as many. */
async function events(kind: string, count = 1): Promise<Record<string, unknown>[]> {
  const deadline = performance.now() + HANG_MS;
  for (;;) {
    const found = [...lab.platform.events.values()].filter((event) => event.kind === kind);
    if (found.length >= count) return found;
    if (performance.now() > deadline)
      throw new Error(`no ${kind}: ${JSON.stringify([...lab.platform.events.values()])}`);
    await sleep(50);
  }
}

async function open(
  path: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<[BrowserContext, Page]> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(`${origin}${path}`);
  return [context, page];
}

test('a search, the opened result, copied code, a vote with a comment and a missing page are reported', async () => {
  const [context, page] = await open('/');
  const other: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) other.push(request.url());
  });
  await page
    .getByRole('button', { name: /^copy(?! page)/i })
    .first()
    .click();

  const form = page.getByText('Was this page helpful?');
  await form.scrollIntoViewIfNeeded();
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: join(process.env.OFFPRINT_PICTURES ?? dir, `feedback-${scheme}.png`) });
  }
  await page.getByRole('button', { name: 'No', exact: true }).click();
  await page.getByRole('textbox', { name: /What could be better/ }).fill('Add an example.');
  await page.getByRole('button', { name: 'Send' }).click();
  expect(await page.getByText('Thank you for your feedback.').isVisible()).toBe(true);
  expect(await events('feedback', 2)).toMatchObject([
    { path: '/', helpful: false, comment: null, isAgent: false },
    { path: '/', helpful: false, comment: 'Add an example.', isAgent: false },
  ]);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('girafes');
  await page.locator('#search-results[data-found=girafes]').getByRole('option').first().click();
  await page.waitForURL('**/giraffes*');
  expect((await events('search'))[0]).toMatchObject({ path: '/', query: 'girafes', results: 1 });
  expect((await events('click'))[0]).toMatchObject({ query: 'girafes', target: '/giraffes' });
  expect(await events('copy')).toHaveLength(1);

  await page.goto(`${origin}/`);
  await page.getByRole('link', { name: 'Gone' }).click();
  await page.goto(`${origin}/giraffes`);
  expect((await events('missing'))[0]).toMatchObject({ path: '/gone', referrer: '/' });
  expect((await events('view', 3)).map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/', '/giraffes']),
  );

  expect(other).toEqual([]);
  expect(await context.cookies()).toEqual([]);
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(stored).not.toMatch(/visitor|127\.0\.0\.1|Chrome/);
  await context.close();
}, 180_000);

test('a page that is offered before a search ends is not reported as its result; a result belongs to the query that found it', async () => {
  const [context, page] = await open('/');
  const stored = () => [...lab.platform.events.values()];
  const before = stored().length;
  await page.keyboard.press('Control+k');
  const list = page.locator('#search-results');
  const typeAndOpen = (query: string) =>
    page.evaluate((typed) => {
      const input = document.querySelector<HTMLInputElement>('#search-input');
      if (input === null) throw new Error('The dialog is not open.');
      input.value = typed;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      document.querySelector<HTMLElement>('#search-results a')?.click();
    }, query);
  await list.getByRole('option').first().waitFor();
  await typeAndOpen('numbat');
  await page.waitForURL((url) => url.href !== `${origin}/`);

  await page.goto(`${origin}/`);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('leaves');
  await page.locator('#search-results[data-found=leaves]').getByRole('option').first().waitFor();
  await typeAndOpen('leaves of trees');
  await page.waitForURL('**/giraffes*');
  await expect.poll(() => stored().filter(({ query }) => query === 'leaves')).toHaveLength(2);
  expect(
    stored()
      .slice(before)
      .filter(({ kind }) => kind !== 'view'),
  ).toMatchObject([
    { kind: 'search', query: 'leaves', results: 1 },
    { kind: 'click', query: 'leaves', target: '/giraffes' },
  ]);
  await context.close();
}, 60_000);

test('a reader with Global Privacy Control is not asked, and sends nothing', async () => {
  const before = lab.platform.events.size;
  const context = await browser.newContext({ extraHTTPHeaders: { 'Sec-GPC': '1' } });
  await context.addInitScript("Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })");
  const page = await context.newPage();
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
  await page.goto(`${origin}/`);
  await page
    .getByRole('button', { name: /^copy(?! page)/i })
    .first()
    .click();
  expect(await page.getByText('Was this page helpful?').isVisible()).toBe(false);
  await page.goto(`${origin}/giraffes`);
  await sleep(300);
  expect(sent).toEqual([]);
  expect(lab.platform.events.size).toBe(before);
  await context.close();
}, 60_000);
