import { routes } from '@offprint/contract';
import { changesBetween } from '../platform/http/changes.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { KeyService } from './service.ts';

export function keyRoutes(keys: KeyService): HandledRoute[] {
  return [
    handle(routes.createApiKey, async ({ principal, body, target, header }) => {
      const answer = await keys.create(principal, body, { key: header('Idempotency-Key'), target });
      const { scopes, projects, allowedCidrs: ranges, expiresAt } = answer.body;
      const allowedCidrs = ranges.length === 0 ? null : ranges;
      return {
        ...answer,
        act: { changes: changesBetween({}, { scopes, projects, allowedCidrs, expiresAt }) },
      };
    }),
    handle(routes.listApiKeys, async ({ principal, query }) => ({
      status: 200,
      body: await keys.list(principal, query),
    })),
    handle(routes.revokeApiKey, async ({ principal, params }) => {
      const { alsoRevoked } = await keys.revoke(principal, params.keyId);
      const changes = changesBetween({}, alsoRevoked.length === 0 ? {} : { alsoRevoked });
      return { status: 204, act: { changes } };
    }),
  ];
}
