import { Readable } from 'node:stream';
import { routes } from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import { listAuditEvents, writeAuditEvents } from './events.ts';
import { type Quotas, readLimits } from './quota.ts';
import { readUsage } from './usage.ts';

const contentTypes = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/x-ndjson; charset=utf-8',
} as const;

export function auditRoutes(db: Kysely<Database>, quotas: Quotas): HandledRoute[] {
  return [
    handle(routes.listAuditEvents, async ({ principal, query }) => ({
      status: 200,
      body: await listAuditEvents(db, principal, query),
    })),
    handle(routes.exportAuditEvents, async ({ principal, query: { format, ...filter } }) => ({
      status: 200,
      file: {
        stream: Readable.from(writeAuditEvents(db, principal, filter, format)),
        contentType: contentTypes[format],
        name: `audit-log.${format}`,
      },
    })),
    handle(routes.getUsage, async ({ principal, query }) => ({
      status: 200,
      body: {
        data: await readUsage(db, principal.organizationId, query.months),
        limits: await readLimits(db, principal.organizationId, quotas),
      },
    })),
  ];
}
