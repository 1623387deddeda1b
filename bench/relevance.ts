/**
 * How well the search of a site finds pages: known-item queries made of the site itself, asked to the script that
 * readers' browsers run.
 *
 *   node bench/relevance.ts FOLDER... [--count 100] [--seed 1] [--misses] [--only question]
 *
 * A folder has a docs.json, or an exported site. `relevance/queries.ts` explains the queries and which pages count as
 * found. `--misses` lists the queries whose page is not among the first three.
 *
 * The second table is about the assistant of a site: whether the first request to the model contains the section that a
 * question was made of.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type Input, readInputs } from './relevance/model-input.ts';
import { KINDS, makeQueries } from './relevance/queries.ts';
import { type Outcome, score, summarize } from './relevance/score.ts';
import { openIndex, openSearches } from './relevance/site.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    misses: { type: 'boolean', default: false },
  },
});

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

if (positionals.length === 0) {
  process.stderr.write('Usage: node bench/relevance.ts FOLDER... [--count 100] [--seed 1] [--misses]\n');
  process.exit(2);
}

print(`${cpus().length} cores (${cpus()[0]?.model}), Node ${process.versions.node}, seed ${values.seed}\n`);
print('| site | queries of | number | nDCG@10 | first | first three | ms, median | ms, p95 |');
print('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |');

const sizes: string[] = [];
const means: number[] = [];
const all: Outcome[] = [];
const inputs: Input[] = [];
const inputRows: string[] = [];
for (const folder of positionals) {
  const files = openIndex(folder);
  for (const search of await openSearches(folder, files)) {
    if (search.pages.length === 0) continue;
    const name = search.language === null ? search.site : `${search.site} (${search.language})`;
    const asked = makeQueries(search, Number(values.count), values.seed);
    const outcomes = await score(
      search,
      asked.filter(({ kind }) => values.only === undefined || kind === values.only),
    );
    const spaced = outcomes.filter(({ query }) => !query.isUnspaced);
    const unspaced = outcomes.filter(({ query }) => query.isUnspaced);
    const size = (bytes: number): string => (bytes / 1000).toFixed(0);
    sizes.push(`| ${name} | ${search.pages.length} | ${size(search.bytes)} | ${size(search.gzipBytes)} |`);
    printRows(name, spaced);
    printRows(`${name}, unspaced`, unspaced);
    if (spaced.length > 0) means.push(summarize(spaced).ndcg);
    all.push(...outcomes);
    if (values.misses) printMisses(outcomes);
    const received = await readInputs(
      files,
      asked.filter(({ kind }) => kind === 'question'),
    );
    inputs.push(...received);
    if (received.length > 0) inputRows.push(inputRowOf(name, received));
  }
}
printRows(
  '**total**',
  all.filter(({ query }) => !query.isUnspaced),
);
printRows(
  '**total, unspaced**',
  all.filter(({ query }) => query.isUnspaced),
);
print(
  `\nMean nDCG@10 of ${means.length} searches: ${(means.reduce((sum, one) => sum + one, 0) / means.length).toFixed(3)}`,
);
print('\n| site | questions | section in the input | a section of its page | characters |');
print('| --- | ---: | ---: | ---: | ---: |');
for (const line of inputRows) print(line);
if (inputs.length > 0) print(inputRowOf('**total**', inputs));
print('\n| site | pages | index, kB | index, kB gzip |');
print('| --- | ---: | ---: | ---: |');
for (const line of sizes) print(line);

function printRows(site: string, outcomes: readonly Outcome[]): void {
  if (outcomes.length === 0) return;
  for (const kind of KINDS) {
    const own = outcomes.filter(({ query }) => query.kind === kind);
    if (own.length > 0) print(rowOf(site, kind, own));
  }
  print(rowOf(site, '**all**', outcomes));
}

function rowOf(site: string, kind: string, outcomes: readonly Outcome[]): string {
  const { queries, ndcg, first, firstThree, medianMs, p95Ms } = summarize(outcomes);
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  const cells = [site, kind, queries, ndcg.toFixed(3), percent(first), percent(firstThree)];
  return `| ${[...cells, medianMs.toFixed(2), p95Ms.toFixed(2)].join(' | ')} |`;
}

function inputRowOf(site: string, received: readonly Input[]): string {
  const share = (has: (input: Input) => boolean): string =>
    `${((100 * received.filter(has).length) / received.length).toFixed(1)} %`;
  const characters = received.reduce((sum, input) => sum + input.characters, 0) / received.length;
  const shares = [share(({ hasSection }) => hasSection), share(({ hasPage }) => hasPage)];
  return `| ${[site, received.length, ...shares, Math.round(characters)].join(' | ')} |`;
}

function printMisses(outcomes: readonly Outcome[]): void {
  for (const { query, place, first } of outcomes) {
    if (place <= 3) continue;
    print(
      `${query.kind}: "${query.text}" is at ${place}; wanted ${[...query.wanted].join(', ')}; first ${first}`,
    );
  }
}
