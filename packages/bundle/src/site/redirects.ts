import type { ManifestRedirect } from '../manifest.ts';

export interface RedirectTarget {
  /** Value of `Location`: a path below the base path, or an http(s) URL. */
  location: string;
  permanent: boolean;
}

/** Where a path (`/old/page`, decoded, no slash at the end) is redirected; null when it is not. */
export type FindRedirect = (path: string) => RedirectTarget | null;

export interface Redirects {
  /** From one path. */
  exact: FindRedirect;
  /** From every path of a form. For paths without a file: one rule may name more than what has moved. */
  pattern: FindRedirect;
}

const longestPath = 1024;
// more would make matching slower than the square of the length of the path
const mostSplats = 2;

interface Pattern {
  expression: RegExp;
  names: string[];
  redirect: ManifestRedirect;
}

/**
 * Redirects of a manifest. A source is a path, exact or with segments `:name` (one), `:name*` and `*` (any
 * number) and `part-*` (a part of one); the destination repeats them. The first that matches wins.
 */
export function createRedirects(redirects: readonly ManifestRedirect[], basePath: string): Redirects {
  const exact = new Map<string, ManifestRedirect>();
  const patterns: Pattern[] = [];
  for (const redirect of redirects) {
    const source = cleanPath(redirect.source);
    if (!/\*|\/:[A-Za-z_]/.test(source)) {
      if (!exact.has(source)) exact.set(source, redirect);
      continue;
    }
    const pattern = compile(source, redirect);
    if (pattern !== null) patterns.push(pattern);
  }
  const target = (destination: string, permanent: boolean, path: string): RedirectTarget | null => {
    const location = locationOf(destination, basePath);
    if (location === null || pageOf(location) === pageOf(locationOf(path, basePath) ?? '')) return null;
    return { location, permanent };
  };
  return {
    exact(path) {
      const known = exact.get(path);
      return known === undefined ? null : target(known.destination, known.permanent, path);
    },
    pattern(path) {
      if (path.length > longestPath) return null;
      for (const { expression, names, redirect } of patterns) {
        const match = expression.exec(path);
        if (match === null) continue;
        return target(fill(redirect.destination, names, match), redirect.permanent, path);
      }
      return null;
    },
  };
}

/** Equal for the addresses of one page: a redirect between them would come back for ever. */
function pageOf(location: string): string {
  return location.replace(/[?#].*$/s, '').replace(/(?:\/|\/index)?(?:\.html)?\/*$/, '');
}

function cleanPath(path: string): string {
  const clean = path.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  const decoded = decode(clean.startsWith('/') ? clean : `/${clean}`);
  return decoded === '' ? '/' : decoded;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function compile(source: string, redirect: ManifestRedirect): Pattern | null {
  const names: string[] = [];
  let splats = 0;
  let expression = '';
  for (const segment of source.split('/').slice(1)) {
    const [, name, star] = /^:([A-Za-z_][\w-]*)(\*?)$/.exec(segment) ?? [];
    const at = segment.indexOf('*');
    if (star === '*' || segment === '*') {
      splats++;
      names.push(name ?? '*');
      expression += '(?:/(.*))?';
    } else if (name !== undefined) {
      names.push(name);
      expression += '/([^/]+)';
    } else if (at < 0) {
      expression += `/${escapeExpression(segment)}`;
    } else {
      names.push('*');
      expression += `/${escapeExpression(segment.slice(0, at))}([^/]+)${escapeExpression(segment.slice(at + 1))}`;
    }
  }
  if (splats > mostSplats || names.length > 8) return null;
  return { expression: new RegExp(`^${expression}$`, 's'), names, redirect };
}

function fill(destination: string, names: readonly string[], match: RegExpExecArray): string {
  return destination.replace(/:([A-Za-z_][\w-]*)\*?|\*/g, (text, name: string | undefined) => {
    const place = names.indexOf(name ?? '*');
    return place < 0 ? text : encodeURI(match[place + 1] ?? '').replace(/[?#]/g, encodeURIComponent);
  });
}

/** A path stays on this site, whatever was put into it; a URL must be http or https. */
function locationOf(destination: string, basePath: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(destination)) {
    return /^https?:\/\//i.test(destination) ? (URL.parse(destination)?.href ?? null) : null;
  }
  const url = URL.parse(`${basePath}/${destination.replace(/^[/\\]+/, '')}`, 'http://site.invalid');
  return url === null ? null : url.pathname.replace(/^\/{2,}/, '/') + url.search + url.hash;
}

function escapeExpression(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
