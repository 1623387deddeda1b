/** The checker of the campaign of kills finds each kind of error that is put into a correct history and state. */
import { describe, expect, test } from 'vitest';
import { checkCampaign, type FindingKind, type State } from './campaign/check.ts';
import type { Entry, Line } from './campaign/history.ts';

const DIGEST = 'd'.repeat(64);
const BUNDLE = 'b'.repeat(64);
const at = 1_000_000;

/** A campaign of one kill over an export and an agent job, without an error. */
function correct(): { history: Line[]; state: State } {
  const entries: Entry[] = [
    { kind: 'started', role: 'api', pid: 10 },
    { kind: 'started', role: 'worker', pid: 11 },
    { kind: 'baseline', project: 'small', result: DIGEST },
    { kind: 'baseline', project: 'agent', result: 'tree' },
    { kind: 'asked', job: 'export', project: 'small', key: 'k1' },
    { kind: 'answer', key: 'k1', status: 202, id: 'se_1' },
    { kind: 'asked', job: 'agent', project: 'agent', key: 'k2' },
    { kind: 'answer', key: 'k2', status: 201, id: 'job_1' },
    {
      kind: 'kill',
      victim: 'worker',
      pid: 11,
      isActive: true,
      held: [{ id: 'se_1', attempt: 1 }],
      burst: 1,
    },
    { kind: 'exit', role: 'worker', pid: 11, code: null, signal: 'SIGKILL', isKilled: true },
    { kind: 'started', role: 'worker', pid: 12 },
    { kind: 'end', id: 'se_1', status: 'completed', result: DIGEST },
    { kind: 'download', id: 'se_1', sha256: BUNDLE, expected: BUNDLE },
    { kind: 'end', id: 'job_1', status: 'completed', result: 'url' },
  ];
  const state: State = {
    exports: [
      {
        id: 'se_1',
        project: 'small',
        status: 'completed',
        attempt: 2,
        digest: DIGEST,
        bundle: BUNDLE,
        pages: 5,
        error: null,
      },
    ],
    exportEvents: [
      { id: 'se_1', attempt: 0, event: 'queued', at },
      { id: 'se_1', attempt: 1, event: 'claimed', at },
      { id: 'se_1', attempt: 2, event: 'claimed', at: at + 4_000 },
      { id: 'se_1', attempt: 2, event: 'completed', at: at + 5_000 },
    ],
    agentJobs: [
      { id: 'job_1', phase: 'idle', attempt: 1, branch: 'offprint/a', pullRequest: 'url', failure: null },
    ],
    agentEvents: [
      { id: 'job_1', seq: 1, attempt: 0, kind: 'state', phase: 'queued', at },
      { id: 'job_1', seq: 2, attempt: 1, kind: 'state', phase: 'preparing', at },
      { id: 'job_1', seq: 3, attempt: 1, kind: 'published', phase: null, at },
      { id: 'job_1', seq: 4, attempt: 1, kind: 'state', phase: 'idle', at },
    ],
    keys: [{ key: 'k1', id: 'se_1' }],
    queue: [],
    usage: { exports: 1, pages: 5, agentJobs: 1, agentCalls: 3 },
    endedCalls: 3,
    branches: [{ name: 'offprint/a', commits: 1, jobs: ['job_1'], tree: 'tree' }],
    foreign: { expected: { main: 'c1' }, found: { main: 'c1' } },
    pulls: [{ number: 1, head: 'offprint/a', state: 'open' }],
    objects: [`artifacts/org_1/${BUNDLE}/index.json`],
    running: [
      { pid: 10, parent: 1, role: 'other', command: 'node main.ts api' },
      { pid: 20, parent: 10, role: 'guard', command: 'node guard.ts' },
      { pid: 21, parent: 20, role: 'postgres', command: 'postgres -D' },
      { pid: 22, parent: 21, role: 'postgres', command: 'postgres: checkpointer' },
      { pid: 12, parent: 1, role: 'other', command: 'node main.ts worker' },
      { pid: 13, parent: 12, role: 'other', command: 'node render-child' },
    ],
    left: [],
    folders: { work: ['sandbox-host-12', 'sandbox-host-12/slot'], temporary: [] },
  };
  return { history: entries.map((entry) => ({ ...entry, at })), state };
}

type Campaign = ReturnType<typeof correct>;
const first = <Item>(items: Item[]): Item => {
  const [item] = items;
  if (item === undefined) throw new Error('the list is empty');
  return item;
};

test('a campaign without an error has no finding, and its figures are counted', () => {
  const { history, state } = correct();
  expect(checkCampaign(history, state)).toMatchObject({
    findings: [],
    kills: { worker: 1, total: 1, active: 1 },
    jobs: { exports: 1, exportAttempts: 2, agentJobs: 1 },
    recovery: { count: 1, p50: 4_000, max: 4_000 },
  });
});

const errors: [name: string, kind: FindingKind, inject: (campaign: Campaign) => void][] = [
  ['an acknowledged export without a row', 'lost', ({ state }) => state.exports.splice(0)],
  ['an acknowledged agent job without a row', 'lost', ({ state }) => state.agentJobs.splice(0)],
  [
    'an export without an end',
    'lost',
    ({ state }) => void Object.assign(first(state.exports), { status: 'running' }),
  ],
  [
    'an agent job without an end',
    'lost',
    ({ state }) => void Object.assign(first(state.agentJobs), { phase: 'running' }),
  ],
  ['a job that stays in the queue', 'lost', ({ state }) => void state.queue.push('se_1')],
  ['a missing event', 'lost', ({ state }) => state.agentEvents.splice(1, 1)],
  ['a missing branch', 'lost', ({ state }) => state.branches.splice(0)],
  ['a missing pull request', 'lost', ({ state }) => state.pulls.splice(0)],
  [
    'two jobs of one key',
    'duplicated',
    ({ history }) => void history.push({ at, kind: 'answer', key: 'k1', status: 202, id: 'se_2' }),
  ],
  [
    'a second row of one key',
    'duplicated',
    ({ state }) => void state.exports.push({ ...first(state.exports), id: 'se_2' }),
  ],
  [
    'two ends of an export',
    'duplicated',
    ({ state }) => void state.exportEvents.push({ id: 'se_1', attempt: 2, event: 'failed', at }),
  ],
  [
    'two ends of an agent job',
    'duplicated',
    ({ state }) =>
      void state.agentEvents.push({ id: 'job_1', seq: 5, attempt: 1, kind: 'state', phase: 'idle', at }),
  ],
  [
    'two branches of a job',
    'duplicated',
    ({ state }) => void state.branches.push({ ...first(state.branches), name: 'offprint/b' }),
  ],
  [
    'two commits of a job',
    'duplicated',
    ({ state }) => void Object.assign(first(state.branches), { commits: 2, jobs: ['job_1', 'job_1'] }),
  ],
  [
    'two pull requests of a job',
    'duplicated',
    ({ state }) => void state.pulls.push({ number: 2, head: 'offprint/a', state: 'open' }),
  ],
  [
    'another digest',
    'digest',
    ({ state }) => void Object.assign(first(state.exports), { digest: 'e'.repeat(64) }),
  ],
  [
    'another bundle than promised',
    'digest',
    ({ history }) => void history.push({ at, kind: 'download', id: 'se_1', sha256: 'x', expected: BUNDLE }),
  ],
  [
    'another tree of a branch',
    'digest',
    ({ state }) => void Object.assign(first(state.branches), { tree: 'other' }),
  ],
  [
    'a failed export',
    'failed',
    ({ state }) => void Object.assign(first(state.exports), { status: 'failed' }),
  ],
  [
    'an abandoned agent job',
    'abandoned',
    ({ state }) =>
      void Object.assign(first(state.agentJobs), {
        phase: 'failed',
        failure: 'The job stopped its worker 30 times without progress and was abandoned.',
      }),
  ],
  [
    'an event of an earlier attempt after a later one',
    'fence',
    ({ state }) => void state.exportEvents.splice(3, 0, { id: 'se_1', attempt: 1, event: 'retried', at }),
  ],
  [
    'an attempt that was claimed twice',
    'fence',
    ({ state }) => void state.exportEvents.splice(3, 0, { id: 'se_1', attempt: 2, event: 'claimed', at }),
  ],
  [
    'an event after the end',
    'after end',
    ({ state }) => void state.exportEvents.push({ id: 'se_1', attempt: 3, event: 'claimed', at }),
  ],
  [
    'an end that clients saw change',
    'after end',
    ({ history }) => void history.push({ at, kind: 'end', id: 'se_1', status: 'failed', result: null }),
  ],
  [
    'a moved branch of a person',
    'foreign branch',
    ({ state }) => void Object.assign(state.foreign.found, { main: 'c2' }),
  ],
  [
    'a process of a dead parent',
    'process',
    ({ state }) => void state.running.push({ pid: 30, parent: 1, role: 'other', command: 'git fetch' }),
  ],
  [
    'a second guard',
    'process',
    ({ state }) => void state.running.push({ pid: 31, parent: 12, role: 'guard', command: 'guard.ts' }),
  ],
  [
    'a second database server',
    'process',
    ({ state }) => void state.running.push({ pid: 32, parent: 1, role: 'postgres', command: 'postgres' }),
  ],
  [
    'a process after the stop',
    'process',
    ({ state }) => void state.left.push({ pid: 33, parent: 1, role: 'other', command: 'node' }),
  ],
  ['a folder of an attempt', 'folder', ({ state }) => void state.folders.work.push('se_1-1')],
  ['a folder of a dead process', 'folder', ({ state }) => void state.folders.work.push('sandbox-host-11')],
  ['two folders of children', 'folder', ({ state }) => void state.folders.work.push('sandbox-host-12/b')],
  ['a temporary file', 'folder', ({ state }) => void state.folders.temporary.push('offprint-x')],
  ['a missing artifact', 'object missing', ({ state }) => state.objects.splice(0)],
  [
    'a usage that counts a job twice',
    'usage',
    ({ state }) => void Object.assign(state.usage, { exports: 2 }),
  ],
  [
    'a refused start',
    'refused',
    ({ history }) => void history.push({ at, kind: 'answer', key: 'k1', status: 422, id: null }),
  ],
];

describe('the checker finds', () => {
  test.each(errors)('%s', (_name, kind, inject) => {
    const campaign = correct();
    inject(campaign);
    expect(checkCampaign(campaign.history, campaign.state).findings.map((one) => one.kind)).toContain(kind);
  });
});

test('stored files that no export names are counted, not reported as an error', () => {
  const { history, state } = correct();
  state.objects.push(`artifacts/org_1/${'c'.repeat(64)}/index.json`);
  expect(checkCampaign(history, state)).toMatchObject({ findings: [], orphanObjects: 1 });
});
