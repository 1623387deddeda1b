import type { Directory } from './directory.ts';
import type { createEngine } from './engine/search-engine.js';

/** Cosines of a query and the sections of an index, by its path. */
export type Similarities = ReadonlyMap<string, Float32Array>;

/** Similar pages that are merged with those that words have found. */
const MAX_PAGES = 50;
/** Pages that are found even if most of the site is as similar. */
const FEW = 3;
/** Of a page of a version that is neither the default one nor chosen: an older copy comes after the newer one. */
const OTHER_VERSION = 0.95;

export interface SimilarPage<Opened> {
  opened: Opened;
  page: number;
  /** The most similar section of the page. */
  section: number;
  cosine: number;
}

interface OpenedIndex extends Directory {
  engine: ReturnType<typeof createEngine>;
}

/** Pages by the cosine of their most similar section, best first, with the mean of all their sections. */
export function rankSimilar<Opened extends OpenedIndex>(
  opened: readonly Opened[],
  similarities: Similarities,
  filters: (one: Opened) => Readonly<Record<string, string>> | null,
): { pages: SimilarPage<Opened>[]; mean: number } {
  const pages: SimilarPage<Opened>[] = [];
  let sum = 0;
  let count = 0;
  for (const one of opened) {
    const cosines = similarities.get(one.path);
    const chosen = filters(one);
    if (cosines === undefined || chosen === null) continue;
    for (const [page, sections] of one.sections.entries()) {
      if (!passes(one, page, chosen)) continue;
      const start = one.engine.startOf(page);
      let section = start;
      for (let at = start; at < start + sections; at++) {
        sum += cosines[at] ?? 0;
        if ((cosines[at] ?? 0) > (cosines[section] ?? 0)) section = at;
      }
      count += sections;
      const cosine = (cosines[section] ?? 0) * shareOfVersion(one, page, chosen);
      pages.push({ opened: one, page, section, cosine });
    }
  }
  pages.sort((a, b) => b.cosine - a.cosine);
  return { pages, mean: sum / Math.max(1, count) };
}

/**
 * The pages that count as found, of pages with the best first. Something always is the most similar, so they must be
 * closer to the best one than to the mean, whatever cosines a model has. On a small site, the mean can be of pages that
 * fit: the first few need half of the cosine of the best one only.
 */
export function closest<Opened>(pages: readonly SimilarPage<Opened>[], mean: number): SimilarPage<Opened>[] {
  const best = pages[0]?.cosine ?? 0;
  const least = (place: number): number => (place < FEW ? Math.min(best, mean + best) : mean + best) / 2;
  return pages.slice(0, MAX_PAGES).filter(({ cosine }, place) => cosine > 0 && cosine >= least(place));
}

/** As the engine filters: a page without a label belongs to each of them. */
function passes({ engine }: OpenedIndex, page: number, filters: Readonly<Record<string, string>>): boolean {
  return Object.entries(filters).every(([name, label]) => {
    const own = engine.facetOf(page, name);
    return own === null || own === label;
  });
}

function shareOfVersion(
  { engine, data }: OpenedIndex,
  page: number,
  { version }: Readonly<Record<string, string>>,
): number {
  const own = engine.facetOf(page, 'version');
  const preferred: readonly unknown[] = Array.isArray(data.versions) ? data.versions : [];
  return own === null || own === version || preferred.length === 0 || preferred.includes(own)
    ? 1
    : OTHER_VERSION;
}
