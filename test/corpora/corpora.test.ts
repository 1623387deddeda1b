/** Eight real docs sites, exported through the API as a user would, and their files read as a browser reads them. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Client, createClient } from '@offprint/client';
import { downloadBundle } from '@offprint/client/download';
import type { ExportJob, ExportWarning } from '@offprint/contract';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { corpora, corporaFolder, NO_CORPORA, pageFiles } from '../support/corpora.ts';
import { watchPages } from '../support/page-watch.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { checkSite, type SiteReport } from '../support/site-check.ts';
import { serveStatic } from '../support/static-server.ts';

/** Of each site; the reading test opens more of them and looks closer. */
const PAGES_IN_BROWSER = 4;

interface Exported {
  job: ExportJob;
  warnings: ExportWarning[];
  folder: string;
  report: SiteReport;
}

/** Evenly spread, first and last included, so that the choice is the same in every run. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, n) => items[Math.round((n * (items.length - 1)) / (count - 1))]!);
}

async function exportCorpus(client: Client, source: string, domain: string, into: string): Promise<Exported> {
  await client.createProject({ name: domain, source: { kind: 'folder', path: source }, domains: [domain] });
  const { jobId } = await client.startExport({ domain });
  const job = await client.waitForExport(jobId);
  expect(job.error).toBeUndefined();
  const file = join(into, `${domain}.tar.gz`);
  await downloadBundle(await client.createBundle(jobId), file);
  const folder = join(into, domain);
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
        exported = await exportCorpus(
          client,
          source,
          `${name.replace(/[^a-z0-9]+/g, '-')}.example.com`,
          into,
        );
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

      test('opened from file://, pages make no request outside and log no error', async () => {
        const { folder, report } = exported;
        const root = pathToFileURL(folder).href;
        const pages = spread(report.html, PAGES_IN_BROWSER).map((page) => `${root}/${encodeURI(page)}`);
        const faults = await watchPages(browser, pages, (url) => url.startsWith(`${root}/`));
        expect(explained(faults, exported)).toEqual([]);
      });

      test('opened below a sub-path with the policy of the bundle, pages make no request outside and log no error', async () => {
        const { folder, report } = exported;
        const policy = /Content-Security-Policy:\s*(.+)/i.exec(
          await readFile(join(folder, '_headers'), 'utf8'),
        )?.[1];
        expect(policy).toContain("default-src 'none'");
        const server = await serveStatic(folder, '/some/sub-path', { 'content-security-policy': policy! });
        try {
          const pages = spread(report.html, PAGES_IN_BROWSER).map(
            (page) => `${server.url}/${encodeURI(page)}`,
          );
          const faults = await watchPages(browser, pages, (url) => url.startsWith(`${server.url}/`));
          expect(explained(faults, exported)).toEqual([]);
        } finally {
          await server.stop();
        }
      });
    });
  },
);

/** Faults without those that come from files missing in the source, which the report lists by page. */
function explained(faults: Awaited<ReturnType<typeof watchPages>>, { report }: Exported) {
  const missing = report.broken.map(({ target }) => target.split('/').pop()!);
  return faults.filter(({ kind, detail }) => {
    if (kind === 'failed') return !missing.some((name) => detail.endsWith(name));
    return !(kind === 'console' && /ERR_FILE_NOT_FOUND|404 \(Not Found\)/.test(detail) && missing.length > 0);
  });
}
