import { z } from 'zod';
import { idSchema } from './id.ts';
import { listOf, listQuery } from './list.ts';
import { timestamp } from './timestamp.ts';

/** What members and other systems can be notified of. */
export const notificationEvents = [
  'export.failed',
  'deployment.succeeded',
  'deployment.failed',
  'agent_job.finished',
  'agent_job.failed',
  'domain.unverified',
  'certificate.expiring',
] as const;

export const notificationEvent = z
  .enum(notificationEvents)
  .describe(
    '`export.failed`: an export failed. `deployment.succeeded`, `deployment.failed`: a deployment is served, or failed. `agent_job.finished`, `agent_job.failed`: an agent job ended. `domain.unverified`: the ownership of a domain could no longer be verified. `certificate.expiring`: a certificate could not be renewed and expires soon.',
  );
export type NotificationEvent = z.output<typeof notificationEvent>;

const events = z
  .array(notificationEvent)
  .max(notificationEvents.length)
  .meta({ description: 'Events to notify of.', examples: [['export.failed', 'deployment.failed']] });

const endpointUrl = z
  .url({ protocol: /^https?$/, normalize: false })
  .max(2_000)
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && url.username === '' && url.password === '' && url.hash === '';
  }, 'must not contain a user name, a password or a fragment')
  .meta({
    description:
      'URL that receives the requests; it can contain a secret and is not returned in full. `http:` only for hosts that the operator allows.',
    examples: ['https://hooks.example.com/docs'],
  });

/** Body of `POST /v1/projects/{projectId}/webhook-endpoints`. */
export const createWebhookEndpointBody = z.strictObject({ url: endpointUrl, events: events.min(1) }).meta({
  id: 'CreateWebhookEndpointRequest',
  examples: [{ url: 'https://hooks.example.com/docs', events: ['export.failed'] }],
});
export type CreateWebhookEndpointBody = z.output<typeof createWebhookEndpointBody>;

/** Body of `PATCH /v1/projects/{projectId}/webhook-endpoints/{endpointId}`. */
export const updateWebhookEndpointBody = z
  .strictObject({
    url: endpointUrl.optional(),
    events: events.optional(),
    enabled: z.boolean().optional().describe('False: nothing is sent until it is true again.'),
  })
  .meta({ id: 'UpdateWebhookEndpointRequest', examples: [{ enabled: true }] });
export type UpdateWebhookEndpointBody = z.output<typeof updateWebhookEndpointBody>;

/** A URL that receives signed requests about events of a project. */
export const webhookEndpoint = z
  .object({
    id: idSchema('webhookEndpoint', 'Id of the endpoint.'),
    url: z.string().describe('Scheme and host of the URL; the rest can be a secret.'),
    events: z.array(notificationEvent),
    enabled: z.boolean(),
    disabledReason: z
      .string()
      .nullable()
      .describe('Why the server disabled the endpoint; null if it did not.'),
    createdAt: timestamp,
  })
  .meta({ id: 'WebhookEndpoint' });
export type WebhookEndpoint = z.output<typeof webhookEndpoint>;
export const webhookEndpointList = z
  .object({ data: z.array(webhookEndpoint) })
  .meta({ id: 'WebhookEndpointList' });
export type WebhookEndpointList = z.output<typeof webhookEndpointList>;

/** A new endpoint with the secret that signs its requests, shown this once. */
export const createdWebhookEndpoint = webhookEndpoint
  .extend({
    secret: z
      .string()
      .describe(
        'Signs requests by Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`). Shown only once.',
      ),
  })
  .meta({ id: 'CreatedWebhookEndpoint' });
export type CreatedWebhookEndpoint = z.output<typeof createdWebhookEndpoint>;

/** Body of `PUT /v1/user/email-notifications/{projectId}`. */
export const updateEmailNotificationsBody = z
  .strictObject({ events })
  .meta({ id: 'UpdateEmailNotificationsRequest', examples: [{ events: ['export.failed'] }] });
export type UpdateEmailNotificationsBody = z.output<typeof updateEmailNotificationsBody>;

/** Events of a project of which the signed-in user is notified by email. */
export const emailNotifications = z
  .object({
    events: z.array(notificationEvent).describe('Empty: no email, the default.'),
    available: z.boolean().describe('Whether the installation sends email.'),
  })
  .meta({ id: 'EmailNotifications' });
export type EmailNotifications = z.output<typeof emailNotifications>;

/** One attempt to deliver a notification. */
const deliveryAttempt = z.object({
  at: timestamp,
  status: z.int().nullable().describe('Status of the response; null without a response, and for email.'),
  error: z.string().nullable().describe('Why the attempt failed; null if it succeeded.'),
  milliseconds: z.int(),
});

/** A notification to one recipient, with the attempts to deliver it. */
export const notification = z
  .object({
    id: idSchema('notification', 'Id of the notification; the `webhook-id` of its requests.'),
    event: z.union([notificationEvent, z.literal('test')]),
    subject: z.string().describe('What happened, in one line.'),
    channel: z.enum(['webhook', 'email']),
    recipient: z.string().describe('Scheme and host of the endpoint, or the email address.'),
    endpointId: idSchema('webhookEndpoint', 'The endpoint.').nullable(),
    state: z
      .enum(['queued', 'delivered', 'failed'])
      .describe('Queued notifications are retried for about 20 hours.'),
    createdAt: timestamp,
    endedAt: timestamp.nullable(),
    attempts: z.array(deliveryAttempt).describe('Oldest first.'),
  })
  .meta({ id: 'Notification' });
export type Notification = z.output<typeof notification>;
export const listNotificationsQuery = z.strictObject(listQuery);
export const notificationList = listOf(notification).meta({ id: 'NotificationList' });
export type NotificationList = z.output<typeof notificationList>;
