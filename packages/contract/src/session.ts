import { z } from 'zod';
import { idSchema } from './id.ts';
import { plan } from './plan.ts';
import { role } from './role.ts';
import { timestamp } from './timestamp.ts';

/** An email address, in lower case. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email('must be an email address such as ada@example.com'))
  .describe('Email address, lower case.');

export const personName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
  .describe('Name of the user.');

/** A new password. Length is all that is asked (NIST SP 800-63B, section 3.1.1.2); common ones are refused by the server. */
export const newPassword = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(200)
  .describe('12 to 200 characters.');

const password = z.string().min(1).max(1_000).describe('Password of the account.');

/** A person with an account. */
export const user = z
  .object({
    id: idSchema('user', 'Id of the user.'),
    email,
    name: personName,
    isOperator: z.boolean().describe('Whether the user is an operator of this installation.'),
    hasPassword: z.boolean().describe('False: the user signs in by single sign-on only.'),
    createdAt: timestamp,
  })
  .meta({
    id: 'User',
    examples: [
      {
        id: 'usr_00112233445566778899aabbccddeeff',
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        isOperator: false,
        hasPassword: true,
        createdAt: '2026-06-01T12:00:00.000Z',
      },
    ],
  });
export type User = z.output<typeof user>;

/** The signed-in user and the organizations. */
export const session = z
  .object({
    user,
    organizations: z.array(
      z.object({
        id: idSchema('organization', 'Id of the organization.'),
        name: z.string(),
        plan,
        role,
      }),
    ),
    expiresAt: timestamp,
  })
  .meta({ id: 'Session' });
export type Session = z.output<typeof session>;

/** Body of `POST /v1/session`. */
export const signInBody = z
  .strictObject({ email, password })
  .meta({ id: 'SignInRequest', examples: [{ email: 'ada@example.com', password: 'a long passphrase' }] });
export type SignInBody = z.input<typeof signInBody>;

/** Body of `POST /v1/users`. */
export const signUpBody = z
  .strictObject({
    email,
    name: personName,
    password: newPassword,
    invitation: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Token of an invitation to this email address, which the sign-up accepts.'),
  })
  .meta({
    id: 'SignUpRequest',
    examples: [{ email: 'ada@example.com', name: 'Ada Lovelace', password: 'a long passphrase' }],
  });
export type SignUpBody = z.input<typeof signUpBody>;

/** What the sign-in page offers. */
export const signInOptions = z
  .object({
    signUp: z
      .enum(['open', 'invited', 'closed'])
      .describe('Who can create an account: everyone, invited users or no one.'),
    passwords: z.boolean().describe('Whether users can sign in with email and password.'),
    mail: z.boolean().describe('Whether the server sends mail. Without mail, an operator resets passwords.'),
    singleSignOn: z
      .object({ name: z.string().describe('Name of the provider, for the button.') })
      .nullable()
      .describe('OpenID Connect provider; null: none. Starts at `/v1/single-sign-on`.'),
    docsUrl: z
      .string()
      .nullable()
      .describe('URL of the documentation of Offprint; null if none is configured.'),
  })
  .meta({ id: 'SignInOptions' });
export type SignInOptions = z.output<typeof signInOptions>;

/** Body of `PATCH /v1/user`. */
export const updateUserBody = z
  .strictObject({ name: personName })
  .meta({ id: 'UpdateUserRequest', examples: [{ name: 'Ada King' }] });
export type UpdateUserBody = z.input<typeof updateUserBody>;

/** Body of `PUT /v1/user/password`. */
export const changePasswordBody = z
  .strictObject({ currentPassword: password, newPassword })
  .meta({ id: 'ChangePasswordRequest' });
export type ChangePasswordBody = z.input<typeof changePasswordBody>;

/** A place where the user is signed in. */
export const userSession = z
  .object({
    id: idSchema('session', 'Id of the session; not its secret.'),
    current: z.boolean().describe('Whether this is the session of the request.'),
    address: z.string().nullable().describe('IP address that signed in.'),
    userAgent: z.string().nullable().describe('User agent that signed in.'),
    createdAt: timestamp,
    lastSeenAt: timestamp,
    expiresAt: timestamp,
  })
  .meta({ id: 'UserSession' });
export type UserSession = z.output<typeof userSession>;
export const userSessionList = z.object({ data: z.array(userSession) }).meta({ id: 'UserSessionList' });
export type UserSessionList = z.output<typeof userSessionList>;

/** Body of `POST /v1/password-resets`. */
export const requestPasswordResetBody = z
  .strictObject({ email })
  .meta({ id: 'RequestPasswordResetRequest', examples: [{ email: 'ada@example.com' }] });
export type RequestPasswordResetBody = z.input<typeof requestPasswordResetBody>;

/** Body of `PUT /v1/password-resets`. */
export const resetPasswordBody = z
  .strictObject({
    token: z.string().min(1).max(200).describe('Token of the link.'),
    password: newPassword,
  })
  .meta({ id: 'ResetPasswordRequest' });
export type ResetPasswordBody = z.input<typeof resetPasswordBody>;

/** Why single sign-on sent the browser back to `/sign-in?error=<reason>`. */
export const singleSignOnFaults = [
  /** The provider did not sign the person in. */
  'provider_refused',
  /** The response of the provider is invalid. */
  'provider_failed',
  /** The provider does not respond, or too many attempts were made. */
  'provider_unreachable',
  /** It took too long, or was started in another browser. */
  'state_invalid',
  /** The provider returns no verified email address. */
  'email_unverified',
  /** The account does not exist, and the installation creates none for this person. */
  'sign_up_closed',
  /** An operator has disabled the account. */
  'account_disabled',
] as const;
export type SingleSignOnFault = (typeof singleSignOnFaults)[number];

/** Query of the start of single sign-on: where the browser goes afterwards. */
export const startSingleSignOnQuery = z.strictObject({
  returnTo: z
    .string()
    .max(1_000)
    .regex(/^\/(?![/\\])[\x21-\x7e]*$/, 'must be a path of the dashboard')
    .optional()
    .describe('Path of the dashboard to open afterwards.'),
});

/** Query with which the provider sends the browser back (OpenID Connect Core 1.0, section 3.1.2.5). */
export const finishSingleSignOnQuery = z.object({
  code: z.string().max(8_000).optional(),
  state: z.string().max(1_000).optional(),
  iss: z.string().max(2_000).optional(),
  error: z.string().max(200).optional(),
  error_description: z.string().max(2_000).optional(),
});
