import { z } from 'zod';
import {
  automation,
  listTriggersQuery,
  triggerList,
  updateAutomationBody,
  webhookAnswer,
  webhookSecret,
} from './automation.ts';
import { idParam } from './id.ts';
import { defineRoute, errorResponses, jsonErrors, keyErrors, publicErrors } from './route.ts';

const tag = 'Automation';
const params = z.strictObject({ projectId: idParam('Id of the project.') });

export const automationRoutes = {
  getAutomation: defineRoute({
    operationId: 'getAutomation',
    method: 'GET',
    path: '/v1/projects/{projectId}/automation',
    tag,
    summary: 'Get the automation of a project',
    description: 'Pushes and the schedule that start exports of the project.',
    scope: 'projects:read',
    role: 'viewer',
    params,
    responses: {
      200: { description: 'The automation.', schema: automation },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  updateAutomation: defineRoute({
    operationId: 'updateAutomation',
    method: 'PUT',
    path: '/v1/projects/{projectId}/automation',
    tag,
    summary: 'Set the automation of a project',
    description: 'Replaces the automation. The secret of the webhook is kept.',
    scope: 'projects:write',
    role: 'editor',
    params,
    body: updateAutomationBody,
    responses: {
      200: { description: 'The automation.', schema: automation },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found', 'source_kind_mismatch'),
    },
  }),
  createWebhookSecret: defineRoute({
    operationId: 'createWebhookSecret',
    method: 'POST',
    path: '/v1/projects/{projectId}/automation/secret',
    tag,
    summary: 'Create a webhook secret',
    description:
      'Creates the secret with which the forge signs its deliveries. An earlier secret stops working.',
    scope: 'organization:write',
    role: 'admin',
    params,
    responses: {
      201: { description: 'The secret.', schema: webhookSecret },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  listTriggers: defineRoute({
    operationId: 'listTriggers',
    method: 'GET',
    path: '/v1/projects/{projectId}/triggers',
    tag,
    summary: 'List triggers of exports',
    description: 'Deliveries of the forge and scheduled times with their outcomes, newest first.',
    scope: 'projects:read',
    role: 'viewer',
    params,
    query: listTriggersQuery,
    responses: {
      200: { description: 'One page of triggers.', schema: triggerList },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  receiveWebhook: defineRoute({
    operationId: 'receiveWebhook',
    method: 'POST',
    path: '/v1/webhooks/{projectId}',
    tag,
    summary: 'Receive a webhook',
    description:
      'Where a forge delivers its events: GitHub (`X-Hub-Signature-256`), GitLab (`X-Gitlab-Token`, or `webhook-signature`), Gitea and Forgejo (`X-Gitea-Signature`). A push to the published branch starts an export, or with hosting an update of the site; with previews, a push to another branch updates its preview. The same delivery twice starts one.',
    scope: null,
    params,
    bytes: ['application/json', 'application/x-www-form-urlencoded'],
    responses: {
      202: { description: 'Received.', schema: webhookAnswer },
      ...errorResponses(...publicErrors, ...jsonErrors, 'signature_invalid'),
    },
  }),
};
