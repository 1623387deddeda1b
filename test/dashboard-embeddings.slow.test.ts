/**
 * The endpoint for vectors of a project in a real browser: set, shown with its state, changed without the key, and turned
 * off, wide and narrow, light and dark. OFFPRINT_SCREENSHOTS names a folder for pictures.
 */
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDashboard } from '../scripts/dashboard.mjs';
import { createProject, deploy, makeFolder, siteFiles } from './acceptance/api.ts';
import { createPerson } from './support/accounts.ts';
import { type EmbeddingServer, startEmbeddingServer } from './support/agent/embedding-server.ts';
import { launchBrowser } from './support/browser.ts';
import { look } from './support/look.ts';
import { startTestPlatform, type TestPlatform } from './support/platform.ts';

const DIST = fileURLToPath(new URL('../apps/dashboard/dist', import.meta.url));
const PATIENCE_MS = 120_000;
const KEY = 'sk-dashboard-Zm9vYmFyYmF6-0123456789';

let endpoint: EmbeddingServer;
let platform: TestPlatform;
let browser: Browser;
let page: Page;
let address: string;

beforeAll(async () => {
  expect(await buildDashboard(process.execPath)).toBe(0);
  endpoint = await startEmbeddingServer({ apiKey: KEY });
  platform = await startTestPlatform({
    env: { OFFPRINT_DASHBOARD_DIR: DIST, OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
  });
  const tenant = await platform.createTenant();
  const path = await makeFolder(siteFiles(3));
  const { projectId } = await createProject(platform.url, tenant.key, { kind: 'folder', path });
  await deploy(platform.url, tenant.key, projectId);
  const person = await createPerson(platform, { organizationId: tenant.organizationId });
  browser = await launchBrowser();
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addCookies([
    {
      name: 'offprint_session',
      value: person.session,
      url: platform.url,
      httpOnly: true,
      sameSite: 'Strict',
    },
  ]);
  page = await context.newPage();
  address = `${platform.url}/${tenant.organizationId}/projects/${projectId}?tab=assistant`;
  await page.goto(address);
  await page.getByLabel('Search by meaning').waitFor();
});
afterAll(async () => {
  await browser?.close();
  await platform?.stop();
  await endpoint?.close();
});

const save = async () => {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Assistant saved.').first().waitFor();
};

test('it is off, and asks for nothing', async () => {
  expect(await page.getByLabel('Search by meaning').inputValue()).toBe('');
  expect(await page.getByLabel('Embedding model').count()).toBe(0);
});

test('with an endpoint, the sections get vectors, and the key is not shown', async () => {
  await page.getByLabel('Search by meaning').selectOption('openai-compatible');
  await page.getByLabel('Embedding model').fill('test-embeddings');
  await page.getByLabel('Embedding base URL').fill(endpoint.url);
  await page.getByLabel('Embedding API key').fill(KEY);
  await save();
  for (;;) {
    await page.goto(address);
    await page.getByLabel('Search by meaning').waitFor();
    if (await page.getByText('sections with vectors').isVisible()) break;
    await page.waitForTimeout(200);
  }
  expect(await page.getByLabel('Embedding model').inputValue()).toBe('test-embeddings');
  expect(await page.getByLabel('Embedding API key').inputValue()).toBe('');
  expect(await page.content()).not.toContain(KEY);
  await page.getByText('Stored and never shown. Leave empty to keep it.').waitFor();
  await look(page, 'embeddings');
});

test('saving other settings keeps the endpoint with its key', async () => {
  const before = endpoint.requests.length;
  await page.getByLabel('Starter questions').fill('How do I start?');
  await save();
  await page.goto(address);
  await page.getByText('sections with vectors').waitFor();
  // The vectors are those of before.
  expect(endpoint.requests.length).toBe(before);
});

test('a failure is shown with its reason', async () => {
  endpoint.fault = { kind: 'status', status: 404, message: 'No such model.' };
  await page.getByLabel('Embedding model').fill('missing-model');
  await save();
  for (;;) {
    await page.goto(address);
    await page.getByLabel('Search by meaning').waitFor();
    if (await page.getByText('The embedding model fails').isVisible()) break;
    await page.waitForTimeout(200);
  }
  await page.getByText('No such model.').waitFor();
  await look(page, 'embeddings-failed');
});

test('it can be turned off', async () => {
  await page.getByLabel('Search by meaning').selectOption('');
  await save();
  await page.goto(address);
  await page.getByLabel('Search by meaning').waitFor();
  expect(await page.getByLabel('Search by meaning').inputValue()).toBe('');
});
