import { z } from 'zod';
import { idParam } from './id.ts';
import {
  listOperatedOrganizationsQuery,
  listOperatedUsersQuery,
  operatedOrganization,
  operatedOrganizationList,
  operatedUser,
  operatedUserList,
  passwordResetLink,
  updateOperatedOrganizationBody,
  updateOperatedUserBody,
} from './operator.ts';
import { defineRoute, errorResponses, jsonErrors, userErrors } from './route.ts';

const tag = 'Operators';
const userParams = z.strictObject({ userId: idParam('Id of the user.') });

/** Calls of those who run the installation, signed in as operators. */
export const operatorRoutes = {
  listOperatedOrganizations: defineRoute({
    operationId: 'listOperatedOrganizations',
    method: 'GET',
    path: '/v1/operator/organizations',
    tag,
    summary: 'List all organizations',
    description: 'Every organization of the installation, newest first.',
    scope: null,
    access: 'operator',
    query: listOperatedOrganizationsQuery,
    responses: {
      200: { description: 'One page of organizations.', schema: operatedOrganizationList },
      ...errorResponses(...userErrors, 'operator_required'),
    },
  }),
  updateOperatedOrganization: defineRoute({
    operationId: 'updateOperatedOrganization',
    method: 'PATCH',
    path: '/v1/operator/organizations/{organizationId}',
    tag,
    summary: 'Set the plan of an organization',
    description: 'Sets the plan. It applies from the next request on; running jobs continue.',
    scope: null,
    access: 'operator',
    params: z.strictObject({ organizationId: idParam('Id of the organization.') }),
    body: updateOperatedOrganizationBody,
    responses: {
      200: { description: 'The organization.', schema: operatedOrganization },
      ...errorResponses(...userErrors, ...jsonErrors, 'operator_required', 'not_found'),
    },
  }),
  listOperatedUsers: defineRoute({
    operationId: 'listOperatedUsers',
    method: 'GET',
    path: '/v1/operator/users',
    tag,
    summary: 'List all users',
    description: 'Every account of the installation, newest first.',
    scope: null,
    access: 'operator',
    query: listOperatedUsersQuery,
    responses: {
      200: { description: 'One page of users.', schema: operatedUserList },
      ...errorResponses(...userErrors, 'operator_required'),
    },
  }),
  updateOperatedUser: defineRoute({
    operationId: 'updateOperatedUser',
    method: 'PATCH',
    path: '/v1/operator/users/{userId}',
    tag,
    summary: 'Disable a user, or make one an operator',
    description: 'Disabling a user ends all sessions. Operators cannot change their own account.',
    scope: null,
    access: 'operator',
    params: userParams,
    body: updateOperatedUserBody,
    responses: {
      200: { description: 'The user.', schema: operatedUser },
      ...errorResponses(...userErrors, ...jsonErrors, 'operator_required', 'not_found', 'own_account'),
    },
  }),
  createPasswordResetLink: defineRoute({
    operationId: 'createPasswordResetLink',
    method: 'POST',
    path: '/v1/operator/users/{userId}/password-reset',
    tag,
    summary: 'Create a password reset link',
    description:
      'A link for a user who cannot sign in, which the operator sends to the user. It works once, for one hour.',
    scope: null,
    access: 'operator',
    params: userParams,
    responses: {
      201: { description: 'The link.', schema: passwordResetLink },
      ...errorResponses(...userErrors, ...jsonErrors, 'operator_required', 'not_found'),
    },
  }),
};
