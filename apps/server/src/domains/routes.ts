import { routes } from '@offprint/contract';
import { changesBetween } from '../platform/http/changes.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { DomainService } from './service.ts';

export function domainRoutes(domains: DomainService): HandledRoute[] {
  const keyOf = (organizationId: string, params: { projectId: string; domainId: string }) => ({
    organizationId,
    projectId: params.projectId,
    id: params.domainId,
  });
  return [
    handle(routes.listDomains, async ({ principal, params, query }) => ({
      status: 200,
      body: await domains.list(principal.organizationId, params.projectId, query),
    })),
    handle(routes.addDomain, async ({ principal, params, body, signal }) => {
      const domain = await domains.add(principal.organizationId, params.projectId, body, signal);
      const { domain: host, redirectTo } = domain;
      return {
        status: 201,
        body: domain,
        act: { changes: changesBetween({}, { domain: host, redirectTo }) },
      };
    }),
    handle(routes.getDomain, async ({ principal, params }) => ({
      status: 200,
      body: await domains.read(keyOf(principal.organizationId, params)),
    })),
    handle(routes.updateDomain, async ({ principal, params, body }) => {
      const { before, domain } = await domains.update(keyOf(principal.organizationId, params), body);
      const changes = changesBetween({ redirectTo: before.redirectTo }, { redirectTo: domain.redirectTo });
      return { status: 200, body: domain, act: { changes } };
    }),
    handle(routes.checkDomain, async ({ principal, params, signal }) => ({
      status: 200,
      body: await domains.check(keyOf(principal.organizationId, params), signal),
    })),
    handle(routes.releaseDomain, async ({ principal, params }) => {
      await domains.release(keyOf(principal.organizationId, params));
      return { status: 204 };
    }),
  ];
}
