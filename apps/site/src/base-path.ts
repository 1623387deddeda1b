/**
 * Normalizes a base path: `/docs` for `docs`, `/docs/` and `/docs`; empty for the root. Throws a RangeError.
 */
export function cleanBasePath(text: string): string {
  const segments = text.split('/').filter((segment) => segment !== '');
  if (segments.some((segment) => !/^[A-Za-z0-9._~-]+$/.test(segment) || /^\.+$/.test(segment))) {
    throw new RangeError(`Invalid base path ${JSON.stringify(text)}. Use a path such as /docs.`);
  }
  const path = segments.map((segment) => `/${segment}`).join('');
  if (path.length > 200) throw new RangeError('The base path is longer than 200 characters.');
  return path;
}
