import { hash, randomUUID } from 'node:crypto';
import type { RenderedPage } from '../mdx/page.ts';
import type { PageCache } from './page-cache.ts';
import { GROUP, type Kept, readGroup, writeGroup } from './page-record.ts';
import { StaleRenderError } from './stale-render.ts';

type Store = Pick<PageCache, 'get' | 'put'>;

/** What is needed of few pages: parts of files of the search, or of the document if it is written again. */
export interface PageDetails {
  /** Texts of its sections in the search. */
  texts: readonly string[];
  toc: RenderedPage['toc'];
  sideKind: NonNullable<RenderedPage['side']>['kind'] | null;
}

const NO_DETAILS: PageDetails = { texts: [], toc: [], sideKind: null };

const keyOf = (name: string, kind: 'pages' | 'details'): string => hash('sha256', `${kind} ${name}`);

/** Keys of the entries of groups. */
export const entryKeys = (names: readonly string[]): string[] =>
  names.flatMap((name) => [keyOf(name, 'pages'), keyOf(name, 'details')]);

/** The groups of pages of the earlier render, by their names; one of them is in memory. */
export function readGroups(cache: Store, names: readonly string[]) {
  let pages: { group: number; kept: Kept[] } | null = null;
  let details: { group: number; all: PageDetails[] } | null = null;
  const read = (group: number, kind: 'pages' | 'details'): Uint8Array => {
    const content = cache.get(keyOf(names[group] ?? '', kind));
    if (content === null) throw new StaleRenderError();
    return content;
  };
  return {
    page(number: number): Kept {
      const group = Math.floor(number / GROUP);
      if (pages?.group !== group) pages = { group, kept: readGroup(read(group, 'pages')) };
      return pages.kept[number % GROUP] ?? null;
    },
    details(number: number): PageDetails {
      const group = Math.floor(number / GROUP);
      if (details?.group !== group)
        details = { group, all: JSON.parse(new TextDecoder().decode(read(group, 'details'))) };
      return details.all[number % GROUP] ?? NO_DETAILS;
    },
  };
}

/** A page of the group that is being filled; `isNew` if it is not as in the earlier render. */
export interface GroupPage {
  kept: Kept;
  isNew: boolean;
  readDetails(): PageDetails;
}

/** Collects pages in their order and keeps a group of them at a time. `names` are those of the earlier groups. */
export function writeGroups(cache: Store, names: readonly string[]) {
  const written: string[] = [];
  let pages: GroupPage[] = [];
  const close = (): void => {
    if (pages.length === 0) return;
    const known = names[written.length];
    if (known !== undefined && !pages.some(({ isNew }) => isNew)) written.push(known);
    else {
      const name = randomUUID();
      cache.put(keyOf(name, 'pages'), writeGroup(pages.map(({ kept }) => kept)));
      const details = pages.map((page) => page.readDetails());
      cache.put(keyOf(name, 'details'), [Buffer.from(JSON.stringify(details))]);
      written.push(name);
    }
    pages = [];
  };
  return {
    add(page: GroupPage): void {
      pages.push(page);
      if (pages.length === GROUP) close();
    },
    /** Names of all groups. */
    end(): string[] {
      close();
      return written;
    },
  };
}
