/**
 * The independent checker of a campaign. It knows nothing of the code of the platform and asks nobody: it compares what
 * clients were promised and saw (the history) with what is left (the state).
 */
import type { Lease, Line, Victim } from './history.ts';

/** What is left when every job has ended, as rows, names and processes. */
export interface State {
  exports: {
    id: string;
    project: string;
    status: string;
    attempt: number;
    digest: string | null;
    bundle: string | null;
    pages: number;
    error: string | null;
  }[];
  exportEvents: { id: string; attempt: number; event: string; at: number }[];
  agentJobs: {
    id: string;
    phase: string;
    attempt: number;
    branch: string | null;
    pullRequest: string | null;
    failure: string | null;
  }[];
  agentEvents: { id: string; seq: number; attempt: number; kind: string; phase: string | null; at: number }[];
  /** Stored responses: the key of a client, and the job that it started. */
  keys: { key: string; id: string }[];
  /** Jobs that are still queued or held. */
  queue: string[];
  usage: { exports: number; pages: number; agentJobs: number; agentCalls: number };
  /** Calls of the model that were recorded with their end. */
  endedCalls: number;
  branches: { name: string; commits: number; jobs: string[]; tree: string }[];
  /** Branches that no agent may touch, by name. */
  foreign: { expected: Record<string, string>; found: Record<string, string> };
  pulls: { number: number; head: string; state: string }[];
  /** Keys of artifacts and bundles in the store. */
  objects: string[];
  /** Processes that belong to this platform while it runs, and those left after it was stopped. */
  running: Process[];
  left: Process[];
  /** Names in the work folder, `name/child` for folders of sandboxes, and in the folder of temporary files. */
  folders: { work: string[]; temporary: string[] };
}

export interface Process {
  pid: number;
  parent: number;
  role: 'guard' | 'postgres' | 'other';
  command: string;
}

export type FindingKind =
  | 'lost'
  | 'duplicated'
  | 'digest'
  | 'failed'
  | 'abandoned'
  | 'fence'
  | 'after end'
  | 'foreign branch'
  | 'process'
  | 'folder'
  | 'object missing'
  | 'usage'
  | 'refused';

export interface Finding {
  kind: FindingKind;
  text: string;
}

export interface Report {
  findings: Finding[];
  kills: Record<Victim | 'total' | 'active', number>;
  jobs: { exports: number; agentJobs: number; exportAttempts: number; agentAttempts: number };
  downloads: number;
  /** From a kill of a worker to the next claim of each job that it held, in milliseconds. */
  recovery: Quantiles;
  /** The same where neither the database nor its guard was killed shortly before or in between. */
  calmRecovery: Quantiles;
  /** Exits of platform processes that were not killed; a supervisor started them again. */
  exits: number;
  /** Stored files that no export names; the sweep removes them after a day. */
  orphanObjects: number;
  load: Quantiles;
}

export interface Quantiles {
  count: number;
  p50: number;
  p95: number;
  max: number;
}

const EXPORT_ENDS = ['completed', 'failed'];
const AGENT_ENDS = ['idle', 'failed', 'archived'];

export function checkCampaign(history: readonly Line[], state: State): Report {
  const findings: Finding[] = [];
  const find = (kind: FindingKind, text: string): void => void findings.push({ kind, text });
  checkPromises(history, state, find);
  checkResults(history, state, find);
  checkExportEvents(state, find);
  checkAgentEvents(state, find);
  checkPublications(history, state, find);
  checkStore(state, find);
  checkUsage(state, find);
  checkProcesses(history, state, find);
  checkFolders(history, state, find);
  return { findings, ...measure(history, state) };
}

type Find = (kind: FindingKind, text: string) => void;

/** Every acknowledged job has one row and an end, every key has one job, and no job is there that nobody asked for. */
function checkPromises(history: readonly Line[], state: State, find: Find): void {
  const asked = new Set(history.flatMap((line) => (line.kind === 'asked' ? [line.key] : [])));
  const rows = new Map([
    ...state.exports.map(({ id, status }) => [id, EXPORT_ENDS.includes(status)] as const),
    ...state.agentJobs.map(({ id, phase }) => [id, AGENT_ENDS.includes(phase)] as const),
  ]);
  const owners = ownersOf(history, state, asked);
  checkRefusals(history, find);
  for (const [key, ids] of owners) {
    if (ids.size > 1) find('duplicated', `${key} started ${[...ids].join(' and ')}`);
    for (const id of ids) {
      if (!rows.has(id)) find('lost', `${id} of ${key} was acknowledged and has no row`);
      else if (rows.get(id) === false) find('lost', `${id} of ${key} has no end`);
    }
  }
  for (const { id, status } of ends(history)) {
    const row = rows.get(id);
    if (row === undefined) find('lost', `${id} was seen as ${status} and has no row`);
  }
  const owned = new Set([...owners.values()].flatMap((ids) => [...ids]));
  for (const id of rows.keys()) if (!owned.has(id)) find('duplicated', `${id} belongs to no key of a client`);
  for (const key of asked) {
    if (!owners.has(key)) find('lost', `${key} got no job`);
  }
  for (const id of state.queue) {
    if (owned.has(id)) find('lost', `${id} is still in the queue`);
  }
}

function checkRefusals(history: readonly Line[], find: Find): void {
  for (const line of history) {
    if (line.kind === 'answer' && line.id === null)
      find('refused', `${line.key}: ${line.status} ${line.text ?? ''}`);
  }
}

/** The jobs of each key: what responses named, and what is stored for the next request with that key. */
function ownersOf(
  history: readonly Line[],
  state: State,
  asked: ReadonlySet<string>,
): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  const own = (key: string, id: string): void => {
    owners.set(key, (owners.get(key) ?? new Set()).add(id));
  };
  for (const line of history) if (line.kind === 'answer' && line.id !== null) own(line.key, line.id);
  for (const { key, id } of state.keys) if (asked.has(key)) own(key, id);
  return owners;
}

/** Every job made what an undisturbed one makes, and clients saw one result. */
function checkResults(history: readonly Line[], state: State, find: Find): void {
  const baselines = new Map(
    history.flatMap((line) => (line.kind === 'baseline' ? [[line.project, line.result] as const] : [])),
  );
  for (const { id, project, status, digest, error } of state.exports) {
    if (status === 'failed') find('failed', `${id}: ${error}`);
    else if (status === 'completed' && digest !== baselines.get(project))
      find('digest', `${id} of ${project}: ${digest}, undisturbed ${baselines.get(project)}`);
  }
  const digests = new Map(state.exports.map(({ id, digest }) => [id, digest]));
  const seen = new Map<string, string>();
  for (const { id, status, result } of ends(history)) {
    const text = `${status} ${result}`;
    const before = seen.get(id);
    if (before !== undefined && before !== text) find('after end', `${id} was ${before}, then ${text}`);
    seen.set(id, text);
    if (digests.has(id) && digests.get(id) !== result)
      find('digest', `${id}: clients saw ${result}, stored is ${digests.get(id)}`);
  }
  for (const line of history) {
    if (line.kind === 'download' && line.sha256 !== line.expected)
      find('digest', `the bundle of ${line.id} is ${line.sha256}, promised ${line.expected}`);
  }
  for (const { id, phase, failure } of state.agentJobs) {
    if (phase !== 'failed') continue;
    const isAbandoned = /stopped its worker/.test(failure ?? '');
    find(isAbandoned ? 'abandoned' : 'failed', `${id}: ${failure}`);
  }
}

const ends = (history: readonly Line[]) => history.filter((line) => line.kind === 'end');

function checkExportEvents(state: State, find: Find): void {
  const events = Map.groupBy(state.exportEvents, ({ id }) => id);
  for (const { id, status, attempt } of state.exports) {
    const own = events.get(id) ?? [];
    const found = own.filter(({ event }) => EXPORT_ENDS.includes(event));
    if (found.length > 1) find('duplicated', `${id} ended ${found.length} times`);
    if (found.length === 0 && EXPORT_ENDS.includes(status)) find('lost', `${id} has no event of its end`);
    if (found.length === 1 && own.at(-1) !== found[0])
      find('after end', `${id}: ${own.at(-1)?.event} after ${found[0]?.event}`);
    const claims = own.filter(({ event }) => event === 'claimed');
    checkFence(id, own, claims, find);
    if ((own.at(-1)?.attempt ?? 0) > attempt)
      find('fence', `${id} is at attempt ${attempt}, its events at ${own.at(-1)?.attempt}`);
  }
}

function checkAgentEvents(state: State, find: Find): void {
  const events = Map.groupBy(state.agentEvents, ({ id }) => id);
  for (const { id, phase } of state.agentJobs) {
    const own = (events.get(id) ?? []).toSorted((a, b) => a.seq - b.seq);
    if (own.some(({ seq }, index) => seq !== index + 1)) find('lost', `${id}: an event is missing`);
    const found = own.filter((event) => event.phase !== null && AGENT_ENDS.includes(event.phase));
    if (found.length > 1) find('duplicated', `${id} ended ${found.length} times`);
    if (found.length === 0 && AGENT_ENDS.includes(phase)) find('lost', `${id} has no event of its end`);
    if (found.length === 1 && own.at(-1) !== found[0])
      find('after end', `${id}: ${own.at(-1)?.kind} after ${found[0]?.phase}`);
    if (own.filter(({ kind }) => kind === 'published').length > 1)
      find('duplicated', `${id} was published more than once`);
    const claims = own.filter((event) => event.phase === 'preparing');
    checkFence(id, own, claims, find);
  }
}

/** No event of an attempt follows one of a later attempt, and no attempt was claimed twice. */
function checkFence(id: string, events: readonly Lease[], claims: readonly Lease[], find: Find): void {
  const attempts = events.map(({ attempt }) => attempt);
  for (const [index, attempt] of attempts.entries()) {
    const before = attempts[index - 1] ?? 0;
    if (attempt < before) find('fence', `${id}: an event of attempt ${attempt} after one of ${before}`);
  }
  const claimed = claims.map(({ attempt }) => attempt);
  if (new Set(claimed).size !== claimed.length)
    find('fence', `${id}: an attempt was claimed twice (${claimed.join(', ')})`);
}

/** Each agent job has one branch with one commit and one pull request, and no other branch has changed. */
function checkPublications(history: readonly Line[], state: State, find: Find): void {
  const trees = new Set(history.flatMap((line) => (line.kind === 'baseline' ? [line.result] : [])));
  for (const { id, phase, branch, pullRequest } of state.agentJobs) {
    const branches = state.branches.filter(({ jobs }) => jobs.includes(id));
    const commits = branches.reduce((sum, one) => sum + one.jobs.filter((job) => job === id).length, 0);
    if (branches.length > 1) find('duplicated', `${id} has ${branches.length} branches`);
    if (commits > 1) find('duplicated', `${id} has ${commits} commits`);
    if (phase === 'idle' && branches.length === 0) find('lost', `${id} has no branch`);
    if (phase === 'idle' && branch !== null && branches.length > 0 && branches[0]?.name !== branch)
      find('lost', `${id} names ${branch}, its commit is on ${branches[0]?.name}`);
    const pulls = state.pulls.filter(({ head }) => head === branch);
    if (pulls.length > 1) find('duplicated', `${id} has ${pulls.length} pull requests`);
    if (phase === 'idle' && (pulls.length === 0 || pullRequest === null))
      find('lost', `${id} has no pull request`);
  }
  checkBranches(state, trees, find);
}

function checkBranches(state: State, trees: ReadonlySet<string>, find: Find): void {
  const known = new Set(state.agentJobs.map(({ id }) => id));
  for (const { name, commits, jobs, tree } of state.branches) {
    if (!jobs.some((id) => known.has(id))) find('duplicated', `the branch ${name} belongs to no job`);
    if (commits > jobs.length) find('foreign branch', `${name} has a commit of nobody`);
    if (!trees.has(tree)) find('digest', `the tree of ${name} is not that of an undisturbed job`);
  }
  const heads = new Set(state.branches.map(({ name }) => name));
  for (const { number, head } of state.pulls) {
    if (!heads.has(head)) find('duplicated', `pull request ${number} is of ${head}, which is not a branch`);
  }
  const names = new Set([...Object.keys(state.foreign.expected), ...Object.keys(state.foreign.found)]);
  for (const name of names) {
    const [expected, found] = [state.foreign.expected[name], state.foreign.found[name]];
    if (expected !== found) find('foreign branch', `${name} is at ${found}, was at ${expected}`);
  }
}

/** Every completed export has its artifact in the store. */
function checkStore(state: State, find: Find): void {
  const keys = new Set(state.objects);
  const indexes = new Set(
    state.objects.flatMap((key) => /^artifacts\/[^/]+\/([0-9a-f]+)\/index\.json$/.exec(key)?.[1] ?? []),
  );
  if (keys.size !== state.objects.length) find('duplicated', 'the store lists an object twice');
  for (const { id, status, bundle } of state.exports) {
    if (status === 'completed' && (bundle === null || !indexes.has(bundle)))
      find('object missing', `${id}: no index of ${bundle}`);
  }
}

/** What is counted for bills is what rows say. */
function checkUsage(state: State, find: Find): void {
  const completed = state.exports.filter(({ status }) => status === 'completed');
  const expected = {
    exports: completed.length,
    pages: completed.reduce((sum, { pages }) => sum + pages, 0),
    agentJobs: state.agentJobs.length,
    agentCalls: state.endedCalls,
  };
  for (const [name, count] of Object.entries(expected)) {
    const counted = Object.entries(state.usage).find(([other]) => other === name)?.[1];
    if (counted !== count) find('usage', `${name}: counted ${counted}, rows ${count}`);
  }
}

/** Numbers of the processes that the supervisor runs, at the end of the history. */
function supervised(history: readonly Line[]): Set<number> {
  const alive = new Set<number>();
  for (const line of history) {
    if (line.kind === 'started') alive.add(line.pid);
    if (line.kind === 'exit') alive.delete(line.pid);
  }
  return alive;
}

function checkProcesses(history: readonly Line[], state: State, find: Find): void {
  const roots = supervised(history);
  const byPid = new Map(state.running.map((one) => [one.pid, one]));
  const describe = ({ pid, command }: Process): string => `${pid} ${command.slice(0, 200)}`;
  const isWanted = (one: Process): boolean => {
    if (roots.has(one.pid) || one.role !== 'other') return true;
    const parent = byPid.get(one.parent);
    return roots.has(one.parent) || (parent !== undefined && isWanted(parent));
  };
  for (const one of state.running) if (!isWanted(one)) find('process', `orphan: ${describe(one)}`);
  const guards = state.running.filter(({ role }) => role === 'guard');
  if (guards.length > 1) find('process', `${guards.length} guards run`);
  // Of one server, all but the first are its children.
  const servers = state.running.filter(
    ({ role, parent }) => role === 'postgres' && byPid.get(parent)?.role !== 'postgres',
  );
  if (servers.length > 1) find('process', `${servers.length} PostgreSQL servers run`);
  for (const one of state.left) find('process', `left after the stop: ${describe(one)}`);
}

/** Only folders of living processes are in the work folder, each with at most the folder of its spare child. */
function checkFolders(history: readonly Line[], state: State, find: Find): void {
  const roots = supervised(history);
  const slots = new Map<string, number>();
  for (const name of state.folders.work) {
    const [folder = '', inner] = name.split('/');
    const pid = Number(/^sandbox-.*-(\d+)$/.exec(folder)?.[1] ?? Number.NaN);
    if (!roots.has(pid)) find('folder', `work/${name}`);
    else if (inner !== undefined) slots.set(folder, (slots.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of slots)
    if (count > 1) find('folder', `work/${folder} contains ${count} folders of children`);
  for (const name of state.folders.temporary) find('folder', `temporary: ${name}`);
}

function measure(history: readonly Line[], state: State): Omit<Report, 'findings'> {
  const kills = history.filter((line) => line.kind === 'kill');
  const count = (victim: Victim): number => kills.filter((kill) => kill.victim === victim).length;
  const named = new Set(state.exports.flatMap(({ bundle }) => (bundle === null ? [] : [bundle])));
  const bundleOf = (key: string): string =>
    /^(?:artifacts|bundles)\/[^/]+\/([0-9a-f]{64})/.exec(key)?.[1] ?? '';
  const sum = (rows: readonly { attempt: number }[]): number =>
    rows.reduce((total, { attempt }) => total + attempt, 0);
  const { all, calm } = recoveries(history, state);
  return {
    kills: {
      worker: count('worker'),
      api: count('api'),
      child: count('child'),
      postmaster: count('postmaster'),
      guard: count('guard'),
      total: kills.length,
      active: kills.filter(({ isActive }) => isActive).length,
    },
    jobs: {
      exports: state.exports.length,
      agentJobs: state.agentJobs.length,
      exportAttempts: sum(state.exports),
      agentAttempts: sum(state.agentJobs),
    },
    downloads: history.filter(({ kind }) => kind === 'download').length,
    recovery: quantiles(all),
    calmRecovery: quantiles(calm),
    exits: history.filter((line) => line.kind === 'exit' && !line.isKilled).length,
    orphanObjects: state.objects.filter((key) => bundleOf(key) !== '' && !named.has(bundleOf(key))).length,
    load: quantiles(history.flatMap((line) => (line.kind === 'load' ? [line.load] : []))),
  };
}

function recoveries(history: readonly Line[], state: State): { all: number[]; calm: number[] } {
  const claims = Map.groupBy(
    [
      ...state.exportEvents.filter(({ event }) => event === 'claimed'),
      ...state.agentEvents.filter(({ phase }) => phase === 'preparing'),
    ],
    ({ id }) => id,
  );
  const kills = history.filter((line) => line.kind === 'kill');
  const all: number[] = [];
  const calm: number[] = [];
  for (const kill of kills) {
    if (kill.victim !== 'worker') continue;
    for (const { id, attempt } of kill.held) {
      const after = (claims.get(id) ?? []).filter((claim) => claim.attempt > attempt && claim.at >= kill.at);
      if (after.length === 0) continue;
      const next = Math.min(...after.map(({ at }) => at));
      all.push(next - kill.at);
      const isDisturbed = kills.some(
        ({ victim, at }) => (victim === 'postmaster' || victim === 'guard') && between(at, kill.at, next),
      );
      if (!isDisturbed) calm.push(next - kill.at);
    }
  }
  return { all, calm };
}

/** Workers wait some seconds after the database was away before they judge others. */
const between = (at: number, from: number, to: number): boolean => at >= from - 5_000 && at <= to;

export function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: sorted.at(-1) ?? 0 };
}
