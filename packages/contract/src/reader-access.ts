import { z } from 'zod';
import { timestamp } from './timestamp.ts';

/** How readers of a site prove that they may read it. */
export const readerAccessKinds = ['public', 'password', 'members', 'oidc', 'token'] as const;
export const readerAccessKind = z
  .enum(readerAccessKinds)
  .describe(
    '`public`: everyone. `password`: anyone with the password of the site. `members`: members of the organization. `oidc`: users of an OpenID Connect provider. `token`: users of the login of your team, which signs a token.',
  );
export type ReaderAccessKind = z.output<typeof readerAccessKind>;

/** The sites of a project that have an access of their own. */
export const readerSite = z
  .enum(['production', 'preview'])
  .describe('`production`: the site on the domains of the project. `preview`: every preview of it.');
export type ReaderSite = z.output<typeof readerSite>;

const webUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2_048)
  .refine((text) => !/^[^:]*:\/\/[^/]*@/.test(text), 'must not contain a user name or password');

const loginUrl = z.strictObject({
  name: z.string().trim().min(1).max(60).describe('Shown to readers if there are several.'),
  url: webUrl.describe('URL of your login. It gets the page that the reader wants as `redirect`.'),
});

const oidc = {
  issuer: webUrl.describe('Issuer of the provider; its metadata is found by discovery.'),
  clientId: z.string().min(1).max(500),
  scopes: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .regex(/(?:^| )openid(?: |$)/, 'must contain openid')
    .default('openid email profile')
    .describe('Scopes to request, separated by spaces.'),
  groupsClaim: z
    .string()
    .min(1)
    .max(100)
    .default('groups')
    .describe('Claim with the groups of the reader: a list, or one text.'),
  groupsDelimiter: z
    .string()
    .min(1)
    .max(4)
    .nullable()
    .default(null)
    .meta({
      description: 'Separates groups in a text. Null and default: the text is one group.',
      examples: [','],
    }),
  logoutUrl: webUrl
    .nullable()
    .default(null)
    .describe('Where readers go after they sign out. Null and default: the sign-in page of the site.'),
};

const token = {
  loginUrls: z
    .array(loginUrl)
    .max(10)
    .default([])
    .describe('Logins of your team. Readers are redirected to a single one, and choose from several.'),
  issuer: z.string().min(1).max(500).nullable().default(null).describe('Required `iss` claim. Null: any.'),
  audience: z.string().min(1).max(500).nullable().default(null).describe('Required `aud` claim. Null: any.'),
};

const sessionHours = z
  .int()
  .min(1)
  .max(2_160)
  .describe('Hours after which readers sign in again. A token or a provider can set an earlier time.');

const readerAccessInput = z
  .strictObject({
    kind: readerAccessKind,
    sessionHours: sessionHours.optional().describe('Default: unchanged, at first 336.'),
    password: z
      .string()
      .min(8)
      .max(200)
      .optional()
      .describe('New password of the site, of at least 8 characters. Default: unchanged.')
      .meta({ writeOnly: true }),
    oidc: z
      .strictObject({
        ...oidc,
        clientSecret: z
          .string()
          .min(1)
          .max(4_096)
          .nullable()
          .optional()
          .describe('Null: a public client that uses only PKCE. Default: unchanged.')
          .meta({ writeOnly: true }),
      })
      .optional()
      .describe('Default: unchanged. Required for `oidc` at first.'),
    token: z.strictObject(token).optional().describe('Default: unchanged.'),
  })
  .meta({ id: 'ReaderAccessInput' });
export type ReaderAccessInput = z.output<typeof readerAccessInput>;

/** Body of `PUT /v1/projects/{projectId}/access`. */
export const updateReaderAccessBody = z
  .strictObject({
    production: readerAccessInput.optional().describe('Default: unchanged.'),
    preview: readerAccessInput.optional().describe('Default: unchanged.'),
  })
  .meta({
    id: 'UpdateReaderAccessRequest',
    examples: [
      { production: { kind: 'password', password: 'four words of docs' }, preview: { kind: 'members' } },
    ],
  });
export type UpdateReaderAccessBody = z.input<typeof updateReaderAccessBody>;
export type ReaderAccessUpdate = z.output<typeof updateReaderAccessBody>;

/** The access of one site. */
export const siteReaderAccess = z
  .object({
    kind: readerAccessKind,
    sessionHours,
    passwordSetAt: timestamp.nullable().describe('When the password was set; null: not set.'),
    oidc: z
      .object({ ...oidc, hasClientSecret: z.boolean() })
      .nullable()
      .describe('Null: not set up.'),
    token: z.object({
      ...token,
      keyCreatedAt: timestamp.nullable().describe('When the key was created; null: no key was created.'),
    }),
  })
  .meta({ id: 'SiteReaderAccess' });
export type SiteReaderAccess = z.output<typeof siteReaderAccess>;

/** The access to the sites of a project. */
export const readerAccess = z
  .object({ production: siteReaderAccess, preview: siteReaderAccess })
  .meta({ id: 'ReaderAccess' });
export type ReaderAccess = z.output<typeof readerAccess>;

/** Body of the operations on one site. */
export const readerSiteBody = z
  .strictObject({ site: readerSite })
  .meta({ id: 'ReaderSiteRequest', examples: [{ site: 'production' }] });

/** The key with which a login signs tokens. */
export const readerTokenKey = z
  .object({
    privateKey: z
      .string()
      .describe('Ed25519 private key, PKCS #8 in PEM. It is not stored, and not shown again.'),
  })
  .meta({ id: 'ReaderTokenKey' });
export type ReaderTokenKey = z.output<typeof readerTokenKey>;

/** Body of `POST /v1/reader-codes`. */
export const createReaderCodeBody = z
  .strictObject({
    request: z
      .string()
      .min(40)
      .max(3_000)
      .regex(/^[\w-]+$/, 'must be the request of a site')
      .describe('The request in the URL with which the site sent the browser here.'),
  })
  .meta({ id: 'CreateReaderCodeRequest', examples: [{ request: 'x'.repeat(80) }] });

/** The way back to the site. */
export const readerCode = z
  .object({ url: z.url().describe('URL of the site, with a code that is valid once and for one minute.') })
  .meta({ id: 'ReaderCode' });
export type ReaderCode = z.output<typeof readerCode>;
