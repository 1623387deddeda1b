/** Exported pages with variants of images in a real browser, from a host below a path and from files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { directorySource, renderSite } from '@offprint/render';
import { localEncoder } from '@offprint/server/local-encoder';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from './support/browser.ts';
import { imageFile } from './support/images.ts';
import { type StaticServer, serveStatic } from './support/static-server.ts';

const work = mkdtempSync(join(tmpdir(), 'offprint-image-pages-'));
let browser: Browser;
let server: StaticServer;

const BODY = [
  '![Shot](/img/a.png)',
  'Text <img src="/img/b.png" alt="Small" /> in a line.',
  '<Frame caption="Caption"><img src="/img/a.png" alt="Framed" /></Frame>',
  '<img src="/img/a.png" className="h-24" alt="Own class" />',
  '<img src="/img/b.png" style={{ maxWidth: "100px" }} alt="Own style" />',
  '<img src="/img/a.png" width="240" alt="Own width" />',
  '<img src="/img/a.png" className="block dark:hidden" alt="Light" />',
  '<img src="/img/b.png" className="hidden dark:block" alt="Dark" />',
  '<Columns cols={2}><Card title="A">![In a card](/img/a.png)</Card><Card title="B">Text</Card></Columns>',
  'The end.',
].join('\n\n');

async function exportTo(folder: string, variants: boolean): Promise<void> {
  const docs = join(work, `docs-${variants}`);
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  const config = {
    name: 'Docs',
    theme: 'mint',
    colors: { primary: '#166e3f' },
    navigation: { pages: ['index', 'deep/page'] },
    ...(variants ? { images: { variants: 'webp' } } : {}),
  };
  write(join(docs, 'docs.json'), JSON.stringify(config));
  write(join(docs, 'index.mdx'), `---\ntitle: Home\n---\n\n${BODY}\n`);
  write(join(docs, 'deep/page.mdx'), `---\ntitle: Deep\n---\n\n${BODY}\n`);
  write(join(docs, 'img/a.png'), imageFile(2_000, 800, 1));
  write(join(docs, 'img/b.png'), imageFile(400, 200, 2));
  const source = directorySource(docs);
  const { warnings } = await renderSite({
    source,
    siteUrl: null,
    openEncoder: localEncoder({ source, work: join(work, `encoder-${variants}`), cache: null }),
    emit: (path, content) => void write(join(folder, path), content),
  });
  expect(warnings).toEqual([]);
}

beforeAll(async () => {
  await exportTo(join(work, 'with'), true);
  await exportTo(join(work, 'without'), false);
  server = await serveStatic(work, '/some/path');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(work, { recursive: true, force: true });
});

/** Scrolls to the end, so that all images load. */
async function open(url: string, width: number, scale = 1): Promise<{ page: Page; requests: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 700 }, deviceScaleFactor: scale });
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  await page.evaluate(`(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 300) {
      scrollTo(0, y);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const shown = [...document.querySelectorAll('#content img')].filter((image) => image.checkVisibility());
    await Promise.all(shown.map((image) => image.decode()));
    scrollTo(0, 0);
    await document.fonts.ready;
  })()`);
  return { page, requests };
}

const BOXES = `[...document.querySelectorAll('#content img, #content p, #content figure')].filter((element) => element.checkVisibility()).map((element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return [element.alt ?? element.tagName, ...[x, y + scrollY, width, height].map((value) => Math.round(value * 10) / 10)].join(' ');
})`;

describe.each([
  ['from a host below a path', (site: string, path: string) => `${server.url}/${site}/${path}`],
  ['from files', (site: string, path: string) => pathToFileURL(join(work, site, path)).href],
])('%s', (_, urlOf) => {
  test.each(['index.html', 'deep/page.html'])(
    '%s loads the variants, and nothing from elsewhere',
    async (path) => {
      const { page, requests } = await open(urlOf('with', path), 1_280);
      const loaded = (await page.evaluate(
        `[...document.querySelectorAll('#content picture > img')].filter((image) => image.checkVisibility()).map((image) => [image.alt, image.currentSrc])`,
      )) as [string, string][];
      expect(loaded.map(([alt]) => alt)).toEqual([
        'Shot',
        'Small',
        'Framed',
        'Own class',
        'Own style',
        'Own width',
        'Light',
        'In a card',
      ]);
      for (const [alt, src] of loaded) expect(src, alt).toMatch(/\/_offprint\/images\/[0-9a-f]{20}\.webp$/);
      expect(requests.filter((url) => url.endsWith('.png'))).toEqual([]);
      const root = urlOf('with', '');
      expect(requests.filter((url) => !url.startsWith(root) && !url.startsWith('data:'))).toEqual([]);
      await page.context().close();
    },
  );
});

test.each([390, 800, 1_280, 1_600])(
  'at %i pixels, everything has the place and size that it has without variants',
  async (width) => {
    const boxes = await Promise.all(
      ['with', 'without'].map(async (site) => {
        const { page } = await open(`${server.url}/${site}/index.html`, width);
        const found = await page.evaluate(BOXES);
        await page.context().close();
        return found;
      }),
    );
    expect(boxes[0]).toEqual(boxes[1]);
  },
);

test('the page does not move while images arrive', async () => {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 700 } });
  const page = await context.newPage();
  const held: (() => Promise<void>)[] = [];
  await page.route('**/*.webp', (route) => void held.push(() => route.continue()));
  await page.goto(`${server.url}/with/index.html`, { waitUntil: 'domcontentloaded' });
  await page.evaluate('document.fonts.ready');
  const before = await page.evaluate(BOXES);
  await expect.poll(() => held.length).toBeGreaterThan(0);
  await Promise.all(held.map((release) => release()));
  await page.evaluate(`document.querySelector('#content img').decode()`);
  const after = await page.evaluate(BOXES);
  // The boxes down to the framed image: those with only a class of the author have no size before they are there.
  const first = (list: unknown) => (list as string[]).slice(0, 5);
  expect(first(after)).toEqual(first(before));
  await context.close();
});

test('a dense screen gets the large variant', async () => {
  const { page } = await open(`${server.url}/with/index.html`, 1_280, 2);
  const width = await page.evaluate(`(async () => {
    const image = new Image();
    image.src = document.querySelector('#content picture > img').currentSrc;
    await image.decode();
    return image.naturalWidth;
  })()`);
  expect(width).toBe(1_440);
  await page.context().close();
});

test.each(['click', 'Enter'])('%s on an image opens the original', async (how) => {
  const { page } = await open(`${server.url}/with/index.html`, 1_280);
  const image = page.locator('#content picture > img').first();
  await expect.poll(() => image.getAttribute('role')).toBe('button');
  if (how === 'click') await image.click();
  else {
    await image.focus();
    await page.keyboard.press('Enter');
  }
  const shown = page.locator('.op-zoom-dialog[open] img');
  expect(await shown.getAttribute('src')).toMatch(/\/img\/a\.png$/);
  expect(await shown.getAttribute('style')).toBe('max-inline-size: 2000px;');
  await page.context().close();
});
