/** What commit and pull request show of a deployment in each of its states. */
import type { ChangeReport } from '@offprint/contract';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestExports, type TestExports } from '../exports/job.fixture.ts';
import type { CommitStatus, OwnComment } from '../platform/forge/feedback.ts';
import { AppError } from '../platform/http/error.ts';
import { newId } from '../platform/ids.ts';
import { type FeedbackAdapters, reportDeployment } from './feedback.ts';
import { correctStatuses } from './pending-status.ts';
import { presentDeployment } from './present.ts';
import { settleAll } from './settle.ts';
import { findDeployment } from './store.ts';
import { queueFeedback } from './task-store.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const { signal } = new AbortController();
let exports: TestExports;
let statuses: (CommitStatus & { commit: string })[] = [];
let comments: (OwnComment & { pullRequest: number })[] = [];

beforeAll(async () => {
  exports = await openTestExports();
});
afterAll(() => exports.close());
beforeEach(() => {
  statuses = [];
  comments = [];
});

const none: Pick<ChangeReport, 'checks' | 'pages' | 'links' | 'queries'> = {
  checks: [],
  pages: {
    added: [],
    removed: [],
    changed: [],
    edited: [],
    layout: [],
    undetermined: [],
    renamed: [],
    unchanged: 1,
  },
  links: { hasAnchors: true, total: 0, broken: [] },
  queries: [],
};

async function addSite(branch: string | null, pullRequest: number | null): Promise<string> {
  const id = newId('site');
  await exports.database.db
    .insertInto('sites')
    .values({
      id,
      organization_id: exports.organizationId,
      project_id: exports.projectId,
      branch,
      pull_request: pullRequest,
      label: branch === null ? null : `${branch}-${id.slice(-12)}`,
      expires_at: branch === null ? null : new Date(Date.now() + 600_000),
    })
    .execute();
  return id;
}

interface Row {
  position?: number;
  status?: 'waiting' | 'queued' | 'success' | 'failure';
  fork?: string;
  error?: string | null;
  pushed?: string | null;
  commit?: string | null;
}
async function addDeployment(siteId: string, row: Row = {}): Promise<string> {
  const { position = 1, status = 'queued', error = null, pushed = A, commit = null } = row;
  const id = newId('dep');
  await exports.database.db
    .insertInto('deployments')
    .values({
      id,
      organization_id: exports.organizationId,
      project_id: exports.projectId,
      site_id: siteId,
      position,
      status,
      error,
      pushed_commit: pushed,
      commit,
      fork: row.fork ?? null,
      export_id: status === 'waiting' ? null : await exports.start(),
      source: 'github',
      created_by: 'test',
    })
    .execute();
  return id;
}

function adaptersOf(changes: Partial<FeedbackAdapters> = {}): FeedbackAdapters {
  return {
    db: exports.database.db,
    previewDomain: 'previews.example.net',
    publicUrl: 'https://offprint.example.com/',
    markerKey: Buffer.alloc(32, 1),
    openFeedback: async () => ({
      setCommitStatus: async (commit, status) => {
        statuses.push({ commit, ...status });
      },
      putComment: async (pullRequest, comment) => {
        comments.push({ pullRequest, ...comment });
        return 'created';
      },
    }),
    report: async () => ({ jobId: 'se_1', since: 'se_0', failed: false, ...none }),
    ...changes,
  };
}

function run(deploymentId: string, changes: Partial<FeedbackAdapters> = {}): Promise<void> {
  const of = {
    organization_id: exports.organizationId,
    project_id: exports.projectId,
    deployment_id: deploymentId,
  };
  return reportDeployment(adaptersOf(changes), of, signal);
}

test('a preview that is exported is pending, and one that failed shows the reason as code', async () => {
  const site = await addSite('topic', 7);
  const id = await addDeployment(site);
  await run(id);
  expect(statuses).toMatchObject([
    {
      commit: A,
      state: 'pending',
      context: 'offprint/preview (Docs)',
      url: expect.stringMatching(/^https:\/\/offprint\.example\.com\/org_.*\/exports\/se_/),
    },
  ]);
  expect(comments).toMatchObject([{ pullRequest: 7, body: expect.stringMatching(/in progress/) }]);
  const error = 'docs.json: `name`\n@everyone <img src=x>';
  await exports.database.db
    .updateTable('deployments')
    .set({ status: 'failure', error, commit: B })
    .where('id', '=', id)
    .execute();
  await run(id);
  const failed = { state: 'failure', description: error };
  expect(statuses.slice(1), 'the commit of the event, and the one that was exported').toMatchObject([
    { commit: A, ...failed },
    { commit: B, ...failed },
  ]);
  expect(comments[1]?.body.split('\n\n')[1]).toBe("`docs.json: 'name' @everyone <img src=x>`");
  expect(comments[1]?.marker).toBe(comments[0]?.marker);
});

test('only the newest deployment of a preview writes the comment, and only with a pull request', async () => {
  const site = await addSite('other', 8);
  const [old, current] = [
    await addDeployment(site, { position: 1, status: 'success' }),
    await addDeployment(site, { position: 2, status: 'success', pushed: B }),
  ];
  await run(old);
  expect([statuses.map(({ commit }) => commit), comments]).toEqual([[A], []]);
  await run(current);
  expect(comments).toMatchObject([{ pullRequest: 8, body: expect.stringMatching(/ready/) }]);
  await run(await addDeployment(await addSite('alone', null), { status: 'success' }));
  expect(comments).toHaveLength(1);
  expect(statuses.at(-1)).toMatchObject({
    state: 'success',
    url: expect.stringMatching(/^https:\/\/alone-.*\.previews\.example\.net$/),
  });
});

test('a report that fails makes the status fail, and one that cannot be made leaves it', async () => {
  const { db } = exports.database;
  const production = await addSite(null, null);
  const live = await addDeployment(production, { status: 'success', commit: A });
  const { export_id: exportId } = await db
    .selectFrom('deployments')
    .select('export_id')
    .where('id', '=', live)
    .executeTakeFirstOrThrow();
  await db
    .updateTable('sites')
    .set({ deployment_id: live, export_id: exportId })
    .where('id', '=', production)
    .execute();
  const id = await addDeployment(await addSite('checked', 9), { status: 'success' });
  const seen: string[] = [];
  await run(id, {
    report: async ({ since }) => {
      seen.push(since);
      const checks = [{ check: 'queries' as const, level: 'fail' as const, found: 2 }];
      return { jobId: 'se_1', since, failed: true, ...none, checks };
    },
  });
  expect(seen).toEqual([exportId]);
  expect(statuses).toMatchObject([{ state: 'failure', description: 'queries: 2 (fail).' }]);
  expect(comments[0]?.body).toMatch(/^### Preview of `Docs`: failed/);
  await run(id, { report: () => Promise.reject(new AppError('artifact_lost', 'It is lost.')) });
  expect(statuses.at(-1)).toMatchObject({ state: 'success' });
  await expect(run(id, { report: () => Promise.reject(new Error('outage')) })).rejects.toThrow('outage');
  // An update has no status before its end, and no comment.
  const before = statuses.length;
  await run(await addDeployment(production, { position: 2 }));
  expect(statuses).toHaveLength(before);
  await run(await addDeployment(production, { position: 3, status: 'failure', error: 'Broken.' }));
  expect(statuses.at(-1)).toMatchObject({
    context: 'offprint/production (Docs)',
    state: 'failure',
    description: 'Broken.',
  });
  expect(comments).toHaveLength(2);
});

test('nothing is sent without a forge and of a preview that is over', async () => {
  const site = await addSite('gone', 10);
  const id = await addDeployment(site);
  await run(id, { openFeedback: async () => null });
  await exports.database.db
    .updateTable('sites')
    .set({ expires_at: sql<Date>`now()` })
    .where('id', '=', site)
    .execute();
  await run(id);
  expect([statuses, comments]).toEqual([[], []]);
});

test('feedback is queued only for a project with a forge, also for an export that was deleted', async () => {
  const { db } = exports.database;
  const { organizationId, projectId } = exports;
  const site = await addSite('queued', 11);
  const id = await addDeployment(site);
  const of = { id, organization_id: organizationId, project_id: projectId, site_id: site };
  const queued = async () =>
    (await db.selectFrom('deployment_tasks').select(['deployment_id', 'lane']).execute()).filter(
      ({ deployment_id: deployment }) => deployment === id,
    );
  await db.transaction().execute((tx) => queueFeedback(tx, of));
  expect(await queued()).toEqual([]);
  await db
    .insertInto('agent_settings')
    .values({ project_id: projectId, organization_id: organizationId, forge: '{"kind":"github"}' })
    .execute();
  await db.updateTable('deployments').set({ export_id: null }).where('id', '=', id).execute();
  await settleAll(db);
  expect(await queued()).toEqual([{ deployment_id: id, lane: `feedback/${site}` }]);
});

test('a commit of a fork is pending until a member approves it, with the way to the project', async () => {
  const id = await addDeployment(await addSite('fork:topic', 12), {
    status: 'waiting',
    fork: 'mallory/docs',
  });
  await run(id);
  expect(statuses).toMatchObject([
    {
      commit: A,
      state: 'pending',
      description: expect.stringMatching(/waits for approval/),
      url: expect.stringMatching(/^https:\/\/offprint\.example\.com\/org_.*\/projects\/prj_/),
    },
  ]);
  expect(comments[0]?.body).toMatch(/^### Preview of `Docs`: waits for approval[\s\S]*Commit `aaaaaaaaaaaa/);
});

const pending = () =>
  exports.database.db.selectFrom('commit_statuses').select(['commit', 'attempts']).execute();
/** The sweep, as if every status were due. */
async function sweep(changes: Partial<FeedbackAdapters> = {}): Promise<void> {
  await exports.database.db.updateTable('commit_statuses').set({ next_at: sql<Date>`now()` }).execute();
  await correctStatuses({ ...adaptersOf(changes), log: pino({ level: 'silent' }) }, signal);
}

test('a status that stays pending is corrected: after a lost task, of a newer commit, of a deleted preview', async () => {
  const { db } = exports.database;
  await db.deleteFrom('commit_statuses').execute();
  const site = await addSite('stale', 13);
  const id = await addDeployment(site);
  await run(id);
  expect(await pending()).toEqual([{ commit: A, attempts: 0 }]);
  await sweep();
  expect(statuses, 'it is in progress').toHaveLength(1);
  // Its end was never reported.
  await db
    .updateTable('deployments')
    .set({ status: 'failure', error: 'Broken.' })
    .where('id', '=', id)
    .execute();
  await sweep({ openFeedback: () => Promise.reject(new Error('outage')) });
  expect(await pending()).toEqual([{ commit: A, attempts: 1 }]);
  await sweep();
  expect(statuses.at(-1)).toMatchObject({ commit: A, state: 'failure', description: 'Broken.' });
  expect(await pending()).toEqual([]);

  const next = await addDeployment(site, { position: 2 });
  await run(next);
  await db.updateTable('deployments').set({ pushed_commit: B }).where('id', '=', next).execute();
  await sweep();
  expect(statuses.at(-1)).toMatchObject({
    commit: A,
    state: 'failure',
    description: expect.stringMatching(/newer commit/),
  });
  await run(next);
  await db.updateTable('sites').set({ expires_at: sql<Date>`now()` }).where('id', '=', site).execute();
  await sweep();
  expect(statuses.at(-1)).toMatchObject({
    commit: B,
    state: 'failure',
    description: expect.stringMatching(/was deleted/),
  });
  expect(await pending()).toEqual([]);
});

test('a deployment says whether the forge shows its result', async () => {
  const { db } = exports.database;
  const { organizationId, projectId } = exports;
  const site = await addSite('shown', 14);
  const id = await addDeployment(site, { status: 'success' });
  const read = async () => {
    const row = await findDeployment(db, organizationId, id);
    return row === undefined ? row : presentDeployment(row, { host: null, previewDomain: null }).feedback;
  };
  const of = { id, organization_id: organizationId, project_id: projectId, site_id: site };
  const end = async (state: 'queued' | 'completed' | 'failed', error: string | null) => {
    await db.updateTable('deployment_tasks').set({ state, error }).where('deployment_id', '=', id).execute();
    return read();
  };
  expect(await read()).toBeNull();
  await db.transaction().execute((tx) => queueFeedback(tx, of));
  expect(await read()).toEqual({ state: 'pending', error: null });
  expect(await end('queued', 'The forge does not respond.')).toEqual({
    state: 'pending',
    error: 'The forge does not respond.',
  });
  expect(await end('failed', 'The token is expired.')).toEqual({
    state: 'failed',
    error: 'The token is expired.',
  });
  expect(await end('completed', null)).toEqual({ state: 'sent', error: null });
});
