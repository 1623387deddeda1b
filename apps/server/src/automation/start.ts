import type { StartExportBody } from '@offprint/contract';
import type { Transaction } from 'kysely';
import { recordAct } from '../audit/service.ts';
import { type ExportAdapters, findWaitingExport, startExportIn } from '../exports/service.ts';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import { findProjectIn, type ProjectRow } from '../projects/service.ts';
import {
  type AutomationRow,
  setResult,
  type TriggerFacts,
  type TriggerResult,
  takeDelivery,
} from './store.ts';

/** What starting an export needs. */
export type StartAdapters = Pick<ExportAdapters, 'maxActiveExports' | 'quotas'>;

/** One reason to start an export. */
export interface Occasion {
  automation: AutomationRow;
  facts: TriggerFacts;
  /** The person who starts it, for display. */
  by: string;
  /** Where it comes from; null for the clock. */
  address: string | null;
  /** Why nothing is to start, as a sentence; else the ref to export, null for the published branch. */
  decide(project: ProjectRow): { skip: string } | { ref: string | null };
}

/**
 * Does what an occasion asks for, once for each delivery, in the caller's transaction: the trigger, the
 * export and the audit event are there together or not at all. A delivery that cannot be processed now is
 * reported as `refused`.
 */
export async function seize(
  tx: Transaction<Database>,
  adapters: StartAdapters,
  occasion: Occasion,
): Promise<TriggerResult> {
  const taken = await takeDelivery(tx, occasion.facts);
  if ('outcome' in taken) {
    return { ...taken, message: `This delivery was already processed. ${taken.message}` };
  }
  const result = await start(tx, adapters, occasion);
  await setResult(tx, taken.id, result);
  return result;
}

async function start(
  tx: Transaction<Database>,
  adapters: StartAdapters,
  { automation, facts, by, address, decide }: Occasion,
): Promise<TriggerResult> {
  const { organization_id: organizationId, project_id: projectId } = automation;
  const project = await findProjectIn(tx, organizationId, projectId);
  if (project === undefined) return skipped('The project was deleted.');
  const decision = decide(project);
  if ('skip' in decision) return skipped(decision.skip);
  const domain = automation.domain ?? project.domains[0];
  if (domain === undefined) {
    return refused('The project has no domain, so nothing can be exported. Add a domain to the project.');
  }
  if (!project.domains.includes(domain)) {
    return refused(`${domain} is no longer a domain of the project. Choose another domain.`);
  }
  const { ref } = decision;
  const waiting = await findWaitingExport(tx, organizationId, { projectId, domain, ref });
  if (waiting !== null) {
    const what = facts.kind === 'webhook' ? 'that will contain this push' : 'of the domain';
    return skipped(`An export ${what} is already queued.`, waiting);
  }
  const body: StartExportBody = { domain, ...(ref === null ? {} : { source: { ref } }) };
  const act = {
    organizationId,
    actor: { kind: facts.kind, id: projectId, name: by },
    action: 'startExport',
    address,
    requestId: null,
  };
  try {
    const reach = { organizationId, projects: [projectId] };
    const { jobId } = await startExportIn(tx, adapters, reach, body, {
      createdBy: by,
      trigger: facts.kind,
    });
    await recordAct(tx, { ...act, target: jobId, outcome: 'done', code: null });
    return { outcome: 'started', message: `Started an export of ${domain}.`, export_id: jobId };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    await recordAct(tx, { ...act, target: projectId, outcome: 'refused', code: error.code });
    return refused(error.message);
  }
}

const skipped = (message: string, exportId: string | null = null): TriggerResult => ({
  outcome: 'skipped',
  message,
  export_id: exportId,
});
const refused = (message: string): TriggerResult => ({ outcome: 'refused', message, export_id: null });
