/**
 * API descriptions that pages show, in groups of files that refer to each other, so that a changed file concerns only the
 * pages that show its group. What a page shows of a description can depend on any file of the group.
 */
import { hash } from 'node:crypto';
import { MAX_TOTAL_BYTES } from '../reference/documents.ts';
import type { SourceTree } from '../source.ts';

export interface Described {
  groups: readonly FileGroup[];
  /** Numbers of the groups that each page shows, by its number. */
  pages: Readonly<Record<number, readonly number[]>>;
}

interface FileGroup {
  files: readonly string[];
  digest: string;
}

/** Digest of a file; null for one that is not there. */
type DigestOf = (file: string) => string | null;

export const emptyDescribed: Described = { groups: [], pages: {} };

const digestOfGroup = (files: readonly string[], digestOf: DigestOf): string =>
  hash('sha256', files.map((file) => `${file}\n${digestOf(file) ?? ''}`).join('\n'));

/** Numbers of the groups with a file that is not as it was. */
export function changedGroups({ groups }: Described, digestOf: DigestOf): Set<number> {
  return new Set(
    groups.flatMap(({ files, digest }, number) =>
      digestOfGroup(files, digestOf) === digest ? [] : [number],
    ),
  );
}

/** Numbers of the pages that show one of these groups. */
export const pagesShowing = ({ pages }: Described, groups: ReadonlySet<number>): number[] =>
  Object.entries(pages).flatMap(([page, own]) => (own.some((one) => groups.has(one)) ? [Number(page)] : []));

/** Files, and which of them refer to each other. */
export interface FileLinks {
  link(from: string, to: string): void;
  from(file: string): Iterable<string>;
  pairs(): Iterable<readonly [string, string]>;
}

export function createFileLinks(): FileLinks {
  const targets = new Map<string, Set<string>>();
  return {
    link(from, to) {
      const known = targets.get(from);
      if (known === undefined) targets.set(from, new Set([to]));
      else known.add(to);
    },
    from: (file) => targets.get(file) ?? [],
    *pairs() {
      for (const [from, own] of targets) for (const to of own) yield [from, to];
    },
  };
}

/** Which descriptions pages show. */
export interface DescribedPages {
  /** Takes the description files that a page has used, when it was rendered. */
  add(page: number, files: Iterable<string>): void;
  /** Takes a page that is as in the earlier render. */
  addKnown(page: number): void;
  /** Whether a file refers to one of a group whose pages were not rendered, or the other way round. */
  isJoined(links: FileLinks): boolean;
  /** Whether the files are so large that it depends on their order which of them are read. */
  isTooLarge(links: FileLinks): boolean;
  end(links: FileLinks, digestOf: DigestOf): Described;
}

/** `changed`: numbers of the groups of the earlier render whose pages are rendered. */
export function createDescribedPages(
  earlier: Described,
  changed: ReadonlySet<number>,
  { size }: Pick<SourceTree, 'size'>,
): DescribedPages {
  const used = new Map<number, readonly string[]>();
  const kept = earlier.groups.filter((_, number) => !changed.has(number));
  const keptGroup = new Map(kept.flatMap((group) => group.files.map((file) => [file, group] as const)));
  return {
    add(page, files) {
      const own = [...files];
      if (own.length > 0) used.set(page, own);
    },
    addKnown(page) {
      const files = (earlier.pages[page] ?? []).flatMap((group) => earlier.groups[group]?.files[0] ?? []);
      if (files.length > 0) used.set(page, files);
    },
    isJoined(links) {
      for (const [from, to] of links.pairs()) if (keptGroup.get(from) !== keptGroup.get(to)) return true;
      return false;
    },
    isTooLarge(links) {
      const files = new Set(keptGroup.keys());
      for (const own of used.values()) for (const file of own) files.add(file);
      for (const [from, to] of links.pairs()) files.add(from).add(to);
      return [...files].reduce((sum, file) => sum + size(file), 0) > MAX_TOTAL_BYTES;
    },
    end(links, digestOf) {
      const joined = joinFiles();
      for (const { files } of kept) for (const file of files) joined.join(files[0] ?? file, file);
      for (const [from, to] of links.pairs()) joined.join(from, to);
      const connected = joined.all();
      const numbers = new Map<string, number>();
      for (const file of [...used.values()].flat()) {
        const root = joined.rootOf(file);
        if (!numbers.has(root)) numbers.set(root, numbers.size);
      }
      const numberOf = (file: string): number => numbers.get(joined.rootOf(file)) ?? -1;
      const groups = [...numbers.keys()].map((root) => {
        const files = (connected.get(root) ?? [root]).sort();
        return { files, digest: digestOfGroup(files, digestOf) };
      });
      const pages = [...used].map(([page, files]) => [page, [...new Set(files.map(numberOf))]]);
      return { groups, pages: Object.fromEntries(pages) };
    },
  };
}

/** Some files with all that they refer to, directly or through each other. */
export function filesLinked(files: ReadonlySet<string>, links: FileLinks): Set<string> {
  const all = new Set(files);
  for (const file of all) for (const target of links.from(file)) all.add(target);
  return all;
}

/** Files that are connected with each other by any way. */
function joinFiles() {
  const above = new Map<string, string>();
  const rootOf = (file: string): string => {
    let root = file;
    for (let next = above.get(root); next !== undefined; next = above.get(root)) root = next;
    // so that later ones have a short way
    for (let at = file; at !== root; ) {
      const next = above.get(at) ?? root;
      above.set(at, root);
      at = next;
    }
    return root;
  };
  return {
    rootOf,
    join(from: string, to: string): void {
      const [a, b] = [rootOf(from), rootOf(to)];
      if (a !== b) above.set(b, a);
    },
    /** Files of each group, by its root. */
    all(): Map<string, string[]> {
      const files = new Map<string, string[]>();
      for (const file of above.keys()) {
        const root = rootOf(file);
        const own = files.get(root);
        if (own === undefined) files.set(root, [root, file]);
        else own.push(file);
      }
      return files;
    },
  };
}
