import { isObject, type JsonObject } from './json.ts';
import { copyPlace } from './place.ts';

interface Place {
  /** `tab` or `anchor`. */
  kind: 'tab' | 'anchor';
  name: string;
  /** Path prefix that it owns, without slashes at the ends; null for an external link. */
  prefix: string | null;
  written: JsonObject;
}

/**
 * Navigation of mint.json as that of docs.json. There, groups are one list, and tabs and anchors own the pages
 * below their URL prefix (longest prefix first); what nobody owns belongs to the first tab or anchor.
 * Entries with a `version` belong to that version only. null when there is no list of groups.
 */
export function upgradeMintNavigation(mint: JsonObject): JsonObject | null {
  const { navigation } = mint;
  if (!Array.isArray(navigation)) return null;
  const versions = Array.isArray(mint.versions) ? mint.versions : [];
  const known = versions.filter((version) => typeof version === 'string' || isObject(version));
  if (known.length === 0) return upgradeVersion(mint, navigation, null);
  const localized = known.some((version) => isObject(version) && typeof version.locale === 'string');
  const nodes = known.map((version: unknown) => {
    const written: JsonObject = isObject(version) ? version : { name: version };
    const name = String(written.name ?? written.locale ?? '');
    const label = localized ? { language: written.locale ?? name } : { version: name };
    const isDefault = written.default === true ? { default: true } : {};
    return copyPlace(written, { ...label, ...isDefault, ...upgradeVersion(mint, navigation, name) });
  });
  const links = globalAnchors(mint);
  return { ...(links === null ? {} : { global: links }), [localized ? 'languages' : 'versions']: nodes };
}

function upgradeVersion(mint: JsonObject, groups: readonly unknown[], version: string | null): JsonObject {
  const places = [...readPlaces(mint.tabs, 'tab', version), ...readPlaces(mint.anchors, 'anchor', version)];
  const owners = places
    .filter((place) => place.prefix !== null)
    .sort((a, b) => (b.prefix ?? '').length - (a.prefix ?? '').length);
  const owned = new Map<Place | null, unknown[]>();
  for (const group of groups) {
    if (!belongs(group, version)) continue;
    for (const [owner, part] of splitGroup(group, owners, 0)) {
      const list = owned.get(owner);
      if (list === undefined) owned.set(owner, [part]);
      else list.push(part);
    }
  }
  const rest = owned.get(null) ?? [];
  const tabs = places
    .filter((place) => place.kind === 'tab')
    .map((place) => upgradePlace(place, owned.get(place)));
  const anchors = places
    .filter((place) => place.kind === 'anchor' && place.prefix !== null)
    .map((place) => upgradePlace(place, owned.get(place)));
  let content: JsonObject = { groups: rest };
  if (anchors.length > 0)
    content = { anchors: [{ ...primary(mint.topAnchor, 'anchor'), groups: rest }, ...anchors] };
  if (tabs.length > 0) content = { tabs: [{ ...primary(mint.primaryTab, 'tab'), ...content }, ...tabs] };
  const links = version === null ? globalAnchors(mint) : null;
  return links === null ? content : { global: links, ...content };
}

/** External anchors are shown everywhere. */
function globalAnchors(mint: JsonObject): JsonObject | null {
  const external = readPlaces(mint.anchors, 'anchor', null).filter((place) => place.prefix === null);
  return external.length === 0 ? null : { anchors: external.map((place) => upgradePlace(place, undefined)) };
}

function primary(written: unknown, kind: 'tab' | 'anchor'): JsonObject {
  const named = isObject(written) ? written : {};
  const name = typeof named.name === 'string' && named.name !== '' ? named.name : 'Documentation';
  return { [kind]: name, ...appearance(named) };
}

function upgradePlace(place: Place, groups: unknown[] | undefined): JsonObject {
  const { written, prefix } = place;
  const openapi = upgradeOpenapi(written.openapi, prefix);
  const link = prefix === null ? { href: written.url } : {};
  const hidden = written.isDefaultHidden === true ? { hidden: true } : {};
  const content = groups === undefined ? {} : { groups };
  return copyPlace(written, {
    [place.kind]: place.name,
    ...appearance(written),
    ...hidden,
    ...link,
    ...openapi,
    ...content,
  });
}

function upgradeOpenapi(openapi: unknown, prefix: string | null): JsonObject {
  if (openapi === undefined) return {};
  if (prefix === null || prefix === '' || typeof openapi !== 'string') return { openapi };
  return { openapi: { source: openapi, directory: prefix } };
}

function appearance(written: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const key of ['icon', 'iconType']) if (written[key] !== undefined) kept[key] = written[key];
  if (typeof written.color === 'string') kept.color = { light: written.color, dark: written.color };
  return kept;
}

function readPlaces(value: unknown, kind: Place['kind'], version: string | null): Place[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((written: unknown) => {
    if (!isObject(written) || typeof written.url !== 'string' || !belongs(written, version)) return [];
    const external = /^[a-z][a-z0-9+.-]*:/i.test(written.url);
    return [
      { kind, name: String(written.name ?? ''), prefix: external ? null : trimSlashes(written.url), written },
    ];
  });
}

const belongs = (entry: unknown, version: string | null): boolean =>
  version === null || !isObject(entry) || typeof entry.version !== 'string' || entry.version === version;

/** The parts of a group by owner, in order of first appearance; nested groups are split in the same way. */
function splitGroup(group: unknown, owners: readonly Place[], depth: number): Map<Place | null, unknown> {
  if (!isObject(group) || !Array.isArray(group.pages) || depth > 100) return new Map([[null, group]]);
  const written: readonly unknown[] = group.pages;
  const parts = new Map<Place | null, unknown[]>();
  const add = (owner: Place | null, item: unknown): void => {
    const part = parts.get(owner);
    if (part === undefined) parts.set(owner, [item]);
    else part.push(item);
  };
  for (const item of written) {
    if (typeof item === 'string') add(ownerOf(item, owners), item);
    else for (const [owner, part] of splitGroup(item, owners, depth + 1)) add(owner, part);
  }
  if (parts.size === 0) return new Map([[null, group]]);
  return new Map(
    [...parts].map(([owner, items]) => {
      const pages = items.length === written.length ? copyPlace(written, items) : items;
      return [owner, copyPlace(group, { ...group, pages })];
    }),
  );
}

function ownerOf(page: string, owners: readonly Place[]): Place | null {
  const path = trimSlashes(page);
  return (
    owners.find(({ prefix }) => prefix !== null && (path === prefix || path.startsWith(`${prefix}/`))) ?? null
  );
}

function trimSlashes(path: string): string {
  let from = 0;
  let to = path.length;
  while (from < to && path[from] === '/') from++;
  while (to > from && path[to - 1] === '/') to--;
  return path.slice(from, to).trim();
}
