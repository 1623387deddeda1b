import type { CreatedInvitation, CreateInvitationBody } from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Principal } from '../platform/http/route.ts';
import type { Logger } from '../platform/log.ts';
import type { Mailer } from '../platform/mail.ts';
import { invitationUrl, makeInvitation, type RequireUsable } from './invitations.ts';
import { readOrganization } from './organizations.ts';

export interface InviteAdapters {
  db: Kysely<Database>;
  /** Address of the dashboard. */
  publicUrl(): string;
  /** Null: nothing is mailed. */
  mail: Mailer | null;
  requireUsable: RequireUsable;
  log: Logger;
}

/** Creates an invitation and mails its link; if it cannot be mailed, its creator passes it on. */
export async function invite(
  { db, publicUrl, mail, log, requireUsable }: InviteAdapters,
  principal: Principal,
  body: CreateInvitationBody,
): Promise<CreatedInvitation> {
  const { organizationId, name: invitedBy } = principal;
  const { invitation, token } = await db
    .transaction()
    .execute((tx) => makeInvitation(tx, principal, body, requireUsable));
  const url = invitationUrl(publicUrl(), token);
  const created = { ...invitation, url, mailed: false };
  if (mail === null) return created;
  const { name } = await readOrganization(db, organizationId);
  try {
    await mail.send({
      to: invitation.email,
      subject: `Join ${name} on Offprint`,
      text: mailText({ organization: name, invitedBy, url }),
    });
    return { ...created, mailed: true };
  } catch (error) {
    log.error({ err: error, invitationId: invitation.id }, 'could not send an invitation by email');
    return created;
  }
}

function mailText(told: { organization: string; invitedBy: string; url: string }): string {
  return [
    `${told.invitedBy} invites you to the organization ${told.organization}.`,
    '',
    'Open this link to join. It works once, for 7 days:',
    told.url,
    '',
    'If you do not expect this invitation, ignore this email: without the link nothing happens.',
    '',
  ].join('\n');
}
