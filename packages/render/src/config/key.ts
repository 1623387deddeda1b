import { REMOTE_FOLDER } from '../remote/remote-files.ts';
import { memberName, memberOf, type Section, warnAt } from './section.ts';
import { suggestName } from './suggest-name.ts';

// docs.json and front matter are untrusted input: any key may have any value. Each type reads what it accepts and gives
// one warning for anything else.

/** A JSON Schema of draft-07, with the keywords that the JSON language service of VS Code adds. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A type of values: how one is read, and what editors and the reference know about it. */
export interface Type<T> {
  /** Values that it accepts, as Markdown of the reference. */
  readonly values: string;
  /** Keys of its object, or of the objects of its list. */
  readonly members?: Keys;
  readonly isList?: boolean;
  /** `values` names the members, so that the reference has no rows for them. */
  readonly isBrief?: boolean;
  /** Values that it accepts, for editors. */
  schema(): JsonSchema;
  /** The value of a key; null or empty for a missing one and, after a warning at its line, for one that is not accepted. */
  read(section: Section, key: string): T;
}

/** What is known about a key besides its type. */
export interface Facts {
  /** What it does: one sentence without a full stop, as Markdown. */
  readonly about: string;
  /** What applies without it, if that is not a value. */
  readonly otherwise?: string;
  /** A typical value, which editors suggest. */
  readonly example?: unknown;
  /** How far an export supports it, if not completely: a sentence without a full stop. */
  readonly partial?: string;
  /** What pages show although the key is read and checked: nothing uses it yet. A sentence without a full stop. */
  readonly unused?: string;
  /** Why it has no effect in an export: a sentence without a full stop. */
  readonly noEffect?: string;
  /** A detail of the conformance table. */
  readonly note?: string;
  /** Kept for older files; neither suggested nor in the reference. */
  readonly isOlder?: boolean;
  /** Not a key of the format; a warning asks the author to remove it. */
  readonly isIgnored?: boolean;
  /** Lists of the navigation whose entries editors suggest it for; default: all. */
  readonly on?: readonly string[];
}

/** One key of docs.json or of front matter. Everything that depends on a key is derived from its definition. */
export interface Key<T> extends Facts {
  readonly type: Omit<Type<unknown>, 'read'>;
  /** Value of a missing key. */
  readonly default?: unknown;
  read(section: Section, key: string): T;
}

/** Keys of one object by name, in the order of the reference. */
export type Keys = Readonly<Record<string, Key<unknown>>>;

/** What reading a key gives. */
export type ValueOf<K> = K extends Key<infer T> ? T : never;

/** What reading all keys of an object gives. */
export type ValuesOf<K extends Keys> = { readonly [Name in keyof K]: ValueOf<K[Name]> };

/** {@link Facts} that a definition may add to the sentence and the type. */
type More = Omit<Facts, 'about'>;
type Finish<T, R> = (value: T, section: Section, key: string) => R;

/**
 * Defines a key by what it does and by its type. `default` is its value if it is missing or not accepted; `finish` checks
 * or changes what was read, with warnings of its own.
 */
export function defineKey<T, R>(about: string, type: Type<T>, more: More & { finish: Finish<T, R> }): Key<R>;
export function defineKey<T>(
  about: string,
  type: Type<T | null>,
  more: More & { default: NoInfer<T> },
): Key<T>;
export function defineKey<T>(about: string, type: Type<T>, more?: More): Key<T>;
export function defineKey<T, R>(
  about: string,
  type: Type<T>,
  more: More & { default?: R; finish?: Finish<T, R> } = {},
): Key<T | R> {
  const { finish, default: fallback } = more;
  return {
    ...more,
    about,
    type,
    read(section, key) {
      const value = type.read(section, key);
      if (finish !== undefined) return finish(value, section, key);
      return fallback === undefined ? value : (value ?? fallback);
    },
  };
}

/** A key that older or unofficial files have and that changes nothing. `path` names it in its warning; default: the key. */
export function ignoredKey(reason = '', path?: string): Key<null> {
  const why = reason === '' ? ' in an export' : `: ${reason}`;
  return {
    about: `Has no effect${why}`,
    noEffect: `${reason === '' ? 'not a key of the format' : reason}; a warning reports it`,
    isIgnored: true,
    type: { values: 'any', schema: () => ({}) },
    read(section, key) {
      const value = memberOf(section, key);
      // Copies of files of other hosts are part of the source, so they are loaded by every page.
      if (value === undefined || JSON.stringify(value).includes(REMOTE_FOLDER)) return null;
      warnAt(section, key, 'config-ignored-key', `"${path ?? key}" has no effect${why}. Remove it.`);
      return null;
    },
  };
}

/** Reads every key of an object; `onKey` is called before each of them. */
export function readKeys<K extends Keys>(
  keys: K,
  section: Section,
  onKey?: (name: string) => void,
): ValuesOf<K> {
  const values: Record<string, unknown> = {};
  for (const name in keys) {
    onKey?.(name);
    values[name] = keys[name]?.read(section, name);
  }
  return values as ValuesOf<K>;
}

/** Names that a misspelled one may mean. */
export const namesOf = (keys: Keys): string[] =>
  Object.keys(keys).filter((name) => keys[name]?.isIgnored !== true);

/** Keys of mint.json that docs.json has under another name, which migrated files often keep. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['topbarLinks', 'navbar.links'],
  ['topbarCtaButton', 'navbar.primary'],
  ['modeToggle', 'appearance'],
  ['codeBlock', 'styling.codeblocks'],
  ['eyebrow', 'styling.eyebrows'],
  ['font', 'fonts'],
  ['backgroundImage', 'background.image'],
  ['openapi', 'api.openapi'],
  ['analytics', 'integrations'],
  ['footerSocials', 'footer.socials'],
  ['layout', 'theme'],
  ['tabs', 'navigation.tabs'],
  ['anchors', 'navigation.anchors'],
  ['versions', 'navigation.versions'],
  ['seo.indexHiddenPages', 'seo.indexing'],
  ['api.baseUrl', 'api.mdx.server'],
  ['api.auth', 'api.mdx.auth'],
  ['api.paramFields', 'api.params'],
  ['api.request', 'api.examples'],
  ['api.playground.mode', 'api.playground.display'],
  ['metadata.*', 'seo.metatags'],
]);

/** Warnings about unknown keys of one object, and of the whole file. */
const MAX_UNKNOWN = 10;
const MAX_UNKNOWN_ROOT = 50;

/** Warns about each key of an object that the format does not have. */
export function checkUnknown(section: Section, keys: Keys): void {
  const isRoot = section.name === '';
  const unknown = Object.keys(section.value).filter((key) => !Object.hasOwn(keys, key));
  const names = namesOf(keys);
  const help = isRoot ? 'Check its spelling or remove it.' : `Known keys: ${names.join(', ')}.`;
  const place = isRoot ? section.file : `"${section.name}"`;
  for (const key of unknown.slice(0, isRoot ? MAX_UNKNOWN_ROOT : MAX_UNKNOWN)) {
    const hint = hintFor(section, key, suggestName(key, names)) ?? help;
    const shown = JSON.stringify(key.slice(0, 80));
    warnAt(section, key, 'config-unknown-key', `Unknown key ${shown} in ${place}. ${hint}`);
  }
}

/** What an unknown key may mean: the new name of one of mint.json, or a similar name. */
function hintFor(section: Section, key: string, near: string | null): string | null {
  const renamed = RENAMED.get(memberName(section, key));
  const name = renamed ?? (near === null ? RENAMED.get(`${section.name}.*`) : undefined);
  if (name !== undefined) return `It is a key of mint.json; use "${name}".`;
  return near === null ? null : `Did you mean "${near}"?`;
}
