import { posix } from 'node:path';
import { cleanDataUrl } from '../../clean/files.ts';
import { followRedirects, type Landing, splitUrl } from '../../nav/follow-redirects.ts';
import { decodePath, withoutBase } from '../../nav/path.ts';
import { fieldsOutput } from '../../nav/schema-page.ts';
import type { Page } from '../../site.ts';
import { feedOutput } from '../../theme/addresses.ts';
import { feedPage, isExportFile } from '../../theme/export-files.ts';
import { relativePath } from '../../theme/paths.ts';
import type { Value } from '../../tree.ts';
import type { WarningCode } from '../../warning-codes.ts';
import type { LinkedPage } from '../linked-page.ts';
import type { SiteState } from '../state.ts';

/** A link from one page to a place on a page of the site, for the check of anchors after all pages are rendered. */
export interface PageLink {
  /** Path of the page it leads to (`Page.path`). */
  target: string;
  /** Decoded fragment without `#`; never empty. */
  hash: string;
  /** The link for the HTML, not yet escaped. */
  href: string;
  /** Source file and 1-based line of the link. */
  file: string;
  line: number | null;
}

/** Where a link or asset is written: the page it shows on, and the file and line of the construct. */
export interface LinkPlace {
  page: Page;
  file: string;
  line: number | null;
}

export interface ResolvedLink {
  /** The value for the HTML, not yet escaped. */
  href: string;
  external: boolean;
  /** URL of the script with the fields, where it leads to the page of a schema. */
  fields?: string;
}

const externalSchemes = new Set([
  'http:',
  'https:',
  'mailto:',
  'tel:',
  'sms:',
  'cursor:',
  'vscode:',
  'vscode-insiders:',
  'windsurf:',
  'zed:',
  'slack:',
]);

/** The scheme of a URL as a browser reads it (control characters and leading blanks ignored), lower case with colon; null without one. */
export function schemeOf(url: string): string | null {
  const cleaned = url.replace(
    /[\u0000-\u0020\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060\ufeff]/g,
    '',
  );
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(cleaned)?.[1];
  return scheme === undefined ? null : `${scheme.toLowerCase()}:`;
}

/** Whether a URL may stand as the source of an image. */
function isImageData(url: string): boolean {
  return /^data:image\/(?:png|jpe?g|gif|webp|avif|svg\+xml|x-icon|bmp)[;,]/i.test(url.trim());
}

/**
 * A link in the form that the HTML of a page needs: relative and ending in `.html` for pages of the site. Null (with a
 * warning) for schemes that could run code; a target that does not exist keeps a relative link and is reported.
 */
export function resolveLink(
  written: string,
  place: LinkPlace,
  site: SiteState,
  links: PageLink[],
): ResolvedLink | null {
  const href = written.trim();
  const scheme = schemeOf(href);
  if (scheme !== null) {
    if (externalSchemes.has(scheme)) return { href, external: scheme.startsWith('http') };
    warn(
      site,
      place,
      'unsafe-link',
      `\`${shorten(href)}\` uses the scheme \`${scheme}\`, which is not allowed; the text is shown without a link. Use an https URL or a path of the site.`,
    );
    return null;
  }
  if (/^[/\\]{2}/.test(href)) return { href: `https://${href.replace(/^[/\\]+/, '')}`, external: true };
  return internalLink(href, place, site, links);
}

function internalLink(href: string, place: LinkPlace, site: SiteState, links: PageLink[]): ResolvedLink {
  const { path, query, hash } = splitUrl(href);
  if (path === '') {
    const own = hash === '' && query === '' ? '#' : query + fragment(hash);
    addLink(links, { target: place.page.path, hash, href: own }, place);
    return { href: own, external: false };
  }
  const found = locate({ path, query, hash }, place, site);
  if (found.kind === 'external') return { href: found.url, external: true };
  if (found.kind !== 'target') {
    if (site.mcpUrl !== null && /^\/mcp\/?$/.test(withoutBase(path)))
      return { href: site.mcpUrl, external: false };
    const reason =
      found.kind === 'loop'
        ? 'leads to redirects that have no end. Correct the redirects, or link to a page.'
        : 'does not lead to a page or file of the site. Correct it, or add the page.';
    warn(site, place, 'broken-link', `The link \`${shorten(href)}\` ${reason}`);
    return {
      href: relativeUrl(place.page.output, brokenOutput(path, place)) + query + fragment(hash),
      external: false,
    };
  }
  const { target, ...tail } = found;
  site.visit?.(target.output);
  const relative = relativeUrl(place.page.output, target.output) + tail.query + fragment(tail.hash);
  if (target.page !== null)
    addLink(links, { target: target.page.path, hash: tail.hash, href: relative }, place);
  if (target.page === null || !site.siteMap.schemaPages.has(target.page.path))
    return { href: relative, external: false };
  const fields = relativeUrl(place.page.output, fieldsOutput(target.page));
  return { href: relative, external: false, fields };
}

/** Where a written link leads: to a page or file, else by redirects, else to the first page of a folder. */
function locate(
  link: { path: string; query: string; hash: string },
  place: LinkPlace,
  site: SiteState,
): Landing<Target> {
  const { query, hash } = link;
  const written = findTarget(link.path, place, site);
  if (written !== null) return { kind: 'target', target: written, query, hash };
  const moved = followFrom(link, place, site);
  if (moved !== null && moved.kind !== 'missing') return moved;
  const folder = findFolder(moved?.path ?? link.path, place, site);
  return folder === null
    ? { kind: 'missing', path: link.path }
    : { kind: 'target', target: folder, query, hash };
}

/** What the redirects say of the paths that a link can mean; null where none applies. */
function followFrom(
  link: { path: string; query: string; hash: string },
  place: LinkPlace,
  site: SiteState,
): Landing<Target> | null {
  site.lookups.noteRedirects();
  for (const path of pathsOf(link.path, place)) {
    const landing = followRedirects(site.redirects, { ...link, path }, (next) =>
      findTarget(next, place, site),
    );
    if (landing !== null) return landing;
  }
  return null;
}

function fragment(hash: string): string {
  return hash === '' ? '' : `#${hash}`;
}

function addLink(
  links: PageLink[],
  { target, hash, href }: Pick<PageLink, 'target' | 'hash' | 'href'>,
  { file, line }: LinkPlace,
): void {
  if (hash !== '') links.push({ target, hash: decodePath(hash), href, file, line });
}

interface Target {
  output: string;
  page: LinkedPage | null;
}

/** Page or file for a written path. */
function findTarget(path: string, place: LinkPlace, site: SiteState): Target | null {
  for (const each of pathsOf(path, place)) {
    const found = findAt(each, site);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Paths that a link can mean, most often the first: from the docs root, else relative to the page, its URL, or the file of
 * a snippet.
 */
function* pathsOf(path: string, { page, file }: LinkPlace): Generator<string> {
  const decoded = decodePath(path).replaceAll('\\', '/');
  if (decoded.startsWith('/')) {
    yield decoded;
    const bare = withoutBase(decoded);
    if (bare !== decoded) yield bare;
    // API descriptions are often written for a site of their folder alone.
    if (/\.(?:json|ya?ml)$/i.test(file)) yield posix.join('/', posix.dirname(file), decoded);
    return;
  }
  const folder = posix.dirname(page.source ?? page.path);
  yield posix.join('/', folder, decoded);
  yield posix.join('/', page.path, decoded);
  yield posix.join('/', posix.dirname(file), decoded);
  yield posix.join('/', decoded);
  // The URL of the first page of a folder has the name of the folder at its end, so a browser counts from above it.
  if (/(?:^|\/)index$/i.test(page.path)) yield posix.join('/', posix.dirname(folder), decoded);
}

/** A folder without a page of its own leads to its first page. */
function findFolder(path: string, place: LinkPlace, site: SiteState): Target | null {
  const decoded = decodePath(path).replaceAll('\\', '/');
  const base = decoded.startsWith('/') ? '/' : posix.dirname(`/${place.page.source ?? place.page.path}`);
  const whole = posix.join('/', base, decoded);
  for (const each of [whole, withoutBase(whole)]) {
    const page = site.siteMap.folderStarts.get(each.replace(/^\/+|\/+$/g, ''));
    if (page !== undefined) return { output: page.output, page };
  }
  return null;
}

function findAt(path: string, site: SiteState): Target | null {
  const normal = /^\.|\/[./]/.test(path) ? posix.normalize(path) : path;
  const plain = normal.replace(/^\/+|\/+$/g, '');
  if (plain === '' || plain === '.') return { output: site.siteMap.home.output, page: site.siteMap.home };
  const page = findPage(plain, site);
  if (page !== null) return { output: page.output, page };
  if (site.siteMap.hasAsset(plain) || isExportFile(plain)) return { output: plain, page: null };
  const feed = feedPage(plain);
  const followed = feed === null ? null : findPage(feed, site);
  if (followed !== null && site.siteMap.mayHaveFeed(followed))
    return { output: feedOutput(followed), page: null };
  const twin = plain.endsWith('.md') ? findPage(plain.slice(0, -3), site) : null;
  return twin === null ? null : { output: twin.output, page: twin };
}

function findPage(plain: string, site: SiteState): LinkedPage | null {
  const { byPath, schemaPages } = site.siteMap;
  const bare = plain.replace(/\.(?:mdx?|html)$/i, '');
  return (
    byPath.get(bare) ??
    byPath.get(plain) ??
    schemaPages.get(bare)?.page ??
    byPath.get(bare.replace(/\/(?:index|README)$/i, '')) ??
    byPath.get(`${bare}/index`) ??
    site.foldedPaths.get(bare.toLowerCase()) ??
    null
  );
}

/** Relative URL from one output file to another. */
function relativeUrl(from: string, to: string): string {
  return encodePath(relativePath(from, to));
}

/** Percent-encodes characters that are not allowed in the path of a URL; a colon in the first segment would read as a scheme. */
function encodePath(path: string): string {
  if (/^[\w./~-]*$/.test(path)) return path;
  const encoded = encodeURI(path.toWellFormed()).replace(/[?#]/g, (char) => (char === '?' ? '%3F' : '%23'));
  return /^[^/]*:/.test(encoded) ? `./${encoded}` : encoded;
}

/** Where a page of that name would be, so that the link stays inside the site and harmless. */
function brokenOutput(path: string, place: LinkPlace): string {
  const decoded = decodePath(path).replaceAll('\\', '/');
  const base = decoded.startsWith('/')
    ? '/'
    : posix.join('/', posix.dirname(place.page.source ?? place.page.path));
  const plain = posix.join(base, decoded).replace(/^\/+|\/+$/g, '');
  if (plain === '') return 'index.html';
  return /\.[A-Za-z0-9]{1,8}$/.test(plain) && !/\.mdx?$/.test(plain)
    ? plain
    : `${plain.replace(/\.mdx?$/, '')}.html`;
}

/** The URL of a source file in the page's HTML; null with a warning when it is unsafe or missing. */
export function resolveAsset(written: string, place: LinkPlace, site: SiteState): string | null {
  const src = written.trim();
  const scheme = schemeOf(src);
  if (scheme !== null) {
    if (isImageData(src)) return cleanDataUrl(src);
    if (scheme === 'http:' || scheme === 'https:') return remoteAsset(src, place, site);
    warn(
      site,
      place,
      'unsafe-link',
      `\`${shorten(src)}\` uses the scheme \`${scheme}\`, which is not allowed here. Add the file to the docs folder and use its path.`,
    );
    return null;
  }
  if (/^[/\\]{2}/.test(src)) return remoteAsset(src, place, site);
  const { path, query, hash } = splitUrl(src);
  const file = findAsset(decodePath(path).replaceAll('\\', '/'), place, site);
  if (file === null) {
    warn(
      site,
      place,
      'missing-asset',
      src === ''
        ? 'The path of a file is empty. Set it, or remove the element.'
        : `The file \`${shorten(src)}\` is not in the docs folder. Add it, or correct the path.`,
    );
    return null;
  }
  site.visit?.(file);
  return relativeUrl(place.page.output, file) + query + fragment(hash);
}

/** A copy of a file of another host; without one, the writer of the element offers a link instead. */
function remoteAsset(src: string, place: LinkPlace, site: SiteState): string | null {
  const found = site.remote.find(src, 'asset');
  if (found === 'wanted') return null;
  if (found !== null) return relativeUrl(place.page.output, found.path);
  const fault = site.remote.faultOf(src);
  const why =
    fault === null
      ? 'is on another host, so the page shows a link to it'
      : `is on another host and could not be downloaded: ${fault}. The page shows a link to it`;
  warn(site, place, 'remote-file', `\`${shorten(src)}\` ${why}. Put the file into the docs folder.`);
  return null;
}

/** The URL of a file on another host; null for anything else. */
export function remoteUrl(src: Value): string | null {
  if (typeof src !== 'string') return null;
  const url = src.trim().replace(/^[/\\]{2}/, 'https://');
  return /^https?:\/\/[^\s"'<>\\]+$/i.test(url) ? url : null;
}

function findAsset(path: string, place: LinkPlace, site: SiteState): string | null {
  if (path === '') return null;
  const bases = path.startsWith('/')
    ? ['/']
    : [posix.dirname(place.page.source ?? place.page.path), place.page.path, posix.dirname(place.file), '.'];
  for (const base of bases) {
    const plain = posix.join('/', base, path).slice(1);
    if (site.siteMap.hasAsset(plain)) return plain;
  }
  const bare = withoutBase(path).slice(1);
  return site.siteMap.hasAsset(bare) ? bare : null;
}

function warn(site: SiteState, place: LinkPlace, code: WarningCode, message: string): void {
  site.warn({ file: place.file, line: place.line, code, message });
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
