import pg from 'pg';
import { expect, test } from 'vitest';
import { createEmptyDatabase } from '../../../../../test/support/postgres.ts';
import { migrate, readMigrations } from '../db/migrate.ts';

test('an upgrade of an installation queues every unfinished export and agent job, and no other', async () => {
  const database = await createEmptyDatabase();
  const files = await readMigrations();
  const before = files.filter(({ name }) => name < '0012');
  await migrate(database.url, { migrations: before });
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query("INSERT INTO organizations (id, name) VALUES ('org_1', 'Acme')");
  await client.query(
    "INSERT INTO projects (id, organization_id, name, source_kind) VALUES ('prj_1', 'org_1', 'P', 'git')",
  );
  for (const status of ['queued', 'running', 'completed', 'failed'])
    await client.query(
      `INSERT INTO exports (id, organization_id, domain, status, attempt, failures, queue_entry)
        VALUES ($1, 'org_1', 'docs.example.com', $2, 3, 2, 'entry')`,
      [`se_${status}`, status],
    );
  const phases = [
    'queued',
    'preparing',
    'running',
    'waiting',
    'publishing',
    'idle',
    'failed',
    'archived',
  ] as const;
  for (const phase of phases)
    await client.query(
      `INSERT INTO agent_jobs (id, organization_id, project_id, phase, attempt, created_by, repository, model, waiting_until)
        VALUES ($1, 'org_1', 'prj_1', $2, 4, 'key', 'r', 'm',
          CASE WHEN $2 = 'waiting' THEN now() + interval '1 hour' END)`,
      [`job_${phase}`, phase],
    );
  await migrate(database.url, { migrations: files });
  const { rows } = await client.query(
    `SELECT id, kind, organization_id, lane, attempt, failures, worker, run_at <= now() AS due
      FROM jobs ORDER BY id COLLATE "C"`,
  );
  const agent = { kind: 'agent', organization_id: 'org_1', lane: 'prj_1', attempt: 4, failures: 0 };
  const exported = { kind: 'export', organization_id: 'org_1', lane: null, attempt: 3, failures: 2 };
  expect(rows).toEqual([
    ...['preparing', 'publishing', 'queued', 'running'].map((phase) => {
      return { id: `job_${phase}`, ...agent, worker: null, due: true };
    }),
    { id: 'job_waiting', ...agent, worker: null, due: false },
    { id: 'se_queued', ...exported, worker: null, due: true },
    { id: 'se_running', ...exported, worker: null, due: true },
  ]);
  await client.end();
  await database.drop();
});
