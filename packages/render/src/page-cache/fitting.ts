/** What a render can take of the one before it. */
import { changedNames, type Names } from './names.ts';
import type { State } from './state.ts';

/** The state of an earlier render with the numbers that its pages and files have now. */
export interface Renumbered {
  state: State;
  /** The number that a page had in the earlier render. */
  before(number: number): number;
  /** Whether pages have the same numbers. */
  isSame: boolean;
}

/** All pages and files of the earlier render must still be there. */
function renumber(state: State, { pages, files }: Pick<State['names'], 'pages' | 'files'>): Renumbered {
  const page = numbering(state.names.pages, pages);
  const file = numbering(state.names.files, files);
  if (page.isSame && file.isSame) return { state, before: (number) => number, isSame: true };
  const renamed = <T>(record: Readonly<Record<number, T>>): Record<number, T> =>
    Object.fromEntries(Object.entries(record).map(([number, value]) => [page.after(Number(number)), value]));
  const list = (numbers: readonly number[]): number[] => numbers.map(page.after);
  const keys: string[] = [];
  for (const [number, key] of state.pages.entries()) keys[page.after(number)] = key;
  const imports = Object.entries(state.imports).map(
    ([number, numbers]) => [page.after(Number(number)), numbers.map(file.after)] as const,
  );
  return {
    state: {
      ...state,
      pages: keys,
      schemas: state.schemas.map((schema) => ({ ...schema, from: page.after(schema.from) })),
      imports: Object.fromEntries(imports),
      parts: renamed(state.parts),
      foreign: { body: list(state.foreign.body), shell: list(state.foreign.shell) },
      shellWarnings: renamed(state.shellWarnings),
      previews: list(state.previews),
      redirected: list(state.redirected),
      corrections: renamed(state.corrections),
      llms: state.llms.map(([number, size]) => [number < 0 ? number : page.after(number), size] as const),
    },
    before: page.before,
    isSame: page.isSame,
  };
}

/** Numbers of names in two lists, the second of which contains the first; higher numbers follow the lists. */
function numbering(earlier: readonly string[], now: readonly string[]) {
  const places = new Map(now.map((name, number) => [name, number]));
  const after = earlier.map((name) => places.get(name) ?? -1);
  const before = new Map(after.map((number, at) => [number, at]));
  const shift = now.length - earlier.length;
  return {
    isSame: after.every((number, at) => number === at) && shift === 0,
    after: (number: number): number => after[number] ?? number + shift,
    before: (number: number): number => (number < now.length ? (before.get(number) ?? -1) : number - shift),
  };
}

/** The earlier state if no name that it has looked up leads elsewhere now. */
export function fittingNames(state: State, bodies: string, names: Names): Renumbered | null {
  if (state.bodies !== bodies) return null;
  const changed = changedNames(state.names, names);
  if (changed === null) return null;
  const noted = new Set(state.noted);
  const isFitting =
    changed.length === 0 || (state.noted !== null && !changed.some((name) => noted.has(name)));
  return isFitting ? renumber(state, names) : null;
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
  if (!state.read.every(isShared) || !state.foreign.body.every(isSame)) return null;
  const documents = state.site === site && state.shared.every(isShared) && state.foreign.shell.every(isSame);
  return { ...known, documents };
}
