import type { Query } from './queries.ts';
import type { SiteSearch } from './site.ts';

export interface Outcome {
  query: Query;
  /** Place of the first page that is wanted, from 1; Infinity if it is not found. */
  place: number;
  /** What was found first. */
  first: string;
  /** Milliseconds from the query to the texts of the first results, with the files of the index at hand. */
  ms: number;
}

/** Results whose texts the dialog shows at once. */
const SHOWN = 6;
/** Results that are searched for the wanted page. */
const DEPTH = 10;

/** Asks every query as a reader without filters does. */
export async function score({ engine }: SiteSearch, queries: readonly Query[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const query of queries) {
    // The first search reads the files, whose transfer is not measured here.
    await show(engine, query.text);
    const start = performance.now();
    const results = await show(engine, query.text);
    const ms = performance.now() - start;
    const outputs = await Promise.all(
      results.slice(0, DEPTH).map(async ({ page }) => (await engine.entry(engine.startOf(page))).output),
    );
    const at = outputs.findIndex((output) => query.wanted.has(output));
    outcomes.push({ query, place: at < 0 ? Number.POSITIVE_INFINITY : at + 1, first: outputs[0] ?? '', ms });
  }
  return outcomes;
}

async function show(engine: SiteSearch['engine'], text: string) {
  const { results } = await engine.search(text);
  const shown = results.slice(0, SHOWN).flatMap(({ sections }) => sections);
  await Promise.all(shown.map((section) => engine.entry(section)));
  return results;
}

export interface Summary {
  queries: number;
  /** Of one wanted page: 1 on the first place, 0.63 on the second, 0.5 on the third; 0 beyond the tenth. */
  ndcg: number;
  /** Shares of queries with the wanted page on the first place, and among the first three. */
  first: number;
  firstThree: number;
  medianMs: number;
  p95Ms: number;
}

export function summarize(outcomes: readonly Outcome[]): Summary {
  const count = Math.max(1, outcomes.length);
  const share = (most: number): number => outcomes.filter(({ place }) => place <= most).length / count;
  const gains = outcomes.map(({ place }) => (place <= DEPTH ? 1 / Math.log2(1 + place) : 0));
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    queries: outcomes.length,
    ndcg: gains.reduce((sum, gain) => sum + gain, 0) / count,
    first: share(1),
    firstThree: share(3),
    medianMs: times[Math.floor(times.length / 2)] ?? 0,
    p95Ms: times[Math.floor(times.length * 0.95)] ?? 0,
  };
}
