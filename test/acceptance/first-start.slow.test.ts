/** The account that the first start makes, as somebody sees it who starts the API by hand. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../support/postgres.ts';
import { LINKED } from '../support/processes.ts';
import { call } from './api.ts';

const MAIN = fileURLToPath(new URL('../../apps/server/src/main.ts', import.meta.url));

let drop: () => Promise<void>;
let env: Record<string, string>;

beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  env = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: database.url,
    OFFPRINT_DATA_DIR: await mkdtemp(join(tmpdir(), 'offprint-first-')),
    OFFPRINT_PORT: '0',
  };
});
afterAll(async () => {
  await drop();
  await rm(env.OFFPRINT_DATA_DIR ?? '', { recursive: true, force: true });
});

/** Starts the API, looks, and stops it; what it wrote to standard output and to the log. */
async function run(look: (url: string, out: string) => Promise<void>): Promise<{ out: string; log: string }> {
  const child = spawn(process.execPath, [...LINKED, MAIN, 'api'], { env });
  let [out, log] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const exited = once(child, 'exit');
  try {
    await expect.poll(() => log).toContain('the API listens');
    await look(/"url":"([^"]+)"/.exec(log)?.[1] ?? '', out);
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
  return { out, log };
}

test('a configured password that is guessed first is refused by the name of its setting', () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'api'], {
    env: { ...env, OFFPRINT_OPERATOR_PASSWORD: 'password1234' },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(2);
  expect(stderr).toContain('OFFPRINT_OPERATOR_PASSWORD: The password is too common');
});

test.skipIf(!existsSync('/proc/self'))(
  'a data folder that cannot be created is named with its setting',
  () => {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'api'], {
      env: { ...env, OFFPRINT_DATA_DIR: '/proc/offprint' },
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(1);
    expect(stderr).toMatch(/^No folder can be created there: \/proc\/offprint\..* set OFFPRINT_DATA_DIR\.$/m);
  },
);

test('the password that is made signs in, and is printed at the first start alone', async () => {
  let password = '';
  const first = await run(async (url, out) => {
    password = /password {2}(\S+)/.exec(out)?.[1] ?? '';
    const body = { email: 'operator@localhost.localdomain', password };
    const reply = await call(url, 'POST', '/v1/session', { body });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toMatchObject({ user: { isOperator: true } });
  });
  expect(first.log).not.toContain(password);
  const second = await run(async () => undefined);
  expect(second.out).toBe('');
});
