import { hash } from 'node:crypto';

/** A strong ETag of a response's bytes. */
export function etagOf(content: string): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}

/** Whether `If-None-Match` names the ETag (RFC 9110, 13.1.2: weak comparison, `*` matches anything). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((item) => item.trim().replace(/^W\//, '') === etag);
}
