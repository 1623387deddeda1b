import { z } from 'zod';
import {
  deployment,
  deploymentList,
  hosting,
  listDeploymentsQuery,
  promoteDeploymentBody,
  triggeredPreview,
  triggeredUpdate,
  triggerPreviewBody,
  updateHostingBody,
  updateStatus,
} from './deployment.ts';
import { idParam } from './id.ts';
import { defineRoute, errorResponses, idempotencyErrors, jsonErrors, keyErrors } from './route.ts';

const tag = 'Deployments';
const projectId = idParam('Id of the project.');
const project = z.strictObject({ projectId });
const params = z.strictObject({ projectId, deploymentId: idParam('Id of the deployment.') });
const startErrors = [
  'plan_required',
  'not_found',
  ...idempotencyErrors,
  'domain_missing',
  'storage_quota_exceeded',
  'too_many_exports',
  'daily_quota_exceeded',
] as const;

export const deploymentRoutes = {
  triggerUpdate: defineRoute({
    operationId: 'triggerUpdate',
    method: 'POST',
    path: '/v1/project/update/{projectId}',
    tag,
    summary: 'Update a site',
    description:
      'Queues an export of the published branch and makes it live when it has completed. Until then, and if it fails, the site serves what it served before. If an update is queued that no worker has started, the response names this one.',
    scope: 'exports:write',
    role: 'editor',
    plan: 'enterprise',
    params: project,
    idempotent: true,
    responses: {
      202: {
        description: 'The update is queued.',
        schema: triggeredUpdate,
        headers: ['Location', 'Idempotent-Replay'],
      },
      ...errorResponses(...keyErrors, ...jsonErrors, ...startErrors),
    },
  }),
  getUpdateStatus: defineRoute({
    operationId: 'getUpdateStatus',
    method: 'GET',
    path: '/v1/project/update-status/{statusId}',
    tag,
    summary: 'Get the status of an update',
    description: 'Status of an update of production or of a preview.',
    scope: 'exports:read',
    limitedKeys: 'filtered',
    role: 'viewer',
    params: z.strictObject({ statusId: idParam('The `statusId` of the response that started it.') }),
    responses: {
      200: { description: 'The status.', schema: updateStatus },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  triggerPreview: defineRoute({
    operationId: 'triggerPreview',
    method: 'POST',
    path: '/v1/project/preview/{projectId}',
    tag,
    summary: 'Create or update a preview',
    description:
      'Queues an export of a branch and serves it on a host of its own when it has completed. The host stays the same for all updates of the preview. Anyone who has the URL can read the preview; search engines are asked not to index it.',
    scope: 'exports:write',
    role: 'editor',
    plan: 'enterprise',
    params: project,
    body: triggerPreviewBody,
    idempotent: true,
    responses: {
      202: {
        description: 'The preview is queued.',
        schema: triggeredPreview,
        headers: ['Location', 'Idempotent-Replay'],
      },
      ...errorResponses(
        ...keyErrors,
        ...jsonErrors,
        ...startErrors,
        'source_kind_mismatch',
        'preview_domain_missing',
        'too_many_previews',
      ),
    },
  }),
  listDeployments: defineRoute({
    operationId: 'listDeployments',
    method: 'GET',
    path: '/v1/projects/{projectId}/deployments',
    tag,
    summary: 'List deployments',
    description: 'Deployments of a project, newest first.',
    scope: 'exports:read',
    role: 'viewer',
    params: project,
    query: listDeploymentsQuery,
    responses: {
      200: { description: 'One page of deployments.', schema: deploymentList },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  getDeployment: defineRoute({
    operationId: 'getDeployment',
    method: 'GET',
    path: '/v1/projects/{projectId}/deployments/{deploymentId}',
    tag,
    summary: 'Get a deployment',
    description: 'A deployment with its commit, its digest, and who made it live when.',
    scope: 'exports:read',
    role: 'viewer',
    params,
    responses: {
      200: { description: 'The deployment.', schema: deployment },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  promoteDeployment: defineRoute({
    operationId: 'promoteDeployment',
    method: 'POST',
    path: '/v1/projects/{projectId}/deployments/{deploymentId}/promote',
    tag,
    summary: 'Make a deployment live',
    description:
      'Makes an earlier production deployment live again: a rollback. Builds nothing. Updates that were requested before and have not completed do not replace it; later ones do.',
    scope: 'exports:write',
    role: 'editor',
    params,
    body: promoteDeploymentBody,
    bodyOptional: true,
    responses: {
      200: { description: 'The deployment, which is live.', schema: deployment },
      ...errorResponses(
        ...keyErrors,
        ...jsonErrors,
        'not_found',
        'not_completed',
        'deployment_changed',
        'artifact_lost',
      ),
    },
  }),
  approveDeployment: defineRoute({
    operationId: 'approveDeployment',
    method: 'POST',
    path: '/v1/projects/{projectId}/deployments/{deploymentId}/approve',
    tag,
    summary: 'Approve a deployment of a fork',
    description:
      'Starts the export of a deployment that is `waiting`: a preview of the pull request of a fork. The approval is for `pushedCommit` only; another commit of the fork is another deployment that waits. Repeated requests change nothing.',
    scope: 'exports:write',
    role: 'editor',
    plan: 'enterprise',
    params,
    responses: {
      200: { description: 'The deployment.', schema: deployment },
      ...errorResponses(
        ...keyErrors,
        'plan_required',
        'not_found',
        'not_waiting',
        'domain_missing',
        'storage_quota_exceeded',
        'too_many_exports',
        'daily_quota_exceeded',
      ),
    },
  }),
  deleteDeployment: defineRoute({
    operationId: 'deleteDeployment',
    method: 'DELETE',
    path: '/v1/projects/{projectId}/deployments/{deploymentId}',
    tag,
    summary: 'Delete a deployment',
    description:
      'Deletes a deployment that is not live. Its export stays. With the deployment that a preview serves, the preview and its exports are deleted.',
    scope: 'exports:write',
    role: 'editor',
    params,
    responses: {
      204: { description: 'Deleted.' },
      ...errorResponses(...keyErrors, 'not_found', 'not_finished', 'deployment_live'),
    },
  }),
  getHosting: defineRoute({
    operationId: 'getHosting',
    method: 'GET',
    path: '/v1/projects/{projectId}/hosting',
    tag,
    summary: 'Get the hosting of a project',
    description: 'What is live, on which hosts, and what pushes do.',
    scope: 'projects:read',
    role: 'viewer',
    params: project,
    responses: {
      200: { description: 'The hosting.', schema: hosting },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  updateHosting: defineRoute({
    operationId: 'updateHosting',
    method: 'PUT',
    path: '/v1/projects/{projectId}/hosting',
    tag,
    summary: 'Set the hosting of a project',
    description:
      'Sets what pushes and the schedule do. Both are started by the automation of the project, which must be on.',
    scope: 'projects:write',
    role: 'editor',
    params: project,
    body: updateHostingBody,
    responses: {
      200: { description: 'The hosting.', schema: hosting },
      ...errorResponses(
        ...keyErrors,
        ...jsonErrors,
        'not_found',
        'source_kind_mismatch',
        'preview_domain_missing',
      ),
    },
  }),
};
