/**
 * Agent jobs on docs as teams have them: large files, many pages, Windows line endings, people who work on the same branch.
 * The job, its transcript and the pull request report the same result.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { AgentJob } from '@offprint/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentLab, doing, REPOSITORY, SITE, startAgentLab } from '../support/agent/lab.ts';
import { keepBusy } from '../support/busy.ts';
import { hasOpenssl } from '../support/certificate.ts';
import { largeConfig, largeDescription } from '../support/large-docs.ts';
import { isFull } from '../support/size.ts';

const PAGES = ['index', 'guide/start', 'guide/limits', 'guide/windows', 'api/thing'];
/** Every page of a folder of manuals; 25,000 take minutes to check. */
const MANUALS = isFull ? 25_000 : 1_000;
/** Four busy processes for each core, a site of thousands of pages: no result depends on the time. */
const LIMIT_MS = 2_700_000;

const WINDOWS = [
  '---',
  'title: Windows',
  '---',
  '',
  "import Note from '/snippets/note.mdx';",
  '',
  'The limits are the same on Windows.',
  '',
  '<Note />',
  '',
].join('\r\n');

const manual = (index: number): string =>
  `---\ntitle: Manual ${index}\n---\n\nManual ${index} explains part ${index * 7}.\n\nSee [the next one](/manuals/m${(index + 1) % MANUALS}).\n`;

describe.skipIf(!hasOpenssl)(
  hasOpenssl
    ? 'an agent job on docs with large files and Windows line endings'
    : 'an agent job on large docs: no openssl to make a certificate',
  () => {
    let lab: AgentLab;
    beforeAll(async () => {
      lab = await startAgentLab({
        site: {
          ...SITE,
          'docs.json': largeConfig({ pages: PAGES }),
          'guide/windows.mdx': WINDOWS,
          'snippets/note.mdx': 'Ask support for more.\r\n',
          'api/thing.mdx': '---\ntitle: Thing\nopenapi: api/openapi.json GET /things/7\n---\n',
          'api/openapi.json': largeDescription(),
        },
      });
    }, LIMIT_MS);
    afterAll(() => lab?.close());

    test(
      'reports each finding of a change in the job, the transcript and the draft',
      async () => {
        const prompt = doing(
          [
            'write_file',
            {
              path: 'guide/new.mdx',
              mode: 'create',
              content:
                '---\ntitle: New\n---\n\n## A\n\n[gone](/nowhere/at/all)\n\n[dead](/guide/limits#no-such)\n',
            },
          ],
          ['delete_file', { path: 'guide/start.mdx' }],
          ['check_docs', {}],
          ['finish', { title: 'Add a page', summary: 'Added.' }],
        );
        const job = await lab.run(prompt);
        const { body, isDraft, results } = await reportsOf(lab, job);
        expect(job, lab.story(job.id)).toMatchObject({
          status: 'completed',
          failure: null,
          checks: { status: 'checked', new: job.findings.length },
        });
        const places = job.findings.map(({ file, line, code }) => `${file}:${line} ${code}`);
        expect(places).toEqual(
          expect.arrayContaining(['guide/new.mdx:7 broken-link', 'guide/new.mdx:9 anchor-not-found']),
        );
        expect(places.filter((place) => place.startsWith('docs.json:'))).not.toEqual([]);
        expect(isDraft).toBe(true);
        for (const { file, line, code } of job.findings) {
          const place = line === null ? file : `${file}:${line}`;
          expect(body, place).toContain(place);
          expect(results).toContain(`${place} ${code}`);
        }
        expect(`${body}${results}`).not.toContain('not checked');
      },
      LIMIT_MS,
    );

    test(
      'changes one word of a page with Windows line endings and an import, and one operation of 8,000 is read',
      async () => {
        const job = await lab.run(
          doing(
            ['get_openapi_operation', { spec: 'api/openapi.json', method: 'get', path: '/things/4711' }],
            ['edit_file', { path: 'guide/windows.mdx', old_text: 'the same on', new_text: 'equal on' }],
            ['finish', { title: 'Say equal', summary: 'One word.' }],
          ),
        );
        const { body, isDraft, results } = await reportsOf(lab, job);
        expect(job, lab.story(job.id)).toMatchObject({
          status: 'completed',
          checks: { status: 'checked', new: 0, fixed: 0 },
          findings: [],
          heldCode: [],
        });
        expect(results).toContain('get4711');
        expect(isDraft).toBe(false);
        expect(body).toContain('Checks: 0 new problems, 0 fixed.');
        const page = execRaw(lab, `${job.source.ref}:guide/windows.mdx`);
        expect(page).toBe(WINDOWS.replace('the same on', 'equal on'));
        expect(lab.gitRead('diff', '--name-only', lab.base, `${job.source.ref}`)).toBe('guide/windows.mdx');
      },
      LIMIT_MS,
    );

    test.skipIf(!isFull)(
      'beside four busy processes for each core has the same result with the same model requests',
      () => expectSameWhenBusy(lab),
      LIMIT_MS,
    );
  },
);

describe.skipIf(!hasOpenssl)(
  hasOpenssl
    ? `an agent job on ${MANUALS} pages`
    : 'an agent job on many pages: no openssl to make a certificate',
  () => {
    let lab: AgentLab;
    beforeAll(async () => {
      const numbers = Array.from({ length: MANUALS }, (_, index) => index);
      const config = JSON.parse(`${SITE['docs.json']}`);
      config.navigation.pages.push({ group: 'Manuals', pages: numbers.map((index) => `manuals/m${index}`) });
      lab = await startAgentLab({
        site: {
          ...SITE,
          'docs.json': JSON.stringify(config, null, 2),
          ...Object.fromEntries(numbers.map((index) => [`manuals/m${index}.mdx`, manual(index)])),
        },
      });
    }, LIMIT_MS);
    afterAll(() => lab?.close());

    test(
      'finds one page, checks all of them, and reports the link that its change breaks',
      async () => {
        const part = (MANUALS - 3) * 7;
        const page = `manuals/m${MANUALS - 3}.mdx`;
        const before = page.replace(`m${MANUALS - 3}`, `m${MANUALS - 4}`);
        const job = await lab.run(
          doing(
            ['search', { query: `explains part ${part}.` }],
            ['edit_file', { path: page, old_text: 'explains part', new_text: 'describes part' }],
            ['edit_file', { path: before, old_text: '(/manuals/', new_text: '(/manual/' }],
            ['check_docs', {}],
            ['finish', { title: 'Edit two manuals', summary: 'Edited.' }],
          ),
        );
        const { body, isDraft, results } = await reportsOf(lab, job);
        expect(job, lab.story(job.id)).toMatchObject({
          status: 'completed',
          checks: { status: 'checked', new: 1, fixed: 0 },
          findings: [{ file: before, line: 7, code: 'broken-link' }],
        });
        expect(isDraft).toBe(true);
        expect(body).toContain(`${before}:7`);
        expect(results).toContain(`${page}:`);
        expect(results).toContain(`${before}:7 broken-link`);
      },
      LIMIT_MS,
    );

    test(
      'keeps what a person changed in the pull request and on its branch, and reports a moved base branch',
      async () => {
        const edit = (from: string, to: string) =>
          doing(
            ['edit_file', { path: 'guide/limits.mdx', old_text: from, new_text: to }],
            ['finish', { title: `Say ${to}`, summary: `It says ${to} now.` }],
          );
        const first = await lab.run(edit('Ten requests', 'Eleven requests'));
        const row: { title: string; body: string } = rowOf(lab, first);
        row.title = 'Title by a person';
        row.body = `Read by a person.\n\n${row.body}`;
        lab.commitAs(`${first.source.ref}`, { 'guide/by-hand.mdx': '---\ntitle: By hand\n---\n\nText.\n' });
        lab.commitAs('main', { 'guide/limits.mdx': `${SITE['guide/limits.mdx']}`.replace('Ten', 'Ninety') });
        await lab.message(first.id, edit('Eleven requests', 'Twelve requests'));
        const second = (await lab.poll(first.id)).at(-1) as AgentJob;
        expect(second, lab.story(first.id)).toMatchObject({
          status: 'completed',
          prLink: first.prLink,
          source: first.source,
          findings: [],
        });
        expect(lab.forge.rows().filter(({ head }) => head === first.source.ref)).toEqual([row]);
        expect(row.title).toBe('Title by a person');
        expect(row.body).toMatch(/^Read by a person\./);
        expect(row.body).toContain('It says Eleven requests now.');
        expect(row.body).toContain('It says Twelve requests now.');
        expect(row.body).toMatch(/same lines in .*guide\/limits\.mdx/);
        expect(lab.gitRead('log', '-1', '--format=%s', `${second.source.ref}`)).toContain('Twelve');
        expect(lab.gitRead('show', `${second.source.ref}:guide/by-hand.mdx`)).toContain('By hand');
        expect(lab.gitRead('show', `${second.source.ref}:guide/limits.mdx`)).toContain('Twelve requests');
      },
      LIMIT_MS,
    );

    test(
      'beside four busy processes for each core has the same result with the same model requests',
      () => expectSameWhenBusy(lab),
      LIMIT_MS,
    );
  },
);

/** A job beside four busy processes for each core, compared with the same job alone. */
async function expectSameWhenBusy(lab: AgentLab): Promise<void> {
  const prompt = doing(
    ['search', { query: 'beta' }],
    ['edit_file', { path: 'index.mdx', old_text: 'the beta of Acme', new_text: 'Acme' }],
    [
      'write_file',
      { path: 'guide/extra.mdx', mode: 'create', content: '---\ntitle: Extra\n---\n\n[x](/none)\n' },
    ],
    ['check_docs', {}],
    ['finish', { title: 'No beta', summary: 'Removed.' }],
  );
  const facts = async () => {
    const job = await lab.run(prompt);
    const { isDraft, results } = await reportsOf(lab, job);
    const { status, checks, failure, stopped, summary, usage } = job;
    const findings = job.findings.map(({ url, ...finding }) => finding);
    return {
      status,
      checks,
      failure,
      stopped,
      summary,
      findings,
      isDraft,
      results,
      calls: usage.modelCalls,
    };
  };
  const idle = await facts();
  expect(idle).toMatchObject({ status: 'completed', isDraft: true, checks: { status: 'checked' } });
  const busy = keepBusy();
  try {
    expect(await facts()).toEqual(idle);
  } finally {
    busy.stop();
  }
}

function rowOf(lab: AgentLab, job: AgentJob) {
  const row = lab.forge.rows().find(({ head }) => head === job.source.ref);
  if (row === undefined) throw new Error(`no pull request of ${job.id}\n${lab.story(job.id)}`);
  return row;
}

/** The pull request, and the text of the tool results in the transcript. */
async function reportsOf(lab: AgentLab, job: AgentJob) {
  const { body, draft } = rowOf(lab, job);
  const rows = await lab.platform.database.db
    .selectFrom('agent_events')
    .select('body')
    .where('job_id', '=', job.id)
    .where('kind', '=', 'results')
    .orderBy('seq')
    .execute();
  return { body, isDraft: draft, results: rows.map((row) => JSON.stringify(row.body)).join('\n') };
}

/** A file of the repository with its line endings. */
const execRaw = (lab: AgentLab, name: string): string =>
  execFileSync(
    'git',
    ['-c', 'safe.directory=*', '--git-dir', join(lab.git.root, `${REPOSITORY}.git`), 'show', name],
    {
      encoding: 'utf8',
    },
  );
