import { isOauthPath, OAUTH_PATHS, originOfSite } from '@offprint/bundle';
import type { ReaderAccessKind } from '@offprint/contract';
import type { Kysely } from 'kysely';
import { matchesPassword, ProviderError } from '../accounts/service.ts';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import { callerOf } from '../platform/http/rate-limit.ts';
import { createSharedRateLimiter, type RateStore } from '../platform/http/shared-rate-limit.ts';
import type { Logger } from '../platform/log.ts';
import { recordGroups } from './groups.ts';
import { type FindSite, memberSignIn, redeemCode } from './members.ts';
import { respondOauth } from './oauth.ts';
import { type Providers, userOfClaims } from './oidc.ts';
import { loginsPage, messagePage, passwordPage, tokenPage } from './page.ts';
import { cookieKeyOf, DEFAULT_KIND } from './settings.ts';
import { findAccess, type SiteKey, useOnce } from './store.ts';
import { readToken, type TokenFault } from './token.ts';
import type { UserData } from './user-data.ts';
import {
  isForeignForm,
  loginPath,
  nextOf,
  readPending,
  redirect,
  removePending,
  removeReader,
  type SignInRequest,
  type SignInResponse,
  type Visit,
  writePending,
  writeReader,
} from './visit.ts';

export interface SignInAdapters {
  db: Kysely<Database>;
  log: Logger;
  /** 32 bytes: seals what browsers keep, and derives the keys of cookies. */
  key: Buffer;
  findSite: FindSite;
  providers: Providers;
  /** The groups of a reader have not occurred before: the site may need another release. */
  onNewGroups: (site: SiteKey) => Promise<void>;
  /** Origin of the dashboard, where members are signed in. */
  publicUrl: () => string;
  /** Counts tries for all processes; null: this one counts alone. */
  rates: RateStore | null;
  now?: () => number;
}

/** Responds to what readers request below `/login`, to `/logout`, and to what authorizes MCP clients. */
export type SignIn = (request: SignInRequest) => Promise<SignInResponse>;

/** Requests and tries of one IP address at one site, and tries at one site, per minute. */
const REQUESTS = 60;
const TRIES = 10;
const TRIES_OF_SITE = 300;

/** Members sign in again without a form, so that who has left the organization is out soon. */
const MEMBER_HOURS = 8;

export function createSignIn(adapters: SignInAdapters): SignIn {
  const limits = createLimits(adapters.rates);
  return async (request) => {
    const visit = await openVisit(adapters, request);
    if (visit === undefined) return refusal(request.host, 404, 'No site is served here.');
    try {
      const wait = await limits.wait(visit);
      if (wait > 0) return tooMany(visit, wait);
      if (isForm(visit) && isForeignForm(visit)) return refusal(visit.site.host, 403, FOREIGN_FORM);
      return await respond(adapters, visit);
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 503) throw error;
      const options = { status: 503, headers: { 'Retry-After': '5' } };
      return messagePage(visit.site.host, 'Try again', error.message, againLink(visit), options);
    }
  };
}

/** Whether a page of a browser sends the request. The other requests of MCP clients need no cookie, and read none. */
const isForm = ({ isPost, path }: Visit): boolean =>
  isPost && path !== OAUTH_PATHS.register && path !== OAUTH_PATHS.token;

const FOREIGN_FORM = 'A page of another site sent this form. Open this site and sign in there.';

const HANDLERS: Readonly<
  Record<
    Exclude<ReaderAccessKind, 'public'>,
    Readonly<
      Record<string, (adapters: SignInAdapters, visit: Visit) => SignInResponse | Promise<SignInResponse>>
    >
  >
> = {
  password: { 'GET /login': showPassword, 'POST /login': checkPassword },
  members: { 'GET /login': startMember, 'GET /login/members': finishMember },
  oidc: { 'GET /login': startProvider, 'GET /login/callback': finishProvider },
  token: {
    'GET /login': startToken,
    'GET /login/jwt-callback': showTokenPage,
    'POST /login/jwt-callback': finishToken,
  },
};

function respond(adapters: SignInAdapters, visit: Visit): SignInResponse | Promise<SignInResponse> {
  const { kind, path, isPost } = visit;
  if (path === '/logout') return signOut(visit);
  if (isOauthPath(path, '')) return kind === 'public' ? missing(visit) : respondOauth(adapters, visit);
  if (kind === 'public') return redirect(nextOf(visit));
  const handlers = HANDLERS[kind];
  const handler = handlers[`${isPost ? 'POST' : 'GET'} ${path}`];
  return handler === undefined ? missing(visit) : handler(adapters, visit);
}

const missing = (visit: Visit): SignInResponse =>
  refusal(visit.site.host, 404, 'This page does not exist.', againLink(visit));

async function openVisit(
  { db, findSite }: SignInAdapters,
  request: SignInRequest,
): Promise<Visit | undefined> {
  const { host, headers, method } = request;
  const site = await findSite(host);
  if (site === undefined || !request.path.startsWith(`${site.basePath}/`)) return undefined;
  const row = await findAccess(db, site);
  const isSecure = headers['x-forwarded-proto'] === 'https';
  return {
    site,
    row,
    kind: row?.kind ?? DEFAULT_KIND[site.site],
    path: request.path.slice(site.basePath.length),
    isPost: method === 'POST',
    query: new URLSearchParams(request.query),
    form: new URLSearchParams(request.body),
    body: request.body,
    headers,
    isSecure,
    origin: originOfSite(host, headers.host, isSecure),
    address: headers['x-forwarded-for'] ?? '',
  };
}

/** Limits that hold for all processes together. */
function createLimits(store: RateStore | null): { wait(visit: Visit): Promise<number> } {
  const requests = createSharedRateLimiter({ name: 'reader-requests', perMinute: REQUESTS, store });
  const tries = createSharedRateLimiter({ name: 'reader-tries', perMinute: TRIES, store });
  const ofSite = createSharedRateLimiter({ name: 'reader-tries-of-site', perMinute: TRIES_OF_SITE, store });
  return {
    async wait({ isPost, address, site, path }) {
      const caller = `${site.host} ${callerOf(address)}`;
      // nobody guesses the codes of MCP clients, and those of a service share its addresses
      const isTry = isPost && !isOauthPath(path, '');
      const wait = await (isTry ? tries : requests).take(caller);
      // The address first: one that waits must not use up the tries of the site.
      return wait > 0 || !isTry ? wait : ofSite.take(site.host);
    },
  };
}

/** Signs the browser in and sends it where the reader wanted to go. */
async function signIn(
  { db, log, key, onNewGroups, now = Date.now }: SignInAdapters,
  visit: Visit,
  reader: { subject: string; user: UserData; maxHours?: number },
  next: string,
): Promise<SignInResponse> {
  const { site, row } = visit;
  const { expiresAt, groups = [], content = {}, apiPlaygroundInputs = {} } = reader.user;
  const seconds = Math.floor(now() / 1000);
  const hours = Math.min(row?.session_hours ?? MEMBER_HOURS, reader.maxHours ?? Number.POSITIVE_INFINITY);
  const end = Math.floor(Math.min(expiresAt ?? Number.POSITIVE_INFINITY, seconds + hours * 3_600));
  if (end <= seconds) return refusal(site.host, 403, 'Your session has ended already.', againLink(visit));
  const cookies = writeReader(
    visit,
    { subject: reader.subject, host: site.host, groups, expiresAt: end, content, apiPlaygroundInputs },
    cookieKeyOf(key, site, row?.key_version ?? 1),
  );
  if (cookies === null) {
    return refusal(site.host, 403, 'The login sent more about you than a browser stores: at most 2.7 kB.');
  }
  if (await recordGroups(db, site, groups)) {
    // what is missed here is found by the next check of the sites
    await onNewGroups(site).catch((err: unknown) =>
      log.warn({ err, host: site.host }, 'cannot queue variants'),
    );
  }
  return redirect(next, [...cookies, removePending(visit)], 303);
}

function signOut(visit: Visit): SignInResponse {
  const { site, kind, row, headers } = visit;
  // an image or a script of another site must not sign readers out
  const isEmbedded = headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-dest'] !== 'document';
  if (isEmbedded) return refusal(site.host, 403, FOREIGN_FORM);
  const cookies = [...removeReader(visit), removePending(visit)];
  const logoutUrl = kind === 'oidc' ? row?.oidc?.logoutUrl : null;
  if (logoutUrl != null) return redirect(logoutUrl, cookies, 303);
  const page = messagePage(site.host, 'Signed out', `You are signed out of ${site.host}.`, againLink(visit));
  return { ...page, headers: { ...page.headers, 'Set-Cookie': cookies } };
}

function showPassword(_: SignInAdapters, visit: Visit): SignInResponse {
  return passwordPage(visit.site.host, { action: loginPath(visit), next: nextOf(visit) });
}

async function checkPassword(adapters: SignInAdapters, visit: Visit): Promise<SignInResponse> {
  const { site, row, form, address } = visit;
  const password = (form.get('password') ?? '').slice(0, 200);
  if (await matchesPassword(password, row?.password_hash)) {
    return signIn(adapters, visit, { subject: 'password', user: {} }, nextOf(visit));
  }
  adapters.log.info({ host: site.host, address }, 'wrong password of a site');
  const error = 'This is not the password of the site.';
  return passwordPage(site.host, { action: loginPath(visit), next: nextOf(visit), error }, { status: 401 });
}

function startMember(adapters: SignInAdapters, visit: Visit): SignInResponse {
  const { site, origin } = visit;
  const { key } = adapters;
  const { url, state } = memberSignIn({ key, publicUrl: adapters.publicUrl() }, { host: site.host, origin });
  const pending = { state, nonce: '', verifier: '', next: nextOf(visit) };
  return redirect(url, [writePending(visit, key, pending)]);
}

async function finishMember(adapters: SignInAdapters, visit: Visit): Promise<SignInResponse> {
  const pending = readPending(visit, adapters.key);
  if (pending === undefined) return expired(visit);
  const user = await redeemCode(adapters, visit.site, visit.query.get('code') ?? '', pending.state);
  if (user === undefined) return expired(visit);
  const known = { subject: user.id, user: { content: { email: user.email } }, maxHours: MEMBER_HOURS };
  return signIn(adapters, visit, known, pending.next);
}

const redirectUri = (visit: Visit): string => `${visit.origin}${visit.site.basePath}/login/callback`;

async function startProvider(adapters: SignInAdapters, visit: Visit): Promise<SignInResponse> {
  const provider = visit.row === undefined ? undefined : adapters.providers(visit.row);
  if (provider === undefined) return refusal(visit.site.host, 503, 'The site has no provider.');
  try {
    const { url, pending } = await provider.start(redirectUri(visit));
    return redirect(url, [writePending(visit, adapters.key, { ...pending, next: nextOf(visit) })]);
  } catch (error) {
    return providerFailed(adapters, visit, error);
  }
}

async function finishProvider(adapters: SignInAdapters, visit: Visit): Promise<SignInResponse> {
  const { row, query } = visit;
  const provider = row === undefined ? undefined : adapters.providers(row);
  const pending = readPending(visit, adapters.key);
  // Without what the browser was given at the start, this is a link that somebody else has made.
  if (provider === undefined || row?.oidc == null || pending === undefined) return expired(visit);
  const current = new URL(redirectUri(visit));
  current.search = query.toString();
  try {
    const claims = await provider.finish(current, pending);
    const user = userOfClaims(claims, row.oidc);
    return await signIn(adapters, visit, { subject: claims.subject, user }, pending.next);
  } catch (error) {
    return providerFailed(adapters, visit, error);
  }
}

function providerFailed({ log }: SignInAdapters, visit: Visit, error: unknown): SignInResponse {
  if (!(error instanceof ProviderError)) throw error;
  const { site, address } = visit;
  log.warn({ err: error, fault: error.fault, host: site.host, address }, 'a reader could not sign in');
  const isRefused = error.fault === 'provider_refused';
  const text = isRefused
    ? 'The sign-in was cancelled.'
    : error.fault === 'provider_unreachable'
      ? 'The provider cannot be reached at the moment. Try again in a minute.'
      : 'The provider did not confirm the sign-in. Try again.';
  const page = refusal(site.host, isRefused ? 403 : 502, text, againLink(visit));
  return { ...page, headers: { ...page.headers, 'Set-Cookie': removePending(visit) } };
}

function startToken(_: SignInAdapters, visit: Visit): SignInResponse {
  const { site, row } = visit;
  const next = nextOf(visit);
  const logins = (row?.token?.loginUrls ?? []).map(({ name, url }) => {
    const target = new URL(url);
    target.searchParams.set('redirect', next);
    return { name, url: target.href };
  });
  const [only] = logins;
  if (only === undefined) {
    return messagePage(site.host, 'Sign in', `Open ${site.host} from your account to sign in.`);
  }
  return logins.length === 1 ? redirect(only.url) : loginsPage(site.host, logins);
}

function showTokenPage(_: SignInAdapters, visit: Visit): SignInResponse {
  return tokenPage(visit.site.host, `${loginPath(visit)}/jwt-callback`);
}

const TOKEN_TEXTS: Readonly<Record<TokenFault | 'used' | 'no_key', string>> = {
  malformed: 'The token of your login is not a signed token with the claims of a reader.',
  algorithm: 'The token of your login is not signed with EdDSA.',
  signature: 'The token of your login has an invalid signature.',
  expired: 'The token of your login has expired.',
  not_yet_valid: 'The token of your login is not valid yet. Check the clock of the login.',
  lasts_too_long: 'The token of your login is valid for more than 10 seconds.',
  host: 'The token of your login is for another site.',
  issuer: 'The token of your login has another issuer.',
  audience: 'The token of your login has another audience.',
  used: 'The token of your login was used before.',
  no_key: 'The site has no key for tokens yet.',
};

async function finishToken(adapters: SignInAdapters, visit: Visit): Promise<SignInResponse> {
  const { db, log, now = Date.now } = adapters;
  const { site, row, form, address } = visit;
  const refuse = (fault: TokenFault | 'used' | 'no_key'): SignInResponse => {
    log.info({ host: site.host, address, fault }, 'the token of a reader was refused');
    return refusal(site.host, 401, TOKEN_TEXTS[fault], againLink(visit));
  };
  const publicKey = row?.token_public_key ?? null;
  if (publicKey === null) return refuse('no_key');
  const { issuer = null, audience = null } = row?.token ?? {};
  const token = readToken(form.get('token') ?? '', {
    publicKey,
    host: site.host,
    issuer,
    audience,
    now: now(),
  });
  if (typeof token === 'string') return refuse(token);
  // Kept for longer than the token, as the clocks of processes differ.
  if (!(await useOnce(db, token.useDigest, new Date(token.expiresAt.getTime() + 120_000))))
    return refuse('used');
  return signIn(adapters, visit, token, nextOf(visit, 'redirect'));
}

function againLink(visit: Visit): { href: string; text: string } {
  return { href: loginPath(visit), text: 'Sign in' };
}

function expired(visit: Visit): SignInResponse {
  const page = refusal(
    visit.site.host,
    403,
    'The sign-in has expired, was used before, or was started in another browser.',
    againLink(visit),
  );
  return { ...page, headers: { ...page.headers, 'Set-Cookie': removePending(visit) } };
}

function tooMany(visit: Visit, seconds: number): SignInResponse {
  return refusal(visit.site.host, 429, `Too many tries. Try again in ${seconds} s.`, againLink(visit), {
    'Retry-After': String(seconds),
  });
}

function refusal(
  host: string,
  status: number,
  text: string,
  link?: { href: string; text: string },
  headers: Record<string, string> = {},
): SignInResponse {
  return messagePage(host, 'Not signed in', text, link, { status, headers });
}
