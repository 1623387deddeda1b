import { routes } from '@offprint/contract';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { DiscoveryService } from './service.ts';

export function discoveryRoutes(discovery: DiscoveryService): HandledRoute[] {
  return [
    handle(routes.searchSite, async ({ principal, params, body }) => ({
      status: 200,
      body: await discovery.search(principal, params.domain, body),
    })),
    handle(routes.getSitePage, async ({ principal, params, body }) => ({
      status: 200,
      body: await discovery.page(principal, params.domain, body),
    })),
    handle(routes.listSiteRecords, async ({ principal, params, query }) => ({
      status: 200,
      file: {
        stream: await discovery.records(principal, params.domain, groupsOf(query.groups)),
        contentType: 'application/x-ndjson; charset=utf-8',
        name: 'records.jsonl',
      },
    })),
  ];
}

const groupsOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
