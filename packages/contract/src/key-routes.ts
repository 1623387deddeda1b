import { z } from 'zod';
import { apiKeyList, createApiKeyBody, createdApiKey, listApiKeysQuery } from './api-key.ts';
import { idParam } from './id.ts';
import { defineRoute, errorResponses, jsonErrors, keyErrors } from './route.ts';

const params = z.strictObject({ keyId: idParam('Id of the key; not the key.') });

export const keyRoutes = {
  listApiKeys: defineRoute({
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/v1/api-keys',
    tag: 'API keys',
    summary: 'List API keys',
    description:
      "The organization's admin API keys, newest first, expired and revoked ones included. Never secrets.",
    scope: 'read',
    role: 'viewer',
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
      'Creates an admin API key. Only this response contains the key. An organization can create at most 10 keys per hour. `Idempotency-Key` is not supported, because the secret is not stored for a second response.',
    scope: 'write',
    role: 'admin',
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
    description: 'The key stops working immediately. Revoking a revoked key succeeds.',
    scope: 'write',
    role: 'admin',
    params,
    responses: {
      204: { description: 'Revoked.' },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
};
