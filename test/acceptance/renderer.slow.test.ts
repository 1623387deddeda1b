/** The renderer role: real processes of all roles, as in the chart and in Compose. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ConnectionTest } from '@offprint/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AgentLab, doing, REPOSITORY, startAgentLab } from '../support/agent/lab.ts';
import { hasOpenssl } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { startTestRenderer, type TestRenderer } from '../support/renderer.ts';
import { isFull } from '../support/size.ts';
import { call, createProject, follow, type Job, makeFolder, runExport, siteFiles } from './api.ts';

const JOBS = '/v1/static-export/jobs';
/** Long enough that a test finds the export at work, and many times what passes before it looks again. */
const PAGES = isFull ? 600 : 250;

/** Stops a worker, which gives back what it runs. */
async function end(child: { kill(signal: NodeJS.Signals): boolean }, signal: NodeJS.Signals = 'SIGTERM') {
  const exited = once(child as unknown as NodeJS.EventEmitter, 'exit');
  child.kill(signal);
  await exited;
}

describe.skipIf(!hasOpenssl)(
  hasOpenssl ? 'everything that processes docs' : 'what processes docs: no openssl to make a certificate',
  () => {
    let lab: AgentLab;
    let renderer: TestRenderer;
    beforeAll(async () => {
      const port = await freePort();
      renderer = await startTestRenderer(port);
      lab = await startAgentLab({ roles: ['api'], env: { OFFPRINT_RENDERER_URL: renderer.url } });
      const { db } = lab.platform.database;
      await db.updateTable('organizations').set({ plan: 'enterprise' }).execute();
    });
    afterAll(async () => {
      await lab?.close();
      await renderer?.end();
    });

    const artifactOf = async (body: Record<string, unknown>): Promise<unknown> => {
      const job = await runExport(lab.platform.url, lab.tenant.key, body);
      expect(job, lab.platform.log()).toMatchObject({ status: 'completed' });
      return job.artifact;
    };

    test('runs in the renderer, and an export has the bytes that it has without one', async () => {
      const { url } = lab.platform;
      const { key } = lab.tenant;
      const worker = lab.platform.start(['worker']);
      const project = await call<{ domains: string[] }>(url, 'PATCH', `/v1/projects/${lab.projectId}`, {
        key,
        body: { domains: ['renderer.example.com'] },
      });
      expect(project.status, project.text).toBe(200);
      const domain = 'renderer.example.com';
      const whole = await artifactOf({ domain });
      const part = await artifactOf({ domain, paths: ['index'] });
      const unknown = await call(url, 'POST', JOBS, { key, body: { domain, paths: ['none'] } });
      expect(unknown.status, unknown.text).toBe(400);
      const job = await lab.run(
        doing(
          ['read_file', { path: 'index.mdx' }],
          ['edit_file', { path: 'index.mdx', old_text: 'the beta of Acme', new_text: '[it](/gone)' }],
          ['check_docs', {}],
          ['finish', { title: 'A', summary: 'B' }],
        ),
      );
      expect(job.checks, lab.story(job.id)).toMatchObject({ status: 'checked', new: 1 });
      const seen = new Set(renderer.runs().map(({ program, outcome }) => `${program} ${outcome}`));
      expect([...seen].sort()).toEqual(['check completed', 'paths completed', 'render completed']);
      await end(worker);

      const renders = () => renderer.runs().filter(({ program }) => program === 'render').length;
      const before = renders();
      const alone = lab.platform.start(['worker'], { OFFPRINT_RENDERER_URL: '' });
      expect(await artifactOf({ domain })).toEqual(whole);
      expect(await artifactOf({ domain, paths: ['index'] })).toEqual(part);
      expect(renders()).toBe(before);
      await end(alone);
    });

    test('the connection test of a source reads its configuration in the renderer', async () => {
      const { url } = lab.platform;
      const { key } = lab.tenant;
      const reply = await call<ConnectionTest>(url, 'POST', '/v1/connection-tests', {
        key,
        body: {
          source: {
            kind: 'git',
            repository: `${lab.git.url.replace('127.0.0.1', 'localhost')}/${REPOSITORY}.git`,
          },
          projectId: lab.projectId,
        },
      });
      expect(reply.body, reply.text).toMatchObject({ ok: true });
      expect(renderer.runs().map(({ program }) => program)).toContain('connection');
    });
  },
);

describe(`a running export of ${PAGES} pages`, () => {
  let platform: TestPlatform;
  let tenant: Tenant;
  let domain: string;
  let port: number;
  let metricsPort: number;
  let jobId: string;

  const read = async () =>
    (await call<Job>(platform.url, 'GET', `${JOBS}/${jobId}`, { key: tenant.key })).body;
  async function start(): Promise<void> {
    const reply = await call<Job>(platform.url, 'POST', JOBS, { key: tenant.key, body: { domain } });
    expect(reply.status, reply.text).toBe(202);
    jobId = reply.body.jobId;
  }
  /** Resolves while the export renders: some pages are done, most are not. */
  async function rendering(): Promise<void> {
    for (;;) {
      const job = await read();
      expect(job.status, job.error).not.toBe('completed');
      if (job.status === 'running' && job.pageCount > 0) return;
      await sleep(20);
    }
  }
  const completed = async () =>
    expect((await follow(platform.url, tenant.key, jobId, 50)).at(-1)).toMatchObject({
      status: 'completed',
      pageCount: PAGES + 1,
    });
  const events = async () =>
    (
      await platform.database.db
        .selectFrom('export_events')
        .select('event')
        .where('export_id', '=', jobId)
        .orderBy('id')
        .execute()
    ).map(({ event }) => event);
  const readiness = async () => {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/readyz`).catch(() => null);
    return response === null
      ? null
      : [response.status, ((await response.json()) as { checks: object }).checks];
  };
  const renderers: TestRenderer[] = [];
  const startRenderer = async (env: Record<string, string> = {}): Promise<TestRenderer> => {
    const renderer = await startTestRenderer(port, env);
    renderers.push(renderer);
    return renderer;
  };
  const worker = () => platform.start(['worker'], { OFFPRINT_METRICS_PORT: String(metricsPort) });

  beforeAll(async () => {
    [port, metricsPort] = [await freePort(), await freePort()];
    platform = await startTestPlatform({
      roles: ['api'],
      env: { OFFPRINT_RENDERER_URL: `http://127.0.0.1:${port}` },
    });
    tenant = await platform.createTenant();
    const path = await makeFolder(siteFiles(PAGES, 'Renderer', 40));
    ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
  });
  afterAll(() => platform.stop());
  // A test that fails leaves nothing to the next one.
  afterEach(async () => {
    for (const child of platform.processes().slice(1))
      if (child.exitCode === null && child.signalCode === null) await end(child, 'SIGKILL');
    await Promise.all(renderers.splice(0).map((renderer) => renderer.end('SIGKILL')));
    await call(platform.url, 'POST', `${JOBS}/${jobId}/cancel`, { key: tenant.key });
  });

  test('waits for a renderer that is not there yet; the worker is not ready and logs the reason', async () => {
    worker();
    await start();
    await expect
      .poll(readiness, { timeout: 120_000 })
      .toEqual([
        503,
        { database: 'ok', queue: 'ok', blobs: 'ok', renderer: 'is unavailable; see the log for the reason' },
      ]);
    await expect.poll(() => platform.log(), { timeout: 120_000 }).toContain('no renderer is available');
    expect(await read()).toMatchObject({ status: 'running', pageCount: 0 });
    await startRenderer();
    await completed();
    expect((await readiness())?.[0]).toBe(200);
    expect(await events()).toEqual(['queued', 'claimed', 'completed']);
  });

  test('is completed when its renderers are killed, each of which counts as a failure of the platform', async () => {
    worker();
    let renderer = await startRenderer();
    await start();
    for (let kills = 0; kills < 2; kills++) {
      await renderer.isRunning('render');
      await renderer.end('SIGKILL');
      await expect
        .poll(async () => (await events()).filter((event) => event === 'retried'))
        .toHaveLength(kills + 1);
      renderer = await startRenderer();
    }
    await completed();
    expect((await events()).filter((event) => event === 'completed')).toHaveLength(1);
  });

  test('is completed by the next renderer when its renderer is stopped, which counts as no failure', async () => {
    worker();
    const first = await startRenderer();
    await start();
    await rendering();
    expect(await first.end('SIGTERM')).toBe(0);
    expect(first.runs()).toEqual([{ program: 'render', outcome: 'given back' }]);
    await startRenderer();
    await completed();
    expect(await events()).toEqual(['queued', 'claimed', 'completed']);
  });

  test('whose worker is killed ends in the renderer too, and the next worker completes it', async () => {
    const running = worker();
    const renderer = await startRenderer({ OFFPRINT_EXPORT_CONCURRENCY: '1' });
    await start();
    await rendering();
    await end(running, 'SIGKILL');
    await expect
      .poll(() => renderer.runs(), { timeout: 120_000 })
      .toEqual([{ program: 'render', outcome: 'cancelled' }]);
    worker();
    await completed();
  });

  test('that is cancelled frees the slot of the renderer', async () => {
    worker();
    const renderer = await startRenderer({ OFFPRINT_EXPORT_CONCURRENCY: '1' });
    await start();
    await rendering();
    await call(platform.url, 'POST', `${JOBS}/${jobId}/cancel`, { key: tenant.key });
    await start();
    await completed();
    expect(renderer.runs().map(({ outcome }) => outcome)).toEqual(['cancelled', 'completed']);
  });
});

test('a renderer refuses to start with a secret, even one in a file that it cannot read', () => {
  const main = fileURLToPath(new URL('../../apps/server/src/main.ts', import.meta.url));
  const start = (env: Record<string, string>) =>
    spawnSync(process.execPath, [main, 'renderer'], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
      encoding: 'utf8',
    });
  for (const name of ['OFFPRINT_SECRET', 'DATABASE_URL_FILE', 'OFFPRINT_S3_SECRET_ACCESS_KEY']) {
    const { status, stderr } = start({ [name]: '/run/secrets/none' });
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(`${name}: must not be set for the renderer`),
    ]);
  }
});

test.skipIf(process.platform !== 'linux')(
  'the environment of a renderer has no setting of API and workers',
  async () => {
    const renderer = await startTestRenderer(await freePort());
    const environment = readFileSync(`/proc/${renderer.process.pid}/environ`, 'utf8');
    expect(environment).not.toMatch(/SECRET|DATABASE|S3/);
    await renderer.end();
  },
);
