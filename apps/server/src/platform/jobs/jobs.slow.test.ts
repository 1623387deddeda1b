import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { test as base, vi } from 'vitest';
import { createTestDatabase } from '../../../../../test/support/postgres.ts';
import { createOrganization } from '../../organizations/service.ts';
import { type OpenDatabase, openDatabase } from '../db/database.ts';
import { cancelJob } from './jobs.ts';
import { GONE_SECONDS, LEASE_SECONDS, MAX_DEATHS } from './leases.ts';
import { addTask, startTaskWorker, TASK_TABLES, type Task, type TaskPayload } from './task.fixture.ts';
import type { WorkerSettings } from './worker.fixture.ts';
import type { JobWorker, Slots } from './worker.ts';

interface Lab {
  open: OpenDatabase;
  /** Starts a worker process. */
  startWorker(name: string, more?: { graceMs?: number; concurrency?: number }): Promise<ChildProcess>;
  enqueue(payload: TaskPayload, owner?: 'a' | 'b' | 'c'): Promise<string>;
  cancel(id: string): Promise<void>;
  /** `<attempt> <worker> <event>` of each line the handlers of this label wrote. */
  history(label: string): Promise<string[]>;
  happened(label: string, line: string): () => Promise<boolean>;
  /** Lets the handler of a task without a length end. */
  go(label: string, attempt: number): Promise<void>;
  /** Records that the worker of an attempt last sent a heartbeat the given number of seconds ago, and no later. */
  lastHeard(attempt: number, seconds: number): Promise<void>;
  /** Whether the task has ended and its job is gone. */
  isOver(id: string): () => Promise<boolean>;
  jobOf(
    id: string,
  ): Promise<
    { attempt: number; failures: number; deaths: number; worker: number | null; seconds: number } | undefined
  >;
  stateOf(id: string): Promise<string>;
  workDir: string;
  /** Works in this process. */
  handle(handler: (task: Task) => Promise<void>, slots?: Partial<Slots>): Promise<JobWorker>;
  /** As `handle`, but nothing is ever done because time passed: no poll, no heartbeat, no check for lost jobs. */
  handleWithoutPolls: Lab['handle'];
}

/** Only ends a test that hangs. */
const HANG_MS = 120_000;
vi.setConfig({ testTimeout: 2 * HANG_MS });

/** Every test has a database of its own, so that the slow ones can wait at the same time. */
const test = base.extend<{ lab: Lab }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixture's needs from the pattern
  lab: async ({}, use) => {
    const database = await createTestDatabase();
    const open = openDatabase(database.url, { role: 'test', max: 4 });
    const workDir = await mkdtemp(join(tmpdir(), 'offprint-jobs-'));
    await open.pool.query(TASK_TABLES);
    const owners = new Map<string, string>();
    for (const name of ['a', 'b', 'c'])
      owners.set(name, (await createOrganization(open.db, { name, plan: 'pro' })).id);
    const children: ChildProcess[] = [];
    const workers: JobWorker[] = [];
    let count = 0;
    const handle: Lab['handle'] = async (handler, slots = {}) => {
      const worker = await startTaskWorker(database.url, { name: 'here', workDir, slots, handler });
      workers.push(worker);
      return worker;
    };
    const history = async (label: string): Promise<string[]> => {
      const { rows } = await open.pool.query<{ line: string }>(
        "SELECT attempt || ' ' || worker || ' ' || event AS line FROM history WHERE label = $1 ORDER BY id",
        [label],
      );
      return rows.map(({ line }) => line);
    };
    const stateOf: Lab['stateOf'] = async (id) => {
      const { rows } = await sql<{ state: string }>`SELECT state FROM tasks WHERE id = ${id}`.execute(
        open.db,
      );
      return rows[0]?.state ?? 'gone';
    };
    const jobOf: Lab['jobOf'] = async (id) => {
      const { rows } = await open.pool.query(
        `SELECT attempt, failures, deaths, worker, extract(epoch FROM run_at - clock_timestamp())::float AS seconds
        FROM jobs WHERE id = $1`,
        [id],
      );
      return rows[0];
    };
    await use({
      open,
      workDir,
      async startWorker(name, { graceMs = 0, concurrency = 2 } = {}) {
        const program = fileURLToPath(new URL('./worker.fixture.ts', import.meta.url));
        const worker = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
        const settings: WorkerSettings = { url: database.url, name, workDir, graceMs, concurrency };
        worker.stdin.end(JSON.stringify(settings));
        children.push(worker);
        await once(worker.stdout, 'data');
        return worker;
      },
      async enqueue(payload, owner = 'a') {
        const id = `task_${String(++count).padStart(32, '0')}`;
        await addTask(open.db, id, owners.get(owner) ?? '', payload);
        return id;
      },
      cancel: (id) =>
        open.db.transaction().execute(async (tx) => {
          await sql`UPDATE tasks SET state = 'cancelled' WHERE id = ${id}`.execute(tx);
          await cancelJob(tx, id);
        }),
      history,
      happened: (label, line) => async () => (await history(label)).includes(line),
      stateOf,
      jobOf,
      isOver: (id) => async () => (await stateOf(id)) !== 'active' && (await jobOf(id)) === undefined,
      async go(label, attempt) {
        await open.pool.query(
          "INSERT INTO history (label, attempt, worker, event) VALUES ($1, $2, 'test', 'go')",
          [label, attempt],
        );
      },
      async lastHeard(attempt, seconds) {
        await open.pool.query(
          'UPDATE jobs SET beat_at = now() - make_interval(secs => $2) WHERE attempt = $1 AND worker IS NOT NULL',
          [attempt, seconds],
        );
      },
      handle,
      async handleWithoutPolls(handler, slots) {
        vi.useFakeTimers({ toFake: ['setInterval'] });
        const worker = await handle(handler, slots).finally(() => vi.useRealTimers());
        const listening =
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'offprint-here-listen' AND state = 'idle' AND query LIKE 'LISTEN%'";
        await until(async () => (await open.pool.query(listening)).rowCount === 1);
        return worker;
      },
    });
    for (const child of children) child.kill('SIGKILL');
    for (const worker of workers) await worker.stop(0);
    await open.close();
    await database.drop();
    await rm(workDir, { recursive: true, force: true });
  },
});

async function until(what: () => Promise<boolean>): Promise<void> {
  const started = performance.now();
  while (!(await what())) {
    if (performance.now() - started > HANG_MS) throw new Error(`Not after ${HANG_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

test.concurrent('a job exists if and only if its transaction is committed', async ({
  lab: { open, enqueue, isOver, handle },
  expect,
}) => {
  const seen: string[] = [];
  await handle(async ({ payload }) => void seen.push(payload.label));
  const { organization_id: owner } = await open.pool
    .query<{ organization_id: string }>('SELECT id AS organization_id FROM organizations LIMIT 1')
    .then(({ rows }) => rows[0]!);
  await expect(
    open.db.transaction().execute(async (tx) => {
      await tx.insertInto('jobs').values({ id: 'x', kind: 'test', organization_id: owner }).execute();
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await until(isOver(await enqueue({ label: 'kept', ms: 0 })));
  expect(seen).toEqual(['kept']);
  expect(await open.db.selectFrom('jobs').selectAll().execute()).toEqual([]);
});

// One after the other, because they take the timers of this process away while their worker starts.
test('a waiting worker is woken by a new job', async ({
  lab: { enqueue, isOver, handleWithoutPolls },
  expect,
}) => {
  const seen: string[] = [];
  await handleWithoutPolls(async ({ payload }) => void seen.push(payload.label));
  for (let round = 0; round < 10; round++) await until(isOver(await enqueue({ label: `r${round}`, ms: 0 })));
  expect(seen).toEqual(Array.from({ length: 10 }, (_, round) => `r${round}`));
});

test('a backlog drains without waiting for polls, and concurrency is a hard limit', async ({
  lab: { enqueue, isOver, handleWithoutPolls },
  expect,
}) => {
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => enqueue({ label: `b${n}`, ms: 0 })));
  let running = 0;
  let most = 0;
  const { promise: three, resolve: all } = Promise.withResolvers<void>();
  await handleWithoutPolls(
    async () => {
      most = Math.max(most, ++running);
      if (running === 3) all();
      await three;
      await new Promise((resolve) => setTimeout(resolve, 10));
      running--;
    },
    { concurrency: 3 },
  );
  for (const id of ids) await until(isOver(id));
  expect(most).toBe(3);
});

test('a cancel reaches a handler as it is made', async ({
  lab: { cancel, enqueue, handleWithoutPolls },
  expect,
}) => {
  let started = false;
  let reason: unknown;
  await handleWithoutPolls(async ({ signal }) => {
    started = true;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    reason = signal.reason;
    throw new Error('aborted');
  });
  const id = await enqueue({ label: 'cancelled' });
  await until(async () => started);
  await cancel(id);
  await until(async () => reason !== undefined);
  expect(reason).toBe('cancelled');
});

test('a job that a stopping worker gives back is taken up as it is given back', async ({
  lab: { startWorker, enqueue, happened, handleWithoutPolls },
  expect,
}) => {
  const first = await startWorker('first');
  await enqueue({ label: 'handed', isDeaf: true });
  await until(happened('handed', '1 first started'));
  const attempts: number[] = [];
  await handleWithoutPolls(async ({ attempt }) => void attempts.push(attempt));
  first.kill('SIGTERM');
  await until(async () => attempts.length > 0);
  expect(attempts).toEqual([2]);
});

/** Handles tasks until they are let go, and records the order of their starts. */
function heldHandler(): {
  started: string[];
  handler: (task: Task) => Promise<void>;
  letGo(label: string): void;
} {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    handler: ({ payload: { label } }) =>
      new Promise((resolve) => {
        ends.set(label, resolve);
        started.push(label);
      }),
    letGo: (label) => ends.get(label)?.(),
  };
}

test.concurrent('an organization with ten long jobs never holds the last slot of a shared worker, so the job of another starts at once', async ({
  lab: { handle, enqueue },
  expect,
}) => {
  const { started, handler, letGo } = heldHandler();
  for (let n = 0; n < 10; n++) await enqueue({ label: `a${n}` }, 'a');
  await handle(handler, { concurrency: 3, isShared: async () => true });
  await until(async () => started.length === 2);
  await enqueue({ label: 'b0' }, 'b');
  await until(async () => started.length === 3);
  expect(started).toEqual(['a0', 'a1', 'b0']);
  letGo('b0');
  await enqueue({ label: 'c0' }, 'c');
  await until(async () => started.length === 4);
  expect(started[3]).toBe('c0');
  for (const label of ['a0', 'a1', 'c0']) letGo(label);
});

test.concurrent('no more jobs of one organization run than may, on two workers with slots for more', async ({
  lab: { handle, enqueue },
  expect,
}) => {
  const { started, handler, letGo } = heldHandler();
  for (let n = 0; n < 12; n++) await enqueue({ label: `a${n}` }, 'a');
  const slots = { concurrency: 4, organizationLimit: 3 };
  await Promise.all([handle(handler, slots), handle(handler, slots)]);
  for (let done = 0; done < 9; done++) {
    await until(async () => started.length === done + 3);
    letGo(started[done]!);
  }
  await until(async () => started.length === 12);
  expect(started).toEqual(Array.from({ length: 12 }, (_, n) => `a${n}`));
  for (const label of started) letGo(label);
});

test.concurrent('a failure makes the next attempt wait for 5 s, whatever number of workers stopped or died before', async ({
  lab: { open, startWorker, enqueue, happened, jobOf, lastHeard },
  expect,
}) => {
  const id = await enqueue({ label: 'unlucky', failures: 99 });
  for (let attempt = 1; attempt <= 7; attempt++) {
    const worker = await startWorker(`w${attempt}`);
    await until(happened('unlucky', `${attempt} w${attempt} started`));
    const exit = once(worker, 'exit');
    worker.kill(attempt % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
    await exit;
    if (attempt % 2 === 1) await lastHeard(attempt, GONE_SECONDS + 1);
  }
  await startWorker('last');
  await until(happened('unlucky', '8 last started'));
  await open.pool.query(
    "INSERT INTO history (label, attempt, worker, event) VALUES ('unlucky', 8, 'test', 'go')",
  );
  await until(async () => (await jobOf(id))?.failures === 1);
  const job = await jobOf(id);
  expect(job).toMatchObject({ attempt: 8, worker: null });
  expect(job?.seconds).toBeGreaterThan(0);
  expect(job?.seconds).toBeLessThanOrEqual(5);
});

test.concurrent('failures in a row are spaced out by 5, 10, 20 s; a step between makes them start again; the fifth is the last', async ({
  lab: { open, enqueue, handle, jobOf, stateOf },
  expect,
}) => {
  const id = await enqueue({ label: 'failing' });
  await handle(async ({ attempt, progress }) => {
    if (attempt === 4) await progress();
    throw new Error('always');
  });
  const delays: number[] = [];
  for (let attempt = 1; attempt <= 7; attempt++) {
    await until(async () => {
      const job = await jobOf(id);
      return job?.attempt === attempt && job.worker === null;
    });
    delays.push(Math.ceil((await jobOf(id))?.seconds ?? 0));
    await open.pool.query('UPDATE jobs SET run_at = now() WHERE id = $1', [id]);
  }
  await until(async () => (await stateOf(id)) === 'failed');
  expect(delays).toEqual([5, 10, 20, 5, 10, 20, 40]);
  expect(await jobOf(id)).toBeUndefined();
});

test.concurrent('a restart of the database is not counted as a failure of the job, up to the fiftieth attempt', async ({
  lab: { open, enqueue, handle, jobOf },
  expect,
}) => {
  const id = await enqueue({ label: 'restarted' });
  await handle(async () => {
    throw Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' });
  });
  const failuresAfter = async (attempt: number) => {
    await open.pool.query('UPDATE jobs SET run_at = now() WHERE id = $1', [id]);
    await until(async () => {
      const job = await jobOf(id);
      return job !== undefined && job.attempt >= attempt && job.worker === null;
    });
    return (await jobOf(id))?.failures;
  };
  for (let attempt = 1; attempt <= 6; attempt++) expect(await failuresAfter(attempt)).toBe(0);
  await open.pool.query('UPDATE jobs SET attempt = 48 WHERE id = $1', [id]);
  expect(await failuresAfter(49)).toBe(0);
  expect(await failuresAfter(50)).toBe(1);
});

test.concurrent('a job that stops its worker each time is abandoned, and may clean up first', async ({
  lab: { open, enqueue, handle, isOver, stateOf },
  expect,
}) => {
  const id = await enqueue({ label: 'poison' });
  await open.pool.query('UPDATE jobs SET deaths = $2 WHERE id = $1', [id, MAX_DEATHS]);
  let hasRun = false;
  await handle(async () => {
    hasRun = true;
  });
  await until(isOver(id));
  expect(await stateOf(id)).toBe('failed');
  const { rows } = await open.pool.query("SELECT payload->>'failure' AS failure FROM tasks WHERE id = $1", [
    id,
  ]);
  expect(rows[0].failure).toMatch(/stopped its worker 30 times without progress .* Cleaned up\.$/);
  expect(hasRun).toBe(false);
});

test.concurrent('a job that kills its worker again and again is made to run alone, and its neighbors end', async ({
  lab: { startWorker, enqueue, happened, isOver, jobOf, lastHeard, go, history },
  expect,
}) => {
  const poison = await enqueue({ label: 'poison' });
  const neighbor = await enqueue({ label: 'neighbor' }, 'b');
  for (let death = 1; death <= 2; death++) {
    const worker = await startWorker(`w${death}`, { concurrency: 2 });
    await until(happened('poison', `${death} w${death} started`));
    await until(happened('neighbor', `${death} w${death} started`));
    const exit = once(worker, 'exit');
    worker.kill('SIGKILL');
    await exit;
    await lastHeard(death, GONE_SECONDS + 1);
  }
  // Which of them it is, nobody knows: from now on, each runs without the other.
  const alone = await startWorker('alone', { concurrency: 2 });
  const third = (label: string) => happened(label, '3 alone started');
  await until(async () => (await third('poison')()) || (await third('neighbor')()));
  const [first, second] = (await third('poison')()) ? ['poison', 'neighbor'] : ['neighbor', 'poison'];
  expect(await history(second!)).not.toContain('3 alone started');
  await go(first!, 3);
  await until(third(second!));
  await go(second!, 3);
  await until(isOver(neighbor));
  await until(isOver(poison));
  alone.kill('SIGTERM');
  expect(await jobOf(poison)).toBeUndefined();
});

test.concurrent('after SIGKILL of its worker a job runs again long before its lease is over, again and again', async ({
  lab: { startWorker, enqueue, happened, lastHeard, jobOf },
  expect,
}) => {
  const id = await enqueue({ label: 'killed' });
  let worker = await startWorker('w1');
  for (let round = 1; round <= 2; round++) {
    await until(happened('killed', `${round} w${round} started`));
    const next = await startWorker(`w${round + 1}`);
    worker.kill('SIGKILL');
    await until(async () => {
      await lastHeard(round, GONE_SECONDS + 1);
      return happened('killed', `${round + 1} w${round + 1} started`)();
    });
    worker = next;
  }
  expect(await jobOf(id)).toMatchObject({ failures: 0, deaths: 2 });
});

test.concurrent('a worker paused by SIGSTOP loses its job; resumed, it is notified and cannot end it', async ({
  lab: { stateOf, startWorker, enqueue, happened, lastHeard },
  expect,
}) => {
  const id = await enqueue({ label: 'paused' });
  const zombie = await startWorker('zombie');
  await until(happened('paused', '1 zombie started'));
  zombie.kill('SIGSTOP');
  await startWorker('other');
  await until(async () => {
    await lastHeard(1, LEASE_SECONDS + 1);
    return happened('paused', '2 other started')();
  });
  zombie.kill('SIGCONT');
  await until(happened('paused', '1 zombie aborted lost'));
  expect(await stateOf(id)).toBe('active');
});

test.concurrent('a woken worker whose handler ends at once cannot end the new attempt', async ({
  lab: { stateOf, startWorker, enqueue, history, happened, isOver, go, lastHeard },
  expect,
}) => {
  const id = await enqueue({ label: 'deaf', isDeaf: true });
  const zombie = await startWorker('zombie', { graceMs: HANG_MS });
  await until(happened('deaf', '1 zombie started'));
  zombie.kill('SIGSTOP');
  await startWorker('other');
  await until(async () => {
    await lastHeard(1, LEASE_SECONDS + 1);
    return happened('deaf', '2 other started')();
  });
  await go('deaf', 1);
  zombie.kill('SIGCONT');
  await until(happened('deaf', '1 zombie ended'));
  // it has said all it has to say of its attempt when it is gone
  const gone = once(zombie, 'exit');
  zombie.kill('SIGTERM');
  await gone;
  expect(await stateOf(id)).toBe('active');
  await go('deaf', 2);
  await until(isOver(id));
  expect((await history('deaf')).at(-1)).toBe('2 other ended');
});

test.concurrent('a cancel reaches a handler in another process, and the job is not requeued', async ({
  lab: { cancel, startWorker, enqueue, happened, jobOf },
  expect,
}) => {
  await startWorker('a');
  const id = await enqueue({ label: 'cancelled' });
  await until(happened('cancelled', '1 a started'));
  await cancel(id);
  await until(happened('cancelled', '1 a aborted cancelled'));
  expect(await jobOf(id)).toBeUndefined();
});

test.concurrent('a cancelled job that waits is never claimed; cancelling nothing is not an error', async ({
  lab: { cancel, enqueue, isOver, handle },
  expect,
}) => {
  const id = await enqueue({ label: 'early', ms: 0 });
  await cancel(id);
  await cancel('no such thing');
  const seen: string[] = [];
  await handle(async ({ payload }) => void seen.push(payload.label));
  await until(isOver(await enqueue({ label: 'late', ms: 0 })));
  expect(seen).toEqual(['late']);
});

test.concurrent('a worker that stops gives its jobs back, which counts neither as a failure nor as a death', async ({
  lab: { startWorker, enqueue, history, happened, isOver, go, jobOf },
  expect,
}) => {
  const first = await startWorker('first');
  const id = await enqueue({ label: 'handed' });
  await until(happened('handed', '1 first started'));
  await startWorker('second');
  first.kill('SIGTERM');
  await until(happened('handed', '2 second started'));
  await until(happened('handed', '1 first aborted shutdown'));
  expect(await jobOf(id)).toMatchObject({ failures: 0, deaths: 0 });
  await go('handed', 2);
  await until(isOver(id));
  expect((await history('handed')).at(-1)).toBe('2 second ended');
});

test.concurrent('a worker that stops lets a handler finish within the grace', async ({
  lab: { startWorker, enqueue, history, happened, isOver },
  expect,
}) => {
  const worker = await startWorker('gentle', { graceMs: HANG_MS });
  const id = await enqueue({ label: 'finishing', ms: 1_000 });
  await until(happened('finishing', '1 gentle started'));
  worker.kill('SIGTERM');
  await until(isOver(id));
  expect(await history('finishing')).toEqual(['1 gentle started', '1 gentle ended']);
});

test.concurrent('connections cut by the server cost nothing: jobs continue and new ones are handled', async ({
  lab: { open, enqueue, isOver, handle },
  expect,
}) => {
  const ended: string[] = [];
  let hasStarted = false;
  const { promise: afterwards, resolve: cutOff } = Promise.withResolvers<void>();
  await handle(
    async ({ payload, attempt }) => {
      if (payload.label === 'long') {
        hasStarted = true;
        await afterwards;
      }
      ended.push(`${payload.label} ${attempt}`);
    },
    { concurrency: 2 },
  );
  const long = await enqueue({ label: 'long' });
  await until(async () => hasStarted);
  for (let cut = 0; cut < 5; cut++) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await open.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'offprint-here%' AND datname = current_database()",
    );
  }
  const short = await enqueue({ label: 'short', ms: 0 });
  await until(isOver(short));
  cutOff();
  await until(isOver(long));
  expect(ended.sort()).toEqual(['long 1', 'short 1']);
});

test.concurrent('one worker alone takes its own lost job up again, and its first handler is notified', async ({
  lab: { open, enqueue, handle, isOver },
  expect,
}) => {
  const seen: string[] = [];
  await handle(
    async ({ attempt, signal }) => {
      seen.push(`${attempt} started`);
      if (attempt === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      else await until(async () => seen.includes('1 lost'));
      seen.push(`${attempt} ${signal.reason ?? 'ended'}`);
      if (signal.aborted) throw new Error('aborted');
    },
    { concurrency: 2 },
  );
  const id = await enqueue({ label: 'own', ms: 0 });
  await until(async () => seen.length === 1);
  await open.pool.query('UPDATE jobs SET worker = NULL WHERE id = $1', [id]);
  await until(isOver(id));
  expect(seen).toEqual([
    '1 started',
    expect.stringMatching('1 lost|2 started'),
    expect.stringMatching('1 lost|2 started'),
    '2 ended',
  ]);
});

test.concurrent('unfinished rows without a job are given one, and no others', async ({
  lab: { open, enqueue, handle, isOver },
  expect,
}) => {
  const [lost, done] = [await enqueue({ label: 'lost', ms: 0 }), await enqueue({ label: 'done', ms: 0 })];
  await open.pool.query("UPDATE tasks SET state = 'done' WHERE id = $1", [done]);
  await open.pool.query('DELETE FROM jobs');
  const seen: string[] = [];
  await handle(async ({ payload }) => void seen.push(payload.label));
  await until(isOver(lost));
  expect(seen).toEqual(['lost']);
  expect(await open.db.selectFrom('jobs').selectAll().execute()).toEqual([]);
});

test.concurrent('an attempt has an empty folder of its own, which goes with it, also when its worker was killed', async ({
  lab: { startWorker, enqueue, happened, handle, isOver, lastHeard, workDir },
  expect,
}) => {
  const worker = await startWorker('first');
  const id = await enqueue({ label: 'folder' });
  await until(happened('folder', '1 first started'));
  expect(await readdir(workDir)).toEqual([`${id}-1`]);
  const exit = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exit;
  await lastHeard(1, GONE_SECONDS + 1);
  await handle(async () => undefined);
  await until(isOver(id));
  await until(async () => (await readdir(workDir)).length === 0);
});

test.concurrent('a row that a process of another version has taken meanwhile is queued again with its fence', async ({
  lab: { open, enqueue, handle, isOver },
  expect,
}) => {
  const id = await enqueue({ label: 'taken', ms: 0 });
  await open.pool.query('UPDATE tasks SET attempt = 5 WHERE id = $1', [id]);
  const attempts: number[] = [];
  await handle(async ({ attempt }) => void attempts.push(attempt));
  await until(isOver(id));
  expect(attempts).toEqual([6]);
});
