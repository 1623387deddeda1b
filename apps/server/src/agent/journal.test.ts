import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../test/support/postgres.ts';
import { createOrganization } from '../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { type AgentJobRow, claimJob, createJournal, endJob, moveJob } from './journal.ts';
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
      queue_entry: `entry of ${id}`,
      created_by: 'key',
      repository: 'https://example.com/a.git',
      model: 'm',
    })
    .execute();
  for (const prompt of prompts) await send(id, projectId, prompt);
  return id;
}

async function send(jobId: string, projectId: string, prompt: string): Promise<void> {
  await open.db
    .insertInto('agent_messages')
    .values({ job_id: jobId, project_id: projectId, prompt, created_by: 'key' })
    .execute();
}

async function claim(id: string, most = 3): Promise<AgentJobRow> {
  const row = await claimJob(open.db, id, `entry of ${id}`, most);
  if (row === undefined || row === 'busy') throw new Error(`not claimed: ${row}`);
  return row;
}

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
  await expect(moveJob(open.db, first, 'begin')).rejects.toBeInstanceOf(LostJobError);
  const end = endJob(open.db, first, { phase: 'idle', set: {} }, async () => 'next');
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
    expect(await endJob(open.db, row, { phase, set }, async () => 'next')).toBe(false);
    expect(await read(id)).toMatchObject({
      phase: 'queued',
      turn: 2,
      queue_entry: 'next',
      failure_code: null,
      completed_at: null,
    });
  },
);

test('without such a message the end is the end', async () => {
  const id = await queued(['One.']);
  const row = await claim(id);
  await createJournal(open.db, row, () => null).takeMessages();
  const set = { failure_code: 'stuck', failure_message: 'In circles.' };
  expect(await endJob(open.db, row, { phase: 'failed', set, message: 'x' }, async () => 'next')).toBe(true);
  expect(await read(id)).toMatchObject({ phase: 'failed', turn: 1, failure_code: 'stuck' });
  expect(await claimJob(open.db, id, `entry of ${id}`, 3)).toBeUndefined();
});

test('no more jobs of a project are claimed than may run, whichever worker claims them', async () => {
  const first = await queued(['One.']);
  const { project_id: project } = await read(first);
  const others = await Promise.all(Array.from({ length: 5 }, () => queued(['One.'], project)));
  const claims = await Promise.all(
    [first, ...others].map((id) => claimJob(open.db, id, `entry of ${id}`, 2)),
  );
  expect(claims.filter((one) => one === 'busy')).toHaveLength(4);
});

test('a job that keeps killing its worker counts it, until a step is saved', async () => {
  const id = await queued(['One.']);
  expect((await claim(id)).failures).toBe(0);
  expect((await claim(id)).failures).toBe(1);
  const row = await claim(id);
  expect(row.failures).toBe(2);
  await createJournal(open.db, row, () => null).takeMessages();
  await createJournal(open.db, row, () => null).save({ events: [{ kind: 'notice', text: 'x' }] });
  expect((await claim(id)).failures).toBe(1);
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
