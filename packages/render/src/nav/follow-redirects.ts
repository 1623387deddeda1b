import type { Redirect } from '../site.ts';
import { decodePath, entryPath, foldPath } from './path.ts';
import {
  type Captures,
  fillTarget,
  isPattern,
  matchPattern,
  type PathPattern,
  parsePattern,
} from './path-pattern.ts';

/** Redirects that a link may follow one after the other; browsers follow at most 20. */
const MAX_HOPS = 20;
/** Patterns that a path is compared with. */
const MAX_PATTERNS = 1000;

/** Redirects by what a path of the site can match. */
export interface RedirectRules {
  /** By the path as written, without slashes at its ends. */
  bySpelling: ReadonlyMap<string, Redirect>;
  /** By the page that the path means, so that `x`, `X` and `x/index` are one. */
  byPage: ReadonlyMap<string, Redirect>;
  /** In their order. */
  patterns: readonly { source: PathPattern; redirect: Redirect }[];
}

/** The first redirect of each source counts, and redirects of single paths come before patterns. */
export function compileRedirects(redirects: readonly Redirect[]): RedirectRules {
  const bySpelling = new Map<string, Redirect>();
  const byPage = new Map<string, Redirect>();
  const patterns: { source: PathPattern; redirect: Redirect }[] = [];
  for (const redirect of redirects) {
    const written = decodePath(redirect.source);
    if (isPattern(written)) {
      const source = parsePattern(written);
      if (source !== null && patterns.length < MAX_PATTERNS) patterns.push({ source, redirect });
      continue;
    }
    const path = withoutSlashes(written);
    if (!bySpelling.has(path)) bySpelling.set(path, redirect);
    const page = pageKey(path);
    if (!byPage.has(page)) byPage.set(page, redirect);
  }
  return { bySpelling, byPage, patterns };
}

/** Where the redirect of a path leads, after one step; null for a path without one. */
export function redirectOf(rules: RedirectRules, path: string): string | null {
  const plain = withoutSlashes(path);
  const exact = rules.bySpelling.get(plain) ?? rules.byPage.get(pageKey(plain));
  if (exact !== undefined) return exact.destination;
  for (const { source, redirect } of rules.patterns) {
    const captures = matchPattern(source, plain);
    if (captures !== null) return fillDestination(redirect.destination, captures);
  }
  return null;
}

/**
 * Where redirects lead in the end. `missing` is a last path without redirect, page or file; `loop` a chain that leads
 * back to itself or is too long.
 */
export type Landing<T> =
  | { kind: 'target'; target: T; query: string; hash: string }
  | { kind: 'external'; url: string }
  | { kind: 'missing'; path: string }
  | { kind: 'loop' };

/**
 * Follows the redirects of a path until `find` knows a target; null for a path without a redirect. The query and the
 * fragment of the link are kept unless a destination has its own.
 */
export function followRedirects<T>(
  rules: RedirectRules,
  link: { path: string; query: string; hash: string },
  find: (path: string) => T | null,
): Landing<T> | null {
  let { query, hash } = link;
  let path = link.path;
  let destination = redirectOf(rules, decodePath(path));
  if (destination === null) return null;
  const seen = new Set([pageKey(withoutSlashes(decodePath(path)))]);
  for (let hop = 0; hop < MAX_HOPS && destination !== null; hop++) {
    const next = splitUrl(destination);
    query = next.query || query;
    hash = next.hash || hash;
    if (isExternal(destination)) return { kind: 'external', url: next.path + query + (hash && `#${hash}`) };
    path = next.path;
    const target = find(path);
    if (target !== null) return { kind: 'target', target, query, hash };
    const plain = decodePath(path);
    const key = pageKey(withoutSlashes(plain));
    destination = redirectOf(rules, plain);
    if (destination === null) return { kind: 'missing', path };
    if (seen.has(key)) return { kind: 'loop' };
    seen.add(key);
  }
  return { kind: 'loop' };
}

/** A URL cut into its parts; the query keeps its question mark, the hash has no `#`. */
export function splitUrl(href: string): { path: string; query: string; hash: string } {
  const hashAt = href.indexOf('#');
  const before = hashAt === -1 ? href : href.slice(0, hashAt);
  const queryAt = before.indexOf('?');
  return {
    path: queryAt === -1 ? before : before.slice(0, queryAt),
    query: queryAt === -1 ? '' : before.slice(queryAt),
    hash: hashAt === -1 ? '' : href.slice(hashAt + 1),
  };
}

/** Whether a destination is a URL with a scheme or a host. */
export const isExternal = (target: string): boolean => /^[a-z][a-z0-9+.-]*:|^\/\//i.test(target);

/** The destination with what the source captured; what a path captured cannot become a query or a fragment. */
function fillDestination(destination: string, captures: Captures): string {
  const encoded = new Map<string, string>();
  for (const [name, value] of captures) {
    const url = encodeURI(value.toWellFormed()).replace(/[?#]/g, encodeURIComponent);
    encoded.set(name, url);
  }
  return fillTarget(destination, encoded);
}

const withoutSlashes = (path: string): string => path.split('/').filter(Boolean).join('/');
const pageKey = (path: string): string => foldPath(entryPath(path.replace(/\.html$/i, '')));
