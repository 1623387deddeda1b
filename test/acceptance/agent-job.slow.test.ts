/** The main path of an agent job, from a prompt to a pull request. agent-flow.slow.test.ts has the others. */
import type { AgentJob } from '@offprint/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentLab, doing, startAgentLab } from '../support/agent/lab.ts';
import { hasOpenssl } from '../support/certificate.ts';
import { call } from './api.ts';

const rename = doing(
  ['read_file', { path: 'index.mdx' }],
  ['edit_file', { path: 'index.mdx', old_text: 'the beta of Acme', new_text: 'the preview of Acme' }],
  ['check_docs', {}],
  ['finish', { title: 'Rename the beta', summary: 'The home page says preview now.' }],
);

describe.skipIf(!hasOpenssl)(
  hasOpenssl ? 'an agent job' : 'an agent job: no openssl to make a certificate',
  () => {
    let lab: AgentLab;
    beforeAll(async () => {
      lab = await startAgentLab();
    });
    afterAll(() => lab?.close());

    test('becomes a pull request with the right diff; the link is null until then', async () => {
      const created = await lab.create(rename);
      expect(created).toMatchObject({ status: 'active', prLink: null, archivedAt: null });
      expect(created.source).toEqual({
        repository: expect.stringContaining('https://localhost:'),
        ref: null,
      });
      const seen = await lab.poll(created.id);
      expect(seen.slice(0, -1).every(({ status, prLink }) => status === 'active' && prLink === null)).toBe(
        true,
      );
      const job = seen.at(-1) as AgentJob;
      expect(job, lab.story(job.id)).toMatchObject({
        status: 'completed',
        title: 'Rename the beta',
        failure: null,
        checks: { new: 0, fixed: 0 },
      });
      const [row, ...more] = lab.forge.rows().filter(({ head }) => head === job.source.ref);
      expect(more).toEqual([]);
      expect(row).toMatchObject({ title: 'Rename the beta', base: 'main', state: 'open', draft: false });
      expect(job.prLink).toContain(`/pull/${row?.number}`);
      expect(row?.body).toContain('The home page says preview now.');
      expect(job.source.ref).toMatch(/^offprint\/rename-the-beta-[0-9a-f]{8}$/);
      const diff = lab.gitRead('diff', '--unified=0', lab.base, `refs/heads/${job.source.ref}`);
      expect(diff.split('\n').filter((line) => /^[+-][^+-]/.test(line))).toEqual([
        '-Welcome to the beta of Acme.',
        '+Welcome to the preview of Acme.',
      ]);
      expect(lab.gitRead('log', '-1', '--format=%B', `refs/heads/${job.source.ref}`)).toContain(
        `Offprint-Job: ${job.id}`,
      );
      expect(lab.gitRead('rev-parse', 'refs/heads/main')).toBe(lab.base);
      const shown = await call<{ files: { path: string }[]; diff: string }>(
        lab.platform.url,
        'GET',
        `/v2/agent/${lab.projectId}/job/${job.id}/diff`,
        { key: lab.tenant.key },
      );
      expect(shown.body.files.map(({ path }) => path)).toEqual(['index.mdx']);
      expect(shown.body.diff).toContain('+Welcome to the preview of Acme.');
    });

    test('that changes nothing completes without a pull request', async () => {
      const before = lab.forge.rows().length;
      const job = await lab.run('Where are the limits described?');
      expect(job).toMatchObject({ status: 'completed', prLink: null, summary: 'Done as asked.' });
      expect(lab.forge.rows()).toHaveLength(before);
    });
  },
);
