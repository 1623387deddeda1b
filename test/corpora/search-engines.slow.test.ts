/** The search in browsers and on servers: the same list in the same order, whatever is typed on real sites. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSiteSearch, readRecords, type SearchRecord } from '@offprint/search';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomQueries } from '../../bench/relevance/random-queries.ts';
import { type Files, makeIndex } from '../../bench/relevance/site.ts';
import { fullSearchScript } from '../../packages/render/src/theme/search.ts';
import { launchBrowser } from '../support/browser.ts';
import { corpora, NO_CORPORA } from '../support/corpora.ts';
import { isFull } from '../support/size.ts';
import { type StaticServer, serveStatic } from '../support/static-server.ts';

const NAMES = ['browserbase__stagehand', 'hoppscotch__docs', 'traceloop__docs', 'tursodatabase__turso-docs'];
const QUERIES = isFull ? 2_500 : 150;
const BATCH = 50;

const sites = corpora().filter(({ name }) => NAMES.includes(name));

/** The script of the site with its index, which the dialog keeps to itself. */
const script = `const offprintWords = {}, offprintIcons = new Proxy({}, { get: () => '<svg></svg>' });
${fullSearchScript().replace(/\}\)\(\);\n$/, 'window.openIndex = openIndex;\n})();\n')}`;

const html = `<!doctype html><html data-base="./"><title>Search</title><body><script src="script.js"></script></body></html>`;

/** Lists of pages, each with its sections, from the engine in a browser. */
const listsIn = (page: Page, queries: readonly string[]): Promise<string[][]> =>
  page.evaluate(async (texts) => {
    const { engine } = await Reflect.get(window, 'openIndex')('_offprint/search.js');
    const lists: string[][] = [];
    for (const text of texts) {
      const { results } = await engine.search(text.trimStart(), {});
      const list: string[] = [];
      for (const { sections } of results) {
        const entries = [];
        for (const section of sections) entries.push(await engine.entry(section));
        list.push(`${entries[0].output} ${entries.map(({ id }: { id: string }) => id).join(' ')}`);
      }
      lists.push(list);
    }
    return lists;
  }, queries);

describe.skipIf(sites.length === 0)(`searches of real sites (${NO_CORPORA})`, () => {
  let browser: Browser;
  let folder: string;
  let host: StaticServer;
  const indexes = new Map<string, Files>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-test-engines-'));
    for (const site of sites) {
      const files = makeIndex(site.folder);
      indexes.set(site.name, files);
      const write = (path: string, content: string | Uint8Array): void => {
        const file = join(folder, site.name, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      };
      for (const [path, content] of files) write(path, content);
      write('index.html', html);
      write('script.js', script);
    }
    host = await serveStatic(folder, '/sites');
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await host?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(sites)(
    `$name: ${QUERIES} random queries have the same list in a browser and on a server`,
    async ({ name }) => {
      const files = indexes.get(name);
      const read = async (path: string) => files?.get(path) ?? null;
      const search = await openSiteSearch(read);
      const records: SearchRecord[] = [];
      for await (const some of readRecords(read)) records.push(...some);
      expect(records.length).toBeGreaterThan(100);
      const queries = randomQueries(records, QUERIES, name);
      const page = await browser.newPage();
      await page.goto(`${host.url}/${name}/index.html`);
      let found = 0;
      for (let at = 0; at < queries.length; at += BATCH) {
        const batch = queries.slice(at, at + BATCH);
        const lists = await listsIn(page, batch);
        for (const [index, query] of batch.entries()) {
          const answer = await search?.search({ query, limit: 100_000 });
          const own = answer?.hits.map(
            ({ path, sections }) => `${path}.html ${sections.map(({ anchor }) => anchor).join(' ')}`,
          );
          expect(own, JSON.stringify(query)).toEqual(lists[index]);
          found += own?.length ?? 0;
        }
      }
      // lists of nothing would be equal too
      expect(found).toBeGreaterThan(QUERIES);
      await page.close();
    },
  );
});
