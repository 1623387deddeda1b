/**
 * A busy machine gives the same results as an idle one: connection test, export and agent check of real docs sites, alone
 * and beside four busy processes for each core. Two sites in the usual run, all with OFFPRINT_TEST=full. Nothing here
 * depends on how long it takes.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionTest, exportJob } from '@offprint/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDocsCheck } from '../apps/server/src/agent/check/child-check.ts';
import { createWorkspace } from '../apps/server/src/agent/workspace/overlay.ts';
import { call, createProject, type Job, runExport } from './acceptance/api.ts';
import { keepBusy } from './support/busy.ts';
import { corpora, NO_CORPORA } from './support/corpora.ts';
import { treeOfFolder } from './support/docs-tree.ts';
import { type GitServer, startGitServer } from './support/git-server.ts';
import { startTestPlatform, type TestPlatform } from './support/platform.ts';
import { sandboxIn } from './support/sandbox.ts';
import { isFull } from './support/size.ts';

const all = corpora();
const sites = isFull ? all : all.filter(({ name }) => /hoppscotch|traceloop/.test(name));
const LIMIT_MS = 1_800_000;

describe.skipIf(sites.length === 0)(
  `beside busy processes${sites.length === 0 ? ` (${NO_CORPORA})` : ''}`,
  () => {
    let folder: string;
    let server: GitServer;
    let platform: TestPlatform;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'offprint-busy-'));
      server = await startGitServer({});
      platform = await startTestPlatform({
        roles: ['api'],
        env: {
          OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
          OFFPRINT_ALLOW_HTTP_GIT_HOSTS: new URL(server.url).host,
        },
      });
      platform.start(['worker']);
    });
    afterAll(async () => {
      await platform.stop();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    });

    test.each(sites.map((site) => [site.name, site] as const))(
      '%s has the same connection test, export and agent check as on an idle machine',
      async (name, site) => {
        const tree = treeOfFolder(site.folder);
        const entries = [...tree.entries.values()].map(({ path, content }) => ({
          path,
          content: content ?? '',
        }));
        await server.commit(`${name}.git`, entries);
        const { key } = await platform.createTenant();
        const source = { kind: 'git', repository: `${server.url}/${name}.git` };
        const { domain } = await createProject(platform.url, key, source);
        const check = createDocsCheck({
          sandbox: sandboxIn(folder),
          workDir: join(folder, name),
          log: pino({ level: 'silent' }),
        });

        const results = async () => {
          const [connection, found, job] = await Promise.all([
            call<ConnectionTest>(platform.url, 'POST', '/v1/connection-tests', { key, body: { source } }),
            check.check(createWorkspace(tree, new Map()), new AbortController().signal),
            runExport(platform.url, key, { domain }),
          ]);
          return {
            connection: connection.body,
            check: found,
            export: await exportFacts(key, job),
          };
        };

        const idle = await results();
        const busy = keepBusy();
        try {
          expect(await results()).toEqual(idle);
        } finally {
          busy.stop();
        }
        expect(idle.connection.steps.map(({ outcome }) => outcome)).toEqual(new Array(5).fill('ok'));
        expect(idle.check.status).toBe('checked');
        expect(idle.export.status).toBe('completed');
        const findings = idle.check.status === 'checked' ? idle.check.findings.length : 0;
        console.log(
          `${name}: ${idle.connection.pages} pages, ${findings} findings, ${idle.export.warnings} warnings, bundle ${idle.export.bundle}`,
        );
      },
      LIMIT_MS,
    );

    /** What an export says of its source, and the digests of what it made. */
    async function exportFacts(key: string, { jobId }: Job) {
      const path = `/v1/static-export/jobs/${jobId}`;
      const job = exportJob.parse((await call(platform.url, 'GET', path, { key })).body);
      const { status, error, errorCode, pageCount, artifact, warnings } = job;
      const bundle = await call<{ sha256?: string }>(platform.url, 'POST', `${path}/bundle`, { key });
      const listed = await call(platform.url, 'GET', `${path}/warnings`, { key });
      return {
        status,
        error,
        errorCode,
        pageCount,
        artifact,
        warnings,
        bundle: bundle.body.sha256,
        listed: listed.body,
      };
    }
  },
);
