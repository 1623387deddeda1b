/**
 * What a search costs on a server: CPU time of the first query of a site, with its files read from memory, and of later
 * ones.
 *
 *   node bench/search-server.ts FOLDER... [--queries 500]
 *
 * Each folder has a docs.json. The corpus generator of `bench/search.ts` makes one of any size.
 */
import { parseArgs } from 'node:util';
import { openSiteSearch, readRecords, type SearchRecord } from '@offprint/search';
import { randomQueries } from './relevance/random-queries.ts';
import { makeIndex } from './relevance/site.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { queries: { type: 'string', default: '500' } },
});
const cpu = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

process.stdout.write('| site | sections | first query, ms | median, ms | p95, ms | slowest, ms |\n');
process.stdout.write('| --- | ---: | ---: | ---: | ---: | ---: |\n');
for (const folder of positionals) {
  const files = makeIndex(folder);
  const read = async (path: string) => files.get(path) ?? null;
  const records: SearchRecord[] = [];
  for await (const some of readRecords(read)) records.push(...some);
  const queries = randomQueries(records, Number(values.queries), folder);
  const begin = cpu();
  const search = await openSiteSearch(read);
  await search?.search({ query: queries[0] ?? 'docs', limit: 10 });
  const first = cpu() - begin;
  const times: number[] = [];
  for (const query of queries) {
    const from = cpu();
    await search?.search({ query, limit: 10, excerpt: 2_000 });
    times.push(cpu() - from);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1);
  process.stdout.write(
    `| ${folder} | ${records.length} | ${first.toFixed(0)} | ${at(0.5)} | ${at(0.95)} | ${at(1)} |\n`,
  );
}
