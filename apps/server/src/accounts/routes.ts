import { type OperatedUser, routes, type Session } from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { changesBetween } from '../platform/http/changes.ts';
import { AppError } from '../platform/http/error.ts';
import { type Answer, type HandledRoute, handle } from '../platform/http/route.ts';
import type { AccountService, SignedIn } from './accounts.ts';
import { endSession, type Place, readSessions } from './sessions.ts';
import type { SingleSignOn } from './single-sign-on.ts';
import {
  createResetLink,
  listUsers,
  lockOperator,
  readOperatedUser,
  setDisabled,
  setOperator,
} from './users.ts';

/** The calls of people for their own account. */
export function accountRoutes(
  db: Kysely<Database>,
  accounts: AccountService,
  singleSignOn: SingleSignOn,
): HandledRoute[] {
  return [
    handle(routes.getSignInOptions, async () => ({ status: 200, body: accounts.options() })),

    handle(routes.signUp, async (request) => {
      const { act, ...answer } = welcome(201, await accounts.signUp(request.body, placeOf(request)));
      // Invited people join with the sign-up: the log of the organization records that.
      const [joined] = (answer.body as Session).organizations;
      return { ...answer, act: { ...act, ...(joined === undefined ? {} : { organizationId: joined.id }) } };
    }),

    handle(routes.signIn, async (request) =>
      welcome(200, await accounts.signIn(request.body, placeOf(request), request.session)),
    ),

    handle(routes.startSingleSignOn, async (request) =>
      singleSignOn.start({ returnTo: request.query.returnTo, place: placeOf(request) }),
    ),

    handle(routes.finishSingleSignOn, async (request) =>
      singleSignOn.finish({
        query: request.query,
        cookies: request.header('Cookie'),
        place: placeOf(request),
      }),
    ),

    handle(routes.getSession, async ({ user, session: token }) => {
      const session = await accounts.readSession(user);
      return {
        status: 200,
        body: session,
        // The cookie would expire at the time it was first given; the session continues while it is used.
        ...(token === undefined ? {} : { session: { token, expiresAt: new Date(session.expiresAt) } }),
      };
    }),

    handle(routes.signOut, async ({ user }) => {
      await endSession(db, user.id, user.sessionId);
      return { status: 204, session: null };
    }),

    handle(routes.updateUser, async ({ user, body }) => {
      const updated = await accounts.updateUser(user.id, body);
      const changes = changesBetween({ name: user.name }, { name: updated.name });
      return { status: 200, body: updated, act: { changes } };
    }),

    handle(routes.changePassword, async ({ user, body, address }) => {
      await accounts.changePassword(user, body, address);
      return { status: 204 };
    }),

    handle(routes.requestPasswordReset, async ({ body }) => {
      accounts.requestReset(body.email);
      return { status: 202 };
    }),

    handle(routes.resetPassword, async ({ body }) => {
      const { id, email } = await accounts.resetPassword(body);
      return { status: 204, act: { actor: { kind: 'user', id, name: email }, target: id } };
    }),

    handle(routes.listUserSessions, async ({ user }) => ({
      status: 200,
      body: { data: await readSessions(db, user) },
    })),

    handle(routes.endUserSession, async ({ user, params }) => {
      await endSession(db, user.id, params.sessionId);
      return { status: 204, ...(params.sessionId === user.sessionId ? { session: null } : {}) };
    }),
  ];
}

/** The calls of operators for the accounts of the installation. */
export function operatedUserRoutes(db: Kysely<Database>, publicUrl: () => string): HandledRoute[] {
  return [
    handle(routes.listOperatedUsers, async ({ query }) => ({
      status: 200,
      body: await listUsers(db, query),
    })),

    handle(routes.updateOperatedUser, async ({ user, params, body }) => {
      if (params.userId === user.id) {
        throw new AppError(
          'own_account',
          'Operators cannot disable or demote themselves, so that at least one operator remains. Ask another operator.',
        );
      }
      const { before, updated } = await db.transaction().execute(async (tx) => {
        await lockOperator(tx, user.id, params.userId);
        const before = await readOperatedUser(tx, params.userId);
        if (body.disabled !== undefined) await setDisabled(tx, params.userId, body.disabled);
        if (body.isOperator !== undefined) await setOperator(tx, params.userId, body.isOperator);
        return { before, updated: await readOperatedUser(tx, params.userId) };
      });
      return {
        status: 200,
        body: updated,
        act: { changes: changesBetween(operatorFields(before), operatorFields(updated)) },
      };
    }),

    handle(routes.createPasswordResetLink, async ({ params }) => ({
      status: 201,
      body: await createResetLink(db, publicUrl(), params.userId),
    })),
  ];
}

/** What operators change of a user. */
const operatorFields = ({ disabledAt, isOperator }: OperatedUser) => ({
  disabled: disabledAt !== null,
  isOperator,
});

function placeOf(request: { address: string; header(name: string): string | undefined }): Place {
  return { address: request.address, userAgent: request.header('User-Agent') };
}

function welcome(status: number, { session, started }: SignedIn): Answer {
  const { id, email } = session.user;
  return {
    status,
    body: session,
    session: started,
    act: { actor: { kind: 'user', id, name: email }, target: id },
  };
}
