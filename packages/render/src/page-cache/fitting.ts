/** What a render can take of the one before it. */
import { changedGroups, type Described, pagesShowing } from './described.ts';
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
  /** Numbers of the groups of API descriptions that have changed. */
  groups: ReadonlySet<number>;
}

const GONE = -1;
/** In the list of parts, where -1 has another meaning. */
const GONE_PART = -2;

/** null if other pages make or report what one that is gone was the first to make or report. */
function renumber(
  state: State,
  { pages, files }: Names,
  found: readonly number[],
  groups: ReadonlySet<number>,
): Renumbered | null {
  const page = numbering(state.names.pages, pages);
  const file = numbering(state.names.files, files);
  if (page.isSame && file.isSame)
    return { state, before: (number) => number, isSame: true, changed: new Set(found), groups };
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
  const { foreign, described } = state;
  const isFirstGone =
    schemas.some(({ from }) => from === GONE) ||
    list(foreign.body).length < foreign.body.length ||
    reportingSame(described, groups).some((number) => page.after(number) === GONE);
  if (isFirstGone) return null;
  const showing = shown.flatMap(([number, own]) => (own.includes(GONE) ? [number] : []));
  return {
    state: {
      ...state,
      pages: keys,
      schemas,
      imports: Object.fromEntries(shown),
      looked: state.looked === null ? null : { ...state.looked, pages: renamed(state.looked.pages) },
      described: {
        ...described,
        pages: renamed(described.pages),
        reporting: renamed(described.reporting),
      },
      parts: renamed(state.parts),
      foreign: { body: list(foreign.body), shell: list(foreign.shell) },
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
    groups,
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

/** Numbers of the pages that report something of a group of API descriptions whose pages are not all rendered. */
const reportingSame = ({ reporting }: Described, changed: ReadonlySet<number>): number[] =>
  Object.entries(reporting).flatMap(([page, groups]) =>
    groups.every((group) => changed.has(group)) ? [] : [Number(page)],
  );

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
  const groups = changedGroups(state.described, digestOf);
  const showing = pagesShowing(state.described, groups);
  const changed = changedNames(state.names, names);
  if (changed.size === 0) return renumber(state, names, showing, groups);
  if (state.noted === null || state.looked === null || state.noted.some((name) => changed.has(name)))
    return null;
  return renumber(state, names, [...showing, ...pagesThatLookedUp(state.looked, changed)], groups);
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
  const { state, groups } = known;
  const first = [...state.foreign.body, ...reportingSame(state.described, groups)];
  if (!state.read.every(isShared) || !first.every(isSame)) return null;
  const documents = state.site === site && state.shared.every(isShared) && state.foreign.shell.every(isSame);
  return { ...known, documents };
}
