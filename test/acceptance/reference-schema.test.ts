/**
 * Every response validates against the published schemas of the reference service, so that its clients work here by
 * changing base URL and key. The schemas are read from the corpora in place.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corporaFolder, NO_CORPORA } from '../support/corpora.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, follow, type Job, makeFolder, siteFiles } from './api.ts';

interface Reference {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  components: { schemas: Record<string, object> };
}

const file = join(corporaFolder() ?? '', 'mintlify__docs', 'static-export-openapi.json');
const reference = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Reference) : null;

describe.skipIf(reference === null)(
  reference === null ? NO_CORPORA : 'the reference description of static export',
  () => {
    const { components, paths } = reference ?? { components: { schemas: {} }, paths: {} };
    let platform: TestPlatform;
    let tenant: Tenant;
    let domain: string;

    const validate = (name: string, body: unknown) => {
      const ajv = new Ajv({ strict: false, allErrors: true });
      (addFormats as unknown as (ajv: Ajv) => void)(ajv);
      const check = ajv.compile(components.schemas[name]!);
      expect(check(body), JSON.stringify(check.errors)).toBe(true);
    };
    const ask = (method: string, path: string, options: Parameters<typeof call>[3] = {}) =>
      call<Job>(platform.url, method, `/v1${path}`, { key: tenant.key, ...options });

    beforeAll(async () => {
      platform = await startTestPlatform();
      tenant = await platform.createTenant();
      const path = await makeFolder(siteFiles(20));
      ({ domain } = await createProject(platform.url, tenant.key, { kind: 'folder', path }));
    });
    afterAll(() => platform.stop());

    test('StaticExportJob: from the start to the end', async () => {
      const started = await ask('POST', '/static-export/jobs', {
        body: { domain, version: '2024-06-01', paths: ['index', 'guide/page-1'] },
      });
      expect(started.status).toBe(202);
      const seen = [started.body, ...(await follow(platform.url, tenant.key, started.body.jobId))];
      for (const job of seen) validate('StaticExportJob', job);
      expect(seen.at(-1)).toMatchObject({ status: 'completed', pageCount: 2 });
      const bundle = await ask('POST', `/static-export/jobs/${started.body.jobId}/bundle`);
      expect(bundle.status).toBe(200);
      validate('BundleResponse', bundle.body);
    });

    test('StaticExportJob: a failed one', async () => {
      const empty = await createProject(platform.url, tenant.key, { kind: 'upload' });
      const started = await ask('POST', '/static-export/jobs', { body: { domain: empty.domain } });
      const last = (await follow(platform.url, tenant.key, started.body.jobId)).at(-1);
      expect(last?.status).toBe('failed');
      validate('StaticExportJob', last);
    });

    test('Error: every status that the reference names is given for the same reason', async () => {
      const poor = await platform.createTenant('free');
      const cancelled = await ask('POST', '/static-export/jobs', { body: { domain } });
      await ask('POST', `/static-export/jobs/${cancelled.body.jobId}/cancel`);
      const jobs = '/static-export/jobs';
      const one = `${jobs}/{jobId}`;
      const answers: [string, string, number, Awaited<ReturnType<typeof ask>>][] = [
        [jobs, 'post', 400, await ask('POST', jobs, { body: { domain: 'https://x' } })],
        [jobs, 'post', 401, await ask('POST', jobs, { key: undefined, body: { domain } })],
        [jobs, 'post', 403, await ask('POST', jobs, { key: poor.key, body: { domain } })],
        [one, 'get', 401, await ask('GET', `${jobs}/x`, { key: undefined })],
        [one, 'get', 404, await ask('GET', `${jobs}/x`)],
        [`${one}/bundle`, 'post', 401, await ask('POST', `${jobs}/x/bundle`, { key: undefined })],
        [`${one}/bundle`, 'post', 404, await ask('POST', `${jobs}/x/bundle`)],
        [`${one}/bundle`, 'post', 409, await ask('POST', `${jobs}/${cancelled.body.jobId}/bundle`)],
      ];
      for (const [path, method, status, reply] of answers) {
        expect([path, method, reply.status]).toEqual([path, method, status]);
        validate('Error', reply.body);
      }
      const named = Object.entries(paths).flatMap(([path, operations]) =>
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
