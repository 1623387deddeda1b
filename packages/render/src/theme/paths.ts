/** URLs inside the output: every link is relative to the page, so that a site works under any path. */

/** `../` once per folder of the output file; empty for a file at the root. */
export function baseOf(output: string): string {
  let base = '';
  for (let at = output.indexOf('/'); at !== -1; at = output.indexOf('/', at + 1)) base += '../';
  return base;
}

/** An output path as a URL path: every segment percent-encoded, `/` kept. */
export function encodePath(path: string): string {
  return /^[\w./~-]*$/.test(path)
    ? path
    : path
        .toWellFormed()
        .split('/')
        .map((segment) => encodeURIComponent(segment).replaceAll('%40', '@').replaceAll('%2B', '+'))
        .join('/');
}

/** The way from one output file to another, without a detour by the root where both share folders. */
export function relativePath(from: string, to: string): string {
  let shared = 0;
  for (let at = 0; at < from.length; at++) {
    const code = from.charCodeAt(at);
    if (code !== to.charCodeAt(at)) break;
    if (code === SLASH) shared = at + 1;
  }
  return baseOf(from.slice(shared)) + to.slice(shared);
}

const SLASH = 47;

/** The link from one output file to another. */
export function relativeLink(from: string, to: string): string {
  const link = encodePath(relativePath(from, to));
  // A first segment with a colon would read as a scheme.
  return /^[^/]*:/.test(link) ? `./${link}` : link;
}

/** Absolute, extensionless URL of a page: for canonical links, the sitemap and feeds. */
export function publicUrl(siteUrl: string, path: string): string {
  return path === 'index' ? `${siteUrl}/` : `${siteUrl}/${encodePath(path.replace(/\/index$/, ''))}`;
}

/** Path of a base URL without a slash at its end: `/docs`, or empty. */
export function basePathOf(siteUrl: string): string {
  return siteUrl.replace(/^[a-z][\w+.-]*:\/\/[^/]*/i, '').replace(/\/+$/, '');
}

/** An absolute URL that a reader may follow from chrome (navbar, footer); null for any other scheme. */
export function externalUrl(href: string): string | null {
  const plain = href.replace(/[\u0000-\u0020\u007f]/g, '');
  if (/^(https?:\/\/|mailto:|tel:)/i.test(plain)) return plain;
  return plain.startsWith('//') ? `https:${plain}` : null;
}
