import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../test/support/browser.ts';
import { type StaticServer, serveStatic } from '../../../test/support/static-server.ts';
import { renderFiles } from './output.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PHONE = { viewport: { width: 390, height: 844 } } as const;
const DESKTOP = { viewport: { width: 1280, height: 800 } } as const;

const page = (title: string, body: string): string => `---\ntitle: ${title}\n---\n\n${body}\n`;
const filler = 'Some text that fills the page so that it scrolls.\n\n'.repeat(40);

const SITE: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Acme',
    colors: { primary: '#166e3f' },
    search: { prompt: 'Ask the docs' },
    navigation: {
      versions: ['v2', 'v1'].map((version) => ({
        version,
        tabs: [
          {
            tab: 'Guides',
            groups: [
              { group: 'Start', pages: [`${version}/welcome`, `${version}/webhooks`, `${version}/limits`] },
            ],
          },
          { tab: 'API', groups: [{ group: 'Endpoints', pages: [`${version}/api/users`] }] },
        ],
      })),
    },
  }),
};
for (const version of ['v2', 'v1']) {
  SITE[`${version}/welcome.mdx`] = page(
    'Welcome',
    `Hello. Webhooks are [here](/${version}/webhooks), as of old.`,
  );
  SITE[`${version}/webhooks.mdx`] = page(
    'Webhooks',
    `Events.\n\n${filler}## Retry policy\n\nA webhook is sent again.\n\n${filler}`,
  );
  SITE[`${version}/limits.mdx`] = page(
    'Rate limits',
    `Quotas <b>matter</b>.\n\n## Webhooks\n\nTen a second.`,
  );
  SITE[`${version}/api/users.mdx`] = page('Users', 'List **users** of webhooks.');
}
SITE['v1/old.mdx'] = page('Old', 'only in the old version: dinosaur');
SITE['docs.json'] = SITE['docs.json']!.replace('"v1/limits"', '"v1/limits","v1/old"');

const policyOf = (headers: string): string => /Content-Security-Policy: (.*)/.exec(headers)?.[1] ?? '';

describe('the search of an export, in a browser', () => {
  let browser: Browser;
  let folder: string;
  let host: StaticServer;
  let faults: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-'));
    const { files } = await renderFiles(SITE);
    for (const [path, content] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const policy = policyOf(String(files.get('_headers')));
    expect(policy).toContain("script-src 'self'");
    host = await serveStatic(folder, '/some/docs', { 'content-security-policy': policy });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await host?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => {
    const found = faults;
    faults = [];
    expect(found).toEqual([]);
  });

  const open = async (
    path: string,
    options: BrowserContextOptions = DESKTOP,
    from?: string,
  ): Promise<Page> => {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    const tab = await context.newPage();
    tab.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    tab.on('pageerror', (error) => faults.push(error.message));
    context.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(host.url) && !/^(?:file|data):/.test(url)) faults.push(`request to ${url}`);
    });
    await tab.goto(`${from ?? `file://${folder}`}/${path}`);
    return tab;
  };
  const shut = (tab: Page): Promise<void> => tab.context().close();
  /** Waits for the count that screen readers announce; suggested places to start have none. */
  const answered = async (tab: Page): Promise<void> => {
    await tab.waitForSelector('#search-dialog [role=status]:text-matches("[0-9]")', { state: 'attached' });
  };
  const results = async (tab: Page, query: string): Promise<void> => {
    await tab.keyboard.press('Control+k');
    await tab.waitForSelector('#search-dialog[open]');
    await tab.keyboard.insertText(query);
    await tab.waitForSelector('#search-dialog [role=status]:text-matches("[0-9]")', { state: 'attached' });
  };
  const evaluate = (tab: Page, expression: string): Promise<unknown> => tab.evaluate(expression);
  const active = (tab: Page): Promise<unknown> =>
    evaluate(
      tab,
      `document.getElementById(document.querySelector('.op-search-input').getAttribute('aria-activedescendant'))?.querySelector('.op-search-title').textContent ?? null`,
    );

  test.each([
    ['files', ''],
    ['a host with the strict policy, below a sub-path', 'host'],
  ])('from %s: by keyboard alone, from any depth, to the section', async (_, from) => {
    const tab = await open('v2/api/users.html', DESKTOP, from === 'host' ? host.url : undefined);
    await results(tab, 'webhook sent again');
    expect(await evaluate(tab, 'document.activeElement.getAttribute("role")')).toBe('combobox');
    expect(await active(tab)).toBe('Webhooks');
    const ids =
      "[...document.querySelectorAll('#search-results [role=option]')].map((option) => option.getAttribute('href'))";
    const links = (await evaluate(tab, ids)) as string[];
    expect(links).toContain('../../v2/webhooks.html#retry-policy');
    for (let at = 0; at < links.indexOf('../../v2/webhooks.html#retry-policy'); at++)
      await tab.keyboard.press('ArrowDown');
    expect(await active(tab)).toBe('Retry policy');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/v2\/webhooks\.html#retry-policy$/);
    const seen = await evaluate(tab, 'document.getElementById("retry-policy").getBoundingClientRect().top');
    expect(Number(seen)).toBeLessThan(400);
    await expect
      .poll(() => evaluate(tab, 'CSS.highlights.get("offprint-search")?.size ?? 0'))
      .toBeGreaterThan(0);
    await tab.keyboard.press('Escape');
    expect(await evaluate(tab, 'CSS.highlights.has("offprint-search")')).toBe(false);
    await shut(tab);
  });

  test('arrows go round, Home and End go to the ends, Escape closes and gives the focus back', async () => {
    const tab = await open('v2/welcome.html');
    await tab.focus('#search-bar-entry');
    await tab.keyboard.press('Enter');
    await tab.waitForSelector('#search-dialog[open]');
    await tab.keyboard.insertText('webhooks');
    await answered(tab);
    const first = await active(tab);
    await tab.keyboard.press('ArrowUp');
    const last = await active(tab);
    expect(last).not.toBe(first);
    await tab.keyboard.press('ArrowDown');
    expect(await active(tab)).toBe(first);
    await tab.keyboard.press('End');
    expect(await active(tab)).toBe(last);
    await tab.keyboard.press('Home');
    await tab.keyboard.press('Home');
    expect(await active(tab)).toBe(first);
    const state = `document.querySelectorAll('#search-results [aria-selected=true]').length`;
    expect(await evaluate(tab, state)).toBe(1);
    await tab.keyboard.press('Escape');
    expect(await evaluate(tab, 'document.getElementById("search-dialog").open')).toBe(false);
    expect(await evaluate(tab, 'document.activeElement.id')).toBe('search-bar-entry');
    await shut(tab);
  });

  test('/ opens it, but not where text is written; the focus stays inside', async () => {
    const tab = await open('v2/welcome.html');
    await tab.keyboard.press('/');
    await tab.waitForSelector('#search-dialog[open]');
    await tab.keyboard.type('a/b');
    expect(await tab.inputValue('.op-search-input')).toBe('a/b');
    for (let stop = 0; stop < 12; stop++) {
      await tab.keyboard.press('Tab');
      const inside =
        'document.activeElement === document.body || document.activeElement.closest("#search-dialog") !== null';
      expect(await evaluate(tab, inside)).toBe(true);
    }
    await shut(tab);
  });

  test('what is typed before the search is loaded is not lost', async () => {
    const tab = await open('v2/welcome.html', DESKTOP, host.url);
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await tab.route('**/_offprint/search-*.js', async (route) => {
      await gate;
      await route.continue();
    });
    await tab.keyboard.press('Control+k');
    await tab.keyboard.type('lim');
    release();
    await tab.waitForSelector('#search-dialog[open]');
    await tab.keyboard.type('its');
    expect(await tab.inputValue('.op-search-input')).toBe('limits');
    await answered(tab);
    expect(await active(tab)).toBe('Rate limits');
    await shut(tab);
  });

  test('Enter right after the last letter opens what was typed, not what its beginning found', async () => {
    const tab = await open('v2/welcome.html');
    await results(tab, 'webhooks');
    expect(await active(tab)).toBe('Webhooks');
    // One task: the pause after a letter cannot have passed in it.
    await evaluate(
      tab,
      `{
        const input = document.querySelector('.op-search-input');
        input.value = 'limits';
        input.dispatchEvent(new Event('input', { bubbles: true }));
        input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
      }`,
    );
    await tab.waitForURL(/v2\/limits\.html/);
    await shut(tab);
  });

  test('Ctrl-Enter opens a tab and leaves the dialog; the query is remembered and can be forgotten', async () => {
    const tab = await open('v2/welcome.html');
    await results(tab, 'limits');
    const [other] = await Promise.all([
      tab.context().waitForEvent('page'),
      tab.keyboard.press('Control+Enter'),
    ]);
    await other.waitForURL(/limits\.html$/);
    expect(await evaluate(tab, 'document.getElementById("search-dialog").open')).toBe(true);
    await tab.fill('.op-search-input', '');
    await tab.waitForSelector('.op-search-recent');
    expect(await evaluate(tab, 'document.querySelector("[aria-selected=true]")')).toBeNull();
    await tab.keyboard.press('ArrowDown');
    expect(await active(tab)).toBe('limits');
    await tab.keyboard.press('Enter');
    await expect
      .poll(() =>
        tab.evaluate(
          'document.querySelector(".op-search-page .op-search-title")?.textContent === "Rate limits"',
        ),
      )
      .toBeTruthy();
    await tab.fill('.op-search-input', '');
    await tab.waitForSelector('.op-search-recent');
    await tab.keyboard.press('ArrowDown');
    await tab.keyboard.press('Delete');
    expect(await tab.locator('.op-search-recent').count()).toBe(0);
    await shut(tab);
  });

  test('the version of the page is the filter; matches in other versions are announced, and the reader can continue there', async () => {
    const tab = await open('v2/welcome.html');
    await tab.keyboard.press('Control+k');
    await tab.waitForSelector('.op-search-chip');
    expect(await tab.inputValue('.op-search-chip select >> nth=0')).toBe('v2');
    await tab.keyboard.insertText('dinosaur');
    await tab.waitForSelector('.op-search-action');
    expect(await tab.innerText('.op-search-message')).toContain('Nothing found for “dinosaur”');
    await tab.click('.op-search-action');
    await tab.waitForSelector('.op-search-page:has-text("Old")');
    expect(await tab.innerText('.op-search-badge')).toBe('v1');
    expect(await evaluate(tab, 'document.activeElement.className')).toBe('op-search-input');
    await shut(tab);
  });

  test('a much better page of another version is announced and two keys away', async () => {
    const tab = await open('v2/welcome.html');
    await results(tab, 'old');
    expect(await active(tab)).toBe('Welcome');
    expect(await tab.textContent('#search-dialog [role=status]')).toBe('Results: 1. 1 more in v1');
    await tab.keyboard.press('ArrowDown');
    expect(await active(tab)).toBe('1 more in v1');
    await tab.keyboard.press('Control+Enter');
    await tab.keyboard.press('Enter');
    await tab.waitForSelector('.op-search-title mark:text-is("Old")');
    expect(await active(tab)).toBe('Old');
    expect(await tab.inputValue('.op-search-chip select >> nth=0')).toBe('v1');
    expect(await tab.locator('.op-search-place').count()).toBe(0);
    expect(await evaluate(tab, 'document.activeElement.className')).toBe('op-search-input');
    expect(tab.context().pages()).toHaveLength(1);
    await shut(tab);
  });

  test('hits are marked, text of the site stays text, slips are named', async () => {
    const tab = await open('v2/welcome.html');
    await results(tab, 'qoutas matter');
    expect(await tab.innerText('.op-search-note')).toBe('Showing results for “quotas matter”');
    expect(await tab.locator('.op-search-excerpt mark').allInnerTexts()).toEqual(['Quotas', 'matter']);
    expect(await tab.textContent('#search-dialog [role=status]')).toMatch(/^Results: \d+$/);
    await shut(tab);
  });

  test('a missing file of the index is reported, and requested again', async () => {
    const tab = await open('v2/welcome.html', DESKTOP, host.url);
    await tab.route('**/_offprint/search/t*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await tab.keyboard.press('Control+k');
    await tab.waitForSelector('#search-dialog[open]');
    await tab.keyboard.insertText('limits');
    await tab.waitForSelector('.op-search-message');
    expect(await tab.innerText('.op-search-message')).toContain('could not be loaded');
    await tab.unroute('**/_offprint/search/t*.js');
    await tab.click('.op-search-action');
    await answered(tab);
    expect(await active(tab)).toBe('Rate limits');
    await shut(tab);
    // The browser writes them down when it comes to it.
    faults = faults.filter((fault) => !/404/.test(fault));
  });

  test.each(['?search=limits', '?q=limits'])('%s opens the search with its results', async (address) => {
    const tab = await open(`v2/welcome.html${address}`);
    await answered(tab);
    expect(await active(tab)).toBe('Rate limits');
    await shut(tab);
  });

  test('the page for addresses that lead nowhere asks for words and opens them', async () => {
    const tab = await open('404.html', DESKTOP, host.url);
    expect(await tab.getAttribute('form[role=search]', 'action')).toMatch(/\.html$/);
    expect(await tab.getAttribute('form[role=search] input', 'placeholder')).toBe('Ask the docs');
    for (const width of [320, 390]) {
      await tab.setViewportSize({ width, height: 800 });
      expect(await tab.evaluate('document.documentElement.scrollWidth'), `${width} px`).toBe(width);
    }
    await shut(tab);
  });

  test.each(['light', 'dark'] as const)('axe finds nothing in the open dialog, %s', async (colorScheme) => {
    for (const query of ['', 'webhooks', 'old', 'xqzzv'] as const) {
      const tab = await open('v2/welcome.html', { ...DESKTOP, colorScheme });
      await tab.keyboard.press('Control+k');
      await tab.waitForSelector('.op-search-chip');
      await tab.keyboard.insertText(query);
      await tab.waitForSelector(
        {
          '': '.op-search-hint',
          webhooks: '.op-search-excerpt',
          old: '.op-search-place',
          xqzzv: '.op-search-message',
        }[query],
      );
      await tab.evaluate(axe);
      const { violations } = (await tab.evaluate(
        "axe.run('#search-dialog', { resultTypes: ['violations'], preload: false })",
      )) as {
        violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
      };
      expect(
        violations.flatMap(({ id, nodes }) =>
          nodes.map((node) => `${id} ${node.html} ${node.failureSummary}`),
        ),
      ).toEqual([]);
      await shut(tab);
    }
  });

  test('a phone has a button and a dialog of the size of the screen; without JavaScript there is neither', async () => {
    const tab = await open('v2/welcome.html', PHONE);
    expect(await tab.isVisible('#search-bar-entry')).toBe(false);
    await tab.click('#search-bar-entry-mobile');
    await tab.waitForSelector('#search-dialog[open]');
    await tab.keyboard.insertText('webhooks');
    await answered(tab);
    const box = await tab.locator('#search-dialog').boundingBox();
    expect([box?.width, box?.height]).toEqual([390, 844]);
    await tab.click('.op-search-cancel');
    expect(await tab.isVisible('#search-dialog')).toBe(false);
    await shut(tab);
    const plain = await open('v2/welcome.html', { ...DESKTOP, javaScriptEnabled: false });
    expect(await plain.isVisible('#search-bar-entry')).toBe(false);
    expect(await plain.isVisible('#search-bar-entry-mobile')).toBe(false);
    await shut(plain);
  });

  test('a page loads nothing of the search before it is asked for', async () => {
    const asked: string[] = [];
    const context = await browser.newContext(DESKTOP);
    const tab = await context.newPage();
    tab.on('request', (request) => asked.push(request.url()));
    await tab.goto(`${host.url}/v2/welcome.html`, { waitUntil: 'networkidle' });
    expect(asked.filter((url) => url.includes('/_offprint/search'))).toEqual([]);
    await context.close();
  });

  test('it works where storage is closed', async () => {
    const context = await browser.newContext(DESKTOP);
    await context.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get() { throw new DOMException('closed', 'SecurityError'); } });`);
    const tab = await context.newPage();
    tab.on('pageerror', (error) => faults.push(error.message));
    await tab.goto(`file://${folder}/v2/welcome.html`);
    await results(tab, 'limits');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/limits\.html$/);
    await context.close();
  });
});
