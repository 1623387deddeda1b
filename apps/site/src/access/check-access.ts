import { isOauthPath, isSignInPath, type Reader, readerOfCookies, verifyAccessToken } from '@offprint/bundle';
import type { AccessRequest, AccessSite } from './access.ts';
import { bearerOf, challengeOf, isMcpCall, oauthDocument } from './oauth.ts';

interface McpAwareRequest extends AccessRequest {
  /** It is a message to the MCP server. */
  isMcp: boolean;
}

export type AccessDecision =
  /**
   * The release for this reader responds (`releasesFor`). `reader`: null where nobody has signed in. `headers` replace
   * those of the same name.
   */
  | { kind: 'open'; reader: Reader | null; headers: Readonly<Record<string, string>> }
  /** The platform responds: `/login`, `/logout`, and what authorizes MCP clients. */
  | { kind: 'sign-in' }
  /** `/_offprint/reader.json`, and where MCP clients are authorized. */
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
  if (isRestricted && (isSignInPath(path, basePath) || isOauthPath(path, basePath)))
    return { kind: 'sign-in' };
  const document = isRestricted ? oauthDocument(site, request, path) : null;
  if (document !== null) return { kind: 'answer', ...documentAnswer(request.method, document) };
  const isMcp = isMcpCall(path, basePath, request);
  const reader = isRestricted ? readReader(access.cookieKey, site.host, { ...request, isMcp }, now) : null;
  if (path === basePath + READER_FILE)
    return { kind: 'answer', ...documentAnswer(request.method, aboutReader(reader)) };
  if (isRestricted && reader === null)
    return { kind: 'refused', reader: null, ...signInAnswer(site, { ...request, isMcp }) };
  return { kind: 'open', reader, headers: isRestricted ? PRIVATE_HEADERS : NO_HEADERS };
}

/** The reader whose cookie came with the request, or whose token came with one for the MCP server. */
function readReader(
  key: string,
  host: string,
  { headers, isSecure, isMcp }: McpAwareRequest,
  now: number,
): Reader | null {
  const token = isMcp ? bearerOf(headers) : null;
  return token === null
    ? (readerOfCookies(headers.cookie, { key, host, now, isSecure })?.reader ?? null)
    : verifyAccessToken(token, { cookieKey: key, host, now });
}

/** What scripts of pages may know of the reader. */
function aboutReader(reader: Reader | null): object {
  if (reader === null) return { signedIn: false, groups: [], content: {}, apiPlaygroundInputs: {} };
  const { expiresAt, groups, content, apiPlaygroundInputs } = reader;
  return { signedIn: true, expiresAt, groups, content, apiPlaygroundInputs };
}

function documentAnswer(method: string, document: object): ShortAnswer {
  const isRead = method === 'GET' || method === 'HEAD';
  return answerOf(isRead ? 200 : 405, `${JSON.stringify(document)}\n`, {
    'Content-Type': 'application/json; charset=utf-8',
    ...(isRead ? {} : { Allow: 'GET, HEAD' }),
  });
}

function signInAnswer(site: AccessSite, request: McpAwareRequest): ShortAnswer {
  const { basePath } = site;
  const login = `${basePath}/login`;
  if (!request.isMcp && isNavigation(request)) {
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
      'WWW-Authenticate': request.isMcp ? challengeOf(site, request) : 'Cookie',
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
