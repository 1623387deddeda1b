/** An agent job that stops its worker each time after it has pushed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentLab, doing, startAgentLab } from '../support/agent/lab.ts';
import { hasOpenssl } from '../support/certificate.ts';

describe.skipIf(!hasOpenssl)(
  hasOpenssl ? 'an abandoned agent job' : 'an abandoned agent job: no openssl to make a certificate',
  () => {
    let lab: AgentLab;
    beforeAll(async () => {
      lab = await startAgentLab({ roles: ['api'] });
    });
    afterAll(() => lab?.close());

    test('that had pushed ends with a draft pull request, and a message continues it on that branch', async () => {
      const { db } = lab.platform.database;
      const { id } = await lab.create(doing(['finish', { title: 'Rename the beta', summary: 'Renamed.' }]));
      // As thirty workers have left it that died after the push.
      const branch = 'offprint/rename-the-beta';
      lab.gitRead('update-ref', `refs/heads/${branch}`, lab.base);
      const commit = lab.commitAs(branch, { 'index.mdx': '---\ntitle: Home\n---\n\nThe preview.\n' });
      const set = { base_branch: 'main', base_commit: lab.base, title: 'Rename the beta' };
      await db
        .updateTable('agent_jobs')
        .set({ ...set, phase: 'publishing', attempt: 30, branch, commit_sha: commit, pushed_sha: commit })
        .where('id', '=', id)
        .execute();
      await db.updateTable('jobs').set({ attempt: 30, deaths: 30 }).where('id', '=', id).execute();
      lab.platform.start(['worker']);
      const job = (await lab.poll(id)).at(-1);
      expect(job, lab.story(id)).toMatchObject({
        status: 'failed',
        prLink: expect.stringContaining('/pull/'),
        failure: { code: 'internal', message: expect.stringMatching(/^The job stopped its worker 30 times/) },
      });
      expect(job?.failure?.message).toContain(`${branch}, with the draft pull request ${job?.prLink}`);
      const rows = lab.forge.rows().filter(({ head }) => head === branch);
      expect(rows).toMatchObject([{ draft: true, state: 'open', title: 'Rename the beta', base: 'main' }]);
      const prompt = doing(
        ['read_file', { path: 'index.mdx' }],
        ['edit_file', { path: 'index.mdx', old_text: 'The preview.', new_text: 'The preview of Acme.' }],
        ['finish', { title: 'Say whose preview', summary: 'Done.' }],
      );
      await lab.message(id, prompt);
      const after = (await lab.poll(id)).at(-1);
      expect(after, lab.story(id)).toMatchObject({ status: 'completed', prLink: job?.prLink });
      expect(lab.forge.rows().filter(({ head }) => head === branch)).toHaveLength(1);
    });
  },
);
