import { copyPlace, placeOf } from '../config/place.ts';
import { type Lookups, noLookups } from '../mdx/lookups.ts';
import type { Redirect, SiteMap } from '../site.ts';
import { feedPage, isExportFile, mayHaveFeed } from '../theme/export-files.ts';
import type { Warn } from '../warning.ts';
import type { WarningCode } from '../warning-codes.ts';
import { compileRedirects, isExternal, type RedirectRules, redirectOf } from './follow-redirects.ts';
import { entryPath, foldPath, isSafePath, outputPath, withoutBase } from './path.ts';
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
/** Comparisons of patterns with redirects. */
const MAX_MATCHES = 1_000_000;
/** Redirects in a circle of patterns that is found. */
const MAX_CIRCLE = 20;

/** Redirects for hosts. */
export interface HostRedirects {
  /**
   * One source path each, without pattern; sorted by source. A file can be written at each of them except those that
   * change the spelling only.
   */
  exact: Redirect[];
  /** The patterns as written, for hosts that know rules. */
  patterns: Redirect[];
}

export interface ExpandedRedirects extends HostRedirects {
  /** All of them, for links of the site. */
  rules: RedirectRules;
}

/** What single redirects are checked against. */
interface Expansion {
  siteMap: SiteMap;
  /** Folded output paths of pages and files. */
  taken: ReadonlySet<string>;
  /** By folded output path of the source. */
  exact: Map<string, Redirect>;
  patterns: Redirect[];
  /** Those that change the spelling only. */
  respelt: Redirect[];
  warn: Warn;
}

/**
 * Redirects as single paths, those of link pages included: a pattern gives one for each known page and each redirect
 * that its destination can mean. A redirect never takes the place of a page, and one that leads back to itself is
 * dropped with a warning.
 */
export function expandRedirects(
  redirects: readonly Redirect[],
  siteMap: SiteMap,
  warn: Warn,
  lookups: Lookups = noLookups,
): ExpandedRedirects {
  const taken = new Set(siteMap.pages.map((page) => foldPath(page.output)));
  for (const asset of siteMap.assets) taken.add(foldPath(asset));
  const expansion: Expansion = { siteMap, taken, exact: new Map(), patterns: [], respelt: [], warn };
  const { exact, respelt } = expansion;
  const urls = pageUrls(siteMap);
  for (const written of [...redirects, ...siteMap.linkPages])
    sortRedirect(expansion, withPageUrl(written, urls));
  const folderForms = addFolderForms(expansion);
  addBaseForms(expansion);
  expandPatterns(expansion);
  for (const looped of findLoops(expansion)) {
    report(looped, 'redirect-loop', 'it leads back to itself', siteMap, warn);
    exact.delete(fileOf(looped.source));
  }
  const patterns = withoutLoops(expansion);
  const bySource = (a: Redirect, b: Redirect): number => (a.source < b.source ? -1 : 1);
  const sorted = [...exact.values(), ...respelt].sort(bySource);
  const rules = compileRedirects([...sorted, ...expansion.patterns]);
  for (const redirect of exact.values())
    if (!folderForms.has(redirect) && !leadsToExportFile(redirect, siteMap, lookups))
      checkTarget(redirect, rules, taken, siteMap, warn);
  return { exact: sorted, patterns, rules };
}

/** Puts a redirect where it belongs, or reports why it is left out. */
function sortRedirect(
  { siteMap, taken, exact, patterns, respelt, warn }: Expansion,
  redirect: Redirect,
): void {
  const { source } = redirect;
  const fault = destinationError(redirect.destination);
  if (fault !== null) report(redirect, 'redirect-invalid', fault, siteMap, warn);
  else if (isPattern(source)) patterns.push(redirect);
  else if (isCaseOnly(redirect)) respelt.push(redirect);
  else if (!isFileName(source))
    report(redirect, 'redirect-invalid', 'its source is not a valid file name', siteMap, warn);
  else if (isTaken(taken, source) && !(leadsToOwnPage(redirect) && !taken.has(fileOf(source)))) {
    const reason = 'a page or file exists at its source (case is ignored)';
    report(redirect, 'redirect-over-page', reason, siteMap, warn);
  } else if (!exact.has(fileOf(source))) exact.set(fileOf(source), redirect);
}

/** `/x/index` and `/x` are one page: a redirect of the first applies to the second unless that has its own. */
function addFolderForms({ exact, taken }: Expansion): Set<Redirect> {
  const added = new Set<Redirect>();
  for (const redirect of [...exact.values()]) {
    const source = redirect.source.replace(/\/index$/i, '');
    if (source === redirect.source || source === '' || leadsToOwnPage(redirect)) continue;
    if (exact.has(fileOf(source)) || isTaken(taken, source)) continue;
    const form = copyPlace(redirect, { ...redirect, source });
    exact.set(fileOf(source), form);
    added.add(form);
  }
  return added;
}

/** A source below the path of the host, such as `/docs/x`, is `/x` where the site itself is served below that path. */
function addBaseForms({ exact, taken, siteMap }: Expansion): void {
  const folders = new Set(siteMap.pages.map(({ path }) => firstSegment(path)));
  for (const redirect of [...exact.values()]) {
    const source = withoutBase(redirect.source);
    if (source === redirect.source || folders.has(firstSegment(redirect.source.slice(1)))) continue;
    // Only what leads to a page at once cannot lead back.
    if (!isTaken(taken, pathOnly(redirect.destination)) || leadsToOwnPage({ ...redirect, source })) continue;
    if (exact.has(fileOf(source)) || isTaken(taken, source)) continue;
    exact.set(fileOf(source), copyPlace(redirect, { ...redirect, source }));
  }
}

/**
 * Adds what patterns give for pages, then for redirects, then for what that gave. A pattern is not applied to what it
 * gave itself: that would have no end.
 */
function expandPatterns({ siteMap, taken, exact, patterns, warn }: Expansion): void {
  for (const redirect of patterns.slice(MAX_PATTERNS)) {
    const reason = `an export expands at most ${MAX_PATTERNS} patterns`;
    report(redirect, 'redirect-too-many', reason, siteMap, warn, 'kept as a rule for web servers');
  }
  const usable = patterns.slice(0, MAX_PATTERNS).flatMap((redirect) => readPattern(redirect) ?? []);
  const add = (expanded: Redirect): boolean => {
    const { source } = expanded;
    const key = fileOf(source);
    if (exact.size >= MAX_EXACT || exact.has(key) || !isFileName(source) || isTaken(taken, source))
      return false;
    exact.set(key, expanded);
    return true;
  };
  const written = [...exact.values()].map(({ source }) => ({ path: source.slice(1), by: NO_PATTERNS }));
  for (const pattern of usable) {
    for (const { path } of siteMap.pages) {
      const expanded = expandPattern(pattern, path);
      if (expanded !== null && add(expanded)) written.push({ path: expanded.source.slice(1), by: [pattern] });
    }
  }
  let budget = MAX_MATCHES;
  for (const { path, by } of written) {
    for (const pattern of usable) {
      if (--budget < 0) return;
      if (by.includes(pattern) || !mayMatch(pattern.destination, path)) continue;
      const expanded = expandPattern(pattern, path);
      if (expanded !== null && matchPattern(pattern.source, path) === null && add(expanded))
        written.push({ path: expanded.source.slice(1), by: [...by, pattern] });
    }
  }
}

/** Whether the first segment allows a match: this check costs much less than the match. */
function mayMatch({ segments: [first] }: PathPattern, path: string): boolean {
  return first?.kind !== 'text' || path.startsWith(first.text);
}

/** A pattern whose sources follow from its destination. */
interface UsablePattern {
  redirect: Redirect;
  source: PathPattern;
  destination: PathPattern;
  /** Query and fragment of the destination. */
  suffix: string;
}

const NO_PATTERNS: readonly UsablePattern[] = [];

function readPattern(redirect: Redirect): UsablePattern | null {
  const source = parsePattern(redirect.source);
  const path = pathOnly(redirect.destination);
  const destination = isExternal(redirect.destination) ? null : parsePattern(path);
  if (source === null || destination === null || !isCovered(source, destination)) return null;
  return { redirect, source, destination, suffix: redirect.destination.slice(path.length) };
}

/** The redirect that a pattern gives for a path of the site; null where its destination cannot mean the path. */
function expandPattern(
  { redirect, source, destination, suffix }: UsablePattern,
  path: string,
): Redirect | null {
  const captures = matchPattern(destination, path);
  const from = captures === null ? null : fillPattern(source, captures);
  if (from === null || from === '') return null;
  const { permanent } = redirect;
  return copyPlace(redirect, { source: `/${from}`, destination: `/${path}${suffix}`, permanent });
}

/** The patterns for web servers: those that send every path in a circle are reported and left out. */
function withoutLoops({ siteMap, patterns, warn }: Expansion): Redirect[] {
  const rules = compileRedirects(patterns);
  return patterns.filter((redirect) => {
    const source = parsePattern(redirect.source);
    const sample = source === null ? null : fillPattern(source, sampleOf(source));
    const path = `/${sample ?? ''}`;
    if (sample === null || redirectOf(rules, path) === null || !isCircle(rules, path)) return true;
    report(
      redirect,
      'redirect-loop',
      'it leads back to itself',
      siteMap,
      warn,
      'left out of the rules for web servers',
    );
    return false;
  });
}

const sampleOf = (pattern: PathPattern): Map<string, string> =>
  new Map([...captureNames(pattern)].map((name) => [name, '-']));

/** Whether redirects lead from a path back to it. */
function isCircle(rules: RedirectRules, start: string): boolean {
  let path: string | null = start;
  for (let hop = 0; hop < MAX_CIRCLE && path !== null; hop++) {
    path = redirectOf(rules, path);
    if (path === null || isExternal(path)) return false;
    path = pathOnly(path);
    if (keyOf(path) === keyOf(start)) return true;
  }
  return false;
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
  if (isExternal(destination) || source === pathOnly(destination)) return false;
  return fileOf(source) === fileOf(pathOnly(destination));
}

/** Whether a redirect leads to the page that its source means, too: `/x/index` to `/x`. */
function leadsToOwnPage({ source, destination }: Redirect): boolean {
  return !isExternal(destination) && keyOf(source) === keyOf(destination);
}

/** The redirect with the canonical URL path of the page that its destination names. */
function withPageUrl(redirect: Redirect, urls: ReadonlyMap<string, string>): Redirect {
  const { destination } = redirect;
  const path = pathOnly(destination);
  // The Markdown twin of a page is a separate file.
  if (path === '') return redirect;
  if (isExternal(destination)) return leadingTo(redirect, destination.replaceAll(' ', '%20'));
  const rooted = path.startsWith('/') ? path : `/${path}`;
  const page = urls.get(keyOf(path)) ?? urls.get(keyOf(withoutBase(rooted)));
  const url = /\.md$/i.test(path) ? undefined : page;
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
const firstSegment = (path: string): string => path.split('/', 1)[0] ?? '';
const pathOnly = (target: string): string => target.replace(/[?#][\s\S]*$/, '');
/** The file of a path, as an equal string for all spellings that are one file on some systems. */
const fileOf = (path: string): string =>
  foldPath(outputPath(path === '/' ? 'index' : path.replace(/^\/+|\/+$/g, '')));
const isFileName = (source: string): boolean => source === '/' || isSafePath(outputPath(source.slice(1)));

function isTaken(taken: ReadonlySet<string>, source: string): boolean {
  return taken.has(outputPath(keyOf(source))) || taken.has(foldPath(source.slice(1)));
}

/** The destination must contain every capture of the source, else its sources cannot be known. */
function isCovered(source: PathPattern, destination: PathPattern): boolean {
  const names = captureNames(destination);
  return [...captureNames(source)].every((name) => names.has(name));
}

/** Redirects whose chain of destinations leads back to them. */
function findLoops({ exact, taken }: Pick<Expansion, 'exact' | 'taken'>): Redirect[] {
  const byPage = new Map<string, string>();
  for (const [file, { source }] of exact) if (!byPage.has(keyOf(source))) byPage.set(keyOf(source), file);
  const next = (file: string): string | null => {
    const destination = exact.get(file)?.destination;
    if (destination === undefined || isExternal(destination)) return null;
    const path = pathOnly(destination);
    if (isTaken(taken, path)) return null;
    return exact.has(fileOf(path)) ? fileOf(path) : (byPage.get(keyOf(path)) ?? null);
  };
  const state = new Map<string, 'open' | 'done'>();
  const looped: Redirect[] = [];
  for (const start of exact.keys()) {
    const chain: string[] = [];
    let key: string | null = start;
    while (key !== null && !state.has(key)) {
      state.set(key, 'open');
      chain.push(key);
      key = next(key);
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

function checkTarget(
  redirect: Redirect,
  rules: RedirectRules,
  taken: ReadonlySet<string>,
  siteMap: SiteMap,
  warn: Warn,
): void {
  const { destination } = redirect;
  if (isExternal(destination) || destination.startsWith('#') || pathOnly(destination) === '/') return;
  if (isTaken(taken, pathOnly(destination)) || redirectOf(rules, pathOnly(destination)) !== null) return;
  report(
    redirect,
    'redirect-target',
    `no page exists at ${JSON.stringify(destination.slice(0, 200))}`,
    siteMap,
    warn,
    'kept',
  );
}

/** Whether a redirect leads to a file that the export itself makes, such as the feed of a page. */
function leadsToExportFile({ destination }: Redirect, { byPath }: SiteMap, lookups: Lookups): boolean {
  if (isExternal(destination)) return false;
  const file = pathOnly(destination).replace(/^\//, '');
  const page = byPath.get(feedPage(file) ?? '');
  return isExportFile(file) || (page !== undefined && mayHaveFeed(page, lookups));
}

function report(
  redirect: Redirect,
  code: WarningCode,
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
