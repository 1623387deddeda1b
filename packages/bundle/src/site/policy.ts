/**
 * Content security policies of exported sites. An export writes them into its pages and into `_headers`; the site
 * server, previews and `offprint dev` send them. All of them let pages load files of their own site only: nothing that
 * docs.json can set up loads anything from another host.
 */

/** Stands for the site in a policy. */
export interface PolicySources {
  /** Origin of its own files. Default: its origin. */
  own?: string;
  /** Sites that may embed it in a frame. Default: itself. */
  ancestors?: string;
}

/** The policy that servers send: own files, no inline scripts, no embedding by other sites. */
export function sitePolicy({ own = "'self'", ancestors = own }: PolicySources = {}): string {
  return [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${own}`,
    "style-src-attr 'unsafe-inline'",
    `img-src ${own} data:`,
    `font-src ${own} data:`,
    `media-src ${own}`,
    `connect-src ${own}`,
    `frame-src ${own}`,
    `manifest-src ${own}`,
    "base-uri 'none'",
    `form-action ${own}`,
    `frame-ancestors ${ancestors}`,
    "object-src 'none'",
  ].join('; ');
}

/**
 * The policy inside each page, for files on disk and hosts that send none. It is in every page, so it is short: what it
 * does not name is `default-src`. Browsers apply both policies where there are two. This one allows style elements that
 * scripts of the docs create, because no style can load more than `img-src`, `font-src` and `style-src` allow. A `meta`
 * element cannot say `frame-ancestors`.
 */
export const pagePolicy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join(';');

/** For files that could run scripts on the site's origin when they are opened directly. */
export const documentPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
