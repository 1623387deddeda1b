import { createHash, randomBytes } from 'node:crypto';

/** A secret that its holder shows: 256 random bits, base64url, 43 characters. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What the database keeps of a token. It needs no salt: nobody guesses 256 bits. */
export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
