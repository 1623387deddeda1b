import { z } from 'zod';
import { apiKeyList, createApiKeyBody, createdApiKey, listApiKeysQuery } from './api-key.ts';
import { idParam } from './id.ts';
import { organization } from './organization.ts';
import { defineRoute, errorResponses, jsonErrors, keyErrors } from './route.ts';

const params = z.strictObject({ keyId: idParam('Id of the key; not the key.') });

export const accountRoutes = {
  getOrganization: defineRoute({
    operationId: 'getOrganization',
    method: 'GET',
    path: '/v1/organization',
    tag: 'Organization',
    summary: 'Get the organization',
    description: 'The organization that the key belongs to.',
    scope: 'read',
    responses: {
      200: { description: 'The organization.', schema: organization },
      ...errorResponses(...keyErrors),
    },
  }),
  listApiKeys: defineRoute({
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/v1/api-keys',
    tag: 'API keys',
    summary: 'List API keys',
    description:
      "The organization's admin API keys, newest first, expired and revoked ones included. Never secrets.",
    scope: 'read',
    query: listApiKeysQuery,
    responses: {
      200: { description: 'One page of keys.', schema: apiKeyList },
      ...errorResponses(...keyErrors),
    },
  }),
  createApiKey: defineRoute({
    operationId: 'createApiKey',
    method: 'POST',
    path: '/v1/api-keys',
    tag: 'API keys',
    summary: 'Create an API key',
    description:
      'Creates an admin API key. The answer holds the key, this once. At most 10 keys of an organization are created in an hour. No `Idempotency-Key`: a secret is not kept for a second answer.',
    scope: 'write',
    body: createApiKeyBody,
    responses: {
      201: { description: 'The key, with its secret.', schema: createdApiKey },
      ...errorResponses(...keyErrors, ...jsonErrors, 'too_many_keys'),
    },
  }),
  revokeApiKey: defineRoute({
    operationId: 'revokeApiKey',
    method: 'DELETE',
    path: '/v1/api-keys/{keyId}',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description: 'The key stops working at once. Revoking a revoked key is no error.',
    scope: 'write',
    params,
    responses: {
      204: { description: 'Revoked.' },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
};
