import { counted } from '@offprint/contract/counted';
import type { LiveWorker, QueueState } from '@offprint/server/admin';
import { createTalk, printable, printJson } from '../output.ts';
import type { JsonOption } from './organizations.ts';
import { confirm, formatTime, onInstallation, printTable } from './run.ts';

const talk = createTalk({ quiet: false });

export async function requeueJob(id: string, { json }: JsonOption): Promise<void> {
  const queued = await onInstallation((admin) => admin.requeueJob(id));
  if (json) return printJson({ id, queued });
  talk.say(
    queued === 'job' ? `${id} is queued again.` : `The artifact of ${id} is queued to be rendered again.`,
  );
}

export async function cancelJobs(
  organization: string,
  { yes, json }: JsonOption & { yes?: boolean },
): Promise<void> {
  const cancelled = await onInstallation(async (admin) => {
    const found = await admin.readOrganization(organization);
    if (!yes) {
      await confirm(
        `This cancels every unfinished export and agent job of ${found.name} (${found.id}).`,
        found.name,
      );
    }
    return admin.cancelJobs(found.id);
  });
  if (json) return printJson(cancelled);
  talk.say(
    `Cancelled ${counted(cancelled.exports, 'export')} and ${counted(cancelled.agentJobs, 'agent job')} of ${printable(organization)}.`,
  );
}

export async function showQueue({ json }: JsonOption): Promise<void> {
  const state = await onInstallation((admin) => admin.readQueue());
  if (json) return printJson(state);
  printQueue(state);
}

export async function pauseQueue(
  kind: string | undefined,
  isPaused: boolean,
  { json }: JsonOption,
): Promise<void> {
  const state = await onInstallation((admin) =>
    isPaused ? admin.pauseQueue(kind ?? null) : admin.resumeQueue(kind ?? null),
  );
  if (json) return printJson(state);
  printQueue(state);
}

function printQueue({ groups, workers, paused }: QueueState): void {
  printTable(
    ['kind', 'state', 'jobs', 'oldest (s)', 'paused'],
    groups.map(({ kind, state, count, oldestSeconds }) => [
      kind,
      state,
      String(count),
      String(Math.round(oldestSeconds)),
      paused.includes(kind) ? 'yes' : 'no',
    ]),
  );
  talk.say(`Workers that live: ${workers}`);
}

export async function listWorkers({ json }: JsonOption): Promise<void> {
  const workers = await onInstallation((admin) => admin.listWorkers());
  if (json) return printJson(workers);
  printTable(
    ['number', 'process', 'address', 'since (UTC)', 'jobs', 'drained'],
    workers.map(({ worker, application, address, since, jobs, isDrained }) => [
      String(worker),
      application,
      address ?? 'local',
      formatTime(since === null ? null : since.toISOString(), ''),
      String(jobs),
      isDrained ? 'yes' : 'no',
    ]),
  );
}

export async function drainWorker(
  number: number,
  { undo, json }: JsonOption & { undo?: boolean },
): Promise<void> {
  const worker: LiveWorker = await onInstallation((admin) => admin.drainWorker(number, undo !== true));
  if (json) return printJson(worker);
  talk.say(
    undo === true
      ? `The worker ${number} starts jobs again.`
      : `The worker ${number} starts no more jobs. It has ${worker.jobs} to finish.`,
  );
}
