import { copyPlace, placeOf } from '../config/place.ts';
import type { Redirect, SiteMap } from '../site.ts';
import type { Warn } from '../warning.ts';
import { entryPath, foldPath, isSafePath, outputPath } from './path.ts';
import {
  captureNames,
  fillPattern,
  isPattern,
  matchPattern,
  type PathPattern,
  parsePattern,
} from './path-pattern.ts';

/** Redirects that an export may hold; each is a file. */
const MAX_EXACT = 100_000;
/** Patterns that are expanded; each is matched with every page. */
const MAX_PATTERNS = 1000;

export interface ExpandedRedirects {
  /**
   * One source path each, without pattern; sorted by source. A file can be written at each of them except those that
   * change the spelling only.
   */
  exact: Redirect[];
  /** The patterns as written, for hosts that know rules. */
  patterns: Redirect[];
}

/**
 * Redirects as single paths, those of link pages included: a pattern gives one for each known page that its destination can mean. A redirect
 * never takes the place of a page, and one that leads back to itself is dropped with a warning.
 */
export function expandRedirects(
  redirects: readonly Redirect[],
  siteMap: SiteMap,
  warn: Warn,
): ExpandedRedirects {
  const taken = new Set(siteMap.pages.map((page) => foldPath(page.output)));
  for (const asset of siteMap.assets) taken.add(foldPath(asset));
  const exact = new Map<string, Redirect>();
  const patterns: Redirect[] = [];
  const respelt: Redirect[] = [];
  const urls = pageUrls(siteMap);
  for (const written of [...redirects, ...siteMap.linkPages]) {
    const redirect = withPageUrl(written, urls);
    const fault = destinationError(redirect.destination);
    if (fault !== null) report(redirect, 'redirect-invalid', fault, siteMap, warn);
    else if (isPattern(redirect.source)) patterns.push(redirect);
    else if (isCaseOnly(redirect)) respelt.push(redirect);
    else if (!isFileName(redirect.source))
      report(redirect, 'redirect-invalid', 'its source is not a valid file name', siteMap, warn);
    else if (isTaken(taken, redirect.source))
      report(
        redirect,
        'redirect-over-page',
        'a page or file exists at its source (case is ignored)',
        siteMap,
        warn,
      );
    else if (!exact.has(keyOf(redirect.source))) exact.set(keyOf(redirect.source), redirect);
  }
  for (const redirect of patterns.slice(MAX_PATTERNS)) {
    report(
      redirect,
      'redirect-too-many',
      `an export expands at most ${MAX_PATTERNS} patterns`,
      siteMap,
      warn,
      'kept as a rule for web servers',
    );
  }
  for (const redirect of patterns.slice(0, MAX_PATTERNS)) {
    for (const expanded of expandPattern(redirect, siteMap)) {
      const key = keyOf(expanded.source);
      if (
        exact.size < MAX_EXACT &&
        !exact.has(key) &&
        isFileName(expanded.source) &&
        !isTaken(taken, expanded.source)
      ) {
        exact.set(key, expanded);
      }
    }
  }
  for (const looped of findLoops(exact)) {
    report(looped, 'redirect-loop', 'it leads back to itself', siteMap, warn);
    exact.delete(keyOf(looped.source));
  }
  for (const redirect of exact.values()) checkTarget(redirect, exact, taken, siteMap, warn);
  const bySource = (a: Redirect, b: Redirect): number => (a.source < b.source ? -1 : 1);
  return { exact: [...exact.values(), ...respelt].sort(bySource), patterns };
}

/** URLs of pages, and of the first page of folders that have none, by folded path. */
function pageUrls(siteMap: SiteMap): Map<string, string> {
  const urls = new Map<string, string>();
  for (const [folder, page] of siteMap.folderStarts) urls.set(foldPath(folder), urlOf(page.path));
  for (const page of siteMap.pages) urls.set(foldPath(page.path), urlOf(page.path));
  return urls;
}

/**
 * Whether a redirect leads to the same path in another spelling. That is one file on some systems, so no file
 * is written at its source; hosts with rules can follow it.
 */
export function isCaseOnly({ source, destination }: Redirect): boolean {
  return !isExternal(destination) && source !== pathOnly(destination) && keyOf(source) === keyOf(destination);
}

/** The redirect with the canonical URL path of the page that its destination names. */
function withPageUrl(redirect: Redirect, urls: ReadonlyMap<string, string>): Redirect {
  const { destination } = redirect;
  const path = pathOnly(destination);
  // The Markdown twin of a page is a separate file.
  if (path === '') return redirect;
  if (isExternal(destination)) return leadingTo(redirect, destination.replaceAll(' ', '%20'));
  const url = /\.md$/i.test(path) ? undefined : urls.get(keyOf(path));
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return leadingTo(redirect, (url ?? rooted) + destination.slice(path.length));
}

/**
 * Why a destination is ambiguous: browsers, servers and rule files differ in their handling
 * of two slashes, backslashes, control characters and dot segments. Null for any other destination.
 */
function destinationError(destination: string): string | null {
  if (/[\\\0-\x1f\x7f]/.test(destination)) {
    return 'its destination contains a backslash or a control character, which web servers handle differently';
  }
  if (destination.startsWith('//')) {
    return 'its destination starts with two slashes, which some web servers treat as another site; write https:// or one slash';
  }
  if (/^https?:/i.test(destination)) {
    const site = /^https?:\/\/[^/?#*]+(?=[/?#]|$)/i.exec(destination)?.[0];
    const isWhole = site !== undefined && !/:[a-z_]/i.test(site.slice('https:'.length)) && URL.canParse(site);
    return isWhole
      ? null
      : 'its destination has no host; write a complete URL such as https://docs.example.com/new';
  }
  if (isExternal(destination)) return null;
  return /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(pathOnly(destination))
    ? 'its destination contains "." or ".." as a folder; write the path from the root of the site'
    : null;
}

function leadingTo(redirect: Redirect, destination: string): Redirect {
  return destination === redirect.destination ? redirect : copyPlace(redirect, { ...redirect, destination });
}

const urlOf = (path: string): string => (path === 'index' ? '/' : `/${path}`);
const keyOf = (path: string): string => foldPath(entryPath(pathOnly(path)));
const pathOnly = (target: string): string => target.replace(/[?#][\s\S]*$/, '');
const isExternal = (target: string): boolean => /^[a-z][a-z0-9+.-]*:|^\/\//i.test(target);
const isFileName = (source: string): boolean => source === '/' || isSafePath(outputPath(source.slice(1)));

function isTaken(taken: ReadonlySet<string>, source: string): boolean {
  return taken.has(outputPath(keyOf(source))) || taken.has(foldPath(source.slice(1)));
}

function expandPattern(redirect: Redirect, siteMap: SiteMap): Redirect[] {
  const source = parsePattern(redirect.source);
  const destination = isExternal(redirect.destination) ? null : parsePattern(pathOnly(redirect.destination));
  if (source === null || destination === null || !isCovered(source, destination)) return [];
  const suffix = redirect.destination.slice(pathOnly(redirect.destination).length);
  const found: Redirect[] = [];
  for (const page of siteMap.pages) {
    const captures = matchPattern(destination, page.path);
    const path = captures === null ? null : fillPattern(source, captures);
    if (path === null || path === '') continue;
    const { permanent } = redirect;
    found.push({ source: `/${path}`, destination: `/${page.path}${suffix}`, permanent });
  }
  return found;
}

/** The destination must contain every capture of the source, else its sources cannot be known. */
function isCovered(source: PathPattern, destination: PathPattern): boolean {
  const names = captureNames(destination);
  return [...captureNames(source)].every((name) => names.has(name));
}

/** Redirects whose chain of destinations leads back to them. */
function findLoops(exact: ReadonlyMap<string, Redirect>): Redirect[] {
  const state = new Map<string, 'open' | 'done'>();
  const looped: Redirect[] = [];
  for (const start of exact.keys()) {
    const chain: string[] = [];
    let key: string | null = start;
    while (key !== null && !state.has(key)) {
      state.set(key, 'open');
      chain.push(key);
      key = nextKey(exact, key);
    }
    if (key !== null && state.get(key) === 'open') {
      for (const member of chain.slice(chain.indexOf(key))) {
        const redirect = exact.get(member);
        if (redirect !== undefined) looped.push(redirect);
      }
    }
    for (const member of chain) state.set(member, 'done');
  }
  return looped;
}

function nextKey(exact: ReadonlyMap<string, Redirect>, key: string): string | null {
  const destination = exact.get(key)?.destination;
  if (destination === undefined || isExternal(destination)) return null;
  const next = keyOf(destination);
  return exact.has(next) ? next : null;
}

function checkTarget(
  redirect: Redirect,
  exact: ReadonlyMap<string, Redirect>,
  taken: ReadonlySet<string>,
  siteMap: SiteMap,
  warn: Warn,
): void {
  const { destination } = redirect;
  if (isExternal(destination) || destination.startsWith('#') || pathOnly(destination) === '/') return;
  if (exact.has(keyOf(destination)) || isTaken(taken, pathOnly(destination))) return;
  report(
    redirect,
    'redirect-target',
    `no page exists at ${JSON.stringify(destination.slice(0, 200))}`,
    siteMap,
    warn,
    'kept',
  );
}

function report(
  redirect: Redirect,
  code: string,
  reason: string,
  siteMap: SiteMap,
  warn: Warn,
  fate = 'left out',
): void {
  const place = placeOf(redirect, 'source');
  warn({
    file: place?.file ?? siteMap.config.file,
    line: place?.line ?? null,
    code,
    message: `The redirect from ${JSON.stringify(redirect.source.slice(0, 200))} was ${fate}: ${reason}.`,
  });
}
