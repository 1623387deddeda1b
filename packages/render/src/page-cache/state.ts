import type { SchemaPage } from '../site.ts';
import type { KnownWarning } from '../warning.ts';
import { type Described, emptyDescribed } from './described.ts';
import type { KnownHeads } from './heads.ts';
import type { LookedUp } from './looked-up.ts';
import type { Names } from './names.ts';
import type { PageCache } from './page-cache.ts';
import { entryKey } from './page-groups.ts';
import type { StepRecord } from './steps.ts';

/** The page of a schema, with the number of the page that was the first to refer to it. */
export interface KnownSchema extends Pick<SchemaPage, 'file' | 'name'> {
  from: number;
  path: string;
}

/** What a render remembers of the site as a whole, for the next one. */
export interface State {
  /** Key of the site. */
  site: string;
  /** Key of what bodies of pages depend on. */
  bodies: string;
  /** Key of each page (`page-numbers.ts`); '' for one that is not kept. */
  pages: string[];
  /** Pages of schemas, in their order. */
  schemas: KnownSchema[];
  /** Where each of these schemas is in its file, as a reference. */
  pointers: string[];
  /** What the site had that was looked up by name. */
  names: Names;
  /** Names that were looked up, but not for the body of one page; null if there were too many. */
  noted: readonly string[] | null;
  /** Names that the bodies of pages have looked up; null if there were too many. */
  looked: LookedUp | null;
  /** API descriptions that pages show. */
  described: Described;
  /** Files that documents of all pages may show or depend on, with their digests. */
  shared: readonly (readonly [string, string])[];
  /** Files on which anything may depend, besides those that some pages show and API descriptions, with their digests. */
  read: readonly (readonly [string, string])[];
  /** Digest of each medium that was copied, and the warnings about it. */
  copies: Record<string, { digest: string; warnings: readonly KnownWarning[] }>;
  /** Files that pages show, by their number in the names. */
  imports: Record<number, readonly number[]>;
  /** Where the parts of the body are in the document of each page (`page-parts.ts`). */
  parts: Record<number, readonly number[]>;
  /**
   * The other files about which the body of a page has warnings. Other pages that show these files would have the same
   * warnings if this page had not had them before.
   */
  reporting: Record<number, readonly string[]>;
  /** Pages with warnings about other files in the rest of their document. */
  foreignShells: number[];
  /** Warnings about the document of a page around its body. */
  shellWarnings: Record<number, readonly KnownWarning[]>;
  /** Pages that show the preview image of their own or of the site. */
  previews: number[];
  /** Pages with links that redirects decide. */
  redirected: number[];
  /** How often pages were rendered because of names that led elsewhere, as far as they were. */
  renewals: Record<number, number>;
  /** Corrections of the links of pages that have any. */
  corrections: Record<number, string>;
  /** Name of each group of pages. */
  groups: string[];
  /** Name of the words of the search index of each language; null on a site without languages. */
  words: (readonly [string | null, string])[];
  /** Bytes of each part of llms-full.txt, with the number of its page; -1 for what comes before the first one. */
  llms: (readonly [number, number])[];
  /** Digest of each file of texts of the search, by what identifies its content. */
  chunks: Record<string, string>;
  heads: KnownHeads;
  /** Steps of the site as a whole, by name. */
  steps: Record<string, StepRecord>;
  /** Warnings about files that only some pages load. */
  assets: Record<string, readonly KnownWarning[]>;
}

export function emptyState(
  { site, bodies }: Pick<State, 'site' | 'bodies'>,
  names: Names,
  heads: KnownHeads,
): State {
  return {
    site,
    bodies,
    names,
    noted: [],
    looked: null,
    described: emptyDescribed,
    shared: [],
    read: [],
    copies: {},
    redirected: [],
    pages: [],
    schemas: [],
    pointers: [],
    imports: {},
    parts: {},
    reporting: {},
    foreignShells: [],
    shellWarnings: {},
    previews: [],
    renewals: {},
    corrections: {},
    groups: [],
    words: [],
    llms: [],
    chunks: {},
    heads,
    steps: {},
    assets: {},
  };
}

/** The state of the earlier render; null without one. */
export function readState({ earlier }: Pick<PageCache, 'earlier'>): State | null {
  if (earlier === null) return null;
  const state: State = JSON.parse(earlier.state);
  return state;
}

/** Keys of the entries that a render with this state may get. */
export function entriesOf(text: string): string[] {
  const { groups, words }: State = JSON.parse(text);
  return [
    ...groups.flatMap((name) => [entryKey(name, 'pages'), entryKey(name, 'details')]),
    ...words.map(([, name]) => entryKey(name, 'words')),
  ];
}

export const ownValue = <T>(values: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;
