/**
 * The page of an agent job in a real browser, while the job works and after it. OFFPRINT_SCREENSHOTS names a folder for
 * pictures.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDashboard } from '../scripts/dashboard.mjs';
import { createPerson } from './support/accounts.ts';
import { type AgentLab, startAgentLab } from './support/agent/lab.ts';
import type { Answer, ScriptedRequest } from './support/agent/model-server.ts';
import { seriousFindings } from './support/axe.ts';
import { launchBrowser } from './support/browser.ts';

const SCREENSHOTS = process.env.OFFPRINT_SCREENSHOTS;
const HOSTILE = `I will add **one page**, with these steps:

1. Read \`index.mdx\`.
2. Write the page, then [check it](https://example.com/check).

<img src=x onerror="document.title='owned'"> <script>document.title='owned'</script>
[run](javascript:document.title='owned') ![pixel](https://tracker.example/p.png)

> Nothing of this may run.`;

const PAGE = '---\ntitle: Limits\n---\n\nSee [the limits](/nowhere).\n';
const write = (content: string, mode: string) => ({
  name: 'write_file',
  input: { path: 'limits.mdx', content, mode },
});

/** Adds a page with a dead link, receives its finding, and corrects it. */
function script({ step, tools }: ScriptedRequest): Answer {
  if (tools.some(({ name }) => name === 'report_color'))
    return { calls: [{ name: 'report_color', input: { color: 'blue' } }] };
  const steps: Answer[] = [
    { text: HOSTILE, calls: [{ name: 'list_files', input: {} }] },
    { text: 'The page comes first.', calls: [write(PAGE, 'create')] },
    { calls: [{ name: 'check_docs', input: {} }] },
    { text: 'The page is **written**.' },
    { text: 'The link leads nowhere.', calls: [write(PAGE.replace('/nowhere', '/index'), 'overwrite')] },
  ];
  return steps[step] ?? { text: 'Added the page:\n\n- `limits.mdx` is new\n- it links to the *start page*' };
}

let lab: AgentLab;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let organizationId: string;
const errors: string[] = [];

beforeAll(async () => {
  await buildDashboard(process.execPath);
  const dist = fileURLToPath(new URL('../apps/dashboard/dist', import.meta.url));
  lab = await startAgentLab({ script, env: { OFFPRINT_DASHBOARD_DIR: dist } });
  ({ organizationId } = lab.tenant);
  browser = await launchBrowser();
  context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  const { session } = await createPerson(lab.platform, { organizationId });
  await context.addCookies([
    { name: 'offprint_session', value: session, url: lab.platform.url, httpOnly: true, sameSite: 'Strict' },
  ]);
  page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== lab.platform.url) errors.push(`asked ${request.url()}`);
  });
}, 600_000);
afterAll(async () => {
  await context?.close();
  await browser?.close();
  await lab?.close();
});

const openJob = (id: string) =>
  page.goto(`${lab.platform.url}/${organizationId}/agent/${lab.projectId}/${id}`);

/** The page in both color schemes and two widths: no serious finding of axe, nothing wider than the screen. */
async function lookAt(name: string): Promise<void> {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page), `${name} ${width} ${colorScheme}`).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `${name} ${width}`).toBeLessThanOrEqual(0);
      if (SCREENSHOTS === undefined) continue;
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page.screenshot({
        path: join(SCREENSHOTS, `model-${name}-${width}-${colorScheme}.png`),
        fullPage: true,
      });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}

test('shows the prompt, the phase with its seconds and the text of the model while it is written', async () => {
  lab.model.faults.push({ step: 0, fault: { kind: 'stall' } });
  const job = await lab.create('Add a page about limits.');
  await openJob(job.id);
  const transcript = page.getByRole('region', { name: 'Transcript' });
  await transcript.getByText('Add a page about limits.').waitFor();
  await transcript.getByText('The model is writing').waitFor();
  await transcript.getByText(/^\d+ s$/).waitFor();
  const shown = transcript.locator('strong', { hasText: 'one page' });
  await shown.waitFor();
  expect(await transcript.getByRole('link', { name: /check it/ }).getAttribute('href')).toBe(
    'https://example.com/check',
  );
  expect(await transcript.locator('img, script, a[href^="javascript"]').count()).toBe(0);
  await transcript.getByText('<script>', { exact: false }).first().waitFor();
  expect(await page.title()).not.toContain('owned');
  await lookAt('during');
  await page.reload();
  await shown.waitFor();
  expect(await shown.count()).toBe(1);
  await page.getByRole('button', { name: 'Cancel job' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click();
  await page.getByText('This job was cancelled').waitFor();
  await expect.poll(() => shown.count()).toBe(0);
});

test('shows each check with the places of its findings, and Markdown, after the job', async () => {
  const job = await lab.create('Add a page about limits.');
  await openJob(job.id);
  await page.getByRole('region', { name: 'Result' }).waitFor();
  const findings = page.getByRole('list', { name: 'Findings' });
  await expect.poll(() => findings.count()).toBe(2);
  for (const index of [0, 1]) {
    expect(await findings.nth(index).locator('code').first().textContent()).toBe('limits.mdx:5');
  }
  expect(await page.getByRole('region', { name: 'Result' }).locator('li').count()).toBe(2);
  const prompts = page.getByText('Add a page about limits.', { exact: true });
  expect(await page.getByRole('region', { name: 'Transcript' }).locator(prompts).count()).toBe(1);
  await lookAt('after');
  expect(errors).toEqual([]);
});

test('tests the stored model beside its settings, and not one that was only typed', async () => {
  await page.goto(`${lab.platform.url}/${organizationId}/projects/${lab.projectId}?tab=agent`);
  const button = page.getByRole('button', { name: 'Test the model' });
  await button.click();
  await page.getByText(/The model responded in .* and called a tool/).waitFor();
  await lookAt('test');
  await page.getByLabel('Provider').selectOption('openai');
  await page.getByText('Save the agent settings to test them.').waitFor();
  expect(await button.isDisabled()).toBe(true);
  expect(errors).toEqual([]);
});
