import { z } from 'zod';
import {
  assistantCallerStats,
  assistantConversations,
  assistantMessageBody,
  assistantPeriodQuery,
  assistantSettings,
  assistantThread,
  listAssistantConversationsQuery,
  updateAssistantSettingsBody,
} from './assistant.ts';
import { idParam } from './id.ts';
import { defineRoute, errorResponses, jsonErrors, keyErrors } from './route.ts';

const tag = 'Assistant';
const projectId = idParam('Id of the project.');
const params = z.strictObject({ projectId });

export const assistantRoutes = {
  createAssistantMessage: defineRoute({
    operationId: 'createAssistantMessage',
    method: 'POST',
    path: '/discovery/v2/assistant/{domain}/message',
    tag,
    summary: 'Ask the assistant of a site',
    description:
      'Answers the last message from the pages of the site that is served on the domain. The response is the UI message stream of AI SDK 5: server-sent events with text, sources and at the end `finish` with `threadId`. Links in the text lead to pages of the site; all others are removed.',
    scope: 'assistant:use',
    role: 'editor',
    limitedKeys: 'filtered',
    maxSeconds: 120,
    params: z.strictObject({ domain: idParam('Domain on which the site is served.') }),
    body: assistantMessageBody,
    responses: {
      200: { description: 'The answer.', contentType: 'text/event-stream' },
      ...errorResponses(
        ...keyErrors,
        ...jsonErrors,
        'not_found',
        'assistant_unavailable',
        'assistant_limit',
        'search_unavailable',
        'artifact_lost',
      ),
    },
  }),
  getAssistantSettings: defineRoute({
    operationId: 'getAssistantSettings',
    method: 'GET',
    path: '/v1/projects/{projectId}/assistant',
    tag,
    summary: 'Get the assistant settings of a project',
    description: 'The settings of the assistant of the sites of the project, and whether it can answer.',
    scope: 'projects:read',
    role: 'viewer',
    params,
    responses: {
      200: { description: 'The settings.', schema: assistantSettings },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  updateAssistantSettings: defineRoute({
    operationId: 'updateAssistantSettings',
    method: 'PUT',
    path: '/v1/projects/{projectId}/assistant',
    tag,
    summary: 'Replace the assistant settings of a project',
    description:
      'Omitted fields are reset to their defaults. An omitted API key is kept as long as it would be sent to the same host as before.',
    scope: 'projects:write',
    role: 'admin',
    params,
    body: updateAssistantSettingsBody,
    responses: {
      200: { description: 'The settings.', schema: assistantSettings },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  listAssistantConversations: defineRoute({
    operationId: 'listAssistantConversations',
    method: 'GET',
    path: '/v1/analytics/{projectId}/assistant',
    tag,
    summary: 'List questions to the assistant',
    description: 'Questions of readers with their answers, newest first.',
    scope: 'analytics:read',
    role: 'viewer',
    params,
    query: listAssistantConversationsQuery,
    responses: {
      200: { description: 'One page of questions.', schema: assistantConversations },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  getAssistantThread: defineRoute({
    operationId: 'getAssistantThread',
    method: 'GET',
    path: '/v1/analytics/{projectId}/assistant/threads/{threadId}',
    tag,
    summary: 'Get a thread of the assistant',
    description: 'All messages of a conversation.',
    scope: 'analytics:read',
    role: 'viewer',
    params: z.strictObject({ projectId, threadId: idParam('Id of the thread.') }),
    responses: {
      200: { description: 'The thread.', schema: assistantThread },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  getAssistantCallerStats: defineRoute({
    operationId: 'getAssistantCallerStats',
    method: 'GET',
    path: '/v1/analytics/{projectId}/assistant/caller-stats',
    tag,
    summary: 'Count questions to the assistant',
    description: 'Number of questions by where they were asked.',
    scope: 'analytics:read',
    role: 'viewer',
    params,
    query: assistantPeriodQuery,
    responses: {
      200: { description: 'The numbers.', schema: assistantCallerStats },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
};
