import { randomBytes } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID: 48 bits of time in milliseconds and 80 random bits, so that ids sort by time and cannot be guessed. */
export function newUlid(now = Date.now()): string {
  let time = '';
  for (let rest = now, digit = 0; digit < 10; digit++) {
    time = DIGITS[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  // 16 of 20 bytes: five bits of each are used.
  return time + Array.from(randomBytes(16), (byte) => DIGITS[byte & 31]).join('');
}

export const isUlid = (text: string): boolean => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text);
