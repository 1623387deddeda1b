import { operationIdOf } from '../nav/page-operation.ts';
import type { NavNode, Page, SiteMap } from '../site.ts';
import { inlineText } from '../theme/inline.ts';
import { pageLanguage } from '../theme/place.ts';
import {
  addKnownPage,
  addPage,
  createIndexSet,
  FACETS,
  type IndexFile,
  type IndexSet,
  indexFiles,
  type KeptIndex,
  type KnownSections,
  type PageId,
  type SectionTexts,
} from './index-set.ts';
import { fallbackLanguage, planSearch } from './plan.ts';
import type { SearchPage } from './search-page.ts';
import type { Section } from './sections.ts';
import { stopWordsOf } from './stop-words.ts';
import { readSynonyms } from './synonyms.ts';

/** The search index of a site while its pages are rendered, a set of files for each language. */
export interface SearchIndex {
  /** Adds a page that readers may find; any other is ignored. Pages must come in the order of `SiteMap.pages`. */
  add(page: Page, readSections: () => readonly Section[]): void;
  /** As `add`, and returns what a later render needs of the page; null if readers cannot find it. */
  addAs(id: PageId, page: Page, readSections: () => readonly Section[]): SectionTexts | null;
  /** Adds a page of the earlier render. Throws a StaleRenderError if its words are not there. */
  addKnown(page: Page, known: KnownSections): void;
  /** The files that are left, once all pages were added. */
  files(): IndexFile[];
}

/** What is written with each page or part of one is of bounded size. */
const MAX_LABEL = 300;
const MAX_DESCRIPTION = 2000;
const MAX_CRUMBS = 12;
const MAX_KEYWORDS = 100;

/** Levels of the navigation that do not distinguish a page from others of its kind. */
const NOT_IN_CRUMBS: ReadonlySet<string> = new Set([
  'root',
  'language',
  'version',
  'product',
  'page',
  'link',
]);

/**
 * `emit` takes files of texts while pages are added. `keptOf` is where the index of a language, null on a site without
 * languages, is kept.
 */
export function createSearchIndex(
  siteMap: SiteMap,
  emit: (file: IndexFile) => void,
  keptOf: (language: string | null) => KeptIndex | null = () => null,
): SearchIndex {
  const languages = planSearch(siteMap);
  const synonyms = readSynonyms(siteMap.config.search.synonyms);
  const sets = new Map<string | null, IndexSet>(
    languages.map(({ label }): [string | null, IndexSet] => [
      label,
      createIndexSet(stopWordsOf(label), emit, keptOf(label), synonyms),
    ]),
  );
  const fallback = fallbackLanguage(languages).label;
  const facets = facetsOf(siteMap);
  const setOf = (page: Page): IndexSet =>
    sets.get(pageLanguage(siteMap, page)?.label ?? fallback) ?? sets.get(fallback)!;
  const aboutOf = (page: Page): SearchPage => describe(page, siteMap, facets.get(page));
  return {
    add(page, readSections) {
      if (page.searchable) addPage(setOf(page), aboutOf(page), readSections(), null);
    },
    addAs: (id, page, readSections) =>
      page.searchable ? addPage(setOf(page), aboutOf(page), readSections(), id) : null,
    addKnown: (page, sections) => addKnownPage(setOf(page), aboutOf(page), sections),
    files() {
      const others = languages.map(({ label, name, path }) => ({ label, name, path }));
      return languages.flatMap(({ label, path, starts, versions }) =>
        indexFiles(sets.get(label)!, path, {
          versions,
          starts: starts.map(([output, title, section]) => [output, inlineText(title), section]),
          languages: others.length > 1 ? others : [],
        }),
      );
    },
  };
}

type Labels = readonly (string | null)[];

/**
 * Labels of each page by FACETS. A page in several versions (products, tabs) has the label of none of them, so
 * that no filter keeps it from the readers of one.
 */
function facetsOf(siteMap: SiteMap): Map<Page, Labels> {
  const found = new Map<Page, Labels>();
  const visit = (node: NavNode, above: Labels): void => {
    const at = FACETS.indexOf(node.kind);
    const label = node.label.trim() === '' ? null : node.label;
    const labels = at < 0 ? above : above.map((known, index) => (index === at ? label : known));
    if (node.page !== null) {
      const before = found.get(node.page) ?? labels;
      found.set(
        node.page,
        before.map((known, index) => (known === labels[index] ? known : null)),
      );
    }
    for (const child of node.children) visit(child, labels);
  };
  const none = FACETS.map(() => null);
  for (const root of [siteMap.navigation, ...siteMap.global]) visit(root, none);
  return found;
}

function describe(page: Page, siteMap: SiteMap, facets: Labels = FACETS.map(() => null)): SearchPage {
  return {
    page,
    title: inlineText(page.title).slice(0, MAX_LABEL),
    description: inlineText(page.description ?? '').slice(0, MAX_DESCRIPTION),
    keywords: keywordsOf(page.frontMatter.keywords),
    operationId: operationIdOf(page, siteMap),
    boost: page.boost,
    crumbs: crumbsOf(page),
    facets,
  };
}

function keywordsOf(written: unknown): string[] {
  const list = Array.isArray(written) ? written : [written];
  const words = list.filter((word): word is string => typeof word === 'string');
  return words.slice(0, MAX_KEYWORDS).map((word) => word.slice(0, MAX_LABEL));
}

function crumbsOf(page: Page): string[] {
  const isCrumb = (node: NavNode): boolean =>
    !NOT_IN_CRUMBS.has(node.kind) && node.label.trim() !== '' && node.page !== page;
  const crumbs = page.trail.filter(isCrumb).slice(0, MAX_CRUMBS);
  return crumbs.map((node) => inlineText(node.label).slice(0, MAX_LABEL));
}
