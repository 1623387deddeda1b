import { z } from 'zod';
import { idSchema } from './id.ts';
import { listOf, listQuery } from './list.ts';
import { organization } from './organization.ts';
import { plan } from './plan.ts';
import { user } from './session.ts';
import { timestamp } from './timestamp.ts';

/** An organization as operators see it. */
export const operatedOrganization = organization
  .extend({
    members: z.int().min(0).describe('Number of members.'),
    projects: z.int().min(0).describe('Number of projects.'),
  })
  .meta({ id: 'OperatedOrganization' });
export type OperatedOrganization = z.output<typeof operatedOrganization>;

const search = z.string().max(200).optional().describe('Part of a name or an email address.');

export const listOperatedOrganizationsQuery = z.strictObject({ search, ...listQuery });
export const operatedOrganizationList = listOf(operatedOrganization).meta({ id: 'OperatedOrganizationList' });
export type OperatedOrganizationList = z.output<typeof operatedOrganizationList>;

/** Body of `PATCH /v1/operator/organizations/{organizationId}`. */
export const updateOperatedOrganizationBody = z
  .strictObject({ plan })
  .meta({ id: 'UpdateOperatedOrganizationRequest', examples: [{ plan: 'enterprise' }] });
export type UpdateOperatedOrganizationBody = z.input<typeof updateOperatedOrganizationBody>;

/** A user as operators see one. */
export const operatedUser = user
  .extend({
    disabledAt: timestamp.nullable().describe('When the user was disabled; null: enabled.'),
    lastSignInAt: timestamp.nullable(),
    organizations: z.int().min(0).describe('Number of organizations.'),
  })
  .meta({ id: 'OperatedUser' });
export type OperatedUser = z.output<typeof operatedUser>;
export const listOperatedUsersQuery = z.strictObject({ search, ...listQuery });
export const operatedUserList = listOf(operatedUser).meta({ id: 'OperatedUserList' });
export type OperatedUserList = z.output<typeof operatedUserList>;

/** Body of `PATCH /v1/operator/users/{userId}`. */
export const updateOperatedUserBody = z
  .strictObject({
    disabled: z.boolean().optional().describe('Disabling a user ends all sessions.'),
    isOperator: z.boolean().optional(),
  })
  .meta({ id: 'UpdateOperatedUserRequest', examples: [{ disabled: true }] });
export type UpdateOperatedUserBody = z.input<typeof updateOperatedUserBody>;

/** A link with which a user sets a new password, shown this once. */
export const passwordResetLink = z
  .object({
    userId: idSchema('user', 'Id of the user.'),
    url: z.url().describe('Link to set a new password. Shown only once.'),
    expiresAt: timestamp,
  })
  .meta({ id: 'PasswordResetLink' });
export type PasswordResetLink = z.output<typeof passwordResetLink>;
