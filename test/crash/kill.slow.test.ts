/**
 * Workers killed with SIGKILL at random moments of real exports. The history of each export, written in the same
 * transactions as its states, must show one end and a fence that only rises.
 *
 * The usual run kills 6 workers over 3 exports of 200 pages; OFFPRINT_TEST=full kills 60 over 20 of 400.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@offprint/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kill } from '../support/kill.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { createRandom } from '../support/random.ts';
import { isFull } from '../support/size.ts';

const EXPORTS = isFull ? 20 : 3;
const KILLS = isFull ? 60 : 6;
const WORKERS = 3;
const PAGES = isFull ? 400 : 200;
/** Long enough that some attempts finish, short enough that many do not. */
const LONGEST_LIFE_MS = isFull ? 2_500 : 1_500;

async function writeSite(folder: string): Promise<void> {
  const names = Array.from({ length: PAGES }, (_, page) => `guide/page-${page}`);
  await mkdir(join(folder, 'guide'), { recursive: true });
  await writeFile(
    join(folder, 'docs.json'),
    JSON.stringify({
      theme: 'mint',
      name: 'Crash',
      colors: { primary: '#0f766e' },
      navigation: { groups: [{ group: 'Guide', pages: ['index', ...names] }] },
    }),
  );
  await writeFile(join(folder, 'index.mdx'), '---\ntitle: Home\n---\n\nHello.\n');
  for (const name of names) {
    const sections = Array.from(
      { length: 12 },
      (_, part) =>
        `## Part ${part} of ${name}\n\nSome *text* about \`${name}\`.\n\n\`\`\`ts\nconst part = ${part};\n\`\`\`\n`,
    );
    await writeFile(join(folder, `${name}.mdx`), `---\ntitle: ${name}\n---\n\n${sections.join('\n')}`);
  }
}

describe(`${KILLS} SIGKILLs of workers over ${EXPORTS} exports`, () => {
  const seed = Number(process.env.OFFPRINT_TEST_SEED ?? Date.now() % 2 ** 31);
  let platform: TestPlatform;
  let site: string;
  let history: Map<string, { attempt: number; event: string }[]>;
  let outcomes: {
    jobId: string;
    status: string;
    sha256: string | undefined;
    progress: number;
    error: string | undefined;
  }[];
  let expected: string | undefined;
  let kills = 0;

  beforeAll(async () => {
    site = await mkdtemp(join(tmpdir(), 'offprint-crash-'));
    await writeSite(site);
    platform = await startTestPlatform({
      roles: ['api'],
      env: {
        OFFPRINT_MAX_ACTIVE_EXPORTS: '100',
        OFFPRINT_EXPORT_CONCURRENCY: '1',
        OFFPRINT_RATE_LIMIT: '100000',
      },
    });
    const { key } = await platform.createTenant();
    const client = createClient({ url: platform.url, key });
    await client.createProject({
      name: 'crash',
      source: { kind: 'folder', path: site },
      domains: ['crash.example.com'],
    });
    const startExport = async () => (await client.startExport({ domain: 'crash.example.com' })).jobId;

    const first = platform.start(['worker']);
    const calm = await client.waitForExport(await startExport());
    expected = calm.artifact?.sha256;
    await kill(first, 'SIGTERM', platform.log);

    const random = createRandom(seed);
    const jobs: string[] = [];
    const unfinished = async () =>
      (
        await platform.database.db
          .selectFrom('exports')
          .select('id')
          .where('status', 'in', ['queued', 'running'])
          .execute()
      ).length;
    const claims = async () =>
      (
        await platform.database.db
          .selectFrom('export_events')
          .select('id')
          .where('event', '=', 'claimed')
          .execute()
      ).length;
    let workers: ChildProcess[] = [];
    while (kills < KILLS) {
      // Released bit by bit, so that every kill finds workers at work.
      while (jobs.length < EXPORTS && jobs.length < kills / 3 + WORKERS) jobs.push(await startExport());
      while ((await unfinished()) < WORKERS) jobs.push(await startExport());
      // A killed attempt leaves its row running, so only a new claim says that a worker is at work.
      const before = await claims();
      workers = Array.from({ length: WORKERS }, () => platform.start(['worker']));
      while ((await claims()) < before + WORKERS) await sleep(50);
      await sleep(random() * LONGEST_LIFE_MS);
      await Promise.all(workers.map((worker) => kill(worker, 'SIGKILL', platform.log)));
      kills += WORKERS;
    }
    for (let worker = 0; worker < 2; worker++) platform.start(['worker']);
    outcomes = [];
    for (const jobId of jobs) {
      const job = await client.waitForExport(jobId);
      outcomes.push({
        jobId,
        status: job.status,
        sha256: job.artifact?.sha256,
        progress: job.progress,
        error: job.error,
      });
    }
    const events = await platform.database.db
      .selectFrom('export_events')
      .select(['export_id', 'attempt', 'event'])
      .orderBy('id')
      .execute();
    history = new Map(jobs.map((jobId) => [jobId, []]));
    for (const { export_id, attempt, event } of events) history.get(export_id)?.push({ attempt, event });
  }, 1_800_000);

  afterAll(async () => {
    await platform?.stop();
    await rm(site, { recursive: true, force: true });
  });

  test(`all exports complete with the digest of an undisturbed one (seed ${seed})`, () => {
    expect(expected).toMatch(/^[0-9a-f]{64}$/);
    expect(outcomes.length).toBeGreaterThanOrEqual(EXPORTS);
    expect(kills).toBeGreaterThanOrEqual(KILLS);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'completed', sha256: expected, progress: 100 });
    }
  });

  test('every export ends exactly once', () => {
    for (const events of history.values()) {
      expect(events.filter(({ event }) => event === 'completed' || event === 'failed')).toHaveLength(1);
      expect(events.at(-1)?.event).toBe('completed');
    }
  });

  test('the fence only rises, and no attempt writes after a newer one has claimed', () => {
    for (const events of history.values()) {
      const attempts = events.map(({ attempt }) => attempt);
      expect(attempts).toEqual([...attempts].sort((a, b) => a - b));
      const claims = events.filter(({ event }) => event === 'claimed').map(({ attempt }) => attempt);
      expect(new Set(claims).size).toBe(claims.length);
    }
  });

  test('at least half of the kills hit an export at work', () => {
    const claims = [...history.values()].flat().filter(({ event }) => event === 'claimed').length;
    expect(claims - outcomes.length).toBeGreaterThanOrEqual(KILLS / 2);
  });
});
