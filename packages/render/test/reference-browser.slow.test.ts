/** Reference pages as readers use them: without a network connection, with a keyboard, on a phone. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seriousFindings } from '../../../test/support/axe.ts';
import { launchBrowser } from '../../../test/support/browser.ts';
import { type StaticServer, serveStatic } from '../../../test/support/static-server.ts';
import { startTestApi, type TestApi } from '../src/reference/playground/api.fixture.ts';
import { renderFiles } from './output.ts';
import { KINDS, referenceKinds } from './reference-kinds.ts';

const DESKTOP = { viewport: { width: 1280, height: 800 } } as const;
const PHONE = { viewport: { width: 390, height: 844 } } as const;

let api: TestApi;
let browser: Browser;
let server: StaticServer;
let folder: string;
let files: Map<string, string | Uint8Array>;
/** Requests to other hosts and errors, of all tests. */
const faults: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-reference-'));
  api = await startTestApi();
  const output = await renderFiles(referenceKinds(`${api.url}/echo`));
  expect(output.result.warnings).toEqual([]);
  files = output.files;
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  server = await serveStatic(folder, '/company/docs');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await api?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page in a new context without a connection to other hosts. */
async function open(url: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  await context.route('**/*', (route) => {
    const { protocol, hostname } = new URL(route.request().url());
    if (protocol !== 'http:' || hostname === '127.0.0.1') return route.continue();
    faults.push(`request to ${route.request().url()}`);
    return route.abort();
  });
  context.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.page()?.url()}: ${message.text()}`);
  });
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => void faults.push(message));
  await page.goto(url);
  return page;
}

const PLACES = {
  'a file': (path: string): string => pathToFileURL(join(folder, path)).href,
  'a sub-path': (path: string): string => `${server.url}/${path}`,
};

describe.each(Object.entries(PLACES))('without a network connection, from %s', (_place, urlOf) => {
  test('links, tabs, anchors and pages of schemas work', async () => {
    const page = await open(urlOf('index.html'));
    await page.getByRole('link', { name: 'how to list pets' }).click();
    await page.getByRole('heading', { name: 'List pets', level: 1 }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Create a pet' }).first().click();
    await page.getByRole('heading', { name: 'Create a pet', level: 1 }).waitFor();
    const responses = page.getByRole('main').getByRole('tablist').last();
    await responses.getByRole('tab', { name: '400' }).click();
    await page.getByText('The request is not valid.').waitFor();
    // An anchor of a nested property opens what it is in.
    await page.goto(`${urlOf(KINDS['GET with query parameters'] ?? '')}#parameter-filter-born_after`);
    await page.getByText('born_after', { exact: true }).waitFor();
    await page.goto(urlOf(KINDS.schema ?? ''));
    await page.getByRole('heading', { name: 'Pet', level: 1 }).waitFor();
    await page.context().close();
  });

  test('the search finds operations and opens their pages', async () => {
    const page = await open(urlOf('index.html'));
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Search', exact: true });
    await input.fill('DELETE /pets/{petId}');
    // The filters of the dialog have options, too.
    const first = page.getByRole('listbox', { name: 'Search' }).getByRole('option').first();
    await expect.poll(() => first.textContent()).toContain('Delete a pet');
    await input.fill('createToken');
    await expect.poll(() => first.textContent()).toContain('Create a token');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Create a token', level: 1 }).waitFor();
    await page.context().close();
  });

  test('the language of the samples is remembered on other pages', async () => {
    const page = await open(urlOf(KINDS['GET with query parameters'] ?? ''));
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.goto(urlOf(KINDS['form body'] ?? ''));
    await expect
      .poll(() => page.getByRole('tab', { name: 'Python' }).getAttribute('aria-selected'))
      .toBe('true');
    expect(await page.getByText('import requests').isVisible()).toBe(true);
    expect(await page.getByText('--data-urlencode').first().isVisible()).toBe(false);
    await page.context().close();
  });

  test('the playground opens, shows the cURL command and sends to a server on the same machine', async () => {
    const page = await open(urlOf(KINDS['GET with query parameters'] ?? ''));
    await page.getByRole('button', { name: 'Try it' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('limit').fill('7');
    const curl = dialog.getByRole('region', { name: 'cURL' }).locator('pre');
    await expect.poll(() => curl.textContent()).toContain(`${api.url}/echo/pets?limit=7`);
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.poll(() => dialog.getByRole('region', { name: 'Response' }).innerText()).toContain('200 OK');
    expect(api.received.at(-1)?.url).toContain('/echo/pets?limit=7');
    await page.context().close();
  });

  test('nothing is requested from other hosts, and no script fails', async () => {
    const page = await open(urlOf('index.html'));
    for (const path of files.keys()) if (path.endsWith('.html')) await page.goto(urlOf(path));
    await page.context().close();
    expect(faults).toEqual([]);
  });
});

/** Opens everything that is closed, so that its content is checked too. */
const openAll = (page: Page): Promise<unknown> =>
  page.evaluate("for (const one of document.querySelectorAll('#content details')) one.open = true");

describe('accessibility', () => {
  test.each(Object.entries(KINDS))('%s: no serious finding and no horizontal scroll', async (_kind, path) => {
    for (const options of [DESKTOP, PHONE]) {
      const page = await open(PLACES['a file'](path), { ...options, colorScheme: 'light' });
      await openAll(page);
      expect(await seriousFindings(page), 'light').toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(() => page.evaluate('document.documentElement.className')).toContain('dark');
      expect(await seriousFindings(page, { colors: true }), 'dark').toEqual([]);
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(wide).toBeLessThanOrEqual(0);
      // Content that is wider than its page can be scrolled in its own box.
      const outside = await page.evaluate(`
        [...document.querySelectorAll('#content-container *')].filter((element) => {
          if (element.getBoundingClientRect().right <= innerWidth + 1) return false;
          for (let at = element; at !== null; at = at.parentElement)
            if (/auto|scroll|hidden/.test(getComputedStyle(at).overflowX)) return false;
          return true;
        }).map((element) => element.outerHTML.slice(0, 200))`);
      expect(outside).toEqual([]);
      await page.context().close();
    }
  });

  const focusedText = (page: Page): Promise<unknown> =>
    page.evaluate('document.activeElement.innerText.trim()');

  test('arrows change the language of samples and the status of the response', async () => {
    const page = await open(PLACES['a file'](KINDS['GET with query parameters'] ?? ''));
    await page.getByRole('tab', { name: 'cURL' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await focusedText(page)).toBe('Python');
    expect(await page.getByRole('tabpanel', { name: 'Python' }).isVisible()).toBe(true);
    await page.getByRole('main').getByRole('tab', { name: '200' }).focus();
    await page.keyboard.press('End');
    expect(await focusedText(page)).toBe('429');
    expect(await page.getByText('Too many requests.').isVisible()).toBe(true);
    await page.context().close();
  });

  test('Tab reaches the playground, nested properties and callbacks, and Enter opens them', async () => {
    const page = await open(PLACES['a file'](KINDS.callbacks ?? ''));
    const reach = async (text: string): Promise<void> => {
      for (let stop = 0; stop < 80 && (await focusedText(page)) !== text; stop++)
        await page.keyboard.press('Tab');
      expect(await focusedText(page)).toBe(text);
    };
    await page.getByRole('main').focus();
    await reach('Try it');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    expect(await focusedText(page)).toBe('Try it');
    await reach('Show onPetChange');
    await page.keyboard.press('Enter');
    await page.getByText('A pet has changed').waitFor();
    await reach('Show Owner');
    await page.keyboard.press('Enter');
    await page.getByText('preferredContactMethodOfTheEmergencyContactPersonOfTheOwner').first().waitFor();
    await page.context().close();
  });
});
