import { z } from 'zod';
import { listOf, listQuery } from './list.ts';
import { timestamp } from './timestamp.ts';

/** What did something: a member in the dashboard, an admin key, an operator, or the platform by a webhook or a schedule. */
export const actorKind = z
  .enum(['member', 'key', 'user', 'operator', 'webhook', 'schedule', 'stranger'])
  .describe(
    'What did it: a member, an admin key, a user outside any organization, an operator, a webhook, a schedule, or a stranger who was refused.',
  );
export type ActorKind = z.output<typeof actorKind>;

export const auditOutcome = z
  .enum(['done', 'refused', 'failed'])
  .describe('`refused`: the request was wrong or not allowed; `failed`: a fault of the server.');
export type AuditOutcome = z.output<typeof auditOutcome>;

/** A field that a request changed. */
export const auditChange = z
  .object({
    field: z.string().describe('Path of the field, such as `source.branch`.'),
    from: z.string().nullable().describe('Value before; null if there was none or it is not recorded.'),
    to: z.string().nullable().describe('Value after; null if it was removed or is not recorded.'),
  })
  .describe(
    'A changed field. Both values are null for secrets and long texts, whose values are not recorded.',
  );
export type AuditChange = z.output<typeof auditChange>;

/** One thing that somebody did, or tried to do. */
export const auditEvent = z
  .object({
    id: z.string().describe('Number of the event; rises with time.'),
    at: timestamp,
    actor: z.object({
      kind: actorKind,
      id: z.string().nullable().describe('Id of the user or key; null where there is none.'),
      name: z.string().describe('Address of the user, name of the key.'),
    }),
    action: z.string().describe('Operation id of the call, such as `startExport`.'),
    target: z.string().nullable().describe('Id of what it was done to; null where there is none.'),
    targetName: z
      .string()
      .nullable()
      .describe(
        'Name of the target at that time: of a project or key its name, of a user the email address, of an export its domain and version.',
      ),
    projectId: z.string().nullable().describe('Id of the project that the target belongs to; null if none.'),
    changes: z.array(auditChange).describe('Fields that the request changed.'),
    outcome: auditOutcome,
    code: z.string().nullable().describe('Error code of a refusal or fault.'),
    address: z.string().nullable().describe('Network address that the request came from.'),
    requestId: z.string().nullable().describe('Id of the request in the logs.'),
  })
  .meta({
    id: 'AuditEvent',
    examples: [
      {
        id: '1042',
        at: '2026-06-01T12:00:00.000Z',
        actor: { kind: 'member', id: 'usr_00112233445566778899aabbccddeeff', name: 'ada@example.com' },
        action: 'revokeApiKey',
        target: 'key_ffeeddccbbaa99887766554433221100',
        targetName: 'release pipeline',
        projectId: null,
        changes: [],
        outcome: 'done',
        code: null,
        address: '203.0.113.7',
        requestId: 'req_5f0c1d2e3b4a59687786958493a2b1c0',
      },
    ],
  });
export type AuditEvent = z.output<typeof auditEvent>;

const filters = {
  actor: z.string().min(1).max(254).optional().describe('Id or name of the actor.'),
  action: z.string().min(1).max(100).optional().describe('Operation id.'),
  outcome: auditOutcome.optional(),
  from: z.iso.datetime({ offset: true }).optional().describe('Not before, RFC 3339.'),
  to: z.iso.datetime({ offset: true }).optional().describe('Before, RFC 3339.'),
};

/** Query of `GET /v1/audit-events`. */
export const listAuditEventsQuery = z.strictObject({ ...filters, ...listQuery });
export type AuditFilter = z.output<z.ZodObject<typeof filters>>;
export const auditEventList = listOf(auditEvent).meta({ id: 'AuditEventList' });
export type AuditEventList = z.output<typeof auditEventList>;

/** Query of `GET /v1/audit-events/export`. */
export const exportAuditEventsQuery = z.strictObject({
  ...filters,
  format: z.enum(['csv', 'jsonl']).default('csv').describe('Comma-separated values, or JSON lines.'),
});

/** What an organization used in a month. */
export const usageMonth = z
  .object({
    month: z
      .string()
      .regex(/^\d{4}-\d{2}$/)
      .describe('Month in UTC, `YYYY-MM`.'),
    exports: z.int().min(0).describe('Completed exports.'),
    pages: z.int().min(0).describe('Pages of those exports.'),
    agentJobs: z.int().min(0).describe('Agent jobs created.'),
    agentCalls: z.int().min(0).describe('Calls of models.'),
    inputTokens: z.int().min(0).describe('Tokens sent to models, cached ones included.'),
    outputTokens: z.int().min(0).describe('Tokens written by models.'),
    costUsd: z.number().min(0).nullable().describe('US dollars, where prices are known; null where none is.'),
  })
  .meta({ id: 'UsageMonth' });
export type UsageMonth = z.output<typeof usageMonth>;

/** Query of `GET /v1/usage`. */
export const getUsageQuery = z.strictObject({
  months: z.coerce.number().int().min(1).max(36).default(12).describe('Months to return, this one included.'),
});
export const usage = z
  .object({ data: z.array(usageMonth).describe('Newest first, empty months included.') })
  .meta({ id: 'Usage' });
export type Usage = z.output<typeof usage>;
