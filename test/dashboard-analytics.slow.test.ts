/**
 * Analytics in the dashboard of a project that was never served, of one that is served and has no readers yet, with 10
 * events and with many: traffic, searches, feedback, broken links and questions to the assistant, wide and narrow, light
 * and dark. OFFPRINT_SCREENSHOTS names a folder for pictures.
 *
 * Usually many is 100,000; with OFFPRINT_TEST=full it is 10 million, which takes some minutes and about 3 GB.
 */
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAYS, fillAnalytics } from '../bench/analytics-data.ts';
import { buildDashboard } from '../scripts/dashboard.mjs';
import { call, createProject } from './acceptance/api.ts';
import { serveSite } from './acceptance/served-site.ts';
import { createPerson } from './support/accounts.ts';
import { launchBrowser } from './support/browser.ts';
import { look } from './support/look.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from './support/platform.ts';
import { isFull } from './support/size.ts';

const DIST = fileURLToPath(new URL('../apps/dashboard/dist', import.meta.url));
const MANY = isFull ? 10_000_000 : 100_000;

let platform: TestPlatform;
let tenant: Tenant;
let browser: Browser;
let page: Page;
const projects = new Map<number | 'never served', string>();

beforeAll(async () => {
  expect(await buildDashboard(process.execPath)).toBe(0);
  platform = await startTestPlatform({
    env: {
      OFFPRINT_DASHBOARD_DIR: DIST,
      OFFPRINT_HOSTING_TOKEN: 'hosting-token-of-the-test-0123456789',
    },
  });
  tenant = await platform.createTenant();
  const { organizationId } = tenant;
  for (const events of ['never served', 0, 10, MANY] as const) {
    const { projectId, domain: host } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    projects.set(events, projectId);
    if (events === 'never served') continue;
    await serveSite(platform, { organizationId, projectId, host });
    if (events > 0) await fillAnalytics(platform.database.db, { organizationId, projectId }, events);
  }
  const person = await createPerson(platform, { organizationId });
  browser = await launchBrowser();
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const { url } = platform;
  await context.addCookies([
    { name: 'offprint_session', value: person.session, url, httpOnly: true, sameSite: 'Strict' },
  ]);
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
}, 900_000);
afterAll(async () => {
  await browser?.close();
  await platform?.stop();
});

/** By page: its address in a project, and what it shows without and with events. */
const PAGES = {
  traffic: ['tab=analytics', 'No views in these days', 'By kind of client'],
  searches: ['tab=analytics&view=searches', 'No searches in these days', 'how to set up'],
  feedback: ['tab=analytics&view=feedback', 'No feedback in these days', 'The step after the installation'],
  'broken-links': ['tab=analytics&view=broken-links', 'No broken links in these days', '/gone/'],
  questions: ['tab=assistant', 'No questions yet', 'How do I set up part'],
} as const;

const open = (events: number | 'never served', query: string) =>
  page.goto(
    `${platform.url}/${tenant.organizationId}/projects/${projects.get(events)}?${query}&days=${DAYS}`,
  );

describe.each([0, 10, MANY])('with %d events', (events) => {
  test.each(Object.entries(PAGES))('%s', async (name, [query, empty, filled]) => {
    await open(events, query);
    await page
      .getByText(events === 0 ? empty : filled)
      .first()
      .waitFor();
    await page.waitForLoadState('networkidle');
    await look(page, `${name}-${events}`, { wide: 1280 });
  });
});

test('the bars of all days have one color', async () => {
  await open(MANY, PAGES.traffic[0]);
  const bars = page.getByRole('img', { name: 'Views by people' }).locator('[title]');
  await bars.first().waitFor();
  const colors = await bars.evaluateAll((all) => all.map((bar) => getComputedStyle(bar).backgroundColor));
  expect(colors).toHaveLength(DAYS);
  expect(new Set(colors).size).toBe(1);
});

test('a project that was never served says that its site has to be deployed first', async () => {
  await open('never served', 'tab=analytics');
  await page.getByText('No site is served yet').waitFor();
  expect(await page.getByText('some seconds after').count()).toBe(0);
  await look(page, 'traffic-never-served', { wide: 1280 });
  await page.getByRole('main').getByRole('link', { name: 'Deployments' }).click();
  await page.getByText('Nothing is live yet').waitFor();
});

test('a conversation opens in a dialog', async () => {
  await open(MANY, PAGES.questions[0]);
  await page.getByRole('button', { name: 'How do I set up part' }).first().click();
  await page.getByRole('dialog').getByText('Set the address of the proxy').waitFor();
  await look(page, 'thread', { wide: 1280 });
});

test(`every request of the pages succeeds with ${MANY} events`, async () => {
  const id = projects.get(MANY);
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const days = `dateFrom=${day(1 - DAYS)}&dateTo=${day(1)}`;
  const list = await call<{ conversations: { threadId: string }[] }>(
    platform.url,
    'GET',
    `/v1/analytics/${id}/assistant?limit=1`,
    { key: tenant.key },
  );
  const paths = [
    ...[`traffic?${days}`, `views?${days}&limit=20`, `visitors?${days}&limit=20`],
    ...[`referrers?${days}&limit=20`, `searches?${days}&limit=100`],
    ...[`searches?${days}&limit=100&withoutResults=true`, `broken-links?${days}&limit=100`],
    ...[`feedback?${days}&limit=30`, `feedback?${days}&limit=30&status=dismissed`],
    ...[`feedback/by-page?${days}`, 'assistant?limit=20', 'assistant?limit=20&resolutionStatus=unanswered'],
    ...[`assistant/threads/${list.body.conversations[0]?.threadId}`, `assistant/caller-stats?${days}`],
  ];
  for (const path of paths) {
    const reply = await call(platform.url, 'GET', `/v1/analytics/${id}/${path}`, { key: tenant.key });
    expect(reply.status, `${path}: ${reply.text}`).toBe(200);
  }
});
