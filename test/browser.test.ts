import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FIXTURE, readFolder, renderFiles } from '../packages/render/test/output.ts';
import { launchBrowser } from './support/browser.ts';

const DESKTOP = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } as const;
const PHONE = { viewport: { width: 390, height: 844 } } as const;

const TABLES = `---
title: Tables
---

| variable | default | meaning |
| --- | --- | --- |
| \`EXAMPLE_SITE_MANAGEMENT_PORT\` | \`8081\` | Port of health, metrics and the management calls; 0 picks a free one. |
| \`EXAMPLE_SITE_BUNDLE_SHA256\` | \`${'0a'.repeat(32)}\` | Digest that the bundle must have. |

| one | two | three | four |
| --- | --- | --- | --- |
| internationalization | telecommunications | incomprehensibilities | straightforwardness |
`;

describe('the fixture site in a browser, opened from files', () => {
  let browser: Browser;
  let folder: string;
  const faults: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-'));
    const { files } = await renderFiles({ ...readFolder(FIXTURE), 'tables.mdx': TABLES });
    for (const [path, content] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (path: string, options: BrowserContextOptions): Promise<Page> => {
    const page = await (await browser.newContext(options)).newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      if (!/^(?:file|data):/.test(request.url())) faults.push(`request to ${request.url()}`);
    });
    await page.goto(`file://${folder}/${path}`);
    return page;
  };
  const go = (page: Page, path: string) => page.goto(`file://${folder}/${path}`);

  test('the chosen theme and a dismissed banner are kept on the next page', async () => {
    const page = await open('index.html', DESKTOP);
    await page.click('#theme-toggle');
    await page.click('[data-op-dismiss]');
    await go(page, 'guides/start.html');
    expect(await page.getAttribute('html', 'class')).toBe('js dark');
    expect(await page.isVisible('#banner')).toBe(false);
  });

  test('the script completes the sidebar; without it the own group and the way to the others are there', async () => {
    const page = await open('guides/start.html', DESKTOP);
    await expect.poll(() => page.locator('#navigation-items a').count()).toBe(7);
    expect(await page.locator('#navigation-items [aria-current=page]').innerText()).toBe('Start');
    await page.click('#navigation-items .op-sidebar-toggle');
    expect(await page.isVisible('text=Two')).toBe(true);
    await go(page, 'guides/über-uns.html');
    expect(await page.locator('#navigation-items [aria-current=page]').innerText()).toBe('Über uns');
    const plain = await open('guides/start.html', { ...DESKTOP, javaScriptEnabled: false });
    expect(await plain.locator('#navigation-items a').allInnerTexts()).toEqual([
      'Welcome',
      'Start',
      expect.stringContaining('A title'),
      'More',
    ]);
  });

  test('a link to a heading ends below the bar, and the contents name it', async () => {
    const page = await open('guides/start.html#first-step', {
      ...DESKTOP,
      viewport: { width: 1440, height: 300 },
    });
    await page.waitForSelector('#table-of-contents [aria-current]');
    const top = async (selector: string, edge: 'top' | 'bottom'): Promise<unknown> =>
      page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().${edge}`);
    const gap = Number(await top('#first-step', 'top')) - Number(await top('#navbar', 'bottom'));
    expect(gap).toBeGreaterThan(0);
    expect(await page.innerText('#table-of-contents [aria-current]')).toBe('First step');
  });

  test('the skip link is the first stop and leads into the text', async () => {
    const page = await open('guides/start.html', DESKTOP);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content-area');
  });

  test('on a phone the sidebar is a sheet that holds the focus and closes by Escape', async () => {
    const page = await open('guides/start.html', PHONE);
    await page.click('#menu-button');
    expect(await page.getAttribute('#sidebar', 'role')).toBe('dialog');
    for (let stop = 0; stop < 30; stop++) await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("#sidebar") !== null')).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.id')).toBe('menu-button');
    expect(await page.evaluate('document.querySelector("main").inert')).toBe(false);
  });

  test.each([320, 768, 1024, 1440])(
    'nothing scrolls sideways at %d px, in either direction of writing',
    async (width) => {
      for (const path of ['index.html', 'ar.html', 'guides/long title.html', 'pages/custom.html']) {
        const page = await open(path, { viewport: { width, height: 800 } });
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
      }
    },
  );

  test('a table of long names fits a phone, and cuts none on a wide screen', async () => {
    const page = await open('tables.html', PHONE);
    const [names, words] =
      (await page.evaluate(`[...document.querySelectorAll('.op-table-wrap')].map((wrap) => ({
      hidden: wrap.scrollWidth - wrap.clientWidth,
      widths: [...wrap.querySelectorAll('th')].map((cell) => cell.getBoundingClientRect().width),
      lines: Math.max(...[...wrap.querySelectorAll('td:first-child code')].map((name) => name.offsetHeight / 20)),
    }))`)) as { hidden: number; widths: number[]; lines: number }[];
    expect(names!.hidden).toBe(0);
    expect(names!.lines).toBeLessThan(3);
    expect(Math.min(...names!.widths)).toBeGreaterThan(70);
    // words are not cut: their table scrolls by itself
    expect(words!.hidden).toBeGreaterThan(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const wide = await open('tables.html', DESKTOP);
    const lines =
      "[...document.querySelectorAll('td:first-child code')].map((name) => name.getClientRects().length)";
    expect(await wide.evaluate(lines)).toEqual([1, 1]);
  });

  test('no page writes an error or asks another host', () => {
    expect(faults).toEqual([]);
  });
});
