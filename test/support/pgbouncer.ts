/** The real PgBouncer with transaction pooling, as operators put it between the platform and PostgreSQL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { chooseIdentity } from '../../apps/server/src/platform/db/embedded/identity.ts';
import { freePort } from './free-port.ts';

export interface Pooler {
  /** The same database through the pooler. */
  url: string;
  log(): string;
  stop(): Promise<void>;
}

const START_MS = 20_000;

/** Starts a pooler with default settings except for its mode and number of server connections. */
export async function startPgBouncer(
  program: string,
  databaseUrl: string,
  { mode = 'transaction', size = 10 }: { mode?: 'transaction' | 'session'; size?: number } = {},
): Promise<Pooler> {
  const target = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'offprint-pgbouncer-'));
  const port = await freePort();
  const name = target.pathname.slice(1);
  const host = target.searchParams.get('host') ?? target.hostname;
  const password = decodeURIComponent(target.password);
  const user = decodeURIComponent(target.username);
  const settings = [
    '[databases]',
    // Anybody may connect, and becomes this user.
    `${name} = host=${host} port=${target.port || '5432'} dbname=${name} user=${user} password='${password.replaceAll("'", "''")}'`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    `default_pool_size = ${size}`,
  ];
  await writeFile(join(folder, 'pgbouncer.ini'), `${settings.join('\n')}\n`);
  await chmod(folder, 0o755);
  // Like PostgreSQL, it refuses to run as root.
  const { prefix, user: identity } = await chooseIdentity();
  const [command = program, ...args] = [...prefix, program, join(folder, 'pgbouncer.ini')];
  let log = '';
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], ...identity });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    await rm(folder, { recursive: true, force: true });
  };
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  url.searchParams.delete('host');
  const end = Date.now() + START_MS;
  for (;;) {
    const client = new pg.Client(url.href);
    client.on('error', () => {});
    const isUp = await client.connect().then(
      () => client.query('SELECT 1').then(() => true),
      () => false,
    );
    await client.end().catch(() => {});
    if (isUp) return { url: url.href, log: () => log, stop };
    if (child.exitCode !== null || Date.now() > end) {
      await stop();
      throw new Error(`PgBouncer did not start:\n${log}`);
    }
    await sleep(50);
  }
}
