import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasOpenssl, makeCertificate } from '../../../../test/support/certificate.ts';
import { type GitServer, startGitServer } from '../../../../test/support/git-server.ts';
import { createConnectionTest, SLOTS, type TestConnection } from './connection.ts';
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
    let hang: (path: string) => boolean = () => true;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'offprint-connection-'));
      workDir = join(folder, 'work');
      const made = makeCertificate(folder);
      certFile = made.certFile;
      // Accepts every request and responds to none, while it hangs.
      server = await startGitServer({
        tls: { key: made.key, cert: made.cert },
        intercept: ({ url = '' }) => hang(url),
      });
      const entries = Array.from({ length: 50 }, (_, page) => ({ path: `${page}.mdx`, content: `${page}` }));
      await server.commit('docs.git', entries);
      tryIt = connectionTest(240_000);
    });
    afterAll(async () => {
      await server.close();
      await rm(folder, { recursive: true });
    });

    let certFile: string;
    const connectionTest = (timeoutMs: number, slots = SLOTS) =>
      createConnectionTest({
        rates: null,
        // Asked only where a project is named.
        db: undefined as never,
        credentialKey: Buffer.alloc(32),
        policy: { allowPrivate: true, allowedHosts: [], allowHttp: [], caFile: certFile },
        sandbox: undefined as never,
        workDir,
        log: pino({ level: 'silent' }),
        limits: { transferBytes: 1e9, files: 20, fileBytes: 1e6, totalBytes: 1e6, timeoutMs },
        slots,
      });
    const source = () => ({ kind: 'git' as const, repository: `${server.url}/docs.git` });
    const of = (organizationId: string) => ({ organizationId, projects: null });
    const skippedOf = ({ steps }: Awaited<ReturnType<TestConnection>>) =>
      steps.find(({ outcome }) => outcome === 'skipped');
    const failureOf = ({ steps }: Awaited<ReturnType<TestConnection>>) =>
      steps.find(({ outcome }) => outcome === 'failed');

    test('that never responds is abandoned, and tests beyond the queue of the organization are refused', async () => {
      const signal = new AbortController().signal;
      const tryShortly = connectionTest(1_500, { ...SLOTS, slots: 2, maxWaitingPerOwner: 1 });
      const leaving = new AbortController();
      const [first, second, waiting, refused] = await Promise.allSettled([
        tryShortly(of('org_a'), { source: source() }, signal),
        tryShortly(of('org_b'), { source: source() }, signal),
        tryShortly(of('org_a'), { source: source() }, leaving.signal),
        tryShortly(of('org_a'), { source: source() }, signal).finally(() => leaving.abort()),
      ]);
      expect(waiting.status).toBe('rejected');
      expect(refused).toMatchObject({
        status: 'rejected',
        reason: { code: 'rate_limited', headers: { 'Retry-After': '30' } },
      });
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

    test('holds no slot for longer than its time while another organization waits', async () => {
      hang = (path) => path.startsWith('/hanging.git');
      const tryFairly = connectionTest(240_000, { ...SLOTS, slots: 2, sliceMs: 100 });
      const signal = new AbortController().signal;
      const hanging = { ...source(), repository: `${server.url}/hanging.git` };
      const [first, , third] = await Promise.all([
        tryFairly(of('org_a'), { source: hanging }, signal),
        tryFairly(of('org_b'), { source: hanging }, signal),
        tryFairly(of('org_c'), { source: source() }, signal),
        tryFairly(of('org_d'), { source: source() }, signal),
      ]);
      expect(skippedOf(first)?.message).toMatch(/^Not checked: .*while other organizations wait/);
      expect(third.branches).toEqual(['main']);
    });

    test('with more files than the test takes leaves the folder unchecked and names the limit', async () => {
      hang = () => false;
      const test = await tryIt(of('org_a'), { source: source() }, new AbortController().signal);
      expect(failureOf(test), 'a limit of the test is no failure of the source').toBeUndefined();
      expect(skippedOf(test)).toMatchObject({
        name: 'folder',
        message: expect.stringMatching(/^Not checked: .*more than 20 files.*limit of the connection test/),
      });
    });

    test('is asked ten times a minute by one organization', async () => {
      const signal = new AbortController().signal;
      const once = () => tryIt(of('org_z'), { source: { ...source(), repository: 'https://' } }, signal);
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
