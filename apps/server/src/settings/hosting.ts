import { normalizeDomain } from '@offprint/contract';
import { z } from 'zod';
import type { Setting } from './setting.ts';

/** Sites that site servers follow. */
export const hostingSettings = {
  hostingToken: {
    name: 'OFFPRINT_HOSTING_TOKEN',
    default: null,
    meaning:
      'Token with which site servers ask which sites to serve, at least 32 characters. The holder can download the bundles of all served sites. Unset: the platform serves no sites.',
    secret: true,
    schema: z
      .string()
      .min(32, 'must have at least 32 characters')
      .max(500)
      .regex(/^[\x21-\x7e]+$/, 'must consist of printable ASCII characters without spaces')
      .optional(),
  },
  previewDomain: {
    name: 'OFFPRINT_PREVIEW_DOMAIN',
    default: null,
    meaning:
      'Domain below which each preview of a branch has its host, such as previews.example.net. Use a domain on which nothing else is served. Unset: only projects with a verified wildcard domain have previews of branches.',
    secret: false,
    schema: z
      .string()
      .transform((text, context) => {
        const domain = normalizeDomain(text);
        // The host of a preview is a label of up to 63 characters longer.
        if (domain !== null && domain.length <= 189 && domain.includes('.')) return domain;
        context.addIssue({
          code: 'custom',
          message: 'must be a host name of at most 189 characters such as previews.example.net',
        });
        return z.NEVER;
      })
      .optional(),
  },
} as const satisfies Record<string, Setting>;
