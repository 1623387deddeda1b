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
  acmeDirectory: {
    name: 'OFFPRINT_ACME_DIRECTORY',
    default: null,
    meaning:
      'URL of the ACME directory of a certificate authority, such as https://acme-v02.api.letsencrypt.org/directory. Setting it accepts the terms of the authority. Unset: no certificates; TLS is terminated by a proxy.',
    secret: false,
    schema: z
      .string()
      .refine(
        (text) => URL.parse(text)?.protocol === 'https:' && URL.parse(text)?.username === '',
        'must be an https URL without credentials',
      )
      .optional(),
  },
  acmeEmail: {
    name: 'OFFPRINT_ACME_EMAIL',
    default: null,
    meaning: 'Email address that the certificate authority notifies. Unset: none.',
    secret: false,
    schema: z.email('must be an email address').optional(),
  },
  acmeChallenge: {
    name: 'OFFPRINT_ACME_CHALLENGE',
    default: 'http-01',
    meaning:
      'How domains are proven to the certificate authority: http-01 (port 80 of the site servers) or tls-alpn-01 (port 443).',
    secret: false,
    schema: z.enum(['http-01', 'tls-alpn-01'], 'must be http-01 or tls-alpn-01'),
  },
  acmeCaFile: {
    name: 'OFFPRINT_ACME_CA_FILE',
    default: null,
    meaning:
      'PEM file with the certificate authorities that are trusted for OFFPRINT_ACME_DIRECTORY, for a private authority. Unset: OFFPRINT_CA_FILE, otherwise those of Node.',
    secret: false,
    schema: z.string().min(1).optional(),
  },
  acmeKeyId: {
    name: 'OFFPRINT_ACME_EAB_KEY_ID',
    default: null,
    meaning:
      'Key id of the external account binding, where the certificate authority requires one. Together with OFFPRINT_ACME_EAB_HMAC_KEY.',
    secret: false,
    schema: z.string().min(1).max(500).optional(),
  },
  acmeMacKey: {
    name: 'OFFPRINT_ACME_EAB_HMAC_KEY',
    default: null,
    meaning: 'HMAC key of the external account binding, base64url.',
    secret: true,
    schema: z
      .string()
      .regex(/^[A-Za-z0-9_-]{8,500}={0,2}$/, 'must be base64url')
      .optional(),
  },
} as const satisfies Record<string, Setting>;
