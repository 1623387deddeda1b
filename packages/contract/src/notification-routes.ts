import { z } from 'zod';
import { idParam } from './id.ts';
import {
  createdWebhookEndpoint,
  createWebhookEndpointBody,
  emailNotifications,
  listNotificationsQuery,
  notification,
  notificationList,
  updateEmailNotificationsBody,
  updateWebhookEndpointBody,
  webhookEndpoint,
  webhookEndpointList,
} from './notification.ts';
import { defineRoute, errorResponses, jsonErrors, keyErrors, userErrors } from './route.ts';

const tag = 'Notifications';
const project = { projectId: idParam('Id of the project.') };
const params = z.strictObject(project);
const endpointParams = z.strictObject({ ...project, endpointId: idParam('Id of the endpoint.') });
const notificationParams = z.strictObject({
  ...project,
  notificationId: idParam('Id of the notification.'),
});

export const notificationRoutes = {
  listWebhookEndpoints: defineRoute({
    operationId: 'listWebhookEndpoints',
    method: 'GET',
    path: '/v1/projects/{projectId}/webhook-endpoints',
    tag,
    summary: 'List webhook endpoints',
    description: 'The URLs that receive requests about events of the project, oldest first.',
    scope: 'projects:read',
    role: 'viewer',
    params,
    responses: {
      200: { description: 'The endpoints.', schema: webhookEndpointList },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  createWebhookEndpoint: defineRoute({
    operationId: 'createWebhookEndpoint',
    method: 'POST',
    path: '/v1/projects/{projectId}/webhook-endpoints',
    tag,
    summary: 'Create a webhook endpoint',
    description:
      'Each event is sent as a signed POST request (Standard Webhooks). A response with a status of 200 to 299 acknowledges it; anything else, and redirects, are retried for about 20 hours. The status 410 disables the endpoint. A project can have 10 endpoints.',
    scope: 'projects:write',
    role: 'admin',
    params,
    body: createWebhookEndpointBody,
    responses: {
      201: { description: 'The endpoint with its secret.', schema: createdWebhookEndpoint },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found', 'too_many_endpoints'),
    },
  }),
  updateWebhookEndpoint: defineRoute({
    operationId: 'updateWebhookEndpoint',
    method: 'PATCH',
    path: '/v1/projects/{projectId}/webhook-endpoints/{endpointId}',
    tag,
    summary: 'Update a webhook endpoint',
    description: 'Changes what is given. The secret is kept.',
    scope: 'projects:write',
    role: 'admin',
    params: endpointParams,
    body: updateWebhookEndpointBody,
    responses: {
      200: { description: 'The endpoint.', schema: webhookEndpoint },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  deleteWebhookEndpoint: defineRoute({
    operationId: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: '/v1/projects/{projectId}/webhook-endpoints/{endpointId}',
    tag,
    summary: 'Delete a webhook endpoint',
    description: 'Its notifications are deleted with it, also those that were not delivered.',
    scope: 'projects:write',
    role: 'admin',
    params: endpointParams,
    responses: {
      204: { description: 'Deleted.' },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  testWebhookEndpoint: defineRoute({
    operationId: 'testWebhookEndpoint',
    method: 'POST',
    path: '/v1/projects/{projectId}/webhook-endpoints/{endpointId}/test',
    tag,
    summary: 'Send a test to a webhook endpoint',
    description:
      'Queues a notification with the event `test`. Its attempts show what the endpoint responded.',
    scope: 'projects:write',
    role: 'admin',
    params: endpointParams,
    responses: {
      202: { description: 'The notification.', schema: notification },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  listNotifications: defineRoute({
    operationId: 'listNotifications',
    method: 'GET',
    path: '/v1/projects/{projectId}/notifications',
    tag,
    summary: 'List notifications',
    description: 'Notifications of the last 30 days by webhook and email with every attempt, newest first.',
    scope: 'projects:read',
    role: 'viewer',
    params,
    query: listNotificationsQuery,
    responses: {
      200: { description: 'One page of notifications.', schema: notificationList },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  redeliverNotification: defineRoute({
    operationId: 'redeliverNotification',
    method: 'POST',
    path: '/v1/projects/{projectId}/notifications/{notificationId}/redeliver',
    tag,
    summary: 'Deliver a notification again',
    description:
      'Sends the same notification, with the same id, at once. One that is queued is not sent twice.',
    scope: 'projects:write',
    role: 'editor',
    params: notificationParams,
    responses: {
      202: { description: 'The notification.', schema: notification },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  getEmailNotifications: defineRoute({
    operationId: 'getEmailNotifications',
    method: 'GET',
    path: '/v1/user/email-notifications/{projectId}',
    tag,
    summary: 'Get your email notifications',
    description: 'Events of the project of which you are notified by email.',
    scope: null,
    access: 'user',
    params,
    responses: {
      200: { description: 'The events.', schema: emailNotifications },
      ...errorResponses(...userErrors, 'not_found'),
    },
  }),
  updateEmailNotifications: defineRoute({
    operationId: 'updateEmailNotifications',
    method: 'PUT',
    path: '/v1/user/email-notifications/{projectId}',
    tag,
    summary: 'Set your email notifications',
    description: 'Replaces the events of the project of which you are notified by email.',
    scope: null,
    access: 'user',
    params,
    body: updateEmailNotificationsBody,
    responses: {
      200: { description: 'The events.', schema: emailNotifications },
      ...errorResponses(...userErrors, ...jsonErrors, 'not_found'),
    },
  }),
};
