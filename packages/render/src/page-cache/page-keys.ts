import type { OpenSite, SiteOptions } from '../open-site.ts';
import type { OpenCache } from './open-cache.ts';
import type { PageNumbers } from './page-numbers.ts';
import { pageFiles, type RenderKeys, renderKeys, schemaKey, withImports } from './render-keys.ts';
import { type Fitting, fittingState } from './state.ts';

/** Imports of all pages together: one line can import a file that imports thousands. */
const MAX_IMPORTS = 1_000_000;

/** Which pages are as in the earlier render, by their numbers. */
export interface PageKeys {
  ofRender: RenderKeys;
  /** What can be taken of the earlier render; null if nothing can. */
  earlier: Fitting | null;
  /** Key of a page, with the imports of the earlier render until it is rendered itself. */
  ofPage(number: number): string;
  isSame(number: number): boolean;
  /** Numbers of the files that a page imports and that only its importers depend on. */
  importsOf(number: number): readonly number[];
  /** Whether the key of a page includes all of these files; false for all pages once they have too many imports. */
  includes(number: number, files: ReadonlySet<string>): boolean;
  hadPreview(number: number): boolean;
  /** Files that only the pages which show them depend on. */
  pageFiles: ReadonlySet<string>;
  /** Takes a page that is rendered now. */
  renew(number: number): void;
}

export function createPageKeys(
  site: OpenSite,
  numbers: PageNumbers,
  { cache, watch, state }: OpenCache,
  options: SiteOptions & { encoder: string | null },
): PageKeys {
  const { source } = watch;
  const ofRender = renderKeys(site, source, cache, options);
  const fitting = state?.bodies === ofRender.bodies ? state : null;
  const own = pageFiles(site.siteMap);
  const fileNumbers = new Map(source.paths.map((path, number) => [path, number]));
  const numbersOf = (files: readonly string[]): number[] =>
    files.flatMap((file) => (own.has(file) ? (fileNumbers.get(file) ?? []) : []));
  const ownKey = (number: number): string => {
    const schema = numbers.schemas()[number - numbers.first];
    return ofRender.pages[number] ?? (schema === undefined ? '' : schemaKey(schema, site.siteMap));
  };
  const renewed = new Set<number>();
  const known = new Map<number, string>();
  const imports = new Map<number, readonly number[]>();
  let importCount = 0;
  const importsOf = (number: number): readonly number[] => {
    const page = numbers.at(number);
    if (page === undefined || !renewed.has(number)) return fitting?.imports[number] ?? [];
    const before = imports.get(number);
    if (before !== undefined || importCount > MAX_IMPORTS) return before ?? [];
    const found = numbersOf(site.importsOf(page));
    imports.set(number, found);
    importCount += found.length;
    return found;
  };
  const ofPage = (number: number): string => {
    const digests = () => importsOf(number).map((file) => cache.digests[file] ?? '');
    const key = known.get(number) ?? withImports(ownKey(number), digests());
    known.set(number, key);
    return key;
  };
  const isSame = (number: number): boolean => fitting?.pages[number] === ofPage(number);
  const earlier = fitting === null ? null : fittingState(fitting, ofRender.site, isSame);
  const previews = new Set(earlier?.state.previews);
  return {
    ofRender,
    earlier,
    ofPage,
    isSame: (number) => earlier !== null && isSame(number),
    importsOf,
    includes(number, files) {
      const known = new Set(importsOf(number));
      return importCount <= MAX_IMPORTS && numbersOf([...files]).every((file) => known.has(file));
    },
    hadPreview: (number) => previews.has(number),
    pageFiles: own,
    renew(number) {
      renewed.add(number);
      known.delete(number);
    },
  };
}
