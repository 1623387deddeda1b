import { hash, randomUUID } from 'node:crypto';
import type { PageCache } from './page-cache.ts';
import { GROUP, type Kept, readGroup, writeGroup } from './page-record.ts';
import { StaleRenderError } from './stale-render.ts';

type Store = Pick<PageCache, 'get' | 'put'>;
type Texts = readonly string[];

const keyOf = (name: string, kind: 'pages' | 'texts'): string => hash('sha256', `${kind} ${name}`);

/** Keys of the entries of groups. */
export const entryKeys = (names: readonly string[]): string[] =>
  names.flatMap((name) => [keyOf(name, 'pages'), keyOf(name, 'texts')]);

/** The groups of pages of the earlier render, by their names; one of them is in memory. */
export function readGroups(cache: Store, names: readonly string[]) {
  let pages: { group: number; kept: Kept[] } | null = null;
  let texts: { group: number; all: Texts[] } | null = null;
  const read = (group: number, kind: 'pages' | 'texts'): Uint8Array => {
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
    texts(number: number): Texts {
      const group = Math.floor(number / GROUP);
      if (texts?.group !== group)
        texts = { group, all: JSON.parse(new TextDecoder().decode(read(group, 'texts'))) };
      return texts.all[number % GROUP] ?? [];
    },
  };
}

/** A page of the group that is being filled; `isNew` if it is not as in the earlier render. */
export interface GroupPage {
  kept: Kept;
  isNew: boolean;
  readTexts(): Texts;
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
      cache.put(keyOf(name, 'texts'), [Buffer.from(JSON.stringify(pages.map((page) => page.readTexts())))]);
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
