/**
 * A worker process for tests: handles queue `test` and writes what happens into the table `history`. Each
 * entry's payload says what its handler does. Standard input: `WorkerSettings` as JSON.
 */
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createQueue } from './boss.ts';

export interface TestPayload {
  label: string;
  /** How long the handler runs; without it, until the table says `go` for its delivery. */
  ms?: number;
  /** Deliveries that throw. */
  failures?: number;
  /** Does not check the signal. */
  deaf?: boolean;
}

export interface WorkerSettings {
  url: string;
  name: string;
  /** Grace of the stop that SIGTERM asks for. */
  graceMs: number;
}

const { url, name, graceMs } = (await json(process.stdin)) as WorkerSettings;
const pool = new pg.Pool({ connectionString: url, max: 2 });
pool.on('error', () => {});

async function note(label: string, delivery: number, event: string): Promise<void> {
  await pool.query('INSERT INTO history (label, delivery, worker, event) VALUES ($1, $2, $3, $4)', [
    label,
    delivery,
    name,
    event,
  ]);
}

async function wait(payload: TestPayload, delivery: number, signal: AbortSignal | undefined): Promise<void> {
  if (payload.ms !== undefined) return sleep(payload.ms, undefined, { signal });
  const query = "SELECT 1 FROM history WHERE label = $1 AND delivery = $2 AND event = 'go'";
  while ((await pool.query(query, [payload.label, delivery])).rowCount === 0)
    await sleep(50, undefined, { signal });
}

const queue = await createQueue({ url, role: name, log: { info: () => {}, error: () => {} } });
await queue.work<TestPayload>('test', { concurrency: 2 }, async ({ payload, delivery, last, signal }) => {
  const { label, failures = 0, deaf = false } = payload;
  await note(label, delivery, last ? 'started last' : 'started');
  try {
    await wait(payload, delivery, deaf ? undefined : signal);
  } catch {
    await note(label, delivery, `aborted ${signal.reason}`);
    throw new Error('aborted');
  }
  if (delivery <= failures) throw new Error('as told');
  await note(label, delivery, 'ended');
});
process.on('SIGTERM', async () => {
  await queue.stop(graceMs);
  await pool.end();
  process.exit(0);
});
process.stdout.write('ready\n');
