import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Proof of work: a number so that SHA-256 of `<challenge>.<number>` starts with as many zero bits as the challenge asks
 * for. A challenge is `<bits>.<expires>.<random>.<mac>`, so that no process stores it.
 */
const MIN_BITS = 15;
const MAX_BITS = 20;
const VALID_SECONDS = 300;

/** A challenge for one question on a site. `load`: questions as a multiple of those that need none. */
export function createChallenge(key: Buffer, projectId: string, load: number, now = Date.now()): string {
  const bits = Math.min(MAX_BITS, MIN_BITS + Math.floor(Math.log2(Math.max(1, load))));
  const expires = Math.floor(now / 1_000) + VALID_SECONDS;
  const head = `${bits}.${expires}.${randomBytes(12).toString('base64url')}`;
  return `${head}.${macOf(key, projectId, head)}`;
}

/** Whether the proof fits its challenge, which this installation has created for the site and which is still valid. */
export function checkProof(
  key: Buffer,
  projectId: string,
  { challenge, solution }: { challenge: string; solution: string },
  now = Date.now(),
): boolean {
  const parts = /^(\d{1,2})\.(\d{1,12})\.[A-Za-z0-9_-]{16}(?=\.([A-Za-z0-9_-]{43})$)/.exec(challenge);
  if (parts === null || !/^\d{1,15}$/.test(solution)) return false;
  const [head, bits, expires, mac = ''] = parts;
  const isOwn = timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(key, projectId, head)));
  if (!isOwn || Number(expires) * 1_000 < now) return false;
  const digest = createHash('sha256').update(`${challenge}.${solution}`).digest();
  return digest.readUInt32BE(0) >>> (32 - Number(bits)) === 0;
}

function macOf(key: Buffer, projectId: string, head: string): string {
  return createHmac('sha256', key).update(`${projectId}\n${head}`).digest('base64url');
}
