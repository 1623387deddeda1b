import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seriousFindings } from '../../../test/support/axe.ts';
import { launchBrowser } from '../../../test/support/browser.ts';
import { isFull } from '../../../test/support/size.ts';
import { FIXTURE, readFolder, renderFiles } from './output.ts';

const DOCS = new URL('../../../docs/', import.meta.url).pathname;

/** One page with every component that readers operate or that colors its text. */
const GALLERY = readFileSync(new URL('./fixtures/gallery.mdx', import.meta.url), 'utf8');

describe('accessibility, in a browser', () => {
  let browser: Browser;
  let folder: string;
  const sites: Record<string, string[]> = {};

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-'));
    const docs = readFolder(DOCS);
    const fixture = { ...readFolder(FIXTURE), 'extra/gallery.mdx': GALLERY };
    for (const [name, source] of Object.entries({ docs, fixture })) {
      const { files } = await renderFiles(source);
      for (const [path, content] of files) {
        mkdirSync(dirname(join(folder, name, path)), { recursive: true });
        writeFileSync(join(folder, name, path), content);
      }
      sites[name] = [...files]
        .filter(
          ([path, content]) => path.endsWith('.html') && !String(content).includes('http-equiv="refresh"'),
        )
        .map(([path]) => path);
    }
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> => {
    const page = await (await browser.newContext({ reducedMotion: 'reduce', ...options })).newPage();
    await page.goto(`file://${folder}/${path}`);
    return page;
  };
  const focused = (page: Page, expression: string): Promise<unknown> =>
    page.evaluate(`(() => { const at = document.activeElement; return ${expression}; })()`);

  test(`no page has a serious or critical finding, light${isFull ? '' : ', or every sixth of our own'}, and dark`, async () => {
    const all = Object.entries(sites).flatMap(([site, pages]) => pages.map((path) => `${site}/${path}`));
    const paths = all.filter((path, at) => isFull || !path.startsWith('docs/') || at % 6 === 0);
    expect(paths.length).toBeGreaterThanOrEqual(20);
    const page = await open(paths[0] ?? '');
    for (const path of paths) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`file://${folder}/${path}`);
      expect(await seriousFindings(page), `${path} light`).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      // A page in a mode without the frame has no theme to change.
      await expect.poll(() => page.evaluate('document.documentElement.className')).not.toContain('light');
      expect(await seriousFindings(page, { colors: true }), `${path} dark`).toEqual([]);
    }
    await page.context().close();
  });

  test('no finding on a phone with the sheet open', async () => {
    const page = await open('docs/quickstart.html', { viewport: { width: 390, height: 844 } });
    await page.click('#menu-button');
    expect(await seriousFindings(page)).toEqual([]);
    await page.context().close();
  });

  test('whatever has the focus stands clear of the bar, in both directions of Tab', async () => {
    const page = await open('fixture/extra/gallery.html', { viewport: { width: 1280, height: 500 } });
    await page.focus('#content-area');
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let stop = 0; stop < 60; stop++) {
        await page.keyboard.press(key);
        const hidden = await focused(
          page,
          `at.closest('#content-area') && at.id !== 'content-area'
            ? at.getBoundingClientRect().top < document.getElementById('navbar').getBoundingClientRect().bottom - 1 && at.outerHTML.slice(0, 120)
            : false`,
        );
        expect(hidden).toBe(false);
      }
    }
    await page.context().close();
  });

  test('arrows move between tabs and open them; an accordion opens by Enter', async () => {
    const page = await open('fixture/extra/gallery.html');
    await page.focus('#first-tab');
    await page.keyboard.press('ArrowRight');
    expect(await focused(page, 'at.id')).toBe('second-tab');
    expect(await page.isVisible('text=Panel of the second tab')).toBe(true);
    expect(await page.isVisible('text=Panel of the first tab')).toBe(false);
    await page.keyboard.press('Home');
    expect(await page.isVisible('text=Panel of the first tab')).toBe(true);
    await page.focus('#a-question summary');
    await page.keyboard.press('Enter');
    expect(await page.isVisible('text=Its answer')).toBe(true);
    await page.waitForURL(/#a-question$/);
    await page.context().close();
  });

  test('a hint shows on focus and Escape hides it', async () => {
    const page = await open('fixture/extra/gallery.html');
    await page.focus('.op-tooltip-trigger');
    expect(await page.isVisible('.op-tooltip-content')).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.isVisible('.op-tooltip-content')).toBe(false);
    await page.context().close();
  });

  test('the theme changes by keyboard and keeps the focus', async () => {
    const page = await open('docs/index.html', { colorScheme: 'light' });
    await page.focus('#theme-toggle');
    await page.keyboard.press('Enter');
    expect(await page.getAttribute('html', 'class')).toContain('dark');
    expect(await focused(page, 'at.id')).toBe('theme-toggle');
    await page.context().close();
  });
});
