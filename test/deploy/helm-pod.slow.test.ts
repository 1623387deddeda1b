/** A pod of the chart as it runs: the site server with the settings, probes and test of what was rendered. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeBundle, type TestBundle } from '../../apps/site/test/support/bundle.ts';
import { type BundleServer, sendBundle, startServer } from '../../apps/site/test/support/bundle-server.ts';
import { parseObjects } from './helm-checks.ts';
import { render, whyNoHelm } from './helm-engine.ts';
import { environmentOf } from './helm-environment.ts';
import type { KubernetesObject } from './kubernetes-objects.ts';

const program = fileURLToPath(new URL('../../apps/site/bin/offprint-site.mjs', import.meta.url));

interface Pod {
  address: string;
  managementPort: number;
  /** What its log says until it listens. */
  said: string;
  /** Status of a path that a probe asks. */
  probe(path: string): Promise<number>;
  stop(): Promise<number | null>;
}

if (whyNoHelm !== null)
  process.stderr.write(`test/deploy/helm-pod.slow.test.ts: the chart is not rendered: ${whyNoHelm}\n`);

describe.skipIf(whyNoHelm !== null)(
  `a pod of the chart${whyNoHelm === null ? '' : ` (not: ${whyNoHelm})`}`,
  () => {
    let folder: string;
    let bundle: TestBundle;
    let host: BundleServer;
    let objects: KubernetesObject[];
    const running: ChildProcess[] = [];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'offprint-helm-pod-'));
      bundle = await makeBundle('2026-06-01');
      host = await startServer((request, response) => sendBundle(bundle, request, response));
      await writeFile(join(folder, 'token'), 'the-first-token-of-the-site');
      await writeFile(join(folder, 'ca.pem'), certificate);
      objects = await upgrade(bundle);
    });
    const certificate = '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n';
    /** Renders the chart for a bundle, and brings its Secret to where pods find it. */
    async function upgrade({ version, sha256 }: TestBundle): Promise<KubernetesObject[]> {
      const bundleUrl = `${host.url}/docs-${version}.tar.gz?signature=abc`;
      const extraEnv = [
        { name: 'OFFPRINT_SITE_INTERVAL', value: '1' },
        { name: 'OFFPRINT_SITE_VERFIY', value: 'sizes' },
      ];
      const { error, files } = render(
        JSON.stringify({
          staticExport: { enabled: true, bundleUrl, version, sha256 },
          site: {
            basePath: '/docs',
            https: true,
            pod: { extraEnv },
            management: { existingSecret: 'management' },
          },
          certificateAuthority: { existingConfigMap: 'authority' },
        }),
      );
      expect(error).toBeNull();
      const made = parseObjects(files);
      const { stringData } = made.find(({ kind }) => kind === 'Secret')!;
      const { volumes } = made.find(({ kind }) => kind === 'StatefulSet')!.spec.template.spec;
      const { items } = volumes.find(({ name }: { name: string }) => name === 'source').secret;
      for (const { key, path } of items) await writeFile(join(folder, path), stringData[key]);
      return made;
    }
    afterAll(async () => {
      for (const child of running) child.kill('SIGKILL');
      await host?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const find = (kind: string) => objects.find((object) => object.kind === kind)!;
    const container = () => find('StatefulSet').spec.template.spec.containers[0];

    /** Starts the server with the environment of the pod; only addresses and folders are those of this machine. */
    async function start(volume: string): Promise<Pod> {
      const { env } = environmentOf(find('StatefulSet').spec.template.spec, objects, folder);
      const child = spawn(process.execPath, [program], {
        env: {
          ...env,
          OFFPRINT_SITE_DIR: volume,
          OFFPRINT_SITE_HOST: '127.0.0.1',
          OFFPRINT_SITE_PORT: '0',
          OFFPRINT_SITE_MANAGEMENT_HOST: '127.0.0.1',
          OFFPRINT_SITE_MANAGEMENT_PORT: '0',
        },
        stdio: ['ignore', 'inherit', 'pipe'],
      });
      running.push(child);
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const [line, said] = await new Promise<[string, string]>((resolve, reject) => {
        let text = '';
        child.stderr!.on('data', (piece) => {
          text += piece;
          const found = text.split('\n').find((one) => one.includes('"listening"'));
          if (found !== undefined) resolve([found, text]);
        });
        ended.then((code) => reject(new Error(`ended with ${code}: ${text}`)));
      });
      const { address, managementPort } = JSON.parse(line);
      return {
        address,
        managementPort,
        said,
        async probe(path) {
          const answer = await fetch(`http://127.0.0.1:${managementPort}${path}`);
          await answer.text();
          return answer.status;
        },
        stop() {
          child.kill('SIGTERM');
          return ended;
        },
      };
    }

    /** Runs the test pod as `helm test` does, with the addresses of this machine. */
    async function helmTest(
      pod: Pod,
      changes: Record<string, string> = {},
    ): Promise<{ code: number; said: string }> {
      const [{ command, env }] = find('Pod').spec.containers;
      const given = Object.fromEntries(
        env.map(({ name, value }: { name: string; value: string }) => [name, value]),
      );
      const path = new URL(given.SITE).pathname;
      const child = spawn(process.execPath, command.slice(1), {
        env: {
          ...given,
          SITE: new URL(path, pod.address).href,
          MANAGEMENT: '127.0.0.1',
          MANAGEMENT_PORT: String(pod.managementPort),
          ...changes,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      running.push(child);
      let said = '';
      child.stdout.on('data', (piece) => {
        said += piece;
      });
      const code = await new Promise<number>((resolve) =>
        child.once('close', (status) => resolve(status ?? -1)),
      );
      return { code, said };
    }

    async function untilReady(pod: Pod): Promise<void> {
      const { path } = container().readinessProbe.httpGet;
      while ((await pod.probe(path)) !== 200) await sleep(50);
    }

    test('its probes succeed, `helm test` succeeds, and it serves below its path', async () => {
      const pod = await start(join(folder, 'volume'));
      expect(await pod.probe(container().livenessProbe.httpGet.path)).toBe(200);
      expect(await pod.probe(container().startupProbe.httpGet.path)).toBe(200);
      await untilReady(pod);
      expect(await helmTest(pod)).toEqual({
        code: 0,
        said: expect.stringContaining('Pods with the requested release: 1\n'),
      });
      const page = await fetch(new URL('/docs/page-0', pod.address));
      expect(page.headers.get('strict-transport-security')).not.toBeNull();
      expect(await page.text()).toBe('2026-06-01 0');
      const other = await helmTest(pod, { VERSION: '2026-07-01', SECONDS: '0' });
      expect(other).toEqual({ code: 1, said: expect.stringContaining('This is not the requested release.') });
      expect(await pod.stop()).toBe(0);
    }, 120_000);

    test('it follows an upgrade to another bundle without a restart, and `helm test` waits for that', async () => {
      const pod = await start(join(folder, 'followed'));
      await untilReady(pod);
      const next = await makeBundle('2026-07-01');
      host.answer = (request, response) => {
        if (!request.url?.startsWith('/docs-2026-07-01')) return false;
        sendBundle(next, request, response);
        return true;
      };
      const before = objects;
      try {
        const after = await upgrade(next);
        const template = (made: KubernetesObject[]) => made.find(({ kind }) => kind === 'StatefulSet')!.spec;
        expect(template(after)).toEqual(template(before));
        objects = after;
        expect(await helmTest(pod)).toMatchObject({ code: 0 });
        expect(await (await fetch(new URL('/docs/page-0', pod.address))).text()).toBe('2026-07-01 0');
      } finally {
        objects = await upgrade(bundle);
      }
      expect(await helmTest(pod)).toMatchObject({ code: 0 });
      expect(await (await fetch(new URL('/docs/page-0', pod.address))).text()).toBe('2026-06-01 0');
      expect(await pod.stop()).toBe(0);
    }, 120_000);

    test('it follows its token and its certificates, and warns of unknown settings', async () => {
      const pod = await start(join(folder, 'followed'));
      expect(pod.said).toContain(
        'Unknown setting OFFPRINT_SITE_VERFIY; it has no effect. Did you mean OFFPRINT_SITE_VERIFY?',
      );
      const call = async (token: string) => {
        const answer = await fetch(`http://127.0.0.1:${pod.managementPort}/release`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ bundleUrl: `${host.url}/docs.tar.gz` }),
        });
        return [answer.status, await answer.text()];
      };
      const [first, second] = ['the-first-token-of-the-site', 'the-second-token-of-the-site'];
      expect([(await call(first))[0], (await call(second))[0]]).toEqual([200, 401]);
      await writeFile(join(folder, 'token'), second);
      expect([(await call(first))[0], (await call(second))[0]]).toEqual([401, 200]);
      await writeFile(join(folder, 'ca.pem'), 'none');
      expect(await call(second)).toEqual([
        502,
        expect.stringContaining('of OFFPRINT_CA_FILE contains no PEM certificate'),
      ]);
      await writeFile(join(folder, 'ca.pem'), certificate);
      expect((await call(second))[0]).toBe(200);
      expect(await pod.stop()).toBe(0);
    }, 120_000);

    test('it starts again on its volume after the link has expired, and a new pod is not ready and says why', async () => {
      host.answer = (_request, response) => {
        response.writeHead(403).end();
        return true;
      };
      const [old, fresh] = await Promise.all([start(join(folder, 'volume')), start(join(folder, 'empty'))]);
      await untilReady(old);
      expect(await helmTest(old)).toMatchObject({ code: 0 });
      expect(await (await fetch(new URL('/docs/page-1', old.address))).text()).toBe('2026-06-01 1');
      const { path } = container().readinessProbe.httpGet;
      let said = '';
      while (!said.includes('link_')) {
        const answer = await fetch(`http://127.0.0.1:${fresh.managementPort}${path}`);
        expect(answer.status).toBe(503);
        said = await answer.text();
        await sleep(50);
      }
      expect(said).not.toContain('signature');
      const failed = await helmTest(fresh, { SECONDS: '0' });
      expect(failed.code).toBe(1);
      expect(failed.said).not.toContain('signature');
      expect(await Promise.all([old.stop(), fresh.stop()])).toEqual([0, 0]);
    }, 120_000);
  },
);
