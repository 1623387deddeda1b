import { posix } from 'node:path';
import { lineOfKey } from '../config/page-keys.ts';
import { placeOf, placeOfText } from '../config/place.ts';
import { followRedirects, splitUrl } from '../nav/follow-redirects.ts';
import { decodePath, withoutBase } from '../nav/path.ts';
import { endpointOf, firstPage, type NavNode, type Page } from '../site.ts';
import { absoluteUrl, feedOutput } from './addresses.ts';
import { feedPage, isExportFile } from './export-files.ts';
import { externalUrl, relativeLink } from './paths.ts';
import type { Theme } from './theme.ts';

export interface ChromeLink {
  href: string;
  external: boolean;
}

/** Where a link is written. */
interface LinkPlace {
  readonly file: string;
  /** Completes "The link in". */
  readonly part: string;
  /** Configuration in which a link is looked up for its line. */
  readonly within?: object;
  /** Key of the front matter of `file` that contains the link. */
  readonly key?: string;
  /** Folder that relative paths start from; the docs folder if it is not set. */
  readonly folder?: string;
}

const chromeOf = ({ siteMap }: Theme): LinkPlace => ({
  file: siteMap.config.file,
  part: "the site's header, footer or navigation",
  within: siteMap.config.raw,
});

/** The description of a page, which is in its file or in the API description of its operation. */
export function descriptionPlace(page: Page): LinkPlace {
  const endpoint = endpointOf(page);
  const { description } = page.frontMatter;
  if (page.source !== null && (typeof description === 'string' || endpoint === null))
    return {
      file: page.source,
      part: 'the description of the page',
      ...(typeof description === 'string' ? { key: 'description' } : {}),
      folder: posix.dirname(page.source),
    };
  const name = endpoint === null ? page.path : `${endpoint.method} ${endpoint.path}`.slice(0, 200);
  return { file: endpoint?.spec ?? page.source ?? page.path, part: `the description of ${name}` };
}

/**
 * A link of the configuration in the form that an output file needs: pages and assets relative, other
 * URLs as they are; null when its scheme is refused. What the site does not have is a warning and
 * leads to its public URL, where that is known.
 */
export function resolveLink(
  theme: Theme,
  output: string,
  href: string,
  from: LinkPlace = chromeOf(theme),
): ChromeLink | null {
  const url = externalUrl(href);
  if (url !== null) return { href: url, external: /^https?:/i.test(url) };
  if (/^[a-z][\w+.-]*:/i.test(href.trim())) return null;
  if (href.startsWith('#')) return { href, external: false };
  const { path: given, query, hash } = splitUrl(href.trim());
  const path = fromFolder(theme, given, from.folder ?? '.');
  const tail = query + fragment(hash);
  const own = findOutput(theme, path);
  if (own !== null) return { href: relativeLink(output, own) + tail, external: false };
  const landing = followRedirects(theme.redirects, { path, query, hash }, (next) => findOutput(theme, next));
  if (landing?.kind === 'external') return resolveLink(theme, output, landing.url, from);
  if (landing?.kind === 'target') {
    const moved = relativeLink(output, landing.target) + landing.query + fragment(landing.hash);
    return { href: moved, external: false };
  }
  const folder = findFolder(theme, landing?.kind === 'missing' ? landing.path : path);
  if (folder !== undefined) return { href: relativeLink(output, folder.output) + tail, external: false };
  const written = from.within === undefined ? from : (linkPagePlace(theme, href) ?? from);
  const place = written.within === undefined ? null : placeOfText(written.within, href);
  theme.warn({
    file: place?.file ?? written.file,
    line: place?.line ?? lineOfLink(theme, href, written),
    code: 'link-not-found',
    message: `The link ${JSON.stringify(href)} in ${written.part} does not lead to a page or file. Correct it or add the page.`,
  });
  const file = path.replace(/^\/+/, '');
  const publicUrl = absoluteUrl(theme, file);
  if (publicUrl !== null) return { href: publicUrl + tail, external: true };
  return { href: relativeLink(output, file) + tail, external: false };
}

/** The page file that gives an entry of the navigation this link; null if docs.json does. */
function linkPagePlace({ siteMap }: Theme, href: string): LinkPlace | null {
  const link = siteMap.linkPages.find(({ destination }) => destination === href);
  const file = placeOf(link)?.file;
  return file === undefined ? null : { file, part: '"url" of the front matter', key: 'url' };
}

/** Line of a link in the value of a key, which may have several lines; null if it is not in front matter. */
function lineOfLink(theme: Theme, href: string, { file, key }: LinkPlace): number | null {
  if (key === undefined) return null;
  const text = theme.readText(file);
  const line = lineOfKey(text, key);
  const at = text.split('\n', line + 50).findIndex((one, index) => index >= line - 1 && one.includes(href));
  return at === -1 ? line : at + 1;
}

/** A folder without a page of its own leads to its first page. */
function findFolder({ siteMap }: Theme, path: string): Page | undefined {
  return siteMap.folderStarts.get(plain(path)) ?? siteMap.folderStarts.get(plain(withoutBase(path)));
}

/** A relative path from the docs root, if the folder has such a page or file; else as it is. */
function fromFolder(theme: Theme, path: string, folder: string): string {
  if (path === '' || path.startsWith('/')) return path;
  const whole = posix.join('/', folder, path);
  return findOutput(theme, whole) === null ? path : whole;
}

const plain = (path: string): string => path.replace(/^\/+|\/+$/g, '');
const fragment = (hash: string): string => (hash === '' ? '' : `#${hash}`);

/** Output path of the page or file that a path means; null where the site has none. */
function findOutput(theme: Theme, path: string): string | null {
  return outputAt(theme, path) ?? outputAt(theme, withoutBase(path));
}

function outputAt(theme: Theme, path: string): string | null {
  const page = findPage(theme, plain(path).replace(/\.(mdx?|html)$/, ''));
  if (page !== null) return page.output;
  const file = path.replace(/^\/+/, '');
  if (theme.hasAsset(file) || isExportFile(file)) return file;
  const feed = feedPage(file);
  const followed = feed === null ? null : findPage(theme, feed);
  return followed !== null && theme.mayHaveFeed(followed) ? feedOutput(followed) : null;
}

/** The page at a path without slashes at its ends; the empty path is the home page. */
function findPage(theme: Theme, path: string): Page | null {
  const { byPath, home } = theme.siteMap;
  if (path === '' || path === 'index') return byPath.get('index') ?? home;
  return byPath.get(path) ?? byPath.get(path.replace(/\/index$/, '')) ?? byPath.get(decodePath(path)) ?? null;
}

/** Where a navigation node leads; null for one that leads nowhere. */
export function nodeLink(theme: Theme, output: string, node: NavNode): ChromeLink | null {
  if (node.href !== null) return resolveLink(theme, output, node.href);
  const page = firstPage(node);
  return page === null ? null : { href: relativeLink(output, page.output), external: false };
}
