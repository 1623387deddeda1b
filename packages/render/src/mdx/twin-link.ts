import type { Page } from '../site.ts';
import { encodePath } from '../theme/paths.ts';
import { resolveLink, schemeOf } from './links.ts';
import type { SiteState } from './state.ts';

/**
 * Links of the Markdown twin of a page: absolute, and to twins where they lead to pages, so that an agent that has
 * read one can fetch the next. What leads nowhere stays as it is written.
 */
export function twinLinks(page: Page, site: SiteState): (href: string) => string {
  const { siteUrl } = site;
  if (siteUrl === null) return (href) => href;
  const known = new Map<string, string>();
  const file = page.source ?? page.path;
  const base = `${siteUrl}/${encodePath(page.output)}`;
  let isBroken = false;
  const quiet: SiteState = {
    ...site,
    warn: () => {
      isBroken = true;
    },
  };
  const find = (href: string): string => {
    isBroken = false;
    const link = resolveLink(href, { page, file, line: null }, quiet, []);
    if (link === null || link.external || isBroken) return href;
    const url = URL.parse(link.href, base);
    if (url === null) return href;
    const path = decodePath(url.href.slice(siteUrl.length + 1).replace(/\.html(?:[?#].*)?$/s, ''));
    return site.siteMap.byPath.has(path) || path === 'index'
      ? url.href.replace(/\.html(?=[?#]|$)/, '.md')
      : url.href;
  };
  return (href) => {
    if (href.startsWith('#') || schemeOf(href) !== null || href.startsWith('//')) return href;
    let found = known.get(href);
    if (found === undefined) {
      found = find(href);
      known.set(href, found);
    }
    return found;
  };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
