import type { IncomingHttpHeaders } from 'node:http';
import {
  isSignInPath,
  MAX_READER_COOKIE,
  type Reader,
  readerCookieName,
  verifyReader,
} from '@offprint/bundle';
import type { Access } from './access.ts';

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

export type AccessDecision =
  /**
   * The release for this reader responds (`releasesFor`). `reader`: null where nobody has signed in. `headers` replace
   * those of the same name.
   */
  | { kind: 'open'; reader: Reader | null; headers: Readonly<Record<string, string>> }
  /** The platform responds: `/login`, `/logout`. */
  | { kind: 'sign-in' }
  /** `/_offprint/reader.json`. */
  | ({ kind: 'answer' } & ShortAnswer)
  /** Nobody has signed in: only what is open to everyone may be sent instead of this. */
  | ({ kind: 'refused'; reader: null } & ShortAnswer);

/** A response of a few kilobytes. */
export interface ShortAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Responses differ from reader to reader: no cache may keep them, and shared ones must not mix them up. */
export const PRIVATE_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-store',
  Vary: 'Cookie, Accept, Accept-Encoding',
};

const NO_HEADERS: Readonly<Record<string, string>> = {};
const READER_FILE = '/_offprint/reader.json';
const MAX_NEXT = 2_000;

/**
 * Decides about a request before anything of the release is looked up, so that neither the response nor its time depends
 * on whether a file exists. Any method, conditional or ranged.
 */
export function checkAccess(site: AccessSite, request: AccessRequest, now = Date.now()): AccessDecision {
  const { access, basePath } = site;
  const path = pathOf(request.target);
  const isRestricted = access.kind !== 'public';
  if (isRestricted && isSignInPath(path, basePath)) return { kind: 'sign-in' };
  const reader = isRestricted ? readReader(access.cookieKey, site.host, request, now) : null;
  if (path === basePath + READER_FILE) return { kind: 'answer', ...readerAnswer(request.method, reader) };
  if (isRestricted && reader === null)
    return { kind: 'refused', reader: null, ...signInAnswer(site, request) };
  return { kind: 'open', reader, headers: isRestricted ? PRIVATE_HEADERS : NO_HEADERS };
}

/** The reader whose cookie came with the request. Of several, which parents of the host can set, the first valid one. */
function readReader(key: string, host: string, request: AccessRequest, now: number): Reader | null {
  const { cookie } = request.headers;
  if (cookie === undefined) return null;
  const prefix = `${readerCookieName(request.isSecure)}=`;
  for (const part of cookie.split(';', 50)) {
    const pair = part.trim();
    if (!pair.startsWith(prefix) || pair.length > prefix.length + MAX_READER_COOKIE) continue;
    const reader = verifyReader(pair.slice(prefix.length), { key, host, now });
    if (reader !== null) return reader;
  }
  return null;
}

/** What scripts of pages may know of the reader. */
function readerAnswer(method: string, reader: Reader | null): ShortAnswer {
  const known =
    reader === null
      ? { signedIn: false, groups: [], content: {}, apiPlaygroundInputs: {} }
      : {
          signedIn: true,
          expiresAt: reader.expiresAt,
          groups: reader.groups,
          content: reader.content,
          apiPlaygroundInputs: reader.apiPlaygroundInputs,
        };
  const isRead = method === 'GET' || method === 'HEAD';
  return answerOf(isRead ? 200 : 405, `${JSON.stringify(known)}\n`, {
    'Content-Type': 'application/json; charset=utf-8',
    ...(isRead ? {} : { Allow: 'GET, HEAD' }),
  });
}

function signInAnswer({ basePath }: AccessSite, request: AccessRequest): ShortAnswer {
  const login = `${basePath}/login`;
  if (isNavigation(request)) {
    const next = originForm(request.target);
    const query = next.length > MAX_NEXT ? '' : `?next=${encodeURIComponent(next)}`;
    return answerOf(302, 'Sign in to read this site.\n', {
      'Content-Type': 'text/plain; charset=utf-8',
      Location: login + query,
    });
  }
  const wantsJson = /\bjson\b/i.test(request.headers.accept ?? '');
  const error = { error: 'Sign in to read this site.', code: 'sign_in_required', signIn: login };
  return answerOf(
    401,
    wantsJson ? `${JSON.stringify(error)}\n` : `Sign in at ${login} to read this site.\n`,
    {
      'Content-Type': `${wantsJson ? 'application/json' : 'text/plain'}; charset=utf-8`,
      'WWW-Authenticate': 'Cookie',
    },
  );
}

function answerOf(status: number, body: string, headers: Record<string, string>): ShortAnswer {
  return {
    status,
    body,
    headers: {
      ...headers,
      ...PRIVATE_HEADERS,
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
      'Referrer-Policy': 'same-origin',
    },
  };
}

/** Whether a person follows a link, and not a script or an agent fetches. */
function isNavigation({ method, headers }: AccessRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const mode = headers['sec-fetch-mode'];
  if (mode !== undefined) return mode === 'navigate';
  return /\btext\/html\b/i.test(headers.accept ?? '');
}

/** The path and query of a request target, also of one with scheme and host, as proxies send it. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  return target.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

function pathOf(target: string): string {
  const form = originForm(target);
  const end = form.search(/[?#]/);
  return end < 0 ? form : form.slice(0, end);
}
