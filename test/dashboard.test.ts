/** The dashboard as a person uses it: a real browser, the real platform, nothing but the page. */
import { fileURLToPath } from 'node:url';
import { createClient } from '@offprint/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDashboard } from '../scripts/dashboard.mjs';
import { launchBrowser } from './support/browser.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from './support/platform.ts';

const DOCS = fileURLToPath(new URL('../docs', import.meta.url));
const DIST = fileURLToPath(new URL('../apps/dashboard/dist', import.meta.url));

describe('the dashboard', () => {
  let platform: TestPlatform;
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    expect(await buildDashboard(process.execPath)).toBe(0);
    platform = await startTestPlatform({ env: { OFFPRINT_DASHBOARD_DIR: DIST } });
    tenant = await platform.createTenant();
    await createClient({ url: platform.url, key: tenant.key }).createProject({
      name: 'Offprint docs',
      source: { kind: 'folder', path: DOCS },
      domains: ['docs.example.com'],
    });
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(platform.url)) faults.push(`outside: ${request.url()}`);
    });
    page.on('console', (message) => {
      // The browser itself logs the 401 that the first test provokes.
      if (message.type() === 'error' && !message.text().includes('401')) faults.push(message.text());
    });
    await page.goto(`${platform.url}/`);
  });

  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  async function signIn(key: string) {
    await page.getByLabel('Admin key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  test('refuses a wrong key with a sentence and the id of the request', async () => {
    await signIn(`offprint_${'x'.repeat(38)}`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/key.*req_[0-9a-f]{32}/is);
  });

  test('lets a right key in and says what an empty list is for', async () => {
    await signIn(tenant.key);
    await page.getByRole('heading', { name: 'No export yet' }).waitFor();
  });

  test('starts an export by keyboard, follows it to its end and gives a link that works', async () => {
    await page.getByRole('button', { name: 'Start export' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Start export' }).waitFor();
    await page.getByRole('option', { name: 'docs.example.com' }).waitFor({ state: 'attached' });
    await page.getByLabel('Version label').fill('1.0');
    await page.keyboard.press('Enter');
    await page.getByText('completed').waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Get link' }).click();
    const href = await page.getByRole('link', { name: /^Download/ }).getAttribute('href');
    const bundle = await fetch(href!);
    expect(bundle.status).toBe(200);
    expect(bundle.headers.get('content-disposition')).toContain('docs.example.com');
  });

  test('Escape closes the dialog and nothing is started', async () => {
    await page.getByRole('button', { name: 'Start export' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('listitem').count()).toBe(1);
  });

  test('shows the project id', async () => {
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByText(/^prj_[0-9a-f]{32}$/).waitFor();
  });

  test('forgets the key at sign-out', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Admin key').waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).toBe('{}');
  });

  test('does not scroll sideways at 320 px', async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    await signIn(tenant.key);
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.getByRole('link', { name: 'Exports' }).click();
    await page.getByRole('heading', { name: 'docs.example.com' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });

  test('made no request outside the server and logged no error in all of this', () => {
    expect(faults).toEqual([]);
  });
});
