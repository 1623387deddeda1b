/**
 * Events of readers: how many the API stores and a worker counts in a second, and the time of each query of the dashboard.
 * As many events as given are filled in, over 90 days and 1,000 pages. An embedded PostgreSQL in a temporary folder;
 * 10 million events need about 3 GB.
 *
 *   node bench/analytics.ts [batches of 900 events] [millions of events] [rounds of queries]
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReportedEvent } from '../apps/server/src/analytics/batch.ts';
import { ANALYTICS_KIND, ingestBatch } from '../apps/server/src/analytics/ingest.ts';
import { createPartitions } from '../apps/server/src/analytics/partitions.ts';
import {
  listFeedback,
  readBrokenLinks,
  readFeedbackByPage,
  readReferrers,
  readSearches,
  readTraffic,
  readViews,
  readVisitors,
} from '../apps/server/src/analytics/queries.ts';
import { createAnalyticsKind } from '../apps/server/src/analytics/rollup.ts';
import { countCallers, listConversations } from '../apps/server/src/assistant/store.ts';
import { openDatabase } from '../apps/server/src/platform/db/database.ts';
import { startEmbeddedPostgres } from '../apps/server/src/platform/db/embedded/embedded.ts';
import { migrate } from '../apps/server/src/platform/db/migrate.ts';
import { DAYS, fillAnalytics, PAGES } from './analytics-data.ts';

const batches = Number(process.argv[2] ?? 50);
const millions = Number(process.argv[3] ?? 10);
const rounds = Number(process.argv[4] ?? 20);
const BATCH = 900;

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

started = performance.now();
await fillAnalytics(db, of, millions * 1_000_000);
print(`${millions} million events of ${DAYS} days filled`, perSecond(millions * 1_000_000));

const dayOf = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
const scope = { ...of, from: dayOf(-DAYS), to: dayOf(1) };
const page = { limit: 100, offset: 0 };
const queries: Record<string, () => Promise<unknown>> = {
  traffic: () => readTraffic(db, scope),
  views: () => readViews(db, scope, page),
  visitors: () => readVisitors(db, scope, page),
  searches: () => readSearches(db, scope, { ...page, withoutResults: false }),
  'searches without results': () => readSearches(db, scope, { ...page, withoutResults: true }),
  referrers: () => readReferrers(db, scope, page),
  'broken links': () => readBrokenLinks(db, scope, page),
  feedback: () => listFeedback(db, scope, { limit: 30, after: undefined }),
  'feedback by page': () => readFeedbackByPage(db, scope, page),
  questions: () => listConversations(db, of, { limit: 20 }),
  callers: () => countCallers(db, of, { dateFrom: scope.from, dateTo: scope.to }),
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
