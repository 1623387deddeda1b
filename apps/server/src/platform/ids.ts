import { randomBytes } from 'node:crypto';

/** `<prefix>_` and 32 hexadecimal digits, 128 bits of the system's generator. */
export function newId<Prefix extends string>(prefix: Prefix): `${Prefix}_${string}` {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}
