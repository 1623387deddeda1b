import { email as emailSchema, personName, type SingleSignOnFault } from '@offprint/contract';
import { parseCookie, stringifySetCookie } from 'cookie';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { isInvited } from '../organizations/service.ts';
import type { Database } from '../platform/db/database.ts';
import { notFound } from '../platform/http/error.ts';
import { callerOf } from '../platform/http/rate-limit.ts';
import type { Answer } from '../platform/http/route.ts';
import { createSharedRateLimiter, type RateStore } from '../platform/http/shared-rate-limit.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/log.ts';
import { seal, unseal } from '../platform/secret.ts';
import { type Claims, type Provider, ProviderError } from './provider.ts';
import { deleteSessions } from './session-store.ts';
import { type Place, startSession } from './sessions.ts';
import {
  deleteResets,
  findIdentity,
  findUserRowByEmail,
  insertIdentity,
  insertUser,
  type UserRow,
  updateUserRow,
} from './user-store.ts';

export interface SingleSignOn {
  /** Sends the browser to the provider. */
  start(request: { returnTo: string | undefined; place: Place }): Promise<Answer>;
  /** Takes the browser back; `query` is what came with it, `cookies` its Cookie header. */
  finish(request: {
    query: Readonly<Record<string, string | undefined>>;
    cookies: string | undefined;
    place: Place;
  }): Promise<Answer>;
}

/** The email addresses for which the installation creates accounts at a first single sign-on. */
export interface FirstSignOnRules {
  signUp: 'open' | 'invited' | 'closed';
  /** Domains of addresses whose owners always get one; lower case. */
  domains: readonly string[];
}

const CALLBACK = '/v1/single-sign-on/callback';
const MINUTES = 10;
const CONTEXT = 'single-sign-on';

const pendingSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  /** Milliseconds since 1970. */
  until: z.number(),
});
type PendingSignOn = z.output<typeof pendingSchema>;

/** Returns the 404 if no provider is configured. */
export const noSingleSignOn: SingleSignOn = {
  async start() {
    throw notFound('single sign-on');
  },
  async finish() {
    throw notFound('single sign-on');
  },
};

/** `key`: 32 bytes that seal what is kept in the browser between the two steps. */
export function createSingleSignOn(adapters: {
  db: Kysely<Database>;
  log: Logger;
  provider: Provider;
  key: Buffer;
  publicUrl: () => string;
  sessionDays: number;
  /** Steps of one address, each of which may ask the provider something. */
  stepsPerMinute: number;
  /** Counts the steps for all processes; null: this one counts alone. */
  rates: RateStore | null;
  rules: FirstSignOnRules;
}): SingleSignOn {
  const { db, log, provider, key } = adapters;
  const limiter = createSharedRateLimiter({
    name: 'single-sign-on',
    perMinute: adapters.stepsPerMinute,
    store: adapters.rates,
  });
  const isHttps = () => adapters.publicUrl().startsWith('https:');
  const redirectUri = () => new URL(CALLBACK, adapters.publicUrl()).href;

  const refuse = (error: unknown, place: Place): Answer => {
    const fault = error instanceof ProviderError ? error.fault : 'provider_failed';
    log.warn({ err: error, fault, address: place.address }, 'single sign-on failed');
    return back(fault, isHttps());
  };

  return {
    async start({ returnTo, place }) {
      if ((await limiter.take(callerOf(place.address))) > 0) return back('provider_unreachable', isHttps());
      try {
        const { url, pending } = await provider.start(redirectUri());
        const until = Date.now() + MINUTES * 60_000;
        const kept: PendingSignOn = { ...pending, returnTo: returnTo ?? '/', until };
        const sealed = seal(key, JSON.stringify(kept), CONTEXT).toString('base64url');
        return { status: 302, headers: { Location: url, 'Set-Cookie': cookie(sealed, isHttps()) } };
      } catch (error) {
        return refuse(error, place);
      }
    },

    async finish({ query, cookies, place }) {
      if ((await limiter.take(callerOf(place.address))) > 0) return back('provider_unreachable', isHttps());
      const pending = readPending(key, cookies, isHttps());
      // Without what the browser was given at the start, this is a link that somebody else has made.
      if (pending === undefined) return back('state_invalid', isHttps());
      const current = new URL(redirectUri());
      for (const [name, value] of Object.entries(query)) {
        if (value !== undefined) current.searchParams.set(name, value);
      }
      let claims: Claims;
      try {
        claims = await provider.finish(current, pending);
      } catch (error) {
        return refuse(error, place);
      }
      const found = await db.transaction().execute((tx) => findOrMakeUser(tx, claims, adapters.rules));
      if (typeof found === 'string') {
        const name = claims.email ?? claims.subject;
        log.info({ fault: found, address: place.address }, 'single sign-on was refused');
        return {
          ...back(found, isHttps()),
          act: { actor: { kind: 'stranger', id: null, name: name.slice(0, 254) }, refused: found },
        };
      }
      return {
        status: 302,
        headers: { Location: pending.returnTo, 'Set-Cookie': cookie(null, isHttps()) },
        session: await startSession(db, found.id, place, adapters.sessionDays),
        act: { actor: { kind: 'user', id: found.id, name: found.email }, target: found.id },
      };
    },
  };
}

/** The user that the claims describe, linked or created where that is allowed, else the reason why not. */
async function findOrMakeUser(
  tx: Transaction<Database>,
  claims: Claims,
  rules: FirstSignOnRules,
): Promise<UserRow | SingleSignOnFault> {
  const { issuer, subject } = claims;
  // Two first sign-ins of one person at the same moment make one account.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${CONTEXT} ${issuer} ${subject}`}, 0))`.execute(
    tx,
  );
  const linked = await findIdentity(tx, issuer, subject);
  if (linked !== undefined) return linked.disabled_at === null ? linked : 'account_disabled';
  const address = emailSchema.safeParse(claims.email);
  if (!address.success || !claims.isVerified) return 'email_unverified';
  const email = address.data;
  const known = await findUserRowByEmail(tx, email);
  const user = known === undefined ? await makeUser(tx, email, claims, rules) : await linkUser(tx, known);
  if (typeof user !== 'string') await insertIdentity(tx, { issuer, subject, user_id: user.id });
  return user;
}

async function makeUser(
  tx: Transaction<Database>,
  email: string,
  claims: Claims,
  rules: FirstSignOnRules,
): Promise<UserRow | SingleSignOnFault> {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const mayJoin =
    rules.domains.includes(domain) ||
    rules.signUp === 'open' ||
    (rules.signUp === 'invited' && (await isInvited(tx, email)));
  if (!mayJoin) return 'sign_up_closed';
  const name = personName.safeParse((claims.name ?? '').replace(/\p{Cc}/gu, ' ').slice(0, 100));
  const made = await insertUser(tx, {
    id: newId('usr'),
    email,
    name: name.success ? name.data : email.slice(0, email.lastIndexOf('@')).slice(0, 100),
    passwordHash: null,
    isVerified: true,
    isOperator: false,
  });
  // Somebody signed up with the address in this very moment; the next try finds the account.
  return made ?? 'provider_failed';
}

/**
 * Opens an account to the owner of its address. If nobody has verified the email address, the account may
 * have been created by somebody else who waits for the owner to fill it: the existing password and sessions
 * end.
 */
async function linkUser(tx: Transaction<Database>, user: UserRow): Promise<UserRow | SingleSignOnFault> {
  if (user.disabled_at !== null) return 'account_disabled';
  if (user.email_verified_at !== null) return user;
  const changes = { password_hash: null, email_verified_at: sql<Date>`now()` };
  const linked = await updateUserRow(tx, user.id, changes);
  // After the password, so that nobody who is signing in with it slips in between.
  await deleteSessions(tx, user.id);
  await deleteResets(tx, user.id);
  return linked ?? 'provider_failed';
}

function back(fault: SingleSignOnFault, isHttps: boolean): Answer {
  return {
    status: 302,
    headers: { Location: `/sign-in?error=${fault}`, 'Set-Cookie': cookie(null, isHttps) },
  };
}

function cookieName(isHttps: boolean): string {
  return isHttps ? '__Host-offprint_single_sign_on' : 'offprint_single_sign_on';
}

/** Lax: the browser returns from another site, by a link. Null removes the cookie. */
function cookie(sealed: string | null, isHttps: boolean): string {
  return stringifySetCookie({
    name: cookieName(isHttps),
    value: sealed ?? '',
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps,
    maxAge: sealed === null ? 0 : MINUTES * 60,
  });
}

function readPending(key: Buffer, cookies: string | undefined, isHttps: boolean): PendingSignOn | undefined {
  const sealed = parseCookie(cookies ?? '')[cookieName(isHttps)];
  if (sealed === undefined || sealed.length > 4_096) return undefined;
  try {
    const pending = pendingSchema.parse(JSON.parse(unseal(key, Buffer.from(sealed, 'base64url'), CONTEXT)));
    return pending.until > Date.now() ? pending : undefined;
  } catch {
    return undefined;
  }
}
