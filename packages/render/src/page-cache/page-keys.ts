import type { OpenSite, SiteOptions } from '../open-site.ts';
import { changedGroups, type Described, emptyDescribed } from './described.ts';
import { type Fitting, fittingNames, fittingState, type Renumbered, renewReporting } from './fitting.ts';
import { type Names, namesOf } from './names.ts';
import type { OpenCache } from './open-cache.ts';
import type { PageNumbers } from './page-numbers.ts';
import { digestsByPath, type RenderKeys, renderKeys, schemaKey, withShown } from './render-keys.ts';
import type { Watch } from './watch.ts';

/** Files that all pages together show: one line can import a file that imports thousands. */
const MAX_IMPORTS = 1_000_000;

/** Which pages are as in the earlier render, by their numbers. */
export interface PageKeys {
  ofRender: RenderKeys;
  names: Names;
  /** What can be taken of the earlier render; null if nothing can. */
  earlier: Fitting | null;
  /** Key of a page, with the imports of the earlier render until it is rendered itself. */
  ofPage(number: number): string;
  isSame(number: number): boolean;
  /** The files that a page shows and that only such pages depend on, by their numbers in the names. */
  importsOf(number: number): readonly number[];
  /** Whether redirects decide where links of a page lead. */
  isRedirected(number: number): boolean;
  /** How often a page was rendered because of names that led elsewhere: its key contains that, and not where they lead. */
  renewalsOf(number: number): number;
  /** Whether the key of a page includes all of these files; false for all pages once they have too many imports. */
  includes(number: number, files: ReadonlySet<string>): boolean;
  hadPreview(number: number): boolean;
  /** Descriptions of the earlier render that can be taken, and numbers of the groups of them that have changed. */
  described: Described;
  changedGroups: ReadonlySet<number>;
  /** Whether a file belongs to an API description that has changed. */
  isChangedDescription(file: string): boolean;
  /** Digest of a file; null for one that is not there. */
  contentDigest(file: string): string | null;
  /** Digest of a file; null for one of the configuration. */
  digestOf(file: string): string | null;
  /** Takes a page that is rendered now. */
  renew(number: number): void;
}

export function createPageKeys(
  site: OpenSite,
  numbers: PageNumbers,
  { cache, watch, state }: OpenCache,
  options: SiteOptions & { encoder: string | null },
): PageKeys {
  const names = namesOf(site.siteMap, watch.source);
  const ofRender = renderKeys(site, watch.source, cache, options);
  const byPath = digestsByPath(watch.source, cache);
  const contentDigest = (file: string): string | null => byPath.get(file) ?? null;
  const known = state === null ? null : fittingNames(state, ofRender.bodies, names, contentDigest);
  const digests = names.files.map((file) => byPath.get(file) ?? '');
  const configured = new Set(site.siteMap.config.files);
  const ownKey = (number: number): string => {
    const schema = numbers.schemas()[number - numbers.first];
    return ofRender.pages[number] ?? (schema === undefined ? '' : schemaKey(schema, site.siteMap));
  };
  const renewed = new Set<number>();
  const keys = new Map<number, string>();
  const redirected = new Set(known?.state.redirected);
  const renewals = renewalsOf(known);
  const imports = createImports(site, numbers, watch, names, known?.state.imports ?? {});
  const isRedirected = (number: number): boolean => {
    const page = numbers.at(number);
    return page === undefined || !renewed.has(number) ? redirected.has(number) : watch.isRedirected(page);
  };
  const shownBy = (number: number): string[] => [
    ...imports.of(number).map((file) => digests[file] ?? ''),
    ...(isRedirected(number) ? [ofRender.redirects] : []),
    ...(renewals.has(number) ? [`${renewals.get(number)}`] : []),
  ];
  const ofPage = (number: number): string => {
    const key = keys.get(number) ?? withShown(ownKey(number), shownBy(number));
    keys.set(number, key);
    return key;
  };
  const isSame = (number: number): boolean => known?.state.pages[number] === ofPage(number);
  const isShared = ([file, digest]: readonly [string, string]): boolean => byPath.get(file) === digest;
  const ownPages = new Map(site.siteMap.pages.map(({ source }, number) => [source ?? '', number]));
  const addRenewal = (number: number): void => {
    renewals.set(number, (renewals.get(number) ?? 0) + 1);
    keys.delete(number);
  };
  const isWhole = known === null || renewReporting(known, names.files, ownPages, isSame, addRenewal);
  const earlier = known === null || !isWhole ? null : fittingState(known, ofRender.site, isSame, isShared);
  const described = earlier?.state.described ?? emptyDescribed;
  const groups = changedGroups(described, contentDigest);
  const changedFiles = new Set([...groups].flatMap((group) => described.groups[group]?.files ?? []));
  const previews = new Set(earlier?.state.previews);
  return {
    ofRender,
    names,
    earlier,
    ofPage,
    isSame: (number) => earlier !== null && isSame(number),
    importsOf: imports.of,
    isRedirected,
    renewalsOf: (number) => renewals.get(number) ?? 0,
    includes: imports.includes,
    described,
    changedGroups: groups,
    isChangedDescription: (file) => changedFiles.has(file),
    hadPreview: (number) => previews.has(number),
    contentDigest,
    digestOf: (file) => (configured.has(file) ? null : (byPath.get(file) ?? null)),
    renew(number) {
      renewed.add(number);
      imports.renew(number);
      keys.delete(number);
    },
  };
}

/** Files that pages show, by their numbers. */
function createImports(
  site: OpenSite,
  numbers: PageNumbers,
  watch: Watch,
  names: Names,
  earlier: Readonly<Record<number, readonly number[]>>,
) {
  const fileNumbers = new Map(names.files.map((path, number) => [path, number]));
  const numbersOf = (files: Iterable<string>): number[] =>
    [...files].flatMap((file) => fileNumbers.get(file) ?? []);
  const renewed = new Set<number>();
  const imports = new Map<number, readonly number[]>();
  let count = 0;
  const importsOf = (number: number): readonly number[] => {
    const page = numbers.at(number);
    if (page === undefined || !renewed.has(number)) return earlier[number] ?? [];
    const before = imports.get(number);
    if (before !== undefined || count > MAX_IMPORTS) return before ?? [];
    const found = numbersOf(new Set([...site.importsOf(page), ...watch.shownBy(page)]));
    imports.set(number, found);
    count += found.length;
    return found;
  };
  return {
    of: importsOf,
    includes(number: number, files: ReadonlySet<string>): boolean {
      const imported = new Set(importsOf(number));
      return count <= MAX_IMPORTS && numbersOf(files).every((file) => imported.has(file));
    },
    renew: (number: number) => void renewed.add(number),
  };
}

function renewalsOf(known: Renumbered | null): Map<number, number> {
  const renewals = new Map(
    Object.entries(known?.state.renewals ?? {}).map(([page, count]) => [Number(page), count]),
  );
  for (const page of known?.changed ?? []) renewals.set(page, (renewals.get(page) ?? 0) + 1);
  return renewals;
}
