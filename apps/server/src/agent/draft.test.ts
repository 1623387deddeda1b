import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../test/support/postgres.ts';
import { anyText } from '../../../../test/support/tool-context.ts';
import { createOrganization } from '../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { type Listener, openListener } from '../platform/db/listen.ts';
import type { Fence } from '../platform/jobs/jobs.ts';
import { openDraft, saveDraft } from './draft.ts';
import { followJob } from './follow.ts';
import { beginJob, createJournal, endJob, moveJob } from './journal.ts';
import { findJob, type JobView } from './store.ts';

let open: OpenDatabase;
let listener: Listener;
let drop: () => Promise<void>;
let organizationId: string;
beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  open = openDatabase(database.url, { role: 'test', max: 6 });
  listener = openListener(database.url, { role: 'test' });
  ({ id: organizationId } = await open.db
    .transaction()
    .execute((tx) => createOrganization(tx, { name: 'Acme', plan: 'pro' })));
});
afterAll(async () => {
  await listener.close();
  await open.close();
  await drop();
});

const KEY = `offprint_${'a1B2'.repeat(10).slice(0, 38)}`;

test('each saved text is the start of the next one and of the message, without any part of a key', async () => {
  const piece = fc.oneof(
    anyText(8),
    fc.constantFrom('word ', KEY, KEY.slice(0, 20), '\u{1f600}', '```tool', ' '),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 30 }), async (deltas) => {
      const saves: string[] = [];
      const draft = openDraft(async (text) => void saves.push(text), 0);
      for (const [delta, waits] of deltas) {
        draft.add(delta);
        if (waits) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await draft.close(true);
      const whole = deltas
        .map(([delta]) => delta)
        .join('')
        .replaceAll('\0', '\ufffd')
        .toWellFormed()
        .replaceAll(new RegExp(/offprint_[0-9A-Za-z]{38}/, 'g'), 'offprint_********');
      for (const [index, text] of saves.entries()) {
        expect(whole.startsWith(text)).toBe(true);
        expect(text.startsWith(saves[index - 1] ?? '')).toBe(true);
        expect(text).not.toContain(KEY.slice(0, 30));
      }
    }),
    { numRuns: 150 },
  );
});

test('a failed save is ignored, and a failed call withdraws its text', async () => {
  const saves: string[] = [];
  const draft = openDraft(async (text) => {
    saves.push(text);
    throw new Error('no database');
  }, 0);
  draft.add('One two ');
  await expect.poll(() => saves).toEqual(['One two ']);
  await draft.close(false);
  expect(saves).toEqual(['One two ', '']);
});

/** A running job, and what saves to it. */
async function running(prompt = 'Go') {
  const { db } = open;
  const projectId = `prj_${crypto.randomUUID()}`;
  await db
    .insertInto('projects')
    .values({ id: projectId, organization_id: organizationId, name: 'P', source_kind: 'git' })
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
  const send = (text: string) =>
    db
      .insertInto('agent_messages')
      .values({ job_id: id, project_id: projectId, prompt: text, created_by: 'key' })
      .execute();
  await send(prompt);
  const fence: Fence = { id, attempt: 1 };
  await db.transaction().execute(async (tx) => {
    await beginJob(tx, fence);
    await moveJob(tx, fence, 'begin');
  });
  const journal = createJournal(db, fence, () => null);
  const find = (): Promise<JobView | undefined> => findJob(db, { organizationId, projectId, id });
  const lastSeq = async () => (await find())?.last_seq ?? 0;
  return { id, fence, journal, send, lastSeq, find };
}

type Job = Awaited<ReturnType<typeof running>>;

/** What a reader shows who follows a job from an event on, kept up to date. */
function reader({ find }: Job, after = 0) {
  const stop = new AbortController();
  const state = { names: [] as string[], text: '', pending: [] as string[], last: after, isDone: false };
  const run = async () => {
    for await (const { id, event, data } of followJob({ db: open.db, listener, find }, after, stop.signal)) {
      state.names.push(event);
      const shown = data as { text: string; offset: number; prompts: { text: string }[] };
      if (event === 'text') state.text = state.text.slice(0, shown.offset) + shown.text;
      else if (event === 'pending') state.pending = shown.prompts.map(({ text }) => text);
      else state.text = '';
      if (id !== undefined) state.last = Number(id);
    }
    state.isDone = true;
  };
  return { state, ended: run(), stop: () => stop.abort() };
}

test('a reader sees the text as it grows, a new one sees all of it, and the message replaces it', async () => {
  const job = await running();
  await job.journal.takeMessages();
  const first = reader(job);
  const after = await job.lastSeq();
  await saveDraft(open.db, job.fence, after, 'I will look');
  await expect.poll(() => first.state.text).toBe('I will look');
  await saveDraft(open.db, job.fence, after, 'I will look at the page');
  await expect.poll(() => first.state.text).toBe('I will look at the page');
  const second = reader(job, first.state.last);
  await expect.poll(() => second.state.text).toBe('I will look at the page');
  await saveDraft(open.db, job.fence, after, 'Another call');
  await expect.poll(() => [first.state.text, second.state.text]).toEqual(['Another call', 'Another call']);
  const parts = [{ type: 'text' as const, text: 'Another call is whole.' }];
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  await job.journal.save({ events: [{ kind: 'assistant', parts, finish: 'stop', usage }] });
  await expect.poll(() => first.state.names.filter((name) => name === 'message')).toHaveLength(1);
  expect(first.state.text).toBe('');
  await endJob(open.db, job.fence, { phase: 'idle', set: {} });
  await Promise.all([first.ended, second.ended]);
  expect(second.state.names.filter((name) => name !== 'text')).toEqual(['message', 'state', 'done']);
  const { count } = await open.db
    .selectFrom('agent_drafts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('job_id', '=', job.id)
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(0);
});

test('the text of a call that failed is withdrawn, and a worker that lost the job writes nothing', async () => {
  const job = await running();
  const after = await job.lastSeq();
  const watched = reader(job);
  await saveDraft(open.db, job.fence, after, 'Half of');
  await expect.poll(() => watched.state.text).toBe('Half of');
  await saveDraft(open.db, job.fence, after, '');
  await expect.poll(() => watched.state.text).toBe('');
  await saveDraft(open.db, { ...job.fence, attempt: job.fence.attempt - 1 }, after, 'Stale');
  await saveDraft(open.db, job.fence, after - 1, 'Stale');
  const rows = await open.db.selectFrom('agent_drafts').selectAll().where('job_id', '=', job.id).execute();
  expect(rows).toEqual([]);
  watched.stop();
  await watched.ended;
});

test('a prompt is shown as pending until the model receives it', async () => {
  const job = await running('First');
  const watched = reader(job);
  await expect.poll(() => watched.state.pending).toEqual(['First']);
  await job.journal.takeMessages();
  await expect.poll(() => watched.state.names).toContain('prompt');
  await expect.poll(() => watched.state.pending).toEqual([]);
  await job.send(`Second with ${KEY}`);
  await expect
    .poll(() => watched.state.pending, { timeout: 5_000 })
    .toEqual(['Second with offprint_********']);
  watched.stop();
  await watched.ended;
});
