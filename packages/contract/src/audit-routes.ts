import {
  auditEventList,
  exportAuditEventsQuery,
  getUsageQuery,
  listAuditEventsQuery,
  usage,
} from './audit.ts';
import { defineRoute, errorResponses, keyErrors, organizationErrors } from './route.ts';

const tag = 'Audit and usage';

export const auditRoutes = {
  listAuditEvents: defineRoute({
    operationId: 'listAuditEvents',
    method: 'GET',
    path: '/v1/audit-events',
    tag,
    summary: 'List audit events',
    description:
      'Changes with actor, time, source and outcome, newest first. A key that is limited to projects gets the events of these projects.',
    scope: 'organization:read',
    limitedKeys: 'filtered',
    role: 'admin',
    query: listAuditEventsQuery,
    responses: {
      200: { description: 'One page of events.', schema: auditEventList },
      ...errorResponses(...keyErrors),
    },
  }),
  exportAuditEvents: defineRoute({
    operationId: 'exportAuditEvents',
    method: 'GET',
    path: '/v1/audit-events/export',
    tag,
    summary: 'Export audit events',
    description: 'All events that match the filter as a file, oldest first.',
    scope: 'organization:read',
    limitedKeys: 'filtered',
    role: 'admin',
    query: exportAuditEventsQuery,
    responses: {
      200: { description: 'The file.', contentType: 'text/csv' },
      ...errorResponses(...keyErrors),
    },
  }),
  getUsage: defineRoute({
    operationId: 'getUsage',
    method: 'GET',
    path: '/v1/usage',
    tag,
    summary: 'Get usage by month',
    description:
      'Exports, pages and agent tokens of the organization by month, and the limits of its plan with what is used of them.',
    scope: 'organization:read',
    role: 'viewer',
    query: getUsageQuery,
    responses: {
      200: { description: 'The months and the limits.', schema: usage },
      ...errorResponses(...organizationErrors),
    },
  }),
};
