import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../test/support/browser.ts';
import { islandSite } from './islands-site.ts';
import { renderFiles, textOf } from './output.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

let browser: Browser;
let folder: string;
let server: Server;
let origin: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-'));
  const output = await renderFiles(islandSite());
  const policy = /Content-Security-Policy: (.*)/.exec(textOf(output, '_headers'))?.[1] ?? '';
  for (const [path, content] of output.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname).slice(1);
    const content = output.files.get(path);
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    response.writeHead(content === undefined ? 404 : 200, {
      'content-type': type,
      'content-security-policy': policy,
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['from a server with the policy of the export', () => origin],
  ['from files', () => `file://${folder}`],
])('islands %s', (_, base) => {
  const open = async (path: string): Promise<{ page: Page; messages: string[] }> => {
    const page = await browser.newPage();
    const messages: string[] = [];
    page.on('console', (message) => messages.push(`${message.type()} ${message.text()}`));
    page.on('pageerror', (error) => messages.push(`uncaught ${error.message}`));
    await page.goto(`${base()}/${path}`);
    await page.waitForSelector('offprint-island', { state: 'attached' });
    // One after the other comes to life; a click on one that has not is lost.
    await expect
      .poll(() =>
        page.evaluate(
          "document.querySelector('offprint-island:not([data-mounted], [data-failed])') === null",
        ),
      )
      .toBeTruthy();
    return { page, messages };
  };

  test('state, effects, content, functions and fields work', async () => {
    const { page } = await open('index.html');
    const count = page.locator('[data-testid=n]').first();
    await page.getByText('Add').first().click();
    await page.getByText('Add').first().click();
    expect(await count.innerText()).toBe('Count: 7');
    await expect.poll(() => page.title()).toBe('n=7');
    await page.locator('.inline-toggle').click();
    expect(await page.locator('.inline-toggle').innerText()).toBe('on');
    await page.getByText('ONE!').click();
    expect(await page.evaluate('window.picked')).toBe('one');
    await page.locator('.plain-button').click();
    expect(await page.evaluate('window.clicked')).toBe(1);
    await page.getByRole('button', { name: 'two', exact: true }).click();
    expect(await page.evaluate('window.mapped')).toBe(2);
    await page.locator('.typed input').fill('new');
    expect(await page.locator('.typed b').innerText()).toBe('new');
    await expect.poll(() => page.locator('.fetcher').innerText()).toBe('state failed');
    await page.close();
  });

  test('content that was hidden comes and goes with its own state', async () => {
    const { page } = await open('index.html');
    const more = page.getByRole('button', { name: 'More', exact: true });
    expect(await page.locator('.body').count()).toBe(0);
    await more.click();
    await page.locator('.body').getByText('Add').click();
    await more.click();
    expect(await page.locator('.body').count()).toBe(0);
    await more.click();
    expect(await page.locator('.body [data-testid=n]').innerText()).toBe('inner: 2');
    expect(await page.locator('.body strong').innerText()).toBe('bold');
    await page.close();
  });

  test('a component that fails leaves its first view, one warning and the rest of the page', async () => {
    const { page, messages } = await open('index.html');
    await page.waitForSelector('offprint-island[data-failed]', { state: 'attached' });
    expect(await page.locator('offprint-island[data-failed]').innerText()).toContain(
      'fallback of crash child of crash',
    );
    expect(messages.filter((message) => message.startsWith('warning'))).toHaveLength(1);
    expect(messages.filter((message) => message.startsWith('uncaught'))).toEqual([]);
    expect(messages.filter((message) => /Content Security Policy/.test(message))).toEqual([]);
    await page.close();
  });

  test('links and files of the docs and built-in components stand as in a page', async () => {
    const { page } = await open('index.html');
    const links = await page.evaluate(
      '[...document.querySelectorAll(".callout a, .callout img")].map((e) => e.getAttribute("href") ?? e.getAttribute("src"))',
    );
    expect(links).toEqual(['guides/two.html', 'images/square.svg', 'plain.html?a=1']);
    expect(await page.locator('.callout svg').count()).toBe(3);
    await page.close();
  });

  test('rules of a component come and go with it, without an inline style', async () => {
    const { page, messages } = await open('index.html');
    const color = (): Promise<unknown> =>
      page.evaluate('getComputedStyle(document.querySelector(".from-style")).color');
    expect(await color()).not.toBe('rgb(1, 2, 3)');
    await page.getByRole('button', { name: 'styled' }).click();
    await expect.poll(color).toBe('rgb(1, 2, 3)');
    await page.getByRole('button', { name: 'styled' }).click();
    await expect.poll(color).not.toBe('rgb(1, 2, 3)');
    expect(await page.locator('style').count()).toBe(0);
    expect(messages.filter((message) => /Content Security Policy/.test(message))).toEqual([]);
    await page.close();
  });

  test('a page below the root works as well, and without a script its first view is there', async () => {
    const { page } = await open('guides/two.html');
    expect(await page.locator('[data-testid=n]').innerText()).toBe('again: 3');
    await page.close();
    const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await plain.goto(`${base()}/guides/two.html`);
    expect(await plain.locator('[data-testid=n]').innerText()).toBe('again: 3');
    await plain.context().close();
  });
});
