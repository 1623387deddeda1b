import { z } from 'zod';
import { flag, integer, list, type Setting } from './setting.ts';

type AccountsConfig = {
  [Name in keyof typeof accountsSettings]: z.output<(typeof accountsSettings)[Name]['schema']>;
};

/** Settings that make sense together only. */
export function accountsFaults(config: Partial<AccountsConfig>): { name: string; message: string }[] {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcDomains, passwords } = accountsSettings;
  const faults: { name: string; message: string }[] = [];
  if (config.oidcIssuer !== undefined) {
    if (config.oidcClientId !== undefined) return faults;
    return [{ name: oidcClientId.name, message: `is missing; ${oidcIssuer.name} is set` }];
  }
  const unused = [
    { ...oidcClientId, isSet: config.oidcClientId !== undefined },
    { ...oidcClientSecret, isSet: config.oidcClientSecret !== undefined },
    { ...oidcDomains, isSet: (config.oidcDomains ?? []).length > 0 },
  ];
  for (const { name, isSet } of unused) {
    if (isSet) faults.push({ name, message: `is set without ${oidcIssuer.name}` });
  }
  if (config.passwords === false) {
    faults.push({
      name: passwords.name,
      message: `is false without ${oidcIssuer.name}: nobody could sign in`,
    });
  }
  return faults;
}

/** Accounts, organizations and what they may do. */
export const accountsSettings = {
  signUp: {
    name: 'OFFPRINT_SIGN_UP',
    default: 'invited',
    meaning:
      'Who can create an account in the dashboard: open (everyone), invited (users with an invitation) or closed (only operators create accounts).',
    secret: false,
    schema: z.enum(['open', 'invited', 'closed'], 'must be open, invited or closed'),
  },
  defaultPlan: {
    name: 'OFFPRINT_DEFAULT_PLAN',
    default: 'free',
    meaning:
      'Plan of a new organization: free, pro (agent jobs) or enterprise (agent jobs and static export). Operators can change it.',
    secret: false,
    schema: z.enum(['free', 'pro', 'enterprise'], 'must be free, pro or enterprise'),
  },
  operatorEmail: {
    name: 'OFFPRINT_OPERATOR_EMAIL',
    default: 'operator@localhost.localdomain',
    meaning: 'Email address of the account that the first start creates for the operator.',
    secret: false,
    schema: z.email('must be an email address').max(254),
  },
  operatorPassword: {
    name: 'OFFPRINT_OPERATOR_PASSWORD',
    default: null,
    meaning:
      'Password of that account, at least 12 characters. Unset: a password is generated and printed once to standard output. An existing account keeps its password.',
    secret: true,
    schema: z.string().min(12, 'must have at least 12 characters').max(200).optional(),
  },
  sessionDays: {
    name: 'OFFPRINT_SESSION_DAYS',
    default: '14',
    meaning: 'Days without use after which a session expires. Every session expires after 90 days.',
    secret: false,
    schema: integer(1, 90, 'days'),
  },
  passwords: {
    name: 'OFFPRINT_PASSWORDS',
    default: 'true',
    meaning: 'Whether users can sign in with email and password. Operators always can.',
    secret: false,
    schema: flag,
  },
  oidcIssuer: {
    name: 'OFFPRINT_OIDC_ISSUER',
    default: null,
    meaning:
      'Issuer of the OpenID Connect provider for single sign-on, such as https://accounts.example.com. Unset: no single sign-on. Its redirect URI is <public URL>/v1/single-sign-on/callback.',
    secret: false,
    schema: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  },
  oidcClientId: {
    name: 'OFFPRINT_OIDC_CLIENT_ID',
    default: null,
    meaning: 'Client id of this installation at the provider.',
    secret: false,
    schema: z.string().min(1).max(500).optional(),
  },
  oidcClientSecret: {
    name: 'OFFPRINT_OIDC_CLIENT_SECRET',
    default: null,
    meaning: 'Client secret at the provider. Unset: a public client that uses only PKCE.',
    secret: true,
    schema: z.string().min(1).max(4_096).optional(),
  },
  oidcName: {
    name: 'OFFPRINT_OIDC_NAME',
    default: 'single sign-on',
    meaning: 'Name of the provider on the sign-in button.',
    secret: false,
    schema: z.string().min(1).max(60),
  },
  oidcDomains: {
    name: 'OFFPRINT_OIDC_DOMAINS',
    default: '',
    meaning:
      'Email domains, comma-separated, whose users get an account at their first single sign-on. OFFPRINT_SIGN_UP decides about users of other domains.',
    secret: false,
    schema: list,
  },
  smtpUrl: {
    name: 'OFFPRINT_SMTP_URL',
    default: null,
    meaning:
      'Mail server, such as smtps://user:password@mail.example.com. Unset: no mail is sent; links are shown to the user who creates them.',
    secret: true,
    schema: z
      .string()
      .refine(
        (text) => /^smtps?:\/\//.test(text) && URL.canParse(text),
        'must be a URL that starts with smtp:// or smtps://',
      )
      .optional(),
  },
  mailFrom: {
    name: 'OFFPRINT_MAIL_FROM',
    default: 'Offprint <offprint@localhost.localdomain>',
    meaning: 'Sender of mails.',
    secret: false,
    schema: z.string().min(3).max(320),
  },
  auditRetentionDays: {
    name: 'OFFPRINT_AUDIT_RETENTION_DAYS',
    default: '0',
    meaning: 'Days after which audit events are deleted; 0 keeps them permanently.',
    secret: false,
    schema: integer(0, 36_500, 'days'),
  },
  keysPerHour: {
    name: 'OFFPRINT_KEYS_PER_HOUR',
    default: '10',
    meaning: 'Maximum number of API keys that one organization can create per hour.',
    secret: false,
    schema: integer(1, 10_000, 'keys'),
  },
} as const satisfies Record<string, Setting>;
