import { z } from 'zod';
import {
  agentJob,
  agentJobDiff,
  agentJobList,
  createAgentJobBody,
  getAgentJobQuery,
  listAgentJobsQuery,
  sendAgentMessageBody,
} from './agent.ts';
import { agentModelTest } from './agent-model-test.ts';
import { agentSettings, updateAgentSettingsBody } from './agent-settings.ts';
import { idParam } from './id.ts';
import { defineRoute, errorResponses, idempotencyErrors, jsonErrors, keyErrors } from './route.ts';

const tag = 'Agent jobs';
const projectId = idParam('Id of the project.');
const projectParams = z.strictObject({ projectId });
const jobParams = z.strictObject({
  projectId,
  id: idParam('Id of the job, as returned when it was created.'),
});

export const agentRoutes = {
  createAgentJob: defineRoute({
    operationId: 'createAgentJob',
    method: 'POST',
    path: '/v2/agent/{projectId}/job',
    tag,
    summary: 'Create an agent job',
    description:
      'Gives the agent a prompt. It works in the background: poll the job until it is completed, archived or failed. When it changes files, it pushes a branch and opens a pull request. Needs a project with a Git repository. Jobs and messages together: 100 in any hour of a project.',
    scope: 'agent:write',
    role: 'editor',
    plan: 'pro',
    params: projectParams,
    body: createAgentJobBody,
    idempotent: true,
    responses: {
      201: {
        description: 'The job, which is active.',
        schema: agentJob,
        headers: ['Location', 'Retry-After', 'Idempotent-Replay'],
      },
      ...errorResponses(
        ...keyErrors,
        ...jsonErrors,
        'plan_required',
        'not_found',
        'source_kind_mismatch',
        'model_missing',
        ...idempotencyErrors,
        'too_many_agent_uses',
        'daily_quota_exceeded',
      ),
    },
  }),
  listAgentJobs: defineRoute({
    operationId: 'listAgentJobs',
    method: 'GET',
    path: '/v2/agent/{projectId}/jobs',
    tag,
    summary: 'List agent jobs',
    description: "The project's agent jobs, newest first.",
    scope: 'agent:read',
    role: 'viewer',
    params: projectParams,
    query: listAgentJobsQuery,
    responses: {
      200: { description: 'One page of jobs.', schema: agentJobList },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  getAgentJob: defineRoute({
    operationId: 'getAgentJob',
    method: 'GET',
    path: '/v2/agent/{projectId}/job/{id}',
    tag,
    summary: 'Get an agent job',
    description:
      'State and details of a job. With `wait`, the response is sent at the next change or after that number of seconds. With `If-None-Match`, a change is a difference from the state that the client knows.',
    scope: 'agent:read',
    role: 'viewer',
    params: jobParams,
    query: getAgentJobQuery,
    requestHeaders: {
      'If-None-Match': 'The `ETag` known to the client. The response is 304 if nothing has changed.',
    },
    responses: {
      200: { description: 'The job.', schema: agentJob, headers: ['ETag', 'Retry-After'] },
      304: { description: 'Unchanged.', headers: ['ETag', 'Retry-After'] },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  sendAgentMessage: defineRoute({
    operationId: 'sendAgentMessage',
    method: 'POST',
    path: '/v2/agent/{projectId}/job/{id}/message',
    tag,
    summary: 'Send a follow-up message',
    description:
      'Sends another prompt for the same branch and pull request. An active job reads it at its next step; a completed or failed job becomes active again. A job accepts at most 200 messages.',
    scope: 'agent:write',
    role: 'editor',
    plan: 'pro',
    params: jobParams,
    body: sendAgentMessageBody,
    idempotent: true,
    responses: {
      200: { description: 'The job, which is active.', schema: agentJob, headers: ['Idempotent-Replay'] },
      ...errorResponses(
        ...keyErrors,
        ...jsonErrors,
        'plan_required',
        'not_found',
        'job_archived',
        'job_full',
        'job_emptied',
        'source_kind_mismatch',
        'source_changed',
        'model_missing',
        ...idempotencyErrors,
        'too_many_agent_uses',
      ),
    },
  }),
  archiveAgentJob: defineRoute({
    operationId: 'archiveAgentJob',
    method: 'POST',
    path: '/v2/agent/{projectId}/job/{id}/archive',
    tag,
    summary: 'Archive an agent job',
    description:
      'Archives a job permanently: it accepts no more messages. An active job is stopped first. Its branch and its pull request do not change. An archived job does not change.',
    scope: 'agent:write',
    role: 'editor',
    params: jobParams,
    responses: {
      200: { description: 'The job, which is archived.', schema: agentJob },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  cancelAgentJob: defineRoute({
    operationId: 'cancelAgentJob',
    method: 'POST',
    path: '/v2/agent/{projectId}/job/{id}/cancel',
    tag,
    summary: 'Cancel an agent job',
    description:
      'Stops an active job: its status becomes `failed` with the code `cancelled`. Its changes are kept for a follow-up. A job that is not active does not change.',
    scope: 'agent:write',
    role: 'editor',
    params: jobParams,
    responses: {
      200: { description: 'The job.', schema: agentJob },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  streamAgentJobEvents: defineRoute({
    operationId: 'streamAgentJobEvents',
    method: 'GET',
    path: '/v2/agent/{projectId}/job/{id}/events',
    tag,
    summary: 'Follow an agent job',
    description:
      'Server-sent events: `state`, `prompt`, `message`, `notice`, `tool`, `plan` and `pull_request` as they happen, from the beginning or after `Last-Event-ID`, then `done` with the job, then the end. `data` is JSON. Several events of one step share an id, which only the last of them has, so that a client that reconnects misses no event. `pending` and `text` have no id: they show prompts that the model has not received yet and the text that the model is writing, and are sent again after a reconnect.',
    scope: 'agent:read',
    role: 'viewer',
    params: jobParams,
    requestHeaders: {
      'Last-Event-ID': 'The `id` of the last received event. The stream continues after it.',
    },
    responses: {
      200: { description: 'The events.', contentType: 'text/event-stream' },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  getAgentJobDiff: defineRoute({
    operationId: 'getAgentJobDiff',
    method: 'GET',
    path: '/v2/agent/{projectId}/job/{id}/diff',
    tag,
    summary: 'Get the changes of an agent job',
    description:
      'The changes of the job so far, compared with the commit that it started from, by file and as one unified diff.',
    scope: 'agent:read',
    role: 'viewer',
    params: jobParams,
    responses: {
      200: { description: 'The changes.', schema: agentJobDiff },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  getAgentSettings: defineRoute({
    operationId: 'getAgentSettings',
    method: 'GET',
    path: '/v1/projects/{projectId}/agent',
    tag,
    summary: 'Get the agent settings of a project',
    description:
      'Model, forge and rules of the agent, and whether a job can be created. Secrets are never returned.',
    scope: 'projects:read',
    role: 'viewer',
    params: projectParams,
    responses: {
      200: { description: 'The settings.', schema: agentSettings },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  updateAgentSettings: defineRoute({
    operationId: 'updateAgentSettings',
    method: 'PUT',
    path: '/v1/projects/{projectId}/agent',
    tag,
    summary: 'Replace the agent settings of a project',
    description:
      'Omitted fields are reset to their defaults. An omitted secret is kept as long as it would be sent to the same host as before.',
    scope: 'projects:write',
    role: 'admin',
    params: projectParams,
    body: updateAgentSettingsBody,
    responses: {
      200: { description: 'The settings.', schema: agentSettings },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  testAgentModel: defineRoute({
    operationId: 'testAgentModel',
    method: 'POST',
    path: '/v1/projects/{projectId}/agent/model-test',
    maxSeconds: 120,
    tag,
    summary: 'Test the model of a project',
    description:
      'Sends one small request with a tool to the model that new jobs would use, and reports whether the model called the tool. Uses some hundred tokens. Takes up to 90 seconds. One test of an organization runs at a time.',
    scope: 'projects:write',
    role: 'admin',
    params: projectParams,
    responses: {
      200: { description: 'The result.', schema: agentModelTest },
      ...errorResponses(...keyErrors, 'not_found', 'model_missing'),
    },
  }),
};
