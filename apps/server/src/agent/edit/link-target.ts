import { posix } from 'node:path';
import type { LinkKind } from './link-scan.ts';
import { decode, isPage, type PageLookup, pagePath } from './page-lookup.ts';

/** What a link means, and from where it was followed. */
export interface Resolved {
  file: string;
  /**
   * `root`: it starts with a slash. `folder`: from the folder of the file. `page`: from the address of the
   * page as a folder. `bare`: from the root without a slash.
   */
  base: 'root' | 'folder' | 'page' | 'bare';
  /** `/docs` of a link that names the folder that a host serves the docs below; else ''. */
  prefix: string;
}

const ENDINGS = ['', '.mdx', '.md', '.jsx', '.tsx', '.js', '.ts'];
const SNIPPET_FOLDERS = ['snippets/', '_snippets/', ''];

/** The file of the docs that a written link leads to, followed as the renderer does; null for all others. */
export function resolveLink(kind: LinkKind, href: string, from: string, lookup: PageLookup): Resolved | null {
  if (kind === 'import') return resolveImport(href, from, lookup);
  if (kind === 'snippet') return resolveSnippet(href, lookup);
  if (kind === 'spec') {
    const file = href.replace(/^\.?\//, '');
    return lookup.has(file) ? { file, base: href.startsWith('/') ? 'root' : 'bare', prefix: '' } : null;
  }
  const { path } = splitHref(href.trim());
  if (path === '' || /^[a-z][a-z0-9+.-]*:|^[/\\]{2}/i.test(path)) return null;
  const plain = decode(path).replaceAll('\\', '/');
  if (plain.startsWith('/')) {
    const file = lookup.target(posix.normalize(plain));
    if (file !== null) return { file, base: 'root', prefix: '' };
    const prefix = /^\/(?:docs|documentation)(?=\/.)/.exec(plain)?.[0];
    const below = prefix === undefined ? null : lookup.target(posix.normalize(plain.slice(prefix.length)));
    return below === null || prefix === undefined ? null : { file: below, base: 'root', prefix };
  }
  for (const base of ['folder', 'page', 'bare'] as const) {
    const file = lookup.target(posix.join('/', baseFolder(base, from), plain));
    if (file !== null) return { file, base, prefix: '' };
  }
  return null;
}

function baseFolder(base: Resolved['base'], from: string): string {
  if (base === 'folder') return posix.dirname(from);
  return base === 'page' ? pagePath(from) : '.';
}

function resolveImport(specifier: string, from: string, lookup: PageLookup): Resolved | null {
  const isRelative = specifier.startsWith('.');
  const path = isRelative
    ? posix.join(posix.dirname(from), specifier)
    : posix.normalize(specifier.replace(/^\/+/, ''));
  const file = ENDINGS.map((ending) => path + ending).find((name) => lookup.has(name));
  if (file === undefined) return null;
  return { file, base: isRelative ? 'folder' : specifier.startsWith('/') ? 'root' : 'bare', prefix: '' };
}

function resolveSnippet(name: string, lookup: PageLookup): Resolved | null {
  const path = posix.normalize(name.replace(/^\/+/, ''));
  for (const folder of SNIPPET_FOLDERS) {
    const file = ENDINGS.map((ending) => folder + path + ending).find((one) => lookup.has(one));
    if (file !== undefined) return { file, base: 'bare', prefix: folder };
  }
  return null;
}

export interface Rewrite {
  kind: LinkKind;
  href: string;
  resolved: Resolved;
  /** The file that contains the link, at its path afterwards. */
  from: string;
  /** The file that it is to lead to, where that is afterwards. */
  to: string;
  /** The files as they are afterwards. */
  lookup: PageLookup;
}

/** The link as it must be written to lead to another file, in the style that it has. */
export function rewriteLink({ kind, href, resolved, from, to, lookup }: Rewrite): string {
  const { path, tail } = splitHref(href.trim());
  const styles =
    kind === 'link' ? linkStyles(path, resolved, from, to) : fileStyles(kind, path, resolved, from, to);
  const written = styles.map((style) => encodeLike(kind, style, path) + tail);
  const leads = written.find((one) => resolveLink(kind, one, from, lookup)?.file === to);
  return leads ?? written.at(-1) ?? href;
}

/** Ways to write a link: as before, and from the root where that leads elsewhere. */
function linkStyles(path: string, { base, prefix }: Resolved, from: string, to: string): string[] {
  const name = nameLike(path, to);
  const slash = path.length > 1 && path.endsWith('/') && name !== '' ? '/' : '';
  const root = `${prefix}/${name}${name === '' ? '' : slash}`;
  if (base === 'root') return [root];
  if (base === 'bare') return [name + slash, root];
  const relative = posix.relative(baseFolder(base, from), name === '' ? '.' : name);
  if (relative === '') return [root];
  const dot = path.startsWith('./') && !relative.startsWith('.') ? './' : '';
  return [dot + relative + slash, root];
}

/** The path of a page with or without its ending, as the link had it; of other files the path. */
function nameLike(path: string, to: string): string {
  if (!isPage(to)) return to;
  const ending = /\.(?:mdx?|html)$/i.exec(path)?.[0].toLowerCase();
  const page = pagePath(to);
  if (ending === '.html') return `${page}.html`;
  if (ending !== undefined) return to;
  if (/(?:^|\/)index$/i.test(path)) return to.replace(/\.mdx?$/i, '');
  return page === 'index' ? '' : page;
}

function fileStyles(
  kind: LinkKind,
  path: string,
  { base, prefix }: Resolved,
  from: string,
  to: string,
): string[] {
  const hasEnding = /\.(?:mdx?|[jt]sx?|json|ya?ml)$/i.test(path);
  const name = hasEnding ? to : to.replace(/\.(?:mdx?|[jt]sx?)$/i, '');
  if (kind === 'snippet') return [...(name.startsWith(prefix) ? [name.slice(prefix.length)] : []), name];
  if (base === 'root') return [`/${name}`];
  if (base === 'bare') return [name];
  const relative = posix.relative(posix.dirname(from), name);
  return [relative.startsWith('.') ? relative : `./${relative}`, `/${name}`];
}

/** Percent-encoded where the link was, and where a blank or bracket would end it. */
function encodeLike(kind: LinkKind, path: string, before: string): string {
  if (kind !== 'link') return path;
  if (!/%[0-9a-f]{2}/i.test(before) && !/[\s()<>"'`\\]/.test(path)) return path;
  return encodeURI(path).replace(/[()']/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function splitHref(href: string): { path: string; tail: string } {
  const at = href.search(/[?#]/);
  return at === -1 ? { path: href, tail: '' } : { path: href.slice(0, at), tail: href.slice(at) };
}
