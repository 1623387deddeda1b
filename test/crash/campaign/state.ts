/** Collects what is left after a campaign, for the checker. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REPOSITORY } from '../../support/agent/script.ts';
import type { Process, State } from './check.ts';
import type { Ground } from './ground.ts';
import { findProcesses, namesIn } from './processes.ts';

/** Between two lists of processes and folders: what is there only once is being started or removed. */
const LOOK_MS = 4_000;

/** What is there while the platform still runs; `left` is added after its stop. */
export async function readState(
  ground: Ground,
  foreign: Readonly<Record<string, string>>,
): Promise<Omit<State, 'left'>> {
  const [processes, folders] = [findProcesses(ground.root), readFolders(ground)];
  const rows = await readRows(ground);
  const objects: string[] = [];
  for await (const { key } of ground.blobs.list('')) objects.push(key);
  await sleep(LOOK_MS);
  const [later, laterFolders] = [findProcesses(ground.root), readFolders(ground)];
  const isStill = (pid: number): boolean => later.some((one) => one.pid === pid);
  const { branches, found } = readBranches(ground, foreign);
  return {
    ...rows,
    objects,
    branches,
    foreign: { expected: { ...foreign }, found },
    pulls: ground.forge.rows().map(({ number, head, state }) => ({ number, head, state })),
    running: processes.filter(({ pid }) => isStill(pid)),
    folders: {
      work: folders.work.filter((name) => laterFolders.work.includes(name)),
      temporary: folders.temporary.filter((name) => laterFolders.temporary.includes(name)),
    },
  };
}

/** Processes that are there some seconds after everything was stopped. */
export async function readLeft(ground: Ground): Promise<Process[]> {
  for (let round = 0; round < 15 && findProcesses(ground.root).length > 0; round += 1) await sleep(1_000);
  return findProcesses(ground.root);
}

function readFolders({ root, dataDir }: Ground): State['folders'] {
  const work = join(dataDir, 'work');
  return {
    work: namesIn(work).flatMap((name) => {
      const inner = name.startsWith('sandbox-') ? namesIn(join(work, name)) : [];
      return [name, ...inner.map((child) => `${name}/${child}`)];
    }),
    temporary: namesIn(join(root, 'tmp')),
  };
}

async function readRows({ database, domains }: Ground) {
  const { db } = database;
  const projectOf = new Map(Object.entries(domains).map(([name, domain]) => [domain, name]));
  const exports = await db.selectFrom('exports').selectAll().orderBy('created_at').execute();
  const exportEvents = await db.selectFrom('export_events').selectAll().orderBy('id').execute();
  const agentJobs = await db.selectFrom('agent_jobs').selectAll().orderBy('created_at').execute();
  const agentEvents = await db.selectFrom('agent_events').selectAll().orderBy('seq').execute();
  const keys = await db.selectFrom('idempotency_keys').selectAll().execute();
  const queue = await db.selectFrom('jobs').select('id').execute();
  const usage = await db.selectFrom('usage_months').selectAll().execute();
  const calls = await db
    .selectFrom('agent_model_calls')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('ended_at', 'is not', null)
    .executeTakeFirstOrThrow();
  const total = (of: (row: (typeof usage)[number]) => number): number =>
    usage.reduce((sum, row) => sum + Number(of(row)), 0);
  return {
    exports: exports.map((row) => ({
      id: row.id,
      project: projectOf.get(row.domain) ?? row.domain,
      status: row.status,
      attempt: row.attempt,
      digest: row.artifact_sha256,
      bundle: row.bundle_sha256,
      pages: row.page_count,
      error: row.error,
    })),
    exportEvents: exportEvents.map(({ export_id: id, attempt, event, at }) => ({
      id,
      attempt,
      event,
      at: at.getTime(),
    })),
    agentJobs: agentJobs.map((row) => ({
      id: row.id,
      phase: row.phase,
      attempt: row.attempt,
      branch: row.branch,
      pullRequest: row.pr_link,
      failure: row.failure_message,
    })),
    agentEvents: agentEvents.map(({ job_id: id, seq, attempt, kind, body, at }) => ({
      id,
      seq,
      attempt,
      kind,
      phase: phaseOf(body),
      at: at.getTime(),
    })),
    keys: keys.flatMap(({ key, response_body: body }) => {
      const id = jobOf(body);
      return id === null ? [] : [{ key, id }];
    }),
    queue: queue.map(({ id }) => id),
    usage: {
      exports: total((row) => row.exports),
      pages: total((row) => row.pages),
      agentJobs: total((row) => row.agent_jobs),
      agentCalls: total((row) => row.agent_calls),
    },
    endedCalls: Number(calls.count),
  };
}

function phaseOf(body: unknown): string | null {
  const isState = typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'state';
  return isState && 'phase' in body ? String(body.phase) : null;
}

function jobOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || 'sealed' in body || 'bundleUrl' in body) return null;
  if ('jobId' in body) return String(body.jobId);
  return 'id' in body ? String(body.id) : null;
}

/** Runs git in the repository of the campaign. */
export function readGit({ git }: Ground, ...args: string[]): string {
  const settings = ['-c', 'safe.directory=*', '--git-dir', join(git.root, `${REPOSITORY}.git`)];
  return execFileSync('git', [...settings, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    maxBuffer: 2 ** 28,
  }).trim();
}

/** Every branch with its commit. */
export const readTips = (ground: Ground): Record<string, string> =>
  Object.fromEntries(
    readGit(ground, 'for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads')
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  );

function readBranches(
  ground: Ground,
  foreign: Readonly<Record<string, string>>,
): { branches: State['branches']; found: Record<string, string> } {
  const tips = Object.entries(readTips(ground));
  const isOurs = ([name]: [string, string]): boolean =>
    name.startsWith('offprint/') && foreign[name] === undefined;
  return {
    found: Object.fromEntries(tips.filter((tip) => !isOurs(tip))),
    branches: tips.filter(isOurs).map(([name]) => {
      const log = readGit(ground, 'log', '--format=%H%n%B', `main..${name}`);
      return {
        name,
        commits: log.split('\n').filter((line) => /^[0-9a-f]{40}$/.test(line)).length,
        jobs: [...log.matchAll(/^Offprint-Job: (\S+)$/gm)].map(([, id]) => String(id)),
        tree: readGit(ground, 'rev-parse', `${name}^{tree}`),
      };
    }),
  };
}
