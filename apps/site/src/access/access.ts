import type { IncomingHttpHeaders } from 'node:http';

/** The readers of a site, as the platform lists them. */
export type Access =
  | { kind: 'public' }
  | {
      kind: 'password' | 'members' | 'oidc' | 'token';
      /** 32 bytes, base64url: signs the cookies of readers of this host. A new key signs everyone out. */
      cookieKey: string;
    };

/** The part of a site that decides about its readers. */
export interface AccessSite {
  /** As the platform lists it: lower case, without port. */
  host: string;
  /** `/docs`, or empty for the root. */
  basePath: string;
  access: Access;
}

export interface AccessRequest {
  method: string;
  /** Request target: path and query. */
  target: string;
  headers: IncomingHttpHeaders;
  /** Whether the reader's connection is encrypted, also where a proxy ends TLS. */
  isSecure: boolean;
}
