import { type Directory, readDirectories } from './directory.ts';
import { createEngine } from './engine/search-engine.js';
import { markHits } from './engine/search-hits.js';
import { DamagedIndexError, readIndexFile } from './index-file.ts';
import { closest, rankSimilar, type Similarities, type SimilarPage } from './similar-pages.ts';
import type { ReadFile } from './site-files.ts';
import { mergeByPlace } from './vectors/merge.ts';

/** Characters of a query; of longer ones the rest is ignored. */
export const MAX_QUERY = 2_000;
/** Pages whose texts are read to compare them with a tag. */
const MAX_TAGGED = 500;
/** What a place counts of a page with all words of the query, of one that lacks some, and of one found by vectors. */
const WEIGHTS = { complete: 1, partial: 0.3, similar: 0.6 };
/** Sections of a page, as the engine returns them. */
const MAX_SECTIONS = 4;

export interface SearchRequest {
  query: string;
  /** Pages to return. */
  limit: number;
  /** Labels of the navigation. An unknown one finds nothing, unless the site has none of its kind. */
  language?: string | undefined;
  /** Searches all languages: for programs that do not know the language of a query. `language` is ignored. */
  everyLanguage?: boolean | undefined;
  version?: string | undefined;
  product?: string | undefined;
  tab?: string | undefined;
  /** Name of a tab or group that contains the page, such as that of a tag of an API description. */
  tag?: string | undefined;
  /** Least `score` of a page. */
  minScore?: number | undefined;
  /** Characters of the text of each section. Default: all that the index has, up to 6,000. */
  excerpt?: number | undefined;
  /** How similar sections are to the query. Pages with similar sections are found too, and merged with the others by place. */
  similarities?: Similarities | undefined;
}

/** A page that was found. */
export interface SearchHit {
  /** Without extension: `guides/start`. */
  path: string;
  title: string;
  /** Groups of the navigation above the page. */
  crumbs: readonly string[];
  /** HTTP method of an operation; empty for other pages. */
  method: string;
  language: string | null;
  version: string | null;
  product: string | null;
  tab: string | null;
  /** Points as a share of those of the first page: 1 for that, and never more for a later one. With vectors, points of places. */
  score: number;
  /** The page has all words of the query that count. */
  isComplete: boolean;
  /** Best first. The start of a page has an empty anchor and heading. */
  sections: readonly { anchor: string; heading: string; text: string }[];
}

export interface SearchAnswer {
  /** In the order of the search in browsers, without vectors. */
  hits: SearchHit[];
  /** Pages that were found, including those after `limit`. */
  total: number;
  /** Mistyped words and what was searched for instead. */
  corrections: readonly { from: string; to: string }[];
}

/** The search of an exported site: the same engine and index as in browsers. */
export interface SiteSearch {
  /** Labels of docs.json, the default first; empty on a site without languages. */
  languages: readonly string[];
  versions: readonly string[];
  /** Throws a DamagedIndexError. */
  search(request: SearchRequest): Promise<SearchAnswer>;
  /** Bytes of the files that were read so far. */
  bytes(): number;
}

type Engine = ReturnType<typeof createEngine>;
type Ranked = Awaited<ReturnType<Engine['search']>>['results'][number];

interface Opened extends Directory {
  engine: Engine;
}

/** What the words of a query have found in one language. */
interface FoundByWords {
  opened: Opened;
  results: readonly Ranked[];
  terms: ReadonlySet<string>;
  corrections: SearchAnswer['corrections'];
}

/** A page that is described. */
interface FoundPage {
  opened: Opened;
  page: number;
  sections: readonly number[];
  score: number;
  isComplete: boolean;
  terms: ReadonlySet<string>;
}

/** A page that was found by words, by vectors, or by both. */
interface MergedPage {
  opened: Opened;
  page: number;
  result: Ranked | null;
  /** The most similar section. */
  section: number | null;
}

/** Opens the search of a site; null if the site has none. Throws a DamagedIndexError. */
export async function openSiteSearch(read: ReadFile): Promise<SiteSearch | null> {
  const directories = await readDirectories(read);
  let bytes = directories.reduce((sum, { bytes: size }) => sum + size, 0);
  const load = async (name: string): Promise<unknown> => {
    const path = `_offprint/search/${name}.js`;
    const file = await readIndexFile(read, path);
    if (file === null) throw new DamagedIndexError(`${path} is missing in the search index.`);
    bytes += file.bytes;
    return file.data;
  };
  const opened = await guard(async () =>
    directories.map((directory): Opened => ({ ...directory, engine: createEngine(directory.data, load) })),
  );
  const [first] = opened;
  if (first === undefined) return null;
  return {
    languages: opened.flatMap(({ language }) => language ?? []),
    versions: first.engine.facets().version ?? [],
    bytes: () => bytes,
    search: (request) =>
      guard(async () => {
        const chosen = request.everyLanguage === true ? opened : chooseLanguage(opened, request.language);
        if (request.similarities !== undefined) return searchMerged(chosen, request, request.similarities);
        return mix(await Promise.all(chosen.map((one) => searchIn(one, request))), request.limit);
      }),
  };
}

function chooseLanguage(opened: readonly Opened[], label: string | undefined): readonly Opened[] {
  if (label === undefined || opened[0]?.language === null) return opened.slice(0, 1);
  return opened.filter(({ language }) => language?.toLowerCase() === label.toLowerCase()).slice(0, 1);
}

/** The first of each language, then the second of each, and so on; pages with all words of the query come first. */
function mix(answers: readonly SearchAnswer[], limit: number): SearchAnswer {
  const [only] = answers;
  if (only !== undefined && answers.length === 1) return only;
  const mixed = inTurns(answers.map(({ hits }) => hits));
  const isFirst = ({ isComplete }: SearchHit): boolean => isComplete;
  return {
    hits: [...mixed.filter(isFirst), ...mixed.filter((hit) => !isFirst(hit))].slice(0, limit),
    total: answers.reduce((sum, { total }) => sum + total, 0),
    corrections: answers.flatMap(({ corrections }) => corrections),
  };
}

async function searchIn(opened: Opened, request: SearchRequest): Promise<SearchAnswer> {
  const { results, terms, corrections } = await findByWords(opened, request);
  const scored = scoresOf(results).filter(({ score }) => score >= (request.minScore ?? 0));
  const hits = scored.slice(0, request.limit).map(({ result, score }) =>
    describeHit(
      {
        opened,
        page: result.page,
        sections: result.sections,
        score,
        isComplete: !result.isPartial,
        terms,
      },
      request.excerpt,
    ),
  );
  return { hits: await Promise.all(hits), total: scored.length, corrections };
}

async function findByWords(opened: Opened, request: SearchRequest): Promise<FoundByWords> {
  const { engine } = opened;
  const filters = readFilters(engine, request);
  if (filters === null) return { opened, results: [], terms: new Set(), corrections: [] };
  // as the dialog does: a space at the end completes the last word
  const found = await engine.search(request.query.slice(0, MAX_QUERY).trimStart(), filters);
  const results =
    request.tag === undefined ? found.results : await withTag(found.results, request.tag, () => engine);
  const corrections = found.corrections.map((one: { from: string; to: string }) => ({
    from: one.from,
    to: one.to,
  }));
  return { opened, results, terms: found.terms, corrections };
}

/** Pages that words have found and pages with similar sections, in one list. */
async function searchMerged(
  chosen: readonly Opened[],
  request: SearchRequest,
  similarities: Similarities,
): Promise<SearchAnswer> {
  const [byWords, similar] = await Promise.all([
    Promise.all(chosen.map((one) => findByWords(one, request))),
    findSimilar(chosen, request, similarities),
  ]);
  const pages = new Map<Opened, Map<number, MergedPage>>(chosen.map((one) => [one, new Map()]));
  const pageOf = (opened: Opened, page: number): MergedPage => {
    const known = pages.get(opened)?.get(page) ?? { opened, page, result: null, section: null };
    pages.get(opened)?.set(page, known);
    return known;
  };
  const worded = inTurns(
    byWords.map(({ opened, results }) =>
      results.map((result) => Object.assign(pageOf(opened, result.page), { result })),
    ),
  );
  const alike = similar.map(({ opened, page, section }) => Object.assign(pageOf(opened, page), { section }));
  const merged = mergeByPlace<MergedPage>([
    worded.map((item) => ({ item, weight: isComplete(item) ? WEIGHTS.complete : WEIGHTS.partial })),
    alike.map((item) => ({ item, weight: WEIGHTS.similar })),
  ]);
  const scored = scoresOf(
    // what a query names comes first, as without vectors
    [...merged.filter(({ item }) => isNamed(item)), ...merged.filter(({ item }) => !isNamed(item))].map(
      ({ item, points }) => ({ ...item, score: points }),
    ),
  ).filter(({ score }) => score >= (request.minScore ?? 0));
  const terms = new Set(byWords.flatMap((found) => [...found.terms]));
  const hits = scored
    .slice(0, request.limit)
    .map(({ result: page, score }) =>
      describeHit(
        { ...page, sections: sectionsOf(page), score, isComplete: isComplete(page), terms },
        request.excerpt,
      ),
    );
  return {
    hits: await Promise.all(hits),
    total: scored.length,
    corrections: byWords.flatMap(({ corrections }) => corrections),
  };
}

async function findSimilar(
  chosen: readonly Opened[],
  request: SearchRequest,
  similarities: Similarities,
): Promise<SimilarPage<Opened>[]> {
  const { pages, mean } = rankSimilar(chosen, similarities, ({ engine }) => readFilters(engine, request));
  const { tag } = request;
  return closest(tag === undefined ? pages : await withTag(pages, tag, ({ opened }) => opened.engine), mean);
}

const isNamed = ({ result }: MergedPage): boolean => result?.isNamed === true;
const isComplete = ({ result }: MergedPage): boolean => result?.isPartial === false;

/** The best section first: that with the words, if the page has all of them. */
function sectionsOf(page: MergedPage): number[] {
  const worded = page.result?.sections ?? [];
  const similar = page.section === null ? [] : [page.section];
  const all = isComplete(page) ? [...worded, ...similar] : [...similar, ...worded];
  return [...new Set(all)].slice(0, MAX_SECTIONS);
}

/** The first of each list, then the second of each, and so on. */
function inTurns<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const length = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

/** Filters of the engine, which ignores labels that it does not know; null if nothing can be found. */
function readFilters(engine: Engine, request: SearchRequest): Record<string, string> | null {
  const filters: Record<string, string> = {};
  const { version, product, tab } = request;
  const facets = engine.facets();
  for (const [name, label] of Object.entries({ version, product, tab })) {
    const labels = facets[name] ?? [];
    if (label === undefined || labels.length === 0) continue;
    const known = labels.find((each) => each.toLowerCase() === label.toLowerCase());
    if (known === undefined) return null;
    filters[name] = known;
  }
  return filters;
}

async function withTag<Item extends { page: number }>(
  items: readonly Item[],
  tag: string,
  engineOf: (item: Item) => Engine,
): Promise<Item[]> {
  const wanted = tag.toLowerCase();
  const first = items.slice(0, MAX_TAGGED);
  const has = await Promise.all(
    first.map(async (item) => {
      const engine = engineOf(item);
      const { crumbs } = await engine.entry(engine.startOf(item.page));
      const names = [...crumbs, engine.facetOf(item.page, 'tab') ?? ''];
      return names.some((name) => name.toLowerCase() === wanted);
    }),
  );
  return first.filter((_, at) => has[at]);
}

/** The first six results are ordered by more than their points, so later ones may have more. */
function scoresOf<Result extends { score: number | undefined }>(
  results: readonly Result[],
): { result: Result; score: number }[] {
  const best = results[0]?.score ?? 0;
  let least = 1;
  return results.map((result) => {
    least = best > 0 ? Math.min(least, Math.max(0, (result.score ?? 0) / best)) : least;
    return { result, score: Math.round(least * 10_000) / 10_000 };
  });
}

async function describeHit(
  { opened: { engine, language }, page, sections, score, isComplete, terms }: FoundPage,
  excerpt: number | undefined,
): Promise<SearchHit> {
  const entries = await Promise.all(sections.map((section) => engine.entry(section)));
  const [head] = entries;
  if (head === undefined) throw new DamagedIndexError('A page of the search index has no section.');
  const label = (name: string): string | null => engine.facetOf(page, name);
  return {
    path: head.output.replace(/\.html$/, ''),
    title: head.title,
    crumbs: [...head.crumbs],
    method: head.method,
    language,
    version: label('version'),
    product: label('product'),
    tab: label('tab'),
    score,
    isComplete,
    sections: entries.map(({ id, heading, text }) => ({
      anchor: id,
      heading,
      text: excerpt === undefined || text.length <= excerpt ? text : shorten(text, terms, excerpt),
    })),
  };
}

/** The part of a text with the most different words of the query. */
function shorten(text: string, terms: ReadonlySet<string>, size: number): string {
  return markHits(text, terms, size)
    .map((piece) => piece.text)
    .join('');
}

/** What the engine does with data of another form than the index has is an error of that index. */
async function guard<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    throw new DamagedIndexError('The search index is damaged.', { cause: error });
  }
}
