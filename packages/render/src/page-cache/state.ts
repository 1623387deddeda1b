import type { KnownWarning } from '../warning.ts';
import type { KnownHeads } from './heads.ts';
import type { PageCache } from './page-cache.ts';
import { entryKeys } from './page-groups.ts';
import type { StepRecord } from './steps.ts';

/** What a render remembers of the site as a whole, for the next one. */
export interface State {
  /** Key of the site. */
  site: string;
  /** Key of each page; '' for one that is not kept. */
  pages: string[];
  /** Pages with warnings about other files, which other pages would have if these had not had them before. */
  foreign: number[];
  /** Corrections of the links of pages that have any. */
  corrections: Record<number, string>;
  /** Name of each group of pages. */
  groups: string[];
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

export function emptyState(site: string, pages: number, heads: KnownHeads): State {
  return {
    site,
    pages: Array.from({ length: pages }, () => ''),
    foreign: [],
    corrections: {},
    groups: [],
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
  const { groups }: State = JSON.parse(text);
  return entryKeys(groups);
}

/** The state, if pages with these keys can be the same; null if all have to be rendered. */
export function fittingState(state: State | null, site: string, keys: readonly string[]): State | null {
  if (state?.site !== site) return null;
  return state.foreign.some((number) => state.pages[number] !== keys[number]) ? null : state;
}
