import { cssUrls } from '../clean/css.ts';
import { isObject } from '../config/json.ts';
import { readConfigTree } from '../config/reference.ts';
import { parseOperation } from '../nav/operation.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import type { RemoteKind } from './file-form.ts';
import { findNamingPages, withPath } from './page-descriptions.ts';
import { absoluteUrl, isRemoteUrl, type RemoteFile, type RemoteFiles } from './remote-files.ts';

/** Keys of docs.json whose value, or the values below it, are files that a site loads. */
const ROOT_KEYS: Readonly<Record<string, RemoteKind>> = {
  logo: 'asset',
  favicon: 'asset',
  css: 'style',
  styles: 'style',
  js: 'script',
  scripts: 'script',
};
/** Keys with that meaning at any place. */
const KEYS: Readonly<Record<string, RemoteKind>> = { openapi: 'data', asyncapi: 'data', icon: 'asset' };
/** Members that name the file in the object form of a key. */
const MEMBERS = new Set(['light', 'dark', 'source', 'src', 'name']);
/** Font families that every export contains. */
const VENDORED = new Set(['Inter', 'JetBrains Mono']);
const MAX_DEPTH = 60;

/** Replaces a URL by a path of the source; undefined leaves it as it is. */
type Replace = (url: string, kind: RemoteKind) => string | undefined;

/**
 * Fetches what the configuration, the style sheets and the front matter of a site name on other hosts, before the site is
 * opened. Returns the source with the copies in it, as if they were in the docs folder.
 */
export async function fetchSiteFiles(
  source: SourceTree,
  remote: RemoteFiles,
  warn: Warn,
): Promise<SourceTree> {
  const file = ['docs.json', 'mint.json'].find((name) => source.has(name));
  if (file === undefined) return source;
  const urls = new Map<string, RemoteKind>();
  const note: Replace = (url, kind) => {
    remote.find(url, kind);
    urls.set(url, kind);
    return undefined;
  };
  const config = configOf(source, file);
  replaceInConfig(config, note);
  for (const { url } of fontSheets(config)) note(url, 'style');
  for (const path of source.paths) {
    if (!path.endsWith('.css')) continue;
    for (const { url, isImport } of cssUrls(source.readText(path))) {
      if (isRemoteUrl(url)) remote.find(url, isImport ? 'style' : 'asset');
    }
  }
  const naming = findNamingPages(source);
  for (const { url } of naming) remote.find(url, 'data');
  await remote.load();
  const copies: RemoteFile[] = [];
  const take = (url: string, kind: RemoteKind, from: string): RemoteFile | null => {
    const found = remote.find(url, kind);
    const copy = found === 'wanted' ? null : found;
    if (copy !== null) copies.push(copy);
    const fault = remote.faultOf(url);
    if (fault !== null) {
      const message = `\`${url.slice(0, 120)}\` could not be downloaded: ${fault}. Put the file into the docs folder.`;
      warn({ file: from, line: null, code: 'remote-file', message });
    }
    return copy;
  };
  for (const [url, kind] of urls) take(url, kind, file);
  for (const page of naming) {
    const copy = take(page.url, 'data', page.file);
    const content = copy === null ? null : withPath(source.read(page.file), page, copy.path);
    if (content !== null) copies.push({ path: page.file, content });
  }
  return copies.length === 0 ? source : overlay(source, copies);
}

/** Puts the paths of copies into a configuration in place, so that lines of its values stay known. */
export function useSiteFiles(config: unknown, remote: RemoteFiles): void {
  replaceInConfig(config, (url, kind) => {
    const found = remote.find(url, kind);
    return found === null || found === 'wanted' ? undefined : `/${found.path}`;
  });
  for (const { face, url } of fontSheets(config)) {
    const found = remote.find(url, 'style');
    if (found !== null && found !== 'wanted') face.source = `/${found.path}`;
  }
}

/** Whether a configuration names API descriptions of other hosts. */
export function namesRemoteDescription(config: unknown): boolean {
  let found = false;
  replaceInConfig(config, (_url, kind) => {
    found ||= kind === 'data';
    return undefined;
  });
  return found;
}

/** Errors of the configuration are reported when the site is opened. */
function configOf(source: SourceTree, file: string): unknown {
  try {
    return readConfigTree(source, file, () => {}).value;
  } catch {
    return null;
  }
}

function replaceInConfig(config: unknown, replace: Replace): void {
  if (!isObject(config)) return;
  for (const [key, kind] of Object.entries(ROOT_KEYS)) replaceAt(config, key, kind, replace);
  for (const [parent, key, kind] of [
    ['background', 'image', 'asset'],
    ['thumbnails', 'background', 'asset'],
    ['styling', 'css', 'style'],
    ['fonts', 'source', 'asset'],
    ['fonts', 'heading', 'asset'],
    ['fonts', 'body', 'asset'],
  ] as const) {
    const section = config[parent];
    if (isObject(section)) replaceAt(section, key, kind, replace);
  }
  replaceDeep(config, replace, 0);
}

function replaceDeep(value: unknown, replace: Replace, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) for (const item of value) replaceDeep(item, replace, depth + 1);
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    const kind = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (kind !== undefined) replaceAt(value, key, kind, replace);
    if (key === 'pages') replaceInEntries(value[key], replace);
    replaceDeep(value[key], replace, depth + 1);
  }
}

/** A key holds a URL, an object with one, or a list of either. */
function replaceAt(holder: Record<string, unknown>, key: string, kind: RemoteKind, replace: Replace): void {
  const value = holder[key];
  const replaced = replaceOne(value, kind, replace);
  if (replaced !== undefined) holder[key] = replaced;
  const members = Array.isArray(value) ? value : [value];
  for (const [index, item] of members.entries()) {
    if (isObject(item)) {
      for (const name of Object.keys(item)) {
        const inner = MEMBERS.has(name) ? replaceOne(item[name], kind, replace) : undefined;
        if (inner !== undefined) item[name] = inner;
      }
    } else if (Array.isArray(value)) {
      const path = replaceOne(item, kind, replace);
      if (path !== undefined) value[index] = path;
    }
  }
}

/** Entries of the navigation that name an operation of a description: `https://host/api.json GET /path`. */
function replaceInEntries(entries: unknown, replace: Replace): void {
  if (!Array.isArray(entries)) return;
  for (const [index, entry] of entries.entries()) {
    const operation = typeof entry === 'string' ? parseOperation(entry) : null;
    if (operation?.spec == null) continue;
    const path = replaceOne(operation.spec, 'data', replace);
    if (path !== undefined) entries[index] = `${path} ${operation.method} ${operation.path}`;
  }
}

function replaceOne(value: unknown, kind: RemoteKind, replace: Replace): string | undefined {
  if (typeof value !== 'string' || !/^\s*(?:https?:)?\/\//i.test(value)) return undefined;
  const url = absoluteUrl(value);
  return url === null ? undefined : replace(url, kind);
}

/** Fonts that name no file are those of Google Fonts, whose style sheets name the files. */
function fontSheets(config: unknown): { face: Record<string, unknown>; url: string }[] {
  const fonts = isObject(config) && isObject(config.fonts) ? config.fonts : {};
  return [fonts, fonts.heading, fonts.body].filter(isObject).flatMap((face) => {
    const family = typeof face.family === 'string' ? face.family.trim() : '';
    if (face.source !== undefined || !/^[A-Za-z0-9 ]{1,60}$/.test(family) || VENDORED.has(family)) return [];
    const name = family.replace(/ +/g, '+');
    const url = `https://fonts.googleapis.com/css2?family=${name}:wght@400;500;600;700&display=swap`;
    return [{ face, url }];
  });
}

function overlay(source: SourceTree, copies: readonly RemoteFile[]): SourceTree {
  const byPath = new Map(copies.map((copy) => [copy.path, copy.content]));
  const decoder = new TextDecoder();
  const own = source.paths.filter((path) => !byPath.has(path));
  const { readStart } = source;
  return {
    ...source,
    ...(readStart === undefined
      ? {}
      : { readStart: (path, bytes) => byPath.get(path)?.subarray(0, bytes) ?? readStart(path, bytes) }),
    paths: [...own, ...byPath.keys()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
    has: (path) => byPath.has(path) || source.has(path),
    size: (path) => byPath.get(path)?.byteLength ?? source.size(path),
    read: (path) => byPath.get(path) ?? source.read(path),
    readText: (path) => {
      const copy = byPath.get(path);
      return copy === undefined ? source.readText(path) : decoder.decode(copy);
    },
  };
}
