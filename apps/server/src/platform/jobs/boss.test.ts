import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { test as base } from 'vitest';
import { createEmptyDatabase, createTestDatabase } from '../../../../../test/support/postgres.ts';
import { type OpenDatabase, openDatabase } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { createQueue } from './boss.ts';
import type { Job, Queue } from './queue.ts';
import type { TestPayload, WorkerSettings } from './worker.fixture.ts';

interface Lab {
  open: OpenDatabase;
  queue: Queue;
  /** Starts a worker process that handles the queue `test`. */
  startWorker(name: string, graceMs?: number): Promise<ChildProcess>;
  enqueue(payload: TestPayload): Promise<string>;
  /** `<delivery> <worker> <event>` of each line the handlers of this label wrote. */
  history(label: string): Promise<string[]>;
  happened(label: string, line: string): () => Promise<boolean>;
  isOver(id: string): () => Promise<boolean>;
  /** Handles the queue in this process. */
  handle(handler: (job: Job<TestPayload>) => Promise<void>, concurrency?: number): Promise<void>;
}

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
      enqueue: (payload) => open.db.transaction().execute((tx) => queue.enqueue(tx, 'test', payload)),
      history,
      happened: (label, line) => async () => (await history(label)).includes(line),
      isOver: (id) => async () => !(await queue.has('test', id)),
      handle: (handler, concurrency = 1) => queue.work<TestPayload>('test', { concurrency }, handler),
    });
    for (const worker of workers) worker.kill('SIGKILL');
    await queue.stop(0);
    await open.close();
    await database.drop();
  },
});

async function secondsUntil(what: () => Promise<boolean>, limit: number): Promise<number> {
  const started = performance.now();
  while (!(await what())) {
    if (performance.now() - started > limit * 1000) throw new Error(`Not after ${limit} s`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return (performance.now() - started) / 1000;
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
      lost = await queue.enqueue(tx, 'test', { label: 'rolled back', ms: 0 });
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  const kept = await enqueue({ label: 'kept', ms: 0 });
  await secondsUntil(isOver(kept), 5);
  expect(seen).toEqual(['kept']);
  expect(await queue.has('test', lost)).toBe(false);
});

test.concurrent('a waiting worker has a new entry in hand at once', async ({
  lab: { enqueue, isOver, handle },
  expect,
}) => {
  const startedAt: number[] = [];
  await handle(async () => void startedAt.push(performance.now()));
  await secondsUntil(isOver(await enqueue({ label: 'warm', ms: 0 })), 5);
  const delays: number[] = [];
  for (let round = 0; round < 10; round++) {
    const id = await enqueue({ label: `r${round}`, ms: 0 });
    const sent = performance.now();
    await secondsUntil(isOver(id), 5);
    delays.push(startedAt.at(-1)! - sent);
  }
  delays.sort((a, b) => a - b);
  expect(delays[5]).toBeLessThan(200);
});

test.concurrent('a backlog drains without waiting for polls, and concurrency is a hard limit', async ({
  lab: { enqueue, isOver, handle },
  expect,
}) => {
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => enqueue({ label: `b${n}`, ms: 0 })));
  let running = 0;
  let most = 0;
  await handle(async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running--;
  }, 3);
  const started = performance.now();
  for (const id of ids) await secondsUntil(isOver(id), 10);
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(most).toBe(3);
});

test.concurrent('a handler that throws is delivered again after about five seconds', async ({
  lab: { startWorker, enqueue, history, isOver },
  expect,
}) => {
  await startWorker('a');
  const id = await enqueue({ label: 'retry', ms: 0, failures: 1 });
  const took = await secondsUntil(isOver(id), 30);
  expect(await history('retry')).toEqual(['1 a started', '2 a started', '2 a ended']);
  expect(took).toBeGreaterThan(2);
  expect(took).toBeLessThan(13);
});

test.concurrent('the delivery whose failure is the end is told so, and nothing follows it', async ({
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
  await secondsUntil(isOver(id), 5);
  expect(last).toEqual([true]);
});

test.concurrent('after SIGKILL of its worker an entry is out again within six seconds, four times in a row', async ({
  lab: { open, startWorker, enqueue, happened },
  expect,
}) => {
  const id = await enqueue({ label: 'killed', ms: 60_000 });
  let worker = await startWorker('w1');
  const times: number[] = [];
  for (let round = 1; round <= 4; round++) {
    await secondsUntil(happened('killed', `${round} w${round} started`), 15);
    const next = await startWorker(`w${round + 1}`);
    worker.kill('SIGKILL');
    times.push(await secondsUntil(happened('killed', `${round + 1} w${round + 1} started`), 15));
    worker = next;
  }
  expect(Math.max(...times)).toBeLessThan(6);
  const { rows } = await open.pool.query(
    'SELECT retry_limit - retry_count AS left FROM pgboss.job WHERE id = $1',
    [id],
  );
  expect(rows[0].left).toBe(5);
});

test.concurrent('a worker paused by SIGSTOP loses its entry; woken up, it is told and cannot end it', async ({
  lab: { queue, startWorker, enqueue, happened },
  expect,
}) => {
  const id = await enqueue({ label: 'paused', ms: 20_000 });
  const zombie = await startWorker('zombie');
  await secondsUntil(happened('paused', '1 zombie started'), 10);
  zombie.kill('SIGSTOP');
  await startWorker('other');
  const took = await secondsUntil(happened('paused', '2 other started'), 30);
  expect(took).toBeGreaterThan(10);
  expect(took).toBeLessThan(20);
  zombie.kill('SIGCONT');
  expect(await secondsUntil(happened('paused', '1 zombie aborted lost'), 5)).toBeLessThan(3);
  expect(await queue.has('test', id)).toBe(true);
});

test.concurrent('a woken worker whose handler ends at once cannot end the new delivery', async ({
  lab: { queue, startWorker, enqueue, history, happened, isOver },
  expect,
}) => {
  const id = await enqueue({ label: 'deaf', ms: 10_000, deaf: true });
  const zombie = await startWorker('zombie');
  await secondsUntil(happened('deaf', '1 zombie started'), 10);
  zombie.kill('SIGSTOP');
  await startWorker('other');
  await secondsUntil(happened('deaf', '2 other started'), 30);
  zombie.kill('SIGCONT');
  await secondsUntil(happened('deaf', '1 zombie ended'), 15);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await queue.has('test', id)).toBe(true);
  await secondsUntil(isOver(id), 30);
  expect((await history('deaf')).at(-1)).toBe('2 other ended');
});

test.concurrent('a cancel reaches the handler within a second, and the entry does not come back', async ({
  lab: { open, queue, startWorker, enqueue, happened },
  expect,
}) => {
  await startWorker('a');
  const id = await enqueue({ label: 'cancelled', ms: 30_000 });
  await secondsUntil(happened('cancelled', '1 a started'), 10);
  await queue.cancel('test', id);
  expect(await secondsUntil(happened('cancelled', '1 a aborted cancelled'), 5)).toBeLessThan(1);
  expect(await queue.has('test', id)).toBe(false);
  const { rows } = await open.pool.query('SELECT count(*)::int AS n FROM queue_claims');
  expect(rows[0].n).toBe(0);
});

test.concurrent('a cancelled entry that waits is never delivered; cancelling nothing is no error', async ({
  lab: { queue, enqueue, isOver, handle },
  expect,
}) => {
  const id = await enqueue({ label: 'early', ms: 0 });
  await queue.cancel('test', id);
  await queue.cancel('test', '00000000-0000-4000-8000-000000000000');
  await queue.cancel('test', 'no such thing');
  const seen: string[] = [];
  await handle(async ({ payload }) => void seen.push(payload.label));
  await secondsUntil(isOver(await enqueue({ label: 'late', ms: 0 })), 5);
  expect(seen).toEqual(['late']);
});

test.concurrent('a worker that stops gives its entries back at once, and their retries are not spent', async ({
  lab: { open, startWorker, enqueue, history, happened, isOver },
  expect,
}) => {
  const first = await startWorker('first');
  const id = await enqueue({ label: 'handed', ms: 4_000 });
  await secondsUntil(happened('handed', '1 first started'), 10);
  await startWorker('second');
  first.kill('SIGTERM');
  expect(await secondsUntil(happened('handed', '2 second started'), 10)).toBeLessThan(1.5);
  expect(await history('handed')).toContain('1 first aborted shutdown');
  await secondsUntil(isOver(id), 10);
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
  const worker = await startWorker('gentle', 10_000);
  const id = await enqueue({ label: 'finishing', ms: 1_000 });
  await secondsUntil(happened('finishing', '1 gentle started'), 10);
  worker.kill('SIGTERM');
  await secondsUntil(isOver(id), 10);
  expect(await history('finishing')).toEqual(['1 gentle started', '1 gentle ended']);
});

test.concurrent('connections cut by the server cost nothing: entries go on and new ones are handled', async ({
  lab: { open, enqueue, isOver, handle },
  expect,
}) => {
  const ended: string[] = [];
  await handle(async ({ payload, delivery }) => {
    await new Promise((resolve) => setTimeout(resolve, payload.ms));
    ended.push(`${payload.label} ${delivery}`);
  }, 2);
  const long = await enqueue({ label: 'long', ms: 3_000 });
  for (let cut = 0; cut < 5; cut++) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await open.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'offprint-test-%' AND datname = current_database()",
    );
  }
  const short = await enqueue({ label: 'short', ms: 0 });
  await secondsUntil(isOver(long), 20);
  await secondsUntil(isOver(short), 20);
  expect(ended.sort()).toEqual(['long 1', 'short 1']);
});

test.concurrent('one worker alone takes its own lost entry up again, and its first handler is told', async ({
  lab: { open, enqueue, handle, isOver },
  expect,
}) => {
  const seen: string[] = [];
  await handle(async ({ delivery, signal }) => {
    seen.push(`${delivery} started`);
    await new Promise((resolve) => {
      if (delivery === 2) setTimeout(resolve, 3_000);
      signal.addEventListener('abort', resolve);
    });
    seen.push(`${delivery} ${signal.reason ?? 'ended'}`);
    if (signal.aborted) throw new Error('aborted');
  }, 2);
  const id = await enqueue({ label: 'own', ms: 0 });
  await secondsUntil(async () => seen.length === 1, 10);
  await open.pool.query("UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE id = $1", [id]);
  await secondsUntil(isOver(id), 15);
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
  const id = await db.transaction().execute((tx) => queues[0]!.enqueue(tx, 'test', {}));
  await secondsUntil(async () => !(await queues[1]!.has('test', id)), 10);
  expect(seen).toEqual([id]);
  await Promise.all(queues.map((queue) => queue.stop(0)));
  await close();
  await database.drop();
});
