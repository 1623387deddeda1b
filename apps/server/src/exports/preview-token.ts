import { createHmac, timingSafeEqual } from 'node:crypto';

/** What the token of a preview grants: to see one export. */
export interface PreviewGrant {
  organizationId: string;
  exportId: string;
  expiresAt: Date;
}

/** The form of a token: 40 bytes of grant and a signature of 32, without spare bits at the end. */
export const PREVIEW_TOKEN = /^[A-Za-z0-9_-]{96}$/;

const GRANT_BYTES = 40;

/** Signs a grant. Seconds count, what is below them is cut off. */
export function signPreview(key: Uint8Array, grant: PreviewGrant): string {
  const bytes = Buffer.alloc(GRANT_BYTES);
  bytes.write(digitsOf(grant.organizationId, 'org'), 0, 'hex');
  bytes.write(digitsOf(grant.exportId, 'se'), 16, 'hex');
  bytes.writeBigUInt64BE(BigInt(Math.floor(grant.expiresAt.getTime() / 1000)), 32);
  return Buffer.concat([bytes, signatureOf(key, bytes)]).toString('base64url');
}

/** The grant of a token that was signed with the key and holds at the time; else what is wrong with it. */
export function readPreview(
  key: Uint8Array,
  token: string,
  now: Date,
): { grant: PreviewGrant } | { fault: 'invalid' | 'expired' } {
  if (!PREVIEW_TOKEN.test(token)) return { fault: 'invalid' };
  const bytes = Buffer.from(token, 'base64url');
  const grant = bytes.subarray(0, GRANT_BYTES);
  if (!timingSafeEqual(signatureOf(key, grant), bytes.subarray(GRANT_BYTES))) return { fault: 'invalid' };
  const expiresAt = new Date(Number(grant.readBigUInt64BE(32)) * 1000);
  if (now >= expiresAt) return { fault: 'expired' };
  const organizationId = `org_${grant.toString('hex', 0, 16)}`;
  const exportId = `se_${grant.toString('hex', 16, 32)}`;
  return { grant: { organizationId, exportId, expiresAt } };
}

function signatureOf(key: Uint8Array, grant: Uint8Array): Buffer {
  return createHmac('sha256', key).update('offprint-preview-1\n').update(grant).digest();
}

function digitsOf(id: string, prefix: string): string {
  const digits = new RegExp(`^${prefix}_([0-9a-f]{32})$`).exec(id)?.[1];
  if (digits === undefined) throw new Error(`${id} is not an id of the kind ${prefix}`);
  return digits;
}
