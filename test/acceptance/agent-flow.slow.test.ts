/** Agent jobs from a prompt to a pull request, as a client sees them: real Git over https, model and forge on the wire. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentJob } from '@offprint/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentLab, doing, lineScript, SITE, startAgentLab } from '../support/agent/lab.ts';
import { hasOpenssl } from '../support/certificate.ts';
import { call, expectError } from './api.ts';

const rename = doing(
  ['read_file', { path: 'index.mdx' }],
  ['edit_file', { path: 'index.mdx', old_text: 'the beta of Acme', new_text: 'the preview of Acme' }],
  ['check_docs', {}],
  ['finish', { title: 'Rename the beta', summary: 'The home page says preview now.' }],
);
const shorten = doing(
  ['read_file', { path: 'guide/limits.mdx' }],
  ['edit_file', { path: 'guide/limits.mdx', old_text: 'Ten requests a second.', new_text: 'Ten a second.' }],
  ['finish', { title: 'Shorten', summary: 'Shorter.' }],
);

describe.skipIf(!hasOpenssl)(
  hasOpenssl ? 'an agent job on GitHub' : 'an agent job: no openssl to make a certificate',
  () => {
    let lab: AgentLab;
    let onStep: (() => void) | null = null;
    beforeAll(async () => {
      lab = await startAgentLab({
        script: (request) => {
          const hook = onStep;
          if (hook !== null && request.messages.some(({ text }) => text.includes('people push meanwhile'))) {
            onStep = null;
            hook();
          }
          return lineScript(request);
        },
      });
    });
    afterAll(() => lab?.close());

    const rowsOf = ({ source }: AgentJob) => lab.forge.rows().filter(({ head }) => head === source.ref);

    test('takes a follow-up as another commit of the same pull request, and ends in the archive', async () => {
      const first = await lab.run(rename);
      const again = await lab.message(first.id, shorten);
      expect(again).toMatchObject({ status: 'active', prLink: null });
      const second = (await lab.poll(first.id)).at(-1) as AgentJob;
      expect(second).toMatchObject({ status: 'completed', prLink: first.prLink, source: first.source });
      expect(rowsOf(second)).toHaveLength(1);
      const log = lab.gitRead('rev-list', '--count', `${lab.base}..refs/heads/${second.source.ref}`);
      expect(log).toBe('2');
      expect(lab.gitRead('show', `${second.source.ref}:guide/limits.mdx`)).toContain('Ten a second.');
      expect(lab.gitRead('show', `${second.source.ref}:index.mdx`)).toContain('preview');

      const path = `/v2/agent/${lab.projectId}/job/${first.id}`;
      const archived = await call<AgentJob>(lab.platform.url, 'POST', `${path}/archive`, {
        key: lab.tenant.key,
      });
      expect(archived.body).toMatchObject({ status: 'archived', archivedAt: expect.any(String) });
      const twice = await call<AgentJob>(lab.platform.url, 'POST', `${path}/archive`, {
        key: lab.tenant.key,
      });
      expect(twice.body.archivedAt).toBe(archived.body.archivedAt);
      expectError(
        await call(lab.platform.url, 'POST', `${path}/message`, {
          key: lab.tenant.key,
          body: { prompt: 'More.' },
        }),
        409,
        'job_archived',
      );
    });

    test('opens a draft for changes with a question', async () => {
      const job = await lab.run(
        doing(
          ['read_file', { path: 'index.mdx' }],
          ['edit_file', { path: 'index.mdx', old_text: 'the beta of Acme', new_text: 'the preview of Acme' }],
          ['finish', { title: 'Rename', summary: 'Renamed.', needs_input: 'In the titles too?' }],
        ),
      );
      expect(job, lab.story(job.id)).toMatchObject({ needsInput: 'In the titles too?' });
      expect(rowsOf(job)[0]).toMatchObject({ draft: true });
      expect(rowsOf(job)[0]?.body).toContain('Why this is a draft');
    });

    test('keeps what people pushed to its branch', async () => {
      const first = await lab.run(rename);
      const ref = first.source.ref ?? '';
      const theirs = lab.commitAs(ref, { 'index.mdx': SITE['index.mdx']!.replace('beta', 'public preview') });
      await lab.message(first.id, shorten);
      const second = (await lab.poll(first.id)).at(-1) as AgentJob;
      expect(second, lab.story(second.id)).toMatchObject({ status: 'completed', prLink: first.prLink });
      expect(lab.gitRead('show', `${ref}:index.mdx`)).toContain('public preview');
      expect(lab.gitRead('show', `${ref}:guide/limits.mdx`)).toContain('Ten a second.');
      expect(lab.gitRead('rev-parse', `${ref}^`)).toBe(theirs);
    });

    test('is shown both texts when people change the same lines while it works, and overwrites nothing', async () => {
      const first = await lab.run(rename);
      const ref = first.source.ref ?? '';
      onStep = () => {
        lab.commitAs(ref, { 'guide/limits.mdx': SITE['guide/limits.mdx']!.replace('Ten', 'Twenty') });
      };
      await lab.message(first.id, `Note: people push meanwhile.\n${shorten}`);
      const second = (await lab.poll(first.id)).at(-1) as AgentJob;
      expect(second, lab.story(second.id)).toMatchObject({ status: 'completed' });
      expect(lab.gitRead('show', `${ref}:guide/limits.mdx`)).toContain('Twenty requests a second.');
      const told =
        lab.model.requests
          .at(-1)
          ?.messages.map(({ text }) => text)
          .join('\n') ?? '';
      expect(told).toContain('Other people have pushed to the branch');
      expect(told).toContain('Ten a second.');
    });

    test('starts again from the published branch when its pull request was merged', async () => {
      const first = await lab.run(rename);
      await lab.forge.merge(rowsOf(first)[0]?.number ?? 0);
      await lab.message(first.id, shorten);
      const second = (await lab.poll(first.id)).at(-1) as AgentJob;
      expect(second, lab.story(second.id)).toMatchObject({ status: 'completed' });
      expect(second.source.ref).not.toBe(first.source.ref);
      expect(second.source.ref).toMatch(/-2$/);
      expect(second.prLink).not.toBe(first.prLink);
      expect(second.pullRequests.map(({ state }) => state)).toEqual(['merged', 'open']);
      const changed = lab.gitRead(
        'diff',
        '--name-only',
        'refs/heads/main',
        `refs/heads/${second.source.ref}`,
      );
      expect(changed).toBe('guide/limits.mdx');
    });

    test('does not break the docs unnoticed: a change that breaks them is a draft that reports it', async () => {
      const job = await lab.run(
        doing(
          ['read_file', { path: 'guide/start.mdx' }],
          ['edit_file', { path: 'guide/start.mdx', old_text: '20.', new_text: '20. [See](/not-there)' }],
          ['finish', { title: 'Link', summary: 'Linked.' }],
        ),
      );
      expect(job).toMatchObject({ status: 'completed', checks: { new: 1 } });
      expect(rowsOf(job)[0]).toMatchObject({ draft: true });
      const url = expect.stringMatching(/\/guide\/start\.mdx#L\d+$/);
      expect(job.findings).toMatchObject([{ file: 'guide/start.mdx', code: 'broken-link', url }]);
      const { line, message } = job.findings[0] ?? {};
      expect(rowsOf(job)[0]?.body).toContain(`- \`guide/start.mdx:${line}\` broken-link: `);
      expect(rowsOf(job)[0]?.body).toContain('The checks report 1 new problem.');
      expect(message).toContain('/not-there');
      const told =
        lab.model.requests
          .at(-1)
          ?.messages.map(({ text }) => text)
          .join('\n') ?? '';
      expect(told).toContain('/not-there');
      expect(told).not.toContain('/nowhere');
    });

    test('does not bring code to readers unnoticed: it is a draft that names the code until a person releases it', async () => {
      const job = await lab.run(
        doing(
          ['read_file', { path: 'guide/start.mdx' }],
          [
            'edit_file',
            {
              path: 'guide/start.mdx',
              old_text: 'Node 20.',
              new_text: 'Node {["con" + "cat"].map((x) => x)}.',
            },
          ],
          ['finish', { title: 'Node', summary: 'Computed.' }],
        ),
      );
      expect(job, lab.story(job.id)).toMatchObject({
        status: 'completed',
        heldCode: [{ path: 'guide/start.mdx', line: 7, message: 'has a function call (`map`)' }],
      });
      expect(rowsOf(job)[0]).toMatchObject({ draft: true });
      expect(rowsOf(job)[0]?.body).toContain('`guide/start.mdx`, line 7: has a function call (`map`)');
      const events = await fetch(`${lab.platform.url}/v2/agent/${lab.projectId}/job/${job.id}/events`, {
        headers: { authorization: `Bearer ${lab.tenant.key}` },
      });
      expect(await events.text()).toContain('stays a draft until a person has reviewed new code');
    });

    test('cannot write what is not docs, learns what it can write, and publishes the rest', async () => {
      const job = await lab.run(
        doing(
          ['write_file', { path: 'mcp.yaml', content: 'servers: {}\n', mode: 'create' }],
          ['write_file', { path: 'pipeline.yml', content: 'jobs: {}\n', mode: 'create' }],
          ['write_file', { path: 'guide/settings.yaml', content: 'jobs: {}\n', mode: 'create' }],
          ['read_file', { path: 'guide/limits.mdx' }],
          ['edit_file', { path: 'guide/limits.mdx', old_text: 'Ten requests', new_text: '10 requests' }],
          ['finish', { title: 'Rename', summary: 'Renamed.' }],
        ),
      );
      expect(job, lab.story(job.id)).toMatchObject({ status: 'completed', heldCode: [] });
      expect(rowsOf(job)[0]).toMatchObject({ draft: false });
      const changed = lab.gitRead('diff', '--name-only', 'refs/heads/main', `refs/heads/${job.source.ref}`);
      expect(changed).toBe('guide/limits.mdx');
      const told =
        lab.model.requests.at(-1)?.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];
      expect(told.filter((text) => text.includes('A job writes only pages'))).toHaveLength(3);
    });

    test('stops within a second or two when it is cancelled, and continues after a message', async () => {
      const { id } = await lab.create(
        doing(...Array.from({ length: 40 }, (_, n): [string, unknown] => ['search', { query: `word ${n}` }])),
      );
      await expect.poll(async () => (await lab.read(id)).usage.modelCalls).toBeGreaterThan(1);
      const path = `/v2/agent/${lab.projectId}/job/${id}`;
      const cancelled = await call<AgentJob>(lab.platform.url, 'POST', `${path}/cancel`, {
        key: lab.tenant.key,
      });
      expect(cancelled.body).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
      const calls = lab.model.requests.length;
      await lab.message(id, shorten);
      const job = (await lab.poll(id)).at(-1) as AgentJob;
      expect(job, lab.story(job.id)).toMatchObject({ status: 'completed', prLink: expect.any(String) });
      expect(lab.model.requests.length - calls).toBeLessThan(12);
    });

    test('leaves no branch but its own, and no key in log or database', async () => {
      const branches = lab.gitRead('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
      expect(branches.filter((name) => name !== 'main' && !name.startsWith('offprint/'))).toEqual([]);
      expect(lab.gitRead('for-each-ref', 'refs/tags')).toBe('');
      const secrets = [lab.forge.tokens.write, 'sk-lab-model-key-0123456789'];
      const { rows } = await lab.platform.database.pool.query(
        "SELECT string_agg(e.body::text, ' ') || string_agg(j::text, ' ') AS text FROM agent_jobs j JOIN agent_events e ON e.job_id = j.id",
      );
      for (const secret of secrets) {
        expect(lab.platform.log()).not.toContain(secret);
        expect(rows[0].text).not.toContain(secret);
      }
    });
  },
);

describe.skipIf(!hasOpenssl).each(['gitlab', 'gitea', 'git'] as const)('an agent job on %s', (kind) => {
  let lab: AgentLab;
  beforeAll(async () => {
    lab = await startAgentLab(
      kind === 'git' ? { isPlain: true, folder: 'site' } : { forge: kind, folder: 'site' },
    );
  });
  afterAll(() => lab?.close());

  test('ends with a branch, and a pull request where there are such', async () => {
    const job = await lab.run(rename);
    expect(job, lab.story(job.id)).toMatchObject({ status: 'completed' });
    expect(lab.gitRead('show', `${job.source.ref}:site/index.mdx`)).toContain('preview');
    if (kind === 'git') expect(job.prLink).toBeNull();
    else expect(job.prLink).toMatch(/\/(merge_requests|pulls)\/\d+$/);
    await lab.message(job.id, shorten);
    const second = (await lab.poll(job.id)).at(-1) as AgentJob;
    expect(second).toMatchObject({ status: 'completed', prLink: job.prLink });
    expect(lab.gitRead('rev-list', '--count', `${lab.base}..${second.source.ref}`)).toBe('2');
    expect(lab.forge.rows()).toHaveLength(kind === 'git' ? 0 : 1);
  });
});

describe.skipIf(!hasOpenssl)('agent jobs of one project', () => {
  test('run as many at a time as the setting says, and all in the end', async () => {
    const lab = await startAgentLab({
      env: { OFFPRINT_AGENT_PROJECT_JOBS: '1', OFFPRINT_AGENT_CONCURRENCY: '4' },
    });
    const created = await Promise.all(Array.from({ length: 3 }, () => lab.create(rename)));
    let most = 0;
    let isOver = false;
    const watch = (async () => {
      while (!isOver) {
        const held = await lab.platform.database.db
          .selectFrom('agent_jobs')
          .select('id')
          .where('phase', 'in', ['preparing', 'running', 'publishing'])
          .execute();
        most = Math.max(most, held.length);
        await sleep(20);
      }
    })();
    for (const { id } of created) {
      expect((await lab.poll(id)).at(-1)).toMatchObject({ status: 'completed', prLink: expect.any(String) });
    }
    isOver = true;
    await watch;
    expect(most).toBe(1);
    expect(lab.forge.rows()).toHaveLength(3);
    await lab.close();
  });
});

describe.skipIf(!hasOpenssl)('an agent job that waits', () => {
  test('while its project gets another repository fails and leaves that one alone', async () => {
    const lab = await startAgentLab({ roles: ['api'] });
    await lab.git.commit('acme/other.git', [{ path: 'docs.json', content: SITE['docs.json'] ?? '' }]);
    const { id } = await lab.create(rename);
    const moved = await call(lab.platform.url, 'PATCH', `/v1/projects/${lab.projectId}`, {
      key: lab.tenant.key,
      body: {
        source: {
          kind: 'git',
          repository: `${lab.git.url.replace('127.0.0.1', 'localhost')}/acme/other.git`,
          credential: { kind: 'token', token: lab.forge.tokens.write },
        },
      },
    });
    expect(moved.status).toBe(200);
    lab.platform.start(['worker']);
    const job = (await lab.poll(id)).at(-1);
    expect(job).toMatchObject({ status: 'failed', failure: { code: 'repo_unreachable' } });
    expect(job?.failure?.message).toContain('another repository');
    expect(lab.git.requests.filter((line) => line.includes('git-receive-pack'))).toEqual([]);
    expect(lab.model.requests).toEqual([]);
    await lab.close();
  });
});
