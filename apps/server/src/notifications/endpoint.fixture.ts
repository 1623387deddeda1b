import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';

/** Adds an endpoint that wants every event of a project; it cannot be reached. */
export async function addEndpoint(
  db: Kysely<Database>,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  events: string[],
): Promise<void> {
  await db
    .insertInto('webhook_endpoints')
    .values({
      id: newId('whe'),
      organization_id: organizationId,
      project_id: projectId,
      origin: 'https://hooks.example.com',
      url_sealed: Buffer.alloc(1),
      secret_sealed: Buffer.alloc(1),
      events,
    })
    .execute();
}

/** What endpoints of a project receive, oldest first. */
export function toldOf(db: Kysely<Database>, projectId: string) {
  return db
    .selectFrom('notifications')
    .select(['event', 'subject', 'data'])
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .execute();
}
