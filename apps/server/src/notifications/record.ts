import type { NotificationEvent } from '@offprint/contract';
import { sql, type Transaction } from 'kysely';
import { type Database, json, plainText } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { enqueueJob } from '../platform/jobs/jobs.ts';

/** Name of the jobs that deliver notifications. */
export const NOTIFICATION_KIND = 'notification';

/** An event, as recipients see it. */
export interface NotificationFacts {
  organizationId: string;
  projectId: string;
  event: NotificationEvent;
  /** One line for people. */
  subject: string;
  /** Fields for programs; ids and texts, no secret. */
  data: Record<string, string | null>;
}

const SUBJECT_LENGTH = 300;

/**
 * Queues a notification for every endpoint and member that subscribed to the event. Call it in the transaction of the
 * event: the notifications exist if and only if it happened.
 */
export async function recordNotification(tx: Transaction<Database>, facts: NotificationFacts): Promise<void> {
  const wants = sql<boolean>`events @> ARRAY[${facts.event}]::text[]`;
  const endpoints = await tx
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('project_id', '=', facts.projectId)
    .where('enabled', '=', true)
    .where(wants)
    .execute();
  const subscriptions = await tx
    .selectFrom('email_subscriptions')
    .select('user_id')
    .where('project_id', '=', facts.projectId)
    .where(wants)
    .execute();
  for (const { id } of endpoints) await queueNotification(tx, facts, { endpoint_id: id });
  for (const { user_id } of subscriptions) await queueNotification(tx, facts, { user_id });
}

/** Queues a notification for one recipient; returns its id. */
export async function queueNotification(
  tx: Transaction<Database>,
  { organizationId, projectId, event, subject, data }: Omit<NotificationFacts, 'event'> & { event: string },
  recipient: { endpoint_id: string } | { user_id: string },
): Promise<string> {
  const id = newId('ntf');
  await tx
    .insertInto('notifications')
    .values({
      id,
      organization_id: organizationId,
      project_id: projectId,
      event,
      subject: plainText(oneLine(subject)),
      data: json(data),
      ...recipient,
    })
    .execute();
  await queueDelivery(tx, { id, organizationId, recipient: Object.values(recipient)[0] ?? id, attempt: 0 });
  return id;
}

/** Queues the delivery of a notification. Those of one recipient are sent one after the other. */
export function queueDelivery(
  tx: Transaction<Database>,
  {
    id,
    organizationId,
    recipient,
    attempt,
  }: { id: string; organizationId: string; recipient: string; attempt: number },
): Promise<void> {
  return enqueueJob(tx, { id, kind: NOTIFICATION_KIND, organizationId, lane: recipient, attempt });
}

/** Control characters and line breaks would end the header of an email. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > SUBJECT_LENGTH ? `${line.slice(0, SUBJECT_LENGTH - 1)}…` : line;
}
