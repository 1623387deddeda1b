import { hash, randomUUID } from 'node:crypto';
import type { RenderedPage } from '../mdx/page.ts';
import type { PageCache } from './page-cache.ts';
import type { PageRecord } from './page-record.ts';
import { StaleRenderError } from './stale-render.ts';

type Store = Pick<PageCache, 'get' | 'put'>;

/** Pages of a group. */
const GROUP = 64;

/** What is needed of few pages: parts of files of the search, or of the document if it is written again. */
export interface PageDetails {
  /** Texts of its sections in the search. */
  texts: readonly string[];
  toc: RenderedPage['toc'];
  sideKind: NonNullable<RenderedPage['side']>['kind'] | null;
}

const NO_DETAILS: PageDetails = { texts: [], toc: [], sideKind: null };

/** Key of what is kept with that name. */
export const entryKey = (name: string, kind: 'pages' | 'details' | 'words'): string =>
  hash('sha256', `${kind} ${name}`);

const decoder = new TextDecoder();

/** The groups of pages of the earlier render, by their names; one of them is in memory. */
export function readGroups(cache: Store, names: readonly string[]) {
  let pages: { group: number; records: (PageRecord | null)[] } | null = null;
  let details: { group: number; all: PageDetails[] } | null = null;
  const read = (group: number, kind: 'pages' | 'details'): string => {
    const content = cache.get(entryKey(names[group] ?? '', kind));
    if (content === null) throw new StaleRenderError();
    return decoder.decode(content);
  };
  return {
    page(number: number): PageRecord | null {
      const group = Math.floor(number / GROUP);
      if (pages?.group !== group) pages = { group, records: JSON.parse(read(group, 'pages')) };
      return pages.records[number % GROUP] ?? null;
    },
    details(number: number): PageDetails {
      const group = Math.floor(number / GROUP);
      if (details?.group !== group) details = { group, all: JSON.parse(read(group, 'details')) };
      return details.all[number % GROUP] ?? NO_DETAILS;
    },
  };
}

/** A page of the group that is being filled; `isNew` if it is not as in the earlier render. */
export interface GroupPage {
  /** null for a page that is not kept. */
  record: PageRecord | null;
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
      const put = (kind: 'pages' | 'details', all: readonly unknown[]): void =>
        cache.put(entryKey(name, kind), [Buffer.from(JSON.stringify(all))]);
      put(
        'pages',
        pages.map(({ record }) => record),
      );
      put(
        'details',
        pages.map((page) => page.readDetails()),
      );
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
