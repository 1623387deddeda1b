/** Pull requests of all forges as deliveries: what is built, once, and what is not. */
import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { approveDeployment } from '../deployments/fork.ts';
import { createOrganization } from '../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { newId } from '../platform/ids.ts';
import { seal } from '../platform/secret.ts';
import { contextOf, createWebhookReceiver } from './webhook.ts';

const SECRET = 'whsec_c2VjcmV0';
const key = Buffer.alloc(32, 7);
const NONE = { free: 0, pro: 0, enterprise: 0 };
const adapters = {
  maxActiveExports: 100,
  quotas: { dailyExports: NONE, dailyAgentJobs: NONE, storageMb: NONE },
  previewDomain: 'previews.example.net',
  services: {},
  hasModel: false,
};
const projectId = newId('prj');
const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
let postgres: TestDatabase;
let database: OpenDatabase;
let deliveries = 0;

beforeAll(async () => {
  postgres = await createTestDatabase();
  database = openDatabase(postgres.url, { role: 'test', max: 4 });
  const { db } = database;
  const organizationId = (await createOrganization(db, { name: 'Acme', plan: 'enterprise' })).id;
  const of = { organization_id: organizationId, project_id: projectId };
  await db
    .insertInto('projects')
    .values({
      id: projectId,
      organization_id: organizationId,
      name: 'Docs',
      source_kind: 'git',
      repository: 'https://git.example.com/acme/docs.git',
      branch: 'main',
    })
    .execute();
  await db
    .insertInto('domains')
    .values({ ...of, domain: 'docs.example.com' })
    .execute();
  await db
    .insertInto('hosting')
    .values({ ...of, previews_enabled: true })
    .execute();
  await db
    .insertInto('automations')
    .values({
      ...of,
      webhook_enabled: true,
      webhook_secret_sealed: seal(key, SECRET, contextOf(projectId)),
    })
    .execute();
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
});
beforeEach(async () => {
  const { db } = database;
  await db.updateTable('sites').set({ deployment_id: null, export_id: null }).execute();
  await db.deleteFrom('deployments').execute();
  await db.deleteFrom('sites').execute();
  await db.updateTable('hosting').set({ previews_enabled: true }).execute();
});

interface Pull {
  action?: string;
  number?: number;
  head?: string;
  branch?: string;
  commit?: string;
  repository?: string;
}

/** As GitHub, Gitea and Forgejo send it. */
function pullRequest({ action = 'synchronize', number = 7, branch = 'topic', ...of }: Pull = {}) {
  const { head = 'acme/docs', commit = A, repository = 'acme/docs' } = of;
  return {
    action,
    number,
    repository: { full_name: repository, default_branch: 'main' },
    pull_request: {
      number,
      user: { login: 'mallory' },
      head: { ref: branch, sha: commit, repo: { full_name: head } },
      base: { ref: 'main', repo: { full_name: repository } },
    },
  };
}

const mergeRequest = (action: string, commit = A, source = 1) => ({
  object_kind: 'merge_request',
  user: { username: 'alice' },
  project: { path_with_namespace: 'acme/docs', default_branch: 'main' },
  object_attributes: {
    iid: 3,
    action,
    oldrev: B,
    source_branch: 'topic',
    target_branch: 'main',
    source_project_id: source,
    target_project_id: 1,
    last_commit: { id: commit },
    source: { path_with_namespace: source === 1 ? 'acme/docs' : 'mallory/docs' },
  },
});

const push = (commit: string) => ({
  ref: 'refs/heads/topic',
  after: commit,
  repository: { full_name: 'acme/docs', default_branch: 'main' },
});

function deliver(
  body: object,
  { event = 'pull_request', forge = 'github', id = `delivery-${++deliveries}`, secret = SECRET } = {},
) {
  const bytes = Buffer.from(JSON.stringify(body));
  const digest = createHmac('sha256', secret).update(bytes).digest('hex');
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    [`x-${forge}-event`]: event,
    [forge === 'gitlab' ? 'idempotency-key' : `x-${forge}-delivery`]: id,
    ...(forge === 'github' ? { 'x-hub-signature-256': `sha256=${digest}` } : {}),
    ...(forge === 'gitea' || forge === 'forgejo' ? { [`x-${forge}-signature`]: digest } : {}),
    ...(forge === 'gitlab' ? { 'x-gitlab-token': secret } : {}),
  };
  const receive = createWebhookReceiver({
    db: database.db,
    key,
    ...adapters,
  });
  const header = (name: string) => headers[name];
  return receive({ projectId, header, bytes: Readable.from([bytes]), address: '127.0.0.1' });
}

const builds = () =>
  database.db
    .selectFrom('deployments')
    .innerJoin('sites', 'sites.id', 'deployments.site_id')
    .select(['deployments.branch', 'pushed_commit', 'pull_request', 'created_by'])
    .select(sql<boolean>`sites.expires_at > now()`.as('isServed'))
    .orderBy('deployments.position')
    .execute();
/** A worker has taken every export. */
const start = () => database.db.updateTable('exports').set({ attempt: 1, status: 'running' }).execute();

test.each([
  ['GitHub', 'github', 'pull_request', pullRequest({ action: 'opened' }), 'GitHub: mallory', 7],
  ['Gitea', 'gitea', 'pull_request', pullRequest({ action: 'opened' }), 'Gitea: mallory', 7],
  ['Forgejo', 'forgejo', 'pull_request', pullRequest({ action: 'opened' }), 'Forgejo: mallory', 7],
  ['GitLab', 'gitlab', 'Merge Request Hook', mergeRequest('open'), 'GitLab: alice', 3],
])('%s: an opened pull request gets a preview, and the same delivery none again', async (...of) => {
  const [, forge, event, body, by, number] = of;
  const first = await deliver(body, { forge, event, id: `opened-${forge}` });
  expect(first).toMatchObject({
    outcome: 'started',
    message: expect.stringMatching(/^Started a preview of topic-[a-z2-9]{12}\.previews\.example\.net\.$/),
  });
  await start();
  const again = await deliver(body, { forge, event, id: `opened-${forge}` });
  expect(again).toMatchObject({
    message: expect.stringMatching(/already processed/),
    exportId: first.exportId,
  });
  expect(await builds()).toEqual([
    { branch: 'topic', pushed_commit: A, pull_request: number, created_by: by, isServed: true },
  ]);
});

test('a push and the event of its pull request build a commit once, in any order', async () => {
  await deliver(push(A), { event: 'push' });
  await start();
  const opened = await deliver(pullRequest({ action: 'opened' }));
  expect(opened).toMatchObject({ outcome: 'skipped', message: expect.stringMatching(/has this commit/) });
  expect(await builds()).toMatchObject([{ pushed_commit: A, pull_request: 7 }]);
  expect(await deliver(pullRequest({ commit: B }))).toMatchObject({ outcome: 'started' });
  await start();
  expect(await deliver(push(B), { event: 'push' })).toMatchObject({ outcome: 'skipped' });
  expect(await builds()).toMatchObject([{ pushed_commit: A }, { pushed_commit: B, pull_request: 7 }]);
  // Back to the first commit: that is not the newest one.
  expect(await deliver(push(A), { event: 'push' })).toMatchObject({ outcome: 'started' });
});

test('a push and its pull request at the same moment build a commit once', async () => {
  const replies = await Promise.all([
    deliver(push(A), { event: 'push' }),
    deliver(pullRequest({ action: 'opened' })),
  ]);
  expect(replies.map(({ outcome }) => outcome).sort()).toEqual(['skipped', 'started']);
  expect(await builds()).toHaveLength(1);
});

test('a branch whose export already contains the commit is not built for its event', async () => {
  await deliver(push(A), { event: 'push' });
  await start();
  await database.db.updateTable('exports').set({ commit: B }).execute();
  expect(await deliver(pullRequest({ commit: B }))).toMatchObject({ outcome: 'skipped' });
  expect(await builds()).toHaveLength(1);
});

test.each([
  ['GitHub', { event: 'pull_request', forge: 'github' }, pullRequest({ action: 'closed' })],
  ['GitLab', { event: 'Merge Request Hook', forge: 'gitlab' }, mergeRequest('merge')],
])(
  '%s: a closed pull request ends its preview, and a reopened one has it again',
  async (_name, how, closed) => {
    const isGitlab = how.forge === 'gitlab';
    const opened = (again: boolean) =>
      isGitlab
        ? mergeRequest(again ? 'reopen' : 'open')
        : pullRequest({ action: again ? 'reopened' : 'opened' });
    await deliver(opened(false), how);
    expect(await deliver(closed, how)).toMatchObject({
      outcome: 'skipped',
      message: expect.stringMatching(/^Pull request \d was (closed|merged)\. Its preview was deleted\.$/),
    });
    expect(await builds()).toMatchObject([{ isServed: false }]);
    await deliver(opened(true), how);
    expect(await builds()).toMatchObject([{ isServed: true }]);
  },
);

test('an earlier pull request of the branch does not end the preview of a later one', async () => {
  await deliver(pullRequest({ action: 'opened', number: 8 }));
  await deliver(pullRequest({ action: 'closed', number: 7 }));
  expect(await builds()).toMatchObject([{ isServed: true, pull_request: 8 }]);
});

const rows = () =>
  database.db
    .selectFrom('deployments')
    .leftJoin('exports', 'exports.id', 'deployments.export_id')
    .select(['deployments.id', 'deployments.status', 'pushed_commit', 'fork', 'approved_by'])
    .select(['deployments.organization_id', 'exports.ref_requested'])
    .orderBy('deployments.position')
    .execute();
const approve = async (id: string) => {
  const [row] = await rows();
  const target = { organizationId: row?.organization_id ?? '', projectId, id };
  await approveDeployment(database.db, adapters, target, 'ada');
};
const exportsOf = async (ref: string): Promise<number> =>
  (await database.db.selectFrom('exports').select('id').where('ref_requested', '=', ref).execute()).length;
const ofFork = (commit: string, action = 'synchronize') =>
  pullRequest({ action, number: 9, head: 'mallory/docs', commit });

test.each([
  ['GitHub', {}, ofFork(A, 'opened')],
  ['GitLab', { event: 'Merge Request Hook', forge: 'gitlab' }, mergeRequest('open', A, 2)],
])('%s: of a pull request of a fork nothing is read before a member approves its commit', async (...of) => {
  const [, how, body] = of;
  const before = await exportsOf(A);
  expect(await deliver(body, how)).toMatchObject({
    outcome: 'skipped',
    message: expect.stringMatching(/of the fork mallory\/docs waits for the approval of a member\.$/),
    exportId: null,
  });
  const [waiting] = await rows();
  expect(waiting).toMatchObject({ status: 'waiting', fork: 'mallory/docs', ref_requested: null });
  await approve(waiting?.id ?? '');
  // Exactly the approved commit, although the branch may have moved.
  expect(await rows()).toMatchObject([{ status: 'queued', approved_by: 'ada', ref_requested: A }]);
  // A second approval starts nothing.
  await approve(waiting?.id ?? '');
  expect(await exportsOf(A)).toBe(before + 1);
});

test('another commit of a fork needs another approval and replaces one that waits', async () => {
  await deliver(ofFork(A, 'opened'));
  const [first] = await rows();
  await deliver(ofFork(B));
  expect(await rows()).toMatchObject([{ status: 'waiting', pushed_commit: B }]);
  await expect(approve(first?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
  const [second] = await rows();
  await approve(second?.id ?? '');
  const C = 'c'.repeat(40);
  await deliver(ofFork(C));
  expect(await rows()).toMatchObject([
    { status: 'queued', pushed_commit: B },
    { status: 'waiting', pushed_commit: C, ref_requested: null, approved_by: null },
  ]);
  expect((await deliver(ofFork(C))).message).toMatch(/has a deployment of this commit/);
  expect(await rows()).toHaveLength(2);
});

test('a fork neither builds nor ends the preview of a branch with the same name', async () => {
  await deliver(pullRequest({ action: 'opened' }));
  const fork = { number: 7, head: 'mallory/docs', commit: B };
  await deliver(pullRequest({ action: 'opened', ...fork }));
  expect(await builds()).toMatchObject([
    { branch: 'topic', pushed_commit: A, isServed: true },
    { branch: 'mallory/docs:topic', pushed_commit: B },
  ]);
  await deliver(pullRequest({ action: 'closed', ...fork }));
  expect(await builds()).toMatchObject([{ isServed: true }, { isServed: false }]);
  const [own] = await rows();
  await expect(approve(own?.id ?? '')).rejects.toMatchObject({ code: 'not_waiting' });
});

test('pull requests of strangers that wait are limited, and do not use up the previews of the project', async () => {
  const open = (number: number) =>
    deliver(pullRequest({ action: 'opened', number, head: 'mallory/docs', branch: `topic-${number}` }));
  for (let number = 1; number <= 20; number++) await open(number);
  expect(await open(21)).toMatchObject({
    outcome: 'refused',
    message: expect.stringMatching(/20 pull requests of forks wait for approval/),
  });
  expect(await deliver(pullRequest({ action: 'opened', number: 22 }))).toMatchObject({ outcome: 'started' });
});

test('without previews, of the published branch and of another repository nothing is built', async () => {
  expect((await deliver(pullRequest({ branch: 'main' }))).message).toMatch(/is of main, which is published/);
  expect((await deliver(pullRequest({ repository: 'acme/other', head: 'acme/other' }))).message).toMatch(
    /not of the repository/,
  );
  expect((await deliver(pullRequest({ branch: '-x' }))).message).toMatch(/not valid/);
  await database.db.updateTable('hosting').set({ previews_enabled: false }).execute();
  expect((await deliver(pullRequest())).message).toMatch(/Turn previews on/);
  expect(await deliver(pullRequest({ head: 'mallory/docs' }))).toMatchObject({ outcome: 'skipped' });
  await expect(deliver(pullRequest(), { secret: 'whsec_b3RoZXI=' })).rejects.toMatchObject({
    code: 'signature_invalid',
  });
  expect(await builds()).toEqual([]);
});
