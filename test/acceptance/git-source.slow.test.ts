/** Exports of a Git repository over https: commits, refs, folders, credentials. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError, makeFolder, runExport, siteFiles } from './api.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const account = { username: 'x-access-token', password: 'ghp_aTokenThatMustNotLeak' };

function entries(pages: number, folder = '') {
  return Object.entries(siteFiles(pages)).map(([path, content]) => ({ path: `${folder}${path}`, content }));
}

describe.skipIf(!hasOpenssl)(
  hasOpenssl ? 'a Git source' : 'a Git source: no openssl to make a certificate',
  () => {
    let platform: TestPlatform;
    let tenant: Tenant;
    let server: GitServer;
    let repository: string;
    let domain: string;
    let projectId: string;
    let first: string;
    let second: string;

    const run = (body: Record<string, unknown> = {}) =>
      runExport(platform.url, tenant.key, { domain, ...body });

    beforeAll(async () => {
      const folder = await makeFolder({});
      const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
      execFileSync('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert], {
        stdio: 'ignore',
      });
      server = await startGitServer({
        account,
        tls: { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') },
      });
      first = await server.commit('docs.git', entries(2, 'site/'), { tag: 'v1' });
      second = await server.commit('docs.git', entries(4, 'site/'), {
        parent: first,
        at: 1_710_000_000,
        message: 'Add \u202epages\u001b[31m\nabout limits\n\nSigned-off-by: Ada <ada@example.com>',
        author: 'ada@example.com',
      });
      repository = `${server.url.replace('127.0.0.1', 'localhost')}/docs.git`;
      platform = await startTestPlatform({
        env: { OFFPRINT_CA_FILE: cert, OFFPRINT_ALLOW_PRIVATE_HOSTS: 'localhost' },
      });
      tenant = await platform.createTenant();
      ({ projectId, domain } = await createProject(platform.url, tenant.key, {
        kind: 'git',
        repository,
        folder: 'site',
        credential: { kind: 'token', token: account.password },
      }));
    });
    afterAll(async () => {
      await platform.stop();
      await server.close();
    });

    test('exports the tip of the published branch, labelled by its commit', async () => {
      const job = await run();
      expect(job, job.error).toMatchObject({
        status: 'completed',
        pageCount: 5,
        commit: second,
        version: second.slice(0, 12),
      });
    });

    test('shows the subject, author, date and branch of the commit and the name of the project, in the list too', async () => {
      const job = await run();
      const commitInfo = {
        subject: 'Add pages[31m about limits',
        author: 'ada',
        authoredAt: '2024-03-09T16:00:00.000Z',
        ref: 'main',
        url: null,
      };
      expect(job).toMatchObject({ commitInfo, projectName: expect.stringMatching(/^Project /) });
      const list = await call<{ data: unknown[] }>(platform.url, 'GET', '/v1/static-export/jobs?limit=1', {
        key: tenant.key,
      });
      expect(list.body.data).toEqual([job]);
      const tag = await run({ source: { ref: 'v1' } });
      expect(tag.commitInfo).toMatchObject({ subject: 'Test', author: 'Test', ref: 'v1' });
      const pinned = await run({ source: { ref: second } });
      expect(pinned.commitInfo).toEqual({ ...commitInfo, ref: null });
    });

    test.each([
      ['a tag', () => 'v1'],
      ['a commit', () => first],
    ])('exports %s when source.ref names it, with the label asked for', async (_name, ref) => {
      const job = await run({ source: { ref: ref() }, version: 'old' });
      expect(job, job.error).toMatchObject({
        status: 'completed',
        pageCount: 3,
        commit: first,
        version: 'old',
      });
    });

    test('resolves paths at the requested ref: 400 if one is not a page', async () => {
      const start = (body: Record<string, unknown>) =>
        call(platform.url, 'POST', '/v1/static-export/jobs', { key: tenant.key, body: { domain, ...body } });
      const paths = ['index', 'guide/page-3'];
      expectError(await start({ paths, source: { ref: 'v1' } }), 400, 'unknown_page', '/paths/1');
      const job = await run({ paths });
      expect(job, job.error).toMatchObject({ status: 'completed', pageCount: 2, commit: second });
    });

    test('the same commit exported twice gives the same bundle', async () => {
      const [one, two] = [await run(), await run({ source: { ref: second } })];
      expect(two.artifact).toEqual(one.artifact);
    });

    test.each([
      [
        'a branch that is not there',
        { source: { ref: 'nope' } },
        'source_missing',
        /no branch or tag "nope"/,
      ],
      [
        'a commit that is not there',
        { source: { ref: '0'.repeat(40) } },
        'source_missing',
        /has no commit 0{40}\. Push the commit/,
      ],
    ])('fails at once for %s', async (_name, body, errorCode, message) => {
      const job = await run(body);
      expect(job).toMatchObject({ status: 'failed', errorCode });
      expect(job.error).toMatch(message);
    });

    test('fails at once with an invalid credential, and reveals none', async () => {
      const patch = (source: Record<string, unknown>) =>
        call(platform.url, 'PATCH', `/v1/projects/${projectId}`, { key: tenant.key, body: { source } });
      const source = { kind: 'git', repository, folder: 'site' };
      await patch({ ...source, credential: { kind: 'token', token: 'ghp_wrongToken' } });
      const refused = await run();
      await patch({ ...source, credential: null });
      const anonymous = await run();
      for (const job of [refused, anonymous])
        expect(job).toMatchObject({ status: 'failed', errorCode: 'source_refused' });
      expect(`${refused.error}${anonymous.error}${platform.log()}`).not.toMatch(/ghp_/);
    });
  },
);
