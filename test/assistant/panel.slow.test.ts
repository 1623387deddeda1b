/** The panel of the assistant in a real browser, on a site below a base path, with a scripted model. */
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, deploy } from '../acceptance/api.ts';
import { type Answer, type ModelServer, startModelServer } from '../support/agent/model-server.ts';
import { seriousFindings } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { HOST, modelEnv, type ServedDocs, serveDocs } from './site.ts';

const FILES: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Acme',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index', 'quickstart', 'orbit'] },
    contextual: { options: ['copy', 'assistant'] },
  }),
  'index.mdx': '---\ntitle: Acme\n---\n\nWelcome to Acme, which sells rockets.\n',
  'quickstart.mdx': '---\ntitle: Quickstart\n---\n\n## Install\n\n```sh\nnpm install acme\n```\n',
  'orbit.mdx': '---\ntitle: Orbit\ncontextual:\n  options: ["assistant"]\n---\n\nRockets circle here.\n',
};
const ANSWER = [
  'Run it:',
  '',
  '```sh',
  'npm install acme',
  '```',
  '',
  '1. See [Install](/quickstart#install).',
  '2. **Launch** <img src=x onerror=alert(1)> ![x](https://evil.example/x)',
  '',
  '| a | b |',
  '| - | - |',
  '| 1 | 2 |',
].join('\n');

let docs: ServedDocs;
let model: ModelServer;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let answer: Answer = { text: ANSWER };
const problems: string[] = [];

beforeAll(async () => {
  model = await startModelServer({ script: () => answer });
  docs = await serveDocs(FILES, { env: modelEnv(model.url), basePath: '/docs' });
  browser = await launchBrowser();
  context = await browser.newContext({
    proxy: { server: `http://127.0.0.1:${docs.port}` },
    viewport: { width: 1280, height: 800 },
  });
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('The Cross-Origin-Opener-Policy'))
      problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(`http://${HOST}/docs/`)) problems.push(`request to ${request.url()}`);
  });
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await docs?.stop();
  await model?.close();
});

const dialog = () => page.getByRole('dialog', { name: 'Assistant' });
const input = () => dialog().getByRole('textbox', { name: 'Ask a question' });
/** In the conversation: the live region says it too. */
const answered = (text: string) => dialog().getByRole('paragraph').filter({ hasText: text });
const requests = (part: string) =>
  page.evaluate(
    (name) => performance.getEntriesByType('resource').filter((entry) => entry.name.includes(name)).length,
    part,
  );

test('is loaded with its first use, answers, and closes with the focus where it was', async () => {
  await page.goto(`http://${HOST}/docs/`);
  const opener = page.getByRole('button', { name: 'Ask a question' });
  await opener.waitFor();
  expect(await requests('assistant-panel')).toBe(0);
  await page.keyboard.press('Control+i');
  await input().waitFor();
  expect(await requests('assistant-panel')).toBe(2);
  await page.keyboard.type('How do I install it?');
  await page.keyboard.press('Enter');
  const link = dialog().getByRole('link', { name: 'Install' }).first();
  await link.waitFor();
  expect(await link.evaluate((element) => (element as HTMLAnchorElement).href)).toBe(
    `http://${HOST}/docs/quickstart#install`,
  );
  await dialog().getByRole('button', { name: 'Good response' }).waitFor();
  expect(await dialog().locator('pre code').textContent()).toBe('npm install acme');
  expect(await dialog().getByRole('cell', { name: '2', exact: true }).count()).toBe(1);
  expect(await dialog().locator('img, script').count()).toBe(0);
  expect(await dialog().getByRole('listitem').getByText('<img src=x onerror=alert(1)>').count()).toBe(1);
  // The live region is set a moment later, so that screen readers notice the change.
  await dialog().getByRole('status').getByText('Run it:').waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'hidden' });
  expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
});

test('keeps its conversation on the next page, with rating, copy and a new one', async () => {
  await page.goto(`http://${HOST}/docs/quickstart`);
  await page.getByRole('button', { name: 'Ask a question' }).click();
  await dialog().getByText('How do I install it?').waitFor();
  const good = dialog().getByRole('button', { name: 'Good response' });
  const rated = page.waitForResponse((response) => response.url().endsWith('/assistant/feedback'));
  await good.click();
  expect((await rated).status()).toBe(204);
  expect(await good.getAttribute('aria-pressed')).toBe('true');
  await dialog().getByRole('button', { name: 'New conversation' }).click();
  expect(await dialog().getByText('How do I install it?').count()).toBe(0);
});

test('a failed answer can be tried again', async () => {
  model.faults.push({ step: 0, fault: { kind: 'status', status: 503 } });
  await input().fill('Again?');
  await page.keyboard.press('Enter');
  await answered('The assistant cannot answer right now.').waitFor();
  await dialog().getByRole('button', { name: 'Try again' }).click();
  await dialog().getByRole('link', { name: 'Install' }).first().waitFor();
});

test('selected text is part of the question', async () => {
  await page.goto(`http://${HOST}/docs/`);
  await page.getByText('which sells rockets').selectText();
  await page.keyboard.press('Control+i');
  await dialog().getByText('Selected text: Welcome to Acme').waitFor();
  answer = { text: 'Rockets fly.' };
  await input().fill('What is this?');
  await dialog().getByRole('button', { name: 'Send' }).click();
  await answered('Rockets fly.').waitFor();
  expect(model.requests.at(-1)?.messages.at(-1)?.text).toContain('which sells rockets');
});

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)('is accessible and fits: %s, %i px', async (colorScheme, width) => {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await page.goto(`http://${HOST}/docs/?assistant=Prefilled`);
  await input().waitFor();
  expect(await input().inputValue()).toBe('Prefilled');
  expect(await seriousFindings(page)).toEqual([]);
  const box = await dialog().boundingBox();
  expect(box?.width).toBeLessThanOrEqual(width);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  const folder = process.env.OFFPRINT_SCREENSHOTS;
  if (folder !== undefined)
    await page.screenshot({ path: `${folder}/assistant-${colorScheme}-${width}.png` });
});

test('the menu of a page opens it and gets the focus back, with the mouse and with keys', async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`http://${HOST}/docs/`);
  const menu = page.getByRole('button', { name: 'More actions' });
  const entry = page.getByRole('menuitem', { name: 'Ask a question' });
  const closesTo = async (opener: Locator) => {
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
  };
  // It was open on the page before.
  await dialog().getByRole('button', { name: 'Close' }).click();
  await dialog().waitFor({ state: 'hidden' });
  await menu.click();
  await entry.click();
  await input().waitFor();
  expect(await entry.isVisible()).toBe(false);
  await closesTo(menu);
  await menu.press('ArrowUp');
  await page.keyboard.press('Enter');
  await input().waitFor();
  await closesTo(menu);

  await page.goto(`http://${HOST}/docs/orbit`);
  await page.getByText('Rockets circle here').selectText();
  const action = page.locator('#page-context-menu').getByRole('button', { name: 'Ask a question' });
  await action.click();
  await dialog().getByText('Selected text').waitFor();
  await closesTo(action);
});

test('a site whose project has no assistant has no entry and no button for it', async () => {
  const { platform, tenant, projectId } = docs;
  const changed = await call(platform.url, 'PATCH', `/v1/projects/${projectId}`, {
    key: tenant.key,
    body: { deploymentType: 'air-gapped' },
  });
  expect(changed.status, changed.text).toBe(200);
  await deploy(platform.url, tenant.key, projectId);
  const opener = page.getByRole('button', { name: 'Ask a question' });
  await expect
    .poll(async () => {
      await page.goto(`http://${HOST}/docs/`);
      await page.getByRole('button', { name: 'Copy page' }).waitFor();
      return page.locator('script[src*="service-assistant"]').count();
    })
    .toBe(0);
  expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
  expect(await opener.count()).toBe(0);
  await page.goto(`http://${HOST}/docs/orbit`);
  await page.getByRole('heading', { name: 'Orbit' }).waitFor();
  expect(await page.locator('#page-context-menu').count()).toBe(0);
  expect(await opener.count()).toBe(0);
});

test('nothing was blocked, failed or requested elsewhere', () => {
  expect(problems).toEqual([]);
});
