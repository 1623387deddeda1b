import { z } from 'zod';
import { openSealed, sealText } from './sealed.ts';

/** A client that has registered: what its id contains. */
export interface OauthClient {
  /** What it calls itself. Nobody has checked it. */
  name: string;
  redirectUris: readonly string[];
}

const MAX_URIS = 10;
const MAX_URI = 500;
/** Characters of all its redirect URIs: the id is part of links that lead through the sign-in. */
const MAX_URIS_LENGTH = 800;
const MAX_NAME = 60;

const registration = z.object({
  client_name: z.string().optional().catch(undefined),
  redirect_uris: z.array(z.string().max(MAX_URI)).min(1).max(MAX_URIS),
});
const stored = z.object({ n: z.string(), r: z.array(z.string()) });

/** The client of a registration (RFC 7591); a text that says what is wrong with it. */
export function readRegistration(body: string): OauthClient | string {
  const parsed = registration.safeParse(parseJson(body));
  if (!parsed.success) return `redirect_uris must be a list of 1 to ${MAX_URIS} URIs.`;
  const { client_name: name = '', redirect_uris: redirectUris } = parsed.data;
  if (redirectUris.join('').length > MAX_URIS_LENGTH)
    return `redirect_uris can have ${MAX_URIS_LENGTH} characters.`;
  if (!redirectUris.every((uri) => readRedirectUri(uri) !== null))
    return 'A redirect URI must have https, or http and a loopback host, and no fragment.';
  return { name: cleanName(name), redirectUris };
}

/** The id of a client, which contains it: nothing is stored. It is valid for one host. */
export function idOfClient({ name, redirectUris }: OauthClient, key: Buffer, host: string): string {
  return sealText(key, { n: name, r: redirectUris }, contextOf(host));
}

/** The client of an id; undefined if it was not made for this host. */
export function clientOfId(id: string, key: Buffer, host: string): OauthClient | undefined {
  const client = openSealed(key, id, contextOf(host), stored);
  return client === undefined ? undefined : { name: client.n, redirectUris: client.r };
}

const contextOf = (host: string): string => `oauth client ${host}`;

/** Whether a code may go to a URI: exactly a registered one, or another port of a loopback one (RFC 8252, 7.3). */
export function isRedirectOf({ redirectUris }: OauthClient, uri: string): boolean {
  const asked = readRedirectUri(uri);
  if (asked === null) return false;
  return redirectUris.some((registered) => registered === uri || isSameLoopback(registered, asked));
}

function isSameLoopback(registered: string, asked: URL): boolean {
  const own = readRedirectUri(registered);
  if (own?.protocol !== 'http:' || asked.protocol !== 'http:') return false;
  return withoutPort(own) === withoutPort(asked);
}

function withoutPort(url: URL): string {
  const { protocol, hostname, pathname, search } = url;
  return `${protocol}//${hostname}${pathname}${search}`;
}

/**
 * A URI to which a browser may be sent with a code; null for any other. Its host becomes part of a
 * Content-Security-Policy, where the parser of URLs would let `;` pass.
 */
export function readRedirectUri(uri: string): URL | null {
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(uri) || uri.length > MAX_URI || /[#\\]/.test(uri)) return null;
  if (!URL.canParse(uri)) return null;
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '') return null;
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return (url.protocol === 'https:' || isLoopback) && (isLoopback || /^[a-z0-9._-]+$/.test(url.hostname))
    ? url
    : null;
}

/** Without control characters and those that change the direction of what follows. */
function cleanName(name: string): string {
  const clean = name
    .slice(0, 1_000)
    .replace(/\s+/gu, ' ')
    .replace(/\p{C}+/gu, '')
    .trim();
  return [...clean].slice(0, MAX_NAME).join('').trim() || 'unnamed';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
