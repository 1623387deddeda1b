import type { LinkFacts, LinkPage, LinkPlace } from './link-contract-facts.ts';
import type { ManifestRedirect } from './manifest.ts';
import { createPaths, type Found, isHostFile } from './site/paths.ts';
import { createRedirects } from './site/redirects.ts';

/** A site whose links are checked. */
export interface LinkSite {
  /** Path below which it is served: empty or `/docs`. */
  basePath: string;
  manifest: { files: readonly { path: string }[]; redirects: readonly ManifestRedirect[] };
  facts: LinkFacts;
}

/** A URL that a site serves. */
export interface ServedLink {
  /** Path on the host, decoded: `/docs/guides/start`; of a pattern as the redirect is written. */
  url: string;
  /** `copy`: the Markdown copy of a page. `pattern`: a redirect of more than one path. */
  kind: 'page' | 'copy' | 'file' | 'redirect' | 'pattern';
  /** Where its source is; null where it is not known. */
  place: LinkPlace | null;
  /** Anchors of a page, in their order. */
  anchors: ReadonlyMap<string, LinkPlace | null>;
}

/** A URL, or an anchor at it, that a site served and another one does not. */
export interface BrokenLink {
  url: string;
  /** Fragment without `#`; null if the URL itself is broken. */
  anchor: string | null;
  kind: ServedLink['kind'];
  cause: BrokenCause;
  /** What broke it, in the new source; null if the source has nothing left of it. */
  place: LinkPlace | null;
  /** Where it was in the source that served it. */
  before: LinkPlace | null;
  /** What is there instead: the URL of the moved page, the new anchor of the heading, the destination of the redirect. */
  now: string | null;
}

export type BrokenCause =
  /** Nothing is at the URL. */
  | 'removed'
  /** The file makes a page at another URL. */
  | 'moved'
  /** The redirect of the URL is gone. */
  | 'redirect-removed'
  /** A redirect leads to nothing. */
  | 'redirect-target'
  /** The site is below another path. */
  | 'base-path'
  /** The page has no such anchor. */
  | 'anchor-removed'
  /** The heading or element has another anchor. */
  | 'anchor-changed';

const maxHops = 20;
const noAnchors: ReadonlyMap<string, LinkPlace | null> = new Map();
const generated =
  /^(?:(?:\.well-known\/)?llms(?:-full)?\.txt|robots\.txt|sitemap[\w-]*\.xml|(?:.*\/)?rss\.xml)$/s;
const isWildcard = /\*|\/:[A-Za-z_]/;

/** URL of the new page of each file that makes pages; null for a file with several pages or with a known one. */
type PagesByFile = Map<string, string | null>;

/** Every URL that a site serves and that others can link to: no files of the renderer itself. */
export function servedLinks(site: LinkSite): ServedLink[] {
  const { basePath, manifest } = site;
  const redirects = manifest.redirects.map(({ source }) => basePath + source);
  const sources = new Set(redirects);
  const files = manifest.files.flatMap(({ path }) => servedFile(path, site));
  // A page at the source of a redirect only leads on.
  const isOwn = ({ url }: ServedLink): boolean => !sources.has(url.replace(/\.html$/, ''));
  const served = [...servedRedirects(site), ...files.filter(isOwn)];
  return served.sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0));
}

function servedRedirects(site: LinkSite): ServedLink[] {
  const { basePath, manifest, facts } = site;
  const land = createLanding(site);
  return manifest.redirects.flatMap(({ source }) => {
    const url = basePath + source;
    const kind = isWildcard.test(source) ? 'pattern' : 'redirect';
    const isServed =
      kind === 'pattern' ? land.step(sampleOf(url)).kind === 'redirect' : land.end(url).kind !== 'missing';
    const place = facts.redirects.get(source) ?? null;
    return isServed ? [{ url, kind, place, anchors: noAnchors }] : [];
  });
}

function servedFile(path: string, { basePath, facts }: LinkSite): ServedLink[] {
  if (path.startsWith('_offprint/') || path === '404.html' || isHostFile(path)) return [];
  const page = /^(.+)\.html$/s.exec(path)?.[1];
  const known = page === undefined ? undefined : facts.pages.get(page);
  if (page !== undefined && (known !== undefined || page === 'index')) {
    const url = `${basePath}/${page === 'index' ? '' : page}`;
    return [{ url, kind: 'page', place: fileOf(known), anchors: known?.anchors ?? noAnchors }];
  }
  const original = path.endsWith('.md') ? facts.pages.get(path.slice(0, -'.md'.length)) : undefined;
  const kind = original === undefined ? 'file' : 'copy';
  const isGenerated = original === undefined && generated.test(path);
  const place = original !== undefined ? fileOf(original) : isGenerated ? null : { file: path, line: null };
  return [{ url: `${basePath}/${path}`, kind, place, anchors: noAnchors }];
}

function fileOf(page: LinkPage | undefined): LinkPlace | null {
  return page === undefined || page.file === null ? null : { file: page.file, line: null };
}

/**
 * The URLs and anchors that do not work on a site, in the order of the list. Of a page that is gone, only its URL is
 * broken, not each anchor or form of it. Time is proportional to the number of URLs and anchors.
 */
export function* brokenLinks(served: readonly ServedLink[], site: LinkSite): Generator<BrokenLink[]> {
  const land = createLanding(site);
  const urls = new Set(served.map(({ url }) => url));
  const pageByFile: PagesByFile = new Map();
  for (const [path, { file }] of site.facts.pages) {
    const url = `${site.basePath}/${path === 'index' ? '' : path}`;
    if (file !== null) pageByFile.set(file, pageByFile.has(file) || urls.has(url) ? null : url);
  }
  for (const link of served) yield checkLink(link, site, land, pageByFile);
}

function checkLink(link: ServedLink, site: LinkSite, land: Landings, pageByFile: PagesByFile): BrokenLink[] {
  const { url, kind } = link;
  if (kind === 'pattern') {
    const isKept = land.step(sampleOf(url)).kind !== 'missing';
    return isKept ? [] : [explainMissing(link, url, site, null, pageByFile)];
  }
  const end = land.end(url);
  if (kind === 'copy') {
    // Without its page, the copy is not a second defect.
    const isAlone = end.kind === 'missing' && land.end(url.slice(0, -'.md'.length)).kind !== 'missing';
    return isAlone ? [explainMissing(link, url, site, end.by, pageByFile)] : [];
  }
  if (end.kind === 'missing') return [explainMissing(link, url, site, end.by, pageByFile)];
  if (kind === 'page' && !url.endsWith('/')) {
    const forms = [`${url}.html`, `${url}/`].filter((form) => land.end(form).kind === 'missing');
    if (forms.length > 0) return forms.map((form) => explainMissing(link, form, site, null, pageByFile));
  }
  if (link.anchors.size === 0 || end.kind !== 'file' || end.hash !== null) return [];
  const page = end.path.endsWith('.html')
    ? site.facts.pages.get(end.path.slice(0, -'.html'.length))
    : undefined;
  if (page === undefined) return [];
  const broken = brokenAnchors(link, page);
  if (end.by === null || broken.length < link.anchors.size) return broken;
  // The redirect leads to another text.
  const place = site.facts.redirects.get(ruleOf(end.by, site.manifest.redirects)?.source ?? '') ?? null;
  return broken.map((one) => ({ ...one, cause: 'anchor-removed', place, now: null }));
}

function explainMissing(
  { kind, place: before }: ServedLink,
  url: string,
  { basePath, manifest, facts }: LinkSite,
  by: string | null,
  pageByFile: PagesByFile,
): BrokenLink {
  const broken = { url, anchor: null, kind, before, place: null, now: null };
  if (by !== null) {
    const rule = ruleOf(by, manifest.redirects);
    const place = facts.redirects.get(rule?.source ?? '') ?? null;
    return { ...broken, cause: 'redirect-target', place, now: rule?.destination ?? null };
  }
  if (basePath !== '' && url !== basePath && !url.startsWith(`${basePath}/`))
    return { ...broken, cause: 'base-path' };
  // The file that has lost it, if the new source still has that file.
  const known = before === null ? undefined : pageByFile.get(before.file);
  const file = before === null ? null : { file: before.file, line: null };
  if (kind === 'redirect' || kind === 'pattern') return { ...broken, cause: 'redirect-removed', place: file };
  if (known === undefined || kind === 'file') return { ...broken, cause: 'removed' };
  if (known === null) return { ...broken, cause: 'removed', place: file };
  return { ...broken, cause: 'moved', place: file, now: known };
}

/** Anchors that a page does not have, each with the one that is at its place now. */
function brokenAnchors({ url, kind, anchors }: ServedLink, page: LinkPage): BrokenLink[] {
  const broken: BrokenLink[] = [];
  const order = [...page.anchors.keys()];
  const positions = new Map(order.map((id, at) => [id, at]));
  /** What is at the places of lost anchors: a heading has several anchors at one place. */
  const found = new Map<string, string | null>();
  /** Position on the new page of the last anchor that both have, and how many places were lost since. */
  let last = -1;
  let lost = 0;
  for (const [anchor, before] of anchors) {
    const at = positions.get(anchor);
    if (at !== undefined) {
      if (at > last) last = at;
      lost = 0;
      continue;
    }
    const key = before === null || before.line === null ? anchor : `${before.file}:${before.line}`;
    let now = found.get(key);
    if (now === undefined) {
      now = newAnchor(order, page.anchors, anchors, last, ++lost);
      found.set(key, now);
    }
    const near = now ?? (last < 0 ? null : (order[last] ?? null));
    const place = near === null ? null : (page.anchors.get(near) ?? null);
    const ofPage = page.file === null ? null : { file: page.file, line: null };
    const cause = now === null ? 'anchor-removed' : 'anchor-changed';
    broken.push({ url, anchor, kind, cause, place: place ?? ofPage, before, now });
  }
  return broken;
}

/** The n-th new place after a position, before the next anchor that both pages have. */
function newAnchor(
  order: readonly string[],
  now: LinkPage['anchors'],
  old: ServedLink['anchors'],
  from: number,
  n: number,
): string | null {
  let count = 0;
  let place: LinkPlace | null = null;
  for (let at = from + 1; at < order.length && at <= from + 100; at++) {
    const id = order[at] ?? '';
    if (old.has(id)) return null;
    const own = now.get(id) ?? null;
    if (place !== null && own !== null && isSamePlace(own, place)) continue;
    place = own;
    if (++count === n) return id;
  }
  return null;
}

const isSamePlace = (a: LinkPlace, b: LinkPlace): boolean =>
  a.line !== null && a.line === b.line && a.file === b.file;

/** Where a URL leads in the end. */
type Landing =
  | { kind: 'file'; path: string; hash: string | null; by: string | null }
  | { kind: 'external' }
  /** `by`: path of the last redirect that leads there; null without one. */
  | { kind: 'missing'; by: string | null };

interface Landings {
  /** What is at a decoded URL. */
  step(url: string): Found<{ path: string }>;
  end(url: string): Landing;
}

function createLanding({ basePath, manifest }: LinkSite): Landings {
  const find = createPaths(manifest, basePath);
  return {
    step: (url) => find(encodePath(url)),
    end(url) {
      let target = encodePath(url);
      let hash: string | null = null;
      let by: string | null = null;
      for (let hop = 0; hop < maxHops; hop++) {
        const found = find(target);
        if (found.kind === 'file') return { kind: 'file', path: found.file.path, hash, by };
        if (found.kind !== 'redirect') return { kind: 'missing', by };
        const { location } = found;
        if (!location.startsWith('/')) return { kind: 'external' };
        by = sourceOf(target, basePath);
        const at = location.indexOf('#');
        if (at >= 0) hash = location.slice(at + 1) || hash;
        target = at < 0 ? location : location.slice(0, at);
      }
      return { kind: 'missing', by };
    },
  };
}

/** The path of a URL as sources of redirects are written. */
function sourceOf(target: string, basePath: string): string {
  const path = decodePath(target.replace(/\?.*$/s, '')).slice(basePath.length);
  return path.replace(/\.(?:html|md)$/, '').replace(/(.)\/$/, '$1');
}

/** The redirect that applies to a path. */
function ruleOf(path: string, redirects: readonly ManifestRedirect[]): ManifestRedirect | undefined {
  return (
    redirects.find(({ source }) => source === path) ??
    redirects.find((one) => isWildcard.test(one.source) && createRedirects([one], '').pattern(path) !== null)
  );
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** A path that a pattern matches. */
function sampleOf(pattern: string): string {
  return pattern.replace(/:[A-Za-z_][\w-]*\*?|\*/g, '-');
}
