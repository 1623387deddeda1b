/**
 * A worker process for tests: works on tasks and writes what happens into the table `history`. Standard input:
 * `WorkerSettings` as JSON.
 */
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startTaskWorker, type Task } from './task.fixture.ts';

export interface WorkerSettings {
  url: string;
  name: string;
  workDir: string;
  /** Grace of the stop that SIGTERM asks for. */
  graceMs: number;
  concurrency: number;
}

const { url, name, workDir, graceMs, concurrency } = (await json(process.stdin)) as WorkerSettings;
const pool = new pg.Pool({ connectionString: url, max: 2 });
pool.on('error', () => {});

async function note(label: string, attempt: number, event: string): Promise<void> {
  await pool.query('INSERT INTO history (label, attempt, worker, event) VALUES ($1, $2, $3, $4)', [
    label,
    attempt,
    name,
    event,
  ]);
}

async function wait({ payload, attempt }: Task, signal: AbortSignal | undefined): Promise<void> {
  if (payload.ms !== undefined) return sleep(payload.ms, undefined, { signal });
  const query = "SELECT 1 FROM history WHERE label = $1 AND attempt = $2 AND event = 'go'";
  while ((await pool.query(query, [payload.label, attempt])).rowCount === 0)
    await sleep(50, undefined, { signal });
}

const worker = await startTaskWorker(url, {
  name,
  workDir,
  slots: { concurrency },
  async handler(task) {
    const { payload, attempt, signal } = task;
    const { label, failures = 0, isDeaf = false } = payload;
    await note(label, attempt, 'started');
    try {
      await wait(task, isDeaf ? undefined : signal);
    } catch {
      await note(label, attempt, `aborted ${signal.reason}`);
      throw new Error('aborted');
    }
    if (attempt <= failures) throw new Error('as told');
    await note(label, attempt, 'ended');
  },
});
process.on('SIGTERM', async () => {
  await worker.stop(graceMs);
  await pool.end();
  process.exit(0);
});
process.stdout.write('ready\n');
