/**
 * Pages of the real docs sites (forty with OFFPRINT_TEST=full) as a reader opens them: light and dark, wide and narrow, from a host with the
 * bundle's policy and from disk.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { directorySource, renderSite } from '@offprint/render';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { corpora, corporaFolder, NO_CORPORA } from '../support/corpora.ts';
import { isFull } from '../support/size.ts';
import { type StaticServer, serveStatic } from '../support/static-server.ts';

const PAGES = isFull ? 40 : 16;
const MAX_REQUESTS = 6;
const MAX_BYTES = 60_000;

/** Findings whose cause is in the source, by page and rule. */
const IN_THE_SOURCE: Readonly<Record<string, string>> = {
  'hoppscotch__docs/index.html color-contrast': 'white text on the dark primary of docs.json, 3.86:1',
  'hoppscotch__docs/documentation/features/ai-features.html color-contrast':
    'a style attribute of the page writes #07c983 on the ground',
};

interface Site {
  name: string;
  folder: string;
  pages: string[];
  /** Last parts of addresses that the source names and does not have, from the warnings of the export. */
  missing: (address: string) => boolean;
}

const sites = corpora();

async function exportSite(name: string, source: string, folder: string): Promise<Site> {
  const pages: string[] = [];
  const { warnings } = await renderSite({
    source: directorySource(source),
    siteUrl: 'https://docs.example.com',
    emit(path, content) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      if (!path.endsWith('.html') || path === '404.html' || path.startsWith('_offprint/')) return;
      if (!String(content).includes('http-equiv="refresh"')) pages.push(path);
    },
  });
  const named = warnings.filter(({ code }) => code === 'missing-asset').map(({ message }) => message);
  const missing = (address: string): boolean => {
    const last = decodeURIComponent(new URL(address).pathname).split('/').pop() ?? '';
    return last !== '' && named.some((message) => message.includes(last));
  };
  return { name, folder, pages: pages.sort(), missing };
}

/** As many from each site, evenly spread and neither first nor last, so that the choice is the same in every run. */
function choose(site: Site, count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const at = Math.floor(((n + 0.5) * site.pages.length) / count);
    return site.pages[at] as string;
  });
}

/** Faults of a page that a reader's browser reports, but for files that the source itself lacks. */
function watch(page: Page, root: string, missing: (address: string) => boolean, faults: string[]): void {
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    if (/ERR_FILE_NOT_FOUND|404 \(Not Found\)/.test(message.text()) && missing(url)) return;
    faults.push(`${page.url()} console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`${page.url()} exception: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(root) && !/^(?:data|blob|about):/.test(url))
      faults.push(`${page.url()} outside: ${url}`);
  });
}

describe.skipIf(sites.length === 0)(
  `reading real docs sites${corporaFolder() === null ? ` (skipped: ${NO_CORPORA})` : ''}`,
  () => {
    let folder: string;
    let browser: Browser;
    let server: StaticServer;
    const exported: Site[] = [];
    const chosen: { site: Site; path: string }[] = [];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'offprint-reading-'));
      for (const { name, folder: source } of sites)
        exported.push(await exportSite(name, source, join(folder, name)));
      for (const site of exported)
        for (const path of choose(site, Math.ceil(PAGES / exported.length))) chosen.push({ site, path });
      const policy = /Content-Security-Policy:\s*(.+)/i.exec(
        readFileSync(join(exported[0]?.folder ?? '', '_headers'), 'utf8'),
      )?.[1];
      expect(policy).toContain("default-src 'none'");
      server = await serveStatic(folder, '/some/sub-path', {
        'content-security-policy': policy ?? '',
        'cache-control': 'max-age=600',
      });
      browser = await launchBrowser();
    });

    afterAll(async () => {
      await browser?.close();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const visit = async (
      context: BrowserContext,
      base: string,
      root: string,
      look: (page: Page, name: string) => Promise<void>,
    ): Promise<string[]> => {
      const faults: string[] = [];
      for (const { site, path } of chosen) {
        const page = await context.newPage();
        watch(page, root, site.missing, faults);
        await page.goto(`${base}/${site.name}/${encodeURI(path)}`);
        await look(page, `${site.name}/${path}`);
        await page.close();
      }
      return faults;
    };

    const WIDE = { width: 1440, height: 900 };
    const NARROW = { width: 390, height: 844 };

    /** What is wrong with an open page in one theme and at one width. */
    const look = async (
      page: Page,
      name: string,
      colorScheme: 'light' | 'dark',
      viewport: typeof WIDE,
    ): Promise<string[]> => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize(viewport);
      const found = (await seriousFindings(page, { colours: colorScheme === 'dark' })).filter(
        (finding) => IN_THE_SOURCE[`${name} ${finding.slice(0, finding.indexOf(':'))}`] === undefined,
      );
      const overflow = (await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )) as number;
      if (overflow > 0) found.push(`${overflow} px wider than the screen`);
      return found.map((finding) => `${name}, ${colorScheme}, ${viewport.width} px: ${finding}`);
    };

    /** Looked at again when there is something: fonts and pictures may still be on their way on a busy machine. */
    const lasting = async (...what: Parameters<typeof look>): Promise<string[]> => {
      const found = await look(...what);
      if (found.length === 0) return found;
      await what[0].waitForTimeout(1000);
      return look(...what);
    };

    test(`${PAGES} pages below a sub-path with the strict policy, light and dark, wide and narrow: nothing from outside, no error, no serious accessibility finding, nothing wider than the screen`, async () => {
      expect(chosen.length).toBeGreaterThanOrEqual(PAGES);
      const context = await browser.newContext({ viewport: WIDE });
      const found: string[] = [];
      const faults = await visit(context, server.url, server.url, async (page, name) => {
        for (const viewport of [WIDE, NARROW])
          for (const scheme of ['light', 'dark'] as const)
            found.push(...(await lasting(page, name, scheme, viewport)));
      });
      await context.close();
      expect({ faults, found }).toEqual({ faults: [], found: [] });
    }, 300_000);

    test(`${PAGES} pages from file://: nothing from outside, no error`, async () => {
      const context = await browser.newContext({ viewport: WIDE });
      const base = `file://${folder}`;
      const faults = await visit(context, base, base, () => Promise.resolve());
      await context.close();
      expect(faults).toEqual([]);
    }, 120_000);

    test(`an ordinary page opened cold takes at most ${MAX_REQUESTS} requests and ${MAX_BYTES / 1000} kB gzip of HTML, CSS and JavaScript`, async () => {
      const heavy: string[] = [];
      for (const { site, path } of chosen.filter((_, at) => at % 2 === 0)) {
        const context = await browser.newContext({ viewport: WIDE });
        const page = await context.newPage();
        const loaded = new Set<string>();
        page.on('request', (request) => {
          if (['document', 'stylesheet', 'script'].includes(request.resourceType()))
            loaded.add(request.url());
        });
        await page.goto(`${server.url}/${site.name}/${encodeURI(path)}`, { waitUntil: 'load' });
        await context.close();
        const bytes = [...loaded].reduce((sum, url) => {
          const file = decodeURIComponent(new URL(url).pathname.slice('/some/sub-path'.length));
          return sum + gzipSync(readFileSync(join(folder, file))).length;
        }, 0);
        if (loaded.size > MAX_REQUESTS || bytes > MAX_BYTES)
          heavy.push(`${site.name}/${path}: ${loaded.size} requests, ${bytes} bytes`);
      }
      expect(heavy).toEqual([]);
    }, 120_000);
  },
);
