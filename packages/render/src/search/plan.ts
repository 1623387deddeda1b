import { firstPage, type NavNode, type SiteMap } from '../site.ts';
import { hashOf } from '../theme/hash.ts';
import { languageName } from '../theme/strings.ts';

/** Places that the dialog offers before anything is typed. */
const MAX_STARTS = 5;

/** Files that hold the search of one language. */
export interface SearchLanguage {
  /** As in docs.json; null on a site without languages. */
  label: string | null;
  /** In its own words; empty on a site without languages. */
  name: string;
  /** Output path of the directory. It depends on the place, not on the content: pages link to it before the index exists. */
  path: string;
  /** Suggested pages to start with: `[output, title, section]`. */
  starts: readonly (readonly [string, string, string])[];
  /** Labels of the versions that readers see first, one for each switch between versions. */
  versions: readonly string[];
  /** Serves pages without a language. */
  isDefault: boolean;
}

/** The languages of a site in order of its navigation, each once; one without a label for a site without languages. */
export function planSearch(siteMap: SiteMap): SearchLanguage[] {
  const nodes = new Map<string, NavNode>();
  const visit = (node: NavNode): void => {
    if (node.kind === 'language' && !nodes.has(node.label)) nodes.set(node.label, node);
    for (const child of node.children) visit(child);
  };
  visit(siteMap.navigation);
  const root = siteMap.navigation;
  const none = { label: null, name: '', path: '_offprint/search.js', isDefault: true };
  if (nodes.size === 0) return [{ ...none, starts: startsOf(root), versions: defaultVersions(root) }];
  const taken = new Set<string>();
  const languages = [...nodes].map(([label, node]) => {
    const short = label.toLowerCase();
    // A name of hexadecimal digits only would read as a digest, for which files are kept permanently.
    const key = /^[a-z]{2,3}(-[a-z0-9]+)*$/.test(short) && !taken.has(short) ? short : `x${hashOf(label)}`;
    taken.add(key);
    const path = `_offprint/search.${key}.js`;
    const { isDefault } = node;
    return {
      label,
      name: languageName(label),
      path,
      isDefault,
      starts: startsOf(node),
      versions: defaultVersions(node),
    };
  });
  return languages;
}

/** The language of pages without one. */
export function fallbackLanguage<Language extends { isDefault: boolean }>(
  languages: readonly Language[],
): Language {
  return languages.find(({ isDefault }) => isDefault) ?? languages[0]!;
}

function defaultVersions(root: NavNode): string[] {
  const found = new Set<string>();
  const visit = (node: NavNode): void => {
    if (node.kind === 'version' && node.isDefault) found.add(node.label);
    for (const child of node.children) visit(child);
  };
  visit(root);
  return [...found];
}

/** First pages of the tabs, else of the groups, of what a reader sees first. */
function startsOf(node: NavNode): (readonly [string, string, string])[] {
  let at = node;
  for (let switched = defaultOf(at); switched !== null; switched = defaultOf(at)) at = switched;
  const found = new Map<string, readonly [string, string, string]>();
  for (const child of at.children) {
    const page = child.hidden ? null : firstPage(child);
    if (page === null || !page.searchable || found.has(page.output)) continue;
    found.set(page.output, [page.output, page.title, child.kind === 'page' ? '' : child.label]);
  }
  return [...found.values()].slice(0, MAX_STARTS);
}

function defaultOf(node: NavNode): NavNode | null {
  return (
    node.children.find(
      ({ kind, isDefault, hidden }) =>
        isDefault && !hidden && (kind === 'language' || kind === 'version' || kind === 'product'),
    ) ?? null
  );
}
