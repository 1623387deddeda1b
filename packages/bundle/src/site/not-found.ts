/** Path of a URL without a trailing slash: `/docs`, or empty for the root and for invalid URLs. */
export function basePathOf(url: string): string {
  return (URL.parse(url)?.pathname ?? '').replace(/\/+$/, '');
}

/**
 * The 404 page of a site, for a server that serves the site below `basePath`. It is shown at any depth, so
 * its links start with the path of `siteUrl`, for which it was written.
 */
export function moveNotFoundPage(page: string, siteUrl: string, basePath: string): string {
  const [from, to] = [basePathOf(siteUrl), basePath].map(escapeAttribute) as [string, string];
  if (from === to) return page;
  return page.replace(/<[a-z][^<>]*>/gi, (tag) =>
    tag.replace(/ (href|src|poster|action)="(\/(?!\/)[^"]*)"/gi, (text, name: string, address: string) =>
      `${address}/`.startsWith(`${from}/`) ? ` ${name}="${to}${address.slice(from.length) || '/'}"` : text,
    ),
  );
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
