import { createHash, timingSafeEqual } from 'node:crypto';
import {
  MCP_PATH,
  OAUTH_PATHS,
  oauthKeyOf,
  type Reader,
  readerOfCookies,
  sameSitePath,
  signAccessToken,
} from '@offprint/bundle';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../platform/db/database.ts';
import type { Logger } from '../platform/log.ts';
import { clientOfId, idOfClient, isRedirectOf, type OauthClient, readRegistration } from './oauth-client.ts';
import { consentPage, messagePage } from './page.ts';
import { digestOfSealed, openSealed, sealText } from './sealed.ts';
import { cookieKeyOf } from './settings.ts';
import { useOnce } from './store.ts';
import { loginPath, redirect, type SignInResponse, type Visit } from './visit.ts';

export interface OauthAdapters {
  db: Kysely<Database>;
  log: Logger;
  /** 32 bytes. */
  key: Buffer;
  now?: () => number;
}

const CODE_SECONDS = 60;
const CONSENT_MINUTES = 10;
const MAX_STATE = 1_000;

/** What a client asks a reader for, as the consent page keeps it. */
const askedSchema = z.object({
  client: z.string(),
  redirectUri: z.string(),
  challenge: z.string(),
  state: z.string().nullable(),
});
type Asked = z.output<typeof askedSchema>;

/** `session`: digest of the cookie of the reader who was asked, so that nobody decides for somebody else. */
const consentSchema = askedSchema.extend({ session: z.string(), until: z.number() });

const codeSchema = askedSchema.omit({ state: true }).extend({
  subject: z.string(),
  groups: z.array(z.string()),
  expiresAt: z.number(),
  until: z.number(),
});

/**
 * Authorizes MCP clients to read a site for a reader who has signed in: registration, consent, and the exchange of a code
 * for a token. Only used codes are stored.
 */
export function respondOauth(
  adapters: OauthAdapters,
  visit: Visit,
): SignInResponse | Promise<SignInResponse> {
  const { path, isPost } = visit;
  if (path === OAUTH_PATHS.authorize) return isPost ? decide(adapters, visit) : askReader(adapters, visit);
  if (!isPost) return failure(405, 'invalid_request', 'Use POST.', { Allow: 'POST' });
  return path === OAUTH_PATHS.register ? register(adapters, visit) : exchange(adapters, visit);
}

function register({ key, now = Date.now }: OauthAdapters, { site, body }: Visit): SignInResponse {
  const client = readRegistration(body);
  if (typeof client === 'string') return failure(400, 'invalid_redirect_uri', client);
  return json(201, {
    client_id: idOfClient(client, key, site.host),
    client_id_issued_at: Math.floor(now() / 1000),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
  });
}

/** Shows the consent page to a reader; anyone else signs in first. */
function askReader(adapters: OauthAdapters, visit: Visit): SignInResponse {
  const { site, query } = visit;
  const found = readAsked(adapters, visit);
  // not sent to the redirect URI: anyone can register one, and a link to this site must not lead elsewhere by itself
  if (typeof found === 'string') return refuse(visit, 400, found);
  const action = site.basePath + OAUTH_PATHS.authorize;
  const target = `${action}?${query}`;
  if (sameSitePath(target, site.basePath) !== target)
    return refuse(visit, 400, 'The application has sent a request that is too long.');
  const session = sessionOf(adapters, visit);
  if (session === null) return redirect(`${loginPath(visit)}?next=${encodeURIComponent(target)}`);
  const { asked, name } = found;
  const until = nowOf(adapters) + CONSENT_MINUTES * 60_000;
  const request = sealText(session.key, { ...asked, session: session.digest, until }, CONSENT);
  return consentPage(site.host, { action, request, name, redirect: new URL(asked.redirectUri) });
}

/** Sends the decision of the reader to the client. */
function decide(adapters: OauthAdapters, visit: Visit): SignInResponse {
  const { site, form, origin } = visit;
  const session = sessionOf(adapters, visit);
  const asked =
    session === null ? undefined : openSealed(session.key, form.get('request') ?? '', CONSENT, consentSchema);
  if (session === null || asked === undefined || asked.session !== session.digest)
    return refuse(visit, 403, 'You were asked in another session. Start again in the application.');
  if (asked.until <= nowOf(adapters))
    return refuse(visit, 403, 'The question has expired. Start again in the application.');
  const { client, redirectUri, challenge, state } = asked;
  const params = new URLSearchParams({ iss: origin + site.basePath });
  if (state !== null) params.set('state', state);
  if (form.get('decision') === 'allow') {
    const { subject, groups, expiresAt } = session.reader;
    const until = nowOf(adapters) + CODE_SECONDS * 1000;
    const code = { client, redirectUri, challenge, subject, groups, expiresAt, until };
    params.set('code', sealText(session.key, code, CODE));
  } else params.set('error', 'access_denied');
  return redirect(`${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${params}`, [], 303);
}

/** Gives a client an access token for a code, once. */
async function exchange(adapters: OauthAdapters, visit: Visit): Promise<SignInResponse> {
  const { db, log } = adapters;
  const { site, form, address } = visit;
  if (form.get('grant_type') !== 'authorization_code')
    return failure(400, 'unsupported_grant_type', 'Use authorization_code.');
  const clientId = form.get('client_id') ?? '';
  const client = clientOfId(clientId, adapters.key, site.host);
  if (client === undefined) return failure(401, 'invalid_client', 'Register the client again.');
  if (!isResource(visit, form.get('resource')))
    return failure(400, 'invalid_target', 'The resource is not the MCP server of this site.');
  const cookieKey = keyOf(adapters, visit);
  const text = form.get('code') ?? '';
  const code = openSealed(oauthKeyOf(cookieKey, 'codes'), text, CODE, codeSchema);
  const now = nowOf(adapters);
  const isValid =
    code !== undefined &&
    code.until > now &&
    code.client === digestOf(clientId) &&
    code.redirectUri === form.get('redirect_uri') &&
    isVerifierOf(code.challenge, form.get('code_verifier') ?? '');
  const token = isValid ? signAccessToken({ ...code, host: site.host }, { cookieKey, now }) : null;
  if (!isValid || token === null || token.seconds < 1) return failure(400, 'invalid_grant', BAD_CODE);
  // kept for longer than the code, as the clocks of processes differ
  if (!(await useOnce(db, digestOfSealed(text), new Date(code.until + 60_000))))
    return failure(400, 'invalid_grant', BAD_CODE);
  log.info({ host: site.host, address, client: client.name }, 'a reader has authorized an MCP client');
  return json(200, { access_token: token.value, token_type: 'Bearer', expires_in: token.seconds });
}

const CONSENT = 'oauth consent';
const CODE = 'oauth code';
const BAD_CODE =
  'The code has expired, was used before, or was made for another client, redirect URI or verifier.';

/** What a client asks for; a sentence that says what is wrong with it. */
function readAsked(
  { key }: OauthAdapters,
  visit: Visit,
): { asked: Asked; name: OauthClient['name'] } | string {
  const { site, query } = visit;
  for (const name of new Set(query.keys()))
    if (query.getAll(name).length > 1) return `The application has sent ${name.slice(0, 50)} more than once.`;
  const of = (name: string): string => query.get(name) ?? '';
  const clientId = of('client_id');
  const client = clientOfId(clientId, key, site.host);
  if (client === undefined) return 'The application is not registered here. Register it again.';
  const redirectUri = of('redirect_uri');
  if (!isRedirectOf(client, redirectUri)) return 'The application has not registered this redirect URI.';
  if (of('response_type') !== 'code') return 'The application must ask for a code.';
  const challenge = of('code_challenge');
  if (of('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge))
    return 'The application must send a code challenge of PKCE with S256.';
  if (!isResource(visit, query.get('resource')))
    return 'The application asks for something else than the MCP server of this site.';
  const state = query.get('state');
  if (state !== null && state.length > MAX_STATE) return 'The state of the application is too long.';
  return { asked: { client: digestOf(clientId), redirectUri, challenge, state }, name: client.name };
}

/** Whether a resource (RFC 8707) is the MCP server of the site, which is also meant if none is named. */
function isResource({ origin, site }: Visit, resource: string | null): boolean {
  if (resource === null) return true;
  return URL.canParse(resource) && new URL(resource).href === new URL(origin + site.basePath + MCP_PATH).href;
}

/** The reader whose cookie came with the request, and the key of consents and codes of this site. */
function sessionOf(
  adapters: OauthAdapters,
  visit: Visit,
): { reader: Reader; digest: string; key: Buffer } | null {
  const { headers, isSecure, site } = visit;
  const key = keyOf(adapters, visit);
  const now = nowOf(adapters);
  const found = readerOfCookies(headers.cookie, { key, host: site.host, now, isSecure });
  if (found === null) return null;
  return { reader: found.reader, digest: digestOf(found.value), key: oauthKeyOf(key, 'codes') };
}

const keyOf = ({ key }: OauthAdapters, { site, row }: Visit): string =>
  cookieKeyOf(key, site, row?.key_version ?? 1);

const nowOf = ({ now = Date.now }: OauthAdapters): number => now();

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** PKCE with S256 (RFC 7636). */
function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  return timingSafeEqual(Buffer.from(digestOf(verifier)), Buffer.from(challenge));
}

function refuse(visit: Visit, status: number, text: string): SignInResponse {
  return messagePage(visit.site.host, 'No access', text, undefined, { status });
}

function failure(
  status: number,
  error: string,
  description: string,
  headers: Record<string, string> = {},
): SignInResponse {
  return json(status, { error, error_description: description }, headers);
}

function json(status: number, body: object, headers: Record<string, string> = {}): SignInResponse {
  return {
    status,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'private, no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
    body: `${JSON.stringify(body)}\n`,
  };
}
