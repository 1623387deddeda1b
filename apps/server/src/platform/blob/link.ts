import { createHmac, timingSafeEqual } from 'node:crypto';
import { isFileName, requireFileName, requireKey } from './key.ts';

/** What a signed link of the local driver grants. */
export interface BlobLink {
  key: string;
  /** Name the download is saved under. */
  fileName: string;
  expiresAt: Date;
}

export type LinkVerdict =
  | { ok: true; link: BlobLink }
  | { ok: false; fault: 'malformed' | 'tampered' | 'expired' };

const EXPIRES = /^[1-9]\d{0,11}$/;
const SIGNATURE = /^[A-Za-z0-9_-]{43}$/;

/** `<publicUrl>/blobs/<key>?expires=<unix seconds>&name=<file name>&signature=<base64url>`. */
export function signLink(secret: Uint8Array, publicUrl: string, link: BlobLink): string {
  requireKey(link.key);
  requireFileName(link.fileName);
  const expires = String(Math.floor(link.expiresAt.getTime() / 1000));
  const query = new URLSearchParams({
    expires,
    name: link.fileName,
    signature: signature(secret, link.key, expires, link.fileName),
  });
  return `${publicUrl.replace(/\/+$/, '')}/blobs/${link.key}?${query}`;
}

/**
 * Checks a request for `/blobs/<key>?<query>`, GET or HEAD. The signature is checked before the expiry, in
 * constant time, so that `expired` is only returned for a link that was once valid.
 */
export function verifyLink(secret: Uint8Array, key: string, query: URLSearchParams, now: Date): LinkVerdict {
  const [expires, name, given] = [query.get('expires'), query.get('name'), query.get('signature')];
  if (!EXPIRES.test(expires ?? '') || !isFileName(name ?? '') || !SIGNATURE.test(given ?? '')) {
    return { ok: false, fault: 'malformed' };
  }
  const expected = signature(secret, key, expires!, name!);
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(given!))) return { ok: false, fault: 'tampered' };
  const expiresAt = new Date(Number(expires) * 1000);
  if (now >= expiresAt) return { ok: false, fault: 'expired' };
  return { ok: true, link: { key, fileName: name!, expiresAt } };
}

/** As text, which is also what is compared: the last character of base64url has bits that decoding ignores. */
function signature(secret: Uint8Array, key: string, expires: string, fileName: string): string {
  // No field can hold a line break, so that no two grants have the same text.
  return createHmac('sha256', secret)
    .update(['offprint-blob-1', 'GET', key, expires, fileName].join('\n'))
    .digest('base64url');
}
