import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Mailer } from '../platform/mail.ts';
import { digestOf, newToken } from './token.ts';
import { countMailedResets, findUserRowByEmail, insertReset } from './user-store.ts';
import { RESET_MINUTES, resetUrl } from './users.ts';

/** Mails that one account gets in an hour, however often somebody asks. */
const PER_HOUR = 3;

/** Mails a link that sets a new password, to an account that has or may have one. Throws when the mail is not taken. */
export async function mailResetLink(
  adapters: {
    db: Kysely<Database>;
    mailer: Mailer;
    publicUrl: string;
    mayUsePassword(user: { is_operator: boolean }): boolean;
  },
  email: string,
): Promise<void> {
  const { db, mailer, publicUrl } = adapters;
  const user = await findUserRowByEmail(db, email);
  if (user === undefined || user.disabled_at !== null || !adapters.mayUsePassword(user)) return;
  const token = newToken();
  const isMade = await db.transaction().execute(async (tx) => {
    if ((await countMailedResets(tx, user.id)) >= PER_HOUR) return false;
    await insertReset(tx, {
      tokenSha256: digestOf(token),
      userId: user.id,
      minutes: RESET_MINUTES,
      mailed: true,
    });
    return true;
  });
  if (!isMade) return;
  await mailer.send({
    to: user.email,
    subject: 'Set a new password for Offprint',
    text: `Someone, most likely you, requested a new password for ${user.email} at ${publicUrl}.

Set it here within an hour:
${resetUrl(publicUrl, token)}

If you did not request this, ignore this email: your password stays the same.
`,
  });
}
