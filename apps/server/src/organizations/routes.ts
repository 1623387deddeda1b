import { routes } from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import { readOrganization } from './service.ts';

export function organizationRoutes(db: Kysely<Database>): HandledRoute[] {
  return [
    handle(routes.getOrganization, async ({ principal }) => ({
      status: 200,
      body: await readOrganization(db, principal.organizationId),
    })),
  ];
}
