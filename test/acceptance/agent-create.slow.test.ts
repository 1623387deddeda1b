/** `POST /v2/agent/{projectId}/job` and `.../message`, by status. No worker runs here: states are as the tests set them. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { type AgentJobBody, createGitProject, createJob, MODEL_ENV, REPOSITORY, setJob } from './agent.ts';
import { call, createProject, expectError } from './api.ts';

let platform: TestPlatform;
let tenant: Tenant;
let projectId: string;

const ask = <Body = AgentJobBody>(method: string, path: string, options: Parameters<typeof call>[3] = {}) =>
  call<Body>(platform.url, method, path, { key: tenant.key, ...options });
const create = (body: unknown, options: Parameters<typeof call>[3] = {}) =>
  ask('POST', `/v2/agent/${projectId}/job`, { body, ...options });
const send = (id: string, body: unknown, options: Parameters<typeof call>[3] = {}) =>
  ask('POST', `/v2/agent/${projectId}/job/${id}/message`, { body, ...options });
const jobCount = async (project = projectId) => {
  const { count } = await platform.database.db
    .selectFrom('agent_jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', project)
    .executeTakeFirstOrThrow();
  return Number(count);
};
const rowOf = (id: string) =>
  platform.database.db.selectFrom('agent_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const promptsOf = (id: string) =>
  platform.database.db
    .selectFrom('agent_messages')
    .select(['prompt', 'delivered_seq'])
    .where('job_id', '=', id)
    .orderBy('id')
    .execute();
const queuedOf = (id: string) =>
  platform.database.db
    .selectFrom('jobs')
    .select(['kind', 'lane', 'attempt', 'worker', sql<boolean>`run_at <= clock_timestamp()`.as('isDue')])
    .where('id', '=', id)
    .execute();
const QUEUED = { kind: 'agent', attempt: 0, worker: null, isDue: true };

beforeAll(async () => {
  platform = await startTestPlatform({ roles: ['api'], env: MODEL_ENV });
  tenant = await platform.createTenant();
});
beforeEach(async () => {
  projectId = await createGitProject(platform.url, tenant.key);
});
afterAll(() => platform.stop());

describe('POST /v2/agent/{projectId}/job', () => {
  test('201: an active job with its address, its prompt and one place in the queue', async () => {
    const prompt = '  Explain rate limits.\nWith an example.';
    const reply = await create({ prompt });
    expect(reply.status, reply.text).toBe(201);
    const { id } = reply.body;
    expect(id).toMatch(/^job_[0-9a-f]{32}$/);
    expect(reply.headers.get('location')).toBe(`/v2/agent/${projectId}/job/${id}`);
    expect(reply.headers.get('retry-after')).toBe('2');
    expect(reply.body).toMatchObject({
      status: 'active',
      source: { repository: REPOSITORY, ref: null },
      model: 'test-model',
      prLink: null,
      archivedAt: null,
      title: 'Explain rate limits.',
      summary: null,
      needsInput: null,
      failure: null,
      stopped: null,
      todos: [],
      checks: null,
      pullRequests: [],
      usage: { modelCalls: 0, inputTokens: 0, outputTokens: 0, costUsd: null },
    });
    expect((await ask('GET', reply.headers.get('location')!)).body).toEqual(reply.body);
    expect(await promptsOf(id)).toEqual([{ prompt, delivered_seq: null }]);
    const row = await rowOf(id);
    expect(row).toMatchObject({ phase: 'queued', attempt: 0, turn: 1, last_seq: 1 });
    expect(row.created_by).toMatch(/^key_/);
    expect(await queuedOf(id)).toEqual([{ ...QUEUED, lane: projectId }]);
  });

  test('201: branch, base branch and draft are kept for the worker, which fixes the branch', async () => {
    const body = { prompt: 'x', branch: 'feature/limits', baseBranch: 'develop', draft: true };
    const reply = await create(body);
    expect(reply.status, reply.text).toBe(201);
    expect(reply.body.source.ref).toBeNull();
    expect(await rowOf(reply.body.id)).toMatchObject({
      branch_requested: 'feature/limits',
      base_branch_requested: 'develop',
      draft: true,
      branch: null,
    });
  });

  test('201: an SSH address in scp syntax is returned as a URL', async () => {
    const scp = await createGitProject(platform.url, tenant.key, {
      repository: 'git@git.example.com:acme/docs.git',
    });
    const job = await createJob(platform.url, tenant.key, scp);
    expect(job.source.repository).toBe('ssh://git@git.example.com/acme/docs.git');
  });

  test('201: 64,000 characters, and text that a database refuses', async () => {
    expect((await create({ prompt: '\u{1F600}'.repeat(64_000) })).status).toBe(201);
    const odd = await create({ prompt: 'a\u0000b \ud800 c' });
    expect(odd.status, odd.text).toBe(201);
    expect((await promptsOf(odd.body.id))[0]?.prompt).toBe('a\ufffdb \ufffd c');
  });

  test('201: pro and enterprise have it', async () => {
    for (const plan of ['pro', 'enterprise'] as const) {
      const { key } = await platform.createTenant(plan);
      const project = await createGitProject(platform.url, key);
      expect((await createJob(platform.url, key, project)).status).toBe('active');
    }
  });

  test.each([
    [{}, '/prompt'],
    [{ prompt: '' }, '/prompt'],
    [{ prompt: ' \n ' }, '/prompt'],
    [{ prompt: 'x'.repeat(64_001) }, '/prompt'],
    [{ prompt: ['x'] }, '/prompt'],
    [{ prompt: 'x', messages: [] }, '/messages'],
    [{ prompt: 'x', branch: 'a..b' }, '/branch'],
    [{ prompt: 'x', branch: '-x' }, '/branch'],
    [{ prompt: 'x', baseBranch: 'a b' }, '/baseBranch'],
    [{ prompt: 'x', branch: 'main', baseBranch: 'main' }, '/branch'],
    [{ prompt: 'x', draft: 'yes' }, '/draft'],
    [{ prompt: 'x', model: '' }, '/model'],
    [{ prompt: 'x', model: 'another-model' }, '/model'],
  ])('400 invalid_request: %j', async (body, param) => {
    expectError(await create(body), 400, 'invalid_request', param);
    expect(await jobCount()).toBe(0);
  });

  test('400 invalid_request: the published branch of the project', async () => {
    const published = await createGitProject(platform.url, tenant.key, { branch: 'trunk' });
    const body = { prompt: 'x', branch: 'trunk' };
    const reply = await ask('POST', `/v2/agent/${published}/job`, { body });
    expectError(reply, 400, 'invalid_request', '/branch');
  });

  test('400 invalid_json, 413 body_too_large and 415 unsupported_media_type', async () => {
    const headers = { 'content-type': 'application/json' };
    expectError(await create('{"prompt":', { headers }), 400, 'invalid_json');
    expectError(await create({ prompt: 'x'.repeat(1_000_001) }), 413, 'body_too_large');
    expectError(
      await create('prompt=x', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      415,
      'unsupported_media_type',
    );
  });

  test('401 unauthorized: no key and a wrong one', async () => {
    expectError(await create({ prompt: 'x' }, { key: undefined }), 401, 'unauthorized');
    expectError(await create({ prompt: 'x' }, { key: `offprint_${'0'.repeat(38)}` }), 401, 'unauthorized');
  });

  test('403 scope_missing: a read key', async () => {
    const key = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
    expectError(await create({ prompt: 'x' }, { key }), 403, 'scope_missing');
  });

  test('403 plan_required: the free plan', async () => {
    const { key } = await platform.createTenant('free');
    const project = await createGitProject(platform.url, key);
    const reply = await ask('POST', `/v2/agent/${project}/job`, { key, body: { prompt: 'x' } });
    expectError(reply, 403, 'plan_required');
    expect(await jobCount(project)).toBe(0);
  });

  test('404 not_found: a project of another organization is as one that never was', async () => {
    const stranger = await platform.createTenant();
    const foreign = await create({ prompt: 'x' }, { key: stranger.key });
    const unknown = await ask('POST', `/v2/agent/prj_${'0'.repeat(32)}/job`, { body: { prompt: 'x' } });
    const malformed = await ask('POST', "/v2/agent/x'%20OR%201=1%00/job", { body: { prompt: 'x' } });
    for (const reply of [foreign, unknown, malformed]) expectError(reply, 404, 'not_found');
    expect(foreign.body.error).toBe(unknown.body.error);
    expect(await jobCount()).toBe(0);
  });

  test('409 source_kind_mismatch: a project without Git', async () => {
    const { projectId: upload } = await createProject(platform.url, tenant.key, { kind: 'upload' });
    const reply = await ask('POST', `/v2/agent/${upload}/job`, { body: { prompt: 'x' } });
    expectError(reply, 409, 'source_kind_mismatch');
    expect(reply.body.error).toContain('upload');
  });

  test('409 model_missing: neither the project nor the installation has a model', async () => {
    const none = { OFFPRINT_AGENT_PROVIDER: '', OFFPRINT_AGENT_MODEL: '', OFFPRINT_AGENT_BASE_URL: '' };
    const bare = await platform.startApi(none);
    const job = `/v2/agent/${projectId}/job`;
    const options = { key: tenant.key, body: { prompt: 'x' } };
    expectError(await call(bare, 'POST', job, options), 409, 'model_missing');
    const model = { provider: 'anthropic', model: 'claude-x', apiKey: 'sk-own' };
    const settings = `/v1/projects/${projectId}/agent`;
    await call(bare, 'PUT', settings, { key: tenant.key, body: { model } });
    expect((await call<AgentJobBody>(bare, 'POST', job, options)).body.model).toBe('claude-x');
    const other = await call<AgentJobBody>(bare, 'POST', job, {
      key: tenant.key,
      body: { prompt: 'x', model: 'claude-y' },
    });
    expect(other.body.model).toBe('claude-y');
  });

  describe('Idempotency-Key', () => {
    test('201: the same key and body return the first response again, and create one job', async () => {
      const headers = { 'idempotency-key': 'one' };
      const first = await create({ prompt: 'x' }, { headers });
      const again = await create({ prompt: 'x' }, { headers });
      expect([again.status, again.body]).toEqual([201, first.body]);
      expect(again.headers.get('idempotent-replay')).toBe('true');
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      expect(await jobCount()).toBe(1);
      expectError(await create({ prompt: 'y' }, { headers }), 422, 'idempotency_mismatch');
    });

    test('fifty requests at once make one job with one prompt and one place in the queue', async () => {
      const headers = { 'idempotency-key': 'many' };
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => create({ prompt: 'x' }, { headers })),
      );
      const made = replies.filter(({ status }) => status === 201);
      expect(made.length).toBeGreaterThanOrEqual(1);
      for (const reply of replies.filter(({ status }) => status !== 201)) {
        expectError(reply, 409, 'idempotency_in_flight');
        expect(reply.headers.get('retry-after')).toBe('1');
      }
      expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
      expect(await jobCount()).toBe(1);
      expect(await promptsOf(made[0]!.body.id)).toHaveLength(1);
      expect(await queuedOf(made[0]!.body.id)).toHaveLength(1);
    });

    test('what is refused is not remembered', async () => {
      const headers = { 'idempotency-key': 'later' };
      expectError(await create({ prompt: 'x', model: 'other' }, { headers }), 400, 'invalid_request');
      expect((await create({ prompt: 'x' }, { headers })).status).toBe(201);
    });
  });
});

describe('POST /v2/agent/{projectId}/job/{id}/message', () => {
  let job: AgentJobBody;
  beforeEach(async () => {
    job = await createJob(platform.url, tenant.key, projectId);
  });
  const DONE = {
    phase: 'idle',
    branch: 'offprint/a-1',
    pushed_sha: 'f'.repeat(40),
    pr_link: 'https://git.example.com/acme/docs/pull/1',
    outcome: JSON.stringify({ title: 'A', summary: 'Done.', needsInput: 'Which?', stopped: null }),
    title: 'A',
    counters: JSON.stringify({ steps: 7 }),
    completed_at: new Date(),
  };

  test.each(['queued', 'preparing', 'running', 'publishing'])(
    '200: an active job (%s) keeps its worker, and the message waits for the next step',
    async (phase) => {
      await setJob(platform, job.id, { phase, attempt: 3 });
      const before = await queuedOf(job.id);
      const reply = await send(job.id, { prompt: 'And the other one.' });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body.status).toBe('active');
      expect((await promptsOf(job.id)).map(({ prompt }) => prompt)[1]).toBe('And the other one.');
      const { phase: now, attempt, turn } = await rowOf(job.id);
      expect({ now, attempt, turn }).toEqual({ now: phase, attempt: 3, turn: 1 });
      expect(await queuedOf(job.id)).toEqual(before);
    },
  );

  test('200: a job that waits for its model is checked at once', async () => {
    await setJob(platform, job.id, { phase: 'waiting', waiting_until: new Date(Date.now() + 60_000) });
    const run_at = new Date(Date.now() + 60_000);
    await platform.database.db.updateTable('jobs').set({ run_at }).where('id', '=', job.id).execute();
    expect((await send(job.id, { prompt: 'Go on.' })).body.status).toBe('active');
    const after = await rowOf(job.id);
    expect(after).toMatchObject({ phase: 'queued', waiting_until: null, turn: 1 });
    expect(await queuedOf(job.id)).toEqual([{ ...QUEUED, lane: projectId }]);
  });

  test.each(['idle', 'failed'])(
    '200: a job that is %s starts another turn on the same branch',
    async (phase) => {
      await setJob(platform, job.id, {
        ...DONE,
        phase,
        ...(phase === 'failed' ? { failure_code: 'budget', failure_message: 'Too much.' } : {}),
      });
      const shown = (await ask('GET', `/v2/agent/${projectId}/job/${job.id}`)).body;
      expect(shown).toMatchObject({
        status: phase === 'idle' ? 'completed' : 'failed',
        prLink: DONE.pr_link,
        summary: 'Done.',
        needsInput: 'Which?',
        failure: phase === 'failed' ? { code: 'budget', message: 'Too much.' } : null,
      });
      await platform.database.db.deleteFrom('jobs').where('id', '=', job.id).execute();
      const reply = await send(job.id, { prompt: 'Shorter.' });
      expect(reply.status, reply.text).toBe(200);
      // Null while active, as for a job without a pull request.
      expect(reply.body).toMatchObject({
        status: 'active',
        prLink: null,
        failure: null,
        summary: null,
        needsInput: null,
        title: 'A',
        source: { ref: 'offprint/a-1' },
      });
      const row = await rowOf(job.id);
      expect(row).toMatchObject({
        phase: 'queued',
        turn: 2,
        counters: {},
        outcome: null,
        failure_code: null,
        completed_at: null,
        branch: 'offprint/a-1',
        pr_link: DONE.pr_link,
      });
      expect(await queuedOf(job.id)).toEqual([{ ...QUEUED, lane: projectId }]);
      await setJob(platform, job.id, { phase: 'idle' });
      expect((await ask('GET', `/v2/agent/${projectId}/job/${job.id}`)).body.prLink).toBe(DONE.pr_link);
    },
  );

  test('200: the same Idempotency-Key sends one message', async () => {
    const headers = { 'idempotency-key': 'm' };
    const first = await send(job.id, { prompt: 'x' }, { headers });
    const again = await send(job.id, { prompt: 'x' }, { headers });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('idempotent-replay')).toBe('true');
    expect(await promptsOf(job.id)).toHaveLength(2);
    expectError(await send(job.id, { prompt: 'y' }, { headers }), 422, 'idempotency_mismatch');
  });

  test('twenty messages at once to a finished job begin one turn and lose none', async () => {
    await setJob(platform, job.id, DONE);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => send(job.id, { prompt: `message ${index}` })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await rowOf(job.id)).toMatchObject({ turn: 2, phase: 'queued' });
    expect(await promptsOf(job.id)).toHaveLength(21);
    expect(await queuedOf(job.id)).toHaveLength(1);
  });

  test.each([
    [{}, '/prompt'],
    [{ prompt: '' }, '/prompt'],
    [{ prompt: 'x'.repeat(64_001) }, '/prompt'],
    [{ prompt: 'x', draft: true }, '/draft'],
  ])('400 invalid_request: %j', async (body, param) => {
    expectError(await send(job.id, body), 400, 'invalid_request', param);
  });

  test('403 plan_required: after the plan was changed', async () => {
    const { db } = platform.database;
    const change = (plan: 'free' | 'enterprise') =>
      db.updateTable('organizations').set({ plan }).where('id', '=', tenant.organizationId).execute();
    await change('free');
    const reply = await send(job.id, { prompt: 'x' });
    await change('enterprise');
    expectError(reply, 403, 'plan_required');
  });

  test('404 not_found: unknown job, job of another project, project of another organization: all the same', async () => {
    const stranger = await platform.createTenant();
    const other = await createGitProject(platform.url, tenant.key);
    const body = { prompt: 'x' };
    const replies = [
      await send(`job_${'0'.repeat(32)}`, body),
      await ask('POST', `/v2/agent/${other}/job/${job.id}/message`, { body }),
      await ask('POST', `/v2/agent/prj_${'0'.repeat(32)}/job/${job.id}/message`, { body }),
      await send(job.id, body, { key: stranger.key }),
    ];
    for (const reply of replies) expectError(reply, 404, 'not_found');
    expect(new Set(replies.map((reply) => reply.body.error)).size).toBe(1);
    expect(await promptsOf(job.id)).toHaveLength(1);
  });

  test('409 job_archived: an archived job takes none', async () => {
    await ask('POST', `/v2/agent/${projectId}/job/${job.id}/archive`);
    expectError(await send(job.id, { prompt: 'x' }), 409, 'job_archived');
    expect(await promptsOf(job.id)).toHaveLength(1);
  });

  test('409 job_full: the two hundred and first', async () => {
    await platform.database.db
      .insertInto('agent_messages')
      .values(
        Array.from({ length: 198 }, () => ({
          job_id: job.id,
          project_id: projectId,
          prompt: 'x',
          created_by: 'key',
          created_at: new Date(Date.now() - 2 * 3_600_000),
        })),
      )
      .execute();
    expect((await send(job.id, { prompt: 'the 200th' })).status).toBe(200);
    expectError(await send(job.id, { prompt: 'the 201st' }), 409, 'job_full');
  });

  test('409 job_emptied: its transcript was deleted', async () => {
    await setJob(platform, job.id, { ...DONE, emptied_at: new Date() });
    expectError(await send(job.id, { prompt: 'x' }), 409, 'job_emptied');
  });

  test('409 model_missing: the job asked for a model that the project has no key for any more', async () => {
    const settings = `/v1/projects/${projectId}/agent`;
    await ask('PUT', settings, { body: { model: { provider: 'anthropic', model: 'a', apiKey: 'sk' } } });
    const other = await createJob(platform.url, tenant.key, projectId, { model: 'b' });
    await setJob(platform, other.id, DONE);
    await setJob(platform, job.id, DONE);
    expect((await send(other.id, { prompt: 'x' })).body.model).toBe('b');
    await ask('PUT', settings, { body: {} });
    expectError(await send(other.id, { prompt: 'x' }), 409, 'model_missing');
    // A job without a model of its own continues with the configured one.
    expect((await send(job.id, { prompt: 'x' })).body.model).toBe('test-model');
  });

  test('409 source_changed and source_kind_mismatch: the project has another source now', async () => {
    const repository = 'https://git.example.com/acme/other.git';
    const change = (source: unknown) => ask('PATCH', `/v1/projects/${projectId}`, { body: { source } });
    await change({ kind: 'git', repository });
    expectError(await send(job.id, { prompt: 'x' }), 409, 'source_changed');
    await change({ kind: 'upload' });
    expectError(await send(job.id, { prompt: 'x' }), 409, 'source_kind_mismatch');
  });
});

describe('429 too_many_agent_uses', () => {
  const LIMIT = 5;
  let limited: string;
  beforeAll(async () => {
    limited = await platform.startApi({ OFFPRINT_AGENT_USES_PER_HOUR: String(LIMIT) });
  });
  const use = (project: string, headers: Record<string, string> = {}) =>
    call<AgentJobBody>(limited, 'POST', `/v2/agent/${project}/job`, {
      key: tenant.key,
      body: { prompt: 'x' },
      headers,
    });

  test('creates and messages count together, each project separately, and the response says when to retry', async () => {
    const { body } = await use(projectId, { 'idempotency-key': 'first' });
    const path = `/v2/agent/${projectId}/job/${body.id}/message`;
    const message = () => call(limited, 'POST', path, { key: tenant.key, body: { prompt: 'x' } });
    for (let used = 1; used < LIMIT; used++) expect((await message()).status).toBe(200);
    for (const reply of [await message(), await use(projectId)]) {
      expectError(reply, 429, 'too_many_agent_uses');
      const seconds = Number(reply.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(3_500);
      expect(seconds).toBeLessThanOrEqual(3_600);
    }
    // Replays and polling do not count as use.
    expect((await use(projectId, { 'idempotency-key': 'first' })).status).toBe(201);
    expect((await call(limited, 'GET', `/v2/agent/${projectId}/jobs`, { key: tenant.key })).status).toBe(200);
    expect((await use(await createGitProject(platform.url, tenant.key))).status).toBe(201);
  });

  test('the hour slides: there is room as soon as the oldest use is an hour ago', async () => {
    const { body } = await use(projectId);
    for (let used = 1; used < LIMIT; used++) await use(projectId);
    const age = (minutes: number) =>
      platform.database.db
        .updateTable('agent_messages')
        .set({ created_at: new Date(Date.now() - minutes * 60_000) })
        .where('job_id', '=', body.id)
        .execute();
    await age(59);
    const refused = await use(projectId);
    expectError(refused, 429, 'too_many_agent_uses');
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(61);
    await age(61);
    expect((await use(projectId)).status).toBe(201);
    expectError(await use(projectId), 429, 'too_many_agent_uses');
  });

  test('many at once take no more than there is', async () => {
    const replies = await Promise.all(Array.from({ length: 4 * LIMIT }, () => use(projectId)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(3 * LIMIT);
    expect(await jobCount()).toBe(LIMIT);
  });
});
