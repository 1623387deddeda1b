import { type Role, routes } from '@offprint/contract';
import { changesBetween } from '../platform/http/changes.ts';
import type { Answer, HandledRoute } from '../platform/http/route.ts';
import { handle } from '../platform/http/route.ts';
import { acceptInvitation, listInvitations, previewInvitation, revokeInvitation } from './invitations.ts';
import { type InviteAdapters, invite } from './invite.ts';
import { requireGrantable, requireNoAdmin } from './key-rights.ts';
import { changeRole, listMembers, removeMember } from './members.ts';
import {
  createOwnOrganization,
  listOrganizations,
  type OrganizationRules,
  readOrganization,
  renameOrganization,
  setPlan,
} from './organizations.ts';

export type OrganizationAdapters = InviteAdapters & { rules: OrganizationRules };

export function organizationRoutes(adapters: OrganizationAdapters): HandledRoute[] {
  return [
    ...ownRoutes(adapters),
    ...memberRoutes(adapters),
    ...invitationRoutes(adapters),
    ...operatorRoutes(adapters),
  ];
}

function ownRoutes({ db, rules }: OrganizationAdapters): HandledRoute[] {
  return [
    handle(routes.getOrganization, async ({ principal }) => ({
      status: 200,
      body: await readOrganization(db, principal.organizationId),
    })),
    handle(routes.updateOrganization, async ({ principal, body }) => {
      const before = await readOrganization(db, principal.organizationId);
      const organization = await renameOrganization(db, principal.organizationId, body.name);
      return { status: 200, body: organization, act: { changes: changesBetween(before, organization) } };
    }),
    handle(routes.createOrganization, async ({ user, body }) => {
      const organization = await createOwnOrganization(db, user, body, rules);
      return { status: 201, body: organization, act: { organizationId: organization.id } };
    }),
    handle(routes.leaveOrganization, async ({ user, params: { organizationId } }) => {
      await db
        .transaction()
        .execute((tx) => removeMember(tx, organizationId, user.id, { thing: 'organization' }));
      return { status: 204, act: asMember(user, organizationId) };
    }),
  ];
}

function memberRoutes({ db }: OrganizationAdapters): HandledRoute[] {
  return [
    handle(routes.listMembers, async ({ principal, query }) => ({
      status: 200,
      body: await listMembers(db, principal.organizationId, query),
    })),
    handle(routes.updateMember, async ({ principal, params, body }) => {
      const admit = (held: Role) => {
        requireNoAdmin(principal, held);
        requireGrantable(principal, body.role);
      };
      const { before, member } = await db
        .transaction()
        .execute((tx) => changeRole(tx, principal.organizationId, params.userId, body.role, admit));
      const changes = changesBetween({ role: before }, { role: member.role });
      return { status: 200, body: member, act: { changes } };
    }),
    handle(routes.removeMember, async ({ principal, params }) => {
      const admit = (held: Role) => requireNoAdmin(principal, held);
      await db
        .transaction()
        .execute((tx) => removeMember(tx, principal.organizationId, params.userId, { admit }));
      return { status: 204 };
    }),
  ];
}

function invitationRoutes(adapters: OrganizationAdapters): HandledRoute[] {
  const { db } = adapters;
  return [
    handle(routes.listInvitations, async ({ principal, query }) => ({
      status: 200,
      body: await listInvitations(db, principal.organizationId, query),
    })),
    handle(routes.createInvitation, async ({ principal, body }) => ({
      status: 201,
      body: await invite(adapters, principal, body),
    })),
    handle(routes.revokeInvitation, async ({ principal, params }) => {
      await revokeInvitation(db, principal.organizationId, params.invitationId);
      return { status: 204 };
    }),
    handle(routes.previewInvitation, async ({ body }) => ({
      status: 200,
      body: await previewInvitation(db, body.token),
    })),
    handle(routes.acceptInvitation, async ({ user, body }) => {
      const organization = await db
        .transaction()
        .execute((tx) => acceptInvitation(tx, { userId: user.id, email: user.email }, body.token));
      return { status: 200, body: organization, act: asMember(user, organization.id) };
    }),
  ];
}

function operatorRoutes({ db }: OrganizationAdapters): HandledRoute[] {
  return [
    handle(routes.listOperatedOrganizations, async ({ query }) => ({
      status: 200,
      body: await listOrganizations(db, query),
    })),
    handle(routes.updateOperatedOrganization, async ({ params: { organizationId }, body }) => {
      const before = await readOrganization(db, organizationId);
      const organization = await setPlan(db, organizationId, body.plan);
      const changes = changesBetween({ plan: before.plan }, { plan: organization.plan });
      return { status: 200, body: organization, act: { organizationId, changes } };
    }),
  ];
}

/** A change to an organization by a user is recorded in its log as an event of a member. */
function asMember(user: { id: string; email: string }, organizationId: string): NonNullable<Answer['act']> {
  return { organizationId, actor: { kind: 'member', id: user.id, name: user.email } };
}
