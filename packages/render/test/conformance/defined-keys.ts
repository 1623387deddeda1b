import type { Key, Keys } from '../../src/config/key.ts';
import { docsKeys } from '../../src/config/keys/index.ts';
import { nodeKeys, nodeLists } from '../../src/config/keys/navigation.ts';
import { pageKeys } from '../../src/config/keys/page.ts';
import type { Check } from './check.ts';
import type { Row } from './row.ts';

/** Keys by their path in the table, such as `navbar.links.label`. */
function byPath(keys: Keys, parent = ''): Map<string, Key<unknown>> {
  const found = new Map<string, Key<unknown>>();
  for (const [last, key] of Object.entries(keys)) {
    found.set(`${parent}${last}`, key);
    for (const [path, member] of byPath(key.type.members ?? {}, `${parent}${last}.`)) found.set(path, member);
  }
  return found;
}

/** Keys of the navigation also by the list whose entries have them: `groups.root`. */
const nodes = byPath(nodeKeys);
for (const list of Object.keys(nodeLists)) {
  for (const [path, key] of byPath(nodeKeys, `${list}.`)) nodes.set(path, key);
}

/** Keys that the renderer reads, for each table of keys. */
const defined: Readonly<Record<string, ReadonlyMap<string, Key<unknown>>>> = {
  'docs.json': byPath(docsKeys),
  navigation: nodes,
  'front matter': byPath(pageKeys),
};

/** The key that a row is about: `theme` for `theme: mint`. */
const pathOf = (name: string): string => name.replace(/: .*$/, '');

/** A row whose state and note are those of the definition of its key; else it is supported, with `detail` as its note. */
const rowOf =
  (title: string) =>
  (name: string, check: Check | null, detail = ''): Row => {
    const { partial, unused, noEffect, note } = defined[title]?.get(pathOf(name)) ?? {};
    if (noEffect !== undefined) return { name, state: 'none', note: noEffect, check };
    if (unused !== undefined)
      return { name, state: 'degraded', note: `read and checked, but without effect: ${unused}`, check };
    if (partial !== undefined) return { name, state: 'degraded', note: partial, check };
    return { name, state: 'supported', note: note ?? detail, check };
  };

export const docsRow = rowOf('docs.json');
export const nodeRow = rowOf('navigation');
export const pageRow = rowOf('front matter');

/** Whether a row is about a key, or about one of the names that are its values. */
export function isOfKey(title: string, name: string): boolean {
  const path = pathOf(name);
  const key = defined[title]?.get(path);
  return key !== undefined && (path === name || namesOf(key).includes(name.slice(path.length + 2)));
}

/** The names that a key accepts; empty if it accepts other values. */
function namesOf({ type }: Key<unknown>): readonly unknown[] {
  const { anyOf } = type.schema();
  const first: unknown = Array.isArray(anyOf) ? anyOf[0] : undefined;
  const names: unknown = typeof first === 'object' && first !== null && 'enum' in first ? first.enum : [];
  return Array.isArray(names) ? names : [];
}

/** Keys, and names among those of which another one has a row, that no row is about. */
export function missingKeys(title: string, rows: readonly Row[]): string[] {
  const names = new Set(rows.map(({ name }) => name));
  if (title === 'docs.json') return missing(docsKeys, '', names);
  if (title === 'front matter') return missing(pageKeys, '', names);
  if (title !== 'navigation') return [];
  return Object.entries<Key<unknown>>(nodeKeys).flatMap(([name, key]) => {
    if (key.on !== undefined) return key.on.flatMap((list) => missing({ [name]: key }, `${list}.`, names));
    const places = ['', ...Object.keys(nodeLists).map((list) => `${list}.`)];
    const found = places.map((place) => missing({ [name]: key }, place, names));
    return found.some(({ length }) => length === 0) ? [] : (found[0] ?? []);
  });
}

/** A row of an object covers its members if no row is about one of them. */
function missing(keys: Keys, parent: string, names: ReadonlySet<string>): string[] {
  return Object.entries(keys).flatMap(([last, key]) => {
    const path = `${parent}${last}`;
    const about = [...names].filter((name) => [': ', '.'].some((mark) => name.startsWith(`${path}${mark}`)));
    if (!names.has(path) && about.length === 0) return key.isOlder === true ? [] : [path];
    const values = namesOf(key).map((name) => `${path}: ${String(name)}`);
    const others = values.some((name) => names.has(name)) ? values.filter((name) => !names.has(name)) : [];
    const hasMembers = about.some((name) => name.startsWith(`${path}.`));
    return [...others, ...(hasMembers ? missing(key.type.members ?? {}, `${path}.`, names) : [])];
  });
}
