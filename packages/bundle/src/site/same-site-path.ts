const NOWHERE = 'http://site.invalid';
const MAX_LENGTH = 2_000;

/**
 * The path with query and fragment to which a site may redirect; the start of the site for anything that leaves the
 * site, leaves its base path or leads to its sign-in again. Browsers decide the host of a redirect by the URL standard,
 * so its parser decides here too.
 */
export function sameSitePath(given: string | null | undefined, basePath: string): string {
  const start = `${basePath}/`;
  if (given === null || given === undefined || given.length > MAX_LENGTH || !given.startsWith('/'))
    return start;
  if (!URL.canParse(given, NOWHERE)) return start;
  const url = new URL(given, NOWHERE);
  const { origin, pathname, search, hash } = url;
  // `/..//host` is a path of this site to the parser, and its result `//host` is another site to the browser
  if (origin !== NOWHERE || url.username !== '' || pathname.startsWith('//')) return start;
  if (pathname !== basePath && !pathname.startsWith(start)) return start;
  if (isSignInPath(pathname, basePath)) return start;
  return pathname + search + hash;
}

/** Whether the sign-in of the site handles the path, which is without query: `/login` and below, `/logout`. */
export function isSignInPath(pathname: string, basePath: string): boolean {
  if (!pathname.startsWith(`${basePath}/`)) return false;
  const path = pathname.slice(basePath.length);
  return path === '/login' || path === '/logout' || path.startsWith('/login/');
}
