import { createHmac, timingSafeEqual } from 'node:crypto';

/** A person who signed in to a restricted site, as the cookie of the browser says. */
export interface Reader {
  /** Who it is: `password`, the id of a user, or the subject at a provider. */
  subject: string;
  /** Host of the site; the cookie is valid for no other. */
  host: string;
  groups: readonly string[];
  /** Seconds since 1970. */
  expiresAt: number;
  /** The `user` of pages. */
  content: Readonly<Record<string, unknown>>;
  /** Values with which the API playground starts, by place and name. */
  apiPlaygroundInputs: Readonly<Record<string, unknown>>;
}

/** Browsers store cookies of at most 4,096 bytes, name and attributes included (RFC 6265bis, section 5.6). */
export const MAX_READER_COOKIE = 3_800;

const KEY_BYTES = 32;
const FORM = /^(v1\.[A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;

/** Over TLS, the prefix makes browsers accept the cookie from this host only, and send it encrypted only. */
export function readerCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-offprint_reader' : 'offprint_reader';
}

/** The value of the cookie; null if it would be longer than browsers store. `key`: 32 bytes, base64url. */
export function signReader(reader: Reader, key: string): string | null {
  const { subject, groups, expiresAt, host, content, apiPlaygroundInputs } = reader;
  const claims = {
    s: subject,
    g: groups,
    e: expiresAt,
    h: host,
    ...(Object.keys(content).length === 0 ? {} : { c: content }),
    ...(Object.keys(apiPlaygroundInputs).length === 0 ? {} : { p: apiPlaygroundInputs }),
  };
  const signed = `v1.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  const value = `${signed}.${macOf(signed, readKey(key)).toString('base64url')}`;
  return value.length > MAX_READER_COOKIE ? null : value;
}

/**
 * The reader whom the value names; null if it was changed, has expired, or was made with another key or for another
 * host. `now`: milliseconds since 1970.
 */
export function verifyReader(
  value: string,
  { key, host, now }: { key: string; host: string; now: number },
): Reader | null {
  if (value.length > MAX_READER_COOKIE) return null;
  const [, signed, mac] = FORM.exec(value) ?? [];
  if (signed === undefined || mac === undefined) return null;
  const given = Buffer.from(mac, 'base64url');
  const made = macOf(signed, readKey(key));
  if (given.length !== made.length || !timingSafeEqual(given, made)) return null;
  const reader = parseClaims(Buffer.from(signed.slice(3), 'base64url').toString());
  return reader !== null && reader.host === host && reader.expiresAt * 1000 > now ? reader : null;
}

/**
 * The reader whose cookie is in the header `Cookie`, and its value. Of several, which parents of the host can set, the
 * first valid one; null without one.
 */
export function readerOfCookies(
  header: string | undefined,
  { isSecure, ...of }: { key: string; host: string; now: number; isSecure: boolean },
): { reader: Reader; value: string } | null {
  if (header === undefined) return null;
  const prefix = `${readerCookieName(isSecure)}=`;
  for (const part of header.split(';', 50)) {
    const pair = part.trim();
    if (!pair.startsWith(prefix) || pair.length > prefix.length + MAX_READER_COOKIE) continue;
    const value = pair.slice(prefix.length);
    const reader = verifyReader(value, of);
    if (reader !== null) return { reader, value };
  }
  return null;
}

function macOf(signed: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(signed).digest();
}

/** The bytes of a key of cookies. A short or empty one would let anyone sign. */
export function readKey(key: string): Buffer {
  const bytes = Buffer.from(key, 'base64url');
  if (bytes.length !== KEY_BYTES) throw new RangeError('the key of reader cookies must have 32 bytes');
  return bytes;
}

function parseClaims(text: string): Reader | null {
  let claims: unknown;
  try {
    claims = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(claims)) return null;
  const { s: subject, g: groups, e: expiresAt, h: host, c: content = {}, p: inputs = {} } = claims;
  if (typeof subject !== 'string' || typeof host !== 'string') return null;
  if (typeof expiresAt !== 'number' || !Number.isFinite(expiresAt)) return null;
  if (!isTextList(groups) || !isRecord(content) || !isRecord(inputs)) return null;
  return { subject, host, groups, expiresAt, content, apiPlaygroundInputs: inputs };
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
