/**
 * Milliseconds of one claim of a job with 15,000 in the queue, by how many organizations they belong to, and what the
 * claims read. An embedded PostgreSQL in a temporary folder.
 *
 *   node bench/jobs.ts [jobs] [claims]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../apps/server/src/platform/db/database.ts';
import { startEmbeddedPostgres } from '../apps/server/src/platform/db/embedded/embedded.ts';
import { migrate } from '../apps/server/src/platform/db/migrate.ts';
import { claimJob } from '../apps/server/src/platform/jobs/leases.ts';

const jobs = Number(process.argv[2] ?? 15_000);
const claims = Number(process.argv[3] ?? 200);
const RULES = { weights: { free: 1, pro: 2, enterprise: 4 }, organizationLimit: 100_000, laneLimit: 100_000 };

const dataDir = await mkdtemp(join(tmpdir(), 'offprint-bench-'));
const server = await startEmbeddedPostgres({ dataDir, log: { info: () => {}, error: console.error } });
await migrate(server.url);
const { db, pool, close } = openDatabase(server.url, { role: 'bench', max: 2 });

async function scans(): Promise<{ seq: number; idx: number }> {
  await pool.query('SELECT pg_stat_force_next_flush()');
  await pool.query('SELECT 1');
  const { rows } = await pool.query<{ seq: number; idx: number }>(
    "SELECT seq_scan::int AS seq, idx_scan::int AS idx FROM pg_stat_user_tables WHERE relname = 'jobs'",
  );
  return rows[0] ?? { seq: 0, idx: 0 };
}

for (const organizations of [1, 10, 150, 1_500, jobs]) {
  await pool.query('TRUNCATE organizations, jobs, job_turns CASCADE');
  await pool.query(
    "INSERT INTO organizations (id, name, plan) SELECT 'org_' || n, 'o', 'pro' FROM generate_series(1, $1::int) n",
    [organizations],
  );
  await pool.query(
    `INSERT INTO jobs (id, kind, organization_id) SELECT 'se_' || n, 'export', 'org_' || (n % $2::int + 1)
     FROM generate_series(1, $1::int) n`,
    [jobs, organizations],
  );
  await pool.query('VACUUM ANALYZE jobs, organizations');
  const before = await scans();
  const times: number[] = [];
  for (let claim = 0; claim < claims; claim += 1) {
    const started = performance.now();
    const job = await claimJob(db, 'export', RULES, { worker: 1, isIdle: true, passOver: [] });
    times.push(performance.now() - started);
    if (job === undefined) throw new Error('nothing was claimed');
  }
  const after = await scans();
  times.sort((one, other) => one - other);
  const at = (share: number): string => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(2);
  const row = [
    `${jobs} jobs of ${organizations}`.padEnd(24),
    `median ${at(0.5)} ms`,
    `p95 ${at(0.95)} ms`,
    `max ${at(1)} ms`,
    `${((after.idx - before.idx) / claims).toFixed(0)} index scans and ${((after.seq - before.seq) / claims).toFixed(1)} table scans a claim`,
  ];
  process.stdout.write(`${row.join('   ')}\n`);
}

await close();
await server.stop();
await rm(dataDir, { recursive: true, force: true });
