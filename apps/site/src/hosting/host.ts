import type { IncomingMessage } from 'node:http';
import { domainToASCII } from 'node:url';

/** Characters of a host name in ASCII, and of one that is not yet converted. */
const maxHost = 253;

/**
 * The host that a request names: lower case, without port and trailing dot, other letters as IDNA. A target with scheme
 * and host takes precedence over the header (RFC 9112, 3.2.2). Null if it is missing or not valid.
 */
export function hostOf({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string | null {
  const target = url.startsWith('/') ? null : /^https?:\/\/([^/?#]*)/i.exec(url);
  return normalizeHost(target?.[1] ?? headers.host ?? '');
}

/** As `hostOf`, for the value of a `Host` header. */
export function normalizeHost(text: string): string | null {
  const name = text.replace(/:\d{0,5}$/, '').replace(/\.$/, '');
  if (name === '' || name.length > maxHost * 4) return null;
  if (/^[a-z0-9._-]+$/.test(name)) return name.length > maxHost ? null : name;
  if (/[^a-z0-9._\x80-\xff-]/i.test(name)) return null;
  // headers are read byte by byte; a host name in UTF-8 is not valid there, but some clients send it
  const host = domainToASCII(Buffer.from(name, 'latin1').toString());
  return host === '' || host.length > maxHost ? null : host;
}

/** The port that a request names, with its colon; empty for the usual one. */
export function portOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return /:\d{1,5}$/.exec(headers.host ?? '')?.[0] ?? '';
}
