import { z } from 'zod';
import { idParam } from './id.ts';
import { defineRoute, errorResponses, jsonErrors, publicErrors, userErrors } from './route.ts';
import {
  changePasswordBody,
  finishSingleSignOnQuery,
  requestPasswordResetBody,
  resetPasswordBody,
  session,
  signInBody,
  signInOptions,
  signUpBody,
  startSingleSignOnQuery,
  updateUserBody,
  user,
  userSessionList,
} from './session.ts';

const tag = 'Accounts';

/** Operations for sign-in and account management. A session is a browser cookie. */
export const sessionRoutes = {
  getSignInOptions: defineRoute({
    operationId: 'getSignInOptions',
    method: 'GET',
    path: '/v1/sign-in-options',
    tag,
    summary: 'Get the sign-in methods',
    description: 'Sign-in methods of this installation.',
    scope: null,
    responses: {
      200: { description: 'The methods.', schema: signInOptions },
      ...errorResponses(...publicErrors),
    },
  }),
  signUp: defineRoute({
    operationId: 'signUp',
    method: 'POST',
    path: '/v1/users',
    tag,
    summary: 'Sign up',
    description:
      'Creates an account and signs in. The response sets the session cookie. A setting of the installation defines who can sign up: everyone, users with an invitation for the email address, or no one.',
    scope: null,
    body: signUpBody,
    responses: {
      201: { description: 'Signed in.', schema: session },
      ...errorResponses(...publicErrors, ...jsonErrors, 'sign_up_closed', 'email_taken', 'token_invalid'),
    },
  }),
  signIn: defineRoute({
    operationId: 'signIn',
    method: 'POST',
    path: '/v1/session',
    tag,
    summary: 'Sign in',
    description:
      'Signs in with email and password. The response sets a new session cookie. After several failures of an account or an IP address, further sign-ins are delayed.',
    scope: null,
    body: signInBody,
    responses: {
      200: { description: 'Signed in.', schema: session },
      ...errorResponses(...publicErrors, ...jsonErrors, 'credentials_wrong', 'too_many_sign_ins'),
    },
  }),
  startSingleSignOn: defineRoute({
    operationId: 'startSingleSignOn',
    method: 'GET',
    path: '/v1/single-sign-on',
    tag,
    summary: 'Start single sign-on',
    description: 'Sends the browser to the OpenID Connect provider of the installation.',
    scope: null,
    query: startSingleSignOnQuery,
    responses: {
      302: {
        description: 'To the provider, or back to the sign-in page with the reason.',
        headers: ['Location'],
      },
      ...errorResponses(...publicErrors, 'not_found'),
    },
  }),
  finishSingleSignOn: defineRoute({
    operationId: 'finishSingleSignOn',
    method: 'GET',
    path: '/v1/single-sign-on/callback',
    tag,
    summary: 'Finish single sign-on',
    description:
      'Where the provider sends the browser back. Sets the session cookie and opens the dashboard.',
    scope: null,
    query: finishSingleSignOnQuery,
    responses: {
      302: {
        description: 'To the dashboard, or back to the sign-in page with the reason.',
        headers: ['Location'],
      },
      ...errorResponses(...publicErrors, 'not_found'),
    },
  }),
  requestPasswordReset: defineRoute({
    operationId: 'requestPasswordReset',
    method: 'POST',
    path: '/v1/password-resets',
    tag,
    summary: 'Request a password reset',
    description:
      'Mails a link to set a new password. The response is the same whether the account exists or not.',
    scope: null,
    body: requestPasswordResetBody,
    responses: {
      202: { description: 'If the account exists, the mail is sent.' },
      ...errorResponses(...publicErrors, ...jsonErrors, 'mail_missing'),
    },
  }),
  resetPassword: defineRoute({
    operationId: 'resetPassword',
    method: 'PUT',
    path: '/v1/password-resets',
    tag,
    summary: 'Reset the password',
    description: 'Sets a new password with the token of the link and ends every session of the account.',
    scope: null,
    body: resetPasswordBody,
    responses: {
      204: { description: 'Set. Sign in with it.' },
      ...errorResponses(...publicErrors, ...jsonErrors, 'token_invalid'),
    },
  }),
  getSession: defineRoute({
    operationId: 'getSession',
    method: 'GET',
    path: '/v1/session',
    tag,
    summary: 'Get the session',
    description: 'The signed-in user, with the organizations and the role in each.',
    scope: null,
    access: 'user',
    responses: {
      200: { description: 'The session.', schema: session },
      ...errorResponses(...userErrors),
    },
  }),
  signOut: defineRoute({
    operationId: 'signOut',
    method: 'DELETE',
    path: '/v1/session',
    tag,
    summary: 'Sign out',
    description: 'Ends the session and removes its cookie.',
    scope: null,
    access: 'user',
    responses: {
      204: { description: 'Signed out.' },
      ...errorResponses(...userErrors),
    },
  }),
  updateUser: defineRoute({
    operationId: 'updateUser',
    method: 'PATCH',
    path: '/v1/user',
    tag,
    summary: 'Update the account',
    description: 'Changes the name of the signed-in user.',
    scope: null,
    access: 'user',
    body: updateUserBody,
    responses: {
      200: { description: 'The user.', schema: user },
      ...errorResponses(...userErrors, ...jsonErrors),
    },
  }),
  changePassword: defineRoute({
    operationId: 'changePassword',
    method: 'PUT',
    path: '/v1/user/password',
    tag,
    summary: 'Change the password',
    description: 'Sets a new password and ends every other session of the user.',
    scope: null,
    access: 'user',
    body: changePasswordBody,
    responses: {
      204: { description: 'Changed.' },
      ...errorResponses(...userErrors, ...jsonErrors, 'credentials_wrong', 'too_many_sign_ins'),
    },
  }),
  listUserSessions: defineRoute({
    operationId: 'listUserSessions',
    method: 'GET',
    path: '/v1/user/sessions',
    tag,
    summary: 'List sessions',
    description: 'Sessions of the user, newest first.',
    scope: null,
    access: 'user',
    responses: {
      200: { description: 'The sessions.', schema: userSessionList },
      ...errorResponses(...userErrors),
    },
  }),
  endUserSession: defineRoute({
    operationId: 'endUserSession',
    method: 'DELETE',
    path: '/v1/user/sessions/{sessionId}',
    tag,
    summary: 'End a session',
    description: 'Ends another session of the user.',
    scope: null,
    access: 'user',
    params: z.strictObject({ sessionId: idParam('Id of the session.') }),
    responses: {
      204: { description: 'Ended.' },
      ...errorResponses(...userErrors, 'not_found'),
    },
  }),
};
