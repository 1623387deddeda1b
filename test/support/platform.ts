/** A platform as users run it: `main.ts` in a process of its own, on a real PostgreSQL and an empty data folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, scryptSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CreateApiKeyBody, Plan, Role } from '@offprint/contract';
import { pino } from 'pino';
import { createUser, prepareUser } from '../../apps/server/src/accounts/service.ts';
import { startSession } from '../../apps/server/src/accounts/sessions.ts';
import { createKeyService } from '../../apps/server/src/keys/service.ts';
import { addMember, createOrganization } from '../../apps/server/src/organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../../apps/server/src/platform/db/database.ts';
import { deriveKey } from '../../apps/server/src/platform/secret.ts';
import { freePort } from './free-port.ts';
import { createTestDatabase } from './postgres.ts';
import { LINKED } from './processes.ts';
import { findSecrets, noteEnvironment, noteSecrets } from './secrets.ts';

const MAIN = fileURLToPath(new URL('../../apps/server/src/main.ts', import.meta.url));
const START_MS = 240_000;

export interface Tenant {
  organizationId: string;
  /** Admin API key with every scope. */
  key: string;
}

export interface NewTestUser {
  email?: string;
  name?: string;
  password?: string;
  /** Joins this organization; as `role`, else as admin. */
  organizationId?: string;
  role?: Role;
  isOperator?: boolean;
}

export interface TestUser {
  userId: string;
  email: string;
  /** Empty: the account has none. */
  password: string;
  /** Value of the Cookie header that speaks for the user. */
  cookie: string;
  /** Headers of a page of the dashboard, for an organization where one is named. */
  headers(organizationId?: string): Record<string, string>;
}

export interface TestPlatform {
  /** Address of the API. */
  url: string;
  database: OpenDatabase;
  databaseUrl: string;
  dataDir: string;
  /** Root secret of the installation. */
  secret: string;
  /** Everything that the processes have written to standard error so far. */
  log(): string;
  createTenant(plan?: Plan): Promise<Tenant>;
  /** Creates an account that is signed in; a given password is stored with a cheap hash. */
  createUser(user?: NewTestUser): Promise<TestUser>;
  /** Creates a key; by default with every scope and without an end. */
  createKey(organizationId: string, body: Partial<CreateApiKeyBody>): Promise<string>;
  /** Starts one more process with the API, with other settings, on the same data; resolves with its address. */
  startApi(env: Record<string, string>): Promise<string>;
  /** Starts one more process with these roles, on the same data; its output joins the log. */
  start(roles: readonly string[], env?: Record<string, string>): ChildProcess;
  /** Every process started, in order. */
  processes(): readonly ChildProcess[];
  /** Ends every process; throws when a secret that was handed out stands anywhere in clear. */
  stop(): Promise<void>;
}

/** Starts a platform with the roles `api` and `worker` in one process, or with those given. */
export async function startTestPlatform(
  options: { roles?: readonly string[]; env?: Record<string, string> } = {},
): Promise<TestPlatform> {
  const { url: databaseUrl, drop } = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'offprint-platform-'));
  const secret = randomBytes(32).toString('hex');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const children: ChildProcess[] = [];
  let log = '';

  const start: TestPlatform['start'] = (roles, env = {}) => {
    noteEnvironment({ OFFPRINT_SECRET: secret, ...options.env, ...env });
    const child = spawn(process.execPath, [...LINKED, MAIN, ...roles], {
      env: {
        PATH: process.env.PATH ?? '',
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        DATABASE_URL: databaseUrl,
        OFFPRINT_DATA_DIR: dataDir,
        OFFPRINT_PORT: String(port),
        OFFPRINT_SECRET: secret,
        OFFPRINT_ALLOW_FOLDER_SOURCES: 'true',
        OFFPRINT_SHUTDOWN_SECONDS: '1',
        OFFPRINT_DRAIN_SECONDS: '0',
        // Tests of the sandbox require it; all others run on machines without it too.
        OFFPRINT_SANDBOX: 'preferred',
        // Behind the tests, renders would wait for whatever else the machine has to do.
        OFFPRINT_EXPORT_NICE: '0',
        // Tests ask more often than a client may; the tests of the limits set their own.
        OFFPRINT_RATE_LIMIT: '100000',
        OFFPRINT_ANONYMOUS_RATE_LIMIT: '100000',
        ...options.env,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    children.push(child);
    return child;
  };

  const database = openDatabase(databaseUrl, { role: 'test', max: 4 });
  const keys = createKeyService({
    db: database.db,
    pepper: deriveKey(secret, 'api-keys'),
    keysPerHour: 1_000,
    idempotencyHours: 24,
    answerKey: deriveKey(secret, 'answers'),
    log: pino({ level: 'silent' }),
  });
  const createKey: TestPlatform['createKey'] = async (organizationId, body) => {
    const issued = await database.db.transaction().execute((tx) =>
      keys.issue(tx, organizationId, 'test', {
        name: 'test',
        scopes: ['write'],
        expiresInDays: null,
        ...body,
      }),
    );
    noteSecrets(issued.key);
    return issued.key;
  };

  const first = start(options.roles ?? ['api', 'worker']);
  await ready(url, first, () => log);

  return {
    url,
    database,
    databaseUrl,
    dataDir,
    secret,
    log: () => log,
    start,
    processes: () => children,
    createKey,
    async createUser(user = {}) {
      const account = await prepareUser({
        email: user.email ?? `user-${randomBytes(4).toString('hex')}@example.com`,
        name: user.name ?? 'Test User',
        isOperator: user.isOperator === true,
      });
      const made = await createUser(database.db, account);
      if (user.password !== undefined) {
        const kept = cheapPassword(user.password);
        await database.db
          .updateTable('users')
          .set({ password_hash: kept })
          .where('id', '=', made.id)
          .execute();
      }
      const { organizationId, role = 'admin' } = user;
      if (organizationId !== undefined) {
        await database.db
          .transaction()
          .execute((tx) => addMember(tx, { organizationId, userId: made.id, role }));
      }
      const place = { address: '127.0.0.1', userAgent: 'test' };
      const { token } = await startSession(database.db, made.id, place, 14);
      const cookie = `offprint_session=${token}`;
      return {
        userId: made.id,
        email: made.email,
        password: user.password ?? '',
        cookie,
        headers: (organization) => ({
          cookie,
          origin: url,
          ...(organization === undefined ? {} : { 'Offprint-Organization': organization }),
        }),
      };
    },
    async startApi(env) {
      const other = await freePort();
      const address = `http://127.0.0.1:${other}`;
      await ready(address, start(['api'], { OFFPRINT_PORT: String(other), ...env }), () => log);
      return address;
    },
    async createTenant(plan = 'enterprise') {
      const { id } = await createOrganization(database.db, {
        name: `org ${randomBytes(4).toString('hex')}`,
        plan,
      });
      return { organizationId: id, key: await createKey(id, {}) };
    },
    async stop() {
      await Promise.all(children.map(end));
      await database.close();
      const wasKilled = children.some(({ signalCode }) => signalCode === 'SIGKILL');
      const found = await findSecrets({ databaseUrl, dataDir, log, wasKilled });
      await drop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
      if (found.length > 0) throw new Error(`secrets in clear:\n${found.join('\n')}`);
    },
  };
}

/** A kept password as parameters of an older version may have written it. */
function cheapPassword(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 4, r: 8, p: 1 });
  return `scrypt$4$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

async function ready(url: string, child: ChildProcess, log: () => string): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the platform ended with ${child.exitCode}:\n${log()}`);
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.status === 200) return;
    await sleep(50);
  }
  throw new Error(`the platform is not ready after ${START_MS / 1000} s:\n${log()}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  await exited;
  clearTimeout(killer);
}
