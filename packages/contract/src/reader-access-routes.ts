import { z } from 'zod';
import { idParam } from './id.ts';
import {
  createReaderCodeBody,
  readerAccess,
  readerCode,
  readerSiteBody,
  readerTokenKey,
  updateReaderAccessBody,
} from './reader-access.ts';
import { defineRoute, errorResponses, jsonErrors, keyErrors, userErrors } from './route.ts';

const tag = 'Projects';
const params = z.strictObject({ projectId: idParam('Id of the project.') });

export const readerAccessRoutes = {
  getReaderAccess: defineRoute({
    operationId: 'getReaderAccess',
    method: 'GET',
    path: '/v1/projects/{projectId}/access',
    tag,
    summary: 'Get who can read the sites of a project',
    description: 'The access to the site of the project and to its previews.',
    scope: 'projects:read',
    role: 'viewer',
    params,
    responses: {
      200: { description: 'The access.', schema: readerAccess },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  updateReaderAccess: defineRoute({
    operationId: 'updateReaderAccess',
    method: 'PUT',
    path: '/v1/projects/{projectId}/access',
    tag,
    summary: 'Set who can read the sites of a project',
    description:
      'Changes the access to the site of the project, to its previews, or both. Settings of other kinds are kept. Another kind, a new password and another provider sign all readers of the site out.',
    scope: 'projects:write',
    role: 'admin',
    params,
    body: updateReaderAccessBody,
    responses: {
      200: { description: 'The access.', schema: readerAccess },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  createReaderTokenKey: defineRoute({
    operationId: 'createReaderTokenKey',
    method: 'POST',
    path: '/v1/projects/{projectId}/access/token-key',
    tag,
    summary: 'Create a key for reader tokens',
    description:
      'Creates the key with which your login signs tokens of readers. An earlier key stops working. The server keeps the public half only.',
    scope: 'projects:write',
    role: 'admin',
    params,
    body: readerSiteBody,
    responses: {
      201: { description: 'The key.', schema: readerTokenKey },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  signReadersOut: defineRoute({
    operationId: 'signReadersOut',
    method: 'POST',
    path: '/v1/projects/{projectId}/access/sign-out',
    tag,
    summary: 'Sign all readers out',
    description: 'Ends the sessions of all readers of the site, within seconds.',
    scope: 'projects:write',
    role: 'admin',
    params,
    body: readerSiteBody,
    responses: {
      204: { description: 'The sessions have ended.' },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  createReaderCode: defineRoute({
    operationId: 'createReaderCode',
    method: 'POST',
    path: '/v1/reader-codes',
    tag: 'Accounts',
    summary: 'Sign in to a site as a member',
    description:
      'Creates a code with which a member of the organization signs in to one of its sites whose readers are its members. Sites that do not exist, have other readers or belong to other organizations are not found.',
    scope: null,
    access: 'user',
    body: createReaderCodeBody,
    responses: {
      201: { description: 'The way back to the site.', schema: readerCode },
      ...errorResponses(...userErrors, ...jsonErrors, 'not_found', 'token_invalid'),
    },
  }),
};
