import type {
  Automation,
  Trigger,
  TriggerList,
  UpdateAutomationBody,
  WebhookAnswer,
  WebhookSecret,
} from '@offprint/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import { seal } from '../platform/secret.ts';
import { newWebhookSecret } from '../platform/webhook-signature.ts';
import { findProjectIn, type ProjectRow } from '../projects/service.ts';
import { firstTime } from './schedule.ts';
import {
  type AutomationRow,
  databaseTime,
  findAutomation,
  listTriggers,
  saveAutomation,
  type TriggerRow,
} from './store.ts';
import { contextOf, createWebhookReceiver, type WebhookAdapters, type WebhookRequest } from './webhook.ts';

export { startScheduler } from './scheduler.ts';

export interface AutomationService {
  read(organizationId: string, projectId: string): Promise<Automation>;
  /** Replaces everything but the secret. */
  /** The automation before and after the update. */
  update(
    organizationId: string,
    projectId: string,
    body: UpdateAutomationBody,
  ): Promise<{ before: Automation; automation: Automation }>;
  /** Creates the secret of the webhook; an earlier one stops working. */
  createSecret(organizationId: string, projectId: string): Promise<WebhookSecret>;
  /** What triggered exports, newest first. */
  triggers(
    organizationId: string,
    projectId: string,
    query: { cursor?: string | undefined; limit: number },
  ): Promise<TriggerList>;
  /** Takes a delivery of a forge. */
  receive(request: WebhookRequest): Promise<WebhookAnswer>;
}

export interface AutomationAdapters extends WebhookAdapters {
  /** Address under which forges reach the API. */
  publicUrl(): string;
}

export function createAutomationService(adapters: AutomationAdapters): AutomationService {
  const { db } = adapters;

  const find = async (on: Kysely<Database>, organizationId: string, id: string): Promise<ProjectRow> => {
    const project = await findProjectIn(on, organizationId, id);
    if (project === undefined) throw notFound('project');
    return project;
  };

  const present = (projectId: string, row: AutomationRow | undefined): Automation => ({
    domain: row?.domain ?? null,
    webhook: {
      enabled: row?.webhook_enabled ?? false,
      url: `${adapters.publicUrl()}/v1/webhooks/${projectId}`,
      branch: row?.webhook_branch ?? null,
      hasSecret: (row?.webhook_secret_sealed ?? null) !== null,
    },
    schedule:
      row === undefined || row.cron === null
        ? null
        : { cron: row.cron, timeZone: row.time_zone, nextAt: row.next_at?.toISOString() ?? null },
  });

  return {
    async read(organizationId, projectId) {
      await find(db, organizationId, projectId);
      return present(projectId, await findAutomation(db, organizationId, projectId));
    },

    async update(organizationId, projectId, body) {
      const project = await find(db, organizationId, projectId);
      const { domain = null, webhook, schedule = null } = body;
      if (domain !== null && !project.domains.includes(domain)) {
        throw new AppError('invalid_request', `/domain: ${domain} is not a domain of the project.`, {
          param: '/domain',
        });
      }
      if (webhook?.enabled === true && project.source_kind !== 'git') {
        throw new AppError(
          'source_kind_mismatch',
          `Pushes can start exports only for Git sources; the source of the project is of kind ${project.source_kind}.`,
        );
      }
      const timeZone = schedule?.timeZone ?? 'UTC';
      const before = present(projectId, await findAutomation(db, organizationId, projectId));
      const row = await saveAutomation(
        db,
        { organization_id: organizationId, project_id: projectId },
        {
          domain,
          webhook_enabled: webhook?.enabled ?? false,
          webhook_branch: webhook?.branch ?? null,
          cron: schedule?.cron ?? null,
          time_zone: timeZone,
          next_at: schedule === null ? null : firstTime(schedule.cron, timeZone, await databaseTime(db)),
        },
      );
      return { before, automation: present(projectId, row) };
    },

    async createSecret(organizationId, projectId) {
      await find(db, organizationId, projectId);
      const secret = newWebhookSecret();
      await saveAutomation(
        db,
        { organization_id: organizationId, project_id: projectId },
        { webhook_secret_sealed: seal(adapters.key, secret, contextOf(projectId)) },
      );
      return { secret };
    },

    async triggers(organizationId, projectId, query) {
      await find(db, organizationId, projectId);
      const before = parseCursor(query.cursor);
      const rows = await listTriggers(db, projectId, { before, limit: query.limit });
      const shown = rows.slice(0, query.limit);
      const last = shown.at(-1);
      return {
        data: shown.map(presentTrigger),
        nextCursor:
          rows.length > query.limit && last !== undefined
            ? Buffer.from(String(last.id)).toString('base64url')
            : null,
      };
    },

    receive: createWebhookReceiver(adapters),
  };
}

function presentTrigger(row: TriggerRow): Trigger {
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    kind: row.kind,
    event: row.event,
    ref: row.ref,
    commit: row.commit,
    outcome: row.outcome,
    message: row.message,
    exportId: row.export_id,
  };
}

function parseCursor(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const id = Buffer.from(text, 'base64url').toString('latin1');
  if (/^\d{1,15}$/.test(id)) return Number(id);
  throw new AppError('invalid_request', 'cursor must be the nextCursor of an earlier response.', {
    param: 'cursor',
  });
}
