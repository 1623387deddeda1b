/**
 * What the table of features does to a site, shown in a browser: one docs folder that sets up everything, exported for
 * each deployment type, served, and used. No page of it asks another host for anything, and where the table or a switch
 * excludes a feature, no file of the bundle has a trace of it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeploymentType } from '@offprint/contract';
import { memorySource } from '@offprint/render';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportBundle } from '../apps/server/src/exports/export-site.ts';
import {
  excludedFeatures,
  type FeatureSwitches,
  resolveFeatures,
} from '../apps/server/src/projects/feature.ts';
import { type Site, serveBundle } from '../apps/site/src/index.ts';
import { launchBrowser } from './support/browser.ts';

const assistants = ['chatgpt', 'claude', 'perplexity', 'grok', 'aistudio', 'devin'];
const integrations = {
  adobe: { launchUrl: 'https://assets.adobedtm.com/trace-adobe.js' },
  amplitude: { apiKey: 'trace-amplitude' },
  clarity: { projectId: 'trace-clarity' },
  clearbit: { publicApiKey: 'trace-clearbit' },
  fathom: { siteId: 'trace-fathom' },
  ga4: { measurementId: 'G-trace-ga4' },
  gtm: { tagId: 'GTM-trace' },
  heap: { appId: 'trace-heap' },
  hotjar: { hjid: 'trace-hotjar', hjsv: '6' },
  intercom: { appId: 'trace-intercom' },
  logrocket: { appId: 'trace-logrocket' },
  mixpanel: { projectToken: 'trace-mixpanel' },
  pirsch: { id: 'trace-pirsch' },
  plausible: { domain: 'trace-plausible.example', server: 'plausible.io' },
  posthog: { apiKey: 'phc_trace', apiHost: 'https://us.i.posthog.com' },
  segment: { key: 'trace-segment' },
  telemetry: { enabled: true },
};

const DOCS: Record<string, string> = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Acme',
    colors: { primary: '#166e3f' },
    search: { prompt: 'Ask AI or search' },
    banner: { content: 'Ask [ChatGPT](https://chatgpt.com/g/acme) about us.' },
    navbar: { links: [{ label: 'Ask Claude', href: 'https://claude.ai/new' }] },
    contextual: {
      options: [
        ...['copy', 'view', ...assistants, 'assistant', 'mcp', 'cursor', 'vscode'],
        {
          title: 'Ask another',
          description: 'With this page',
          href: 'https://www.perplexity.ai/search?q=$page',
        },
      ],
    },
    integrations,
    api: { openapi: 'api.json', playground: { display: 'interactive', proxy: true } },
    navigation: {
      groups: [
        { group: 'Start', pages: ['index', 'guide'] },
        { group: 'API', pages: ['GET /animals'] },
      ],
    },
  }),
  'api.json': JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Zoo', version: '1' },
    servers: [{ url: 'https://api.zoo.example' }],
    paths: {
      '/animals': {
        get: { summary: 'List animals', responses: { 200: { description: 'The animals.' } } },
      },
    },
  }),
  'index.mdx':
    '---\ntitle: Home\n---\n\nSee [the guide](/guide).\n\n<Prompt description="Do it" actions={["copy", "cursor"]}>Feed the zebra.</Prompt>\n',
  'guide.mdx': '---\ntitle: Guide\n---\n\n## Stripes\n\nThe zebra has stripes.\n',
};

/** Of the services and of what DOCS gives them. */
const ANALYTICS =
  /trace-|phc_trace|googletagmanager|google-analytics|assets\.adobedtm|amplitude\.com|clarity\.ms|usefathom|heapanalytics|hotjar\.com|intercom\.io|logrocket|mixpanel\.com|pirsch\.io|plausible\.io|posthog|segment\.(?:com|io)/i;
const ASSISTANTS =
  /chatgpt\.com|openai\.com|claude\.ai|perplexity\.ai|grok\.com|aistudio\.google|devin\.ai|cursor:\/\/|vscode:|\bmcp\b/i;
const HOSTED_SEARCH = /algolia|typesense|meilisearch|docsearch|trieve|inkeep|kapa\.ai/i;

interface Setting {
  name: string;
  type: DeploymentType;
  /** OFFPRINT_FEATURES. */
  provided: string[];
  switches?: FeatureSwitches;
  /** What a reader finds. */
  hasSearch: boolean;
  leadsToAssistants: boolean;
}

const ALL = ['search', 'assistant', 'analytics', 'playground'];
const OFF: FeatureSwitches = { search: false, assistant: false, analytics: false, playground: false };
const settings: Setting[] = [
  { name: 'cloud', type: 'cloud', provided: [], hasSearch: true, leadsToAssistants: true },
  {
    name: 'client-hosted, nothing provided',
    type: 'client-hosted',
    provided: [],
    hasSearch: true,
    leadsToAssistants: false,
  },
  {
    name: 'client-hosted, nothing provided, all switched off',
    type: 'client-hosted',
    provided: [],
    switches: OFF,
    hasSearch: false,
    leadsToAssistants: false,
  },
  {
    name: 'client-hosted, all provided',
    type: 'client-hosted',
    provided: ALL,
    hasSearch: true,
    leadsToAssistants: true,
  },
  {
    name: 'client-hosted, all switched off',
    type: 'client-hosted',
    provided: ALL,
    switches: OFF,
    hasSearch: false,
    leadsToAssistants: false,
  },
  { name: 'air-gapped', type: 'air-gapped', provided: ALL, hasSearch: true, leadsToAssistants: false },
  {
    name: 'air-gapped, all switched off',
    type: 'air-gapped',
    provided: [],
    switches: OFF,
    hasSearch: true,
    leadsToAssistants: false,
  },
];

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe.each(settings)('$name', ({ type, provided, switches = {}, hasSearch, leadsToAssistants }) => {
  const facts = { deploymentType: type, provided: new Set(provided), switches };
  const hasPlayground = type !== 'air-gapped' || switches.playground !== false;
  let folder: string;
  let site: Site;
  let page: Page;
  /** Of the bundle, by path. */
  const files = new Map<string, string>();
  const outside: string[] = [];
  const faults: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-features-'));
    const file = join(folder, 'bundle.tar.gz');
    await exportBundle({
      source: memorySource(DOCS),
      file,
      domain: 'docs.example.com',
      siteUrl: 'https://docs.example.com',
      commit: null,
      committedAt: null,
      excluded: excludedFeatures(facts),
    });
    const releasesDir = join(folder, 'releases');
    site = await serveBundle({ bundle: file, releasesDir, port: 0, host: '127.0.0.1', durable: false });
    for (const one of readdirSync(releasesDir, { recursive: true, withFileTypes: true })) {
      if (!one.isFile()) continue;
      const path = join(one.parentPath, one.name);
      files.set(path, readFileSync(path, 'latin1'));
    }
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
    });
    context.on('request', (request) => {
      if (!request.url().startsWith(site.url)) outside.push(request.url());
    });
    page = await context.newPage();
    page.on('websocket', (socket) => outside.push(socket.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
  });
  afterAll(async () => {
    await page?.context().close();
    await site?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const traces = (pattern: RegExp) =>
    [...files].filter(([, text]) => pattern.test(text)).map(([path]) => path);

  test('the manifest says what is inside, and nothing else is', () => {
    expect(files.size).toBeGreaterThan(10);
    expect(site.manifest().features).toEqual({
      search: hasSearch,
      'assistant-links': leadsToAssistants,
      'static-export': true,
      assistant: false,
      analytics: false,
      playground: hasPlayground,
    });
    for (const { name, inExport, enabled } of resolveFeatures({ ...facts, services: new Set() }, 'enterprise')
      .features) {
      expect(inExport, `${name} as the endpoint tells it`).toBe(site.manifest().features[name]);
      const works = name === 'static-export' || (name === 'playground' && hasPlayground);
      expect(enabled, 'no service works that is not there').toBe(works);
    }
    expect(site.manifest().connect).toEqual(hasPlayground ? ['https://api.zoo.example'] : undefined);
    expect(traces(/op-playground|data-op-playground/).length > 0, 'of the playground').toBe(hasPlayground);
    expect(traces(ANALYTICS), 'of analytics').toEqual([]);
    expect(traces(HOSTED_SEARCH), 'of a hosted search').toEqual([]);
    expect(traces(ASSISTANTS).length > 0, 'of assistants').toBe(leadsToAssistants);
    expect(traces(/\bask\b/i).length > 0, 'of what invites to ask one').toBe(leadsToAssistants);
    expect([...files.keys()].some((path) => path.includes('/_offprint/search'))).toBe(hasSearch);
  });

  test('a reader searches, where the export has a search, without a service', async () => {
    await page.goto(site.url);
    expect(await page.locator('#search-bar-entry').count()).toBe(hasSearch ? 1 : 0);
    await page.keyboard.press('Control+k');
    if (!hasSearch) {
      expect(await page.locator('#search-dialog').count()).toBe(0);
      return;
    }
    await page.waitForSelector('#search-dialog[open]');
    await page.keyboard.insertText('zebra');
    await page.waitForSelector('#search-results [role=option] >> text=Stripes');
    await page.keyboard.press('Escape');
  });

  test('the menu of a page leads to assistants only where they are not excluded', async () => {
    await page.goto(`${site.url}guide`);
    await page.click('#page-menu-button');
    const entries = await page.locator('#page-menu [role=menuitem]').allInnerTexts();
    const led = entries.filter((text) => /ChatGPT|Claude|Perplexity|Grok|AI Studio|Devin|another/.test(text));
    expect(led).toHaveLength(leadsToAssistants ? assistants.length + 1 : 0);
    expect(entries.join('\n')).toContain('Copy page');
    expect(entries.join('\n')).not.toMatch(/MCP|VS Code|Cursor/);
  });

  test('a page of the API has a form where it is not excluded, and sends no request by itself', async () => {
    const link = await page.locator('#navigation-items a', { hasText: 'List animals' }).getAttribute('href');
    await page.goto(new URL(link ?? '', page.url()).href);
    expect(await page.locator('h1').innerText()).toContain('List animals');
    const open = page.getByRole('button', { name: 'Try it' });
    expect(await open.count()).toBe(hasPlayground ? 1 : 0);
    if (!hasPlayground) {
      expect(await page.locator('main form, main input').count()).toBe(0);
      return;
    }
    await open.click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('no page asks another host for anything', async () => {
    const pages = [...files.keys()].filter((path) => path.endsWith('.html'));
    expect(pages.length).toBeGreaterThanOrEqual(4);
    for (const path of ['', 'guide', '404']) {
      await page.goto(`${site.url}${path}`);
      await page.waitForLoadState('networkidle');
    }
    expect(outside).toEqual([]);
    expect(faults.filter((text) => !text.includes('404'))).toEqual([]);
  });
});
