import {
  type CreatedWebhookEndpoint,
  type CreateWebhookEndpointBody,
  type EmailNotifications,
  type Notification,
  type NotificationEvent,
  type NotificationList,
  notificationEvents,
  type UpdateWebhookEndpointBody,
  type WebhookEndpoint,
  type WebhookEndpointList,
} from '@offprint/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { pageOf, parseCursor } from '../platform/http/cursor.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { newId } from '../platform/ids.ts';
import { seal } from '../platform/secret.ts';
import { newWebhookSecret } from '../platform/webhook-signature.ts';
import { lockProject, readProject } from '../projects/service.ts';
import { contextOf } from './deliver.ts';
import { queueDelivery, queueNotification } from './record.ts';
import {
  type EndpointRow,
  findEndpoint,
  type ListedNotification,
  listEndpoints,
  listNotifications,
  selectNotifications,
} from './store.ts';

/** The caller's organization and the project. */
interface Place {
  organizationId: string;
  projectId: string;
}
interface EndpointPlace extends Place {
  endpointId: string;
}

export interface NotificationService {
  endpoints(place: Place): Promise<WebhookEndpointList>;
  createEndpoint(place: Place, body: CreateWebhookEndpointBody): Promise<CreatedWebhookEndpoint>;
  /** The endpoint before and after the update. */
  updateEndpoint(
    place: EndpointPlace,
    body: UpdateWebhookEndpointBody,
  ): Promise<{ before: WebhookEndpoint; endpoint: WebhookEndpoint }>;
  deleteEndpoint(place: EndpointPlace): Promise<void>;
  /** Queues a notification with the event `test`. */
  testEndpoint(place: EndpointPlace): Promise<Notification>;
  list(place: Place, query: { cursor?: string | undefined; limit: number }): Promise<NotificationList>;
  /** Queues a notification that has ended again. */
  redeliver(place: Place & { notificationId: string }): Promise<Notification>;
  /** Throws the 404 for a project of which the user is not a member. */
  emails(userId: string, projectId: string): Promise<EmailNotifications>;
  updateEmails(
    userId: string,
    projectId: string,
    events: readonly NotificationEvent[],
  ): Promise<{ before: EmailNotifications; after: EmailNotifications }>;
}

export interface NotificationAdapters {
  db: Kysely<Database>;
  /** Seals URLs and secrets of endpoints. */
  key: Buffer;
  sendsMail: boolean;
  /** Hosts that may be asked without TLS. */
  isHttpAllowed(hostname: string): boolean;
}

const MAX_ENDPOINTS = 10;

export function createNotificationService(adapters: NotificationAdapters): NotificationService {
  const { db, key, sendsMail } = adapters;

  const sealUrl = (endpointId: string, text: string) => {
    const url = new URL(text);
    if (url.protocol === 'http:' && !adapters.isHttpAllowed(url.hostname)) {
      throw new AppError('invalid_request', `/url: ${url.host} must be requested by https.`, {
        param: '/url',
      });
    }
    return { origin: url.origin, url_sealed: seal(key, url.href, contextOf(endpointId, 'url')) };
  };

  return {
    async endpoints({ organizationId, projectId }) {
      await readProject(db, organizationId, projectId);
      return { data: (await listEndpoints(db, projectId)).map(presentEndpoint) };
    },

    async createEndpoint({ organizationId, projectId }, { url, events }) {
      const id = newId('whe');
      const secret = newWebhookSecret();
      const sealed = sealUrl(id, url);
      return db.transaction().execute(async (tx) => {
        // Two requests at once could each count the endpoints before the other adds one.
        await lockProject(tx, organizationId, projectId);
        await readProject(tx, organizationId, projectId);
        if ((await listEndpoints(tx, projectId)).length >= MAX_ENDPOINTS) {
          throw new AppError(
            'too_many_endpoints',
            `The project has ${MAX_ENDPOINTS} webhook endpoints, the maximum. Delete one first.`,
          );
        }
        const row = await tx
          .insertInto('webhook_endpoints')
          .values({
            id,
            organization_id: organizationId,
            project_id: projectId,
            ...sealed,
            secret_sealed: seal(key, secret, contextOf(id, 'secret')),
            events: knownEvents(events),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        return { ...presentEndpoint(row), secret };
      });
    },

    updateEndpoint: ({ organizationId, projectId, endpointId }, { url, events, enabled }) =>
      db.transaction().execute(async (tx) => {
        await readProject(tx, organizationId, projectId);
        const before = await requireEndpoint(tx, projectId, endpointId);
        const row = await tx
          .updateTable('webhook_endpoints')
          .set({
            // Also the assignment of what stays: an update without a field is an error.
            enabled: enabled ?? before.enabled,
            ...(enabled === undefined ? {} : { disabled_reason: null }),
            ...(events === undefined ? {} : { events: knownEvents(events) }),
            ...(url === undefined ? {} : sealUrl(endpointId, url)),
          })
          .where('id', '=', endpointId)
          .returningAll()
          .executeTakeFirstOrThrow();
        return { before: presentEndpoint(before), endpoint: presentEndpoint(row) };
      }),

    async deleteEndpoint({ organizationId, projectId, endpointId }) {
      await readProject(db, organizationId, projectId);
      const { numDeletedRows } = await db
        .deleteFrom('webhook_endpoints')
        .where('project_id', '=', projectId)
        .where('id', '=', endpointId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw notFound('webhook endpoint');
    },

    testEndpoint: ({ organizationId, projectId, endpointId }) =>
      db.transaction().execute(async (tx) => {
        const { name } = await readProject(tx, organizationId, projectId);
        await requireEndpoint(tx, projectId, endpointId);
        const id = await queueNotification(
          tx,
          {
            organizationId,
            projectId,
            event: 'test',
            subject: `Test of the webhook endpoint of ${name}`,
            data: {},
          },
          { endpoint_id: endpointId },
        );
        return requireNotification(tx, projectId, id);
      }),

    async list({ organizationId, projectId }, query) {
      await readProject(db, organizationId, projectId);
      const after = parseCursor(query.cursor);
      const rows = await listNotifications(db, projectId, { after, limit: query.limit });
      return pageOf(rows, query.limit, presentNotification);
    },

    redeliver: ({ organizationId, projectId, notificationId }) =>
      db.transaction().execute(async (tx) => {
        await readProject(tx, organizationId, projectId);
        const row = await tx
          .updateTable('notifications')
          .set({ state: 'queued', tries: 0, ended_at: null })
          .where('project_id', '=', projectId)
          .where('id', '=', notificationId)
          .where('state', '<>', 'queued')
          .returning(['id', 'attempt', 'endpoint_id', 'user_id'])
          .executeTakeFirst();
        if (row !== undefined) {
          const recipient = row.endpoint_id ?? row.user_id ?? row.id;
          await queueDelivery(tx, { id: row.id, organizationId, recipient, attempt: row.attempt });
        }
        return requireNotification(tx, projectId, notificationId);
      }),

    async emails(userId, projectId) {
      await requireMembership(db, userId, projectId);
      return { events: await subscribedEvents(db, userId, projectId), available: sendsMail };
    },

    updateEmails: (userId, projectId, events) =>
      db.transaction().execute(async (tx) => {
        await requireMembership(tx, userId, projectId);
        const before = await subscribedEvents(tx, userId, projectId);
        if (events.length === 0) {
          await tx
            .deleteFrom('email_subscriptions')
            .where('user_id', '=', userId)
            .where('project_id', '=', projectId)
            .execute();
        } else {
          await tx
            .insertInto('email_subscriptions')
            .values({ user_id: userId, project_id: projectId, events: knownEvents(events) })
            .onConflict((conflict) =>
              conflict.columns(['user_id', 'project_id']).doUpdateSet({ events: knownEvents(events) }),
            )
            .execute();
        }
        return {
          before: { events: before, available: sendsMail },
          after: { events: knownEvents(events), available: sendsMail },
        };
      }),
  };
}

type Db = Kysely<Database> | Transaction<Database>;

async function requireEndpoint(db: Db, projectId: string, id: string): Promise<EndpointRow> {
  const row = await findEndpoint(db, projectId, id);
  if (row === undefined) throw notFound('webhook endpoint');
  return row;
}

async function requireNotification(db: Db, projectId: string, id: string): Promise<Notification> {
  const row = await selectNotifications(db, projectId).where('notifications.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('notification');
  return presentNotification(row);
}

/** Throws the 404 for a project of which the user is not a member. */
async function requireMembership(db: Db, userId: string, projectId: string): Promise<void> {
  const row = await db
    .selectFrom('projects')
    .innerJoin('members', 'members.organization_id', 'projects.organization_id')
    .select('projects.id')
    .where('projects.id', '=', projectId)
    .where('members.user_id', '=', userId)
    .executeTakeFirst();
  if (row === undefined) throw notFound('project');
}

async function subscribedEvents(db: Db, userId: string, projectId: string): Promise<NotificationEvent[]> {
  const row = await db
    .selectFrom('email_subscriptions')
    .select('events')
    .where('user_id', '=', userId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return knownEvents(row?.events ?? []);
}

/** Events that this version knows, in their usual order. */
const knownEvents = (names: readonly string[]): NotificationEvent[] =>
  notificationEvents.filter((each) => names.includes(each));

function presentEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    url: row.origin,
    events: knownEvents(row.events),
    enabled: row.enabled,
    disabledReason: row.disabled_reason,
    createdAt: row.created_at.toISOString(),
  };
}

function presentNotification(row: ListedNotification): Notification {
  return {
    id: row.id,
    event: knownEvents([row.event])[0] ?? 'test',
    subject: row.subject,
    channel: row.endpoint_id === null ? 'email' : 'webhook',
    recipient: row.origin ?? row.email ?? '',
    endpointId: row.endpoint_id,
    state: row.state,
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    attempts: row.attempts,
  };
}
