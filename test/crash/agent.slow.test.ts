/**
 * Workers killed with SIGKILL at random moments of agent jobs, and one that stalls until others have taken its jobs and
 * then wakes. Whatever happens, each job must end with one commit on one branch and one pull request.
 *
 * The usual run kills 5 workers over 3 jobs; OFFPRINT_TEST=full kills 200 over 40.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentJob } from '@offprint/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentLab, doing, SITE, startAgentLab } from '../support/agent/lab.ts';
import { hasOpenssl } from '../support/certificate.ts';
import { kill } from '../support/kill.ts';
import { createRandom } from '../support/random.ts';
import { isFull } from '../support/size.ts';

const JOBS = isFull ? 40 : 3;
const KILLS = isFull ? 200 : 5;
const STALLS = isFull ? 4 : 1;
const WORKERS = 2;
/** Jobs that wait or run while workers are killed. */
const AT_WORK = isFull ? 4 : 3;
/** Between two kills, so that each worker lives about twice as long: enough for some steps, too short for a job. */
const PAUSE_MS = isFull ? 2_200 : 2_600;
/** Duration of each response of the model, so that workers are killed during calls too. */
const DELAY_MS = 300;
/** Longer than a claim outlives its worker's last beat. */
const STALL_MS = 20_000;

/** Lines that a job changes one by one: the more, the more kills it meets. */
const LINES = isFull ? 16 : 3;
const page = (word: string) =>
  `---\ntitle: Long\n---\n\n${Array.from({ length: LINES }, (_, n) => `${word} ${n} of many.\n`).join('\n')}`;

const PROMPT = doing(
  ['list_files', {}],
  ['read_file', { path: 'index.mdx' }],
  ['edit_file', { path: 'index.mdx', old_text: 'the beta of Acme', new_text: 'the preview of Acme' }],
  ['write_file', { path: 'guide/new.mdx', content: '---\ntitle: New\n---\n\nNew.\n', mode: 'create' }],
  ['update_navigation', { op: 'add', node: 'guide/new' }],
  ...Array.from({ length: LINES }, (_, n): [string, unknown] => [
    'edit_file',
    { path: 'long.mdx', old_text: `Line ${n} of`, new_text: `Row ${n} of` },
  ]),
  ['check_docs', {}],
  ['finish', { title: 'Rename the beta', summary: 'The home page says preview now.' }],
);
/** Calls of the model that an undisturbed job makes. */
const CALLS = 7 + LINES;

describe.skipIf(!hasOpenssl)(
  hasOpenssl
    ? `${KILLS} SIGKILLs over ${JOBS} agent jobs`
    : 'killed agent jobs: no openssl to make a certificate',
  () => {
    const seed = Number(process.env.OFFPRINT_TEST_SEED ?? Date.now() % 2 ** 31);
    let lab: AgentLab;
    let calm: AgentJob;
    let jobs: AgentJob[];
    let foreign: string;
    let kills = 0;

    beforeAll(async () => {
      lab = await startAgentLab({
        roles: ['api'],
        delayMs: DELAY_MS,
        site: { ...SITE, 'long.mdx': page('Line') },
        env: { OFFPRINT_AGENT_CONCURRENCY: '2' },
      });
      foreign = lab.commitAs('main', { 'notes.txt': 'Of somebody else.\n' });
      lab.gitRead('update-ref', 'refs/heads/feature', foreign);
      const first = lab.platform.start(['worker']);
      calm = await lab.run(PROMPT);
      await kill(first, 'SIGTERM', lab.platform.log);

      const random = createRandom(seed);
      const ids: string[] = [];
      const unfinished = async () => {
        const rows = await lab.platform.database.db
          .selectFrom('agent_jobs')
          .select('id')
          .where('phase', 'not in', ['idle', 'failed', 'archived'])
          .execute();
        return rows.length;
      };
      const feed = async () => {
        while ((await unfinished()) < AT_WORK) ids.push((await lab.create(PROMPT)).id);
      };
      const workers: ChildProcess[] = Array.from({ length: WORKERS }, () => lab.platform.start(['worker']));
      for (let stall = 0; stall < STALLS; stall += 1) {
        await feed();
        const victim = workers[stall % WORKERS] as ChildProcess;
        await sleep(1_500 + random() * 1_500);
        victim.kill('SIGSTOP');
        await sleep(STALL_MS);
        victim.kill('SIGCONT');
      }
      while (kills < KILLS || ids.length < JOBS) {
        await feed();
        await sleep(PAUSE_MS * (0.3 + 1.4 * random()));
        const index = Math.floor(random() * WORKERS);
        await kill(workers[index] as ChildProcess, 'SIGKILL', lab.platform.log);
        kills += 1;
        workers[index] = lab.platform.start(['worker']);
      }
      jobs = [];
      for (const id of ids) jobs.push((await lab.poll(id)).at(-1) as AgentJob);
    }, 1_800_000);
    afterAll(() => lab?.close());

    test(`every job ends with its pull request (seed ${seed})`, () => {
      expect(kills).toBeGreaterThanOrEqual(KILLS);
      expect(jobs.length).toBeGreaterThanOrEqual(JOBS);
      for (const job of jobs) {
        expect(job, `${JSON.stringify(job.failure)}\n${lab.story(job.id)}`).toMatchObject({
          status: 'completed',
          prLink: expect.stringContaining('/pull/'),
        });
      }
    });

    test('no pull request is lost or doubled', () => {
      const heads = lab.forge.rows().map(({ head }) => head);
      expect([...heads].sort()).toEqual([calm, ...jobs].map(({ source }) => source.ref ?? '').sort());
    });

    test('each branch holds one commit with what an undisturbed job makes', () => {
      const tree = lab.gitRead('rev-parse', `${calm.source.ref}^{tree}`);
      for (const { id, source } of jobs) {
        expect(lab.gitRead('rev-list', '--count', `main..${source.ref}`)).toBe('1');
        expect(lab.gitRead('rev-parse', `${source.ref}^{tree}`)).toBe(tree);
        expect(lab.gitRead('show', `${source.ref}:long.mdx`)).toBe(page('Row').trimEnd());
        expect(lab.gitRead('log', '-1', '--format=%B', String(source.ref))).toContain(`Offprint-Job: ${id}`);
      }
    });

    test('no foreign branch is touched', () => {
      const refs = lab
        .gitRead('for-each-ref', '--format=%(refname:short) %(objectname)')
        .split('\n')
        .filter((line) => !line.startsWith('offprint/'));
      expect(refs).toEqual([`feature ${foreign}`, `main ${foreign}`]);
    });

    test('the events of a job have no gap, its fence only rises, and it ends once', async () => {
      for (const { id } of jobs) {
        const events = await lab.platform.database.db
          .selectFrom('agent_events')
          .select(['seq', 'attempt', 'kind', 'body'])
          .where('job_id', '=', id)
          .orderBy('seq')
          .execute();
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        const attempts = events.map(({ attempt }) => attempt);
        expect(attempts).toEqual([...attempts].sort((a, b) => a - b));
        const ends = events.filter(
          ({ kind, body }) => kind === 'state' && (body as { phase: string }).phase === 'idle',
        );
        expect(ends).toHaveLength(1);
        expect(events.filter(({ kind }) => kind === 'published')).toHaveLength(1);
      }
    });

    test('a kill costs at most one call of the model', async () => {
      const { rows } = await lab.platform.database.pool.query<{ calls: number; attempts: number }>(
        `SELECT (SELECT count(*)::int FROM agent_model_calls c WHERE c.job_id = j.id) AS calls, attempt AS attempts
         FROM agent_jobs j`,
      );
      for (const { calls, attempts } of rows) expect(calls).toBeLessThanOrEqual(CALLS + attempts - 1);
      const calls = rows.reduce((sum, row) => sum + row.calls, 0);
      const attempts = rows.reduce((sum, row) => sum + row.attempts, 0);
      process.stdout.write(
        `${kills} kills over ${jobs.length} jobs: ${(attempts / rows.length).toFixed(2)} attempts and ${(calls / rows.length).toFixed(2)} model calls a job (undisturbed ${CALLS})\n`,
      );
    });
  },
);
