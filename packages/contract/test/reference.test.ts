import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  agentJob,
  agentJobStatus,
  createAgentJobBody,
  errorBody,
  exportBundle,
  exportJob,
  exportStatus,
  type Route,
  routes,
  sendAgentMessageBody,
  startExportBody,
} from '../src/index.ts';
import { ajvFor, fromOpenApi30, type JsonObject } from './schema.ts';

const corpora =
  process.env.OFFPRINT_CORPORA ?? fileURLToPath(new URL('../../../../shared/corpora', import.meta.url));
const file = `${corpora}/mintlify__docs/static-export-openapi.json`;
const adminFile = `${corpora}/mintlify__docs/admin-openapi.json`;
const there = existsSync(file) && existsSync(adminFile);
if (!there)
  console.warn(`skipped: no reference documents in ${corpora}; OFFPRINT_CORPORA names their folder`);

const job = {
  jobId: 'se_3f9a2c1b8e7d4a063f9a2c1b8e7d4a06',
  status: 'queued',
  progress: 0,
  pageCount: 0,
  totalPages: null,
  createdAt: '2026-06-01T12:00:00.000Z',
  updatedAt: '2026-06-01T12:00:00.000Z',
  startedAt: null,
  completedAt: null,
  domain: 'docs.example.com',
  version: null,
  commit: null,
  warnings: 0,
  projectId: 'prj_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
  trigger: 'call',
  createdBy: 'release pipeline',
  artifact: null,
};

/** One job of each state, as the server would send it. */
const jobs = [
  job,
  { ...job, status: 'running', progress: 41.5, pageCount: 12, totalPages: 30 },
  {
    ...job,
    status: 'completed',
    progress: 100,
    pageCount: 30,
    totalPages: 30,
    completedAt: '2026-06-01T12:00:03.000Z',
    artifact: { sha256: 'ab'.repeat(32), files: 70, bytes: 1_000_000 },
  },
  { ...job, status: 'failed', progress: 41.5, error: 'docs.json:3: expected a comma.', errorCode: 'source' },
];

describe.skipIf(!there)(
  there
    ? "answers are valid under the reference service's documents"
    : 'no reference documents: OFFPRINT_CORPORA names their folder',
  () => {
    const reference = there ? (fromOpenApi30(JSON.parse(readFileSync(file, 'utf8'))) as JsonObject) : {};
    const admin = there ? (fromOpenApi30(JSON.parse(readFileSync(adminFile, 'utf8'))) as JsonObject) : {};
    const ajv = ajvFor(reference);
    const check = (name: string, value: unknown) => {
      const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
      expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
    };

    it('ExportJob in every state', () => {
      expect(jobs.map((one) => one.status).sort()).toEqual([...exportStatus.options].sort());
      for (const one of jobs) check('StaticExportJob', exportJob.parse(one));
    });

    it('ExportBundle', () => {
      const examples = (exportBundle.meta()?.examples ?? []) as unknown[];
      expect(examples).not.toHaveLength(0);
      for (const example of examples) check('BundleResponse', exportBundle.parse(example));
    });

    it('Error', () => {
      check('Error', errorBody.parse({ error: 'No such export.', code: 'not_found', requestId: 'req_0' }));
    });

    it('requests of a client of the reference service are accepted', () => {
      const requests = [
        { domain: 'docs.example.com' },
        {
          domain: 'docs.example.com',
          version: '2024-06-01',
          paths: ['index', 'guides/getting-started', 'api-reference/introduction'],
        },
      ];
      for (const request of requests) {
        check('StartStaticExportRequest', request);
        expect(startExportBody.safeParse(request).success).toBe(true);
      }
    });

    it('every operation of the static export document is a route with all its statuses', () => {
      for (const [path, item] of Object.entries(reference.paths as JsonObject)) {
        for (const [method, operation] of Object.entries(item as JsonObject)) {
          const route = (Object.values(routes) as Route[]).find(
            (one) => one.method === method.toUpperCase() && one.path === `/v1${path}`,
          );
          expect(route, `${method} ${path}`).toBeDefined();
          const statuses = Object.keys((operation as JsonObject).responses as JsonObject);
          expect(Object.keys(route!.responses)).toEqual(expect.arrayContaining(statuses));
        }
      }
    });

    it('AgentJob in every status', () => {
      const validate = ajvFor(admin).compile({ $ref: 'document#/components/schemas/AgentJob' });
      const example = ((agentJob.meta()?.examples ?? []) as object[])[0]!;
      for (const status of agentJobStatus.options) {
        const one = agentJob.parse({
          ...example,
          status,
          ...(status === 'active'
            ? { source: { repository: 'https://github.com/acme/docs.git', ref: null }, prLink: null }
            : {}),
          archivedAt: status === 'archived' ? '2026-06-01T12:00:00.000Z' : null,
        });
        expect(validate(one), JSON.stringify(validate.errors)).toBe(true);
      }
    });

    it('every operation on agent jobs of the second version is a route with all its statuses and fields', () => {
      const seen: string[] = [];
      for (const [path, item] of Object.entries(admin.paths as JsonObject)) {
        if (!path.startsWith('/v2/agent/')) continue;
        for (const [method, operation] of Object.entries(item as JsonObject)) {
          const route = (Object.values(routes) as Route[]).find(
            (one) => one.method === method.toUpperCase() && one.path === path,
          );
          expect(route, `${method} ${path}`).toBeDefined();
          const statuses = Object.keys((operation as JsonObject).responses as JsonObject);
          expect(Object.keys(route!.responses)).toEqual(expect.arrayContaining(statuses));
          seen.push(`${method} ${path}`);
        }
      }
      expect(seen).toHaveLength(3);
      for (const body of [createAgentJobBody, sendAgentMessageBody]) {
        expect(body.safeParse({ prompt: 'Add a quickstart guide.' }).success).toBe(true);
      }
    });

    it('our error is that of the admin document', () => {
      const validate = ajvFor(admin).compile({ $ref: 'document#/components/schemas/Error' });
      expect(validate(errorBody.parse({ error: 'Agent job not found.', code: 'not_found' }))).toBe(true);
    });
  },
);
