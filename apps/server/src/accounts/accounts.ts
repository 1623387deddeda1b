import type {
  changePasswordBody,
  resetPasswordBody,
  Session,
  SignInOptions,
  signInBody,
  signUpBody,
  User,
} from '@offprint/contract';
import { type Kysely, sql } from 'kysely';
import type { z } from 'zod';
import { acceptInvitation, isInvited, membershipsOf } from '../organizations/service.ts';
import type { Database } from '../platform/db/database.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import type { MemberPrincipal, UserPrincipal } from '../platform/http/route.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/log.ts';
import type { Mailer } from '../platform/mail.ts';
import { requireUncommon } from './common-password.ts';
import { createLockOut } from './lock-out.ts';
import { hashPassword, isOutdated, matchesPassword } from './password.ts';
import { mailResetLink } from './reset-mail.ts';
import { findSessionEnd } from './session-store.ts';
import {
  authenticate,
  endSessions,
  endToken,
  identify,
  type Place,
  type Started,
  startSession,
} from './sessions.ts';
import { digestOf } from './token.ts';
import {
  deleteResets,
  findReset,
  findUser,
  findUserAt,
  findUserRowByEmail,
  insertUser,
  lockUser,
  takeReset,
  type UserRow,
  updateUserRow,
} from './user-store.ts';
import { emailTaken, presentUser } from './users.ts';

/** What the installation allows. */
export interface AccountRules {
  signUp: 'open' | 'invited' | 'closed';
  /** Whether others than operators sign in with passwords. */
  passwords: boolean;
  /** Days without use after which a session ends. */
  sessionDays: number;
  /** Name of the provider of single sign-on; null: none. */
  singleSignOn: { name: string } | null;
  /** URL of the documentation; null: none. */
  docsUrl: string | null;
}

/** A user who has just signed in. */
export interface SignedIn {
  session: Session;
  started: Started;
}

export interface AccountService {
  /** The user of the session; throws the 401. */
  identify(session: string | undefined): Promise<UserPrincipal>;
  /**
   * The membership of the session's user in an organization; throws the 401, or the 404 for an organization
   * that the user is not a member of.
   */
  authenticate(session: string | undefined, organizationId: string | undefined): Promise<MemberPrincipal>;
  options(): SignInOptions;
  /** Throws `sign_up_closed`, `email_taken`, `token_invalid`, or the 400 for a common password. */
  signUp(body: z.output<typeof signUpBody>, place: Place): Promise<SignedIn>;
  /** `before`: the token of a session that this one takes the place of. */
  signIn(body: z.output<typeof signInBody>, place: Place, before: string | undefined): Promise<SignedIn>;
  /** The session of a user who is signed in. */
  readSession(user: UserPrincipal): Promise<Session>;
  updateUser(id: string, changes: { name: string }): Promise<User>;
  changePassword(
    user: UserPrincipal,
    body: z.output<typeof changePasswordBody>,
    address: string,
  ): Promise<void>;
  /** Mails a link in the background, where there is such an account; throws `mail_missing`. */
  requestReset(email: string): void;
  /** Throws `token_invalid`, or the 400 for a common password. Returns whose password was set. */
  resetPassword(body: z.output<typeof resetPasswordBody>): Promise<{ id: string; email: string }>;
}

export function createAccountService(adapters: {
  db: Kysely<Database>;
  log: Logger;
  mailer: Mailer | null;
  publicUrl: () => string;
  /** 32 bytes under which the lock-out keeps digests. */
  lockOutKey: Buffer;
  rules: AccountRules;
}): AccountService {
  const { db, rules } = adapters;
  const lockOut = createLockOut(db, adapters.lockOutKey);
  const mayUsePassword = (user: { is_operator: boolean }) => rules.passwords || user.is_operator;

  const readSession = async (userId: string, expiresAt: Date): Promise<Session> => {
    const [row, organizations] = await Promise.all([findUser(db, userId), membershipsOf(db, userId)]);
    if (row === undefined) throw notFound('user');
    return { user: presentUser(row), organizations, expiresAt: expiresAt.toISOString() };
  };

  const signedIn = async (user: UserRow, started: Started): Promise<SignedIn> => ({
    session: await readSession(user.id, started.expiresAt),
    started,
  });

  return {
    identify: (token) => identify(db, token, rules.sessionDays),
    authenticate: (token, organizationId) => authenticate(db, token, organizationId, rules.sessionDays),

    options: () => ({
      signUp: rules.passwords ? rules.signUp : 'closed',
      passwords: rules.passwords,
      mail: adapters.mailer !== null,
      singleSignOn: rules.singleSignOn === null ? null : { name: rules.singleSignOn.name },
      docsUrl: rules.docsUrl,
    }),

    async signUp({ email, name, password, invitation }, place) {
      await requireSignUp(db, rules, email, invitation);
      // Reveals that the email address has an account, which only an email to it could avoid. The caller may
      // create accounts here, or holds an invitation to this very email address; nobody else gets this far.
      if ((await findUserRowByEmail(db, email)) !== undefined) throw emailTaken(email);
      requireUncommon(password, email, '/password');
      const passwordHash = await hashPassword(password);
      const made = await db.transaction().execute(async (tx) => {
        const user = await insertUser(tx, {
          id: newId('usr'),
          email,
          name,
          passwordHash,
          // The link of an invitation is also shown to the person who created it.
          isVerified: false,
          isOperator: false,
        });
        if (user === undefined) throw emailTaken(email);
        if (invitation !== undefined) await acceptInvitation(tx, { userId: user.id, email }, invitation);
        return { user, started: await startSession(tx, user.id, place, rules.sessionDays) };
      });
      return signedIn(made.user, made.started);
    },

    async signIn({ email, password }, place, before) {
      const user = await findUserAt(db, email, place.address);
      const attempt = await lockOut.begin({
        account: email,
        address: place.address,
        isKnownPlace: user?.is_known_place === true,
      });
      const isRight = await matchesPassword(password, user?.password_hash);
      // One response for every possible error: a specific one would reveal who has an account.
      const wrong = () => new AppError('credentials_wrong', 'Wrong email or password.');
      if (user === undefined || !isRight || user.disabled_at !== null || !mayUsePassword(user)) throw wrong();
      const isOld = user.password_hash !== null && isOutdated(user.password_hash);
      const newHash = isOld ? await hashPassword(password) : null;
      const started = await db.transaction().execute(async (tx) => {
        if ((await lockUser(tx, user)) === undefined) throw wrong();
        if (newHash !== null) await updateUserRow(tx, user.id, { password_hash: newHash });
        if (before !== undefined) await endToken(tx, before);
        return startSession(tx, user.id, place, rules.sessionDays);
      });
      await attempt.succeeded();
      return signedIn(user, started);
    },

    async readSession(user) {
      const end = await findSessionEnd(db, user.sessionId);
      if (end === undefined) throw notFound('session');
      return readSession(user.id, end);
    },

    async updateUser(id, changes) {
      const row = await updateUserRow(db, id, changes);
      if (row === undefined) throw notFound('user');
      return presentUser(row);
    },

    async changePassword(user, { currentPassword, newPassword }, address) {
      const row = await findUser(db, user.id);
      if (row === undefined || row.password_hash === null || !mayUsePassword(row)) {
        throw new AppError('credentials_wrong', 'The account has no password: it uses single sign-on.');
      }
      // Counted apart from sign-ins: who has got hold of a session must neither guess freely nor lock the owner out.
      const attempt = await lockOut.begin({
        account: `password of ${user.id}`,
        address,
        isKnownPlace: false,
      });
      const wrong = () => new AppError('credentials_wrong', 'The current password is incorrect.');
      if (!(await matchesPassword(currentPassword, row.password_hash))) throw wrong();
      await attempt.succeeded();
      requireUncommon(newPassword, user.email, '/newPassword');
      const hash = await hashPassword(newPassword);
      await db.transaction().execute(async (tx) => {
        if ((await lockUser(tx, row)) === undefined) throw wrong();
        await updateUserRow(tx, user.id, { password_hash: hash });
        await endSessions(tx, user.id, user.sessionId);
        await deleteResets(tx, user.id);
      });
    },

    requestReset(email) {
      const { mailer, log, publicUrl } = adapters;
      if (mailer === null) {
        throw new AppError(
          'mail_missing',
          'This installation does not send email. Ask its operator for a link to set a new password.',
        );
      }
      // Not awaited: how long it takes would tell whether the account exists.
      mailResetLink({ db, mailer, publicUrl: publicUrl(), mayUsePassword }, email).catch((error: unknown) => {
        log.error({ err: error }, 'could not send the email to reset a password');
      });
    },

    async resetPassword({ token, password }) {
      const digest = digestOf(token);
      // Checked first, so that strangers cannot have passwords hashed for nothing.
      const user = await findReset(db, digest);
      if (user === undefined || !mayUsePassword(user)) throw linkInvalid();
      requireUncommon(password, user.email, '/password');
      const hash = await hashPassword(password);
      await db.transaction().execute(async (tx) => {
        const taken = await takeReset(tx, digest);
        if (taken === undefined) throw linkInvalid();
        await updateUserRow(tx, user.id, {
          password_hash: hash,
          ...(taken.mailed ? { email_verified_at: sql<Date>`coalesce(email_verified_at, now())` } : {}),
        });
        await endSessions(tx, user.id);
        await deleteResets(tx, user.id);
      });
      await lockOut.forgive(user.email);
      return { id: user.id, email: user.email };
    },
  };
}

function linkInvalid(): AppError {
  return new AppError(
    'token_invalid',
    'The link is invalid: it is unknown, older than an hour, or was already used. Request a new one.',
  );
}

/** Throws unless the installation allows this email address to sign up with a password. */
async function requireSignUp(
  db: Kysely<Database>,
  rules: AccountRules,
  email: string,
  invitation: string | undefined,
): Promise<void> {
  if (!rules.passwords || rules.signUp === 'closed') {
    throw new AppError('sign_up_closed', 'Sign-up is disabled. Ask an operator for an account.');
  }
  if (invitation === undefined) {
    if (rules.signUp === 'open') return;
    throw new AppError('sign_up_closed', 'Sign-up requires an invitation. Open the link in your invitation.');
  }
  if (await isInvited(db, email, invitation)) return;
  throw new AppError(
    'token_invalid',
    'The invitation is invalid: it is unknown, expired, revoked, already used, or for another email address. Ask an admin of the organization for a new one.',
  );
}
