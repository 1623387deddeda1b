import type { DeploymentSource, StartExportBody } from '@offprint/contract';
import type { Transaction } from 'kysely';
import { recordAct } from '../audit/service.ts';
import {
  type DeployAdapters,
  type DeployRequest,
  deployIn,
  expirePreview,
  type ForkRequest,
  findHosting,
  requestFork,
} from '../deployments/service.ts';
import { findWaitingExport, startExportIn } from '../exports/service.ts';
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

/** What starting an export or a deployment needs. */
export type StartAdapters = DeployAdapters;

/** What is to be done: nothing, for a reason in a sentence, or one of the others. */
export type Decision =
  | { skip: string }
  /** Export, or deploy, the ref; null: the published branch. */
  | { ref: string | null }
  /** Preview a branch; `skip`: the reason why not, if the project has no previews. */
  | { preview: string; skip: string; pullRequest?: number }
  /** Record the commit of a fork for approval; `skip` as above. */
  | { fork: Pick<ForkRequest, 'fork' | 'branch' | 'commit' | 'pullRequest'>; skip: string }
  /** Refuse a preview, for a reason in a sentence; `skip` as above. */
  | { refuse: string; skip: string }
  /** Delete the preview of a branch that was deleted, or whose pull request was closed; `why` in a sentence. */
  | { deleted: string; pullRequest: number | null; why: string };

/** One reason to start an export. */
export interface Occasion {
  automation: AutomationRow;
  facts: TriggerFacts;
  /** The person who starts it, for display. */
  by: string;
  source: DeploymentSource;
  /** Where it comes from; null for the clock. */
  address: string | null;
  decide(project: ProjectRow): Decision;
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
  occasion: Occasion,
): Promise<TriggerResult> {
  const { automation, decide } = occasion;
  const { organization_id: organizationId, project_id: projectId } = automation;
  const project = await findProjectIn(tx, organizationId, projectId);
  if (project === undefined) return skipped('The project was deleted.');
  const decision = decide(project);
  if ('deleted' in decision) return endPreview(tx, projectId, decision);
  const hosting = await findHosting(tx, organizationId, projectId);
  if ('preview' in decision) {
    if (hosting?.previews_enabled !== true) return skipped(decision.skip);
    const { preview: branch, pullRequest } = decision;
    return deploy(tx, adapters, occasion, {
      project,
      kind: 'preview',
      branch,
      ...(pullRequest === undefined ? {} : { pullRequest }),
    });
  }
  if ('fork' in decision)
    return hosting?.previews_enabled === true
      ? recordFork(tx, adapters, occasion, { project, ...decision.fork })
      : skipped(decision.skip);
  if ('refuse' in decision)
    return hosting?.previews_enabled === true ? refused(decision.refuse) : skipped(decision.skip);
  if ('skip' in decision) return skipped(decision.skip);
  const wanted = automation.domain;
  if (wanted !== null && !project.domains.includes(wanted)) {
    return refused(`${wanted} is not a domain of the project. Choose another domain.`);
  }
  const { ref } = decision;
  if (hosting?.enabled === true)
    return deploy(tx, adapters, occasion, { project, kind: 'production', branch: ref });
  const domain = wanted ?? project.domains[0];
  if (domain === undefined) {
    return refused('The project has no domain, so nothing can be exported. Add a domain to the project.');
  }
  return exportSite(tx, adapters, occasion, { domain, ref });
}

async function endPreview(
  tx: Transaction<Database>,
  projectId: string,
  { deleted: branch, pullRequest, why }: Extract<Decision, { deleted: string }>,
): Promise<TriggerResult> {
  const isEnded = await expirePreview(tx, { projectId, branch, pullRequest });
  return skipped(isEnded ? `${why} Its preview was deleted.` : why);
}

function exportSite(
  tx: Transaction<Database>,
  adapters: StartAdapters,
  occasion: Occasion,
  { domain, ref }: { domain: string; ref: string | null },
): Promise<TriggerResult> {
  const { organization_id: organizationId, project_id: projectId } = occasion.automation;
  const { facts, by } = occasion;
  return recorded(tx, occasion, 'startExport', async () => {
    const waiting = await findWaitingExport(tx, organizationId, { projectId, domain, ref });
    if (waiting !== null) {
      const what = facts.kind === 'webhook' ? 'that will contain this push' : 'of the domain';
      return { target: null, result: skipped(`An export ${what} is already queued.`, waiting) };
    }
    const reach = { organizationId, projects: [projectId] };
    const body: StartExportBody = { domain, ...(ref === null ? {} : { source: { ref } }) };
    const { jobId } = await startExportIn(tx, adapters, reach, body, { createdBy: by, trigger: facts.kind });
    return { target: jobId, result: started(`Started an export of ${domain}.`, jobId) };
  });
}

function deploy(
  tx: Transaction<Database>,
  adapters: StartAdapters,
  occasion: Occasion,
  site: Pick<DeployRequest, 'project' | 'kind' | 'branch' | 'pullRequest'>,
): Promise<TriggerResult> {
  const { automation, facts, by, source } = occasion;
  const what = site.kind === 'production' ? 'update' : 'preview';
  const action = site.kind === 'production' ? 'triggerUpdate' : 'triggerPreview';
  return recorded(tx, occasion, action, async () => {
    const { id, exportId, host, domain, state } = await deployIn(tx, adapters, {
      ...site,
      domain: automation.domain,
      by,
      source,
      trigger: facts.kind,
      commit: facts.commit,
    });
    const of = host ?? domain;
    if (state === 'new') {
      const begun = site.kind === 'production' ? 'an update' : 'a preview';
      return { target: id, result: started(`Started ${begun} of ${of}.`, exportId) };
    }
    const why =
      state === 'known'
        ? `The newest preview of ${of} has this commit.`
        : `The next ${what} of ${of} is already queued.`;
    return { target: null, result: skipped(why, exportId) };
  });
}

function recordFork(
  tx: Transaction<Database>,
  adapters: StartAdapters,
  occasion: Occasion,
  fork: Omit<ForkRequest, 'by' | 'source' | 'trigger'>,
): Promise<TriggerResult> {
  const { facts, by, source } = occasion;
  return recorded(tx, occasion, 'triggerPreview', async () => {
    const { id, isNew } = await requestFork(tx, adapters, { ...fork, by, source, trigger: facts.kind });
    const of = `Pull request ${fork.pullRequest} of the fork ${fork.fork}`;
    return isNew
      ? { target: id, result: skipped(`${of} waits for the approval of a member.`) }
      : { target: null, result: skipped(`${of} has a deployment of this commit.`) };
  });
}

/** Starts something and writes it to the audit log; a refusal is the result. */
async function recorded(
  tx: Transaction<Database>,
  { automation, facts, by, address }: Occasion,
  action: string,
  run: () => Promise<{ target: string | null; result: TriggerResult }>,
): Promise<TriggerResult> {
  const { organization_id: organizationId, project_id: projectId } = automation;
  const act = {
    organizationId,
    actor: { kind: facts.kind, id: projectId, name: by },
    action,
    address,
    requestId: null,
  };
  try {
    const { target, result } = await run();
    if (target !== null) await recordAct(tx, { ...act, target, outcome: 'done', code: null });
    return result;
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    await recordAct(tx, { ...act, target: projectId, outcome: 'refused', code: error.code });
    return refused(error.message);
  }
}

const started = (message: string, exportId: string): TriggerResult => ({
  outcome: 'started',
  message,
  export_id: exportId,
});
const skipped = (message: string, exportId: string | null = null): TriggerResult => ({
  outcome: 'skipped',
  message,
  export_id: exportId,
});
const refused = (message: string): TriggerResult => ({ outcome: 'refused', message, export_id: null });
