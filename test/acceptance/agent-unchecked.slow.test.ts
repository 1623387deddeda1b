/** An agent job whose docs cannot be checked: published as a draft that states it, without a message to the model. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentLab, doing, SITE, startAgentLab } from '../support/agent/lab.ts';
import { hasOpenssl } from '../support/certificate.ts';

/** Ends too early: the check stops at it, in the base and in every change. */
const BROKEN_CONFIG = `${SITE['docs.json']}`.trimEnd().slice(0, -1);

describe.skipIf(!hasOpenssl)(
  hasOpenssl
    ? 'docs that cannot be checked'
    : 'docs that cannot be checked: no openssl to make a certificate',
  () => {
    let lab: AgentLab;
    beforeAll(async () => {
      lab = await startAgentLab({ site: { ...SITE, 'docs.json': BROKEN_CONFIG } });
    });
    afterAll(() => lab?.close());

    test('result in a draft that states it, no finding, and no further call of the model', async () => {
      const prompt = doing(
        ['read_file', { path: 'index.mdx' }],
        ['edit_file', { path: 'index.mdx', old_text: 'the beta of Acme', new_text: 'the preview of Acme' }],
        ['finish', { title: 'Rename the beta', summary: 'Renamed.' }],
      );
      const job = await lab.run(prompt);
      const reason = expect.stringMatching(
        /^the base has an error beyond which nothing is checked\. docs\.json:\d+: /,
      );
      expect(job, lab.story(job.id)).toMatchObject({
        status: 'completed',
        failure: null,
        checks: { status: 'not_checked', reason, new: 0, fixed: 0 },
        usage: { modelCalls: 3 },
      });
      const row = lab.forge.rows().find(({ head }) => head === job.source.ref);
      expect(row).toMatchObject({ draft: true, state: 'open' });
      expect(row?.body).toContain('The docs were not checked: ');
      expect(row?.body).toContain('Checks: not checked.');
      const { events, baseline } = await stored(job.id);
      expect(baseline, 'a check without a result is not stored').toBeNull();
      expect(events.filter(({ kind }) => kind === 'notice')).toEqual([]);
      expect(JSON.stringify(events)).toContain('The docs were not checked: ');
    });

    async function stored(id: string) {
      const { db } = lab.platform.database;
      const events = await db.selectFrom('agent_events').selectAll().where('job_id', '=', id).execute();
      const { baseline } = await db
        .selectFrom('agent_jobs')
        .select('baseline')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return { events, baseline };
    }
  },
);
