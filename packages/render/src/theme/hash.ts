import { createHash } from 'node:crypto';

/** Ten hexadecimal digits of SHA-256, for names that change with their content. */
export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 10);
}
