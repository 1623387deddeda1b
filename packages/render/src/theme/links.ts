import { firstPage, type NavNode, type Page } from '../site.ts';
import { encodePath, externalUrl, relativeLink } from './paths.ts';
import type { Theme } from './theme.ts';

export interface ChromeLink {
  href: string;
  external: boolean;
}

/**
 * A link of the configuration in the form that an output file needs: pages and assets relative, other
 * URLs as they are; null when its scheme is refused. What the site does not have is a warning and
 * leads to its public URL.
 */
export function resolveLink(theme: Theme, output: string, href: string): ChromeLink | null {
  const url = externalUrl(href);
  if (url !== null) return { href: url, external: /^https?:/i.test(url) };
  if (/^[a-z][\w+.-]*:/i.test(href.trim())) return null;
  if (href.startsWith('#')) return { href, external: false };
  const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(href.trim()) ?? [];
  const key = path.replace(/^\/+|\/+$/g, '').replace(/\.(mdx?|html)$/, '');
  const page = findPage(theme, key);
  if (page !== null) return { href: relativeLink(output, page.output) + tail, external: false };
  const file = path.replace(/^\/+/, '');
  if (theme.hasAsset(file)) return { href: relativeLink(output, file) + tail, external: false };
  const redirect = theme.redirects.get(`/${key}`);
  if (redirect !== undefined) {
    const target = externalUrl(redirect.destination);
    if (target !== null) return { href: target, external: true };
    const [, to = '', hash = ''] = /^([^?#]*)(.*)$/s.exec(redirect.destination) ?? [];
    const place = to.replace(/^\/+|\/+$/g, '');
    const moved = findPage(theme, place) ?? theme.siteMap.folderStarts.get(place) ?? null;
    if (moved !== null) return { href: relativeLink(output, moved.output) + (hash || tail), external: false };
  }
  const folder = theme.siteMap.folderStarts.get(key);
  if (folder !== undefined) return { href: relativeLink(output, folder.output) + tail, external: false };
  const { config } = theme.siteMap;
  theme.warn({
    file: config.file,
    line: null,
    code: 'link-not-found',
    message: `The link ${JSON.stringify(href)} in the site's header, footer or navigation does not lead to a page or file. Correct it or add the page.`,
  });
  return { href: `${theme.siteUrl}/${encodePath(file)}${tail}`, external: true };
}

/** The page at a path without slashes at its ends; the empty path is the home page. */
function findPage(theme: Theme, path: string): Page | null {
  const { byPath, home } = theme.siteMap;
  if (path === '' || path === 'index') return byPath.get('index') ?? home;
  return byPath.get(path) ?? byPath.get(`${path}/index`) ?? byPath.get(decode(path)) ?? null;
}

/** Where a navigation node leads; null for one that leads nowhere. */
export function nodeLink(theme: Theme, output: string, node: NavNode): ChromeLink | null {
  if (node.href !== null) return resolveLink(theme, output, node.href);
  const page = firstPage(node);
  return page === null ? null : { href: relativeLink(output, page.output), external: false };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
