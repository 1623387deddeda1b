import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../test/support/postgres.ts';
import { createOrganization } from '../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { enqueueJob } from '../platform/jobs/jobs.ts';
import { type AgentJobRow, beginJob, createJournal, endJob, moveJob, updateJob } from './journal.ts';
import { LostJobError } from './loop/journal.ts';

let open: OpenDatabase;
let drop: () => Promise<void>;
let organizationId: string;
beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  open = openDatabase(database.url, { role: 'test', max: 4 });
  ({ id: organizationId } = await open.db
    .transaction()
    .execute((tx) => createOrganization(tx, { name: 'Acme', plan: 'pro' })));
});
afterAll(async () => {
  await open.close();
  await drop();
});

/** A queued job with these messages, in a project of its own unless one is given. */
async function queued(prompts: readonly string[], projectId = `prj_${crypto.randomUUID()}`): Promise<string> {
  const { db } = open;
  await db
    .insertInto('projects')
    .values({ id: projectId, organization_id: organizationId, name: 'P', source_kind: 'git' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const id = `job_${crypto.randomUUID()}`;
  await db
    .insertInto('agent_jobs')
    .values({
      id,
      organization_id: organizationId,
      project_id: projectId,
      created_by: 'key',
      repository: 'https://example.com/a.git',
      model: 'm',
    })
    .execute();
  await db.transaction().execute((tx) => enqueueJob(tx, { id, kind: 'agent', organizationId }));
  for (const prompt of prompts) await send(id, projectId, prompt);
  return id;
}

async function send(jobId: string, projectId: string, prompt: string): Promise<void> {
  await open.db
    .insertInto('agent_messages')
    .values({ job_id: jobId, project_id: projectId, prompt, created_by: 'key' })
    .execute();
}

/** Starts the next attempt of a job, as a worker does that has claimed it. */
async function claim(id: string): Promise<AgentJobRow> {
  return open.db.transaction().execute(async (tx) => {
    const { attempt } = await tx
      .updateTable('jobs')
      .set((eb) => ({ attempt: eb('attempt', '+', 1), worker: 1 }))
      .where('id', '=', id)
      .returning('attempt')
      .executeTakeFirstOrThrow();
    const row = await beginJob(tx, { id, attempt });
    if (row === undefined) throw new Error('not claimed');
    return row;
  });
}

const jobOf = (id: string) =>
  open.db.selectFrom('jobs').select(['failures', 'deaths', 'worker']).where('id', '=', id).executeTakeFirst();

const read = (id: string) =>
  open.db.selectFrom('agent_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('a worker that has lost the job can write nothing', async () => {
  const id = await queued(['Do it.']);
  const first = await claim(id);
  const stale = createJournal(open.db, first, () => null);
  const second = await claim(id);
  expect(second.attempt).toBe(first.attempt + 1);
  const before = await read(id);
  const notice = { events: [{ kind: 'notice', text: 'x' }] } as const;
  await expect(stale.save(notice)).rejects.toBeInstanceOf(LostJobError);
  await expect(stale.takeMessages()).rejects.toBeInstanceOf(LostJobError);
  await expect(stale.beginCall()).rejects.toBeInstanceOf(LostJobError);
  await expect(stale.load()).rejects.toBeInstanceOf(LostJobError);
  const begin = open.db.transaction().execute((tx) => moveJob(tx, first, 'begin'));
  await expect(begin).rejects.toBeInstanceOf(LostJobError);
  const end = endJob(open.db, first, { phase: 'idle', set: {} });
  await expect(end).rejects.toBeInstanceOf(LostJobError);
  expect(await read(id)).toEqual(before);
  await createJournal(open.db, second, () => null).save(notice);
});

test('messages are delivered once, in their order, and events have no gap', async () => {
  const id = await queued(['One.', 'Two.']);
  const journal = createJournal(open.db, await claim(id), () => null);
  const told = await journal.takeMessages();
  expect(told.map((event) => (event.kind === 'prompt' ? event.text : ''))).toEqual(['One.', 'Two.']);
  expect(await journal.takeMessages()).toEqual([]);
  await journal.save({ files: new Map([['a.mdx', 'text \u{1F600}\r\n']]), events: [] });
  const { events, overlay } = await journal.load();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(overlay).toEqual(new Map([['a.mdx', 'text \u{1F600}\r\n']]));
  await journal.save({ files: new Map([['a.mdx', undefined]]) });
  expect((await journal.load()).overlay.size).toBe(0);
});

test.each(['idle', 'failed'] as const)(
  'a message that arrives before the end as %s starts a turn of its own',
  async (phase) => {
    const id = await queued(['One.']);
    const row = await claim(id);
    await createJournal(open.db, row, () => null).takeMessages();
    await send(id, row.project_id, 'Two.');
    const set = phase === 'failed' ? { failure_code: 'stuck', failure_message: 'In circles.' } : {};
    expect(await endJob(open.db, row, { phase, set })).toBe(false);
    expect(await read(id)).toMatchObject({
      phase: 'queued',
      turn: 2,
      failure_code: null,
      completed_at: null,
    });
    expect(await jobOf(id)).toMatchObject({ worker: null });
  },
);

test('without such a message the end is the end', async () => {
  const id = await queued(['One.']);
  const row = await claim(id);
  await createJournal(open.db, row, () => null).takeMessages();
  const set = { failure_code: 'stuck', failure_message: 'In circles.' };
  expect(await endJob(open.db, row, { phase: 'failed', set, message: 'x' })).toBe(true);
  expect(await read(id)).toMatchObject({ phase: 'failed', turn: 1, failure_code: 'stuck' });
  await expect(claim(id)).rejects.toThrow('not claimed');
});

test('every durable step ends a series of failures and deaths; what each attempt repeats does not', async () => {
  const id = await queued(['One.']);
  const row = await claim(id);
  const journal = createJournal(open.db, row, () => null);
  const counts = async (step: () => Promise<unknown>) => {
    await open.db.updateTable('jobs').set({ failures: 3, deaths: 4 }).where('id', '=', id).execute();
    await step();
    const job = await jobOf(id);
    return [job?.failures, job?.deaths];
  };
  const verdict = { key: 'k', checks: { new: 0, fixed: 0 }, blocking: [], refused: [], held: [] };
  const steps = {
    step: () => journal.save({ events: [{ kind: 'notice', text: 'x' }] }),
    baseline: () => updateJob(open.db, row, { baseline: '[]' }),
    verdict: () => journal.save({ verdict }),
    commit: () => updateJob(open.db, row, { commit_sha: 'c' }),
    push: () => updateJob(open.db, row, { pushed_sha: 'c' }),
    'pull request': () => updateJob(open.db, row, { pull_requests: '[]' }),
  };
  for (const [name, step] of Object.entries(steps)) expect(await counts(step), name).toEqual([0, 0]);
  const repeated = {
    phase: () => open.db.transaction().execute((tx) => moveJob(tx, row, 'begin')),
    'the same commit': () => updateJob(open.db, row, { commit_sha: 'c' }, false),
    'a notice for people': () =>
      journal.save({ events: [{ kind: 'state', phase: 'running', message: 'Not checked.' }] }),
  };
  for (const [name, step] of Object.entries(repeated)) expect(await counts(step), name).toEqual([3, 4]);
  expect((await journal.load()).verdict).toEqual(verdict);
});

test('a call of the model counts as used once, when it ends, also for a worker that has lost the job', async () => {
  const id = await queued(['Do it.']);
  const usedNow = () =>
    open.db
      .selectFrom('usage_months')
      .select(['agent_calls', 'input_tokens', 'output_tokens', 'cost_usd'])
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
  const journal = createJournal(open.db, await claim(id), () => null);
  const [close, fail] = [await journal.beginCall(), await journal.beginCall()];
  expect(await usedNow()).toBeUndefined();
  const usage = { input: 1_000, output: 20, cacheRead: 900, cacheWrite: 0, reasoning: 0 };
  await claim(id);
  await Promise.all([close('stop', { usage, costUsd: 0.5 }), close('stop', { usage, costUsd: 0.5 })]);
  await fail('overloaded', null);
  expect(await usedNow()).toEqual({ agent_calls: 2, input_tokens: 1_000, output_tokens: 20, cost_usd: 0.5 });
});
