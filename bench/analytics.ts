/**
 * Events of readers: how many the API stores and a worker counts in a second, and the time of each query of the dashboard.
 * Counts are filled for the number of events that is given, over 90 days and 1,000 pages. An embedded PostgreSQL in a
 * temporary folder.
 *
 *   node bench/analytics.ts [batches of 900 events] [millions of events behind the counts] [rounds of queries]
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReportedEvent } from '../apps/server/src/analytics/batch.ts';
import { ANALYTICS_KIND, ingestBatch } from '../apps/server/src/analytics/ingest.ts';
import { createPartitions } from '../apps/server/src/analytics/partitions.ts';
import {
  readBrokenLinks,
  readReferrers,
  readSearches,
  readTraffic,
  readViews,
  readVisitors,
} from '../apps/server/src/analytics/queries.ts';
import { createAnalyticsKind } from '../apps/server/src/analytics/rollup.ts';
import { openDatabase } from '../apps/server/src/platform/db/database.ts';
import { startEmbeddedPostgres } from '../apps/server/src/platform/db/embedded/embedded.ts';
import { migrate } from '../apps/server/src/platform/db/migrate.ts';

const batches = Number(process.argv[2] ?? 50);
const millions = Number(process.argv[3] ?? 50);
const rounds = Number(process.argv[4] ?? 20);
const BATCH = 900;
const PAGES = 1_000;
const DAYS = 90;

const dataDir = await mkdtemp(join(tmpdir(), 'offprint-bench-'));
const server = await startEmbeddedPostgres({ dataDir, log: { info: () => {}, error: console.error } });
await migrate(server.url);
const { db, pool, close } = openDatabase(server.url, { role: 'bench', max: 4 });
const of = { organizationId: 'org_bench', projectId: 'prj_bench' };
await pool.query("INSERT INTO organizations (id, name, plan) VALUES ('org_bench', 'o', 'enterprise')");
await pool.query(
  "INSERT INTO projects (id, organization_id, name, source_kind) VALUES ('prj_bench', 'org_bench', 'p', 'upload')",
);
await createPartitions(db, new Date());

const view = (): ReportedEvent => ({
  ...{ at: Date.now(), projectId: of.projectId, kind: 'view', client: 'person', isMarkdown: false },
  ...{ path: `/page-${Math.floor(Math.random() * PAGES)}`, referrer: null },
  visitor: randomBytes(8).toString('hex'),
});
const print = (name: string, value: string) => process.stdout.write(`${name.padEnd(44)} ${value}\n`);

const all = Array.from({ length: batches }, (_, at) => ({
  ...{ id: `batch-${at}-${Date.now()}`, unknown: 0 },
  events: Array.from({ length: BATCH }, view),
}));
let started = performance.now();
const waiting = all.values();
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (const batch of waiting) await ingestBatch(db, batch, new Date());
  }),
);
const perSecond = (count: number) =>
  `${Math.round(count / ((performance.now() - started) / 1_000))} events/s`;
print('stored, batches of 900', perSecond(batches * BATCH));

started = performance.now();
const { rows: jobs } = await pool.query('SELECT id FROM jobs WHERE kind = $1', [ANALYTICS_KIND]);
const lease = { id: String(jobs[0]?.id), attempt: 1, folder: dataDir, signal: new AbortController().signal };
const work = await db
  .transaction()
  .execute((tx) => createAnalyticsKind({ db }).begin(tx, { id: lease.id, attempt: 1 }));
await work?.run({ ...lease, lose: () => {} });
print('added to the daily counts', perSecond(batches * BATCH));

const views = Math.max(1, Math.round((millions * 1_000_000) / DAYS / PAGES / 3));
for (let day = 1; day <= DAYS; day += 1) {
  await pool.query(
    `INSERT INTO analytics_daily
       (project_id, day, kind, subject, client, organization_id, count, visitors, sketch, last_at)
     SELECT 'prj_bench', current_date - $1::int, 'view', path, client, 'org_bench', $2::bigint, 5,
       CASE WHEN $1::int < 8 THEN decode(repeat('00112233445566778899', 4), 'hex') END, now()
     FROM unnest(ARRAY['person', 'agent', 'search-crawler']) client,
       (SELECT '' AS path UNION ALL SELECT '/page-' || n FROM generate_series(1, $3::int) n) pages`,
    [day, views, PAGES],
  );
  await pool.query(
    `INSERT INTO analytics_daily (project_id, day, kind, subject, organization_id, count, last_at)
     SELECT 'prj_bench', current_date - $1::int, kind, '/subject ' || n, 'org_bench', n, now()
     FROM unnest(ARRAY['search', 'missing', 'referrer']) kind, generate_series(1, 2000) n`,
    [day],
  );
}
await pool.query('VACUUM ANALYZE analytics_daily');
const dayOf = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
const scope = { ...of, from: dayOf(-DAYS), to: dayOf(1) };
const page = { limit: 100, offset: 0 };
const queries: Record<string, () => Promise<unknown>> = {
  traffic: () => readTraffic(db, scope),
  views: () => readViews(db, scope, page),
  visitors: () => readVisitors(db, scope, page),
  searches: () => readSearches(db, scope, { ...page, withoutResults: false }),
  referrers: () => readReferrers(db, scope, page),
  'broken links': () => readBrokenLinks(db, scope, page),
};
for (const [name, run] of Object.entries(queries)) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    await run();
    times.push(performance.now() - begun);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(0);
  print(`${name}, ${DAYS} days, ${millions} million events`, `median ${at(0.5)} ms   p95 ${at(0.95)} ms`);
}

await close();
await server.stop();
await rm(dataDir, { recursive: true, force: true });
