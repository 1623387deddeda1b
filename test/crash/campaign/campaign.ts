/**
 * Kills workers, APIs, render children, the embedded database and its guard at random moments, while clients start exports
 * and agent jobs, and has the result checked.
 *
 *   node test/crash/campaign/campaign.ts --kills 1500 --seconds 7200 --seed 7 --pause 3000 --folder /tmp/campaign
 *
 * Files are stored in the bucket of OFFPRINT_TEST_S3_* (test/support/s3/real.ts), else in the data folder.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRandom } from '../../support/random.ts';
import { findRealStore, type RealStore } from '../../support/s3/real.ts';
import { checkCampaign, type Report, type State } from './check.ts';
import { AGENT_PROJECT, type Clients, createClients, type Seen } from './clients.ts';
import { type Ground, startGround } from './ground.ts';
import { type History, type JobKind, openHistory, readHistory } from './history.ts';
import { createKiller } from './kills.ts';
import { readGit, readLeft, readState, readTips } from './state.ts';

export interface CampaignOptions {
  kills: number;
  /** No kill after this time, whatever their number is. */
  seconds: number;
  seed: number;
  /** Mean milliseconds between two kills. */
  pauseMs: number;
  store: RealStore | null;
  /** Takes the history, the state, the report and the log of the platform. */
  folder: string;
  workers: number;
  /** Exports and agent jobs that are always under way. */
  exports: number;
  agentJobs: number;
}

export interface Campaign {
  report: Report;
  state: State;
}

const LOOK_MS = 150;
const LOAD_MS = 10_000;
/** Time for the jobs that are under way when the kills are over. */
const END_MS = 300_000;
/** Longer than two sweeps of the work folder. */
const SWEEP_MS = 33_000;

export async function runCampaign(options: CampaignOptions): Promise<Campaign> {
  mkdirSync(options.folder, { recursive: true });
  const file = (name: string): string => join(options.folder, name);
  const history = openHistory(file('history.jsonl'));
  const { store, folder: _folder, ...told } = options;
  history.add({
    kind: 'begin',
    seed: options.seed,
    options: { ...told, store: store?.endpoint ?? 'folder' },
  });
  const ground = await startGround({ store, history, log: file('platform.log'), modelMs: 60 });
  try {
    const clients = createClients(ground, history);
    ground.startWorkers(options.workers);
    const foreign = readTips(ground);
    await recordBaselines(ground, clients, history);
    await killAll(ground, clients, history, options);
    history.add({ kind: 'calm' });
    await sleep(SWEEP_MS);
    const state = await readState(ground, foreign);
    // What runs now is compared with the processes that are supervised now, not after the stop.
    const lines = readHistory(file('history.jsonl'));
    await ground.stop();
    const whole = { ...state, left: await readLeft(ground) };
    writeFileSync(file('state.json'), JSON.stringify(whole));
    const report = checkCampaign(lines, whole);
    writeFileSync(file('report.json'), JSON.stringify(report, null, 2));
    return { report, state: whole };
  } finally {
    await ground.stop();
    await ground.close();
  }
}

/** One job of each kind without any kill. */
async function recordBaselines(ground: Ground, clients: Clients, history: History): Promise<void> {
  const { signal } = new AbortController();
  const run = async (job: JobKind, project: string): Promise<Seen> => {
    const seen = await clients.run(job, project, signal);
    if (seen?.status !== 'completed') throw new Error(`undisturbed: ${project} is ${JSON.stringify(seen)}`);
    return seen;
  };
  for (const project of Object.keys(ground.domains)) {
    const { result } = await run('export', project);
    history.add({ kind: 'baseline', project, result: result ?? '' });
  }
  await run('agent', AGENT_PROJECT);
  const head = ground.forge.rows()[0]?.head ?? 'main';
  history.add({
    kind: 'baseline',
    project: AGENT_PROJECT,
    result: readGit(ground, 'rev-parse', `${head}^{tree}`),
  });
}

async function killAll(
  ground: Ground,
  clients: Clients,
  history: History,
  options: CampaignOptions,
): Promise<void> {
  const random = createRandom(options.seed);
  const killer = createKiller(ground, history, random);
  const over = new AbortController();
  const looks = every(LOOK_MS, over.signal, killer.look);
  const loads = every(LOAD_MS, over.signal, async () => {
    history.add({ kind: 'load', load: loadavg()[0] ?? 0 });
    // Only the programs behind the tests read these, and they would fill the memory.
    ground.model.requests.length = 0;
  });
  const projects = Object.keys(ground.domains);
  const work = [
    ...Array.from({ length: options.exports }, (_, number) =>
      keepRunning(over.signal, (turn) => {
        const project = projects[(number + turn) % projects.length] ?? 'small';
        return clients.run('export', project, over.signal);
      }),
    ),
    ...Array.from({ length: options.agentJobs }, () =>
      keepRunning(over.signal, () => clients.run('agent', AGENT_PROJECT, over.signal)),
    ),
  ];
  const deadline = Date.now() + options.seconds * 1_000;
  let kills = 0;
  let shown = Date.now();
  while (kills < options.kills && Date.now() < deadline) {
    await sleep(options.pauseMs * (0.2 + 1.6 * random()));
    kills += await killer.kill();
    if (Date.now() - shown < 30_000) continue;
    shown = Date.now();
    process.stdout.write(`${new Date().toISOString()} ${kills} kills, load ${loadavg()[0]?.toFixed(1)}\n`);
  }
  over.abort();
  await Promise.race([Promise.all([...work, looks, loads]), sleep(END_MS)]);
}

async function keepRunning(signal: AbortSignal, run: (turn: number) => Promise<unknown>): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) await run(turn);
}

async function every(ms: number, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await run();
    await sleep(ms);
  }
}

/** The figures of a report, for people. */
export function describeReport({ findings, kills, jobs, ...rest }: Report): string {
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  const times = (of: Report['recovery']): string =>
    `${of.count} times, p50 ${seconds(of.p50)} s, p95 ${seconds(of.p95)} s, max ${seconds(of.max)} s`;
  const lines = [
    `${kills.total} kills: ${kills.worker} workers, ${kills.api} APIs, ${kills.child} children, ${kills.postmaster} databases, ${kills.guard} guards; ${kills.active} of processes at work`,
    `${jobs.exports} exports with ${jobs.exportAttempts} attempts, ${jobs.agentJobs} agent jobs with ${jobs.agentAttempts} attempts, ${rest.downloads} downloads`,
    `recovery: ${times(rest.recovery)}`,
    `recovery while the database stays: ${times(rest.calmRecovery)}`,
    `${rest.exits} exits without a kill, ${rest.orphanObjects} stored files without an export`,
    `load: p50 ${rest.load.p50.toFixed(1)}, max ${rest.load.max.toFixed(1)}`,
    `${findings.length} findings`,
    ...findings.slice(0, 50).map(({ kind, text }) => `  ${kind}: ${text}`),
  ];
  return `${lines.join('\n')}\n`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '3000' },
      seconds: { type: 'string', default: '7200' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      pause: { type: 'string', default: '700' },
      workers: { type: 'string', default: '3' },
      exports: { type: 'string', default: '4' },
      'agent-jobs': { type: 'string', default: '2' },
      folder: { type: 'string', default: join(tmpdir(), `campaign-${Date.now()}`) },
    },
  });
  const { report } = await runCampaign({
    kills: Number(values.kills),
    seconds: Number(values.seconds),
    seed: Number(values.seed),
    pauseMs: Number(values.pause),
    store: findRealStore(),
    folder: values.folder,
    workers: Number(values.workers),
    exports: Number(values.exports),
    agentJobs: Number(values['agent-jobs']),
  });
  process.stdout.write(describeReport(report));
  process.exit(report.findings.length === 0 ? 0 : 1);
}
