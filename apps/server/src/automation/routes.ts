import { routes } from '@offprint/contract';
import { changesBetween } from '../platform/http/changes.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { AutomationService } from './service.ts';

export function automationRoutes(automation: AutomationService): HandledRoute[] {
  return [
    handle(routes.getAutomation, async ({ principal, params }) => ({
      status: 200,
      body: await automation.read(principal.organizationId, params.projectId),
    })),
    handle(routes.updateAutomation, async ({ principal, params, body }) => {
      const { organizationId } = principal;
      const { before, automation: after } = await automation.update(organizationId, params.projectId, body);
      return { status: 200, body: after, act: { changes: changesBetween(before, after) } };
    }),
    handle(routes.createWebhookSecret, async ({ principal, params }) => ({
      status: 201,
      body: await automation.createSecret(principal.organizationId, params.projectId),
    })),
    handle(routes.listTriggers, async ({ principal, params, query }) => ({
      status: 200,
      body: await automation.triggers(principal.organizationId, params.projectId, query),
    })),
    handle(routes.receiveWebhook, async ({ params, header, bytes, address }) => ({
      status: 202,
      body: await automation.receive({ projectId: params.projectId, header, bytes, address }),
    })),
  ];
}
