/**
 * What the search costs: its share of an export, the size of its files, what a query fetches and how long it takes.
 *
 *   node bench/search.ts [--pages 1000,10000] [--runs 3] [--corpus ../shared/bench] [--docs FOLDER]
 *
 * Needs the corpus generator (gen.mjs, docs-json.mjs, seeds.json), or a docs folder of your own. Each run is a fresh
 * process. Times are CPU times of the rendering thread, so that other load of the machine does not count; packing is
 * not among them. The share is of rendering with the index, bytes are those of the files as gzip would send them.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { createEngine } from '@offprint/search/engine';
import { openSite } from '../packages/render/src/open-site.ts';
import { createSearchIndex } from '../packages/render/src/search/search-index.ts';
import { directorySource } from '../packages/render/src/source-directory.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000,10000' },
    runs: { type: 'string', default: '3' },
    corpus: { type: 'string', default: join(root, '..', 'shared', 'bench') },
    docs: { type: 'string' },
    once: { type: 'string' },
  },
});

/** What a reader may type; `{}` is a word of the site, `{-}` one with a slip. */
const QUERIES = ['{}', '{} {}', '{} {} {}', '{-}', 'co', 'configur'];
const SHOWN = 6;

interface Sample {
  pages: number;
  renderMs: number;
  searchMs: number;
  files: number;
  rawMb: number;
  gzipMb: number;
  shardKb: number;
  chunkKb: number;
  /** The largest of the queries. */
  queryKb: number;
  queryRawKb: number;
  firstMs: number;
  queryMs: number;
  rssMb: number;
}

const cpu = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

async function measure(folder: string): Promise<Sample> {
  const begin = cpu();
  const site = openSite({ source: directorySource(folder), siteUrl: 'https://docs.example.com' }, () => {});
  const files = new Map<string, Uint8Array>();
  const take = ({ path, content }: { path: string; content: string }): unknown =>
    files.set(path, Buffer.from(content));
  const search = createSearchIndex(site.siteMap, take);
  let searchMs = 0;
  for (const page of site.siteMap.pages) {
    const content = site.content(page);
    site.document(page, content);
    const before = cpu();
    search.add(page, content.sections);
    searchMs += cpu() - before;
  }
  const before = cpu();
  search.files().forEach(take);
  searchMs += cpu() - before;
  const renderMs = cpu() - begin;
  const rssMb = process.memoryUsage.rss() / 1e6;
  const sizes = [...files].map(([path, content]) => ({
    path,
    raw: content.length,
    gzip: gzipSync(content).length,
  }));
  const sum = (list: readonly number[]): number => list.reduce((total, value) => total + value, 0);
  const mean = (pattern: RegExp): number => {
    const found = sizes.filter(({ path }) => pattern.test(path)).map(({ gzip }) => gzip);
    return sum(found) / Math.max(1, found.length) / 1000;
  };
  return {
    pages: site.siteMap.pages.length,
    renderMs,
    searchMs,
    files: files.size,
    rawMb: sum(sizes.map(({ raw }) => raw)) / 1e6,
    gzipMb: sum(sizes.map(({ gzip }) => gzip)) / 1e6,
    shardKb: mean(/search\/t-/),
    chunkKb: mean(/search\/c-/),
    ...(await askAll(files)),
    rssMb,
  };
}

/** Every query on an engine of its own, as the first one of a reader; then again with its files at hand. */
async function askAll(files: ReadonlyMap<string, Uint8Array>) {
  const path = [...files.keys()].find((name) => /^_offprint\/search(\.[\w-]+)?\.js$/.test(name))!;
  const words = wordsOf(files);
  const worst = { queryKb: 0, queryRawKb: 0, firstMs: 0, queryMs: 0 };
  for (const [index, pattern] of QUERIES.entries()) {
    let at = index * 7;
    const query = pattern.replace(/\{(-?)\}/g, (_, slip: string) => {
      const word = words[at++ % words.length]!;
      return slip === '' ? word : word.slice(0, 3) + word.slice(4);
    });
    let raw = 0;
    let sent = 0;
    const read = (name: string): unknown => {
      const content = files.get(name)!;
      raw += content.length;
      sent += gzipSync(content).length;
      const text = new TextDecoder().decode(content);
      return JSON.parse(text.slice(text.indexOf(',') + 1, text.lastIndexOf(')')));
    };
    const directory = read(path) as Record<string, unknown>;
    const engine = createEngine(directory, async (name: string) => read(`_offprint/search/${name}.js`));
    const show = async (): Promise<number> => {
      const start = performance.now();
      const { results } = await engine.search(query);
      const done = performance.now() - start;
      for (const { sections } of results.slice(0, SHOWN))
        await Promise.all(sections.map((section) => engine.entry(section)));
      return done;
    };
    await show();
    worst.queryKb = Math.max(worst.queryKb, sent / 1000);
    worst.queryRawKb = Math.max(worst.queryRawKb, raw / 1000);
    // Files of the engine are read by now: the time is that of finding and ranking.
    const first = await show();
    worst.firstMs = Math.max(worst.firstMs, first);
    for (let run = 0; run < 5; run++) await show();
    worst.queryMs = Math.max(worst.queryMs, await show());
  }
  return worst;
}

/** Words of some length from the texts of the site, always the same ones. */
function wordsOf(files: ReadonlyMap<string, Uint8Array>): string[] {
  const chunks = [...files].filter(([path]) => /search\/c-/.test(path));
  const text = chunks
    .filter((_, at) => at % Math.ceil(chunks.length / 20) === 0)
    .map(([, content]) => new TextDecoder().decode(content))
    .join(' ');
  const words = [...new Set(text.match(/\b[a-z]{6,12}\b/g) ?? [])];
  return words.filter((_, at) => at % Math.max(1, Math.floor(words.length / 40)) === 0);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function call(args: string[]): string {
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e9 });
  if (child.status !== 0) fail(child.error?.message ?? child.stderr);
  return child.stdout;
}

function rowOf(folder: string): string {
  const samples = Array.from(
    { length: Number(values.runs) },
    () => JSON.parse(call([fileURLToPath(import.meta.url), '--once', folder])) as Sample,
  );
  const median = (key: keyof Sample): number => {
    const sorted = samples.map((sample) => sample[key]).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)]!;
  };
  const share = (100 * median('searchMs')) / median('renderMs');
  const cells = [
    `${median('pages')}`,
    `${median('searchMs').toFixed(0)} of ${median('renderMs').toFixed(0)} (${share.toFixed(1)} %)`,
    `${median('files')}`,
    `${median('rawMb').toFixed(1)} / ${median('gzipMb').toFixed(1)}`,
    `${median('shardKb').toFixed(1)}`,
    `${median('chunkKb').toFixed(1)}`,
    `${median('queryKb').toFixed(0)} (${median('queryRawKb').toFixed(0)} raw)`,
    `${median('firstMs').toFixed(1)} / ${median('queryMs').toFixed(1)}`,
    `${median('rssMb').toFixed(0)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function generate(pages: number, folder: string): void {
  const corpus = resolve(values.corpus);
  call([
    join(corpus, 'gen.mjs'),
    '--seeds',
    join(corpus, 'seeds.json'),
    '--pages',
    `${pages}`,
    '--out',
    folder,
    '--ext',
    'mdx',
  ]);
  call([join(corpus, 'docs-json.mjs'), folder]);
}

if (values.once !== undefined) {
  process.stdout.write(JSON.stringify(await measure(values.once)));
} else {
  const rows: string[] = [];
  if (values.docs !== undefined) rows.push(rowOf(resolve(values.docs)));
  else {
    for (const pages of values.pages.split(',').map(Number)) {
      const work = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
      try {
        generate(pages, join(work, 'docs'));
        rows.push(rowOf(join(work, 'docs')));
      } finally {
        rmSync(work, { recursive: true, force: true });
      }
    }
  }
  process.stdout.write(
    [
      `${cpus().length} cores (${cpus()[0]?.model}), Node ${process.versions.node}, medians of ${values.runs} runs`,
      '',
      '| pages | index, CPU ms of rendering | files | MB raw / gzip | kB a shard | kB a chunk | kB a query | ms a query, first / again | RSS MB |',
      '| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
      ...rows,
      '',
    ].join('\n'),
  );
}
