/** Trying a Git source before a project is made of it: every way it can be wrong, and what is said of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionTest } from '@offprint/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasOpenssl, makeCertificate } from '../support/certificate.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../support/platform.ts';
import { call, createProject, expectError, siteFiles } from './api.ts';

const account = { username: 'x-access-token', password: 'ghp_aTokenThatMustNotLeak' };
const credential = { kind: 'token', token: account.password };
const entries = (files: Record<string, string>, folder = '') =>
  Object.entries(files).map(([path, content]) => ({ path: `${folder}${path}`, content }));

describe.skipIf(!hasOpenssl)(
  `POST /v1/connection-tests${hasOpenssl ? '' : ': no openssl to make a certificate'}`,
  () => {
    let folder: string;
    let platform: TestPlatform;
    let tenant: Tenant;
    let server: GitServer;
    let strange: GitServer;
    let unencrypted: GitServer;
    let plain: Server;
    let commit: string;
    let repository: string;

    const send = (body: Record<string, unknown>, key = tenant.key) =>
      call<ConnectionTest>(platform.url, 'POST', '/v1/connection-tests', { key, body });
    const attempt = async (source: Record<string, unknown>, projectId?: string) => {
      const reply = await send({
        source: { kind: 'git', repository, ...source },
        ...(projectId ? { projectId } : {}),
      });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.text).not.toMatch(/ghp_|\/tmp\//);
      return reply.body;
    };
    const on = (path: string, at = server) => `${at.url.replace('127.0.0.1', 'localhost')}/${path}`;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'offprint-connection-'));
      const { key, cert, certFile } = makeCertificate(folder);
      const otherFolder = await mkdtemp(join(folder, 'other-'));
      const other = makeCertificate(otherFolder);
      server = await startGitServer({ account, tls: { key, cert } });
      strange = await startGitServer({ tls: { key: other.key, cert: other.cert } });
      unencrypted = await startGitServer({ account });
      await unencrypted.commit('docs.git', entries(siteFiles(3)));
      plain = createServer({ key, cert }, (request, response) => {
        if (request.url?.startsWith('/moved') === true) response.writeHead(301, { location: on('docs.git') });
        else response.writeHead(200, { 'content-type': 'text/html' });
        response.end(`<!doctype html>\n${'<p>Hello</p>\n'.repeat(20)}`);
      });
      await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
      commit = await server.commit(
        'docs.git',
        entries(siteFiles(3), 'site/').concat(
          entries(
            {
              'mint.json': '{"name":"Old","navigation":[{"group":"A","pages":["index"]}]}',
              'index.mdx': 'x',
            },
            'old/',
          ),
          entries({ 'docs.json': '{\n  "name": "Broken",\n  "navigation": \n}' }, 'broken/'),
          entries({ 'index.mdx': 'x' }, 'bare/'),
          entries(
            { ...siteFiles(1), 'docs.json': `${siteFiles(1)['docs.json']}${' '.repeat(600_000)}` },
            'large/',
          ),
          entries({ ...siteFiles(1), 'api.yaml': `openapi: 3.1.0\n#${'x'.repeat(600_000)}\n` }, 'long/'),
        ),
      );
      await server.commit('docs.git', entries(siteFiles(1)), { ref: 'refs/heads/release/1.0' });
      // A repository without a branch.
      await server.commit('empty.git', [], { ref: null });
      repository = on('docs.git');
      platform = await startTestPlatform({
        roles: ['api'],
        env: {
          OFFPRINT_CA_FILE: certFile,
          OFFPRINT_ALLOW_PRIVATE_HOSTS: 'localhost',
          OFFPRINT_ALLOW_HTTP_GIT_HOSTS: new URL(on('', unencrypted)).host,
        },
      });
    });
    afterAll(async () => {
      await platform.stop();
      await Promise.all([server.close(), strange.close(), unencrypted.close()]);
      plain.closeAllConnections();
      plain.close();
      await rm(folder, { recursive: true });
    });
    // A few tests a minute are the limit of an organization.
    beforeEach(async () => {
      tenant = await platform.createTenant();
    });

    test('200: what is found of a source that works', async () => {
      const found = await attempt({ folder: 'site', credential });
      expect(found).toMatchObject({
        ok: true,
        commit,
        branch: 'main',
        branches: ['main', 'release/1.0'],
        folders: ['broken', 'large', 'long', 'old', 'site'],
        siteName: 'Small site',
        pages: 4,
      });
      expect(found.steps.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
        'address ok',
        'sign-in ok',
        'branch ok',
        'folder ok',
        'config ok',
      ]);
      const old = await attempt({ folder: 'old', credential });
      expect(old).toMatchObject({ ok: true, siteName: 'Old', pages: 1 });
      expect(old.steps.at(-1)?.message).toMatch(/mint\.json/);
      const other = await attempt({ branch: 'release/1.0', credential });
      expect(other).toMatchObject({ ok: true, branch: 'release/1.0', pages: 2 });
      const rows = await platform.database.db.selectFrom('projects').select('id').execute();
      expect(rows, 'nothing is stored').toEqual([]);
    });

    const faults: [name: string, source: () => Record<string, unknown>, step: string, message: RegExp][] = [
      [
        'a host of no name',
        () => ({ repository: 'https://no-such-host.invalid/a.git' }),
        'address',
        /resolved.*spelling/,
      ],
      [
        'a port that nobody listens on',
        () => ({ repository: 'https://localhost:9/a.git' }),
        'address',
        /refuses the connection/,
      ],
      [
        'a certificate of a stranger',
        () => ({ repository: on('docs.git', strange) }),
        'address',
        /OFFPRINT_CA_FILE/,
      ],
      [
        'a private address',
        () => ({ repository: 'https://127.0.0.1/a.git' }),
        'address',
        /OFFPRINT_ALLOW_PRIVATE_HOSTS/,
      ],
      [
        'a server that is none of Git',
        () => ({ repository: `https://localhost:${portOf(plain)}/a.git` }),
        'address',
        /not as a Git server/,
      ],
      [
        'a redirect',
        () => ({ repository: `https://localhost:${portOf(plain)}/moved.git` }),
        'address',
        /redirect/,
      ],
      ['a repository that needs a credential', () => ({}), 'sign-in', /set a credential/],
      [
        'a credential that is refused',
        () => ({ credential: { kind: 'token', token: 'ghp_wrong' } }),
        'sign-in',
        /denied access/,
      ],
      [
        'a credential of another kind',
        () => ({ credential: { kind: 'ssh-key', privateKey: 'x' } }),
        'sign-in',
        /SSH key cannot be used/,
      ],
      [
        'a repository that is not there',
        () => ({ repository: on('nothing.git'), credential }),
        'sign-in',
        /Repository .* not found/,
      ],
      [
        'an empty repository',
        () => ({ repository: on('empty.git'), credential }),
        'branch',
        /empty.*first commit/,
      ],
      [
        'a misspelt branch',
        () => ({ branch: 'mian', credential }),
        'branch',
        /no branch mian.*Did you mean main/,
      ],
      [
        'another branch',
        () => ({ branch: 'zzz', credential }),
        'branch',
        /Its branches: main, release\/1\.0/,
      ],
      [
        'a folder that is not there',
        () => ({ folder: 'docs', credential }),
        'folder',
        /folder docs is not.*broken, large, long, old, site/,
      ],
      [
        'a folder without docs.json',
        () => ({ folder: 'bare', credential }),
        'config',
        /no docs\.json in the folder bare.*broken, large, long, old, site/,
      ],
      ['a docs.json that is no JSON', () => ({ folder: 'broken', credential }), 'config', /docs\.json:4: /],
    ];
    test.each(faults)('200: %s fails its step, and says what to do', async (_name, source, step, message) => {
      const found = await attempt(source());
      expect(found.ok).toBe(false);
      const names = found.steps.map(({ name }) => name);
      const index = names.indexOf(step as (typeof names)[number]);
      expect(found.steps.map(({ outcome }) => outcome)).toEqual(
        names.map((_, at) => (at < index ? 'ok' : at === index ? 'failed' : 'skipped')),
      );
      expect(found.steps[index]?.message).toMatch(message);
    });

    test('200: a docs.json that is too large for the test is not checked, and no failure', async () => {
      const found = await attempt({ folder: 'large', credential });
      expect(found).toMatchObject({ ok: false, siteName: null, pages: null });
      expect(found.steps.at(-1)).toMatchObject({
        outcome: 'skipped',
        message: expect.stringMatching(/^Not checked: docs\.json has \d+ bytes.*up to 500000/),
      });
      const long = await attempt({ folder: 'long', credential });
      expect(long).toMatchObject({ ok: true, pages: 2 });
      expect(long.steps.at(-1)?.message).toMatch(/Not checked for defects: api\.yaml is larger/);
    });

    test('http works for the hosts of OFFPRINT_ALLOW_HTTP_GIT_HOSTS, with a warning, and a project may use it', async () => {
      const source = { repository: on('docs.git', unencrypted), credential };
      const found = await attempt(source);
      expect(found).toMatchObject({ ok: true, pages: 4 });
      expect(found.steps[0]?.message).toMatch(/Warning: .*credentials are sent unencrypted/);
      const { projectId } = await createProject(platform.url, tenant.key, { kind: 'git', ...source });
      expect(await attempt({ repository: source.repository }, projectId)).toMatchObject({ ok: true });
      const https = await attempt({ folder: 'site', credential });
      expect(https.steps[0]?.message).not.toContain('Warning');
    });

    test('http to another host is refused with the name of the setting', async () => {
      const repository = on('docs.git').replace('https:', 'http:');
      const found = await attempt({ repository });
      expect(found.steps[0]).toMatchObject({
        outcome: 'failed',
        message: expect.stringContaining('OFFPRINT_ALLOW_HTTP_GIT_HOSTS'),
      });
      const made = await call(platform.url, 'POST', '/v1/projects', {
        key: tenant.key,
        body: { name: 'Docs', source: { kind: 'git', repository } },
      });
      expectError(made, 400, 'invalid_request', '/source/repository');
      expect(made.text).toContain('OFFPRINT_ALLOW_HTTP_GIT_HOSTS');
    });

    test('the stored credential is used for its own repository, and sent nowhere else', async () => {
      const { projectId } = await createProject(platform.url, tenant.key, {
        kind: 'git',
        repository,
        credential,
      });
      expect(await attempt({ folder: 'site' }, projectId)).toMatchObject({ ok: true });
      expect(await attempt({ folder: 'site', credential: null }, projectId)).toMatchObject({ ok: false });
      const elsewhere = await attempt({ repository: on('empty.git') }, projectId);
      expect(elsewhere.steps[1]).toMatchObject({ name: 'sign-in', outcome: 'failed' });
      const { key } = await platform.createTenant();
      expectError(await send({ source: { kind: 'git', repository }, projectId }, key), 404, 'not_found');
    });

    test('400 invalid_request: a source without a server', async () => {
      expectError(await send({ source: { kind: 'upload' } }), 400, 'invalid_request', '/source/kind');
    });
  },
);

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
