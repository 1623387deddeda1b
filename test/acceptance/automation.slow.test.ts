/** Pushes and schedules that start exports. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError, follow } from './api.ts';

const COMMIT = 'c0ffee'.padEnd(40, '0');
const REPOSITORY = 'https://github.com/acme/docs.git';

interface Answered {
  outcome: string;
  message: string;
  exportId: string | null;
}
interface Triggers {
  data: { kind: string; outcome: string; message: string; exportId: string | null; event: string | null }[];
  nextCursor: string | null;
}

let platform: TestPlatform;
let tenant: Tenant;
let projectId: string;
let domain: string;
let secret: string;
let deliveries = 0;

const ask = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  key = tenant.key,
) => call<Body>(platform.url, method, path, { key, body });

const push = (changes: Record<string, unknown> = {}) => ({
  ref: 'refs/heads/main',
  after: COMMIT,
  repository: { full_name: 'acme/docs', clone_url: REPOSITORY, default_branch: 'main' },
  pusher: { name: 'alice' },
  ...changes,
});

const digest = (body: string, key = secret) => createHmac('sha256', key).update(body).digest('hex');

/** One delivery as GitHub makes it. */
function deliver(
  payload: unknown,
  options: { id?: string; event?: string; headers?: Record<string, string>; to?: string } = {},
) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  deliveries += 1;
  const headers = options.headers ?? {
    'x-github-event': options.event ?? 'push',
    'x-github-delivery': options.id ?? `delivery-${deliveries}`,
    'x-hub-signature-256': `sha256=${digest(body)}`,
  };
  return call<Answered>(platform.url, 'POST', `/v1/webhooks/${options.to ?? projectId}`, {
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

const exportsOf = async (of = domain) =>
  (await ask<{ data: Record<string, unknown>[] }>('GET', `/v1/static-export/jobs?domain=${of}`)).body.data;

const automate = async (id: string, body: Record<string, unknown>) => {
  const reply = await ask('PUT', `/v1/projects/${id}/automation`, body);
  expect(reply.status, reply.text).toBe(200);
};
const newSecret = async (id: string) =>
  (await ask<{ secret: string }>('POST', `/v1/projects/${id}/automation/secret`, {})).body.secret;

beforeAll(async () => {
  // Without a worker, so that what is queued stays queued.
  platform = await startTestPlatform({ roles: ['api'], env: { OFFPRINT_ANONYMOUS_RATE_LIMIT: '100000' } });
});
afterAll(() => platform.stop());

beforeEach(async () => {
  tenant = await platform.createTenant();
  ({ projectId, domain } = await createProject(platform.url, tenant.key, {
    kind: 'git',
    repository: REPOSITORY,
    branch: 'main',
  }));
  await automate(projectId, { webhook: { enabled: true } });
  secret = await newSecret(projectId);
});

describe('PUT /v1/projects/{projectId}/automation', () => {
  test('200: replaces everything but the secret, which is shown once and stored sealed', async () => {
    const path = `/v1/projects/${projectId}/automation`;
    const schedule = { cron: '0 6 * * 1-5', timeZone: 'Europe/Berlin' };
    const set = await ask('PUT', path, { domain, webhook: { enabled: true, branch: 'release' }, schedule });
    expect(set.body).toEqual({
      domain,
      webhook: {
        enabled: true,
        url: `${platform.url}/v1/webhooks/${projectId}`,
        branch: 'release',
        hasSecret: true,
      },
      schedule: { ...schedule, nextAt: expect.stringMatching(/T0[45]:00:00\.000Z$/) },
    });
    expect((await ask('GET', path)).body).toEqual(set.body);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await ask('PUT', path, {})).body).toMatchObject({
      webhook: { enabled: false, hasSecret: true },
      schedule: null,
    });
    const row = await platform.database.db
      .selectFrom('automations')
      .selectAll()
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(row.webhook_secret_sealed?.includes(secret)).toBe(false);
    expect(platform.log()).not.toContain(secret);
  });

  test.each([
    ['a domain of nobody', { domain: 'other.example.com' }, '/domain'],
    ['four fields', { schedule: { cron: '0 6 * *' } }, '/schedule/cron'],
    ['every minute', { schedule: { cron: '* * * * *' } }, '/schedule/cron'],
    ['30 February', { schedule: { cron: '0 0 30 2 *' } }, '/schedule/cron'],
    ['a zone of nowhere', { schedule: { cron: '0 6 * * *', timeZone: 'Mars/Base' } }, '/schedule/timeZone'],
  ])('400 invalid_request: %s', async (_name, body, param) => {
    expectError(
      await ask('PUT', `/v1/projects/${projectId}/automation`, body),
      400,
      'invalid_request',
      param,
    );
  });

  test('409 source_kind_mismatch: pushes to an upload; 404: the project of another organization', async () => {
    const upload = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const body = { webhook: { enabled: true } };
    expectError(
      await ask('PUT', `/v1/projects/${upload.projectId}/automation`, body),
      409,
      'source_kind_mismatch',
    );
    const { key } = await platform.createTenant();
    for (const [method, path] of [
      ['PUT', 'automation'],
      ['GET', 'automation'],
      ['POST', 'automation/secret'],
      ['GET', 'triggers'],
    ] as const) {
      const reply = await ask(
        method,
        `/v1/projects/${projectId}/${path}`,
        method === 'GET' ? undefined : {},
        key,
      );
      expectError(reply, 404, 'not_found');
    }
  });
});

describe('POST /v1/webhooks/{projectId}', () => {
  test('202: a push starts one export, however often it is delivered', async () => {
    const [one, two] = await Promise.all([deliver(push(), { id: 'same' }), deliver(push(), { id: 'same' })]);
    const again = await deliver(push(), { id: 'same' });
    for (const reply of [one, two, again]) expect(reply.status, reply.text).toBe(202);
    const jobs = await exportsOf();
    expect(jobs).toMatchObject([
      { trigger: 'webhook', createdBy: 'GitHub: alice', status: 'queued', projectId },
    ]);
    expect([one, two, again].map(({ body }) => body.exportId)).toEqual(Array(3).fill(jobs[0]?.jobId));
    expect(again.body.message).toMatch(/^This delivery was already processed/);
    const audit = await platform.database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('organization_id', '=', tenant.organizationId)
      .where('action', '=', 'startExport')
      .execute();
    expect(audit).toMatchObject([
      { actor_kind: 'webhook', actor_name: 'GitHub: alice', target: jobs[0]?.jobId, outcome: 'done' },
    ]);
    const other = await deliver(push());
    expect(other.body).toMatchObject({ outcome: 'skipped', exportId: jobs[0]?.jobId });
    expect(other.body.message).toMatch(/already queued/);
    expect(await exportsOf()).toHaveLength(1);
  });

  test('202: a push waits for no queued export with other options, or of another project', async () => {
    const start = async (options: Record<string, unknown>) => {
      const body = { domain, options };
      return (await ask<{ jobId: string }>('POST', '/v1/static-export/jobs', body)).body.jobId;
    };
    await start({ groups: ['staff'] });
    await start({ includeUnlisted: false });
    const earlier = await start({});
    // The domain was another project's when that one was started.
    const other = await createProject(platform.url, tenant.key, { kind: 'upload' });
    await platform.database.db
      .updateTable('exports')
      .set({ project_id: other.projectId })
      .where('id', '=', earlier)
      .execute();
    const { body } = await deliver(push());
    expect(body).toMatchObject({ outcome: 'started' });
    expect((await deliver(push())).body).toMatchObject({ outcome: 'skipped', exportId: body.exportId });
  });

  test('202: events other than pushes to the branch are ignored with the reason, and listed', async () => {
    const cases: [reason: RegExp, payload: unknown, event?: string][] = [
      [/works/, { zen: 'Keep it simple.' }, 'ping'],
      [/event issues/, push(), 'issues'],
      [/a tag/, push({ ref: 'refs/tags/v1' })],
      [/push is to feature; pushes to main/, push({ ref: 'refs/heads/feature' })],
      [/was deleted/, push({ after: '0'.repeat(40), deleted: true })],
      [/not to the repository/, push({ repository: { full_name: 'acme/other' } })],
    ];
    for (const [reason, payload, event] of cases) {
      const reply = await deliver(payload, event === undefined ? {} : { event });
      expect(reply.status, reply.text).toBe(202);
      expect(reply.body).toMatchObject({ outcome: 'skipped', exportId: null });
      expect(reply.body.message).toMatch(reason);
    }
    expect(await exportsOf()).toEqual([]);
    const path = `/v1/projects/${projectId}/triggers?limit=4`;
    const first = (await ask<Triggers>('GET', path)).body;
    const rest = (await ask<Triggers>('GET', `${path}&cursor=${first.nextCursor}`)).body;
    const listed = [...first.data, ...rest.data].reverse();
    expect(listed).toHaveLength(cases.length);
    for (const [index, [reason]] of cases.entries()) expect(listed[index]?.message).toMatch(reason);
    expect(rest.nextCursor).toBeNull();
    expectError(await ask('GET', '/v1/projects/x/triggers?cursor=!'), 404, 'not_found');
    expectError(await ask('GET', `${path}&cursor=!`), 400, 'invalid_request', 'cursor');
  });

  test('202: every forge, as it signs', async () => {
    const body = JSON.stringify(push());
    const form = new URLSearchParams({ payload: body }).toString();
    const time = String(Math.floor(Date.now() / 1000));
    const standard = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(`msg_1.${time}.${body}`)
      .digest('base64');
    const gitlab = JSON.stringify({
      object_kind: 'push',
      ref: 'refs/heads/main',
      after: COMMIT,
      user_username: 'alice',
      project: { path_with_namespace: 'acme/docs', default_branch: 'main' },
    });
    const sent: [by: string, body: string, headers: Record<string, string>][] = [
      [
        'Gitea: alice',
        body,
        { 'x-gitea-event': 'push', 'x-gitea-delivery': 'a', 'x-gitea-signature': digest(body) },
      ],
      [
        'Forgejo: alice',
        body,
        { 'x-forgejo-event': 'push', 'x-forgejo-delivery': 'b', 'x-forgejo-signature': digest(body) },
      ],
      ['GitLab: alice', gitlab, { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': secret }],
      [
        'GitLab: alice',
        body,
        {
          'x-gitlab-event': 'Push Hook',
          'webhook-id': 'msg_1',
          'webhook-timestamp': time,
          'webhook-signature': `v1,${standard}`,
        },
      ],
      [
        'GitHub: alice',
        form,
        {
          'content-type': 'application/x-www-form-urlencoded',
          'x-github-event': 'push',
          'x-github-delivery': 'form',
          'x-hub-signature-256': `sha256=${digest(form)}`,
        },
      ],
    ];
    for (const [by, text, headers] of sent) {
      const reply = await deliver(text, { headers });
      expect(reply.body, `${by} ${reply.text}`).toMatchObject({ outcome: 'started' });
      const [job] = await exportsOf();
      expect(job).toMatchObject({ jobId: reply.body.exportId, createdBy: by });
      await ask('POST', `/v1/static-export/jobs/${job?.jobId}/cancel`, {});
    }
  });

  test('401 signature_invalid: the same for a stranger of every kind, and nothing is written', async () => {
    const body = JSON.stringify(push());
    const other = await createProject(platform.url, tenant.key, { kind: 'git', repository: REPOSITORY });
    const bare = await deliver(push(), { to: other.projectId });
    const otherSecret = await newSecret(other.projectId);
    const wrong = await Promise.all([
      deliver(push(), { to: `prj_${'0'.repeat(32)}` }),
      deliver(push(), { to: 'nothing' }),
      deliver(push(), { to: other.projectId }),
      deliver(push(), { headers: {} }),
      deliver(push(), { headers: { 'x-hub-signature-256': `sha256=${digest(body, otherSecret)}` } }),
      deliver(push(), { headers: { 'x-hub-signature': digest(body) } }),
      deliver(push(), { headers: { 'x-gitlab-token': secret.slice(0, -1) } }),
      // Its own secret, but the webhook is off.
      deliver(push(), {
        to: other.projectId,
        headers: { 'x-hub-signature-256': `sha256=${digest(body, otherSecret)}` },
      }),
    ]);
    const old = secret;
    secret = await newSecret(projectId);
    const replaced = await deliver(push(), {
      headers: { 'x-hub-signature-256': `sha256=${digest(body, old)}` },
    });
    const all = [bare, ...wrong, replaced];
    for (const reply of all) expectError(reply, 401, 'signature_invalid');
    expect(new Set(all.map(({ text }) => text.replace(/req_[0-9a-f]{32}/, ''))).size).toBe(1);
    expect((await ask<Triggers>('GET', `/v1/projects/${projectId}/triggers`)).body.data).toEqual([]);
    expect(await exportsOf()).toEqual([]);
    expect((await deliver(push())).body.outcome).toBe('started');
  });

  test('413, 415, 400: too large, of another type, signed nonsense', async () => {
    const large = JSON.stringify(push({ padding: 'x'.repeat(1_000_001) }));
    expectError(await deliver(large), 413, 'body_too_large');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expectError(await deliver(`payload=${large}`, { headers: form }), 413, 'body_too_large');
    expectError(
      await deliver(push(), { headers: { 'content-type': 'text/plain' } }),
      415,
      'unsupported_media_type',
    );
    expectError(await deliver('[1]'), 400, 'invalid_json');
    expectError(await deliver('\u00ff{'), 400, 'invalid_json');
  });

  test('202 refused: the plan lacks exports; the same delivery may come again when it has them', async () => {
    const plan = (name: 'pro' | 'enterprise') =>
      platform.database.db
        .updateTable('organizations')
        .set({ plan: name })
        .where('id', '=', tenant.organizationId)
        .execute();
    await plan('pro');
    const refused = await deliver(push(), { id: 'again' });
    expect(refused.body).toMatchObject({ outcome: 'refused', exportId: null });
    expect(refused.body.message).toMatch(/enterprise plan/);
    await plan('enterprise');
    expect((await deliver(push(), { id: 'again' })).body).toMatchObject({ outcome: 'started' });
    const audit = await platform.database.db
      .selectFrom('audit_events')
      .select(['outcome', 'code'])
      .where('organization_id', '=', tenant.organizationId)
      .where('actor_kind', '=', 'webhook')
      .orderBy('id')
      .execute();
    expect(audit).toEqual([
      { outcome: 'refused', code: 'plan_required' },
      { outcome: 'done', code: null },
    ]);
    const list = (await ask<Triggers>('GET', `/v1/projects/${projectId}/triggers`)).body.data;
    expect(list).toMatchObject([{ outcome: 'started', event: 'push' }]);
  });
});

describe('a schedule', () => {
  /** Moves the time of a schedule into the past. */
  const makeDue = async (id: string) =>
    platform.database.db
      .updateTable('automations')
      .set({ next_at: sql<Date>`date_trunc('minute', now()) - interval '3 days'` })
      .where('project_id', '=', id)
      .execute();

  test('starts one export however many workers look and times were missed; a refused one stays', async () => {
    const starter = await createProject(platform.url, tenant.key, { kind: 'upload', starter: true });
    // Twelve hours from now: no regular time of the schedule comes while the test runs.
    const schedule = { cron: `0 ${(new Date().getUTCHours() + 12) % 24} * * *` };
    await automate(starter.projectId, { schedule });
    const poor = await platform.createTenant('pro');
    const free = await createProject(platform.url, poor.key, { kind: 'upload', starter: true });
    const set = await ask('PUT', `/v1/projects/${free.projectId}/automation`, { schedule }, poor.key);
    expect(set.status, set.text).toBe(200);
    await makeDue(starter.projectId);
    await makeDue(free.projectId);
    platform.start(['worker']);
    platform.start(['worker']);
    const triggersOf = async (id: string, key: string) =>
      (await ask<Triggers>('GET', `/v1/projects/${id}/triggers`, undefined, key)).body.data;
    while ((await triggersOf(free.projectId, poor.key)).length === 0) await sleep(100);
    while ((await triggersOf(starter.projectId, tenant.key)).length === 0) await sleep(100);
    const jobs = await exportsOf(starter.domain);
    expect(jobs).toMatchObject([{ trigger: 'schedule', createdBy: `schedule ${schedule.cron}` }]);
    const [trigger, ...more] = await triggersOf(starter.projectId, tenant.key);
    expect(trigger).toMatchObject({ kind: 'schedule', outcome: 'started', exportId: jobs[0]?.jobId });
    expect(more).toEqual([]);
    const done = await follow(platform.url, tenant.key, String(jobs[0]?.jobId), 200);
    expect(done.at(-1), done.at(-1)?.error).toMatchObject({ status: 'completed', pageCount: 6, warnings: 0 });

    expect(await triggersOf(free.projectId, poor.key)).toMatchObject([
      { outcome: 'refused', message: expect.stringMatching(/enterprise plan/) },
    ]);
    for (const [id, key] of [
      [starter.projectId, tenant.key],
      [free.projectId, poor.key],
    ]) {
      const { body } = await ask<{ schedule: { nextAt: string } }>(
        'GET',
        `/v1/projects/${id}/automation`,
        undefined,
        key,
      );
      expect(Date.parse(body.schedule.nextAt)).toBeGreaterThan(Date.now());
    }
  });
});
