import { type ConfigValue, type Files, openConfig, type Place } from './config-tree.ts';
import {
  appendMember,
  applySplices,
  insertItem,
  removeItem,
  replaceScalar,
  type Splice,
} from './json-splice.ts';
import { entryPath, foldPath, type PageLookup, pagePath } from './page-lookup.ts';

/** Takes a changed file with the number of its changes; false when it may not be written. */
type Write = (file: string, text: string, changed: number) => boolean;

interface Item {
  index: number;
  source: Place;
  destination: Place;
}

interface Redirects {
  list: Place | null;
  items: Item[];
  /** Where a list can be added. */
  holder: Place;
  texts: ReadonlyMap<string, string>;
}

/** Redirects that are made of one pattern for one page. */
const MAX_FROM_PATTERNS = 20;

function readRedirects(files: Files): Redirects {
  const config = openConfig(files);
  const top = config.read(config.root);
  const holder = top.place;
  const written = top.type === 'object' ? top.members.get('redirects') : undefined;
  const value: ConfigValue | null = written === undefined ? null : config.read(written);
  if (value?.type !== 'array') return { list: null, items: [], holder, texts: config.texts };
  const items = value.items.flatMap((place, index) => {
    const item = config.read(place);
    if (item.type !== 'object') return [];
    const source = item.members.get('source');
    const destination = item.members.get('destination');
    if (source?.node.type !== 'string' || destination?.node.type !== 'string') return [];
    return [{ index, source, destination }];
  });
  return { list: value.place, items, holder, texts: config.texts };
}

const addressOf = (file: string): string => (pagePath(file) === 'index' ? '/' : `/${pagePath(file)}`);
const keyOf = (address: string): string => foldPath(entryPath(address.replace(/[?#].*$/s, '')));
const textAt = ({ node }: Place): string => String(node.value);

/**
 * A redirect from an address at which there is a page now is never followed, or makes a circle. Reported by
 * notes.
 */
export function dropRedirects(files: Files, to: string, write: Write): string[] {
  const notes: string[] = [];
  for (;;) {
    const { list, items, texts } = readRedirects(files);
    const stale = items.find(({ source }) => keyOf(textAt(source)) === keyOf(addressOf(to)));
    if (stale === undefined || list === null) return notes;
    const text = applySplices(texts.get(list.file) ?? '', [removeItem(list.node, stale.index)]);
    if (!write(list.file, text, 1)) return notes;
    notes.push(`Removed the redirect from ${addressOf(to)}, where the page is now.`);
  }
}

/**
 * Adds a redirect from the old address of a page to the new one; redirects that led to the old one lead to the new one
 * at once. What patterns made of the old address is written out, since they find no page there any more.
 */
export function keepAddress(
  files: Files,
  before: PageLookup,
  from: string,
  to: string,
  write: Write,
): string[] {
  const source = addressOf(from);
  const destination = addressOf(to);
  if (source === '/')
    return ['A redirect from / was not added, because / must be a page: add an index page.'];
  const { list, items, holder, texts } = readRedirects(files);
  const notes: string[] = [];
  const splices: [file: string, splice: Splice][] = [];
  const known = items.find((item) => keyOf(textAt(item.source)) === keyOf(source));
  for (const item of items) {
    const written = textAt(item.destination);
    const leadsHere = written.startsWith('/') && keyOf(written) === keyOf(source);
    if (item !== known && !leadsHere) continue;
    const wanted = destination + (leadsHere ? (/[?#].*$/s.exec(written)?.[0] ?? '') : '');
    if (written === wanted) continue;
    splices.push([item.destination.file, replaceScalar(item.destination.node, wanted)]);
    notes.push(`The redirect from ${textAt(item.source)} now leads to ${wanted}.`);
  }
  const sources = known === undefined ? [source] : [];
  for (const address of patternSources(items, pagePath(from))) {
    if (before.find(address) === null && !items.some((item) => keyOf(textAt(item.source)) === keyOf(address)))
      sources.push(address);
  }
  for (const [file, own] of Map.groupBy(splices, ([name]) => name)) {
    write(
      file,
      applySplices(
        texts.get(file) ?? '',
        own.map(([, splice]) => splice),
      ),
      own.length,
    );
  }
  for (const address of sources) {
    const place = list ?? holder;
    if (!addRedirect(files, { source: address, destination }, write)) return notes;
    notes.push(`Added a redirect from ${address} to ${destination} in ${place.file}.`);
  }
  return notes;
}

function addRedirect(files: Files, entry: { source: string; destination: string }, write: Write): boolean {
  const { list, holder, texts } = readRedirects(files);
  const place = list ?? holder;
  const text = texts.get(place.file) ?? '';
  const splice =
    list === null
      ? appendMember(text, holder.node, 'redirects', [entry])
      : insertItem(text, list.node, list.node.children?.length ?? 0, entry);
  return write(place.file, applySplices(text, [splice]), 1);
}

/** Addresses that patterns with one capture, the same on both sides, lead to this page. */
function patternSources(items: readonly Item[], page: string): string[] {
  const found: string[] = [];
  for (const { source, destination } of items) {
    const from = splitPattern(textAt(source));
    const to = splitPattern(textAt(destination));
    if (from === null || to === null || from.capture !== to.capture) continue;
    const path = `/${page}`;
    const middle = path.slice(to.before.length, path.length - to.after.length);
    const fits = path.length > to.before.length + to.after.length;
    if (!fits || !path.startsWith(to.before) || !path.endsWith(to.after)) continue;
    if (middle.includes('/') && !to.capture.endsWith('*')) continue;
    found.push(from.before + middle + from.after);
  }
  return [...new Set(found)].slice(0, MAX_FROM_PATTERNS);
}

/** `/a/:rest*` in its parts; null for what has no capture or more than one. */
function splitPattern(text: string): { before: string; capture: string; after: string } | null {
  const parts = text.split(/(:[A-Za-z_]\w*\*?|\*)/);
  const [before = '', capture, after = ''] = parts;
  if (parts.length !== 3 || capture === undefined || !before.startsWith('/')) return null;
  return { before, capture, after: after.replace(/[?#].*$/s, '') };
}
