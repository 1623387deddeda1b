import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { AppError } from './error.ts';

/**
 * The cookie that holds the token of a session. Over https its name has the prefix `__Host-`, with which browsers
 * take it from this host alone, for every path, and send it encrypted only (RFC 6265bis, section 4.1.3).
 */
export interface SessionCookie {
  name: string;
  read(request: FastifyRequest): string | undefined;
  /** Value of the Set-Cookie header; null removes the cookie. */
  write(session: { token: string; expiresAt: Date } | null): string;
}

const NAME = 'offprint_session';
const TOKEN = /^[A-Za-z0-9_-]{20,100}$/;

export function createSessionCookie(https: boolean): SessionCookie {
  const name = https ? `__Host-${NAME}` : NAME;
  // Strict: pages of other sites never speak for somebody, not even by a link.
  const attributes = { name, path: '/', httpOnly: true, sameSite: 'strict', secure: https } as const;
  return {
    name,
    read(request) {
      const token = parseCookie(request.headers.cookie ?? '')[name];
      return token !== undefined && TOKEN.test(token) ? token : undefined;
    },
    write: (session) =>
      session === null
        ? stringifySetCookie({ ...attributes, value: '', maxAge: 0 })
        : stringifySetCookie({ ...attributes, value: session.token, expires: session.expiresAt }),
  };
}

/**
 * Throws the 403 for a request that a page of another site caused. Browsers report it in Sec-Fetch-Site
 * (Fetch Metadata) and in Origin, which they send with every request that can change something; a request
 * without either is not from a browser and may only read. `ownOrigin`: where the dashboard is, when that is
 * configured.
 */
export function requireSameSite(request: FastifyRequest, ownOrigin: string | undefined): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const isOwn =
    origin === undefined
      ? site === 'same-origin' ||
        (site === undefined && isRead(request)) ||
        (site === 'none' && isRead(request))
      : (site === undefined || site === 'same-origin') && isOwnOrigin(origin, request, ownOrigin);
  if (isOwn) return;
  throw new AppError('cross_site', refusalText(origin, site, ownOrigin));
}

function refusalText(origin: string | undefined, site: unknown, ownOrigin: string | undefined): string {
  if (origin === undefined && site === undefined)
    return 'With a session, a request that changes something needs the header Origin with the URL of the platform, as browsers send it. Send the header, or use an API key.';
  // The browser has compared the page with the URL of the request: only the setting differs.
  if (site === 'same-origin' && origin !== undefined && ownOrigin !== undefined)
    return `The dashboard was opened at another URL than ${ownOrigin}, which OFFPRINT_PUBLIC_URL names. Open it there, or correct the setting.`;
  return 'A page of another site sent this request, so it is not authorized. Use the dashboard, or an API key.';
}

function isRead(request: FastifyRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

function isOwnOrigin(origin: string, request: FastifyRequest, ownOrigin: string | undefined): boolean {
  if (ownOrigin !== undefined) return origin === ownOrigin;
  // Without a configured address, the host that the browser asked for; a proxy may have ended its TLS.
  return URL.canParse(origin) && new URL(origin).host === request.headers.host;
}
