/**
 * Events of readers at a fixed rate, stored and added to the daily counts at the same time: how far the counts are behind,
 * and the CPU time of an event. Four senders, one job of counts, an embedded PostgreSQL in a temporary folder. CPU times
 * need Linux.
 *
 *   node bench/analytics-rate.ts [events per second] [seconds]
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBatch } from '../apps/server/src/analytics/batch.ts';
import { ANALYTICS_KIND, ingestBatch } from '../apps/server/src/analytics/ingest.ts';
import { createPartitions } from '../apps/server/src/analytics/partitions.ts';
import { createAnalyticsKind } from '../apps/server/src/analytics/rollup.ts';
import { openDatabase } from '../apps/server/src/platform/db/database.ts';
import { startEmbeddedPostgres } from '../apps/server/src/platform/db/embedded/embedded.ts';
import { migrate } from '../apps/server/src/platform/db/migrate.ts';

const rate = Number(process.argv[2] ?? 5_000);
const seconds = Number(process.argv[3] ?? 30);
const BATCH = 500;
const PAGES = 1_000;
const SENDERS = 4;
/** Between two looks of the worker at its queue. */
const POLL_MS = 200;

const dataDir = await mkdtemp(join(tmpdir(), 'offprint-bench-'));
const server = await startEmbeddedPostgres({ dataDir, log: { info: () => {}, error: console.error } });
await migrate(server.url);
const { db, pool, close } = openDatabase(server.url, { role: 'bench', max: 8 });
await pool.query("INSERT INTO organizations (id, name, plan) VALUES ('org_bench', 'o', 'enterprise')");
await pool.query(
  "INSERT INTO projects (id, organization_id, name, source_kind) VALUES ('prj_bench', 'org_bench', 'p', 'upload')",
);
await createPartitions(db, new Date());

const { rows: started } = await pool.query(
  "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid",
);
const postmaster = String(started[0]?.pid);

/** Seconds of CPU of the database: of its first process, of those below it, and of those of them that ended. */
function databaseCpu(): number {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let stat: string;
    try {
      stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    } catch {
      // it has ended
      continue;
    }
    const [, parent, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (pid !== postmaster && parent !== postmaster) continue;
    ticks += fields.slice(9, 13).reduce((sum, field) => sum + Number(field), 0);
  }
  return ticks / 100;
}

const text = (): string => {
  const events = Array.from({ length: BATCH }, () => ({
    ...{ at: Date.now(), projectId: 'prj_bench', kind: 'view', client: 'person', isMarkdown: false },
    ...{ path: `/page-${Math.floor(Math.random() * PAGES)}`, referrer: null },
    visitor: randomBytes(8).toString('hex'),
  }));
  return JSON.stringify({ id: randomBytes(12).toString('hex'), events });
};
const batches = Array.from({ length: Math.ceil((rate * seconds) / BATCH) }, text);

let isSent = false;
let attempt = 0;
const lags: number[] = [];
async function count(): Promise<void> {
  const kind = createAnalyticsKind({ db });
  for (;;) {
    const wasSent = isSent;
    const { rows } = await pool.query('SELECT id FROM jobs WHERE kind = $1', [ANALYTICS_KIND]);
    attempt += 1;
    const fence = { id: String(rows[0]?.id), attempt };
    const work = await db.transaction().execute((tx) => kind.begin(tx, fence));
    const begun = performance.now();
    const signal = new AbortController().signal;
    await work?.run({ ...fence, folder: dataDir, signal, lose: () => {} });
    if (work !== undefined) lags.push(performance.now() - begun);
    if (wasSent) return;
    await sleep(POLL_MS);
  }
}

const before = { own: process.cpuUsage(), database: databaseCpu(), at: performance.now() };
const counting = count();
const waiting = batches.entries();
await Promise.all(
  Array.from({ length: SENDERS }, async () => {
    for (const [number, body] of waiting) {
      await sleep(Math.max(0, before.at + (number * BATCH * 1_000) / rate - performance.now()));
      const batch = readBatch(JSON.parse(body));
      if (batch !== null) await ingestBatch(db, batch, new Date());
    }
  }),
);
const sentAt = performance.now();
isSent = true;
await counting;
const countedAt = performance.now();

const events = batches.length * BATCH;
const { user, system } = process.cpuUsage(before.own);
const { rows } = await pool.query(
  "SELECT sum(count) AS count FROM analytics_daily WHERE kind = 'view' AND subject = ''",
);
const print = (name: string, value: string) => process.stdout.write(`${name.padEnd(34)} ${value}\n`);
const micro = (spent: number) => `${Math.round((spent * 1e6) / events)} µs of CPU an event`;
print('sent', `${events} events, ${Math.round((events * 1_000) / (sentAt - before.at))} events/s`);
print('stored and counted', `${Math.round((events * 1_000) / (countedAt - before.at))} events/s`);
print('counts complete after the last event', `${Math.round(countedAt - sentAt)} ms`);
print('longest run of the job', `${Math.round(Math.max(...lags))} ms`);
print('API and worker', micro((user + system) / 1e6));
print('PostgreSQL', micro(databaseCpu() - before.database));
if (Number(rows[0]?.count) !== events) throw new Error(`${rows[0]?.count} of ${events} events were counted`);

await close();
await server.stop();
await rm(dataDir, { recursive: true, force: true });
