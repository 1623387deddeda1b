import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { test as base, vi } from 'vitest';
import { createEmptyDatabase, createTestDatabase } from '../../../../../test/support/postgres.ts';
import { type OpenDatabase, openDatabase } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { createQueue } from './boss.ts';
import { GONE_SECONDS, LEASE_SECONDS } from './claims.ts';
import type { Job, Queue } from './queue.ts';
import type { TestPayload, WorkerSettings } from './worker.fixture.ts';

interface Lab {
  open: OpenDatabase;
  queue: Queue;
  /** Starts a worker process that handles the queue `test`. */
  startWorker(name: string, graceMs?: number): Promise<ChildProcess>;
  enqueue(payload: TestPayload, owner?: string): Promise<string>;
  /** `<delivery> <worker> <event>` of each line the handlers of this label wrote. */
  history(label: string): Promise<string[]>;
  happened(label: string, line: string): () => Promise<boolean>;
  /** Lets the handler of an entry without a length end. */
  go(label: string, delivery: number): Promise<void>;
  /**
   * Records that the worker of a delivery last sent a heartbeat the given number of seconds ago, and no
   * later.
   */
  lastHeard(delivery: number, seconds: number): Promise<void>;
  isOver(id: string): () => Promise<boolean>;
  /** Handles the queue in this process. */
  handle(handler: (job: Job<TestPayload>) => Promise<void>, concurrency?: number): Promise<void>;
  /**
   * As `handle`, but nothing is ever done because time passed: no poll, no heartbeat, no check for lost
   * entries.
   */
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
    await open.pool.query(
      `CREATE TABLE history (
        id bigint GENERATED ALWAYS AS IDENTITY, label text, delivery int, worker text, event text,
        at timestamptz DEFAULT clock_timestamp())`,
    );
    const queue = await createQueue({
      url: database.url,
      role: 'test',
      log: { info: () => {}, error: () => {} },
    });
    const workers: ChildProcess[] = [];
    const handle: Lab['handle'] = (handler, concurrency = 1) =>
      queue.work<TestPayload>('test', { concurrency }, handler);
    const history = async (label: string): Promise<string[]> => {
      const { rows } = await open.pool.query<{ line: string }>(
        "SELECT delivery || ' ' || worker || ' ' || event AS line FROM history WHERE label = $1 ORDER BY id",
        [label],
      );
      return rows.map(({ line }) => line);
    };
    await use({
      open,
      queue,
      async startWorker(name, graceMs = 0) {
        const program = fileURLToPath(new URL('./worker.fixture.ts', import.meta.url));
        const worker = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
        worker.stdin.end(JSON.stringify({ url: database.url, name, graceMs } satisfies WorkerSettings));
        workers.push(worker);
        await once(worker.stdout, 'data');
        return worker;
      },
      enqueue: (payload, owner = 'one') =>
        open.db.transaction().execute((tx) => queue.enqueue(tx, 'test', payload, { owner })),
      history,
      happened: (label, line) => async () => (await history(label)).includes(line),
      isOver: (id) => async () => !(await queue.has('test', id)),
      async go(label, delivery) {
        await open.pool.query(
          "INSERT INTO history (label, delivery, worker, event) VALUES ($1, $2, 'test', 'go')",
          [label, delivery],
        );
      },
      async lastHeard(delivery, seconds) {
        await open.pool.query(
          'UPDATE queue_claims SET beat_at = now() - make_interval(secs => $2) WHERE delivery = $1',
          [delivery, seconds],
        );
      },
      handle,
      async handleWithoutPolls(handler, concurrency) {
        vi.useFakeTimers({ toFake: ['setInterval'] });
        await handle(handler, concurrency).finally(() => vi.useRealTimers());
        const listening =
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'offprint-test-queue-listen' AND state = 'idle' AND query LIKE 'LISTEN%'";
        await until(async () => (await open.pool.query(listening)).rowCount === 1);
      },
    });
    for (const worker of workers) worker.kill('SIGKILL');
    await queue.stop(0);
    await open.close();
    await database.drop();
  },
});

async function until(what: () => Promise<boolean>): Promise<void> {
  const started = performance.now();
  while (!(await what())) {
    if (performance.now() - started > HANG_MS) throw new Error(`Not after ${HANG_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

test.concurrent('an entry exists if and only if its transaction is committed', async ({
  lab: { open, queue, enqueue, isOver, handle },
  expect,
}) => {
  const seen: string[] = [];
  await handle(async ({ payload }) => void seen.push(payload.label));
  let lost = '';
  await expect(
    open.db.transaction().execute(async (tx) => {
      lost = await queue.enqueue(tx, 'test', { label: 'rolled back', ms: 0 }, { owner: 'one' });
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  const kept = await enqueue({ label: 'kept', ms: 0 });
  await until(isOver(kept));
  expect(seen).toEqual(['kept']);
  expect(await queue.has('test', lost)).toBe(false);
});

// One after the other, because they take the timers of this process away while their worker starts.
test('a waiting worker is woken by a new entry', async ({
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
  let all = (): void => {};
  const three = new Promise<void>((resolve) => {
    all = resolve;
  });
  await handleWithoutPolls(async () => {
    most = Math.max(most, ++running);
    if (running === 3) all();
    await three;
    await new Promise((resolve) => setTimeout(resolve, 10));
    running--;
  }, 3);
  for (const id of ids) await until(isOver(id));
  expect(most).toBe(3);
});

/** Handles entries until they are let go, and records the order of their starts. */
function heldHandler(): {
  started: string[];
  handler: (job: Job<TestPayload>) => Promise<void>;
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

test.concurrent('an owner with ten long entries never holds the last slot of a shared worker, so the entry of another starts at once', async ({
  lab: { queue, enqueue },
  expect,
}) => {
  const { started, handler, letGo } = heldHandler();
  for (let n = 0; n < 10; n++) await enqueue({ label: `a${n}` }, 'a');
  await queue.work<TestPayload>('test', { concurrency: 3, isShared: async () => true }, handler);
  await until(async () => started.length === 2);
  await enqueue({ label: 'b0' }, 'b');
  await until(async () => started.length === 3);
  expect(started).toEqual(['a0', 'a1', 'b0']);
  letGo('b0');
  await enqueue({ label: 'c0' }, 'c');
  await until(async () => started.length === 4);
  expect(started[3]).toBe('c0');
});

test.concurrent('an owner alone uses every slot, and a free slot goes to the owner with the fewest active entries', async ({
  lab: { queue, enqueue },
  expect,
}) => {
  const { started, handler, letGo } = heldHandler();
  for (let n = 0; n < 10; n++) await enqueue({ label: `a${n}` }, 'a');
  await queue.work<TestPayload>('test', { concurrency: 2, isShared: async () => false }, handler);
  await until(async () => started.length === 2);
  expect(started).toEqual(['a0', 'a1']);
  for (const label of ['b0', 'b1']) await enqueue({ label }, 'b');
  await enqueue({ label: 'c0' }, 'c');
  for (const [index, next] of ['b0', 'c0', 'a2', 'b1'].entries()) {
    letGo(started[index]!);
    await until(async () => started.length === index + 3);
    expect(started[index + 2]).toBe(next);
  }
});

test('a cancel reaches a handler as it is made', async ({
  lab: { queue, enqueue, handleWithoutPolls },
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
  await queue.cancel('test', id);
  await until(async () => reason !== undefined);
  expect(reason).toBe('cancelled');
});

test('an entry that a stopping worker gives back is taken up as it is given back', async ({
  lab: { startWorker, enqueue, happened, handleWithoutPolls },
  expect,
}) => {
  const first = await startWorker('first');
  await enqueue({ label: 'handed', deaf: true });
  await until(happened('handed', '1 first started'));
  const deliveries: number[] = [];
  await handleWithoutPolls(async ({ delivery }) => void deliveries.push(delivery));
  first.kill('SIGTERM');
  await until(async () => deliveries.length > 0);
  expect(deliveries).toEqual([2]);
});

test.concurrent('a handler that throws is delivered again after five to ten seconds', async ({
  lab: { open, startWorker, enqueue, history, isOver },
  expect,
}) => {
  await startWorker('a');
  const id = await enqueue({ label: 'retry', ms: 0, failures: 1 });
  const due = async (): Promise<{ after: number; from_now: number } | undefined> => {
    const { rows } = await open.pool.query(
      `SELECT extract(epoch FROM start_after - at)::float AS after,
        extract(epoch FROM start_after - clock_timestamp())::float AS from_now
      FROM pgboss.job j, history WHERE j.id = $1 AND retry_count + (state = 'retry')::int > 0 AND event = 'started'
      ORDER BY delivery`,
      [id],
    );
    return rows[0];
  };
  await until(async () => (await due()) !== undefined);
  const { after, from_now } = (await due())!;
  expect(after).toBeGreaterThanOrEqual(5);
  expect(from_now).toBeLessThanOrEqual(10);
  await until(isOver(id));
  expect(await history('retry')).toEqual(['1 a started', '2 a started', '2 a ended']);
});

test.concurrent('the last delivery is marked as final, and nothing follows it', async ({
  lab: { open, enqueue, isOver, handle },
  expect,
}) => {
  const id = await enqueue({ label: 'doomed', ms: 0 });
  await open.pool.query('UPDATE pgboss.job SET retry_limit = 0 WHERE id = $1', [id]);
  const last: boolean[] = [];
  await handle(async (job) => {
    last.push(job.last);
    throw new Error('always');
  });
  await until(isOver(id));
  expect(last).toEqual([true]);
});

test.concurrent('after SIGKILL of its worker an entry is out again long before its lease is over, again and again', async ({
  lab: { open, startWorker, enqueue, happened, lastHeard },
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
  const { rows } = await open.pool.query(
    'SELECT retry_limit - retry_count AS left FROM pgboss.job WHERE id = $1',
    [id],
  );
  expect(rows[0].left).toBe(5);
});

test.concurrent('a worker paused by SIGSTOP loses its entry; resumed, it is notified and cannot end it', async ({
  lab: { queue, startWorker, enqueue, happened, lastHeard },
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
  expect(await queue.has('test', id)).toBe(true);
});

test.concurrent('a woken worker whose handler ends at once cannot end the new delivery', async ({
  lab: { queue, startWorker, enqueue, history, happened, isOver, go, lastHeard },
  expect,
}) => {
  const id = await enqueue({ label: 'deaf', deaf: true });
  const zombie = await startWorker('zombie', HANG_MS);
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
  // it has said all it has to say of its delivery when it is gone
  const gone = once(zombie, 'exit');
  zombie.kill('SIGTERM');
  await gone;
  expect(await queue.has('test', id)).toBe(true);
  await go('deaf', 2);
  await until(isOver(id));
  expect((await history('deaf')).at(-1)).toBe('2 other ended');
});

test.concurrent('a cancel reaches a handler in another process, and the entry is not requeued', async ({
  lab: { open, queue, startWorker, enqueue, happened },
  expect,
}) => {
  await startWorker('a');
  const id = await enqueue({ label: 'cancelled' });
  await until(happened('cancelled', '1 a started'));
  await queue.cancel('test', id);
  await until(happened('cancelled', '1 a aborted cancelled'));
  expect(await queue.has('test', id)).toBe(false);
  const claims = 'SELECT FROM queue_claims';
  await until(async () => (await open.pool.query(claims)).rowCount === 0);
});

test.concurrent('a cancelled entry that waits is never delivered; cancelling nothing is not an error', async ({
  lab: { queue, enqueue, isOver, handle },
  expect,
}) => {
  const id = await enqueue({ label: 'early', ms: 0 });
  await queue.cancel('test', id);
  await queue.cancel('test', '00000000-0000-4000-8000-000000000000');
  await queue.cancel('test', 'no such thing');
  const seen: string[] = [];
  await handle(async ({ payload }) => void seen.push(payload.label));
  await until(isOver(await enqueue({ label: 'late', ms: 0 })));
  expect(seen).toEqual(['late']);
});

test.concurrent('a worker that stops gives its entries back, and their retries are not spent', async ({
  lab: { open, startWorker, enqueue, history, happened, isOver, go },
  expect,
}) => {
  const first = await startWorker('first');
  const id = await enqueue({ label: 'handed' });
  await until(happened('handed', '1 first started'));
  await startWorker('second');
  first.kill('SIGTERM');
  await until(happened('handed', '2 second started'));
  await until(happened('handed', '1 first aborted shutdown'));
  await go('handed', 2);
  await until(isOver(id));
  expect((await history('handed')).at(-1)).toBe('2 second ended');
  const { rows } = await open.pool.query(
    'SELECT retry_limit - retry_count AS left FROM pgboss.job WHERE id = $1',
    [id],
  );
  expect(rows[0].left).toBe(5);
});

test.concurrent('a worker that stops lets a handler finish within the grace', async ({
  lab: { startWorker, enqueue, history, happened, isOver },
  expect,
}) => {
  const worker = await startWorker('gentle', HANG_MS);
  const id = await enqueue({ label: 'finishing', ms: 1_000 });
  await until(happened('finishing', '1 gentle started'));
  worker.kill('SIGTERM');
  await until(isOver(id));
  expect(await history('finishing')).toEqual(['1 gentle started', '1 gentle ended']);
});

test.concurrent('connections cut by the server cost nothing: entries continue and new ones are handled', async ({
  lab: { open, enqueue, isOver, handle },
  expect,
}) => {
  const ended: string[] = [];
  let cutOff = (): void => {};
  const afterwards = new Promise<void>((resolve) => {
    cutOff = resolve;
  });
  await handle(async ({ payload, delivery }) => {
    if (payload.label === 'long') await afterwards;
    ended.push(`${payload.label} ${delivery}`);
  }, 2);
  const long = await enqueue({ label: 'long' });
  for (let cut = 0; cut < 5; cut++) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await open.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'offprint-test-%' AND datname = current_database()",
    );
  }
  const short = await enqueue({ label: 'short', ms: 0 });
  await until(isOver(short));
  cutOff();
  await until(isOver(long));
  expect(ended.sort()).toEqual(['long 1', 'short 1']);
});

test.concurrent('one worker alone takes its own lost entry up again, and its first handler is notified', async ({
  lab: { open, enqueue, handle, isOver },
  expect,
}) => {
  const seen: string[] = [];
  await handle(async ({ delivery, signal }) => {
    seen.push(`${delivery} started`);
    if (delivery === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    else await until(async () => seen.includes('1 lost'));
    seen.push(`${delivery} ${signal.reason ?? 'ended'}`);
    if (signal.aborted) throw new Error('aborted');
  }, 2);
  const id = await enqueue({ label: 'own', ms: 0 });
  await until(async () => seen.length === 1);
  await open.pool.query("UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE id = $1", [id]);
  await until(isOver(id));
  expect(seen).toEqual([
    '1 started',
    expect.stringMatching('1 lost|2 started'),
    expect.stringMatching('1 lost|2 started'),
    '2 ended',
  ]);
});

test.concurrent('a stop does not give back what has just ended', async ({
  lab: { open, enqueue, handle, queue },
  expect,
}) => {
  let ended: (() => void) | undefined;
  const over = new Promise<void>((resolve) => {
    ended = resolve;
  });
  await handle(async () => ended!());
  const id = await enqueue({ label: 'just', ms: 0 });
  await over;
  await queue.stop(0);
  const { rows } = await open.pool.query('SELECT state FROM pgboss.job WHERE id = $1', [id]);
  expect(rows[0].state).toBe('completed');
});

test.concurrent('processes that start at once on a new database agree on its tables', async ({ expect }) => {
  const database = await createEmptyDatabase();
  await migrate(database.url);
  const log = { info: () => {}, error: () => {} };
  const queues = await Promise.all(
    [1, 2, 3].map((n) => createQueue({ url: database.url, role: `p${n}`, log })),
  );
  const seen: string[] = [];
  await Promise.all(
    queues.map((queue) => queue.work('test', { concurrency: 1 }, async ({ id }) => void seen.push(id))),
  );
  const { db, close } = openDatabase(database.url, { role: 'test', max: 1 });
  const id = await db.transaction().execute((tx) => queues[0]!.enqueue(tx, 'test', {}, { owner: 'one' }));
  await until(async () => !(await queues[1]!.has('test', id)));
  expect(seen).toEqual([id]);
  await Promise.all(queues.map((queue) => queue.stop(0)));
  await close();
  await database.drop();
});
