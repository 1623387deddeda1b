import type { BodySite } from '../mdx/body-site.ts';
import type { Page, SchemaPage } from '../site.ts';
import { makePage } from './page.ts';
import { isSafePath } from './path.ts';
import { slugify } from './slug.ts';

/** Pages of schemas of one site. */
const MAX_PAGES = 5_000;

/** Output path of the script that shows the fields of a schema page on other pages. */
export const fieldsOutput = ({ path }: Pick<Page, 'path'>): string => `${path}.js`;

interface Paths {
  /** By file and name. */
  known: Map<string, string>;
  /** Next number of a path that several schemas want. */
  numbers: Map<string, number>;
}

const paths = new WeakMap<BodySite, Paths>();

/**
 * URL path of the page of a named schema, which becomes a page of the site that the navigation and the search do not
 * list; null if the name cannot be part of a path. `from` is the page that refers to it.
 */
export function schemaPath(
  found: Omit<SchemaPage, 'page'>,
  from: Pick<Page, 'path'>,
  siteMap: BodySite,
): string | null {
  const { file, name } = found;
  const own = paths.get(siteMap) ?? { known: new Map(), numbers: new Map() };
  paths.set(siteMap, own);
  const { known } = own;
  const key = `${file}\n${name}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const slug = slugify(name);
  const wanted = from.path.includes('/')
    ? `${from.path.split('/', 1)[0]}/schemas/${slug}`
    : `schemas/${slug}`;
  if (slug === '' || !isSafePath(wanted) || known.size >= MAX_PAGES) return null;
  const path = freePath(wanted, siteMap, own);
  known.set(key, path);
  const frontMatter = { title: name, noindex: true };
  const page = makePage({ path, source: null, readBody: () => '', bodyLine: 0, frontMatter });
  siteMap.schemaPages.set(path, { ...found, page });
  return path;
}

function freePath(path: string, { byPath, schemaPages, hasAsset }: BodySite, { numbers }: Paths): string {
  const isFree = (candidate: string): boolean =>
    !byPath.has(candidate) &&
    !schemaPages.has(candidate) &&
    !hasAsset(`${candidate}.html`) &&
    !hasAsset(`${candidate}.js`);
  let number = numbers.get(path) ?? 0;
  let free = number === 0 ? path : `${path}-${number}`;
  while (!isFree(free)) free = `${path}-${++number}`;
  numbers.set(path, number + 1);
  return free;
}
