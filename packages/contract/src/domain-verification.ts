import { z } from 'zod';
import { basePath } from './base-path.ts';
import { domain, normalizeDomain } from './domain.ts';
import { idSchema } from './id.ts';
import { listOf, listQuery } from './list.ts';
import { timestamp } from './timestamp.ts';

/**
 * The canonical form of the host of a site: a host name with at least two labels that browsers and certificate
 * authorities accept, or `*.` before one for every host directly below it. Null for anything else.
 */
export function normalizeSiteHost(text: string): string | null {
  const isWildcard = text.startsWith('*.');
  const host = normalizeDomain(isWildcard ? text.slice(2) : text);
  if (host === null || !host.includes('.') || host.includes('_') || host.length > 240) return null;
  return isWildcard ? `*.${host}` : host;
}

/** The host of a site in a request; becomes its canonical form. */
export const siteHostInput = z
  .string()
  .transform((text, context) => {
    const host = normalizeSiteHost(text);
    if (host !== null) return host;
    context.addIssue({
      code: 'custom',
      message:
        'must be a host name with a dot, such as docs.example.com, or *.preview.example.com: no scheme, port, path, underscore or IP address',
    });
    return z.NEVER;
  })
  .meta({
    description:
      'Host name of the site, or `*.` before one for every host directly below it, for previews. Upper case and international names are normalized.',
    examples: ['docs.example.com'],
  });

const redirectInput = siteHostInput
  .nullable()
  .describe('Another domain of the project, to which requests are redirected with their path. Null: none.');

/** Body of `POST /v1/projects/{projectId}/domains`. */
export const addDomainBody = z
  .strictObject({ domain: siteHostInput, redirectTo: redirectInput.optional() })
  .meta({ id: 'AddDomainRequest', examples: [{ domain: 'docs.example.com' }] });
export type AddDomainBody = z.input<typeof addDomainBody>;

/** Body of `PATCH /v1/projects/{projectId}/domains/{domainId}`. */
export const updateDomainBody = z
  .strictObject({ redirectTo: redirectInput })
  .meta({ id: 'UpdateDomainRequest', examples: [{ redirectTo: null }] });
export type UpdateDomainBody = z.input<typeof updateDomainBody>;

/** What the last check of a domain found. */
export const domainFinding = z.object({
  checkedAt: timestamp,
  dns: z
    .enum(['found', 'missing', 'different', 'failed'])
    .describe(
      'The TXT record has the value, does not exist, has only other values, or could not be looked up.',
    ),
  texts: z.array(z.string()).describe('Values of the TXT record, at most 10.'),
  file: z.enum(['found', 'missing', 'skipped']).describe('The verification file. Skipped: not needed.'),
  addresses: z.array(z.string()).describe('IP addresses of the domain, at most 10.'),
  pointsHere: z
    .boolean()
    .nullable()
    .describe('Whether the domain has an IP address of the site servers; null: not known.'),
  messages: z.array(z.string()).describe('Errors of the lookups and requests, one sentence each.'),
});
export type DomainFinding = z.output<typeof domainFinding>;

/** State of the certificate of a domain. */
export const domainCertificate = z.object({
  state: z
    .enum(['queued', 'running', 'ready', 'failed'])
    .describe(
      '`queued`: an order will start. `running`: an order is in progress. `ready`: a certificate is in use. `failed`: the last order failed and is repeated at `retryAt`; an earlier certificate stays in use.',
    ),
  expiresAt: timestamp.nullable().describe('Expiry of the certificate in use; null: none.'),
  renewAt: timestamp.nullable().describe('When the next order is due.'),
  error: z.string().nullable().describe('Message of the certificate authority to the last failed order.'),
  retryAt: timestamp.nullable().describe('When a failed order is repeated.'),
});
export type DomainCertificate = z.output<typeof domainCertificate>;

/** A domain of a project, its ownership, and what is to be done next. */
export const siteDomain = z
  .object({
    id: idSchema('domain', 'Id of the domain.'),
    domain: z.string().min(1).max(253).describe('Host name, lower case, in punycode; may begin with `*.`.'),
    state: z
      .enum(['pending', 'verified', 'failing', 'expired'])
      .describe(
        '`pending`: not verified yet, no site serves it. `verified`: the organization owns it. `failing`: verified, but the last check did not find the proof; served until `removedAt`. `expired`: the proof was missing for too long; no site serves it.',
      ),
    method: z
      .enum(['dns', 'file', 'trusted'])
      .nullable()
      .describe('What verified it; `trusted`: the installation verifies no domains.'),
    redirectTo: domain.nullable().describe('Domain of the project to which requests are redirected.'),
    basePath,
    record: z
      .object({ name: z.string(), value: z.string() })
      .describe('TXT record that verifies the domain.'),
    file: z
      .object({ url: z.string(), content: z.string() })
      .nullable()
      .describe('File that verifies the domain; null: not possible for a wildcard.'),
    finding: domainFinding.nullable().describe('Result of the last check; null: not checked yet.'),
    nextStep: z
      .object({
        code: z.enum([
          'create_record',
          'fix_record',
          'restore_record',
          'wait',
          'release_elsewhere',
          'start_site_servers',
          'point_domain',
          'fix_certificate',
        ]),
        message: z.string().describe('What to do, in one or more sentences.'),
      })
      .nullable()
      .describe('What to do next; null: nothing.'),
    certificate: domainCertificate
      .nullable()
      .describe('Null: the installation obtains no certificate for it.'),
    verifiedAt: timestamp.nullable(),
    failingSince: timestamp.nullable().describe('First check in a row that did not find the proof.'),
    removedAt: timestamp.nullable().describe('When a failing domain is removed from service.'),
    nextCheckAt: timestamp,
    createdAt: timestamp,
  })
  .meta({ id: 'SiteDomain' });
export type SiteDomain = z.output<typeof siteDomain>;

export const listDomainsQuery = z.strictObject(listQuery);
export const siteDomainList = listOf(siteDomain).meta({ id: 'SiteDomainList' });
export type SiteDomainList = z.output<typeof siteDomainList>;
