import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasOpenssl, makeCertificate } from '../../../../test/support/certificate.ts';
import { type GitServer, startGitServer } from '../../../../test/support/git-server.ts';
import { createConnectionTest, type TestConnection } from './connection.ts';
import { nearNames } from './near-names.ts';

test('names near to a misspelt one come first; none that shares nothing', () => {
  const names = ['main', 'master', 'release/1.0', 'release/2.0', 'develop'];
  expect(nearNames('mian', names)).toEqual(['main']);
  expect(nearNames('release', names)).toEqual(['release/1.0', 'release/2.0']);
  expect(nearNames('zzz', names)).toEqual([]);
});

describe.skipIf(!hasOpenssl)(
  `a hostile server${hasOpenssl ? '' : ': no openssl to make a certificate'}`,
  () => {
    let server: GitServer;
    let folder: string;
    let workDir: string;
    let tryIt: TestConnection;
    let hang = true;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'offprint-connection-'));
      workDir = join(folder, 'work');
      const made = makeCertificate(folder);
      certFile = made.certFile;
      // Accepts every request and responds to none, while it hangs.
      server = await startGitServer({ tls: { key: made.key, cert: made.cert }, intercept: () => hang });
      const entries = Array.from({ length: 50 }, (_, page) => ({ path: `${page}.mdx`, content: `${page}` }));
      await server.commit('docs.git', entries);
      tryIt = connectionTest(240_000);
    });
    afterAll(async () => {
      await server.close();
      await rm(folder, { recursive: true });
    });

    let certFile: string;
    const connectionTest = (timeoutMs: number) =>
      createConnectionTest({
        // Asked only where a project is named.
        db: undefined as never,
        credentialKey: Buffer.alloc(32),
        policy: { allowPrivate: true, allowedHosts: [], allowHttp: [], caFile: certFile },
        workDir,
        log: pino({ level: 'silent' }),
        limits: { transferBytes: 1e9, files: 20, fileBytes: 1e6, totalBytes: 1e6, timeoutMs },
      });
    const source = () => ({ kind: 'git' as const, repository: `${server.url}/docs.git` });
    const skippedOf = ({ steps }: Awaited<ReturnType<TestConnection>>) =>
      steps.find(({ outcome }) => outcome === 'skipped');
    const failureOf = ({ steps }: Awaited<ReturnType<TestConnection>>) =>
      steps.find(({ outcome }) => outcome === 'failed');

    test('that never responds is abandoned; two tests run at a time, one of each organization', async () => {
      const signal = new AbortController().signal;
      const tryShortly = connectionTest(1_500);
      const [first, again, second, third] = await Promise.allSettled([
        tryShortly('org_a', { source: source() }, signal),
        tryShortly('org_a', { source: source() }, signal),
        tryShortly('org_b', { source: source() }, signal),
        tryShortly('org_c', { source: source() }, signal),
      ]);
      expect(again).toMatchObject({ status: 'rejected', reason: { code: 'rate_limited' } });
      expect(third).toMatchObject({ status: 'rejected', reason: { code: 'rate_limited' } });
      for (const result of [first, second]) {
        expect(result.status).toBe('fulfilled');
        if (result.status !== 'fulfilled') continue;
        expect(failureOf(result.value), 'a time limit is no failure of the source').toBeUndefined();
        expect(result.value.ok).toBe(false);
        expect(skippedOf(result.value)).toMatchObject({
          name: 'address',
          message: expect.stringMatching(/^Not checked: .*longer than 2 s.*Try again/),
        });
      }
      expect(await readdir(workDir), 'nothing is left behind').toEqual([]);
    });

    test('with more files than the test takes leaves the folder unchecked and names the limit', async () => {
      hang = false;
      const test = await tryIt('org_a', { source: source() }, new AbortController().signal);
      expect(failureOf(test), 'a limit of the test is no failure of the source').toBeUndefined();
      expect(skippedOf(test)).toMatchObject({
        name: 'folder',
        message: expect.stringMatching(/^Not checked: .*more than 20 files.*limit of the connection test/),
      });
    });

    test('is asked ten times a minute by one organization', async () => {
      const signal = new AbortController().signal;
      const once = () => tryIt('org_z', { source: { ...source(), repository: 'https://' } }, signal);
      let passed = 0;
      let refusal: unknown = null;
      while (refusal === null && passed < 40) {
        const result = await once().catch((error: unknown) => error);
        if (result instanceof Error) refusal = result;
        else passed += 1;
      }
      expect(refusal).toMatchObject({ code: 'rate_limited' });
      expect(passed).toBeGreaterThanOrEqual(10);
    });
  },
);
