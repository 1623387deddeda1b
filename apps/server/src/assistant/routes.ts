import { Readable } from 'node:stream';
import { routes } from '@offprint/contract';
import { changesBetween } from '../platform/http/changes.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { AssistantService } from './service.ts';
import { STREAM_HEADERS, uiMessageStream } from './stream.ts';

export function assistantRoutes(assistant: AssistantService): HandledRoute[] {
  return [
    handle(routes.createAssistantMessage, async ({ principal, params, body, signal }) => {
      const site = await assistant.findSite(principal, params.domain);
      const groups = body.filter?.groups ?? [];
      const { messageId, threadId, events } = await assistant.ask(
        site,
        {
          caller: 'api',
          groups,
          identity: body.fp === 'anonymous' ? null : `fp ${body.fp}`,
          isAnonymous: false,
          origin: `https://${site.host}`,
          bundle: null,
        },
        body,
        null,
        signal,
      );
      const stream = Readable.from(uiMessageStream(messageId, threadId, events), { objectMode: false });
      return { status: 200, headers: { ...STREAM_HEADERS }, stream };
    }),
    handle(routes.getAssistantSettings, async ({ principal, params }) => ({
      status: 200,
      body: await assistant.settings(principal.organizationId, params.projectId),
    })),
    handle(routes.updateAssistantSettings, async ({ principal, params, body }) => {
      const { before, settings } = await assistant.updateSettings(
        principal.organizationId,
        params.projectId,
        body,
      );
      return { status: 200, body: settings, act: { changes: changesBetween(before, settings) } };
    }),
    handle(routes.listAssistantConversations, async ({ principal, params, query }) => ({
      status: 200,
      body: await assistant.conversations({ organizationId: principal.organizationId, ...params }, query),
    })),
    handle(routes.getAssistantThread, async ({ principal, params: { projectId, threadId } }) => ({
      status: 200,
      body: await assistant.thread({ organizationId: principal.organizationId, projectId }, threadId),
    })),
    handle(routes.getAssistantCallerStats, async ({ principal, params, query }) => ({
      status: 200,
      body: await assistant.callerStats({ organizationId: principal.organizationId, ...params }, query),
    })),
  ];
}
