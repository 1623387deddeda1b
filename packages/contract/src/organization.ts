import { z } from 'zod';
import { idSchema } from './id.ts';
import { listOf, listQuery } from './list.ts';
import { plan } from './plan.ts';
import { role } from './role.ts';
import { email, personName } from './session.ts';
import { timestamp } from './timestamp.ts';

export const organizationName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
  .describe('Display name of the organization.');

/** The tenant that a key or a member belongs to. */
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

/** Body of `POST /v1/organizations`. */
export const createOrganizationBody = z
  .strictObject({
    name: organizationName,
    plan: plan.optional().describe('Operators only. Default: the default plan of the installation.'),
  })
  .meta({ id: 'CreateOrganizationRequest', examples: [{ name: 'Acme' }] });
export type CreateOrganizationBody = z.input<typeof createOrganizationBody>;

/** Body of `PATCH /v1/organization`. */
export const updateOrganizationBody = z
  .strictObject({ name: organizationName })
  .meta({ id: 'UpdateOrganizationRequest', examples: [{ name: 'Acme Docs' }] });
export type UpdateOrganizationBody = z.input<typeof updateOrganizationBody>;

/** A user in an organization. */
export const member = z
  .object({
    userId: idSchema('user', 'Id of the user.'),
    email,
    name: personName,
    role,
    joinedAt: timestamp,
    lastSeenAt: timestamp
      .nullable()
      .describe('Last use of the dashboard, with a resolution of one minute; null before the first use.'),
  })
  .meta({
    id: 'Member',
    examples: [
      {
        userId: 'usr_00112233445566778899aabbccddeeff',
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        role: 'admin',
        joinedAt: '2026-06-01T12:00:00.000Z',
        lastSeenAt: '2026-06-02T08:30:00.000Z',
      },
    ],
  });
export type Member = z.output<typeof member>;
export const listMembersQuery = z.strictObject(listQuery);
export const memberList = listOf(member).meta({ id: 'MemberList' });
export type MemberList = z.output<typeof memberList>;

/** Body of `PATCH /v1/members/{userId}`. */
export const updateMemberBody = z
  .strictObject({ role })
  .meta({ id: 'UpdateMemberRequest', examples: [{ role: 'editor' }] });
export type UpdateMemberBody = z.input<typeof updateMemberBody>;

/** Body of `POST /v1/invitations`. */
export const createInvitationBody = z
  .strictObject({ email, role })
  .meta({ id: 'CreateInvitationRequest', examples: [{ email: 'grace@example.com', role: 'editor' }] });
export type CreateInvitationBody = z.input<typeof createInvitationBody>;

/** An invitation that waits to be accepted. */
export const invitation = z
  .object({
    id: idSchema('invitation', 'Id of the invitation.'),
    email,
    role,
    invitedBy: z.string().describe('Who sent it: the email address of a member, or the name of a key.'),
    createdAt: timestamp,
    expiresAt: timestamp,
  })
  .meta({
    id: 'Invitation',
    examples: [
      {
        id: 'inv_00112233445566778899aabbccddeeff',
        email: 'grace@example.com',
        role: 'editor',
        invitedBy: 'ada@example.com',
        createdAt: '2026-06-01T12:00:00.000Z',
        expiresAt: '2026-06-08T12:00:00.000Z',
      },
    ],
  });
export type Invitation = z.output<typeof invitation>;

/** A new invitation with its link, which is shown this once. */
export const createdInvitation = invitation
  .extend({
    url: z.url().describe('Link to accept the invitation. Shown only once.'),
    mailed: z
      .boolean()
      .describe('Whether the link was sent by email. Without mail settings, pass it on yourself.'),
  })
  .meta({ id: 'CreatedInvitation' });
export type CreatedInvitation = z.output<typeof createdInvitation>;
export const listInvitationsQuery = z.strictObject(listQuery);
export const invitationList = listOf(invitation).meta({ id: 'InvitationList' });
export type InvitationList = z.output<typeof invitationList>;

export const invitationToken = z.string().min(1).max(200).describe('Token of the link of an invitation.');

/** What the page of an invitation shows before it is accepted. */
export const invitationPreview = z
  .object({
    organizationName: z.string(),
    email,
    role,
    hasAccount: z
      .boolean()
      .describe('Whether an account with this email address exists. If not, the user signs up.'),
  })
  .meta({ id: 'InvitationPreview' });
export type InvitationPreview = z.output<typeof invitationPreview>;
