/**
 * Content security policies of exported sites. An export writes them into its pages and into `_headers`; the site
 * server, previews and `offprint dev` send them. All of them let pages load files of their own site only: nothing that
 * docs.json can set up loads anything from another host. Only a page with a playground may send requests to the servers
 * that its API description names.
 */

/** Stands for the site in a policy. */
export interface PolicySources {
  /** Origin of its own files. Default: its origin. */
  own?: string;
  /** Sites that may embed it in a frame. Default: itself. */
  ancestors?: string;
  /** Origins of APIs to which pages send requests. Default: none. */
  connect?: readonly string[];
}

const ORIGIN =
  /^(?:https?|wss?):\/\/(?:\[[0-9a-f:]+\]|(?:\*\.(?=[a-z0-9-]+\.[a-z]))?(?:[a-z0-9-]+\.)*[a-z0-9-]+)(?::\d{1,5})?$/;
/** A host has at most 253 characters. */
const MAX_ORIGIN = 270;

/**
 * Whether a policy can name an origin: `https://api.example.com`, `https://*.example.com:8443`. A wildcard is not all
 * hosts of a top-level domain.
 */
export function isConnectOrigin(text: string): boolean {
  return text.length <= MAX_ORIGIN && ORIGIN.test(text);
}

/** Characters of all origins of a site: the policy is a header, and many servers accept 8 kB of headers. */
const MAX_CONNECT_LENGTH = 4000;

/** The first origins that fit into the policy of a site. */
export function fittingOrigins(origins: readonly string[]): string[] {
  let length = 0;
  return origins.filter((origin) => {
    length += origin.length + 1;
    return length <= MAX_CONNECT_LENGTH;
  });
}

/** The policy that servers send: own files, no inline scripts, no embedding by other sites. */
export function sitePolicy({ own = "'self'", ancestors = own, connect = [] }: PolicySources = {}): string {
  return [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${own}`,
    "style-src-attr 'unsafe-inline'",
    `img-src ${own} data:`,
    `font-src ${own} data:`,
    `media-src ${own}${connect.length === 0 ? '' : ' blob:'}`,
    `connect-src ${[own, ...connect].join(' ')}`,
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

/** {@link pagePolicy} for a page that sends requests to these origins and shows what they return. */
export function connectedPolicy(connect: readonly string[]): string {
  if (connect.length === 0) return pagePolicy;
  return `${pagePolicy};connect-src 'self' ${connect.join(' ')};media-src 'self' blob:`;
}
