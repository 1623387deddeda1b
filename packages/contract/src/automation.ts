import { z } from 'zod';
import { domain, domainInput } from './domain.ts';
import { idSchema } from './id.ts';
import { listOf, listQuery } from './list.ts';
import { timestamp } from './timestamp.ts';

/** A cron expression of five fields; read in the time zone beside it. */
const cron = z
  .string()
  .trim()
  .min(9)
  .max(100)
  .regex(/^\S+(?: \S+){4}$/, 'must have five fields: minute, hour, day of month, month, day of week')
  .meta({ description: 'Cron expression of five fields.', examples: ['0 6 * * 1-5'] });

const timeZone = z
  .string()
  .min(1)
  .max(64)
  .refine((name) => {
    try {
      new Intl.DateTimeFormat('en', { timeZone: name });
      return true;
    } catch {
      return false;
    }
  }, 'must be an IANA time zone such as Europe/Berlin')
  .meta({ description: 'IANA time zone of the cron expression.', examples: ['Europe/Berlin'] });

/** Body of `PUT /v1/projects/{projectId}/automation`: replaces everything but the secret. */
export const updateAutomationBody = z
  .strictObject({
    domain: domainInput
      .nullable()
      .optional()
      .describe('Domain that is exported. Null and default: the first of the project.'),
    webhook: z
      .strictObject({
        enabled: z.boolean(),
        branch: z
          .string()
          .min(1)
          .max(255)
          .nullable()
          .optional()
          .describe('Branch whose pushes start an export. Null and default: the published branch.'),
      })
      .optional()
      .describe('Pushes that start exports. Default: off.'),
    schedule: z
      .strictObject({ cron, timeZone: timeZone.optional() })
      .nullable()
      .optional()
      .describe('Schedule that starts exports. Null and default: none. Default time zone: UTC.'),
  })
  .meta({
    id: 'UpdateAutomationRequest',
    examples: [{ webhook: { enabled: true }, schedule: { cron: '0 6 * * 1-5', timeZone: 'Europe/Berlin' } }],
  });
export type UpdateAutomationBody = z.input<typeof updateAutomationBody>;

/** What starts exports of a project without a person. */
export const automation = z
  .object({
    domain: domain.nullable().describe('Domain that is exported; null: the first of the project.'),
    webhook: z.object({
      enabled: z.boolean(),
      url: z.url().describe('URL to enter at the forge.'),
      branch: z.string().nullable().describe('Null: the published branch.'),
      hasSecret: z.boolean().describe('Whether a secret exists. Without one, all deliveries are rejected.'),
    }),
    schedule: z
      .object({
        cron: z.string(),
        timeZone: z.string(),
        nextAt: timestamp.nullable().describe('When the next export starts; null: never.'),
      })
      .nullable(),
  })
  .meta({ id: 'Automation' });
export type Automation = z.output<typeof automation>;

/** A new secret for the webhook, shown this once. */
export const webhookSecret = z
  .object({ secret: z.string().describe('Secret to enter at the forge. Shown only once.') })
  .meta({ id: 'WebhookSecret' });
export type WebhookSecret = z.output<typeof webhookSecret>;

/** One request of a forge, or one time of the schedule, and what came of it. */
export const trigger = z
  .object({
    id: z.string(),
    at: timestamp,
    kind: z.enum(['webhook', 'schedule']),
    event: z.string().nullable().describe('Event as the forge named it, such as `push`.'),
    ref: z.string().nullable().describe('Branch or tag that was pushed.'),
    commit: z.string().nullable(),
    outcome: z
      .enum(['started', 'skipped', 'refused'])
      .describe('An export was started, was not needed, or could not be started.'),
    message: z.string().describe('One sentence.'),
    exportId: idSchema('export', 'The export started.').nullable(),
  })
  .meta({ id: 'Trigger' });
export type Trigger = z.output<typeof trigger>;
export const listTriggersQuery = z.strictObject(listQuery);
export const triggerList = listOf(trigger).meta({ id: 'TriggerList' });
export type TriggerList = z.output<typeof triggerList>;

/** Response to a forge. */
export const webhookAnswer = z
  .object({ outcome: trigger.shape.outcome, message: z.string(), exportId: z.string().nullable() })
  .meta({ id: 'WebhookAnswer' });
export type WebhookAnswer = z.output<typeof webhookAnswer>;
