import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { seal, unseal } from '../platform/secret.ts';

const MAX_LENGTH = 8_000;

/** A value that only this platform can read and make, as text of a URL. */
export function sealText(key: Buffer, value: object, context: string): string {
  return seal(key, JSON.stringify(value), context).toString('base64url');
}

/** What `sealText` was given; undefined if the text was made otherwise, for another context or with another key. */
export function openSealed<Schema extends z.ZodType>(
  key: Buffer,
  text: string,
  context: string,
  schema: Schema,
): z.output<Schema> | undefined {
  if (text.length > MAX_LENGTH || !/^[\w-]{40,}$/.test(text)) return undefined;
  try {
    return schema.parse(JSON.parse(unseal(key, Buffer.from(text, 'base64url'), context)));
  } catch {
    return undefined;
  }
}

/** Of the bytes: their text has several spellings. */
export function digestOfSealed(text: string): Buffer {
  return createHash('sha256').update(Buffer.from(text, 'base64url')).digest();
}
