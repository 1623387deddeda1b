import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { type Database, json } from '../platform/db/database.ts';
import { newestFirst } from '../platform/db/newest-first.ts';
import type { NotificationsTable, StoredAttempt, WebhookEndpointsTable } from '../platform/db/schema.ts';
import type { Cursor } from '../platform/http/cursor.ts';
import type { Fence } from '../platform/jobs/jobs.ts';

type Db = Kysely<Database> | Transaction<Database>;
export type EndpointRow = Selectable<WebhookEndpointsTable>;
export type NotificationRow = Selectable<NotificationsTable>;
/** With what the recipient is called. */
export type ListedNotification = NotificationRow & { origin: string | null; email: string | null };

export function listEndpoints(db: Db, projectId: string): Promise<EndpointRow[]> {
  return db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function findEndpoint(db: Db, projectId: string, id: string): Promise<EndpointRow | undefined> {
  return db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Notifications of a project with their recipients. */
export function selectNotifications(db: Db, projectId: string) {
  return db
    .selectFrom('notifications')
    .selectAll()
    .select((eb) => [
      eb
        .selectFrom('webhook_endpoints')
        .select('origin')
        .whereRef('webhook_endpoints.id', '=', 'notifications.endpoint_id')
        .as('origin'),
      eb.selectFrom('users').select('email').whereRef('users.id', '=', 'notifications.user_id').as('email'),
    ])
    .where('project_id', '=', projectId);
}

export function listNotifications(
  db: Db,
  projectId: string,
  page: { after: Cursor | undefined; limit: number },
): Promise<ListedNotification[]> {
  return newestFirst(selectNotifications(db, projectId), page).execute();
}

/** Starts the next attempt; undefined when the notification is gone or was delivered. */
export function beginDelivery(
  tx: Transaction<Database>,
  { id, attempt }: Fence,
): Promise<NotificationRow | undefined> {
  return tx
    .updateTable('notifications')
    .set({ attempt })
    .where('id', '=', id)
    .where('attempt', '<', attempt)
    .where('state', '=', 'queued')
    .returningAll()
    .executeTakeFirst();
}

/** Writes an attempt and what it led to. False when a later attempt has started. */
export async function recordAttempt(
  db: Db,
  { id, attempt }: Fence,
  made: StoredAttempt,
  state: 'queued' | 'delivered',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('notifications')
    .set({
      attempts: sql<string>`attempts || ${json([made])}::jsonb`,
      state,
      ...(state === 'delivered'
        ? { ended_at: sql<Date>`clock_timestamp()` }
        : { tries: sql<number>`tries + 1` }),
    })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', '=', 'queued')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a notification that was not delivered. False when a later attempt has started. */
export async function failDelivery(tx: Transaction<Database>, { id, attempt }: Fence): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('notifications')
    .set({ state: 'failed', ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', '=', 'queued')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether the attempt still holds the notification. */
export async function holdsDelivery(tx: Transaction<Database>, { id, attempt }: Fence): Promise<boolean> {
  const row = await tx
    .selectFrom('notifications')
    .select('id')
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', '=', 'queued')
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes notifications older than this number of days; resolves with their number. */
export async function forgetNotifications(db: Db, days: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('notifications')
    .where('created_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .where('state', '<>', 'queued')
    .executeTakeFirst();
  return Number(numDeletedRows);
}
