/**
 * Deployments in the dashboard, in a real browser: update, roll back, preview, delete, and what pushes do.
 * OFFPRINT_SCREENSHOTS names a folder for pictures.
 */
import { createHmac } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDashboard } from '../scripts/dashboard.mjs';
import { call, createProject, siteFiles } from './acceptance/api.ts';
import { verifyHost } from './acceptance/served-site.ts';
import { createPerson } from './support/accounts.ts';
import { seriousFindings } from './support/axe.ts';
import { launchBrowser } from './support/browser.ts';
import { type GitServer, startGitServer } from './support/git-server.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from './support/platform.ts';

const SCREENSHOTS = process.env.OFFPRINT_SCREENSHOTS;
/** Nothing here takes as long; what does hangs. */
const PATIENCE_MS = 120_000;
/** Too long for a column. */
const EMAIL = 'augusta.ada.lovelace@documentation.example.com';

let platform: TestPlatform;
let tenant: Tenant;
let git: GitServer;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;
let domain: string;
let head: string;
const errors: string[] = [];

const commit = async (files: Record<string, string>, message: string, ref = 'refs/heads/main') => {
  const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
  return git.commit('docs.git', entries, { ref, message, author: 'Ada Lovelace' });
};

beforeAll(async () => {
  await buildDashboard(process.execPath);
  const dist = fileURLToPath(new URL('../apps/dashboard/dist', import.meta.url));
  git = await startGitServer();
  head = await commit(siteFiles(1), 'Add the first page');
  platform = await startTestPlatform({
    env: {
      OFFPRINT_DASHBOARD_DIR: dist,
      OFFPRINT_PREVIEW_DOMAIN: 'previews.example.net',
      OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      OFFPRINT_ALLOW_HTTP_GIT_HOSTS: '127.0.0.1',
    },
  });
  tenant = await platform.createTenant();
  ({ projectId, domain } = await createProject(platform.url, tenant.key, {
    kind: 'git',
    repository: `${git.url}/docs.git`,
  }));
  await verifyHost(platform, { organizationId: tenant.organizationId, projectId, host: domain });
  browser = await launchBrowser();
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const person = await createPerson(platform, { organizationId: tenant.organizationId, email: EMAIL });
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
  await git?.close();
});

/** Pictures of the page in both themes and widths, none of which scrolls sideways. */
async function shoot(name: string): Promise<void> {
  for (const [width, height] of [
    [1280, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow, `${name} at ${width} px`).toBe(0);
    if (SCREENSHOTS === undefined) continue;
    mkdirSync(SCREENSHOTS, { recursive: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(300);
      await page.screenshot({
        path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`),
        fullPage: true,
      });
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const row = (text: string) => page.getByRole('row').filter({ hasText: text });

test('a project without a deployment says what an update does, and starts one', async () => {
  await page.goto(`${platform.url}/${tenant.organizationId}/projects/${projectId}?tab=deployments`);
  await page.getByRole('heading', { name: 'Nothing is live yet' }).waitFor();
  await page.getByRole('heading', { name: 'No deployments yet' }).waitFor();
  await shoot('deployments-empty');
  await button('Update site').click();
  await page.getByRole('link', { name: domain }).waitFor();
  const live = page.getByRole('region', { name: 'Live' });
  await live.getByText('Add the first page').waitFor();
  await live
    .getByText('person', { exact: false })
    .or(live.getByText('@', { exact: false }))
    .first()
    .waitFor();
  expect(await live.textContent()).toContain(head.slice(0, 12));
  expect(await row('Live').count()).toBe(1);
}, 300_000);

test('an update that fails shows the reason, and what is live stays', async () => {
  await commit({ 'readme.txt': 'nothing' }, 'Remove everything');
  await button('Update site').click();
  await row('Failed').getByText('docs.json', { exact: false }).first().waitFor();
  await page.getByRole('region', { name: 'Live' }).getByText('Add the first page').waitFor();
}, 300_000);

test('an earlier deployment is made live again after a confirmation', async () => {
  await commit(siteFiles(2), 'Add the second page');
  await button('Update site').click();
  const live = page.getByRole('region', { name: 'Live' });
  await live.getByText('Add the second page').waitFor();
  await row('Add the first page')
    .getByRole('button', { name: /^Make live: / })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Nothing is built.', { exact: false }).waitFor();
  await shoot('deployments-rollback');
  await dialog.getByRole('button', { name: 'Roll back' }).click();
  await live.getByText('Add the first page').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await row('Add the second page')
    .getByRole('button', { name: /^Make live: / })
    .waitFor();
}, 300_000);

test('a preview of a branch has a link, and is deleted after a confirmation', async () => {
  await commit(siteFiles(3), 'Try something', 'refs/heads/topic');
  await button('Create preview').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Branch').fill('-no branch');
  await dialog.getByRole('button', { name: 'Create preview' }).click();
  await dialog.getByText('must be the name of a branch', { exact: false }).first().waitFor();
  await dialog.getByLabel('Branch').fill('topic');
  await dialog.getByRole('button', { name: 'Create preview' }).click();
  await dialog.waitFor({ state: 'detached' });
  const link = page.getByRole('link', { name: /^topic-[a-z2-9]{12}\.previews\.example\.net/ });
  await link.waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await shoot('deployments');
  await row('Preview')
    .getByRole('button', { name: /^Delete: / })
    .click();
  await dialog.getByRole('button', { name: 'Delete preview' }).click();
  await link.waitFor({ state: 'detached' });
}, 300_000);

test('pushes are connected by two switches', async () => {
  const hosting = async () =>
    (
      await call<{ enabled: boolean; previews: { enabled: boolean } }>(
        platform.url,
        'GET',
        `/v1/projects/${projectId}/hosting`,
        { key: tenant.key },
      )
    ).body;
  await page.getByRole('switch', { name: 'Update the site' }).click();
  await page.getByText('Hosting saved.').first().waitFor();
  await expect.poll(async () => (await hosting()).enabled).toBe(true);
  await page.getByRole('switch', { name: 'Preview branches' }).click();
  await expect.poll(async () => (await hosting()).previews.enabled, { timeout: PATIENCE_MS }).toBe(true);
  expect(errors).toEqual([]);
}, 300_000);

/** Delivers the event of a pull request, as GitHub signs it. */
async function deliverPull(secret: string, sha: string): Promise<string> {
  const path = new URL(`${git.url}/docs.git`).pathname.replace(/^\/|\.git$/g, '');
  const body = JSON.stringify({
    action: 'opened',
    number: 9,
    repository: { full_name: path, default_branch: 'main' },
    pull_request: {
      number: 9,
      user: { login: 'mallory' },
      head: { ref: 'topic', sha, repo: { full_name: 'mallory/docs' } },
      base: { ref: 'main', repo: { full_name: path } },
    },
  });
  const reply = await call<{ message: string }>(platform.url, 'POST', `/v1/webhooks/${projectId}`, {
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'pull_request',
      'x-github-delivery': sha,
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  });
  return reply.body.message;
}

test('a commit of a fork is previewed after a member has approved it, and a failed feedback is shown', async () => {
  const api = <Body>(method: string, path: string, body: unknown) =>
    call<Body>(platform.url, method, path, { key: tenant.key, body });
  const automation = `/v1/projects/${projectId}/automation`;
  expect((await api('PUT', automation, { webhook: { enabled: true } })).status).toBe(200);
  const { secret } = (await api<{ secret: string }>('POST', `${automation}/secret`, {})).body;
  const sha = await commit(siteFiles(4), 'Improve something', 'refs/pull/9/head');
  expect(await deliverPull(secret, sha)).toMatch(/waits for the approval of a member/);

  const waiting = row('Waits for approval');
  await waiting.getByText('mallory/docs:topic').waitFor();
  await shoot('deployments-fork');
  await waiting.getByRole('button', { name: `Approve: ${sha.slice(0, 12)}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Review its changes first', { exact: false }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await shoot('deployments-approve');
  await dialog.getByRole('button', { name: 'Approve and preview' }).click();
  const built = row('mallory/docs:topic');
  await built.getByText('Improve something').waitFor();
  await built.getByText('Approved by', { exact: false }).waitFor();
  await built
    .getByRole('link', { name: /^mallory-docs-topic-[a-z2-9]{12}\.previews\.example\.net/ })
    .waitFor();

  // As if the forge had refused the token.
  const { db } = platform.database;
  const deployment = await db
    .selectFrom('deployments')
    .select(['id', 'organization_id', 'project_id', 'commit'])
    .where('fork', '=', 'mallory/docs')
    .executeTakeFirstOrThrow();
  expect(deployment.commit).toBe(sha);
  await db
    .insertInto('deployment_tasks')
    .values({
      id: 'task_failed',
      organization_id: deployment.organization_id,
      project_id: deployment.project_id,
      deployment_id: deployment.id,
      task: 'feedback',
      lane: 'feedback/test',
      error: 'The token may not set statuses.',
    })
    .execute();
  await db.updateTable('deployment_tasks').set({ state: 'failed' }).where('id', '=', 'task_failed').execute();
  await built.getByText('The forge does not show the result: The token may not set statuses.').waitFor();
  await shoot('deployments-feedback');
  expect(errors).toEqual([]);
}, 300_000);

/** Words of the table, such as the parts of an email address between its signs, that are on more than one line. */
const brokenWords = () =>
  page.evaluate(() =>
    [...document.querySelectorAll('table td')].flatMap((cell) => {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const text = node.textContent ?? '';
        if (!/^[\w@.:/-]+$/.test(text)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) found.push(`${text}: ${lines.size} lines`);
      }
      return found;
    }),
  );

test('email addresses, hosts and commits break at their signs only, in the table and on its cards', async () => {
  expect(await row('Ready').textContent()).toContain(EMAIL);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await brokenWords(), `${width} px`).toEqual([]);
  }
});

test('the tabs of a project fit into 1280 px; on a phone all are reached with keys, and an edge shows that there are more', async () => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const tabs = page.getByRole('tablist', { name: 'Project' });
  const excess = () => tabs.evaluate((list) => list.scrollWidth - list.clientWidth);
  // beside a bar for scrolling that takes room
  await page.setViewportSize({ width: 1264, height: 900 });
  expect(await excess()).toBe(0);
  const edges = tabs.locator('xpath=following-sibling::button');
  expect(await edges.count()).toBe(0);

  await page.setViewportSize({ width: 390, height: 844 });
  await edges.first().waitFor();
  const isInSight = (name: string) =>
    page.getByRole('tab', { name, exact: true }).evaluate((tab) => {
      const [own, list] = [tab.getBoundingClientRect(), tab.parentElement?.getBoundingClientRect()];
      return own.left >= (list?.left ?? 0) && own.right <= (list?.right ?? 0);
    });
  await page.getByRole('tab', { name: 'Overview' }).click();
  for (const name of await tabs.getByRole('tab').allTextContents()) {
    // The key moves the focus in a task of its own.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(name);
    await expect.poll(() => isInSight(name), { message: name }).toBe(true);
    await page.keyboard.press('ArrowRight');
  }
  await page.getByRole('tab', { name: 'Overview' }).waitFor();
  await edges.last().click();
  await expect.poll(() => isInSight('Domains')).toBe(true);
});

test('the pages of domains and access fit each window', async () => {
  for (const [tab, heading] of [
    ['domains', 'Base path'],
    ['access', 'Releases for readers'],
  ] as const) {
    await page.goto(`${platform.url}/${tenant.organizationId}/projects/${projectId}?tab=${tab}`);
    await page.getByRole('heading', { name: heading }).waitFor();
    await shoot(tab);
    expect(await seriousFindings(page)).toEqual([]);
  }
  expect(errors).toEqual([]);
}, 300_000);
