/** Every other call on agent jobs, by endpoint and status. No worker runs here: states are as the tests set them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@offprint/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { type AgentJobBody, addEvent, createGitProject, createJob, MODEL_ENV, setJob } from './agent.ts';
import { call, expectError } from './api.ts';

let platform: TestPlatform;
let tenant: Tenant;
let stranger: Tenant;
let projectId: string;
let job: AgentJobBody;
let path: string;

const ask = <Body = AgentJobBody>(method: string, to: string, options: Parameters<typeof call>[3] = {}) =>
  call<Body>(platform.url, method, to, { key: tenant.key, ...options });

beforeAll(async () => {
  platform = await startTestPlatform({
    roles: ['api'],
    env: { ...MODEL_ENV, OFFPRINT_AGENT_USES_PER_HOUR: '1000' },
  });
  [tenant, stranger] = await Promise.all([platform.createTenant(), platform.createTenant()]);
  projectId = await createGitProject(platform.url, tenant.key);
});
beforeEach(async () => {
  job = await createJob(platform.url, tenant.key, projectId);
  path = `/v2/agent/${projectId}/job/${job.id}`;
});
afterAll(() => platform.stop());

describe('every call on a job', () => {
  const calls = [
    ['GET', ''],
    ['GET', '/events'],
    ['GET', '/diff'],
    ['POST', '/archive'],
    ['POST', '/cancel'],
    ['POST', '/message'],
  ] as const;
  const optionsOf = (end: string) => (end === '/message' ? { body: { prompt: 'x' } } : {});

  test.each(calls)('401 unauthorized: %s …%s without a key', async (method, end) => {
    const reply = await ask(method, `${path}${end}`, { key: undefined, ...optionsOf(end) });
    expectError(reply, 401, 'unauthorized');
  });

  test.each(calls)(
    '404 not_found: %s …%s of an unknown job or project, another project and another organization are the same',
    async (method, end) => {
      const other = await createGitProject(platform.url, tenant.key);
      const options = optionsOf(end);
      const unknown = `/v2/agent/${projectId}/job/job_${'0'.repeat(32)}${end}`;
      const replies = [
        await ask(method, unknown, options),
        await ask(method, `/v2/agent/${projectId}/job/x'%20OR%201=1%00${end}`, options),
        await ask(method, `/v2/agent/prj_${'0'.repeat(32)}/job/${job.id}${end}`, options),
        await ask(method, `/v2/agent/${other}/job/${job.id}${end}`, options),
        await ask(method, `${path}${end}`, { ...options, key: stranger.key }),
      ];
      for (const reply of replies) expectError(reply, 404, 'not_found');
      expect(new Set(replies.map((reply) => reply.body.error)).size).toBe(1);
      expect((await ask('GET', path)).body).toEqual(job);
    },
  );

  test.each(calls.filter(([method]) => method !== 'GET'))(
    '403 scope_missing: %s …%s with a read key',
    async (method, end) => {
      const key = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
      expectError(await ask(method, `${path}${end}`, { key, ...optionsOf(end) }), 403, 'scope_missing');
    },
  );
});

describe('GET /v2/agent/{projectId}/job/{id}', () => {
  test.each([
    ['queued', 'active'],
    ['preparing', 'active'],
    ['running', 'active'],
    ['waiting', 'active'],
    ['publishing', 'active'],
    ['idle', 'completed'],
    ['failed', 'failed'],
    ['archived', 'archived'],
  ])('200: the phase %s is shown as %s', async (phase, status) => {
    const link = 'https://git.example.com/acme/docs/pull/1';
    await setJob(platform, job.id, {
      phase,
      pr_link: link,
      branch: 'offprint/x-1',
      pushed_sha: 'f'.repeat(40),
    });
    const { body, headers } = await ask('GET', path);
    expect(body).toMatchObject({ status, prLink: status === 'active' ? null : link });
    expect(body.source.ref).toBe('offprint/x-1');
    expect(headers.get('retry-after')).toBe(status === 'active' ? '2' : null);
  });

  test('200: a failed job says why; a plain branch and no change have no link', async () => {
    await setJob(platform, job.id, {
      phase: 'failed',
      failure_code: 'repo_auth',
      failure_message: 'Refused.',
    });
    expect((await ask('GET', path)).body.failure).toEqual({ code: 'repo_auth', message: 'Refused.' });
    await setJob(platform, job.id, { phase: 'idle', failure_code: null, failure_message: null });
    expect((await ask('GET', path)).body).toMatchObject({ status: 'completed', prLink: null, failure: null });
  });

  test('200: plan, usage, checks and pull requests as the worker keeps them', async () => {
    const usage = {
      input: 10,
      output: 5,
      cacheRead: 3,
      cacheWrite: 2,
      reasoning: 1,
      calls: 4,
      costUsd: 0.25,
    };
    const plan = [{ id: '1', text: 'Write', status: 'in_progress' }];
    const one = { number: 1, url: 'https://git.example.com/1', branch: 'a', state: 'merged' };
    const hostile = { number: 2, url: 'javascript:alert(1)', branch: 'b', state: 'open' };
    await setJob(platform, job.id, {
      phase: 'idle',
      usage: JSON.stringify(usage),
      checks: JSON.stringify({ new: 1, fixed: 2 }),
      memory: JSON.stringify({ readPaths: ['secret.mdx'], plan }),
      pull_requests: JSON.stringify([one, hostile]),
      pr_link: 'javascript:alert(1)',
      title: 'Better title',
      outcome: JSON.stringify({
        title: 'Better title',
        summary: 'Half of it.',
        needsInput: null,
        stopped: { code: 'budget', message: 'Too dear.' },
      }),
    });
    const { body, text } = await ask('GET', path);
    expect(body).toMatchObject({
      title: 'Better title',
      summary: 'Half of it.',
      stopped: { code: 'budget', message: 'Too dear.' },
      todos: plan,
      checks: { new: 1, fixed: 2 },
      pullRequests: [one],
      prLink: null,
      usage: {
        modelCalls: 4,
        inputTokens: 10,
        outputTokens: 5,
        cacheReadTokens: 3,
        cacheWriteTokens: 2,
        reasoningTokens: 1,
        costUsd: 0.25,
      },
    });
    expect(text).not.toContain('secret.mdx');
  });

  test('304: unchanged; 200 again after a change; HEAD has the same headers', async () => {
    const etag = (await ask('GET', path)).headers.get('etag')!;
    const headers = { 'if-none-match': `"x", W/${etag}` };
    const same = await ask('GET', path, { headers });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await ask('HEAD', path)).headers.get('etag')).toBe(etag);
    await setJob(platform, job.id, { phase: 'idle' });
    expect((await ask('GET', path, { headers })).status).toBe(200);
  });

  test('200: wait returns at the next change', async () => {
    const waiting = ask('GET', `${path}?wait=60`);
    await sleep(200);
    await ask('POST', `${path}/cancel`);
    // Only the change ends it: a wait of 60 seconds would end the test.
    expect((await waiting).body.status).toBe('failed');
  });

  test('200: wait sees a change that was not announced', async () => {
    const waiting = ask('GET', `${path}?wait=60`);
    await sleep(200);
    await setJob(platform, job.id, { phase: 'idle' });
    expect((await waiting).body.status).toBe('completed');
  });

  test('200 and 304: wait ends after its time, and at once for a finished job', async () => {
    const etag = (await ask('GET', path)).headers.get('etag')!;
    const headers = { 'if-none-match': etag };
    expect((await ask('GET', `${path}?wait=1`)).body).toEqual(job);
    expect((await ask('GET', `${path}?wait=1`, { headers })).status).toBe(304);
    await setJob(platform, job.id, { phase: 'failed' });
    const done = await ask('GET', `${path}?wait=60`);
    expect(done.body.status).toBe('failed');
    const known = { 'if-none-match': done.headers.get('etag')! };
    expect((await ask('GET', `${path}?wait=60`, { headers: known })).status).toBe(304);
  });

  test.each(['-1', '61', 'x', '1.5'])('400 invalid_request: wait=%s', async (wait) => {
    expectError(await ask('GET', `${path}?wait=${wait}`), 400, 'invalid_request', 'wait');
  });
});

describe('GET /v2/agent/{projectId}/jobs', () => {
  interface List {
    data: AgentJobBody[];
    nextCursor: string | null;
  }
  test('200: newest first, page by page, each once, of this project only', async () => {
    const own = await createGitProject(platform.url, tenant.key);
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.unshift((await createJob(platform.url, tenant.key, own)).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const reply = await ask<List>('GET', `/v2/agent/${own}/jobs?limit=2${query}`);
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body.data.length).toBeLessThanOrEqual(2);
      seen.push(...reply.body.data.map(({ id }) => id));
      cursor = reply.body.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(ids);
  });

  test('200: by status', async () => {
    const own = await createGitProject(platform.url, tenant.key);
    const phases = ['queued', 'waiting', 'idle', 'failed', 'archived'];
    const made: Record<string, string> = {};
    for (const phase of phases) {
      made[phase] = (await createJob(platform.url, tenant.key, own)).id;
      await setJob(platform, made[phase]!, { phase });
    }
    const list = async (status: string) =>
      (await ask<List>('GET', `/v2/agent/${own}/jobs?status=${status}`)).body.data.map(({ id }) => id).sort();
    expect(await list('active')).toEqual([made.queued, made.waiting].sort());
    expect(await list('completed')).toEqual([made.idle]);
    expect(await list('failed')).toEqual([made.failed]);
    expect(await list('archived')).toEqual([made.archived]);
  });

  test.each(['limit=0', 'limit=101', 'status=running', 'cursor=x', 'sort=asc'])(
    '400 invalid_request: %s',
    async (query) => {
      const reply = await ask('GET', `/v2/agent/${projectId}/jobs?${query}`);
      expectError(reply, 400, 'invalid_request', query.split('=')[0]!);
    },
  );

  test('401 unauthorized and 404 not_found', async () => {
    const list = `/v2/agent/${projectId}/jobs`;
    expectError(await ask('GET', list, { key: undefined }), 401, 'unauthorized');
    expectError(await ask('GET', list, { key: stranger.key }), 404, 'not_found');
    expectError(await ask('GET', `/v2/agent/prj_${'0'.repeat(32)}/jobs`), 404, 'not_found');
  });
});

describe.each([
  ['archive', 'archived'],
  ['cancel', 'failed'],
] as const)('POST /v2/agent/{projectId}/job/{id}/%s', (action, status) => {
  const rowOf = () =>
    platform.database.db
      .selectFrom('agent_jobs')
      .selectAll()
      .where('id', '=', job.id)
      .executeTakeFirstOrThrow();

  test.each(['queued', 'preparing', 'running', 'waiting', 'publishing'])(
    '200: an active job (%s) is stopped: its worker has lost it, and it has left the queue',
    async (phase) => {
      await setJob(platform, job.id, { phase, attempt: 4 });
      const reply = await ask('POST', `${path}/${action}`);
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body).toMatchObject({
        status,
        failure: action === 'cancel' ? { code: 'cancelled' } : null,
      });
      expect(await rowOf()).toMatchObject({ attempt: 5, waiting_until: null });
      const queued = await platform.database.db
        .selectFrom('jobs')
        .select('id')
        .where('id', '=', job.id)
        .execute();
      expect(queued).toEqual([]);
      const event = await platform.database.db
        .selectFrom('agent_events')
        .select(['kind', 'body'])
        .where('job_id', '=', job.id)
        .orderBy('seq', 'desc')
        .executeTakeFirstOrThrow();
      expect(event).toMatchObject({ kind: 'state', body: { phase: status } });
    },
  );

  test('200: again, it stays as it is', async () => {
    const first = await ask('POST', `${path}/${action}`);
    expect((await ask('POST', `${path}/${action}`)).body).toEqual(first.body);
    expect((await ask('GET', path)).body).toEqual(first.body);
  });

  test('200: twenty at once agree', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask('POST', `${path}/${action}`)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await rowOf()).toMatchObject({ attempt: 1, last_seq: 2 });
  });

  test('400 invalid_request: it takes no body', async () => {
    const reply = await ask('POST', `${path}/${action}`, { body: { now: true } });
    expectError(reply, 400, 'invalid_request', '/now');
    expect((await ask('POST', `${path}/${action}`, { body: {} })).status).toBe(200);
  });
});

test('archive keeps the link and the reason of a finished job, and sets its time once', async () => {
  const link = 'https://git.example.com/acme/docs/pull/1';
  await setJob(platform, job.id, { phase: 'idle', pr_link: link });
  const reply = await ask('POST', `${path}/archive`);
  expect(reply.body).toMatchObject({ status: 'archived', prLink: link });
  expect(reply.body.archivedAt).toMatch(/^\d{4}-.*Z$/);
  expect((await ask('POST', `${path}/cancel`)).body).toEqual(reply.body);
});

test('cancel leaves a completed job completed', async () => {
  await setJob(platform, job.id, { phase: 'idle' });
  expect((await ask('POST', `${path}/cancel`)).body.status).toBe('completed');
});

describe('GET /v2/agent/{projectId}/job/{id}/diff', () => {
  test('200: no change yet; then file by file and as one text', async () => {
    expect((await ask('GET', `${path}/diff`)).body).toEqual({ files: [], diff: '', isKept: true });
    const file = (name: string, before: string | null, content: string | null) => ({
      job_id: job.id,
      path: name,
      before: before === null ? null : Buffer.from(before),
      content: content === null ? null : Buffer.from(content),
    });
    await platform.database.db
      .insertInto('agent_files')
      .values([
        file('index.mdx', 'one\ntwo\nthree\n', 'one\n2\nthree\n'),
        file('new.mdx', null, 'hello\n'),
        file('old.mdx', 'bye\n', null),
        file('same.mdx', 'same\n', 'same\n'),
      ])
      .execute();
    const { body } = await ask<{ files: { path: string; kind: string; diff: string }[]; diff: string }>(
      'GET',
      `${path}/diff`,
    );
    expect(body.files).toMatchObject([
      { path: 'index.mdx', kind: 'modified', additions: 1, deletions: 1 },
      { path: 'new.mdx', kind: 'added', additions: 1, deletions: 0 },
      { path: 'old.mdx', kind: 'deleted', additions: 0, deletions: 1 },
    ]);
    expect(body.files[0]!.diff).toContain('\n one\n-two\n+2\n three\n');
    expect(body.diff).toBe(body.files.map(({ diff }) => diff).join(''));
  });

  test('200: says when the changes are kept no more', async () => {
    await setJob(platform, job.id, { phase: 'idle', emptied_at: new Date() });
    expect((await ask('GET', `${path}/diff`)).body).toEqual({ files: [], diff: '', isKept: false });
  });
});

/** Events without those that show a passing state: whether one is seen depends on when the stream is opened. */
const lasting = (events: readonly string[]): string[] =>
  events.filter((event) => event !== 'pending' && event !== 'text');

describe('GET /v2/agent/{projectId}/job/{id}/events', () => {
  interface Event {
    id: string | null;
    event: string;
    data: Record<string, unknown>;
  }

  /** Reads events until one of this name, or the end of the stream. */
  async function events(until: string, after?: string, hear?: () => void): Promise<Event[]> {
    const response = await fetch(new URL(`${path}/events`, platform.url), {
      headers: {
        authorization: `Bearer ${tenant.key}`,
        ...(after === undefined ? {} : { 'last-event-id': after }),
      },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const seen: Event[] = [];
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      rest += chunk;
      const blocks = rest.split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const [, id, event, data] = /^(?:id: (.+)\n)?event: (\w+)\ndata: (.+)$/.exec(block) ?? [];
        if (event === undefined) continue;
        seen.push({ id: id ?? null, event, data: JSON.parse(data!) as Record<string, unknown> });
        hear?.();
        if (event === until) return seen;
      }
    }
    return seen;
  }

  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  const assistant = (parts: unknown[]) => ({ kind: 'assistant', parts, finish: 'tool-calls', usage });
  const KEY = `offprint_${'a'.repeat(38)}`;

  /** What a worker writes in a turn, from event 2 on. */
  async function aTurn(): Promise<void> {
    await addEvent(platform, job.id, { kind: 'prompt', text: `Fix it with ${KEY}.` });
    await addEvent(
      platform,
      job.id,
      assistant([
        { type: 'reasoning', text: 'hidden thoughts', meta: { signature: 'abc' } },
        { type: 'text', text: 'I will look.' },
        { type: 'tool-call', id: 'a', name: 'read_file', input: { path: 'index.mdx' } },
        {
          type: 'tool-call',
          id: 'b',
          name: 'update_plan',
          input: { items: [{ id: '1', text: 'Fix', status: 'pending' }] },
        },
      ]),
    );
    await addEvent(platform, job.id, {
      kind: 'results',
      results: [
        { id: 'a', name: 'read_file', output: `${KEY} ${'ä'.repeat(3_000)}`, isError: false },
        { id: 'b', name: 'update_plan', output: 'ok', isError: false },
      ],
    });
    await addEvent(platform, job.id, { kind: 'notice', text: 'a nudge for the model' });
    await addEvent(platform, job.id, {
      kind: 'published',
      branch: 'offprint/x-1',
      commit: 'c'.repeat(40),
      prLink: 'https://git.example.com/acme/docs/pull/1',
    });
  }

  test('200: everything that happened, in order, then done and the end', async () => {
    await aTurn();
    await setJob(platform, job.id, { phase: 'idle' });
    const seen = await events('never');
    expect(seen.map(({ id, event }) => [id, event])).toEqual([
      ['1', 'state'],
      ['2', 'prompt'],
      ['3', 'message'],
      [null, 'tool'],
      [null, 'tool'],
      ['4', 'plan'],
      ['5', 'notice'],
      ['6', 'pull_request'],
      ['6', 'done'],
    ]);
    const data = (index: number) => seen[index]!.data;
    expect(data(0)).toMatchObject({
      seq: 1,
      turn: 1,
      phase: 'queued',
      status: 'active',
      message: null,
      until: null,
    });
    expect(data(1).text).toBe('Fix it with offprint_********.');
    expect(data(2)).toMatchObject({ seq: 3, text: 'I will look.' });
    expect(data(3)).toMatchObject({ name: 'read_file', path: 'index.mdx', isError: false });
    const summary = String(data(3).summary);
    expect(summary).toMatch(/^offprint_\*{8} ä+$/);
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(2_000);
    expect(data(5).todos).toEqual([{ id: '1', text: 'Fix', status: 'pending' }]);
    expect(data(6)).toMatchObject({ seq: 5, text: 'a nudge for the model' });
    expect(data(7)).toMatchObject({
      branch: 'offprint/x-1',
      prLink: 'https://git.example.com/acme/docs/pull/1',
    });
    expect(seen.at(-1)!.data).toEqual((await ask('GET', path)).body);
    expect(JSON.stringify(seen)).not.toMatch(/hidden thoughts|signature|offprint_a/);
  });

  test('200: with Last-Event-ID the stream continues after that event, and results refer to earlier calls', async () => {
    await aTurn();
    await setJob(platform, job.id, { phase: 'idle' });
    const seen = await events('never', '3');
    expect(seen.map(({ event }) => event)).toEqual([
      'tool',
      'tool',
      'plan',
      'notice',
      'pull_request',
      'done',
    ]);
    expect(seen[0]!.data.path).toBe('index.mdx');
    for (const after of ['6', '999999999']) {
      expect((await events('never', after)).map(({ event }) => event)).toEqual(['done']);
    }
  });

  test('200: later events are sent when they happen, each once, to every follower', async () => {
    const heard = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const [first, second] = heard.map(({ resolve }) => events('never', undefined, resolve));
    await Promise.all(heard.map(({ promise }) => promise));
    await aTurn();
    await ask('POST', `${path}/cancel`);
    for (const seen of [await first!, await second!]) {
      expect(lasting(seen.map(({ event }) => event))).toEqual([
        'state',
        'prompt',
        'message',
        'tool',
        'tool',
        'plan',
        'notice',
        'pull_request',
        'state',
        'done',
      ]);
      expect(seen.at(-1)!.data).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
    }
  });

  test('200: more events than are read at once', async () => {
    for (let index = 0; index < 230; index++) {
      await addEvent(platform, job.id, { kind: 'prompt', text: `n${index}` });
    }
    await setJob(platform, job.id, { phase: 'idle' });
    const seen = await events('never');
    expect(seen.slice(1, -1).map(({ data }) => data.text)).toEqual(
      Array.from({ length: 230 }, (_, index) => `n${index}`),
    );
  });

  test('200: an emptied job is done at once; HEAD has the type and ends', async () => {
    await platform.database.db.deleteFrom('agent_events').where('job_id', '=', job.id).execute();
    await setJob(platform, job.id, { phase: 'archived', emptied_at: new Date() });
    expect((await events('never')).map(({ event }) => event)).toEqual(['done']);
    const head = await ask('HEAD', `${path}/events`);
    expect([head.status, head.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });

  test('the stream ends when the project is deleted', async () => {
    const own = await createGitProject(platform.url, tenant.key);
    job = await createJob(platform.url, tenant.key, own);
    path = `/v2/agent/${own}/job/${job.id}`;
    const heard = Promise.withResolvers<void>();
    const following = events('never', undefined, heard.resolve);
    await heard.promise;
    expect((await ask('DELETE', `/v1/projects/${own}`)).status).toBe(204);
    expect(lasting((await following).map(({ event }) => event))).toEqual(['state']);
    expectError(await ask('GET', path), 404, 'not_found');
  });

  test.each(['x', '-1', '1.5', '9999999999'])('400 invalid_request: Last-Event-ID %s', async (id) => {
    const reply = await ask('GET', `${path}/events`, { headers: { 'last-event-id': id } });
    expectError(reply, 400, 'invalid_request', 'Last-Event-ID');
  });
});

test('the client creates, follows, waits for, asks about and ends a job', async () => {
  const client = createClient({ url: platform.url, key: tenant.key });
  const { id, status } = await client.createAgentJob(projectId, { prompt: 'Fix it.' });
  expect(status).toBe('active');
  const seen: string[] = [];
  const following = (async () => {
    for await (const one of client.streamAgentJobEvents(projectId, id)) {
      seen.push(one.event);
      if (one.event === 'state' && one.data.phase === 'queued') {
        await addEvent(platform, id, { kind: 'prompt', text: 'Fix it.' });
      }
      if (one.event === 'prompt') await client.cancelAgentJob(projectId, id);
    }
  })();
  const waited = await client.waitForAgentJob(projectId, id);
  await following;
  expect(waited.failure?.code).toBe('cancelled');
  expect(lasting(seen)).toEqual(['state', 'prompt', 'state', 'done']);
  expect((await client.sendAgentMessage(projectId, id, { prompt: 'Again.' })).status).toBe('active');
  expect((await client.listAgentJobs(projectId, { status: 'active', limit: 1 })).data[0]?.id).toBeDefined();
  expect(await client.getAgentJobDiff(projectId, id)).toEqual({ files: [], diff: '', isKept: true });
  expect((await client.getAgentSettings(projectId)).usesModel).toBe('test-model');
  expect((await client.updateAgentSettings(projectId, { instructions: 'x' })).instructions).toBe('x');
  expect((await client.archiveAgentJob(projectId, id)).status).toBe('archived');
});
