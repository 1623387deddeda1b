import type { ManifestRedirect } from '@offprint/bundle';

export interface RedirectTarget {
  /** Value of `Location`: a path below the base path, or an http(s) URL. */
  location: string;
  permanent: boolean;
}

/** Where a path (`/old/page`, decoded, no slash at the end) is redirected; null when it is not. */
export type FindRedirect = (path: string) => RedirectTarget | null;

const longestPath = 1024;
// more would make matching slower than the square of the length of the path
const mostSplats = 2;

interface Pattern {
  expression: RegExp;
  names: string[];
  redirect: ManifestRedirect;
}

/**
 * Redirects of a manifest. A source is a path, exact or with `:name` (within a segment), `:name*` and `*`
 * (anything); the destination repeats them. The first that matches wins; exact ones come first.
 */
export function createRedirects(redirects: readonly ManifestRedirect[], basePath: string): FindRedirect {
  const exact = new Map<string, ManifestRedirect>();
  const patterns: Pattern[] = [];
  for (const redirect of redirects) {
    const source = cleanPath(redirect.source);
    if (!/[:*]/.test(source)) {
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
  return (path) => {
    const known = exact.get(path);
    if (known !== undefined) return target(known.destination, known.permanent, path);
    if (path.length > longestPath) return null;
    for (const { expression, names, redirect } of patterns) {
      const match = expression.exec(path);
      if (match !== null) return target(fill(redirect.destination, names, match), redirect.permanent, path);
    }
    return null;
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

const placeholder = /:([A-Za-z_]\w*)(\*)?|\*/g;

function compile(source: string, redirect: ManifestRedirect): Pattern | null {
  const names: string[] = [];
  let splats = 0;
  let expression = '';
  let from = 0;
  for (const match of source.matchAll(placeholder)) {
    expression += escapeExpression(source.slice(from, match.index));
    from = match.index + match[0].length;
    const isSplat = match[1] === undefined || match[2] !== undefined;
    if (isSplat) splats++;
    names.push(match[1] ?? '*');
    expression += isSplat ? '(.*)' : '([^/]+)';
  }
  if (splats > mostSplats || names.length > 8) return null;
  expression += escapeExpression(source.slice(from));
  return { expression: new RegExp(`^${expression}$`, 's'), names, redirect };
}

function fill(destination: string, names: readonly string[], match: RegExpExecArray): string {
  return destination.replace(placeholder, (text, name: string | undefined) => {
    const place = names.indexOf(name ?? '*');
    return place < 0 ? text : encodeURI(match[place + 1] ?? '');
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
