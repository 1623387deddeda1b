import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { createOrganization } from '../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { emptyOldJobs } from './retention.ts';

let postgres: TestDatabase;
let database: OpenDatabase;
let organizationId: string;
const projectId = newId('prj');

beforeAll(async () => {
  postgres = await createTestDatabase();
  database = openDatabase(postgres.url, { role: 'test', max: 3 });
  organizationId = (await createOrganization(database.db, { name: 'Acme', plan: 'pro' })).id;
  await database.db
    .insertInto('projects')
    .values({ id: projectId, organization_id: organizationId, name: 'Docs', source_kind: 'git' })
    .execute();
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
});

/** A job with everything that one can have, last touched the given number of days ago. */
async function addJob(phase: 'running' | 'idle' | 'failed' | 'archived', days: number): Promise<string> {
  const { db } = database;
  const id = newId('job');
  const time = sql<Date>`now() - make_interval(hours => ${days * 24})`;
  await db
    .insertInto('agent_jobs')
    .values({
      id,
      organization_id: organizationId,
      project_id: projectId,
      phase,
      created_by: 'key',
      repository: 'https://git.example.com/acme/docs.git',
      model: 'm',
      title: 'Title',
      outcome: JSON.stringify({ summary: 'Summary.' }),
      memory: JSON.stringify({ readPaths: ['a.mdx'], plan: [{ id: '1', text: 'x', status: 'completed' }] }),
      baseline: '[]',
      instructions: 'secret rules',
      updated_at: time,
    })
    .execute();
  await db
    .insertInto('agent_messages')
    .values({ job_id: id, project_id: projectId, prompt: 'p', created_by: 'key' })
    .execute();
  await db
    .insertInto('agent_events')
    .values({ job_id: id, seq: 1, turn: 1, attempt: 1, kind: 'prompt', body: '{}' })
    .execute();
  await db
    .insertInto('agent_files')
    .values({ job_id: id, path: 'a.mdx', content: randomBytes(4) })
    .execute();
  await db.insertInto('agent_model_calls').values({ job_id: id, turn: 1, attempt: 1 }).execute();
  return id;
}

async function leftOf(id: string) {
  const { rows } = await sql<{ events: number; files: number; calls: number; prompts: string[] }>`
    SELECT (SELECT count(*)::int FROM agent_events WHERE job_id = ${id}) AS events,
      (SELECT count(*)::int FROM agent_files WHERE job_id = ${id}) AS files,
      (SELECT count(*)::int FROM agent_model_calls WHERE job_id = ${id}) AS calls,
      (SELECT array_agg(prompt) FROM agent_messages WHERE job_id = ${id}) AS prompts`.execute(database.db);
  return rows[0];
}
const rowOf = (id: string) =>
  database.db.selectFrom('agent_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const WHOLE = { events: 1, files: 1, calls: 1, prompts: ['p'] };
const EMPTY = { events: 0, files: 0, calls: 0, prompts: [''] };

test('finished jobs past their time lose their transcript and keep what the API shows; others lose nothing', async () => {
  const old = await Promise.all([addJob('idle', 31), addJob('failed', 31), addJob('archived', 31)]);
  const kept = await Promise.all([addJob('idle', 29), addJob('running', 400)]);
  const before = await rowOf(old[0]!);
  expect(await emptyOldJobs(database.db, 0)).toBe(0);
  expect(await emptyOldJobs(database.db, 30)).toBe(3);
  for (const id of old) expect(await leftOf(id)).toEqual(EMPTY);
  for (const id of kept) expect(await leftOf(id)).toEqual(WHOLE);
  const after = await rowOf(old[0]!);
  expect(after).toEqual({
    ...before,
    emptied_at: after.emptied_at,
    instructions: null,
    baseline: null,
    counters: {},
    memory: { readPaths: [], plan: [{ id: '1', text: 'x', status: 'completed' }] },
  });
  expect(after.emptied_at).toBeInstanceOf(Date);
  expect(await emptyOldJobs(database.db, 30)).toBe(0);
});

test('a job that a message is waking at this moment is left alone', async () => {
  const id = await addJob('idle', 31);
  await database.db.transaction().execute(async (tx) => {
    await tx.selectFrom('agent_jobs').select('id').where('id', '=', id).forUpdate().execute();
    expect(await emptyOldJobs(database.db, 30)).toBe(0);
    await tx.updateTable('agent_jobs').set({ phase: 'queued' }).where('id', '=', id).execute();
  });
  expect(await emptyOldJobs(database.db, 30)).toBe(0);
  expect(await leftOf(id)).toEqual(WHOLE);
});

test('more jobs than are emptied at once', async () => {
  await Promise.all(Array.from({ length: 120 }, () => addJob('idle', 31)));
  expect(await emptyOldJobs(database.db, 30)).toBe(120);
});
