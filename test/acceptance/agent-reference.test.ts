/**
 * Every response of the agent job endpoints that the reference service has validates against its published schemas, so
 * that its clients work here by changing base URL and key. The schemas are read from the corpora in place.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corporaFolder, NO_CORPORA } from '../support/corpora.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { type AgentJobBody, createGitProject, createJob, MODEL_ENV, setJob } from './agent.ts';
import { call } from './api.ts';

interface Reference {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  components: { schemas: Record<string, { properties: Record<string, object> }> };
}

const file = join(corporaFolder() ?? '', 'mintlify__docs', 'admin-openapi.json');
const reference = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Reference) : null;

describe.skipIf(reference === null)(
  reference === null ? NO_CORPORA : 'the reference description of agent jobs',
  () => {
    const schemas = reference?.components.schemas ?? {};
    let platform: TestPlatform;
    let tenant: Tenant;
    let projectId: string;

    /** The schema of the reference, with every field of it required: it leaves that open, its clients do not. */
    const validate = (name: string, body: unknown) => {
      const ajv = new Ajv({ strict: false, allErrors: true });
      (addFormats as unknown as (ajv: Ajv) => void)(ajv);
      const schema = schemas[name]!;
      const check = ajv.compile({ ...schema, required: Object.keys(schema.properties) });
      expect(check(body), JSON.stringify(check.errors)).toBe(true);
    };
    const ask = (method: string, path: string, options: Parameters<typeof call>[3] = {}) =>
      call<AgentJobBody>(platform.url, method, path, { key: tenant.key, ...options });

    beforeAll(async () => {
      platform = await startTestPlatform({
        roles: ['api'],
        env: { ...MODEL_ENV, OFFPRINT_AGENT_USES_PER_HOUR: '12' },
      });
      tenant = await platform.createTenant();
      projectId = await createGitProject(platform.url, tenant.key);
    });
    afterAll(() => platform.stop());

    test('AgentJob: from the start through every status and a follow-up', async () => {
      const job = await createJob(platform.url, tenant.key, projectId);
      const path = `/v2/agent/${projectId}/job/${job.id}`;
      validate('AgentJob', job);
      const read = async () => {
        const { body } = await ask('GET', path);
        validate('AgentJob', body);
        return body;
      };
      for (const phase of ['preparing', 'running', 'waiting', 'publishing']) {
        await setJob(platform, job.id, { phase });
        expect(await read()).toMatchObject({ status: 'active', prLink: null });
      }
      const link = 'https://github.com/org/repo/pull/123';
      const pushed = { branch: 'offprint/a-1', pushed_sha: 'f'.repeat(40) };
      await setJob(platform, job.id, { phase: 'idle', pr_link: link, ...pushed });
      expect(await read()).toMatchObject({
        status: 'completed',
        prLink: link,
        source: { ref: 'offprint/a-1' },
      });
      const sent = await ask('POST', `${path}/message`, { body: { prompt: 'Shorter.' } });
      expect([sent.status, sent.body.status, sent.body.prLink]).toEqual([200, 'active', null]);
      validate('AgentJob', sent.body);
      await setJob(platform, job.id, { phase: 'failed', failure_code: 'budget', failure_message: 'x' });
      expect((await read()).status).toBe('failed');
      await ask('POST', `${path}/archive`);
      expect((await read()).archivedAt).not.toBeNull();
    });

    test('Error: every status that the reference names, with its body', async () => {
      const job = await createJob(platform.url, tenant.key, projectId);
      const create = '/v2/agent/{projectId}/job';
      const one = `${create}/{id}`;
      const jobs = `/v2/agent/${projectId}/job`;
      const wrong = { body: { prompt: '' } };
      const right = { body: { prompt: 'x' } };
      const busy = await createGitProject(platform.url, tenant.key);
      const held = await createJob(platform.url, tenant.key, busy);
      for (let used = 1; used < 12; used++)
        await ask('POST', `/v2/agent/${busy}/job/${held.id}/message`, right);
      const answers: [string, string, number, Awaited<ReturnType<typeof ask>>][] = [
        [create, 'post', 400, await ask('POST', jobs, wrong)],
        [create, 'post', 429, await ask('POST', `/v2/agent/${busy}/job`, right)],
        [one, 'get', 404, await ask('GET', `${jobs}/unknown`)],
        [`${one}/message`, 'post', 400, await ask('POST', `${jobs}/${job.id}/message`, wrong)],
        [`${one}/message`, 'post', 404, await ask('POST', `${jobs}/unknown/message`, right)],
        [`${one}/message`, 'post', 429, await ask('POST', `/v2/agent/${busy}/job/${held.id}/message`, right)],
      ];
      for (const [path, method, status, reply] of answers) {
        expect([path, method, reply.status]).toEqual([path, method, status]);
        validate('Error', reply.body);
      }
      const named = Object.entries(reference?.paths ?? {})
        .filter(([path]) => path.startsWith('/v2/agent/'))
        .flatMap(([path, operations]) =>
          Object.entries(operations).flatMap(([method, { responses }]) =>
            Object.keys(responses)
              .filter((status) => Number(status) >= 400)
              .map((status) => `${method} ${path} ${status}`),
          ),
        );
      expect(answers.map(([path, method, status]) => `${method} ${path} ${status}`).sort()).toEqual(
        named.sort(),
      );
    });
  },
);
