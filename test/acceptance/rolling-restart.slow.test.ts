/** Restarts of API processes behind a reverse proxy: no request fails. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { findProgram, missing } from '../support/system-program.ts';
import { call } from './api.ts';

const JOBS = '/v1/static-export/jobs';
const nginx = findProgram('nginx');
const DRAIN = { OFFPRINT_DRAIN_SECONDS: '2' };

let platform: TestPlatform;
let tenant: Tenant;

beforeAll(async () => {
  platform = await startTestPlatform({ roles: ['api'] });
  tenant = await platform.createTenant();
});
afterAll(() => platform.stop());

test('after SIGTERM, /readyz is 503 and responses close their connections, while requests are served', async () => {
  const url = await platform.startApi(DRAIN);
  const child = platform.processes().at(-1)!;
  const agent = new Agent({ keepAlive: true });
  const ask = (path: string) =>
    new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${tenant.key}` };
      get(new URL(path, url), { agent, headers }, (response) => {
        response.resume().once('end', () => {
          resolve({ status: response.statusCode, connection: response.headers.connection });
        });
      }).once('error', reject);
    });
  expect(await ask(JOBS)).toEqual({ status: 200, connection: 'keep-alive' });
  child.kill('SIGTERM');
  await expect.poll(async () => (await ask('/readyz')).status).toBe(503);
  expect(await ask(JOBS)).toEqual({ status: 200, connection: 'close' });
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
  agent.destroy();
});

test('a process with another secret exits with a sentence that says what to do', async () => {
  const child = platform.start(['api'], { OFFPRINT_PORT: '0', OFFPRINT_SECRET: 'x'.repeat(64) });
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(1);
  await expect.poll(() => platform.log()).toContain('OFFPRINT_SECRET is not the secret of this database');
});

describe.skipIf(nginx === null)(`behind nginx${missing(nginx, 'nginx')}`, () => {
  let proxy: ChildProcess;
  let folder: string;
  let url: string;
  const ports: number[] = [];
  const apis: ChildProcess[] = [];

  async function startOn(at: number): Promise<void> {
    const child = platform.start(['api'], { ...DRAIN, OFFPRINT_PORT: String(ports[at]) });
    apis[at] = child;
    const ready = () =>
      fetch(`http://127.0.0.1:${ports[at]}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await ready())) await sleep(50);
  }

  beforeAll(async () => {
    ports.push(await freePort(), await freePort());
    await Promise.all([startOn(0), startOn(1)]);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    folder = await mkdtemp(join(tmpdir(), 'offprint-nginx-'));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ');
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
      events {}
      http {
        access_log off; ${temporary}
        upstream api {
          ${ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join(' ')}
          keepalive 16;
        }
        server {
          listen 127.0.0.1:${port};
          location / { proxy_pass http://api; proxy_http_version 1.1; proxy_set_header Connection ""; }
        }
      }`,
    );
    const args = ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')];
    proxy = spawn(nginx!, args, { stdio: 'ignore' });
    while (
      !(await fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await sleep(50);
  });
  afterAll(async () => {
    proxy?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  test('two rounds of restarts of both processes fail no request', async () => {
    let isOver = false;
    const statuses = new Map<string, number>();
    const clients = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        const status = await call(url, 'GET', JOBS, { key: tenant.key }).then(
          (reply) => String(reply.status),
          (error: Error) => error.message,
        );
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    for (let round = 0; round < 2; round++) {
      for (const at of [0, 1]) {
        const old = apis[at]!;
        old.kill('SIGTERM');
        await once(old, 'exit');
        await startOn(at);
      }
    }
    isOver = true;
    await Promise.all(clients);
    expect([...statuses.keys()]).toEqual(['200']);
    expect(statuses.get('200')).toBeGreaterThan(500);
  });
});
