/** Events of readers: stored once, counted by day, and returned in the shapes of the reference product. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AnalyticsBrokenLinks,
  AnalyticsFeedback,
  AnalyticsFeedbackByPage,
  AnalyticsFeedbackEntry,
  AnalyticsReferrers,
  AnalyticsSearches,
  AnalyticsTraffic,
  AnalyticsViews,
  AnalyticsVisitors,
} from '@offprint/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createPartitions,
  dropPartitions,
  listPartitions,
} from '../../apps/server/src/analytics/partitions.ts';
import { isOpen } from '../../apps/server/src/analytics/subjects.ts';
import { closeDays, deleteEventsOfDeleted, deleteOld } from '../../apps/server/src/analytics/sweep.ts';
import { deleteVisitorKeys, readVisitorKeys } from '../../apps/server/src/analytics/visitor-keys.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError } from './api.ts';
import { serveSite } from './served-site.ts';

const TOKEN = 'hosting-token-of-the-test-0123456789';
const DAY_MS = 86_400_000;

let platform: TestPlatform;
let tenant: Tenant;
let projectId: string;
let domain: string;

beforeAll(async () => {
  platform = await startTestPlatform({ env: { OFFPRINT_HOSTING_TOKEN: TOKEN } });
  tenant = await platform.createTenant();
  ({ projectId, domain } = await createProject(platform.url, tenant.key, { kind: 'upload' }));
}, 300_000);
afterAll(() => platform?.stop());

const id = () => randomBytes(12).toString('hex');
const report = (body: unknown, key = TOKEN) =>
  call<{ stored: number; dropped: number }>(platform.url, 'POST', '/v1/hosting/events', { key, body });
const get = <Body>(path: string, options: { key?: string; headers?: Record<string, string> } = {}) =>
  call<Body>(platform.url, 'GET', `/v1/analytics/${path}`, { key: tenant.key, ...options });

interface Event {
  kind: string;
  path?: string;
  at?: number;
  [name: string]: unknown;
}
const event = ({ kind, ...more }: Event, project = projectId) => ({
  at: Date.now(),
  projectId: project,
  client: 'person',
  path: '/start',
  kind,
  ...(kind === 'view' ? { visitor: null, isMarkdown: false, referrer: null } : {}),
  ...more,
});

/** Waits until the daily counts contain every event. */
async function counted(): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ left: number }>`SELECT count(*) AS left FROM analytics_rollups
      WHERE state <> 'idle'`.execute(platform.database.db);
    if (rows[0]?.left === 0) return;
    await sleep(20);
  }
}

test('site servers need the token to report events', async () => {
  const batch = { id: id(), events: [] };
  expectError(await call(platform.url, 'POST', '/v1/hosting/events', { body: batch }), 401, 'unauthorized');
  expectError(await report(batch, tenant.key), 401, 'unauthorized');
  for (const body of [{}, { id: 'x', events: [] }, { id: id(), events: Array(1_001).fill({}) }])
    expectError(await report(body), 400, 'invalid_request');
});

test('a batch is stored and counted once, however often and at once it is sent', async () => {
  const project = await createProject(platform.url, tenant.key, { kind: 'upload' });
  const visitors = ['a', 'b'].map((digit) => digit.repeat(16));
  const batch = {
    id: id(),
    events: [0, 1, 2].map((at) => event({ kind: 'view', visitor: visitors[at % 2] }, project.projectId)),
  };
  const replies = await Promise.all(Array.from({ length: 8 }, () => report(batch)));
  expect(replies.map(({ status, body }) => [status, body.stored])).toEqual(Array(8).fill([200, 3]));
  await counted();
  expect((await report(batch)).body).toEqual({ stored: 3, dropped: 0 });
  await counted();
  const views = await get<AnalyticsViews>(`${project.projectId}/views`);
  expect(views.body.totals).toEqual({ human: 3, ai: 0, total: 3 });
  const { body } = await get<AnalyticsVisitors>(`${project.projectId}/visitors`);
  expect(body).toEqual({
    totals: { human: 2, ai: 0, total: 2 },
    visitors: [{ path: '/start', human: 2, ai: 0, total: 2 }],
    hasMore: false,
  });
});

test('events of unknown forms, projects and times are dropped, and the others of the batch stored', async () => {
  const project = await createProject(platform.url, tenant.key, { kind: 'upload' });
  const old = Date.now() - 100 * DAY_MS;
  const events = [
    event({ kind: 'view', path: '/kept\u0000\ud800' }, project.projectId),
    event({ kind: 'view' }, 'prj_unknown'),
    event({ kind: 'view', at: old }, project.projectId),
    event({ kind: 'view', client: 'martian' }, project.projectId),
    event({ kind: 'view', path: 'no-slash' }, project.projectId),
    event({ kind: 'hover' }, project.projectId),
    null,
    'text',
  ];
  expect((await report({ id: id(), events })).body).toEqual({ stored: 1, dropped: 7 });
  await counted();
  const { body } = await get<AnalyticsViews>(`${project.projectId}/views`);
  expect(body.views.map(({ path }) => path)).toEqual(['/kept\ufffd']);
});

test('counts come by page, kind of client, day, search, link and referrer', async () => {
  const search = (query: string, results: number) => event({ kind: 'search', query, results });
  const click = (query: string, target: string) => event({ kind: 'click', query, target });
  const view = (more: object) => event({ kind: 'view', ...more });
  const events = [
    view({ visitor: '1'.repeat(16), referrer: 'github.com' }),
    view({ visitor: '1'.repeat(16), path: '/other' }),
    view({ visitor: '2'.repeat(16), client: 'agent', isMarkdown: true, referrer: 'ignored.example' }),
    view({ visitor: '3'.repeat(16), client: 'training-crawler' }),
    view({ visitor: '4'.repeat(16), client: 'other' }),
    view({ visitor: '5'.repeat(16), at: Date.now() - DAY_MS }),
    ...[search('Web  Hooks', 2), search('web hooks', 2), search('nothing', 0), search('=1+1', 0)],
    ...[click('web hooks', '/hooks'), click('web hooks', '/hooks'), click('web hooks', '/other')],
    ...['copy', 'copy', 'playground'].map((kind) => event({ kind })),
    ...['/start', '/start', ''].map((referrer) => event({ kind: 'missing', path: '/gone', referrer })),
  ];
  expect((await report({ id: id(), events })).body).toEqual({ stored: events.length, dropped: 0 });
  await counted();

  const views = (await get<AnalyticsViews>(`${projectId}/views?limit=1`)).body;
  expect(views).toEqual({
    totals: { human: 3, ai: 2, total: 6 },
    views: [{ path: '/start', human: 2, ai: 2, total: 5 }],
    hasMore: true,
  });
  const second = (await get<AnalyticsViews>(`${projectId}/views?limit=1&offset=1`)).body;
  expect([second.views.map(({ path }) => path), second.hasMore]).toEqual([['/other'], false]);
  expect((await get<AnalyticsVisitors>(`${projectId}/visitors`)).body.totals).toEqual({
    ...{ human: 2, ai: 2, total: 5 },
  });
  const traffic = (await get<AnalyticsTraffic>(`${projectId}/traffic`)).body;
  expect(traffic.days.map(({ client, views: count }) => [client, count]).sort()).toEqual(
    [
      ['agent', 1],
      ['other', 1],
      ['person', 1],
      ['person', 2],
      ['training-crawler', 1],
    ].sort(),
  );
  expect(traffic).toMatchObject({ markdownViews: 1, copies: 2, playgroundRequests: 1, isCounting: true });
  expect((await get<AnalyticsReferrers>(`${projectId}/referrers`)).body.referrers).toEqual([
    { host: 'github.com', views: 1 },
  ]);
  const searches = (await get<AnalyticsSearches>(`${projectId}/searches?limit=1`)).body;
  expect(searches.searches).toMatchObject([
    { searchQuery: 'web hooks', hits: 2, ctr: 1.5, topClickedPage: '/hooks', withoutResults: 0 },
  ]);
  expect(searches.totalSearches).toBe(4);
  const next = await get<AnalyticsSearches>(`${projectId}/searches?limit=5&cursor=${searches.nextCursor}`);
  expect(next.body.searches.map(({ searchQuery }) => searchQuery)).toEqual(['=1+1', 'nothing']);
  expect(next.body.nextCursor).toBeNull();
  const none = await get<AnalyticsSearches>(`${projectId}/searches?withoutResults=true`);
  expect(none.body.searches.map(({ searchQuery }) => searchQuery)).toEqual(['=1+1', 'nothing']);
  expect(none.body.totalSearches, 'also of those that are not listed').toBe(4);
  const end = Buffer.from('100').toString('base64url');
  const beyond = await get<AnalyticsSearches>(`${projectId}/searches?cursor=${end}`);
  expect(beyond.body).toMatchObject({ searches: [], totalSearches: 4, nextCursor: null });
  const links = (await get<AnalyticsBrokenLinks>(`${projectId}/broken-links`)).body.links;
  expect(links.map(({ path, from, hits }) => [path, from, hits])).toEqual([
    ['/gone', '/start', 2],
    ['/gone', '', 1],
  ]);

  const csv = await get(`${projectId}/searches`, { headers: { accept: 'text/csv' } });
  expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
  expect(csv.text.split('\r\n')[0]).toBe('searchQuery,hits,ctr,topClickedPage,lastSearchedAt,withoutResults');
  expect(csv.text, 'no formula').toContain("\r\n'=1+1,1,0,,");
  expect((await get(`${projectId}/views?format=csv`)).text).toBe(
    'path,human,ai,total\r\n/start,2,2,5\r\n/other,1,0,1\r\n',
  );
  const lines = (await get(`${projectId}/events`)).text.trim().split('\n');
  expect(lines).toHaveLength(events.length);
  expect(lines.join('\n')).not.toMatch(/visitor|1111111111111111/);
  expect(JSON.parse(lines.find((line) => line.includes('=1+1')) ?? '')).toMatchObject({
    ...{ kind: 'search', client: 'person', path: '/start', query: '=1+1', results: 0 },
  });
});

test('lists are the same before and after their days are over', async () => {
  const { db } = platform.database;
  const yesterday = { at: Date.now() - DAY_MS };
  await report({
    id: id(),
    events: [
      event({ kind: 'search', query: 'web hooks', results: 0, ...yesterday }),
      event({ kind: 'search', query: 'of yesterday', results: 0, ...yesterday }),
      event({ kind: 'click', query: 'web hooks', target: '/yesterday', ...yesterday }),
      event({ kind: 'missing', path: '/gone', referrer: '/start', ...yesterday }),
    ],
  });
  await counted();
  const lists = [
    'views',
    'visitors',
    'searches',
    'searches?withoutResults=true',
    'referrers',
    'broken-links',
  ];
  const read = async () => Promise.all(lists.map(async (name) => (await get(`${projectId}/${name}`)).body));
  const before = await read();
  expect(before[0]).toMatchObject({ views: expect.arrayContaining([expect.anything()]) });
  expect(before[2]).toMatchObject({ searches: expect.arrayContaining([expect.anything()]) });
  const openRows = async () => {
    const { rows } = await sql<{ pages: number; subjects: number }>`
      SELECT count(*) FILTER (WHERE sketch IS NOT NULL) AS pages, count(*) FILTER (WHERE ${isOpen}) AS subjects
      FROM analytics_daily`.execute(db);
    return rows[0];
  };
  const closeIn = (days: number) => closeDays(db, new Date(Date.now() + days * DAY_MS));
  const all = await openRows();
  await closeIn(2);
  const searched = await openRows();
  expect(searched?.pages).toBe(all?.pages);
  expect(searched?.subjects).toBeLessThan(all?.subjects ?? 0);
  expect(searched?.subjects).toBeGreaterThan(0);
  expect(await read()).toEqual(before);
  await closeIn(7);
  const some = await openRows();
  expect(some?.subjects).toBe(0);
  expect(some?.pages).toBeLessThan(all?.pages ?? 0);
  expect(some?.pages).toBeGreaterThan(0);
  expect(await read()).toEqual(before);
  await closeIn(8);
  expect(await openRows()).toEqual({ pages: 0, subjects: 0 });
  expect(await read()).toEqual(before);

  const hitsOf = async () => {
    const { searches } = (await get<AnalyticsSearches>(`${projectId}/searches`)).body;
    return Object.fromEntries(searches.map(({ searchQuery, hits }) => [searchQuery, hits]));
  };
  const hits = await hitsOf();
  const late = ['web hooks', 'came late'].map((query) =>
    event({ kind: 'search', query, results: 1, ...yesterday }),
  );
  await report({ id: id(), events: late });
  await counted();
  expect(await hitsOf()).toEqual({ ...hits, 'web hooks': (hits['web hooks'] ?? 0) + 1, 'came late': 1 });
});

test('days are limited by dateFrom and the exclusive dateTo, in both forms', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const total = async (query: string) =>
    (await get<AnalyticsViews>(`${projectId}/views?${query}`)).body.totals.total;
  expect(await total(`dateFrom=${today}`)).toBe(5);
  expect(await total(`dateTo=${today}`)).toBe(1);
  expect(await total(`dateTo=${today}T00:00:00Z`)).toBe(1);
  for (const query of [`dateFrom=${today}&dateTo=${today}`, 'dateFrom=yesterday', 'dateFrom=2020-01-01'])
    expectError(await get(`${projectId}/views?${query}`), 400, 'invalid_request', 'dateFrom');
  for (const query of ['limit=251', 'offset=-1', 'page=2'])
    expectError(await get(`${projectId}/views?${query}`), 400, 'invalid_request');
  expectError(await get(`${projectId}/searches?cursor=!`), 400, 'invalid_request', 'cursor');
});

test('a comment completes the vote that precedes it, and the team notes what it does about it', async () => {
  const vote = { kind: 'feedback', entry: '0.1234567', helpful: false, comment: null, isAgent: false };
  await report({ id: id(), events: [event(vote)] });
  await report({ id: id(), events: [event({ ...vote, comment: ' Too short. ' })] });
  await report({
    id: id(),
    events: [
      event({ ...vote, entry: '0.7654321', helpful: true, path: '/other' }),
      event({ ...vote, entry: 'agent-000001', helpful: null, comment: 'Example fails.', isAgent: true }),
    ],
  });
  const { feedback } = (await get<AnalyticsFeedback>(`${projectId}/feedback`)).body;
  expect(
    feedback.map(({ path, comment, source, status, helpful }) => ({
      path,
      comment,
      source,
      status,
      helpful,
    })),
  ).toEqual(
    expect.arrayContaining([
      { path: '/start', comment: 'Too short.', source: 'contextual', status: 'pending', helpful: false },
      { path: '/other', comment: null, source: 'thumbs_only', status: 'pending', helpful: true },
      { path: '/start', comment: 'Example fails.', source: 'agent', status: 'pending', helpful: null },
    ]),
  );
  expect(feedback).toHaveLength(3);
  const byPage = (await get<AnalyticsFeedbackByPage>(`${projectId}/feedback/by-page`)).body;
  expect(byPage.feedback).toEqual([
    { path: '/start', thumbsUp: 0, thumbsDown: 1, code: 0, total: 2 },
    { path: '/other', thumbsUp: 1, thumbsDown: 0, code: 0, total: 1 },
  ]);
  const entry = feedback.find(({ source }) => source === 'contextual')?.id;
  const path = `/v1/analytics/${projectId}/feedback/${entry}`;
  const patch = (body: unknown, target = path) =>
    call<AnalyticsFeedbackEntry>(platform.url, 'PATCH', target, { key: tenant.key, body });
  const changed = await patch({ status: 'resolved', note: 'Added a section.' });
  expect(changed.body).toMatchObject({ id: entry, status: 'resolved', note: 'Added a section.' });
  expectError(await patch({ status: 'done' }), 400, 'invalid_request', '/status');
  expectError(await patch({}, `/v1/analytics/${projectId}/feedback/fb_${'0'.repeat(32)}`), 404, 'not_found');
  const open = (await get<AnalyticsFeedback>(`${projectId}/feedback?status=pending,in_progress&limit=1`))
    .body;
  expect([open.feedback.length, open.hasMore]).toEqual([1, true]);
  const rest = await get<AnalyticsFeedback>(
    `${projectId}/feedback?status=pending,in_progress&limit=5&cursor=${open.nextCursor}`,
  );
  expect([rest.body.feedback.length, rest.body.hasMore, rest.body.nextCursor]).toEqual([1, false, null]);
  const agents = (await get<AnalyticsFeedback>(`${projectId}/feedback?source=agent`)).body;
  expect(agents.feedback.map(({ comment }) => comment)).toEqual(['Example fails.']);
});

test('keys need the scope, and other organizations find nothing', async () => {
  const reads = await platform.createKey(tenant.organizationId, { scopes: ['analytics:read'] });
  const exports = await platform.createKey(tenant.organizationId, { scopes: ['exports:write'] });
  expect((await get(`${projectId}/views`, { key: reads })).status).toBe(200);
  expectError(await get(`${projectId}/views`, { key: exports }), 403, 'scope_missing');
  const other = await platform.createTenant();
  for (const path of ['views', 'visitors', 'searches', 'feedback', 'feedback/by-page', 'events', 'traffic'])
    expectError(await get(`${projectId}/${path}`, { key: other.key }), 404, 'not_found');
});

test('the responses have the fields of the description of the reference product', async () => {
  const file = new URL('../../../shared/corpora/mintlify__docs/analytics.openapi.json', import.meta.url);
  let description: Description;
  try {
    description = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return;
  }
  const { schemas } = description.components;
  for (const [path, name] of [
    ['views', 'ViewsByPageResponse'],
    ['visitors', 'VisitorsByPageResponse'],
    ['searches', 'SearchesResponse'],
    ['feedback', 'FeedbackResponse'],
    ['feedback/by-page', 'FeedbackGroupedByPageResponse'],
  ] as const) {
    const { body } = await get<Record<string, unknown>>(`${projectId}/${path}`);
    for (const field of schemas[name]?.required ?? []) expect(body, `${path} ${field}`).toHaveProperty(field);
    const [list] = Object.values(body).filter(Array.isArray);
    const items = Object.values(schemas[name]?.properties ?? {}).find(
      ({ items }) => items !== undefined,
    )?.items;
    const required = items?.required ?? items?.anyOf?.at(-1)?.required ?? [];
    expect(required.length).toBeGreaterThan(2);
    expect(list?.length, path).toBeGreaterThan(0);
    for (const field of required) expect(list?.[0], `${path} ${field}`).toHaveProperty(field);
  }
});

interface Schema {
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}
interface Description {
  components: { schemas: Record<string, Schema> };
}

test('the list of sites says which readers to count and with which key, and a switch ends it', async () => {
  await serveSite(platform, { organizationId: tenant.organizationId, projectId, host: domain });
  const list = async () =>
    (
      await call<{
        sites: { host: string; isMeasured: boolean }[];
        visitorKeys: { day: string; key: string }[];
      }>(platform.url, 'GET', '/v1/hosting/sites', { key: TOKEN })
    ).body;
  const before = await list();
  expect(before.sites).toMatchObject([{ host: domain, isMeasured: true }]);
  expect(before.visitorKeys[0]?.day).toBe(new Date().toISOString().slice(0, 10));
  expect(before.visitorKeys[0]?.key).toMatch(/^[\w-]{43}$/);
  expect((await list()).visitorKeys).toEqual(before.visitorKeys);
  const path = `/v1/projects/${projectId}/features`;
  await call(platform.url, 'PUT', path, { key: tenant.key, body: { analytics: false } });
  expect((await list()).sites).toMatchObject([{ host: domain, isMeasured: false }]);
  expect((await list()).visitorKeys).toEqual([]);
  expect((await get<AnalyticsTraffic>(`${projectId}/traffic`)).body.isCounting).toBe(false);
});

test('keys of visitors exist for less than two days', async () => {
  const { db } = platform.database;
  const at = (time: string) => new Date(`2031-03-${time}:00Z`);
  const days = async (time: string) => (await readVisitorKeys(db, at(time))).map(({ day }) => day);
  expect(await days('01T12:00')).toEqual(['2031-03-01']);
  expect(await days('01T20:30')).toEqual(['2031-03-01', '2031-03-02']);
  const [key] = await readVisitorKeys(db, at('01T23:59'));
  expect((await readVisitorKeys(db, at('01T12:00')))[0]).toEqual(key);
  await deleteVisitorKeys(db, at('03T00:30'));
  const rows = await db.selectFrom('visitor_keys').select(sql<string>`day::text`.as('day')).execute();
  expect(rows).toEqual([]);
});

test('events are kept by months, and counts and feedback by days', async () => {
  const { db } = platform.database;
  const now = new Date();
  const later = new Date(Date.UTC(now.getUTCFullYear() + 1, 5, 15));
  await createPartitions(db, later);
  expect(await createPartitions(db, later)).toEqual([]);
  const all = await listPartitions(db);
  expect(all).toContain(`analytics_events_${later.getUTCFullYear()}_08`);
  expect(await dropPartitions(db, now, 90)).toEqual([]);
  const gone = await createProject(platform.url, tenant.key, { kind: 'upload' });
  await report({ id: id(), events: [event({ kind: 'view' }, gone.projectId)] });
  await counted();
  await call(platform.url, 'DELETE', `/v1/projects/${gone.projectId}`, { key: tenant.key });
  await deleteEventsOfDeleted(db);
  const stored = async () => {
    const rows = await db.selectFrom('analytics_events').select('project_id').distinct().execute();
    return rows.map(({ project_id }) => project_id);
  };
  expect(await stored()).toContain(projectId);
  expect(await stored()).not.toContain(gone.projectId);
  await sql`UPDATE analytics_daily SET day = day - 800`.execute(db);
  await sql`UPDATE analytics_feedback SET created_at = created_at - interval '800 days'`.execute(db);
  await deleteOld(db, 730);
  for (const table of ['analytics_daily', 'analytics_feedback'] as const)
    expect(await db.selectFrom(table).selectAll().execute()).toEqual([]);
  const dropped = await dropPartitions(db, later, 31);
  expect(dropped.length).toBeGreaterThan(0);
  expect(await stored()).toEqual([]);
}, 60_000);
