import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../test/support/postgres.ts';
import { createOrganization } from '../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { ForgeError, type NewPullRequest, type PullRequest } from '../platform/forge/port.ts';
import { newId } from '../platform/ids.ts';
import type { AgentJobAdapters } from './attempt.ts';
import { rescueBranch } from './rescue.ts';

const BRANCH = 'offprint/rename-1';
const FAILURE = { code: 'internal', message: 'It failed.', retryable: false };

let open: OpenDatabase;
let drop: () => Promise<void>;
let organizationId: string;
beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  open = openDatabase(database.url, { role: 'test', max: 2 });
  ({ id: organizationId } = await createOrganization(open.db, { name: 'Acme', plan: 'pro' }));
});
afterAll(async () => {
  await open.close();
  await drop();
});

/** A job in its third attempt, which has pushed unless `more` says otherwise. */
async function running(more: Record<string, unknown> = {}) {
  const projectId = newId('prj');
  const repository = 'https://git.example.com/a.git';
  await open.db
    .insertInto('projects')
    .values({
      id: projectId,
      organization_id: organizationId,
      name: 'P',
      source_kind: 'git',
      repository,
      branch: 'main',
    })
    .execute();
  return open.db
    .insertInto('agent_jobs')
    .values({
      id: newId('job'),
      organization_id: organizationId,
      project_id: projectId,
      phase: 'publishing',
      attempt: 3,
      created_by: 'key',
      repository,
      model: 'm',
      subject: 'Rename the beta',
      base_branch: 'main',
      branch: BRANCH,
      pushed_sha: 'a'.repeat(40),
      ...more,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Abandons a job, with a forge that has these pull requests or throws. */
async function abandon(row: Awaited<ReturnType<typeof running>>, has: PullRequest | null | ForgeError) {
  const created: NewPullRequest[] = [];
  const pullOf = (number: number, { headBranch, ...rest }: NewPullRequest): PullRequest => ({
    number,
    url: `https://git.example.com/pull/${number}`,
    state: 'open',
    isDraft: rest.draft,
    title: rest.title,
    body: rest.body,
    headBranch,
    headCommit: null,
    baseBranch: rest.baseBranch,
  });
  const connect: AgentJobAdapters['connect'] = async () => ({
    model: { step: () => Promise.reject(new Error('not used')) },
    settings: {
      provider: 'openai-compatible',
      model: 'm',
      apiKey: null,
      baseUrl: null,
      contextWindow: 1,
      maxOutput: 1,
      price: null,
      toolMode: 'native',
      effort: null,
    },
    forge: {
      kind: 'github',
      hasPullRequests: true,
      gitCredential: async () => null,
      async findPullRequest() {
        if (has instanceof ForgeError) throw has;
        return has;
      },
      async createPullRequest(request) {
        created.push(request);
        return pullOf(8, request);
      },
      updatePullRequest: () => Promise.reject(new Error('not used')),
      protectedBranches: async () => [],
    },
    instructions: '',
    writeAllow: [],
    branchPrefix: 'offprint/',
    secrets: [],
  });
  const unused = () => Promise.reject(new Error('not used'));
  const adapters: AgentJobAdapters = {
    db: open.db,
    log: pino({ level: 'silent' }),
    mirrorDir: null,
    credentialKey: Buffer.alloc(32),
    gitPolicy: { allowPrivate: false, allowedHosts: [], allowHttp: [], knownHostsFile: '/dev/null' },
    gitLimits: { transferBytes: 1, files: 1, fileBytes: 1, totalBytes: 1, timeoutMs: 1 },
    openRemote: unused,
    check: { check: unused, parse: unused, describeOperation: unused, inspect: unused },
    connect,
    limits: { steps: 1, minutes: 1, inputTokens: 1, outputTokens: 1, costUsd: 1 },
  };
  const { signal } = new AbortController();
  const lease = { id: row.id, attempt: row.attempt, signal, folder: '', lose: () => undefined };
  const failure = await rescueBranch(adapters, row, lease, FAILURE);
  const after = await open.db
    .selectFrom('agent_jobs')
    .select(['pull_requests', 'pr_link'])
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow();
  return { failure, created, after, pullOf };
}

test('an abandoned job that has pushed gets a draft pull request, and its failure names it', async () => {
  const row = await running();
  const { failure, created, after } = await abandon(row, null);
  const url = 'https://git.example.com/pull/8';
  expect(failure.message).toBe(
    `It failed. The changes are in the branch ${BRANCH}, with the draft pull request ${url}.`,
  );
  expect(created).toMatchObject([
    { headBranch: BRANCH, baseBranch: 'main', title: 'Rename the beta', draft: true },
  ]);
  expect(created[0]?.body).toContain(`<!-- offprint-job:${row.id} -->`);
  expect(after).toEqual({
    pull_requests: [{ number: 8, url, branch: BRANCH, state: 'open' }],
    pr_link: url,
  });
});

test('a pull request that was opened before its worker died is named, and no second one is opened', async () => {
  const row = await running();
  const found = {
    number: 7,
    url: 'https://git.example.com/pull/7',
    state: 'open',
    isDraft: false,
    title: 't',
    body: 'b',
    headBranch: BRANCH,
    headCommit: null,
    baseBranch: 'main',
  } as const;
  const { failure, created, after } = await abandon(row, found);
  expect(failure.message).toContain(found.url);
  expect(created).toEqual([]);
  expect(after.pr_link).toBe(found.url);
});

test('where the forge refuses, the failure names the branch that has no pull request', async () => {
  const { failure, after } = await abandon(await running(), new ForgeError('auth', 'Bad token.'));
  expect(failure.message).toMatch(/the branch offprint\/rename-1, which has no pull request\. Open one, or/);
  expect(after.pull_requests).toEqual([]);
});

test('a job that has pushed nothing, or has a pull request, fails as it is', async () => {
  const known = [{ number: 1, url: 'https://git.example.com/pull/1', branch: BRANCH, state: 'open' }];
  for (const more of [{ pushed_sha: null }, { pull_requests: JSON.stringify(known) }]) {
    const { failure, created } = await abandon(await running(more), null);
    expect(failure).toEqual(FAILURE);
    expect(created).toEqual([]);
  }
});
