import type { ManifestRedirect } from '../manifest.ts';

export interface RedirectTarget {
  /** Value of `Location`: a path below the base path, or an http(s) URL. */
  location: string;
  permanent: boolean;
}

/** The redirect of a path (`/old/page`, decoded, no trailing slash); null if none exists. */
export type FindRedirect = (path: string) => RedirectTarget | null;

export interface Redirects {
  /** From one path. */
  exact: FindRedirect;
  /**
   * Redirects by pattern. They apply to paths without a file: one rule may cover more than what has moved.
   */
  pattern: FindRedirect;
}

const longestPath = 1024;
// with two, the segments between them have one possible position; more would need every combination
const maxSplats = 2;
const maxNames = 8;
// Segments that are compared for one path, a few milliseconds: manifests are not trusted. Thousands of
// patterns of a usual form stay far below.
const maxSteps = 100_000;

/** One segment of a source; the part between `before` and `after` is a value of at least one character. */
type Segment = { literal: string } | { before: string; after: string };

interface Pattern {
  /** The segments around the splats: one more run than there are splats. */
  runs: Segment[][];
  names: string[];
  redirect: ManifestRedirect;
}

/** Rest of the budget `maxSteps`. */
interface Budget {
  steps: number;
}

/**
 * Redirects of a manifest. A source is a path, exact or with segments `:name` (one), `:name*` and `*` (any
 * number) and `part-*` (a part of one); the destination repeats them. The first match wins.
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
  const target = (destination: string, permanent: boolean, path: string, rule = destination) => {
    const location = locationOf(destination, basePath, siteOf(rule));
    if (location === null || pageOf(location) === pageOf(locationOf(path, basePath, null) ?? '')) return null;
    return { location, permanent };
  };
  return {
    exact(path) {
      const known = exact.get(path);
      return known === undefined ? null : target(known.destination, known.permanent, path);
    },
    pattern(path) {
      if (path.length > longestPath) return null;
      const segments = path.split('/').slice(1);
      const budget = { steps: maxSteps };
      for (const { runs, names, redirect } of patterns) {
        const values = match(runs, segments, budget);
        if (budget.steps <= 0) return null;
        if (values !== null)
          return target(
            fill(redirect.destination, names, values),
            redirect.permanent,
            path,
            redirect.destination,
          );
      }
      return null;
    },
  };
}

/** Equal for the URLs of one page: a redirect between them would loop forever. */
function pageOf(location: string): string {
  return withoutSlashes(location.replace(/[?#].*$/s, ''))
    .replace(/\.html$/, '')
    .replace(/\/(?:index)?$/, '');
}

function cleanPath(path: string): string {
  const clean = withoutSlashes(path.replace(/[?#].*$/s, ''));
  const decoded = decode(clean.startsWith('/') ? clean : `/${clean}`);
  return decoded === '' ? '/' : decoded;
}

/** Removes trailing slashes. A regular expression would take quadratic time. */
export function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
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
  let run: Segment[] = [];
  const runs: Segment[][] = [run];
  for (const segment of source.split('/').slice(1)) {
    const [, name, star] = /^:([A-Za-z_][\w-]*)(\*?)$/.exec(segment) ?? [];
    const at = segment.indexOf('*');
    if (star === '*' || segment === '*') {
      names.push(name ?? '*');
      run = [];
      runs.push(run);
    } else if (name !== undefined) {
      names.push(name);
      run.push({ before: '', after: '' });
    } else if (at < 0) {
      run.push({ literal: segment });
    } else {
      names.push('*');
      run.push({ before: segment.slice(0, at), after: segment.slice(at + 1) });
    }
  }
  if (runs.length > maxSplats + 1 || names.length > maxNames) return null;
  return { runs, names, redirect };
}

/**
 * The values of a pattern in a path, in the order of its names; null if it does not match, or the budget is
 * used up. The first splat is greedy.
 */
function match(runs: readonly Segment[][], path: readonly string[], budget: Budget): string[] | null {
  budget.steps -= 1;
  const [first = [], ...rest] = runs;
  const last = rest.pop();
  const head = matchRun(first, path, 0, budget);
  if (head === null) return null;
  if (last === undefined) return first.length === path.length ? head : null;
  const end = path.length - last.length;
  const tail = end < first.length ? null : matchRun(last, path, end, budget);
  if (tail === null) return null;
  const [middle] = rest;
  if (middle === undefined) return [...head, path.slice(first.length, end).join('/'), ...tail];
  for (let at = end - middle.length; at >= first.length && budget.steps > 0; at--) {
    const values = matchRun(middle, path, at, budget);
    if (values === null) continue;
    const [before, after] = [path.slice(first.length, at), path.slice(at + middle.length, end)];
    return [...head, before.join('/'), ...values, after.join('/'), ...tail];
  }
  return null;
}

/** The values of consecutive segments from `at` on; null if they do not match. */
function matchRun(
  run: readonly Segment[],
  path: readonly string[],
  at: number,
  budget: Budget,
): string[] | null {
  const values: string[] = [];
  for (const [index, wanted] of run.entries()) {
    budget.steps -= 1;
    const segment = path[at + index];
    if (segment === undefined) return null;
    if ('literal' in wanted) {
      if (segment !== wanted.literal) return null;
      continue;
    }
    const { before, after } = wanted;
    const end = segment.length - after.length;
    if (end <= before.length || !segment.startsWith(before) || !segment.endsWith(after)) return null;
    values.push(segment.slice(before.length, end));
  }
  return values;
}

function fill(destination: string, names: readonly string[], values: readonly string[]): string {
  return destination.replace(/:([A-Za-z_][\w-]*)\*?|\*/g, (text, name: string | undefined) => {
    const place = names.indexOf(name ?? '*');
    return place < 0 ? text : encodeURI(values[place] ?? '').replace(/[?#]/g, encodeURIComponent);
  });
}

/** Scheme and host of a destination, as written; null for a path. */
function siteOf(rule: string): string | null {
  return /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*)?/i.exec(rule)?.[0] ?? null;
}

/**
 * A path stays on this site, whatever its values are, even if the result looks like a URL. A URL must be http
 * or https and lead to `site`, the one of its rule.
 */
function locationOf(destination: string, basePath: string, site: string | null): string | null {
  if (site !== null) {
    const url = /^https?:\/\//i.test(site) ? URL.parse(destination) : null;
    return url !== null && url.origin === URL.parse(site)?.origin ? url.href : null;
  }
  // parsed without the base path, which dot segments of a destination could otherwise leave
  const path = destination.replace(/[\t\n\r]/g, '').replace(/^[/\\]+/, '');
  const url = URL.parse(`/${path}`, 'http://site.invalid');
  return url === null ? null : basePath + url.pathname.replace(/^\/{2,}/, '/') + url.search + url.hash;
}
