import { createHmac } from 'node:crypto';
import { type Reader, readKey, signReader, verifyReader } from './reader.ts';

/** The MCP server of a site, below its base path: the only thing that an access token is for. */
export const MCP_PATH = '/mcp';

/** Where MCP clients are authorized, below the base path. */
export const OAUTH_PATHS = {
  register: '/_offprint/oauth/register',
  authorize: '/_offprint/oauth/authorize',
  token: '/_offprint/oauth/token',
} as const;

/** Seconds that an access token is valid at most. */
export const MAX_TOKEN_SECONDS = 3_600;

/** Whether the path, which is without query, is one of `OAUTH_PATHS`. */
export function isOauthPath(pathname: string, basePath: string): boolean {
  return Object.values(OAUTH_PATHS).some((path) => pathname === basePath + path);
}

/** Scheme, host and port of a site as its readers know them. Only the port is taken from the header `Host`. */
export function originOfSite(host: string, header: string | undefined, isSecure: boolean): string {
  const scheme = isSecure ? 'https' : 'http';
  const text = `${scheme}://${header ?? host}`;
  const named = URL.canParse(text) ? new URL(text) : null;
  return named?.hostname === host ? named.origin : `${scheme}://${host}`;
}

/**
 * A key for one purpose, made from the key of the cookies of a host: what is made with one is never accepted for another
 * purpose, and everything ends when readers are signed out.
 */
export function oauthKeyOf(cookieKey: string, purpose: 'access tokens' | 'codes'): Buffer {
  return createHmac('sha256', readKey(cookieKey)).update(`oauth ${purpose}`).digest();
}

/**
 * An access token for the MCP server of a host, with the groups of a reader. It ends with the session of the reader, and
 * after an hour. Null if it would be longer than a cookie. `now`: milliseconds since 1970.
 */
export function signAccessToken(
  { subject, host, groups, expiresAt }: Pick<Reader, 'subject' | 'host' | 'groups' | 'expiresAt'>,
  { cookieKey, now }: { cookieKey: string; now: number },
): { value: string; seconds: number } | null {
  const start = Math.floor(now / 1000);
  const end = Math.min(expiresAt, start + MAX_TOKEN_SECONDS);
  const reader = { subject, host, groups, expiresAt: end, content: {}, apiPlaygroundInputs: {} };
  const value = signReader(reader, tokenKeyOf(cookieKey));
  return value === null ? null : { value, seconds: Math.floor(end - start) };
}

/** The reader whom an access token names; null if it is not valid for this host now. */
export function verifyAccessToken(
  value: string,
  { cookieKey, host, now }: { cookieKey: string; host: string; now: number },
): Reader | null {
  return verifyReader(value, { key: tokenKeyOf(cookieKey), host, now });
}

const tokenKeyOf = (cookieKey: string): string =>
  oauthKeyOf(cookieKey, 'access tokens').toString('base64url');
