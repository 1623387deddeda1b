import type { Organization, SiteConfig } from '../site.ts';
import {
  checkMembers,
  choice,
  flag,
  href,
  limited,
  type Section,
  sections,
  subsection,
  text,
  texts,
  warnAt,
} from './section.ts';

/** Tags of one page, and folders with tags of their own. */
const MAX_TAGS = 200;
const MAX_FOLDERS = 1000;

/** `seo`: settings for search engines. */
export function readSeo(root: Section): SiteConfig['seo'] {
  const seo = subsection(root, 'seo');
  checkMembers(seo, ['indexing', 'metatags', 'paths', 'organization', 'trailingSlash']);
  const metatags = readMetatags(subsection(seo, 'metatags'));
  return {
    indexing: choice(seo, 'indexing', ['navigable', 'all']) ?? 'navigable',
    metatags,
    canonical: readCanonical(subsection(seo, 'metatags'), metatags.canonical),
    paths: readPaths(seo),
    organization: readOrganization(seo),
    trailingSlash: flag(seo, 'trailingSlash') ?? false,
  };
}

function readMetatags(written: Section): Record<string, string> {
  const metatags: Record<string, string> = Object.create(null);
  for (const key of limited(written, '', Object.keys(written.value), MAX_TAGS)) {
    const value = written.value[key];
    const content = typeof value === 'boolean' ? String(value) : text(written, key);
    if (content !== null) metatags[key] = content;
  }
  return metatags;
}

function readCanonical(metatags: Section, written: string | undefined): string | null {
  if (written === undefined) return null;
  if (/^https?:\/\/[^\s/?#]+[^\s?#]*$/i.test(written)) return written.replace(/\/{1,100}$/, '');
  const message = '"seo.metatags.canonical" must be an http or https URL; it was ignored.';
  warnAt(metatags, 'canonical', 'config-value', message);
  return null;
}

/** Tags by folder, shorter paths first, so that the longest wins where they are laid over each other. */
function readPaths(seo: Section): SiteConfig['seo']['paths'] {
  const found = limited(seo, 'paths', sections(seo, 'paths'), MAX_FOLDERS).flatMap((entry) => {
    checkMembers(entry, ['path', 'metatags']);
    const path = text(entry, 'path');
    if (path === null) {
      warnAt(entry, undefined, 'config-value', `"${entry.name}" needs "path"; it was ignored.`);
      return [];
    }
    const metatags = readMetatags(subsection(entry, 'metatags'));
    delete metatags.canonical;
    return [{ path: folderOf(path), metatags }];
  });
  return found.sort((a, b) => a.path.length - b.path.length);
}

/** `/guides`, `guides/` and `/guides/*` are the folder `guides`. */
function folderOf(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '' && !/^\*+$/.test(segment))
    .join('/');
}

function readOrganization(seo: Section): Organization | null {
  const section = subsection(seo, 'organization');
  if (Object.keys(section.value).length === 0) return null;
  checkMembers(section, ['id', 'name', 'legalName', 'url', 'logo', 'sameAs']);
  return {
    id: text(section, 'id'),
    name: text(section, 'name'),
    legalName: text(section, 'legalName'),
    url: href(section, 'url'),
    logo: href(section, 'logo'),
    sameAs: texts(section, 'sameAs').filter((link) => /^https?:\/\//i.test(link)),
  };
}
