/** Every other call on exports, by endpoint and status. No worker runs here: states are as the tests set them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError, type Job, makeFolder, siteFiles } from './api.ts';

const JOBS = '/v1/static-export/jobs';
const UNKNOWN = `se_${'0'.repeat(32)}`;

let platform: TestPlatform;
let tenant: Tenant;
let stranger: Tenant;
let domain: string;
let jobId: string;

const ask = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  options: Parameters<typeof call>[3] = {},
) => call<Body>(platform.url, method, path, { key: tenant.key, ...options });

/** A call that waits as long as it may would be over after this. */
const BEFORE_THE_WAIT_ENDS = 58_000;

async function start(): Promise<string> {
  const reply = await ask<Job>('POST', JOBS, { body: { domain } });
  expect(reply.status, reply.text).toBe(202);
  return reply.body.jobId;
}

const set = (id: string, values: Record<string, unknown>) =>
  platform.database.db
    .updateTable('exports')
    .set({ updated_at: new Date(), ...values })
    .where('id', '=', id)
    .execute();

beforeAll(async () => {
  platform = await startTestPlatform({ roles: ['api'], env: { OFFPRINT_MAX_ACTIVE_EXPORTS: '1000' } });
  [tenant, stranger] = await Promise.all([platform.createTenant(), platform.createTenant()]);
  const path = await makeFolder(siteFiles(2));
  ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
});
beforeEach(async () => {
  jobId = await start();
});
afterAll(() => platform.stop());

describe('every call on an export', () => {
  const calls = [
    ['GET', ''],
    ['GET', '/warnings'],
    ['GET', '/events'],
    ['GET', '/changes'],
    ['GET', '/changes/page?path=index'],
    ['GET', '/changes/report'],
    ['POST', '/bundle'],
    ['POST', '/preview'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ] as const;

  test.each(calls)('401 unauthorized: %s …%s without a key', async (method, path) => {
    expectError(await ask(method, `${JOBS}/${jobId}${path}`, { key: undefined }), 401, 'unauthorized');
  });

  test.each(calls)(
    '404 not_found: %s …%s of another organization is as one that never was',
    async (method, path) => {
      const foreign = await ask(method, `${JOBS}/${jobId}${path}`, { key: stranger.key });
      const unknown = await ask(method, `${JOBS}/${UNKNOWN}${path}`, { key: stranger.key });
      const malformed = await ask(method, `${JOBS}/x'%20OR%201=1${path}`, { key: stranger.key });
      for (const reply of [foreign, unknown, malformed]) expectError(reply, 404, 'not_found');
      expect(foreign.body.error).toBe(unknown.body.error);
      expect((await ask('GET', `${JOBS}/${jobId}`)).body.status).toBe('queued');
    },
  );

  const changes = calls.filter(
    ([method, path]) => method !== 'GET' && !['/bundle', '/preview'].includes(path),
  );

  test.each(changes)('403 scope_missing: %s …%s with a read key', async (method, path) => {
    const key = await platform.createKey(tenant.organizationId, { scopes: ['read'] });
    expectError(await ask(method, `${JOBS}/${jobId}${path}`, { key }), 403, 'scope_missing');
  });
});

describe(`GET ${JOBS}/{jobId}`, () => {
  test('200: the job with an ETag and Retry-After; HEAD has the same headers', async () => {
    const reply = await ask<Job>('GET', `${JOBS}/${jobId}`);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ jobId, status: 'queued', progress: 0, pageCount: 0 });
    expect(reply.headers.get('retry-after')).toBe('1');
    const head = await ask('HEAD', `${JOBS}/${jobId}`);
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', reply.headers.get('etag')]);
  });

  test('304: unchanged; 200 again after a change', async () => {
    const etag = (await ask('GET', `${JOBS}/${jobId}`)).headers.get('etag')!;
    const same = await ask('GET', `${JOBS}/${jobId}`, { headers: { 'if-none-match': `"x", W/${etag}` } });
    expect([same.status, same.text]).toEqual([304, '']);
    expect(same.headers.get('etag')).toBe(etag);
    await set(jobId, { status: 'running', progress: 7, attempt: 1 });
    const changed = await ask('GET', `${JOBS}/${jobId}`, { headers: { 'if-none-match': etag } });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ status: 'running', progress: 7 });
  });

  test('200: a finished job has no Retry-After; a failed one says why', async () => {
    await set(jobId, { status: 'failed', error: 'docs.json:3: broken', error_code: 'config_invalid' });
    const reply = await ask<Job>('GET', `${JOBS}/${jobId}`);
    expect(reply.body).toMatchObject({
      status: 'failed',
      error: 'docs.json:3: broken',
      errorCode: 'config_invalid',
    });
    expect(reply.headers.get('retry-after')).toBeNull();
  });

  test(
    '200: wait returns at the next change',
    async () => {
      const waiting = ask<Job>('GET', `${JOBS}/${jobId}?wait=60`);
      await sleep(300);
      await ask('POST', `${JOBS}/${jobId}/cancel`);
      expect((await waiting).body.status).toBe('failed');
    },
    BEFORE_THE_WAIT_ENDS,
  );

  test('200: wait sees a change that was not announced', async () => {
    const waiting = ask<Job>('GET', `${JOBS}/${jobId}?wait=30`);
    await sleep(200);
    await set(jobId, { status: 'running', progress: 5, attempt: 1 });
    expect((await waiting).body.progress).toBe(5);
  });

  test(
    '200: wait ends after its time without a change, and at once for a finished job',
    async () => {
      const began = performance.now();
      expect((await ask('GET', `${JOBS}/${jobId}?wait=1`)).status).toBe(200);
      expect(performance.now() - began).toBeGreaterThan(950);
      await set(jobId, { status: 'failed', error: 'over' });
      expect((await ask('GET', `${JOBS}/${jobId}?wait=60`)).status).toBe(200);
    },
    BEFORE_THE_WAIT_ENDS,
  );

  test(
    '200 and 304: with If-None-Match, wait is for a change from what the client knows',
    async () => {
      const etag = (await ask('GET', `${JOBS}/${jobId}`)).headers.get('etag')!;
      const headers = { 'if-none-match': etag };
      expect((await ask('GET', `${JOBS}/${jobId}?wait=1`, { headers })).status).toBe(304);
      await set(jobId, { status: 'running', progress: 9, attempt: 1 });
      expect((await ask('GET', `${JOBS}/${jobId}?wait=60`, { headers })).status).toBe(200);
    },
    BEFORE_THE_WAIT_ENDS,
  );

  test.each(['-1', '61', 'x', '1.5'])('400 invalid_request: wait=%s', async (wait) => {
    expectError(await ask('GET', `${JOBS}/${jobId}?wait=${wait}`), 400, 'invalid_request', 'wait');
  });
});

describe(`GET ${JOBS}`, () => {
  test('200: newest first, page by page, each once', async () => {
    const ids = [await start(), await start(), await start(), await start()].reverse();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const reply = await ask<{ data: Job[]; nextCursor: string | null }>('GET', `${JOBS}?limit=3${query}`);
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body.data.length).toBeLessThanOrEqual(3);
      seen.push(...reply.body.data.map((job) => job.jobId));
      cursor = reply.body.nextCursor;
    } while (cursor !== null);
    expect(seen.slice(0, 4)).toEqual(ids);
    expect(new Set(seen).size).toBe(seen.length);
    const { count } = await platform.database.db
      .selectFrom('exports')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(seen.length).toBe(Number(count));
  });

  test('200: by project', async () => {
    const { projectId } = (await ask<Job>('GET', `${JOBS}/${jobId}`)).body;
    const list = async (project: unknown, key = tenant.key) =>
      (await ask<{ data: Job[] }>('GET', `${JOBS}?projectId=${project}&limit=100`, { key })).body.data;
    expect((await list(projectId)).map((job) => job.jobId)).toContain(jobId);
    for (const other of ['prj_other', 'x%00', '']) expect(await list(other)).toEqual([]);
    expect(await list(projectId, stranger.key)).toEqual([]);
  });

  test('200: by domain and status, and nothing of others', async () => {
    await set(jobId, { status: 'failed', error: 'over' });
    const list = async (query: string, key = tenant.key) =>
      (await ask<{ data: Job[] }>('GET', `${JOBS}?${query}`, { key })).body.data;
    const failed = await list(`status=failed&domain=${domain}&limit=100`);
    expect(failed.map((job) => job.jobId)).toContain(jobId);
    expect(failed.every((job) => job.status === 'failed')).toBe(true);
    expect(await list('domain=other.example.com')).toEqual([]);
    expect(await list('limit=100', stranger.key)).toEqual([]);
  });

  test.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'status=done',
    'domain=a/b',
    'cursor=x',
    'cursor=W10',
    'sort=asc',
  ])('400 invalid_request: %s', async (query) => {
    expectError(await ask('GET', `${JOBS}?${query}`), 400, 'invalid_request', query.split('=')[0]!);
  });
});

describe(`POST ${JOBS}/{jobId}/cancel`, () => {
  test('200: a queued export is failed with Cancelled, permanently', async () => {
    const reply = await ask<Job>('POST', `${JOBS}/${jobId}/cancel`);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ status: 'failed', error: 'Cancelled', errorCode: 'cancelled' });
    expect(reply.body.completedAt).not.toBeNull();
    expect((await ask('POST', `${JOBS}/${jobId}/cancel`)).body).toEqual(reply.body);
  });

  test('200: a completed export stays completed', async () => {
    await set(jobId, { status: 'completed', progress: 100 });
    expect((await ask<Job>('POST', `${JOBS}/${jobId}/cancel`)).body.status).toBe('completed');
  });

  test('400 invalid_request: it takes no body', async () => {
    expectError(
      await ask('POST', `${JOBS}/${jobId}/cancel`, { body: { now: true } }),
      400,
      'invalid_request',
      '/now',
    );
    expect((await ask('POST', `${JOBS}/${jobId}/cancel`, { body: {} })).status).toBe(200);
  });
});

describe(`DELETE ${JOBS}/{jobId}`, () => {
  test.each(['queued', 'running'])('409 not_finished: a %s export', async (status) => {
    await set(jobId, { status });
    expectError(await ask('DELETE', `${JOBS}/${jobId}`), 409, 'not_finished');
  });

  test('204: a failed export is gone, with its history', async () => {
    await ask('POST', `${JOBS}/${jobId}/cancel`);
    const reply = await ask('DELETE', `${JOBS}/${jobId}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expectError(await ask('GET', `${JOBS}/${jobId}`), 404, 'not_found');
    expectError(await ask('DELETE', `${JOBS}/${jobId}`), 404, 'not_found');
  });

  test('204: an export whose files cannot be removed is gone all the same, and the log says what is left', async () => {
    const sha256 = 'ab'.repeat(32);
    await set(jobId, { status: 'completed', artifact_sha256: sha256, bundle_sha256: sha256 });
    // No file, so the store fails to remove it as one.
    const bundle = join(platform.dataDir, 'blobs/bundles', tenant.organizationId, `${sha256}.tar.gz`);
    await mkdir(join(bundle, 'left'), { recursive: true });
    const reply = await ask('DELETE', `${JOBS}/${jobId}`);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expectError(await ask('GET', `${JOBS}/${jobId}`), 404, 'not_found');
    const lines = () =>
      platform
        .log()
        .split('\n')
        .filter((line) => line.includes(jobId));
    await expect.poll(lines).toContainEqual(expect.stringContaining('the next cleanup deletes them'));
  });
});

describe(`POST ${JOBS}/{jobId}/bundle`, () => {
  test.each(['queued', 'running'])('409 not_completed: a %s export, with its status', async (status) => {
    await set(jobId, { status, progress: 41.5 });
    for (const [method, path] of [
      ['POST', 'bundle'],
      ['POST', 'preview'],
      ['GET', 'changes'],
    ] as const) {
      const reply = await ask(method, `${JOBS}/${jobId}/${path}`);
      expectError(reply, 409, 'not_completed');
      expect(reply.body.error).toContain(status);
    }
  });

  test('409 not_completed: a failed export says that it failed and why', async () => {
    await set(jobId, { status: 'failed', error: 'docs.json:3: broken.' });
    const reply = await ask('POST', `${JOBS}/${jobId}/bundle`, { body: {} });
    expectError(reply, 409, 'not_completed');
    expect(reply.body.error).toMatch(/failed.*docs\.json:3: broken\./);
  });

  test.each([
    [{ expiresIn: 59 }, '/expiresIn'],
    [{ expiresIn: 604_801 }, '/expiresIn'],
    [{ expiresIn: '60' }, '/expiresIn'],
    [{ expires: 60 }, '/expires'],
  ])('400 invalid_request: %j', async (body, param) => {
    expectError(await ask('POST', `${JOBS}/${jobId}/bundle`, { body }), 400, 'invalid_request', param);
  });

  test('403 plan_required: after the plan was changed', async () => {
    const { db } = platform.database;
    const change = (plan: 'pro' | 'enterprise') =>
      db.updateTable('organizations').set({ plan }).where('id', '=', tenant.organizationId).execute();
    await change('pro');
    const reply = await ask('POST', `${JOBS}/${jobId}/bundle`);
    await change('enterprise');
    expectError(reply, 403, 'plan_required');
  });
});

describe(`GET ${JOBS}/{jobId}/warnings`, () => {
  test('200: file, line, code and message of each', async () => {
    expect((await ask('GET', `${JOBS}/${jobId}/warnings`)).body).toEqual([]);
    const warnings = [
      { file: 'a.mdx', line: 3, code: 'link-target-missing', message: 'No page at /b.' },
      { file: 'b.png', line: null, code: 'source-symlink', message: 'Left out.' },
    ];
    await set(jobId, { warnings: JSON.stringify(warnings), warning_count: 2 });
    // A folder has no forge that would show the lines.
    const shown = warnings.map((warning) => ({ ...warning, sourceUrl: null }));
    expect((await ask('GET', `${JOBS}/${jobId}/warnings`)).body).toEqual(shown);
    expect((await ask<Job>('GET', `${JOBS}/${jobId}`)).body.warnings).toBe(2);
  });

  test('200: a warning of a repository leads to its line at the exported commit', async () => {
    const project = {
      repository: 'https://github.com/acme/site',
      source_kind: 'git' as const,
      folder: 'docs',
    };
    const { db } = platform.database;
    const { projectId } = (await ask<Job>('GET', `${JOBS}/${jobId}`)).body;
    const path = (await db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', String(projectId))
      .executeTakeFirst())!;
    const change = (values: object) =>
      db.updateTable('projects').set(values).where('id', '=', String(projectId)).execute();
    const warnings = [{ file: 'a.mdx', line: 3, code: 'x', message: 'y' }];
    await set(jobId, { warnings: JSON.stringify(warnings), commit: 'c'.repeat(40) });
    await change(project);
    const reply = await ask<{ sourceUrl: string }[]>('GET', `${JOBS}/${jobId}/warnings`);
    await change({ repository: path.repository, source_kind: path.source_kind, folder: path.folder });
    expect(reply.body[0]?.sourceUrl).toBe(
      `https://github.com/acme/site/blob/${'c'.repeat(40)}/docs/a.mdx?plain=1#L3`,
    );
  });
});

describe(`GET ${JOBS}/{jobId}/events`, () => {
  interface Seen {
    id: string;
    event: string;
    data: Job;
  }

  async function events(
    id: string,
    headers: Record<string, string> = {},
    see: (event: Seen) => Promise<unknown> | undefined = () => undefined,
  ): Promise<Seen[]> {
    const response = await fetch(new URL(`${JOBS}/${id}/events`, platform.url), {
      headers: { authorization: `Bearer ${tenant.key}`, ...headers },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    const seen: Seen[] = [];
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      rest += chunk;
      const blocks = rest.split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const [, state, event, data] = /^id: (\S+)\nevent: (\w+)\ndata: (.+)$/.exec(block) ?? [];
        if (event === undefined) continue;
        seen.push({ id: state!, event, data: JSON.parse(data!) as Job });
        await see(seen.at(-1)!);
      }
    }
    return seen;
  }

  test('200: progress now and at each change, then done and the end', async () => {
    const seen = await events(jobId, {}, ({ data }) => {
      if (data.status === 'queued') return set(jobId, { status: 'running', progress: 30, attempt: 1 });
      if (data.status === 'running') return ask('POST', `${JOBS}/${jobId}/cancel`);
    });
    expect(seen.map(({ event }) => event)).toEqual(['progress', 'progress', 'progress', 'done']);
    expect(seen.map(({ data }) => data.status)).toEqual(['queued', 'running', 'failed', 'failed']);
  });

  test('200: after Last-Event-ID the same state is not sent again', async () => {
    await ask('POST', `${JOBS}/${jobId}/cancel`);
    const all = await events(jobId);
    expect(all.map(({ event }) => event)).toEqual(['progress', 'done']);
    const rest = await events(jobId, { 'last-event-id': all[0]!.id });
    expect(rest).toEqual(all.slice(1));
    expect(await events(jobId, { 'last-event-id': 'other' })).toEqual(all);
  });

  test('200: HEAD has the type and ends at once', async () => {
    const head = await ask('HEAD', `${JOBS}/${jobId}/events`);
    expect([head.status, head.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });

  test('200: a finished export is sent at once', async () => {
    await ask('POST', `${JOBS}/${jobId}/cancel`);
    expect((await events(jobId)).map(({ event }) => event)).toEqual(['progress', 'done']);
  });
});
