import { z } from 'zod';
import { apiKeyList, createApiKeyBody, createdApiKey, listApiKeysQuery } from './api-key.ts';
import { idParam } from './id.ts';
import { defineRoute, errorResponses, idempotencyErrors, jsonErrors, keyErrors } from './route.ts';

const params = z.strictObject({ keyId: idParam('Id of the key; not the key.') });

export const keyRoutes = {
  listApiKeys: defineRoute({
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/v1/api-keys',
    tag: 'API keys',
    summary: 'List API keys',
    description:
      "The organization's admin API keys, newest first, expired and revoked ones included. Never secrets. A key that is limited to projects gets the keys that are limited to some of these.",
    scope: 'organization:read',
    limitedKeys: 'filtered',
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
      'Creates an admin API key. Only this response contains the key. A key that is created by another key has at most its scopes, projects, IP ranges and lifetime, and is revoked with it. An organization can create at most 10 keys per hour. For `Idempotency-Key`, the response is stored encrypted for 24 hours; only the key or user that sent the first request gets it again.',
    scope: 'organization:write',
    limitedKeys: 'filtered',
    role: 'admin',
    body: createApiKeyBody,
    idempotent: true,
    responses: {
      201: {
        description: 'The key, with its secret.',
        schema: createdApiKey,
        headers: ['Idempotent-Replay'],
      },
      ...errorResponses(
        ...keyErrors,
        ...jsonErrors,
        'rights_exceeded',
        ...idempotencyErrors,
        'too_many_keys',
      ),
    },
  }),
  revokeApiKey: defineRoute({
    operationId: 'revokeApiKey',
    method: 'DELETE',
    path: '/v1/api-keys/{keyId}',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description:
      'The key stops working immediately, with every key that it created, the keys that those created, and their invitations that were not accepted. Revoking a revoked key succeeds.',
    scope: 'organization:write',
    limitedKeys: 'filtered',
    role: 'admin',
    params,
    responses: {
      204: { description: 'Revoked.' },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
};
