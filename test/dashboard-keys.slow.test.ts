/**
 * The dialog that creates API keys, by keyboard in a real browser: scopes, projects and what the list then shows, wide and
 * narrow, light and dark. OFFPRINT_SCREENSHOTS names a folder for pictures.
 */
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDashboard } from '../scripts/dashboard.mjs';
import { call, createProject } from './acceptance/api.ts';
import { createPerson } from './support/accounts.ts';
import { launchBrowser } from './support/browser.ts';
import { look } from './support/look.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from './support/platform.ts';
import { noteSecrets } from './support/secrets.ts';

const DIST = fileURLToPath(new URL('../apps/dashboard/dist', import.meta.url));

let platform: TestPlatform;
let tenant: Tenant;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;

beforeAll(async () => {
  expect(await buildDashboard(process.execPath)).toBe(0);
  platform = await startTestPlatform({ env: { OFFPRINT_DASHBOARD_DIR: DIST } });
  tenant = await platform.createTenant();
  ({ projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' }));
  await createProject(platform.url, tenant.key, { kind: 'upload' });
  const person = await createPerson(platform, { organizationId: tenant.organizationId });
  browser = await launchBrowser();
  context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
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
  await page.goto(`${platform.url}/${tenant.organizationId}/keys`);
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await platform?.stop();
});

/** Moves the focus with the keyboard until it is there. */
async function tabTo(to: Locator): Promise<void> {
  for (let steps = 0; steps < 60; steps += 1) {
    if (await to.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${to}`);
}

const box = (name: string) => page.getByRole('checkbox', { name, exact: true });

test('a key with scopes for one project is created by keyboard, and the list shows what it may do', async () => {
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('release');
  expect(await box('Exports Write').isChecked()).toBe(true);
  expect(await box('Exports Read').isChecked()).toBe(true);
  for (const name of ['Agent Read', 'Projects Read', 'Organization Read']) {
    expect(await box(name).isChecked(), name).toBe(false);
  }
  await tabTo(box('Projects Write'));
  await page.keyboard.press('Space');
  expect(await box('Projects Read').isChecked()).toBe(true);
  await page.keyboard.press('Space');
  expect([await box('Projects Read').isChecked(), await box('Projects Write').isChecked()]).toEqual([
    true,
    false,
  ]);
  // Without access and without a project nothing is sent, and the focus is on what to change.
  for (const name of ['Exports Read', 'Projects Read']) await box(name).uncheck();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByText('Choose at least one.').waitFor();
  expect(await box('Exports Read').evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Space');
  await tabTo(box('Projects Write'));
  await page.keyboard.press('Space');
  await tabTo(page.getByRole('radio', { name: 'All projects' }));
  await page.keyboard.press('ArrowRight');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByText('Choose at least one project.').waitFor();
  await look(page, 'create-key', { fullPage: false });
  await dialog
    .getByRole('checkbox', { name: /Project \d+/ })
    .nth(1)
    .check();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page
    .getByText(/offprint_[0-9A-Za-z]{38}/)
    .or(page.locator('input[value^=offprint_]'))
    .first()
    .waitFor();
  const [key = ''] = (await page.content()).match(/offprint_[0-9A-Za-z]{38}/) ?? [];
  noteSecrets(key);
  const { data } = (await call<{ data: { id: string }[] }>(platform.url, 'GET', '/v1/projects', { key }))
    .body;
  expect(data.map(({ id }) => id)).toEqual([projectId]);
  expect((await call(platform.url, 'GET', '/v1/api-keys', { key })).status).toBe(403);
  await dialog.getByRole('button', { name: /stored|saved|done|close/i }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('row', { name: /release/ });
  await row.getByText('exports:read').waitFor();
  await row.getByText('projects:write').waitFor();
  await row.getByText(/^only Project \d+$/).waitFor();
});

test('the list names the key that created a key, and revoking it says what ends with it', async () => {
  const made = await call<{ key: string }>(platform.url, 'POST', '/v1/api-keys', {
    key: tenant.key,
    body: { name: 'child', scopes: ['agent:read', 'exports:write', 'organization:read', 'projects:write'] },
  });
  expect(made.status, made.text).toBe(201);
  await page.reload();
  const row = page.getByRole('row', { name: /child/ });
  await row.getByText('by the key “test”').waitFor();
  await page.getByText('Everything', { exact: true }).first().waitFor();
  await look(page, 'keys', { fullPage: false });
  await page.getByRole('button', { name: 'Revoke test' }).click();
  await page.getByRole('dialog').getByText('The key that it created is revoked too: “child”.').waitFor();
  await look(page, 'revoke-key', { fullPage: false });
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await row.waitFor({ state: 'detached' });
  expect((await call(platform.url, 'GET', '/v1/api-keys', { key: made.body.key })).status).toBe(401);
});
