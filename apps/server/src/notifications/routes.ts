import { routes } from '@offprint/contract';
import { changesBetween } from '../platform/http/changes.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { NotificationService } from './service.ts';

export function notificationRoutes(notifications: NotificationService): HandledRoute[] {
  return [
    handle(routes.listWebhookEndpoints, async ({ principal: { organizationId }, params }) => ({
      status: 200,
      body: await notifications.endpoints({ organizationId, ...params }),
    })),
    handle(routes.createWebhookEndpoint, async ({ principal: { organizationId }, params, body }) => {
      const created = await notifications.createEndpoint({ organizationId, ...params }, body);
      return { status: 201, body: created };
    }),
    handle(routes.updateWebhookEndpoint, async ({ principal: { organizationId }, params, body }) => {
      const place = { organizationId, ...params };
      const { before, endpoint } = await notifications.updateEndpoint(place, body);
      return { status: 200, body: endpoint, act: { changes: changesBetween(before, endpoint) } };
    }),
    handle(routes.deleteWebhookEndpoint, async ({ principal: { organizationId }, params }) => {
      await notifications.deleteEndpoint({ organizationId, ...params });
      return { status: 204 };
    }),
    handle(routes.testWebhookEndpoint, async ({ principal: { organizationId }, params }) => ({
      status: 202,
      body: await notifications.testEndpoint({ organizationId, ...params }),
    })),
    handle(routes.listNotifications, async ({ principal: { organizationId }, params, query }) => ({
      status: 200,
      body: await notifications.list({ organizationId, ...params }, query),
    })),
    handle(routes.redeliverNotification, async ({ principal: { organizationId }, params }) => ({
      status: 202,
      body: await notifications.redeliver({ organizationId, ...params }),
    })),
    handle(routes.getEmailNotifications, async ({ user, params }) => ({
      status: 200,
      body: await notifications.emails(user.id, params.projectId),
    })),
    handle(routes.updateEmailNotifications, async ({ user, params, body }) => {
      const { before, after } = await notifications.updateEmails(user.id, params.projectId, body.events);
      return { status: 200, body: after, act: { changes: changesBetween(before, after) } };
    }),
  ];
}
