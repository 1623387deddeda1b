/**
 * The fifteen cells of the table of features, each one by what a reader does in a browser and by what
 * `GET .../features` says: one project, deployed, served and exported as each deployment type by an installation that
 * provides everything. What the switches and the bundle of each type do is in `features-browser.slow.test.ts`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnalyticsTraffic, ProjectFeatures } from '@offprint/contract';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBundle } from '../apps/site/src/index.ts';
import { type Bundle, call, deploy, runExport } from './acceptance/api.ts';
import { HOST, modelEnv, type ServedDocs, serveDocs } from './assistant/site.ts';
import { type ModelServer, startModelServer } from './support/agent/model-server.ts';
import { launchBrowser } from './support/browser.ts';
import { type Cell, featureCells } from './support/feature-table.ts';

const FILES: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Zoo',
    colors: { primary: '#166e3f' },
    api: { openapi: 'api.json', playground: { display: 'interactive' } },
    navigation: { pages: ['index', 'guide', 'GET /animals'] },
  }),
  'api.json': JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Zoo', version: '1' },
    servers: [{ url: 'https://api.zoo.example' }],
    paths: { '/animals': { get: { summary: 'List animals', responses: { 200: { description: 'Done.' } } } } },
  }),
  'index.mdx': '---\ntitle: Home\n---\n\nWelcome to the zoo.\n',
  'guide.mdx': '---\ntitle: Guide\n---\n\n## Stripes\n\nThe zebra has stripes.\n',
};
const HANG_MS = 60_000;
/** Longer than a view needs to be counted. */
const COUNT_MS = 8_000;

let docs: ServedDocs;
let model: ModelServer;
let browser: Browser;

beforeAll(async () => {
  model = await startModelServer({ script: () => ({ text: 'The zebra has them.' }) });
  docs = await serveDocs(FILES, {
    env: { ...modelEnv(model.url), OFFPRINT_FEATURES: 'search,assistant,analytics,playground' },
  });
  browser = await launchBrowser();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await docs?.stop();
  await model?.close();
});

async function api<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const reply = await call<Body>(docs.platform.url, method, path, { key: docs.tenant.key, body });
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.body;
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + HANG_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error('it takes too long');
    await sleep(100);
  }
}

/** Views of every kind of client that are counted. */
async function countViews(): Promise<number> {
  const { days } = await api<AnalyticsTraffic>('GET', `/v1/analytics/${docs.projectId}/traffic`);
  return days.reduce((sum, { views }) => sum + views, 0);
}

const url = (path: string) => `http://${HOST}${path}`;

/** Status of a request that a page of the site sends to the site. */
const send = (page: Page, path: string, body: unknown): Promise<number> =>
  page.evaluate(
    async ([target, content]) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(target, { method: 'POST', headers, body: content })).status;
    },
    [path, JSON.stringify(body)] as const,
  );

type Check = (page: Page, isThere: boolean, type: Cell['type']) => Promise<void>;

/** By feature: what a reader does with it, and what is there instead where the table excludes it. */
const CHECKS: Readonly<Record<Cell['name'], Check>> = {
  async search(page, isThere) {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('zebra');
    // The search of the pages needs no service, so that every type has it.
    await page.locator('#search-results [role=option]', { hasText: 'Stripes' }).waitFor();
    const { platform, tenant } = docs;
    const { status, text } = await call(platform.url, 'POST', `/discovery/v1/search/${HOST}`, {
      key: tenant.key,
      body: { query: 'zebra' },
    });
    expect(status === 200, text).toBe(isThere);
    expect(text.includes('/guide'), text).toBe(isThere);
  },
  async assistant(page, isThere) {
    const opener = page.getByRole('button', { name: 'Ask a question' });
    if (!isThere) {
      expect(await opener.count()).toBe(0);
      const before = model.requests.length;
      const question = { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Who has stripes?' }] }] };
      expect(await send(page, '/_offprint/assistant/message', question)).toBeGreaterThanOrEqual(400);
      expect(model.requests).toHaveLength(before);
      return;
    }
    await opener.click();
    const dialog = page.getByRole('dialog', { name: 'Assistant' });
    await dialog.getByRole('textbox', { name: 'Ask a question' }).fill('Who has stripes?');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('The zebra has them.').first().waitFor();
  },
  async analytics(page, isThere) {
    const before = await countViews();
    await page.goto(url('/guide'));
    expect((await page.content()).includes('Was this page helpful?')).toBe(isThere);
    if (isThere) return until(async () => (await countViews()) > before);
    await sleep(COUNT_MS);
    expect(await countViews()).toBe(before);
  },
  async playground(page, isThere, type) {
    const openPage = async () => {
      await page.goto(url('/'));
      await page.locator('#navigation-items a', { hasText: 'List animals' }).click();
      await page.getByRole('heading', { name: 'List animals' }).waitFor();
    };
    await openPage();
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(isThere).toBe(true);
    if (type !== 'air-gapped') return;
    // configurable: a switch takes it out
    await api('PUT', `/v1/projects/${docs.projectId}/features`, { playground: false });
    await deploy(docs.platform.url, docs.tenant.key, docs.projectId);
    await until(async () => {
      await openPage();
      return (await page.getByRole('button', { name: 'Try it' }).count()) === 0;
    });
    await api('PUT', `/v1/projects/${docs.projectId}/features`, { playground: true });
  },
  async 'static-export'(page) {
    const dir = mkdtempSync(join(tmpdir(), 'offprint-features-'));
    const job = await runExport(docs.platform.url, docs.tenant.key, { domain: HOST });
    expect(job.status, job.error).toBe('completed');
    const { bundleUrl } = await api<Bundle>('POST', `/v1/static-export/jobs/${job.jobId}/bundle`);
    const bundle = join(dir, 'bundle.tar.gz');
    writeFileSync(bundle, Buffer.from(await (await fetch(bundleUrl)).arrayBuffer()));
    const releasesDir = join(dir, 'releases');
    const site = await serveBundle({ bundle, releasesDir, port: 0, host: '127.0.0.1', durable: false });
    const own = await page.context().browser()?.newPage();
    await own?.goto(`${site.url}guide`);
    expect(await own?.getByRole('heading', { name: 'Stripes' }).count()).toBe(1);
    await own?.close();
    await site.stop();
    rmSync(dir, { recursive: true, force: true });
  },
};

describe.each(['cloud', 'client-hosted', 'air-gapped'] as const)('%s', (type) => {
  let features: ProjectFeatures['features'];

  beforeAll(async () => {
    await api('PATCH', `/v1/projects/${docs.projectId}`, { deploymentType: type });
    await deploy(docs.platform.url, docs.tenant.key, docs.projectId);
    // Site servers take a new deployment and a new type some moments later.
    await sleep(3_000);
    ({ features } = await api<ProjectFeatures>('GET', `/v1/projects/${docs.projectId}/features`));
  }, 300_000);

  test.each(featureCells.filter((cell) => cell.type === type))(
    '$name is $availability',
    async ({ name, availability }) => {
      const told = features.find((feature) => feature.name === name);
      const isThere = availability !== 'unavailable';
      expect(told).toMatchObject({
        availability,
        enabled: isThere,
        status: isThere ? 'enabled' : 'unavailable',
      });
      const context = await browser.newContext({ proxy: { server: `http://127.0.0.1:${docs.port}` } });
      const page = await context.newPage();
      page.setDefaultTimeout(HANG_MS);
      await page.goto(url('/'));
      await CHECKS[name](page, isThere, type);
      await context.close();
    },
    300_000,
  );
});
