import { type Reader, readerCookieName, sameSitePath, signReader } from '@offprint/bundle';
import type { ReaderAccessKind } from '@offprint/contract';
import { parseCookie, stringifySetCookie } from 'cookie';
import { z } from 'zod';
import { seal, unseal } from '../platform/secret.ts';
import type { AccessRow, SignInSite } from './store.ts';

/** Body of `POST /v1/hosting/sign-in`: a request of a reader as the site server passes it on. */
export const signInRequest = z.object({
  host: z.string().min(1).max(253),
  method: z.enum(['GET', 'HEAD', 'POST']),
  path: z.string().startsWith('/').max(4_096),
  query: z.string().max(16_384),
  headers: z.record(z.string(), z.string().max(16_384)),
  body: z.string().max(65_536),
});
export type SignInRequest = z.output<typeof signInRequest>;

/** What the site server sends to the reader. */
export interface SignInResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: string;
}

/** A request at the sign-in of one site. */
export interface Visit {
  site: SignInSite;
  /** Undefined: the site has the default of its kind. */
  row: AccessRow | undefined;
  kind: ReaderAccessKind;
  /** Below the base path: `/login`, `/login/callback`. */
  path: string;
  isPost: boolean;
  query: URLSearchParams;
  form: URLSearchParams;
  /** As it was sent. */
  body: string;
  headers: Readonly<Record<string, string>>;
  isSecure: boolean;
  /** Scheme, host and port as the browser knows them. */
  origin: string;
  /** IP address of the reader. */
  address: string;
}

/** What the browser keeps between the start of a sign-in and the way back. */
export interface Pending {
  state: string;
  nonce: string;
  verifier: string;
  next: string;
}

const MINUTES = 10;
const pendingSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  /** Milliseconds since 1970. */
  until: z.number(),
});

export const loginPath = ({ site }: Visit): string => `${site.basePath}/login`;

/** Where the reader wanted to go; always a page of the site. */
export function nextOf({ site, query, form, isPost }: Visit, name = 'next'): string {
  return sameSitePath((isPost ? form : query).get(name), site.basePath);
}

/** Whether the form was sent by a page of another site. */
export function isForeignForm({ headers, origin }: Visit): boolean {
  const from = headers.origin;
  const site = headers['sec-fetch-site'];
  return (from !== undefined && from !== origin) || (site !== undefined && site !== 'same-origin');
}

const cookieAttributes = (isSecure: boolean) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure }) as const;

const pendingName = (isSecure: boolean): string =>
  isSecure ? '__Host-offprint_sign_in' : 'offprint_sign_in';

/** Sealed for this host, so that what another site gave the browser is worth nothing here. */
const pendingContext = ({ site }: Visit): string => `reader sign-in ${site.host}`;

export function writePending(visit: Visit, key: Buffer, pending: Pending): string {
  const text = JSON.stringify({ ...pending, until: Date.now() + MINUTES * 60_000 });
  return stringifySetCookie({
    ...cookieAttributes(visit.isSecure),
    name: pendingName(visit.isSecure),
    value: seal(key, text, pendingContext(visit)).toString('base64url'),
    maxAge: MINUTES * 60,
  });
}

export function readPending(visit: Visit, key: Buffer): Pending | undefined {
  const sealed = parseCookie(visit.headers.cookie ?? '')[pendingName(visit.isSecure)];
  if (sealed === undefined || sealed.length > 4_096) return undefined;
  try {
    const text = unseal(key, Buffer.from(sealed, 'base64url'), pendingContext(visit));
    const pending = pendingSchema.parse(JSON.parse(text));
    return pending.until > Date.now() ? pending : undefined;
  } catch {
    return undefined;
  }
}

export function removePending({ isSecure }: Visit): string {
  return stringifySetCookie({
    ...cookieAttributes(isSecure),
    name: pendingName(isSecure),
    value: '',
    maxAge: 0,
  });
}

/** The cookies of a reader; null if what is known of the reader does not fit into one. */
export function writeReader({ isSecure }: Visit, reader: Reader, key: string): string[] | null {
  const value = signReader(reader, key);
  if (value === null) return null;
  const maxAge = Math.max(1, reader.expiresAt - Math.floor(Date.now() / 1000));
  const attributes = { ...cookieAttributes(isSecure), maxAge };
  return [
    stringifySetCookie({ ...attributes, name: readerCookieName(isSecure), value }),
    stringifySetCookie({ ...attributes, name: signedInName(isSecure), value: '1', httpOnly: false }),
  ];
}

export function removeReader({ isSecure }: Visit): string[] {
  const gone = { ...cookieAttributes(isSecure), value: '', maxAge: 0 };
  return [
    stringifySetCookie({ ...gone, name: readerCookieName(isSecure) }),
    stringifySetCookie({ ...gone, name: signedInName(isSecure), httpOnly: false }),
  ];
}

/** Shows scripts of pages that somebody has signed in, and nothing else: without it they send no request. */
const signedInName = (isSecure: boolean): string =>
  isSecure ? '__Host-offprint_signed_in' : 'offprint_signed_in';

export function redirect(location: string, cookies: string[] = [], status: 302 | 303 = 302): SignInResponse {
  return {
    status,
    headers: {
      Location: location,
      'Cache-Control': 'private, no-store',
      'Referrer-Policy': 'same-origin',
      ...(cookies.length === 0 ? {} : { 'Set-Cookie': cookies }),
    },
    body: '',
  };
}
