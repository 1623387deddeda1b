import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seriousFindings } from '../../../test/support/axe.ts';
import { launchBrowser } from '../../../test/support/browser.ts';
import { kitchenSite } from './kitchen.ts';
import { renderFiles } from './output.ts';

const THEMES = ['mint', 'maple', 'palm', 'willow', 'linden', 'almond', 'aspen', 'sequoia', 'luma'] as const;
const DESKTOP = { viewport: { width: 1440, height: 900 } } as const;
const PHONE = { viewport: { width: 390, height: 844 } } as const;

describe('the frame of a site in a browser, opened from files', () => {
  let browser: Browser;
  let folder: string;
  const faults: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-'));
    for (const theme of THEMES) {
      const { files } = await renderFiles(kitchenSite(theme));
      for (const [path, content] of files) {
        mkdirSync(dirname(join(folder, theme, path)), { recursive: true });
        writeFileSync(join(folder, theme, path), content);
      }
    }
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const address = (path: string): string => `file://${folder}/${path}`;
  const open = async (path: string, options: BrowserContextOptions = DESKTOP): Promise<Page> => {
    const page = await (await browser.newContext({ reducedMotion: 'reduce', ...options })).newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      if (!/^(?:file|data):/.test(request.url())) faults.push(`request to ${request.url()}`);
    });
    await page.goto(address(path));
    return page;
  };
  /** Pages hold the entries around their own, and get the others when they are idle. */
  const wholeSidebar = (page: Page): Promise<void> =>
    page.locator('#navigation-items[data-op-whole]').waitFor({ state: 'attached' });
  const focused = (page: Page): Promise<unknown> =>
    page.evaluate('document.activeElement.textContent.trim()');
  test.each(['light', 'dark'] as const)('the theme is set before the page has a body, %s', async (scheme) => {
    const page = await (await browser.newContext({ ...DESKTOP, colorScheme: scheme })).newPage();
    await page.addInitScript(`
      new MutationObserver((_changes, watch) => {
        if (!document.body) return;
        window.classAtBody = document.documentElement.className;
        watch.disconnect();
      }).observe(document, { childList: true, subtree: true });`);
    await page.goto(address('mint/index.html'));
    expect(await page.evaluate('window.classAtBody')).toContain(scheme);
    await page.context().close();
  });

  test('a stored choice wins over the system before the page has a body', async () => {
    const page = await (await browser.newContext({ ...DESKTOP, colorScheme: 'light' })).newPage();
    await page.addInitScript("localStorage.setItem('offprint-theme', 'dark')");
    await page.goto(address('mint/index.html'));
    expect(await page.getAttribute('html', 'class')).toContain('dark');
    await page.context().close();
  });

  test('the sidebar keeps its place from page to page', async () => {
    const page = await open('mint/many/page-40.html');
    await wholeSidebar(page);
    const box = page.locator('#sidebar-content');
    await box.evaluate((element) => {
      element.scrollTop -= 120;
    });
    const before = await box.evaluate((element) => element.scrollTop);
    expect(before).toBeGreaterThan(0);
    await page.click('#navigation-items >> text="many/page-39"');
    await page.waitForURL(/page-39/);
    await wholeSidebar(page);
    expect(await box.evaluate((element) => element.scrollTop)).toBe(before);
    await page.context().close();
  });

  test('the entry of the page is in sight however long the sidebar is', async () => {
    const page = await open('mint/many/page-75.html');
    await wholeSidebar(page);
    const seen = await page.locator('#navigation-items [aria-current=page]').evaluate((entry) => {
      const row = entry.getBoundingClientRect();
      return row.top > 60 && row.bottom < innerHeight;
    });
    expect(seen).toBe(true);
    await page.context().close();
  });

  test('the rest of the sidebar comes without moving anything, and leaves the focus where it is', async () => {
    const page = await (await browser.newContext(DESKTOP)).newPage();
    // The script of the whole sidebar waits until the test lets it go.
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/nav-/, async (route) => {
      await released;
      await route.continue();
    });
    await page.addInitScript(`
      window.shifts = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.shifts += value;
      }).observe({ type: 'layout-shift', buffered: true });`);
    await page.goto(address('mint/many/page-40.html'));
    const entry = page.locator('#navigation-items [aria-current=page]');
    const count = await page.locator('#navigation-items a').count();
    await entry.focus();
    // The fonts may move text by a pixel when they arrive.
    await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame))');
    await page.evaluate('window.shifts = 0');
    const before = await entry.boundingBox();
    release();
    await wholeSidebar(page);
    expect(await page.locator('#navigation-items a').count()).toBeGreaterThan(2 * count);
    expect(await entry.boundingBox()).toEqual(before);
    expect(await page.evaluate("document.activeElement.getAttribute('aria-current')")).toBe('page');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await page.evaluate('window.shifts')).toBe(0);
    await page.context().close();
  });

  test('a phone loads the whole sidebar with the first use of its menu', async () => {
    const page = await open('mint/many/page-40.html', PHONE);
    await page.evaluate('new Promise((done) => requestIdleCallback(done, { timeout: 2000 }))');
    expect(await page.locator('#navigation-items[data-op-whole]').count()).toBe(0);
    await page.click('#menu-button');
    await wholeSidebar(page);
    await page.context().close();
  });

  test('the contents follow the reader, and fold into a disclosure on smaller screens', async () => {
    const page = await open('mint/start.html', { viewport: { width: 1440, height: 420 } });
    const marked = page.locator('#table-of-contents [aria-current]');
    expect(await marked.innerText()).toBe('First');
    await page.locator('#third').evaluate((heading) => heading.scrollIntoView());
    await expect
      .poll(() =>
        page.evaluate("document.querySelector('#table-of-contents [aria-current]').textContent === 'Third'"),
      )
      .toBeTruthy();
    await page.setViewportSize({ width: 1024, height: 700 });
    expect(await page.isVisible('#toc-list')).toBe(false);
    await page.focus('#toc-title');
    await page.keyboard.press('Enter');
    expect(await page.isVisible('#toc-list')).toBe(true);
    await page.context().close();
  });

  test('the menu of a page works by keyboard as a menu button does', async () => {
    const page = await open('mint/start.html');
    await page.focus('#page-menu-button');
    await page.keyboard.press('ArrowDown');
    expect(await page.getAttribute('#page-menu-button', 'aria-expanded')).toBe('true');
    expect(await focused(page)).toContain('Copy page');
    await page.keyboard.press('End');
    expect(await focused(page)).toContain('Save as PDF');
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toContain('Copy page');
    await page.keyboard.press('v');
    expect(await focused(page)).toContain('View as Markdown');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#page-menu')).toBe(false);
    expect(await page.evaluate('document.activeElement.id')).toBe('page-menu-button');
    await page.context().close();
  });

  test('a page is copied as text where no other file can be read', async () => {
    const page = await open('mint/start.html', {
      ...DESKTOP,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.click('#page-context-menu > [data-op-copy-page]');
    await page.waitForSelector('[data-copied]');
    await expect
      .poll(() => page.evaluate("document.getElementById('op-announcements')?.textContent === 'Copied'"))
      .toBeTruthy();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^# start\n\nText and a link\./);
    await page.context().close();
  });

  test('the menu of a tab opens below it, is walked by arrows and closes by Escape', async () => {
    const page = await open('mint/start.html');
    const tab = page.locator('.op-nav-tabs-menu > summary');
    await tab.focus();
    await page.keyboard.press('Enter');
    const menu = page.locator('.op-nav-tabs-menu > .op-selector-menu');
    expect(await menu.isVisible()).toBe(true);
    const [above, below] = [await tab.boundingBox(), await menu.boundingBox()];
    expect(below?.y ?? 0).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0) - 1);
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toContain('Courses');
    await page.keyboard.press('End');
    expect(await focused(page)).toContain('Forum');
    await page.keyboard.press('Escape');
    expect(await menu.isVisible()).toBe(false);
    expect(await focused(page)).toContain('Learn');
    await page.context().close();
  });

  test('the sheet of a phone is walked and left by keyboard, and the page behind does not scroll', async () => {
    const page = await open('mint/start.html', PHONE);
    await page.focus('#menu-button');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('getComputedStyle(document.documentElement).overflowY')).toBe('hidden');
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate("document.activeElement.closest('#sidebar') !== null")).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.id')).toBe('menu-button');
    expect(await page.isVisible('#sidebar')).toBe(false);
    await page.context().close();
  });

  test('the sheet opens at the entry of the page', async () => {
    const page = await open('mint/many/page-75.html', PHONE);
    await page.click('#menu-button');
    await wholeSidebar(page);
    const box = await page.locator('#navigation-items [aria-current=page]').boundingBox();
    expect(box?.y ?? 0).toBeGreaterThan(60);
    expect(box?.y ?? 9999).toBeLessThan(PHONE.viewport.height - 40);
    expect(await page.evaluate("document.activeElement.closest('.op-sheet-top') !== null")).toBe(true);
    await page.context().close();
  });

  test('a group leads to its first page where the layout drills down, and opens in place elsewhere', async () => {
    const page = await open('mint/start.html');
    await wholeSidebar(page);
    await page.click('.op-sidebar-toggle:has-text("Deep")');
    expect(page.url()).toContain('start.html');
    expect(await page.isVisible('#navigation-items >> text="ref/deep/a"')).toBe(true);
    await page.goto(address('palm/start.html'));
    await wholeSidebar(page);
    await page.click('.op-sidebar-toggle:has-text("Deep")');
    await page.waitForURL(/ref\/deep\/a/);
    await wholeSidebar(page);
    await page.click('.op-sidebar-toggle:has-text("Deep")');
    expect(await page.isVisible('#navigation-items >> text="ref/deep/a"')).toBe(false);
    await page.context().close();
  });

  test('a short page marks its first heading, and the one that its address names', async () => {
    const page = await open('mint/short.html', { viewport: { width: 1440, height: 1200 } });
    const marked = page.locator('#table-of-contents [aria-current]');
    expect(await marked.innerText()).toBe('One');
    await page.click('#table-of-contents >> text="Two"');
    await expect
      .poll(() =>
        page.evaluate("document.querySelector('#table-of-contents [aria-current]').textContent === 'Two'"),
      )
      .toBeTruthy();
    await page.context().close();
  });

  test('a heading with the id of a part of the frame is reached by its address', async () => {
    const page = await open('mint/short.html#sidebar', { viewport: { width: 1440, height: 300 } });
    const top = await page
      .locator('#content [id=sidebar-2]')
      .evaluate((at) => at.getBoundingClientRect().top);
    expect(top).toBeLessThan(300);
    await page.context().close();
  });

  test('Arabic pages run from right to left: the sidebar at the right, the contents at the left', async () => {
    const page = await open('mint/ar.html');
    const left = async (selector: string): Promise<number> =>
      (await page.locator(selector).boundingBox())?.x ?? 0;
    expect(await left('#sidebar')).toBeGreaterThan(await left('#content'));
    expect(await left('#content')).toBeGreaterThan(await left('#table-of-contents'));
    await page.context().close();
  });

  test.each(THEMES)(
    '%s: what a script of the site adds below the text leaves the text as it is',
    async (theme) => {
      for (const options of [DESKTOP, PHONE]) {
        const page = await open(`${theme}/index.html`, options);
        const before = await page.locator('#content-area').boundingBox();
        await page.evaluate(`
        const added = document.createElement('footer');
        added.id = 'added';
        added.style.cssText = 'width:100%;height:200px';
        document.getElementById('content-container').append(added);
      `);
        const after = await page.locator('#content-area').boundingBox();
        const added = await page.locator('#added').boundingBox();
        expect(after).toEqual(before);
        expect(added?.width).toBeGreaterThanOrEqual((before?.width ?? 0) - 1);
        expect(added?.y).toBeGreaterThanOrEqual((before?.y ?? 0) + (before?.height ?? 0) - 1);
        await page.context().close();
      }
    },
  );

  test.each(THEMES)(
    '%s: nothing scrolls sideways, from a small phone to a wide screen',
    async (theme) => {
      const page = await open(`${theme}/index.html`);
      for (const path of [
        'index',
        'long',
        'ref/deep/b',
        'ar',
        'modes/custom',
        'modes/frame',
        'modes/center',
      ]) {
        await page.goto(address(`${theme}/${path}.html`));
        for (const width of [320, 768, 1024, 1440]) {
          await page.setViewportSize({ width, height: 700 });
          const wide = await page.evaluate('document.documentElement.scrollWidth');
          expect(wide, `${path} at ${width}`).toBeLessThanOrEqual(width);
        }
      }
      await page.context().close();
    },
    60_000,
  );

  test('no page writes an error or asks another host', () => {
    expect(faults).toEqual([]);
  });

  test.each(THEMES)(
    '%s: no serious or critical finding of axe, light and dark',
    async (theme) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const options = { ...DESKTOP, colorScheme, reducedMotion: 'reduce' } as const;
        const page = await (await browser.newContext(options)).newPage();
        await page.goto(address(`${theme}/index.html`));
        expect(
          await seriousFindings(page, { colors: colorScheme === 'dark' }),
          `home ${colorScheme}`,
        ).toEqual([]);
        await page.goto(address(`${theme}/ref/deep/a.html`));
        await page.click('#page-menu-button');
        expect(
          await seriousFindings(page, { colors: colorScheme === 'dark' }),
          `deep ${colorScheme}`,
        ).toEqual([]);
        await page.context().close();
      }
    },
    60_000,
  );
});
