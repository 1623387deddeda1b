import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { type Plan, plans } from '@offprint/contract';
import { z } from 'zod';

/** One setting: a row of the table in the documentation, and the rule that reads it. */
export interface Setting {
  /** Environment variable. A secret is also read from the file that `<name>_FILE` names. */
  name: string;
  /** What an unset or empty variable means; null = nothing, the meaning says what happens then. */
  default: string | null;
  meaning: string;
  secret: boolean;
  schema: z.ZodType;
}

/** A whole number in decimal digits between `min` and `max`. */
export const integer = (min: number, max: number, unit: string) =>
  z
    .string()
    .regex(/^\d{1,12}$/, `must be a whole number${unit === '' ? '' : ` of ${unit}`}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

/** One number for every plan, or numbers by plan such as `free=10,pro=100`; a plan that is left out has 0: no limit. */
export const planLimits = (unit: string) => {
  const number = integer(0, 1_000_000_000, unit);
  return z.string().transform((text, context): Readonly<Record<Plan, number>> => {
    const limits = { free: 0, pro: 0, enterprise: 0 };
    const entries: [string, string][] = /^\d+$/.test(text)
      ? plans.map((plan) => [plan, text])
      : text.split(',').map((item) => {
          const [plan = '', value = ''] = item.split('=').map((part) => part.trim());
          return [plan, value];
        });
    for (const [name, value] of entries) {
      const plan = plans.find((known) => known === name);
      const parsed = number.safeParse(value);
      if (plan === undefined || !parsed.success) {
        context.addIssue({
          code: 'custom',
          message: `must be a whole number of ${unit}, or numbers by plan such as free=10,pro=100`,
        });
        return z.NEVER;
      }
      limits[plan] = parsed.data;
    }
    return limits;
  });
};

/** `true`, `false`, `1` or `0`. */
export const flag = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((value) => value === 'true' || value === '1');

/** `true`, `false`, or the absolute path of a folder: `/` stands for every folder, null for none. */
export const folderRoot = z
  .string()
  .refine(
    (text) => isAbsolute(text) || flag.safeParse(text).success,
    'must be true, false or the absolute path of a folder',
  )
  .transform((text) => (isAbsolute(text) ? text : flag.parse(text) ? '/' : null));

/** A number from 0 to 1. */
export const ratio = z
  .string()
  .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/, 'must be a number from 0 to 1')
  .transform(Number);

/** Headers as `name=value` with commas between, values percent-encoded. */
export const headerList = z.string().transform((text, context): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {};
  for (const item of text.split(',')) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*((?:%[\da-f]{2}|[^%\s])*)\s*$/i.exec(item) ?? [];
    if (name === undefined || value === undefined) {
      context.addIssue({ code: 'custom', message: 'must be headers such as name=value, comma-separated' });
      return z.NEVER;
    }
    headers[name] = decodeURIComponent(value);
  }
  return headers;
});

/** Items with commas between. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** Addresses or networks with commas between. */
export const cidrs = list.refine(
  (items) => items.every(isAddressOrCidr),
  'must be a comma-separated list of addresses or networks such as 10.0.0.0/8',
);

const CONTACT = /^(?:mailto:[^\s@]+@[^\s@]+\.[^\s@]+|https:\/\/[^\s]+|tel:\+?[\d().-]+)$/;

/** Contacts of security.txt as URIs, with commas between. */
export const contacts = list
  .transform((items) => items.map((item) => (/^[^\s:/]+@/.test(item) ? `mailto:${item}` : item)))
  .refine(
    (items) => items.every((item) => CONTACT.test(item)),
    'must be a comma-separated list of email addresses, https URLs and tel: numbers',
  );

/** An origin: http or https, host and port. */
export const publicUrl = z
  .string()
  .refine(
    isOrigin,
    'must be an http or https URL without path, query and credentials, such as https://docs.example.com',
  )
  .transform((text) => new URL(text).origin);

/** A page of the web: http or https, without credentials; a slash at the end is removed. */
export const webUrl = z
  .string()
  .refine(
    isWebUrl,
    'must be an http or https URL without credentials, query and fragment, such as https://docs.example.com/offprint',
  )
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

/** A URL of PostgreSQL. */
export const databaseUrl = z
  .string()
  .refine(
    (text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text),
    'must be a URL that starts with postgresql://',
  );

function isAddressOrCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === ''
  );
}
