/**
 * Exports in the dashboard, in a real browser: the commit of an export, the comparison with another one and its previews.
 * OFFPRINT_SCREENSHOTS names a folder for pictures.
 */
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDashboard } from '../scripts/dashboard.mjs';
import { createProject, type Job, makeFolder, runExport, siteFiles } from './acceptance/api.ts';
import { createPerson } from './support/accounts.ts';
import { seriousFindings } from './support/axe.ts';
import { launchBrowser } from './support/browser.ts';
import { startTestPlatform, type TestPlatform } from './support/platform.ts';

const SCREENSHOTS = process.env.OFFPRINT_SCREENSHOTS;
const COMMIT = '9b1c7f0e5d3a2b4c6d8e9f0a1b2c3d4e5f607182';
const SUBJECT = 'Describe <b>limits</b> of & for exports';

let platform: TestPlatform;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let organizationId: string;
let after: Job;
const errors: string[] = [];

beforeAll(async () => {
  await buildDashboard(process.execPath);
  const dist = fileURLToPath(new URL('../apps/dashboard/dist', import.meta.url));
  platform = await startTestPlatform({ env: { OFFPRINT_DASHBOARD_DIR: dist } });
  const tenant = await platform.createTenant();
  ({ organizationId } = tenant);
  const files = siteFiles(14);
  const path = await makeFolder(files);
  const { domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path });
  await runExport(platform.url, tenant.key, { domain, version: 'one' });
  renameSync(join(path, 'guide/page-5.mdx'), join(path, 'guide/renamed.mdx'));
  writeFileSync(join(path, 'docs.json'), files['docs.json']!.replace('guide/page-5', 'guide/renamed'));
  writeFileSync(
    join(path, 'guide/page-1.mdx'),
    '---\ntitle: Other\n---\n\nEntirely <Note>other words</Note>.\n',
  );
  writeFileSync(join(path, 'extra.mdx'), '---\ntitle: Extra\n---\n\nAn extra page.\n');
  appendFileSync(join(path, 'guide/page-2.mdx'), '\n## Another heading\n');
  after = await runExport(platform.url, tenant.key, { domain, version: 'two' });
  expect(after.status, after.error).toBe('completed');
  // A folder has no commit; what the worker stores for one is tested with a real repository.
  const info = {
    subject: SUBJECT,
    author: 'Ada Lovelace',
    authoredAt: '2026-06-01T11:58:12.000Z',
    ref: 'docs/limits',
    url: `https://github.com/acme/docs/commit/${COMMIT}`,
  };
  await platform.database.db
    .updateTable('exports')
    .set({ commit: COMMIT, commit_info: JSON.stringify(info) })
    .where('id', '=', after.jobId)
    .execute();
  browser = await launchBrowser();
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const person = await createPerson(platform, { organizationId });
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
  page.on('pageerror', (error) => errors.push(String(error)));
});
afterAll(async () => {
  await browser?.close();
  await platform?.stop();
});

const open = (path: string) => page.goto(`${platform.url}/${organizationId}/${path}`);

async function shoot(name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(300);
      await page.screenshot({
        path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`),
        fullPage: true,
      });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}

test('lists, overview and the page of an export show its commit as text, with a link to the forge, and its project', async () => {
  for (const path of ['', 'exports', `exports/${after.jobId}`, `exports/${after.jobId}?tab=history`]) {
    await open(path);
    const link = page.getByRole('link', { name: SUBJECT }).first();
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe(`https://github.com/acme/docs/commit/${COMMIT}`);
    await shoot(`commit-${path.replaceAll(/[^a-z]+/g, '-').slice(0, 20)}`);
  }
  await open(`exports/${after.jobId}?tab=details`);
  await page.getByText('Commit author').waitFor();
  await page
    .getByRole('link', { name: /^Project \d/ })
    .first()
    .waitFor();
  await shoot('details');
});

test('Preview opens a tab and moves no button', async () => {
  await open(`exports/${after.jobId}`);
  const button = page.getByRole('button', { name: 'Preview' });
  await button.waitFor();
  const place = await button.boundingBox();
  const [tab] = await Promise.all([context.waitForEvent('page'), button.click()]);
  const link = page.getByRole('link', { name: /^Open the preview/ });
  await link.waitFor();
  expect(await button.boundingBox()).toEqual(place);
  await shoot('preview');
  await tab.close();
});

test('the comparison separates edited pages from changed navigation, and shows the diff of a page with both previews', async () => {
  await open(`exports/${after.jobId}?tab=changes`);
  for (const badge of ['2 edited', '1 renamed', '1 added', '12 navigation or layout only'])
    await page.getByText(badge, { exact: true }).waitFor();
  await page.getByText('guide/page-1', { exact: true }).click();
  const diff = page.getByRole('region', { name: 'Changes in guide/page-1.md' });
  await diff.getByText('other words').waitFor();
  await page
    .getByRole('region', { name: 'Navigation or layout only pages' })
    .getByText('guide/page-0')
    .click();
  await page.getByText('renamed.html').waitFor();
  await shoot('changes');
  expect(await seriousFindings(page)).toEqual([]);
  for (const [name, text] of [
    ['Other export', 'Part 0'],
    ['This export', 'other words'],
  ] as const) {
    const button = page.getByRole('region', { name: 'Edited pages' }).getByRole('button', { name }).first();
    const [tab] = await Promise.all([context.waitForEvent('page'), button.click()]);
    await tab.getByText(text).first().waitFor();
    expect(new URL(tab.url()).pathname).toMatch(/\/guide\/page-1$/);
    await tab.close();
  }
});

test('an export whose files are lost reports it, and what to do, until they are stored again', async () => {
  const { db } = platform.database;
  const { bundle_sha256 } = await db
    .selectFrom('exports')
    .select('bundle_sha256')
    .where('id', '=', after.jobId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('lost_artifacts')
    .values({
      id: 'lost',
      organization_id: organizationId,
      bundle_sha256: bundle_sha256!,
      export_id: after.jobId,
      state: 'lost',
      reason: 'A chunk is missing.',
    })
    .execute();
  await open(`exports/${after.jobId}`);
  const alert = page.getByRole('alert').filter({ hasText: 'The files of this export are lost' });
  await alert.getByText('Start a new export').waitFor();
  await shoot('lost');
  expect(await seriousFindings(page)).toEqual([]);
  await db.updateTable('lost_artifacts').set({ state: 'running' }).execute();
  await page.reload();
  await page.getByText('The files of this export are being rendered again').waitFor();
  await shoot('restoring');
  await db.deleteFrom('lost_artifacts').execute();
  await page.getByText('The files of this export are being rendered again').waitFor({ state: 'detached' });
});

test('an export that runs names its phase and its seconds', async () => {
  const job = await platform.database.db
    .updateTable('exports')
    .set({
      status: 'running',
      phase: 'writing',
      phase_started_at: new Date(Date.now() - 5_000),
      progress: 92,
      completed_at: null,
    })
    .where('id', '=', after.jobId)
    .returning(['id', 'organization_id'])
    .executeTakeFirstOrThrow();
  // In the hands of a worker that nobody takes it from.
  const beat_at = new Date(Date.now() + 3_600_000);
  await platform.database.db
    .insertInto('jobs')
    .values({ id: job.id, kind: 'export', organization_id: job.organization_id, worker: 1, beat_at })
    .execute();
  for (const path of [`exports/${job.id}`, 'exports', '']) {
    await open(path);
    await page.getByText('Writing the search index and assets').first().waitFor();
    await shoot(`phase-${path.replaceAll(/[^a-z]+/g, '-').slice(0, 8)}`);
  }
  await page.getByText(/^Writing the search index and assets, \d+ s/).waitFor();
});

test('no page logged an error', () => {
  expect(errors).toEqual([]);
});
