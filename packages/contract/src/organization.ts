import { z } from 'zod';
import { idSchema } from './id.ts';
import { timestamp } from './timestamp.ts';

/** What an organization has paid for. Static export needs `enterprise`. */
export const plan = z.enum(['free', 'pro', 'enterprise']).describe('Static export needs `enterprise`.');
export type Plan = z.output<typeof plan>;

/** The tenant that the key belongs to. */
export const organization = z
  .object({
    id: idSchema('organization', 'Id of the organization.'),
    name: z.string(),
    plan,
    createdAt: timestamp,
  })
  .meta({
    id: 'Organization',
    examples: [
      {
        id: 'org_00112233445566778899aabbccddeeff',
        name: 'Acme',
        plan: 'enterprise',
        createdAt: '2026-06-01T12:00:00.000Z',
      },
    ],
  });
export type Organization = z.output<typeof organization>;
