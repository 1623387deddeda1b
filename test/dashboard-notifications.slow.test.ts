/**
 * The notifications of a project in a real browser: emails of the member, an endpoint with its secret, a test and its
 * result in the log, wide and narrow, light and dark. OFFPRINT_SCREENSHOTS names a folder for pictures.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDashboard } from '../scripts/dashboard.mjs';
import { createProject } from './acceptance/api.ts';
import { createPerson } from './support/accounts.ts';
import { launchBrowser } from './support/browser.ts';
import { look } from './support/look.ts';
import { startTestPlatform, type TestPlatform } from './support/platform.ts';

const DIST = fileURLToPath(new URL('../apps/dashboard/dist', import.meta.url));
const PATIENCE_MS = 120_000;

let receiver: Server;
let platform: TestPlatform;
let browser: Browser;
let page: Page;
let received = 0;

beforeAll(async () => {
  expect(await buildDashboard(process.execPath)).toBe(0);
  receiver = createServer((request, response) => {
    received += 1;
    request.resume();
    response.writeHead(received === 1 ? 410 : 204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  platform = await startTestPlatform({
    env: { OFFPRINT_DASHBOARD_DIR: DIST, OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
  });
  const tenant = await platform.createTenant();
  const { projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' });
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
  await page.goto(`${platform.url}/${tenant.organizationId}/projects/${projectId}?tab=notifications`);
  await page.getByRole('heading', { name: 'Webhook endpoints' }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await platform?.stop();
  receiver?.close();
});

test('without anything the page says what there can be, and that the installation sends no email', async () => {
  await page.getByText('No endpoints yet').waitFor();
  await page.getByText('No notifications yet').waitFor();
  await page.getByText('This installation does not send email').waitFor();
  await look(page, 'notifications-empty');
});

test('the choice of events for emails is kept', async () => {
  const emails = page.getByRole('group', { name: 'Send me an email when' });
  await emails.getByLabel('An export failed').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Email notifications saved.').waitFor();
  await page.reload();
  await expect.poll(() => emails.getByLabel('An export failed').isChecked()).toBe(true);
  expect(await emails.getByLabel('A deployment failed').isChecked()).toBe(false);
});

test('an endpoint shows its secret once, is tested, disabled by its response, and enabled again', async () => {
  const { port } = receiver.address() as AddressInfo;
  await page.getByLabel('URL to add').fill(`http://127.0.0.1:${port}/hook?token=of-a-chat`);
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog', { name: 'Secret of the endpoint' });
  expect(await dialog.textContent()).toContain('whsec_');
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByText(`http://127.0.0.1:${port}`).first().waitFor();
  expect(await page.content()).not.toContain('of-a-chat');

  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText(/responded with status 410/).waitFor();
  await page.reload();
  await page.getByText('Disabled by the server').waitFor();
  await look(page, 'notifications-failed');
  // The server decides about the state, so it changes after the click.
  await page.getByRole('switch', { name: 'Enabled' }).click();
  await page.getByRole('switch', { name: 'Enabled', checked: true }).waitFor();
  await page.getByRole('button', { name: 'Deliver again' }).click();
  await page.getByText('Delivered', { exact: true }).waitFor();
  await look(page, 'notifications-delivered');
});
