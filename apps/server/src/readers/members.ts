import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ReaderCode } from '@offprint/contract';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { roleOf } from '../organizations/service.ts';
import type { Database } from '../platform/db/database.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { seal, unseal } from '../platform/secret.ts';
import { DEFAULT_KIND } from './settings.ts';
import { findAccess, type SignInSite, useOnce } from './store.ts';

/** Page of the dashboard that signs members in to a site. */
const DASHBOARD_PATH = '/reader-sign-in';
const CODE_SECONDS = 60;
const REQUEST_MINUTES = 10;
const CODE = 'reader code';
const REQUEST = 'reader request';

/** The site that a host serves; undefined: none. */
export type FindSite = (host: string) => Promise<SignInSite | undefined>;

const requestSchema = z.object({
  host: z.string(),
  origin: z.string(),
  state: z.string(),
  until: z.number(),
});

const codeSchema = z.object({
  userId: z.string(),
  email: z.string(),
  host: z.string(),
  state: z.string(),
  /** Milliseconds since 1970. */
  until: z.number(),
});

/** Where a browser goes to become known as a member, and the state with which it returns. */
export function memberSignIn(
  { key, publicUrl }: { key: Buffer; publicUrl: string },
  { host, origin }: { host: string; origin: string },
): { url: string; state: string } {
  const state = randomBytes(32).toString('base64url');
  const request = { host, origin, state, until: Date.now() + REQUEST_MINUTES * 60_000 };
  const url = new URL(DASHBOARD_PATH, publicUrl);
  url.searchParams.set('request', seal(key, JSON.stringify(request), REQUEST).toString('base64url'));
  return { url: url.href, state };
}

/**
 * Creates the code for a signed-in user. Throws the 400 for a request that no site has made, and the 404 where the user
 * may not read the site as a member.
 */
export async function createCode(
  adapters: { db: Kysely<Database>; key: Buffer; findSite: FindSite },
  text: string,
  user: { id: string; email: string },
): Promise<ReaderCode> {
  const { db, key, findSite } = adapters;
  const request = open(key, text, REQUEST, requestSchema);
  if (request === undefined || request.until <= Date.now()) {
    throw new AppError('token_invalid', 'The sign-in has expired. Open the site again.', {
      param: '/request',
    });
  }
  const site = await findSite(request.host);
  if (site === undefined) throw notFound('site');
  const row = await findAccess(db, site);
  const isForMembers = (row?.kind ?? DEFAULT_KIND[site.site]) === 'members';
  if (!isForMembers || (await roleOf(db, site.organizationId, user.id)) === undefined) throw notFound('site');
  const { host, state, origin } = request;
  const code = { userId: user.id, email: user.email, host, state, until: Date.now() + CODE_SECONDS * 1000 };
  const url = new URL(`${site.basePath}/login/members`, origin);
  url.searchParams.set('code', seal(key, JSON.stringify(code), CODE).toString('base64url'));
  return { url: url.href };
}

/** The user of a code, once; undefined if the code is not valid here, for this browser, or any more. */
export async function redeemCode(
  { db, key }: { db: Kysely<Database>; key: Buffer },
  site: SignInSite,
  text: string,
  state: string,
): Promise<{ id: string; email: string } | undefined> {
  const code = open(key, text, CODE, codeSchema);
  if (code === undefined || code.until <= Date.now() || code.host !== site.host) return undefined;
  const [given, expected] = [Buffer.from(code.state), Buffer.from(state)];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  // Of the bytes: their text has several spellings.
  const digest = createHash('sha256').update(Buffer.from(text, 'base64url')).digest();
  if (!(await useOnce(db, digest, new Date(code.until + 60_000)))) return undefined;
  const role = await roleOf(db, site.organizationId, code.userId);
  return role === undefined ? undefined : { id: code.userId, email: code.email };
}

function open<Schema extends z.ZodType>(
  key: Buffer,
  text: string,
  context: string,
  schema: Schema,
): z.output<Schema> | undefined {
  if (!/^[\w-]{40,3000}$/.test(text)) return undefined;
  try {
    return schema.parse(JSON.parse(unseal(key, Buffer.from(text, 'base64url'), context)));
  } catch {
    return undefined;
  }
}
