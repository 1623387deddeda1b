import { routes } from '@offprint/contract';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { KeyService } from './service.ts';

export function keyRoutes(keys: KeyService): HandledRoute[] {
  return [
    handle(routes.createApiKey, async ({ principal, body }) => ({
      status: 201,
      body: await keys.create(principal, body),
    })),
    handle(routes.listApiKeys, async ({ principal, query }) => ({
      status: 200,
      body: await keys.list(principal.organizationId, query),
    })),
    handle(routes.revokeApiKey, async ({ principal, params }) => {
      await keys.revoke(principal.organizationId, params.keyId);
      return { status: 204 };
    }),
  ];
}
