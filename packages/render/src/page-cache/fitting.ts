/** What a render can take of the one before it. */
import { changedGroups, pagesShowing } from './described.ts';
import { pagesThatLookedUp } from './looked-up.ts';
import { changedNames, type Names } from './names.ts';
import type { State } from './state.ts';

/** The state of an earlier render with the numbers that its pages and files have now; without pages that are gone. */
export interface Renumbered {
  state: State;
  /** The number that a page had in the earlier render. */
  before(number: number): number;
  /** Whether pages have the same numbers. */
  isSame: boolean;
  /**
   * Pages that show files that are gone or API descriptions that have changed, or that find something else by a name, by
   * the numbers that they have now.
   */
  changed: ReadonlySet<number>;
  /** Files about which pages that are gone have reported something. */
  orphaned: readonly string[];
}

const GONE = -1;
/** In the list of parts, where -1 has another meaning. */
const GONE_PART = -2;

/** null if other pages make what one that is gone was the first to make. */
function renumber(state: State, { pages, files }: Names, found: readonly number[]): Renumbered | null {
  const page = numbering(state.names.pages, pages);
  const file = numbering(state.names.files, files);
  if (page.isSame && file.isSame)
    return { state, before: (number) => number, isSame: true, changed: new Set(found), orphaned: [] };
  const renamed = <T>(record: Readonly<Record<number, T>>): Record<number, T> =>
    Object.fromEntries(
      Object.entries(record).flatMap(([before, value]) => {
        const number = page.after(Number(before));
        return number === GONE ? [] : [[number, value]];
      }),
    );
  const list = (numbers: readonly number[]): number[] =>
    numbers.map(page.after).filter((number) => number !== GONE);
  const keys: string[] = [];
  for (const [before, key] of state.pages.entries()) {
    const number = page.after(before);
    if (number !== GONE) keys[number] = key;
  }
  const imports = renamed(state.imports);
  const shown = Object.entries(imports).map(
    ([number, own]) => [Number(number), own.map(file.after)] as const,
  );
  const schemas = state.schemas.map((schema) => ({ ...schema, from: page.after(schema.from) }));
  if (schemas.some(({ from }) => from === GONE)) return null;
  const { described, reporting } = state;
  const showing = shown.flatMap(([number, own]) => (own.includes(GONE) ? [number] : []));
  return {
    state: {
      ...state,
      pages: keys,
      schemas,
      imports: Object.fromEntries(shown),
      looked: state.looked === null ? null : { ...state.looked, pages: renamed(state.looked.pages) },
      described: { ...described, pages: renamed(described.pages) },
      parts: renamed(state.parts),
      reporting: renamed(reporting),
      foreignShells: list(state.foreignShells),
      shellWarnings: renamed(state.shellWarnings),
      previews: list(state.previews),
      redirected: list(state.redirected),
      renewals: renamed(state.renewals),
      corrections: renamed(state.corrections),
      llms: state.llms.map(([number, size]) => [partNumber(number, page.after), size] as const),
    },
    before: page.before,
    isSame: page.isSame,
    changed: new Set([...list(found), ...showing]),
    orphaned: Object.entries(reporting).flatMap(([number, own]) =>
      page.after(Number(number)) === GONE ? own : [],
    ),
  };
}

function partNumber(number: number, after: (number: number) => number): number {
  if (number < 0) return number;
  const now = after(number);
  return now === GONE ? GONE_PART : now;
}

/** Numbers of names in two lists; higher numbers follow the lists. */
function numbering(earlier: readonly string[], now: readonly string[]) {
  const places = new Map(now.map((name, number) => [name, number]));
  const after = earlier.map((name) => places.get(name) ?? GONE);
  const before = new Map(after.map((number, at) => [number, at]));
  const shift = now.length - earlier.length;
  return {
    isSame: after.every((number, at) => number === at) && shift === 0,
    after: (number: number): number => after[number] ?? number + shift,
    before: (number: number): number => (number < now.length ? (before.get(number) ?? GONE) : number - shift),
  };
}

/**
 * The earlier state with the pages that API descriptions which have changed and names which lead elsewhere now concern;
 * null if they may concern all.
 */
export function fittingNames(
  state: State,
  bodies: string,
  names: Names,
  digestOf: (file: string) => string | null,
): Renumbered | null {
  if (state.bodies !== bodies) return null;
  const showing = pagesShowing(state.described, changedGroups(state.described, digestOf));
  const changed = changedNames(state.names, names);
  if (changed.size === 0) return renumber(state, names, showing);
  if (state.noted === null || state.looked === null || state.noted.some((name) => changed.has(name)))
    return null;
  return renumber(state, names, [...showing, ...pagesThatLookedUp(state.looked, changed)]);
}

export interface Fitting extends Renumbered {
  /** Whether documents of pages that are the same are the same, too; otherwise only their bodies are. */
  documents: boolean;
}

/**
 * `isSame`: whether the page with that number has the same key; `isShared`: whether a file has the same digest. null if
 * all pages have to be rendered.
 */
export function fittingState(
  known: Renumbered,
  site: string,
  isSame: (page: number) => boolean,
  isShared: (file: readonly [string, string]) => boolean,
): Fitting | null {
  const { state } = known;
  if (!state.read.every(isShared)) return null;
  const documents = state.site === site && state.shared.every(isShared) && state.foreignShells.every(isSame);
  return { ...known, documents };
}

/**
 * Finds the pages that would report what a page that is not the same has reported, and hands them to `renew`, after which
 * they are not the same either. `own` has the number of the page of a file. False if any page could be one of them.
 */
export function renewReporting(
  { state, orphaned }: Pick<Renumbered, 'state' | 'orphaned'>,
  files: readonly string[],
  own: ReadonlyMap<string, number>,
  isSame: (page: number) => boolean,
  renew: (page: number) => void,
): boolean {
  const waiting = new Map(Object.entries(state.reporting).map(([page, about]) => [Number(page), about]));
  const done = new Set<string>();
  const open = new Set(orphaned);
  let pagesOf: PagesOf | null = null;
  for (;;) {
    for (const [page, about] of waiting) {
      if (isSame(page)) continue;
      waiting.delete(page);
      for (const file of about) open.add(file);
    }
    const next = [...open].filter((file) => !done.has(file));
    if (next.length === 0) return true;
    pagesOf ??= openPagesOf(state, files, own);
    const lists = new Set<readonly number[]>();
    for (const file of next) {
      done.add(file);
      const showing = pagesOf(file);
      if (showing.length === 0) return false;
      for (const list of showing) lists.add(list);
    }
    for (const page of new Set([...lists].flat())) renew(page);
  }
}

/** Numbers of the pages that show a file, as lists that several files can share; none if that is not known. */
type PagesOf = (file: string) => readonly (readonly number[])[];

function openPagesOf(
  { imports, described }: State,
  files: readonly string[],
  own: ReadonlyMap<string, number>,
): PagesOf {
  const importing = new Map<string, number[]>();
  const byGroup = new Map<number, number[]>();
  for (const [page, shown] of Object.entries(imports))
    for (const number of shown) addTo(importing, files[number] ?? '', Number(page));
  for (const [page, groups] of Object.entries(described.pages))
    for (const group of groups) addTo(byGroup, group, Number(page));
  const groupOf = new Map(
    described.groups.flatMap((group, number) => group.files.map((file) => [file, number] as const)),
  );
  return (file) => {
    const page = own.get(file);
    const lists = [importing.get(file), byGroup.get(groupOf.get(file) ?? -1)];
    return [...lists, page === undefined ? undefined : [page]].filter((list) => list !== undefined);
  };
}

function addTo<K>(lists: Map<K, number[]>, key: K, page: number): void {
  const pages = lists.get(key);
  if (pages === undefined) lists.set(key, [page]);
  else pages.push(page);
}
