import { isIP } from 'node:net';
import { z } from 'zod';
import { integer, list, type Setting } from './setting.ts';

/** A resolver: an IP address, with a port where it is not 53. */
function isServer(text: string): boolean {
  const [, v6, v6Port, v4, v4Port] =
    /^(?:\[([\da-f:.]+)\](?::(\d{1,5}))?|([\d.]+)(?::(\d{1,5}))?)$/i.exec(text) ?? [];
  const port = Number(v6Port ?? v4Port ?? 53);
  return (isIP(v6 ?? v4 ?? text) !== 0 && port > 0 && port < 65_536) || isIP(text) !== 0;
}

/** Domains of sites. */
export const domainsSettings = {
  domainVerification: {
    name: 'OFFPRINT_DOMAIN_VERIFICATION',
    default: 'required',
    meaning:
      'Whether domains must be verified before sites are served on them: required or off. With off, domains that are added are trusted as long as the installation has one organization; it has no effect with several.',
    secret: false,
    schema: z.enum(['required', 'off'], 'must be required or off'),
  },
  domainGraceHours: {
    name: 'OFFPRINT_DOMAIN_GRACE_HOURS',
    default: '72',
    meaning:
      'Hours for which a verified domain stays in service after its record or file disappeared. Lookups that fail do not count.',
    secret: false,
    schema: integer(1, 8_760, 'hours'),
  },
  dnsServers: {
    name: 'OFFPRINT_DNS_SERVERS',
    default: '',
    meaning:
      'IP addresses of the DNS resolvers that verify domains, comma-separated, each with an optional port. Empty: those of the system.',
    secret: false,
    schema: list.refine(
      (items) => items.every(isServer),
      'must be a comma-separated list of IP addresses such as 10.0.0.2 or 127.0.0.1:5353',
    ),
  },
  siteTarget: {
    name: 'OFFPRINT_SITE_TARGET',
    default: null,
    meaning:
      'Host name or IP address of the site servers, to which domains must point. Shown in the steps of domains. Unset: the steps do not name it.',
    secret: false,
    schema: z
      .string()
      .regex(/^[A-Za-z\d.:-]{1,253}$/, 'must be a host name or an IP address')
      .optional(),
  },
} as const satisfies Record<string, Setting>;
