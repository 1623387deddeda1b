/** `publish` while the server is away: the export continues there, and the command finds it again. */
import { createClient } from '@offprint/client';
import { exportJob } from '@offprint/contract';
import { expect, test } from 'vitest';
import type { CliError } from '../errors.ts';
import { type LoopOptions, publish } from './loop.ts';

const examples = exportJob.meta()?.examples;
const example = exportJob.parse(Array.isArray(examples) ? examples[0] : null);
const job = { ...example, status: 'running', progress: 10, warnings: 0 };
const done = { ...job, status: 'completed', progress: 100 };
const bundle = {
  jobId: job.jobId,
  bundleUrl: 'https://offprint.example.com/blobs/one.tar.gz',
  indexUrl: null,
  expiresAt: '2026-06-01T00:00:00.000Z',
  sizeBytes: 1,
  sha256: '0'.repeat(64),
  version: '1',
};

type Step = () => Response;
const json = (status: number, body: unknown): Step => {
  return () => Response.json(body, { status, headers: { etag: `"${status}-${Math.random()}"` } });
};
const refuse: Step = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:4100') });
};
const gateway: Step = () => new Response('<h1>502 Bad Gateway</h1>', { status: 502 });

/** Runs the loop against these responses; the last one repeats. */
function run(steps: Step[], changes: Partial<LoopOptions> = {}) {
  const said: string[] = [];
  const seen: string[] = [];
  const respond: typeof fetch = async (target, init) => {
    const url = String(target instanceof Request ? target.url : target);
    seen.push(`${init?.method} ${new URL(url).pathname}`);
    return (steps.length > 1 ? steps.shift() : steps[0])!();
  };
  const client = createClient({ url: 'http://offprint.test', key: 'k', fetch: respond, retries: 0 });
  const result = publish(client, {
    order: { domain: 'docs.example.com', includeUnlisted: true },
    timeout: 600,
    target: null,
    talk: { say: (line) => void said.push(line), progress() {}, done() {} },
    interrupt: new AbortController().signal,
    resumeHint: (jobId) => `the same command with --job ${jobId}`,
    ...changes,
  });
  return { result, said, seen };
}

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: CliError) => error,
  );

test('continues when the server responds again, and starts no second export', async () => {
  const steps = [json(202, job), json(200, job), refuse, refuse, gateway, json(200, done), json(201, bundle)];
  const { result, said, seen } = run(steps);
  expect((await result).job.status).toBe('completed');
  expect(said).toEqual([
    `Export ${job.jobId}`,
    'Cannot reach http://offprint.test: connect ECONNREFUSED 127.0.0.1:4100. The export is not lost. Trying again.',
  ]);
  expect(seen.filter((line) => line === 'POST /v1/static-export/jobs')).toHaveLength(1);
});

test('reports each outage once', async () => {
  const outage = [refuse, refuse];
  const steps = [json(202, job), ...outage, json(200, job), ...outage, json(200, done), json(201, bundle)];
  const { result, said } = run(steps);
  await result;
  expect(said.filter((line) => line.includes('Cannot reach'))).toHaveLength(2);
});

test('names the export and how to resume it if the server stays away', async () => {
  const { result } = run([json(202, job), json(200, job), refuse]);
  expect(await errorOf(result)).toMatchObject({
    exitCode: 1,
    message: `Cannot reach http://offprint.test: connect ECONNREFUSED 127.0.0.1:4100. The export continues on the server. To resume: the same command with --job ${job.jobId}`,
  });
});

test('names the complete export if the link cannot be created', async () => {
  const { result } = run([json(202, job), json(200, done), refuse]);
  expect(await errorOf(result)).toMatchObject({
    exitCode: 1,
    message: `Cannot reach http://offprint.test: connect ECONNREFUSED 127.0.0.1:4100. Export ${job.jobId} is complete. To resume without another export: the same command with --job ${job.jobId}`,
  });
});

test('fails at once if the server cannot be reached before the export is started', async () => {
  const { result, seen } = run([refuse]);
  expect(await errorOf(result)).toMatchObject({
    exitCode: 1,
    message: 'Cannot reach http://offprint.test: connect ECONNREFUSED 127.0.0.1:4100',
  });
  expect(seen).toHaveLength(1);
});
