import { posix } from 'node:path';
import { decodePath } from '../../nav/path.ts';
import type { Page } from '../../site.ts';
import { encodePath, relativeLink } from '../../theme/paths.ts';
import type { SiteState } from '../state.ts';
import { resolveLink, schemeOf } from './links.ts';

interface Landing {
  /** The link in a twin, or where it leads if the link is another one in each folder. */
  to: string | { path: string; tail: string };
  /** Notes again what decides that. */
  note(): void;
}

/** Links from the docs root lead to the same place from every page. */
const rooted = new WeakMap<SiteState, Map<string, Landing>>();

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
  const own = new Map<string, Landing>();
  const find = finder(page, site);
  return (href) => {
    if (href.startsWith('#') || schemeOf(href) !== null || href.startsWith('//')) return href;
    let found = own.get(href) ?? (href.startsWith('/') ? shared.get(href) : undefined);
    if (found !== undefined) found.note();
    else {
      found = find(href);
      const isShared = typeof found.to !== 'string' || (href.startsWith('/') && site.siteUrl !== null);
      (isShared ? shared : own).set(href, found);
    }
    const { to } = found;
    return typeof to === 'string' ? to : relativeLink(page.output, to.path) + to.tail;
  };
}

/** A path that is the same in a URL. */
const PLAIN = /^[\w./~-]+$/;

function finder(page: Page, site: SiteState): (href: string) => Landing {
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
  const linkOf = (href: string): Landing['to'] => {
    const link = resolveLink(href, place, quiet, []);
    if (link === null || link.external || isBroken) return href;
    const [, written = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(link.href) ?? [];
    const path = posix.join(folder, written);
    const pagePath = path.endsWith('.html') ? decodePath(path.slice(0, -5)) : '';
    const isPage = byPath.has(pagePath) || schemaPages.has(pagePath);
    const toTwin = (to: string): string => (isPage ? `${to.slice(0, -'html'.length)}md` : to);
    if (site.siteUrl !== null) return `${site.siteUrl}/${toTwin(path)}${tail}`;
    const isRooted = href.startsWith('/') && PLAIN.test(path);
    return isRooted ? { path: toTwin(path), tail } : toTwin(written) + tail;
  };
  return (href) => {
    isBroken = false;
    const { result, repeat } = site.lookups.record(() => linkOf(href));
    return { to: result, note: repeat };
  };
}
