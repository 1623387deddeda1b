import { posix } from 'node:path';
import { decodePath } from '../../nav/path.ts';
import type { Page } from '../../site.ts';
import { encodePath } from '../../theme/paths.ts';
import type { SiteState } from '../state.ts';
import { resolveLink, schemeOf } from './links.ts';

/** Links from the docs root lead to the same place from every page. */
const rooted = new WeakMap<SiteState, Map<string, string>>();

/**
 * Links of the Markdown twin of a page: absolute, and to twins where they lead to pages, so that an agent that has
 * read one can fetch the next. They are relative where the URL of the site is not known. Broken links stay as written.
 */
export function twinLinks(page: Page, site: SiteState): (href: string) => string {
  let shared = rooted.get(site);
  if (shared === undefined) {
    shared = new Map();
    rooted.set(site, shared);
  }
  const own = new Map<string, string>();
  const find = finder(page, site);
  return (href) => {
    if (href.startsWith('#') || schemeOf(href) !== null || href.startsWith('//')) return href;
    const known = href.startsWith('/') && site.siteUrl !== null ? shared : own;
    let found = known.get(href);
    if (found === undefined) {
      found = find(href);
      known.set(href, found);
    }
    return found;
  };
}

function finder(page: Page, site: SiteState): (href: string) => string {
  const place = { page, file: page.source ?? page.path, line: null };
  const folder = posix.dirname(encodePath(page.output));
  let isBroken = false;
  const quiet: SiteState = {
    ...site,
    warn: () => {
      isBroken = true;
    },
  };
  const { byPath, schemaPages } = site.siteMap;
  return (href) => {
    isBroken = false;
    const link = resolveLink(href, place, quiet, []);
    if (link === null || link.external || isBroken) return href;
    const [, written = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(link.href) ?? [];
    const path = posix.join(folder, written);
    const pagePath = path.endsWith('.html') ? decodePath(path.slice(0, -5)) : '';
    const isPage = byPath.has(pagePath) || schemaPages.has(pagePath);
    const toTwin = (to: string): string => (isPage ? `${to.slice(0, -'html'.length)}md` : to);
    return site.siteUrl === null ? toTwin(written) + tail : `${site.siteUrl}/${toTwin(path)}${tail}`;
  };
}
