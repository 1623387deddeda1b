/**
 * Real docs sites, exported through the API as a user would: their files, and some of their pages as a reader opens them:
 * light and dark, wide and narrow, from a host with the bundle's policy and from disk. Two pages of each site in the
 * usual run and four from disk, five and ten with OFFPRINT_TEST=full; every other host is refused from disk.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Client, createClient } from '@offprint/client';
import { downloadBundle } from '@offprint/client/download';
import type { ExportJob, ExportWarning } from '@offprint/contract';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seriousFindings } from '../support/axe.ts';
import { launchBrowser } from '../support/browser.ts';
import { corpora, corporaFolder, NO_CORPORA, pageFiles } from '../support/corpora.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { checkSite, type SiteReport } from '../support/site-check.ts';
import { isFull } from '../support/size.ts';
import { type StaticServer, serveStatic } from '../support/static-server.ts';

/** Opened in the browser, of each site. */
const PAGES = isFull ? 5 : 2;
const PAGES_FROM_DISK = isFull ? 10 : 4;
const MAX_REQUESTS = 6;
const MAX_BYTES = 60_000;

/** Findings whose cause is in the source, by page and rule. */
const IN_THE_SOURCE: Readonly<Record<string, string>> = {
  'hoppscotch__docs/index.html color-contrast': 'white text on the dark primary of docs.json, 3.86:1',
  'hoppscotch__docs/documentation/features/ai-features.html color-contrast':
    'a style attribute of the page writes #07c983 on the ground',
};

interface Exported {
  job: ExportJob;
  warnings: ExportWarning[];
  folder: string;
  report: SiteReport;
}

/** Pages to open, evenly spread and neither first nor last, so that the choice is the same in every run. */
function choose({ folder, report }: Exported, count: number): string[] {
  const pages = report.html
    .filter((path) => path !== '404.html' && !path.startsWith('_offprint/'))
    .filter((path) => !readFileSync(join(folder, path), 'utf8').includes('http-equiv="refresh"'));
  return Array.from(
    { length: count },
    (_, n) => pages[Math.floor(((n + 0.5) * pages.length) / count)] as string,
  );
}

/** Whether the source names a file of this name that it does not have, which the export warns of. */
function missingOf({ warnings }: Exported): (address: string) => boolean {
  const named = warnings.filter(({ code }) => code === 'missing-asset').map(({ message }) => message);
  return (address) => {
    const last = decodeURIComponent(new URL(address).pathname).split('/').pop() ?? '';
    return last !== '' && named.some((message) => message.includes(last));
  };
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

async function exportCorpus(client: Client, name: string, source: string, into: string): Promise<Exported> {
  const domain = `${name.replace(/[^a-z0-9]+/g, '-')}.example.com`;
  await client.createProject({ name: domain, source: { kind: 'folder', path: source }, domains: [domain] });
  const { jobId } = await client.startExport({ domain });
  const job = await client.waitForExport(jobId);
  expect(job.error).toBeUndefined();
  const file = join(into, `${domain}.tar.gz`);
  await downloadBundle(await client.createBundle(jobId), file);
  const folder = join(into, name);
  await mkdir(folder);
  execFileSync('tar', ['xzf', file, '-C', folder]);
  return { job, warnings: await client.listExportWarnings(jobId), folder, report: checkSite(folder) };
}

const sites = corpora();

describe.skipIf(sites.length === 0)(
  `real docs sites${corporaFolder() === null ? ` (skipped: ${NO_CORPORA})` : ''}`,
  () => {
    let platform: TestPlatform;
    let browser: Browser;
    let client: Client;
    let into: string;
    const done: { name: string; exported: Exported }[] = [];

    beforeAll(async () => {
      into = await mkdtemp(join(tmpdir(), 'offprint-corpora-'));
      platform = await startTestPlatform();
      browser = await launchBrowser();
      const { key } = await platform.createTenant();
      client = createClient({ url: platform.url, key });
    });

    afterAll(async () => {
      await browser?.close();
      await platform?.stop();
      await rm(into, { recursive: true, force: true });
    });

    describe.each(sites)('$name', ({ name, folder: source }) => {
      let exported: Exported;

      beforeAll(async () => {
        exported = await exportCorpus(client, name, source, into);
        done.push({ name, exported });
      });

      test('every page of the source is in the bundle', () => {
        const { job, folder, report } = exported;
        const missing = pageFiles(source).filter((file) => {
          const path = file.replace(/\.mdx?$/, '');
          const short = path.replace(/\/index$/, '');
          return !existsSync(join(folder, `${path}.html`)) && !existsSync(join(folder, `${short}.html`));
        });
        expect(missing).toEqual([]);
        expect(job).toMatchObject({ status: 'completed', progress: 100 });
        expect(job.pageCount).toBe(job.totalPages);
        expect(report.html.length).toBeGreaterThanOrEqual(job.pageCount);
        expect(job.pageCount).toBeGreaterThanOrEqual(pageFiles(source).length);
      });

      test('every internal link and asset resolves, except those that a warning names with file and line', () => {
        const { report, warnings } = exported;
        const named = warnings.filter(({ code }) => /link|asset|image|page/.test(code));
        const unexplained = report.broken.filter(({ target }) => {
          const last = decodeURI(target.split(/[?#]/)[0] ?? '')
            .replace(/^(\.\.?\/)+/, '')
            .replace(/\.html$/, '');
          return last === '' || !named.some(({ message }) => message.includes(last));
        });
        expect(unexplained).toEqual([]);
        for (const warning of named) expect(warning.file).not.toBe('');
      });

      test('no page loads anything from outside the bundle', () => {
        expect(exported.report.outside).toEqual([]);
      });
    });

    describe('as a reader opens them', () => {
      const chosen: { name: string; path: string; exported: Exported }[] = [];
      let server: StaticServer;

      beforeAll(async () => {
        for (const { name, exported } of done)
          for (const path of choose(exported, PAGES)) chosen.push({ name, path, exported });
        const policies = done.map(
          ({ exported }) =>
            /Content-Security-Policy:\s*(.+)/i.exec(
              readFileSync(join(exported.folder, '_headers'), 'utf8'),
            )?.[1] ?? '',
        );
        for (const policy of policies) expect(policy).toContain("default-src 'none'");
        server = await serveStatic(into, '/some/sub-path', {
          'content-security-policy': policies[0] ?? '',
          'cache-control': 'max-age=600',
        });
      });

      afterAll(() => server?.stop());

      const visit = async (
        context: BrowserContext,
        base: string,
        root: string,
        look: (page: Page, name: string) => Promise<void>,
        opened = chosen,
      ): Promise<string[]> => {
        const faults: string[] = [];
        for (const { name, path, exported } of opened) {
          const page = await context.newPage();
          watch(page, root, missingOf(exported), faults);
          await page.goto(`${base}/${name}/${encodeURI(path)}`);
          await look(page, `${name}/${path}`);
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
        const found = (await seriousFindings(page, { colors: colorScheme === 'dark' })).filter(
          (finding) => IN_THE_SOURCE[`${name} ${finding.slice(0, finding.indexOf(':'))}`] === undefined,
        );
        const overflow = (await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )) as number;
        if (overflow > 0) found.push(`${overflow} px wider than the screen`);
        return found.map((finding) => `${name}, ${colorScheme}, ${viewport.width} px: ${finding}`);
      };

      /** Looked at again when there is something: fonts and pictures may still be on their way. */
      const lasting = async (...what: Parameters<typeof look>): Promise<string[]> => {
        const found = await look(...what);
        if (found.length === 0) return found;
        await what[0].waitForLoadState('networkidle');
        await what[0].evaluate('document.fonts.ready.then(() => {})');
        return look(...what);
      };

      test(`${PAGES} pages of each below a sub-path with the strict policy, light and dark, wide and narrow: nothing from outside, no error, no serious accessibility finding, nothing wider than the screen`, async () => {
        expect(chosen.length).toBe(PAGES * sites.length);
        const context = await browser.newContext({ viewport: WIDE });
        const found: string[] = [];
        const faults = await visit(context, server.url, server.url, async (page, name) => {
          for (const viewport of [WIDE, NARROW])
            for (const scheme of ['light', 'dark'] as const)
              found.push(...(await lasting(page, name, scheme, viewport)));
        });
        await context.close();
        expect({ faults, found }).toEqual({ faults: [], found: [] });
      }, 1_800_000);

      test(`${PAGES_FROM_DISK} pages of each from file://: nothing from outside, no error`, async () => {
        const context = await browser.newContext({ viewport: WIDE });
        const sent: string[] = [];
        // Chromium also reports requests that the policy of the page blocks; only the others come here.
        await context.route(/^(?!file:|data:|blob:|about:)/, (route) => {
          sent.push(route.request().url());
          return route.abort();
        });
        const base = `file://${into}`;
        const opened = done.flatMap(({ name, exported }) =>
          choose(exported, PAGES_FROM_DISK).map((path) => ({ name, path, exported })),
        );
        expect(opened.length).toBe(PAGES_FROM_DISK * sites.length);
        const faults = await visit(context, base, base, () => Promise.resolve(), opened);
        await context.close();
        expect({ sent, faults }).toEqual({ sent: [], faults: [] });
      });

      test(`an ordinary page opened cold takes at most ${MAX_REQUESTS} requests and ${MAX_BYTES / 1000} kB gzip of HTML, CSS and JavaScript`, async () => {
        const heavy: string[] = [];
        for (const { name, path } of chosen.filter((_, at) => at % 2 === 0)) {
          const context = await browser.newContext({ viewport: WIDE });
          const page = await context.newPage();
          const loaded = new Set<string>();
          page.on('request', (request) => {
            if (['document', 'stylesheet', 'script'].includes(request.resourceType()))
              loaded.add(request.url());
          });
          await page.goto(`${server.url}/${name}/${encodeURI(path)}`, { waitUntil: 'load' });
          await context.close();
          const bytes = [...loaded].reduce((sum, url) => {
            const file = decodeURIComponent(new URL(url).pathname.slice('/some/sub-path'.length));
            return sum + gzipSync(readFileSync(join(into, file))).length;
          }, 0);
          if (loaded.size > MAX_REQUESTS || bytes > MAX_BYTES)
            heavy.push(`${name}/${path}: ${loaded.size} requests, ${bytes} bytes`);
        }
        expect(heavy).toEqual([]);
      });
    });
  },
);
