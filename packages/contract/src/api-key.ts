import { z } from 'zod';
import { idSchema } from './id.ts';
import { keyPattern } from './key.ts';
import { listOf, listQuery } from './list.ts';
import { scope, scopeInput } from './scope.ts';
import { timestamp } from './timestamp.ts';

/** Shortest prefixes of an allow-list entry: a shorter prefix would not be a restriction. */
const widest = { 4: 8, 6: 16 } as const;

const cidr = z
  .union([z.cidrv4(), z.cidrv6()], {
    error: 'must be an address range such as 203.0.113.0/24 or 2001:db8::/32',
  })
  .refine((text) => Number(text.split('/')[1]) >= widest[text.includes(':') ? 6 : 4], {
    message: 'is too wide: the shortest prefix is /8 for IPv4 and /16 for IPv6',
  })
  .refine((text) => !isMappedIpv4(text), { message: 'must be written as an IPv4 range' });

/** Whether a range is in `::ffff:0:0/96`, where a short-looking prefix can cover all of IPv4. */
function isMappedIpv4(range: string): boolean {
  if (!range.includes(':')) return false;
  const address = URL.parse(`http://[${range.split('/')[0]}]/`);
  return address?.hostname.startsWith('[::ffff:') === true;
}

/** Body of `POST /v1/api-keys`. */
export const createApiKeyBody = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
      .describe('What the key is for.'),
    scopes: z
      .array(scopeInput)
      .max(20)
      .optional()
      .describe('What the key may do. Default and empty: `exports:write`.'),
    projects: z
      .array(z.string().min(1).max(100))
      .min(1, 'must name at least one project, or be null for all projects')
      .max(100)
      .nullable()
      .optional()
      .describe(
        'Ids of the projects to which the key is limited. Such a key cannot use operations that concern the whole organization. Null: all projects, including future ones. Default: the projects of the key that sends the request, else null.',
      ),
    expiresInDays: z
      .union([z.literal(7), z.literal(30), z.literal(60), z.literal(90), z.null()], {
        error: 'must be 7, 30, 60, 90 or null (never)',
      })
      .optional()
      .describe(
        'Days until the key expires; null: never. Default: 90, or until the key expires that sends the request.',
      ),
    expiresAt: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2026-06-01T12:00:00Z' })
      .optional()
      .describe('When the key expires, instead of `expiresInDays`.'),
    allowedCidrs: z
      .array(cidr)
      .max(50)
      .optional()
      .describe(
        'IP address ranges from which the key works. Empty: any. Default: those of the key that sends the request, else any.',
      ),
  })
  .refine((body) => body.expiresAt === undefined || body.expiresInDays === undefined, {
    path: ['expiresAt'],
    message: 'must be omitted if expiresInDays is sent',
  })
  .meta({
    id: 'CreateApiKeyRequest',
    examples: [
      {
        name: 'release pipeline',
        scopes: ['exports:write'],
        projects: ['prj_00112233445566778899aabbccddeeff'],
        expiresInDays: 30,
        allowedCidrs: ['203.0.113.0/24'],
      },
    ],
  });
export type CreateApiKeyBody = z.input<typeof createApiKeyBody>;

/** An admin API key without its secret. */
export const apiKey = z
  .object({
    id: idSchema('apiKey', 'Id of the key; not the key.'),
    name: z.string(),
    last4: z.string().describe('Last four characters of the key.'),
    scopes: z.array(scope),
    projects: z
      .array(idSchema('project', 'Id of a project.'))
      .nullable()
      .describe('Projects to which the key is limited; null: all projects, including future ones.'),
    allowedCidrs: z.array(z.string()),
    createdBy: z.string().describe('Who created it: a member or another key.'),
    createdByKey: idSchema('apiKey', 'Id of the key that created it.')
      .nullable()
      .describe('The key that created it, and with which it is revoked; null: not created by a key.'),
    createdAt: timestamp,
    expiresAt: timestamp.nullable().describe('Null: never.'),
    lastUsedAt: timestamp.nullable().describe('With a resolution of one minute; null before the first use.'),
    revokedAt: timestamp.nullable(),
  })
  .meta({
    id: 'ApiKey',
    examples: [
      {
        id: 'key_ffeeddccbbaa99887766554433221100',
        name: 'release pipeline',
        last4: 'x7Qa',
        scopes: ['exports:write'],
        projects: ['prj_00112233445566778899aabbccddeeff'],
        allowedCidrs: ['203.0.113.0/24'],
        createdBy: 'owner@example.com',
        createdByKey: null,
        createdAt: '2026-06-01T12:00:00.000Z',
        expiresAt: '2026-07-01T12:00:00.000Z',
        lastUsedAt: null,
        revokedAt: null,
      },
    ],
  });
export type ApiKey = z.output<typeof apiKey>;

/** A new key with its secret, which is shown this once. */
export const createdApiKey = apiKey
  .extend({
    key: z
      .string()
      .regex(new RegExp(`^${keyPattern.source}$`))
      .describe('The key. Shown only once.'),
  })
  .meta({ id: 'CreatedApiKey' });
export type CreatedApiKey = z.output<typeof createdApiKey>;

/** Query of `GET /v1/api-keys`. */
export const listApiKeysQuery = z.strictObject(listQuery);
export const apiKeyList = listOf(apiKey).meta({ id: 'ApiKeyList' });
export type ApiKeyList = z.output<typeof apiKeyList>;
