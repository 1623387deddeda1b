/**
 * The domains of a project in a real browser, with a real DNS server: add, incorrect record, correct record, redirect and
 * release, wide and narrow, light and dark. OFFPRINT_SCREENSHOTS names a folder for pictures.
 */
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDashboard } from '../scripts/dashboard.mjs';
import { createProject } from './acceptance/api.ts';
import { createPerson } from './support/accounts.ts';
import { launchBrowser } from './support/browser.ts';
import { type DnsServer, startDnsServer } from './support/dns-server.ts';
import { look } from './support/look.ts';
import { startTestPlatform, type TestPlatform } from './support/platform.ts';

const DIST = fileURLToPath(new URL('../apps/dashboard/dist', import.meta.url));

let dns: DnsServer;
let platform: TestPlatform;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  expect(await buildDashboard(process.execPath)).toBe(0);
  dns = await startDnsServer();
  platform = await startTestPlatform({
    env: {
      OFFPRINT_DASHBOARD_DIR: DIST,
      OFFPRINT_DNS_SERVERS: dns.address,
      OFFPRINT_SITE_TARGET: 'sites.example.net',
      OFFPRINT_HOSTING_TOKEN: 'hosting-token-of-the-test-0123456789',
    },
  });
  dns.set('sites.example.net', 'A', ['192.0.2.1']);
  const tenant = await platform.createTenant();
  const { projectId } = await createProject(platform.url, tenant.key, { kind: 'upload' });
  const person = await createPerson(platform, { organizationId: tenant.organizationId });
  browser = await launchBrowser();
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  });
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
  await page.goto(`${platform.url}/${tenant.organizationId}/projects/${projectId}`);
  await page.getByRole('tab', { name: 'Domains' }).click();
  await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await platform?.stop();
  await dns?.close();
});

const card = (host: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: host, exact: true }) });
const text = (host: string, pattern: string | RegExp) => card(host).getByText(pattern).first();

async function add(host: string): Promise<void> {
  await page.getByLabel('Domain to add').fill(host);
  await page.getByRole('button', { name: 'Add domain' }).click();
}

/** The domain is checked at most every 5 seconds. */
async function checkUntil(host: string, pattern: string | RegExp): Promise<void> {
  while (!(await text(host, pattern).isVisible())) {
    await card(host).getByRole('button', { name: 'Check now' }).click();
    await text(host, pattern)
      .waitFor({ timeout: 6_000 })
      .catch(() => undefined);
  }
}

async function recordValue(host: string): Promise<string> {
  const shown = (await card(host).textContent()) ?? '';
  return /offprint-verification=[\w-]+/.exec(shown)?.[0] ?? '';
}

test('a domain leads from each step to the next one until it is served', async () => {
  const host = 'docs.example.com';
  await add('localhost');
  await page.getByText(/must be a host name with a dot/).waitFor();
  await add('github.io');
  await page.getByText(/is a public suffix/).waitFor();

  await add('DOCS.example.com');
  await text(host, 'Not verified yet').waitFor();
  await text(host, /Create a TXT record with the name _offprint\.docs\.example\.com/).waitFor();
  await look(page, 'domain-added');
  // Later the card also shows values of others.
  const value = await recordValue(host);
  expect(value).not.toBe('');

  dns.set(`_offprint.${host}`, 'TXT', ['offprint-verification=of-somebody-else']);
  await checkUntil(host, /has another value \(offprint-verification=of-somebody-else\)/);
  await look(page, 'domain-wrong-record');

  dns.set(`_offprint.${host}`, 'TXT', [value]);
  // Not the "Not verified yet" from before.
  await checkUntil(host, /^Verified$/);
  await text(
    host,
    /Create a CNAME record for docs\.example\.com that points to sites\.example\.net/,
  ).waitFor();

  dns.set(host, 'A', ['192.0.2.1']);
  await checkUntil(host, 'Points to 192.0.2.1');
  // Named once: it is a name of exports, too.
  await page.getByRole('region', { name: 'Names of exports' }).getByText(host, { exact: true }).waitFor();
  expect(await card(host).getByText('Next step').count()).toBe(0);
  await look(page, 'domain-verified');
});

test('www is redirected, and a domain is released', async () => {
  const host = 'www.example.com';
  await add(host);
  await text(host, 'Not verified yet').waitFor();
  await card(host).getByLabel('Requests').selectOption({ label: 'Redirect to docs.example.com' });
  await page.getByText('Redirect saved.').waitFor();
  await card(host).getByRole('button', { name: 'Release' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Release domain' }).click();
  await card(host).waitFor({ state: 'detached' });
  await card('docs.example.com').waitFor();
});
