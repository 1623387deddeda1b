/** The platform behind PgBouncer with transaction pooling. */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Pooler, startPgBouncer } from '../support/pgbouncer.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { createEmptyDatabase } from '../support/postgres.ts';
import { findProgram, missing } from '../support/system-program.ts';
import { call, createProject, follow, type Job, makeFolder, siteFiles } from './api.ts';

const program = findProgram('pgbouncer');

describe.skipIf(program === null)(`behind PgBouncer${missing(program, 'pgbouncer')}`, () => {
  let platform: TestPlatform;
  let tenant: Tenant;
  let pooler: Pooler;
  let pooled: Record<string, string>;

  beforeAll(async () => {
    platform = await startTestPlatform({ roles: ['api'] });
    tenant = await platform.createTenant();
    pooler = await startPgBouncer(program!, platform.databaseUrl, { size: 5 });
    pooled = { DATABASE_URL: pooler.url, OFFPRINT_DATABASE_DIRECT_URL: platform.databaseUrl };
  });
  afterAll(async () => {
    await pooler?.stop();
    await platform?.stop();
  });

  async function runTo(roles: string[], env: Record<string, string>): Promise<[number | null, string]> {
    const child = platform.start(roles, env);
    const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr!)]);
    return [code as number | null, said];
  }

  test('with a direct URL, processes start one after another, and an export is completed and followed', async () => {
    const url = await platform.startApi(pooled);
    const second = await platform.startApi(pooled);
    platform.start(['worker'], pooled);
    const path = await makeFolder(siteFiles(3));
    const { domain } = await createProject(url, tenant.key, { kind: 'folder', path });
    const { body } = await call<Job>(url, 'POST', '/v1/static-export/jobs', {
      key: tenant.key,
      body: { domain },
    });
    expect((await follow(second, tenant.key, body.jobId)).at(-1)).toMatchObject({ status: 'completed' });
    expect(await runTo(['migrate'], pooled)).toEqual([0, '']);
  });

  test('no connection goes past the pooler except one for each process, and transactions have their limits', async () => {
    const { rows } = await sessions(
      `SELECT count(*)::int AS direct FROM pg_stat_activity
       WHERE datname = current_database() AND application_name ~ '^offprint-.*-listen$'`,
    );
    // Two behind the pooler, one beside it, and the worker.
    expect(rows).toEqual([{ direct: 4 }]);
    const client = new pg.Client(pooler.url);
    await client.connect();
    const { rows: left } = await client.query('SHOW statement_timeout');
    await client.end();
    expect(left).toEqual([{ statement_timeout: '0' }]);
  });

  test.each([['api'], ['worker']])(
    'without a direct URL, %s exits with a sentence that names the setting',
    async (role) => {
      const [code, said] = await runTo([role], { DATABASE_URL: pooler.url, OFFPRINT_PORT: '0' });
      expect(code).toBe(1);
      expect(said).toContain('Set OFFPRINT_DATABASE_DIRECT_URL to the URL of PostgreSQL itself');
    },
  );

  test('migrations through the pooler end for every process, and leave no lock behind', async () => {
    const empty = await createEmptyDatabase();
    const other = await startPgBouncer(program!, empty.url, { size: 3 });
    const runs = await Promise.all([1, 2, 3].map(() => runTo(['migrate'], { DATABASE_URL: other.url })));
    expect(runs.map(([code]) => code)).toEqual([0, 0, 0]);
    expect(await runTo(['migrate'], { DATABASE_URL: other.url })).toEqual([0, '']);
    await other.stop();
    await empty.drop();
  });

  test('session pooling needs no direct URL', async () => {
    const session = await startPgBouncer(program!, platform.databaseUrl, { mode: 'session', size: 30 });
    const url = await platform.startApi({ DATABASE_URL: session.url });
    expect((await call(url, 'GET', '/readyz')).status).toBe(200);
    platform.processes().at(-1)!.kill('SIGTERM');
    await once(platform.processes().at(-1)!, 'exit');
    await session.stop();
  });

  const sessions = (sql: string) => platform.database.pool.query(sql);
});
