import type { At } from '../reference/resolver.ts';
import type { Page, SiteMap } from '../site.ts';
import { makePage } from './page.ts';
import { isSafePath } from './path.ts';
import { slugify } from './slug.ts';

/** Pages of schemas of one site. */
const MAX_PAGES = 20_000;

interface Paths {
  /** By file and name. */
  known: Map<string, string>;
  /** Output paths of files of the source. */
  taken: ReadonlySet<string>;
}

const paths = new WeakMap<SiteMap, Paths>();

/**
 * URL path of the page of a named schema, which becomes a page of the site that the navigation and the search do not
 * list; null if the name cannot be part of a path.
 */
export function schemaPath(schema: At, from: Page, siteMap: SiteMap): string | null {
  const { file, name } = schema;
  const { known, taken } = paths.get(siteMap) ?? { known: new Map(), taken: new Set(siteMap.assets) };
  paths.set(siteMap, { known, taken });
  const key = `${file}\n${name}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const slug = slugify(name ?? '');
  const wanted = from.path.includes('/')
    ? `${from.path.split('/', 1)[0]}/schemas/${slug}`
    : `schemas/${slug}`;
  if (slug === '' || !isSafePath(wanted) || known.size >= MAX_PAGES) return null;
  const path = freePath(wanted, siteMap, taken);
  known.set(key, path);
  const frontMatter = { title: name, noindex: true };
  const page = makePage({ path, source: null, readBody: () => '', bodyLine: 0, frontMatter });
  siteMap.schemaPages.set(path, { page, schema });
  return path;
}

function freePath(path: string, { byPath, schemaPages }: SiteMap, taken: ReadonlySet<string>): string {
  const isFree = (candidate: string): boolean =>
    !byPath.has(candidate) && !schemaPages.has(candidate) && !taken.has(`${candidate}.html`);
  if (isFree(path)) return path;
  let number = 1;
  while (!isFree(`${path}-${number}`)) number++;
  return `${path}-${number}`;
}
