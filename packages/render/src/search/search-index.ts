import type { NavNode, Page, SiteMap } from '../site.ts';
import { inlineText } from '../theme/inline.ts';
import { pageLanguage } from '../theme/place.ts';
import { addPage, createIndexSet, FACETS, type IndexFile, type IndexSet, indexFiles } from './index-set.ts';
import { planSearch } from './plan.ts';
import type { Section } from './sections.ts';

/** The search index of a site while its pages are rendered, a set of files for each language. */
export interface SearchIndex {
  /** Adds a page that readers may find; any other is passed over. Pages must come in the order of `SiteMap.pages`. */
  add(page: Page, readSections: () => readonly Section[]): void;
  files(): IndexFile[];
}

/** Levels of the navigation that say nothing of where a page stands among those of its kind. */
const NOT_IN_CRUMBS: ReadonlySet<string> = new Set([
  'root',
  'language',
  'version',
  'product',
  'page',
  'link',
]);

export function createSearchIndex(siteMap: SiteMap): SearchIndex {
  const languages = planSearch(siteMap);
  const sets = new Map<string | null, IndexSet>(
    languages.map(({ label }): [string | null, IndexSet] => [label, createIndexSet()]),
  );
  const fallback = languages[0]!.label;
  return {
    add(page, readSections) {
      if (!page.searchable) return;
      const label = pageLanguage(siteMap, page)?.label ?? fallback;
      const set = sets.get(label) ?? sets.get(fallback)!;
      addPage(set, describe(page), readSections());
    },
    files() {
      const others = languages.map(({ label, name, path }) => ({ label, name, path }));
      return languages.flatMap(({ label, path, starts }) =>
        indexFiles(sets.get(label)!, path, {
          starts: starts.map(([output, title, section]) => [output, inlineText(title), section]),
          languages: others.length > 1 ? others : [],
        }),
      );
    },
  };
}

function describe(page: Page) {
  const labelOf = (kind: string): string | null =>
    page.trail.find((node) => node.kind === kind && node.label.trim() !== '')?.label ?? null;
  return {
    page,
    title: inlineText(page.title),
    description: inlineText(page.description ?? ''),
    keywords: keywordsOf(page.frontMatter.keywords),
    crumbs: crumbsOf(page),
    facets: FACETS.map(labelOf),
  };
}

function keywordsOf(written: unknown): string[] {
  const list = Array.isArray(written) ? written : [written];
  return list.filter((word): word is string => typeof word === 'string');
}

function crumbsOf(page: Page): string[] {
  const isCrumb = (node: NavNode): boolean =>
    !NOT_IN_CRUMBS.has(node.kind) && node.label.trim() !== '' && node.page !== page;
  return page.trail.filter(isCrumb).map((node) => inlineText(node.label));
}
