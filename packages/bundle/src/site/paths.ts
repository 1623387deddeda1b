import type { ManifestRedirect } from '../manifest.ts';
import { createRedirects, type RedirectTarget, withoutSlashes } from './redirects.ts';

/** What is at a path of the site. */
export type Found<File> =
  | { kind: 'file'; file: File }
  | ({ kind: 'redirect' } & RedirectTarget)
  | { kind: 'missing' }
  /** The path is not valid percent-encoding. */
  | { kind: 'malformed' };

// A value of a pattern must not be one of these: it would leave the folder that the destination names.
const hasDotSegment = /(?:^|[/\\])\.\.?(?:[/\\]|$)/;

/** Rules of the site for its host, which a host reads and does not serve. */
const hostFiles = /^(?:_headers|_redirects|_offprint\/redirects(?:\.json|\/.*))$/s;

/** Whether a file is for the host and not served. */
export const isHostFile = (path: string): boolean => hostFiles.test(path);

/** Steps of a search: it asks for the file at a path of the bundle (NFC) and is given it, if there is one. */
export type PathSearch<File> = Generator<string, Found<File>, File | undefined>;

/**
 * Finds the file or redirect for a request path (`/docs/guides/start?x`). Only files in the manifest can be
 * found. A page `guides/start.html` is at `/guides/start` and at its file name; `/guides/start/` redirects to
 * the former and `/guides` to `/guides/` if only `guides/index.html` exists, so that relative links work.
 */
export function createPaths<File extends { path: string }>(
  manifest: { files: readonly File[]; redirects: readonly ManifestRedirect[] },
  basePath: string,
): (target: string) => Found<File> {
  const files = new Map(manifest.files.map((file) => [file.path.normalize('NFC'), file]));
  const search = createPathSearch<File>(manifest.redirects, basePath);
  return (target) => {
    const steps = search(target);
    let step = steps.next();
    while (step.done !== true) step = steps.next(files.get(step.value));
    return step.value;
  };
}

/** As `createPaths`, for a list of files that is not in memory: the caller looks up each path. */
export function createPathSearch<File>(
  rules: readonly ManifestRedirect[],
  basePath: string,
): (target: string) => PathSearch<File> {
  const redirects = createRedirects(rules, basePath);

  /** A redirect of a page applies to its Markdown copy, too: to the copy of where it leads, else to that page. */
  function* copyRedirect(source: string): Generator<string, RedirectTarget | null, File | undefined> {
    if (!source.endsWith('.md')) return null;
    const page = source.slice(0, -'.md'.length);
    const redirect = redirects.exact(page) ?? redirects.pattern(page);
    if (redirect === null || !redirect.location.startsWith(`${basePath}/`)) return redirect;
    const { location } = redirect;
    const path = location.replace(/[?#].*$/s, '');
    const copy = `${decode(path.slice(basePath.length + 1)) ?? ''}.md`;
    const file = yield* fileNamed<File>(copy.normalize('NFC'));
    return file === undefined ? redirect : { ...redirect, location: `${path}.md` };
  }

  return function* (target) {
    const [address, query] = splitQuery(target);
    const decoded = decode(address);
    if (decoded === null) return { kind: 'malformed' };
    if (hasDotSegment.test(decoded)) return { kind: 'missing' };
    if (basePath !== '' && decoded === basePath) return moved(`${basePath}/${query}`);
    if (!decoded.startsWith(`${basePath}/`)) return { kind: 'missing' };
    const path = decoded.slice(basePath.length + 1).normalize('NFC');
    const page = withoutSlashes(path).replace(/\.html$/, '');
    const source = `/${page === 'index' ? '' : page}`;
    const exact = redirects.exact(source);
    if (exact !== null) return { kind: 'redirect', ...withQuery(exact, query) };
    const found = yield* findFile<File>(path);
    if (typeof found === 'string') return moved(`${basePath}/${encodePath(found)}${query}`);
    if (found !== undefined) return fileAt(found.file, address);
    const pattern = redirects.pattern(source) ?? (yield* copyRedirect(source));
    return pattern === null ? { kind: 'missing' } : { kind: 'redirect', ...withQuery(pattern, query) };
  };
}

/** The path and the query of a request target. */
function splitQuery(target: string): [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark)];
}

/** Relative links of a page that is requested as `a%2Fb` would lead elsewhere. */
function fileAt<File>(file: File, address: string): Found<File> {
  return /%2f/i.test(address) ? { kind: 'missing' } : { kind: 'file', file };
}

/** The file at a path; or the path where it is, if its relative links would not work at this one. */
function* findFile<File>(
  path: string,
): Generator<string, { file: File } | string | undefined, File | undefined> {
  const clean = withoutSlashes(path);
  const isFolder = path === '' || clean !== path;
  const exact = yield* fileNamed<File>(isFolder ? `${clean}${clean === '' ? '' : '/'}index.html` : path);
  if (exact !== undefined && (clean === '' || path === clean || path === `${clean}/`)) return { file: exact };
  const named = yield* fileNamed<File>(`${clean}.html`);
  if (named !== undefined) return isFolder ? clean : { file: named };
  const folder = clean.replace(/\/index(?:\.html)?$/, '');
  if (folder !== clean && (yield* fileNamed<File>(`${folder}.html`)) !== undefined) return folder;
  return (yield* fileNamed<File>(`${clean}/index.html`)) !== undefined ? `${clean}/` : undefined;
}

function* fileNamed<File>(path: string): Generator<string, File | undefined, File | undefined> {
  return isHostFile(path) ? undefined : yield path;
}

function moved(location: string): { kind: 'redirect' } & RedirectTarget {
  return { kind: 'redirect', location: location.replace(/^\/{2,}/, '/'), permanent: true };
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

function encodePath(path: string): string {
  return path
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^\/{2,}/, '/');
}

/** The query string is kept, unless the destination has its own. */
function withQuery(redirect: RedirectTarget, query: string): RedirectTarget {
  if (query === '' || redirect.location.includes('?')) return redirect;
  const [path, fragment] = redirect.location.split('#', 2);
  return { ...redirect, location: `${path}${query}${fragment === undefined ? '' : `#${fragment}`}` };
}
