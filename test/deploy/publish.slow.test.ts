/** The loop as a user runs it: docs in Git, a platform, `offprint publish`, a deployment that is live afterwards. */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signLink } from '../../apps/server/src/platform/blob/link.ts';
import { deriveKey } from '../../apps/server/src/platform/secret.ts';
import { call } from '../acceptance/api.ts';
import { hasOpenssl } from '../support/certificate.ts';
import { type HelmCall, type HelmCluster, startHelmCluster } from './helm-cluster.ts';
import { chartFolder, whyNoHelm } from './helm-engine.ts';
import { type Lab, type Site, startLab, TOKEN } from './publishing.ts';

const why = hasOpenssl ? 'offprint publish' : 'offprint publish: no openssl to make a certificate for Git';

describe.skipIf(!hasOpenssl)(why, { timeout: 240_000 }, () => {
  let lab: Lab;
  let sites: [Site, Site];
  let helm: HelmCluster;
  /** The first export and its link. */
  let first: { jobId: string; bundleUrl: string; sha256: string; version: string; expiresAt: string };

  let second: string;

  const publish = (...args: string[]) => lab.publish(['--domain', lab.domain, ...args]);
  const home = async (site: Site) => (await fetch(`${site.url}/`)).text();
  const served = async (site: Site) =>
    (await (await fetch(`${site.management}/release`)).json()) as {
      release: { sha256: string; version: string; activatedAt: string } | null;
    };
  const toSites = (...more: string[]) => [...['--apply', 'site', '--site', sites[0].management], ...more];
  const token = { OFFPRINT_SITE_TOKEN: TOKEN };
  const toHelm = ['--apply', 'helm', '--release', 'docs', '--namespace', 'web'];
  const link = 'https://files.example.com/docs.tar.gz';

  beforeAll(async () => {
    lab = await startLab();
    if (whyNoHelm === null) helm = await startHelmCluster(join(lab.work, 'cluster'));
    await lab.commit('The first text.');
    const { code, out, err } = await publish('--apply', 'none', '--json');
    expect(code, err).toBe(0);
    first = JSON.parse(out);
    sites = [
      await lab.startSite({ OFFPRINT_SITE_BUNDLE_URL: first.bundleUrl }),
      await lab.startSite({
        OFFPRINT_SITE_BUNDLE_URL: first.bundleUrl,
        OFFPRINT_SITE_VERSION: first.version,
      }),
    ];
    expect(await home(sites[0])).toContain('The first text.');
  }, 240_000);
  afterAll(async () => {
    const said = lab?.said() ?? '';
    helm?.stop();
    await lab?.stop();
    // What was asked for with --apply none is the only place of a link; keys and tokens have none.
    expect(said).not.toContain(TOKEN);
    expect(said).not.toContain(lab.tenant.key);
    expect(said.replaceAll(first.bundleUrl, '').match(/signature=\S*/g) ?? []).toEqual([]);
  });

  describe('--apply none', () => {
    test('gives the link, until when it works and its digest, and downloads nothing', async () => {
      expect(first).toMatchObject({
        bundleUrl: expect.stringContaining('signature='),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(Date.parse(first.expiresAt)).toBeGreaterThan(Date.now());
      expect(readdirSync(lab.work).filter((name) => name.endsWith('.tar.gz'))).toEqual([]);
    });
  });

  describe('--apply site', () => {
    test('what changed in Git is live after one command', async () => {
      await lab.commit('The second text.');
      const { code, out, err } = await lab.publish(
        ['--domain', lab.domain, ...toSites(), '--json', '--result', 'result.json'],
        token,
      );
      expect(code, err).toBe(0);
      expect(await home(sites[0])).toContain('The second text.');
      const result = JSON.parse(out);
      second = result.jobId;
      expect(result).toMatchObject({
        applied: [{ place: sites[0].management, changed: true }],
        pageCount: 2,
      });
      expect(result.sha256).toBe((await served(sites[0])).release?.sha256);
      expect(out).not.toContain('bundleUrl');
      expect(JSON.parse(readFileSync(join(lab.work, 'result.json'), 'utf8'))).toEqual(result);
    });

    test('a site that serves the bundle already is left as it is', async () => {
      const before = await served(sites[0]);
      const again = await lab.publish(['--job', second, ...toSites()], token);
      expect(again.code, again.err).toBe(0);
      expect(again.err).toContain('already had this bundle');
      expect(await served(sites[0])).toEqual(before);
    });

    test('an older export is put back with --job, without another export', async () => {
      const before = await lab.countExports();
      const { code, err } = await lab.publish(['--job', first.jobId, ...toSites()], token);
      expect(code, err).toBe(0);
      expect(await home(sites[0])).toContain('The first text.');
      expect(await lab.countExports()).toBe(before);
    });

    test('an expired link exits with 4 and is reported', async () => {
      // A site that has the bundle on its volume needs no link: this one never had it.
      const proxy = await startProxy(lab, (body) => ({
        ...body,
        bundleUrl: expiredLink(lab, body.bundleUrl),
      }));
      try {
        const { code, err } = await lab.publish(
          ['--job', second, '--apply', 'site', '--site', sites[1].management],
          {
            ...token,
            OFFPRINT_URL: addressOf(proxy),
          },
        );
        expect(code).toBe(4);
        expect(err).toMatch(/expired/);
        expect(await home(sites[1])).toContain('The first text.');
      } finally {
        end(proxy);
      }
    });

    test('replicas that cannot be switched end it with 4, and the others serve the bundle', async () => {
      const leaving = await startBetween(sites[0], 'leave');
      const gone = addressOf(leaving);
      try {
        const args = toSites('--site', gone, '--site', sites[1].management);
        const { code, err } = await lab.publish(['--job', second, ...args], token);
        expect(code).toBe(4);
        expect(err).toContain(`Exported, but not applied: ${gone}: cannot be reached`);
        // The second site was started with the version of the first export.
        expect(err).toMatch(new RegExp(`${sites[1].management}: .*${first.version}`));
        expect(err).toContain(`${sites[0].management}: serves the bundle`);
        expect(err).toMatch(/its link is valid until 20\d\d-.*the same command with --job se_[0-9a-f]{32}/);
        expect(await home(sites[0])).toContain('The second text.');
        expect(await home(sites[1])).toContain('The first text.');
      } finally {
        end(leaving);
      }
    });

    test('a missing or invalid token, a site without a token and an unreachable site exit with 2 before any export', async () => {
      const open = await lab.startSite({
        OFFPRINT_SITE_BUNDLE_URL: first.bundleUrl,
        OFFPRINT_SITE_TOKEN: '',
      });
      const before = await lab.countExports();
      const wrong = 'another-token-for-tests';
      const ends = await Promise.all([
        publish(...toSites()),
        lab.publish(['--domain', lab.domain, ...toSites()], { OFFPRINT_SITE_TOKEN: wrong }),
        lab.publish(['--domain', lab.domain, '--apply', 'site', '--site', open.management], token),
        lab.publish(['--domain', lab.domain, ...toSites('--site', 'http://127.0.0.1:9')], token),
        // The port for readers.
        lab.publish(['--domain', lab.domain, '--apply', 'site', '--site', sites[0].url], token),
      ]);
      const messages = [
        /OFFPRINT_SITE_TOKEN/,
        /Use the OFFPRINT_SITE_TOKEN of the site\s+Nothing was exported/,
        /Set OFFPRINT_SITE_TOKEN\s+Nothing was exported/,
        /127\.0\.0\.1:9: cannot be reached/,
        /GET \/release returned 404\. Check that this is the management port/,
      ];
      for (const [at, { code, err }] of ends.entries()) {
        expect(err).toMatch(messages[at]!);
        expect(code).toBe(2);
        expect(err).not.toContain(wrong);
      }
      expect(await lab.countExports()).toBe(before);
      await open.stop();
    });

    test('a connection that breaks while the site switches is not a failure: the served release decides', async () => {
      const between = await startBetween(sites[0], 'break');
      try {
        const { code, err } = await lab.publish(
          ['--job', first.jobId, '--reapply', '--apply', 'site', '--site', addressOf(between)],
          token,
        );
        expect(code, err).toBe(0);
        expect(err).toContain('the connection was lost; polling its status');
        expect((await served(sites[0])).release?.sha256).toBe(first.sha256);
      } finally {
        end(between);
      }
    });

    test('a site that never serves the bundle ends it with 4 after --apply-timeout', async () => {
      const between = await startBetween(sites[0], 'forget');
      try {
        const { code, err } = await lab.publish(
          ['--job', second, '--apply', 'site', '--site', addressOf(between), '--apply-timeout', '1'],
          token,
        );
        expect(code).toBe(4);
        expect(err).toContain('does not serve the bundle after 1 s');
      } finally {
        end(between);
      }
    });

    test('an address that is none of a site is refused with 2', async () => {
      for (const site of ['ftp://127.0.0.1', 'http://user:word@127.0.0.1', 'nothing']) {
        const { code, err } = await lab.publish(
          ['--job', first.jobId, '--apply', 'site', '--site', site],
          token,
        );
        expect(code).toBe(2);
        expect(err).not.toContain('word');
      }
    });
  });

  describe('--apply file', () => {
    const file = () => join(lab.work, 'values.yaml');
    const toFile = (...more: string[]) => lab.publish(['--job', first.jobId, '--apply', 'file', ...more]);

    test('changes the values of the bundle and nothing else of the file, keeps its mode, and is done once', async () => {
      const text =
        '# Values of the site.\nsite:\n  replicas: 2 # two\n\nstaticExport:\n  # the fuse\n  bundleUrl: ""\n  enabled: false\n';
      writeFileSync(file(), text);
      chmodSync(file(), 0o640);
      const { code, err } = await toFile('values.yaml');
      expect(code, err).toBe(0);
      const written = readFileSync(file(), 'utf8');
      const { bundleUrl } = /bundleUrl: "(?<bundleUrl>[^"]+)"/.exec(written)!.groups!;
      expect(written).toBe(
        `# Values of the site.\nsite:\n  replicas: 2 # two\n\nstaticExport:\n  # the fuse\n  bundleUrl: "${bundleUrl}"\n  sha256: "${first.sha256}"\n  enabled: true\n`,
      );
      expect((await fetch(bundleUrl!)).status).toBe(200);
      expect(statSync(file()).mode & 0o777).toBe(0o640);

      const again = await toFile('values.yaml');
      expect(again.err).toContain('values.yaml: already had this bundle');
      expect(readFileSync(file(), 'utf8')).toBe(written);
      const fresh = await toFile('values.yaml', '--reapply', '--pin', '--expires-in', '7200');
      expect(fresh.code, fresh.err).toBe(0);
      expect(readFileSync(file(), 'utf8')).toContain(`version: "${first.version}"`);
      expect(readFileSync(file(), 'utf8')).not.toContain(bundleUrl);
      expect(readdirSync(lab.work).filter((name) => name.startsWith('.values'))).toEqual([]);
    });

    test('makes a file that is missing, for its owner only, and downloads with -o besides', async () => {
      const { code, err } = await toFile('new.json', '-o', 'site.tar.gz');
      expect(code, err).toBe(0);
      const made = join(lab.work, 'new.json');
      expect(JSON.parse(readFileSync(made, 'utf8'))).toEqual({
        staticExport: {
          enabled: true,
          bundleUrl: expect.stringContaining('signature='),
          sha256: first.sha256,
        },
      });
      expect(statSync(made).mode & 0o777).toBe(0o600);
      expect(existsSync(join(lab.work, 'site.tar.gz'))).toBe(true);
    });

    test.each([
      [
        'staticExport that is not a map',
        'a: 1\nstaticExport: yes\n',
        /values\.yaml:2: staticExport must be a map/,
      ],
      ['text that is not YAML', 'a: 1\nb: [\nc', /values\.yaml:\d: not valid YAML/],
      [
        'a deployment that pulls',
        'staticExport:\n  pull:\n    enabled: true\n',
        /values\.yaml:3: .*pull\.enabled/,
      ],
      [
        'the values of an umbrella chart',
        'a: 1\noffprint:\n  staticExport: {}\n',
        /values\.yaml:2: .*below offprint/,
      ],
      ['a link from a Secret', 'staticExport:\n  existingSecret: link\n', /values\.yaml:2: .*existingSecret/],
      [
        'bundles of a volume',
        'staticExport:\n  volume: { existingClaim: b }\n',
        /values\.yaml:2: .*existingClaim/,
      ],
    ])('refuses %s by its line with 2, before anything is exported', async (_, text, message) => {
      writeFileSync(file(), text);
      const before = await lab.countExports();
      const { code, err } = await publish('--apply', 'file', 'values.yaml');
      expect(code).toBe(2);
      expect(err).toMatch(message);
      expect(readFileSync(file(), 'utf8')).toBe(text);
      expect(await lab.countExports()).toBe(before);
    });

    test('a missing folder exits with 2', async () => {
      const { code, err } = await toFile('nowhere/values.yaml');
      expect({ code, err }).toMatchObject({
        code: 2,
        err: expect.stringMatching(/Folder not found: \S+nowhere\. Create it first/),
      });
    });
  });

  const withoutHelm = whyNoHelm === null ? '' : ` (not: ${whyNoHelm})`;
  describe.skipIf(whyNoHelm !== null)(`--apply helm${withoutHelm}`, () => {
    const viaHelm = (args: string[], env: Record<string, string> = {}) =>
      lab.publish(['--job', first.jobId, ...toHelm, ...args], { ...helm.env, ...env });

    test('upgrades the release with the link on standard input only and an environment that holds no other secret', async () => {
      await helm.install('docs', {
        site: { replicas: 3 },
        staticExport: { enabled: true, bundleUrl: link, version: 'older' },
      });
      const { code, err } = await viaHelm(
        ['--wait', '--atomic', '--chart-version', '0.1.0', '--helm-env', 'EXTRA'],
        {
          HTTPS_PROXY: 'http://proxy.example.com:3128',
          AWS_PROFILE: 'docs',
          EXTRA: 'asked for',
          GITHUB_TOKEN: 'ghs_not_for_helm',
          ...token,
        },
      );
      expect(code, err).toBe(0);
      expect(err).toContain('helm: Release "docs" has been upgraded.');
      const [upgrade, tested] = helm.calls().slice(-2) as [HelmCall, HelmCall];
      expect(upgrade.args).toEqual([
        ...['upgrade', 'docs', chartFolder, '--version', '0.1.0', '--namespace', 'web'],
        ...['--reset-values', '-f', '-', '--timeout', '300s', '--wait', '--atomic'],
      ]);
      expect(tested.args).toEqual(['test', 'docs', '--namespace', 'web', '--timeout', '300s']);
      const values = {
        site: { replicas: 3 },
        staticExport: {
          enabled: true,
          bundleUrl: expect.stringContaining('signature='),
          // It was pinned before, and would refuse this bundle.
          version: first.version,
          sha256: first.sha256,
        },
      };
      expect(JSON.parse(upgrade.input)).toEqual(values);
      expect(await helm.values('docs')).toEqual(values);
      for (const { args, env } of helm.calls()) {
        expect(args.join(' ')).not.toMatch(/signature|blobs/);
        const all = JSON.stringify(env);
        expect(all).not.toMatch(/OFFPRINT_|GITHUB_TOKEN|signature=/);
        expect(env).toMatchObject({
          KUBECONFIG: helm.env.KUBECONFIG,
          HTTPS_PROXY: 'http://proxy.example.com:3128',
          AWS_PROFILE: 'docs',
          EXTRA: 'asked for',
        });
      }
      const again = await viaHelm([]);
      expect(again.err).toContain('web/docs: already had this bundle');
      expect(await helm.history('docs')).toHaveLength(2);
    });

    test('a failure of Helm exits with 4, its exit code and its output, without the link that it echoes', async () => {
      await helm.install('docs', { staticExport: { enabled: true, bundleUrl: link } });
      helm.fail('UPGRADE FAILED: the deployment is not ready');
      const { code, err } = await viaHelm([]);
      expect(code).toBe(4);
      expect(err).toMatch(
        /helm upgrade docs exited with 1:\s+Error: UPGRADE FAILED: the deployment is not ready/,
      );
      expect(err).toContain('helm: echo of');
      expect(err).not.toContain('signature');
      expect(err).toContain(`--job ${first.jobId}`);
    });

    test('a release that fails its tests exits with 4: pods are ready with an older bundle, too', async () => {
      await helm.install('docs', { staticExport: { enabled: true, bundleUrl: link } });
      helm.api.endPods('Failed');
      try {
        const { code, err } = await viaHelm(['--wait']);
        expect(code).toBe(4);
        expect(err).toMatch(
          /Exported, but not applied: helm test docs exited with 1:\s+Error: pod docs-.*-test failed/,
        );
      } finally {
        helm.api.endPods('Succeeded');
      }
    });

    test('an interruption stops Helm, and the command exits with 130', async () => {
      await helm.install('docs', { staticExport: { enabled: true, bundleUrl: link } });
      helm.fail('hang');
      const running = viaHelm([]);
      await new Promise<void>((resolve) => {
        let said = '';
        running.child.stderr?.on('data', (text: string) => {
          said += text;
          if (said.includes('helm: waiting')) resolve();
        });
      });
      running.child.kill('SIGTERM');
      const { code, err } = await running;
      expect(code).toBe(130);
      expect(err).toContain('helm: Error: release has been cancelled');
      expect(err).toMatch(/It may or may not be applied.*--job se_/);
    });

    test('without Helm, release or chart, with names that are options, or with a deployment that pulls, the command exits with 2 before any export', async () => {
      const before = await lab.countExports();
      const fresh = (...args: string[]) =>
        lab.publish(['--domain', lab.domain, ...toHelm, ...args], helm.env);
      await helm.install('pulled', {
        staticExport: {
          enabled: true,
          pull: { enabled: true, url: 'https://a.example', domain: 'a.example', existingSecret: 'a' },
        },
      });
      const ends = await Promise.all([
        fresh('--helm', '/nowhere/helm'),
        fresh('--release', 'other'),
        fresh('--chart', './nowhere'),
        fresh('--chart=--post-renderer=./x'),
        fresh('--values-key', 'a b'),
        fresh('--release', 'pulled'),
      ]);
      const messages = [
        /Helm not found: \/nowhere\/helm\. Install Helm/,
        /release: not found[\s\S]*Nothing was exported/,
        /Chart not found: \.\/nowhere/,
        /Invalid chart or chart version: "--post-renderer=\.\/x"/,
        /Invalid values key: "a b"/,
        /release web\/pulled: .*pull\.enabled/,
      ];
      for (const [at, { code, err }] of ends.entries()) {
        expect(err).toMatch(messages[at]!);
        expect(code, err).toBe(2);
      }
      expect(await lab.countExports()).toBe(before);
    });
  });

  describe('unsuccessful ends', () => {
    test('a failed export exits with 1 and the reason, and the site keeps its release', async () => {
      const before = await home(sites[0]);
      await lab.breakDocs();
      const { code, err } = await lab.publish(['--domain', lab.domain, ...toSites()], token);
      expect(code).toBe(1);
      expect(err).toMatch(/Export se_\w+ failed: .*docs\.json/);
      expect(await home(sites[0])).toBe(before);
      await lab.commit('The last text.');
    });

    test('a timeout exits with 3, an interruption with 130; both name the export to continue', async () => {
      lab.worker.kill('SIGSTOP');
      const goOn =
        /continues on the server\. To resume: the same command with --job (?<jobId>se_[0-9a-f]{32})/;
      let jobId: string;
      try {
        const late = await publish('--apply', 'none', '--timeout', '2');
        expect(late.code).toBe(3);
        ({ jobId } = goOn.exec(late.err)!.groups as { jobId: string });
        const waiting = lab.publish(['--job', jobId, '--apply', 'none']);
        await new Promise((resolve) => waiting.child.stderr?.once('data', resolve));
        waiting.child.kill('SIGINT');
        const interrupted = await waiting;
        expect(interrupted).toMatchObject({ code: 130, out: '' });
        expect(goOn.exec(interrupted.err)?.groups).toEqual({ jobId });
      } finally {
        lab.worker.kill('SIGCONT');
      }
      const done = await lab.publish(['--job', jobId, ...toSites()], token);
      expect(done.code, done.err).toBe(0);
      expect(await home(sites[0])).toContain('The last text.');
    });

    test('a revoked key exits with 2, and nothing is applied', async () => {
      const made = await call<{ id: string; key: string }>(lab.platform.url, 'POST', '/v1/api-keys', {
        key: lab.tenant.key,
        body: { name: 'pipeline' },
      });
      expect(made.status, made.text).toBe(201);
      const path = `/v1/api-keys/${made.body.id}`;
      expect((await call(lab.platform.url, 'DELETE', path, { key: lab.tenant.key })).status).toBe(204);
      const { code, err } = await lab.publish(['--domain', lab.domain, ...toSites()], {
        ...token,
        OFFPRINT_API_KEY: made.body.key,
      });
      expect(code).toBe(2);
      expect(err).toMatch(/request req_/);
      expect(err).not.toContain(made.body.key);
    });

    test.concurrent.each([
      [[], 'Use either --domain'],
      [['--domain', 'a.example.com', '--job', 'se_1'], 'Use either --domain'],
      [['--domain', 'a.example.com', '--apply', 'file'], 'Missing values file'],
      [['--domain', 'a.example.com', '--apply', 'helm'], 'requires --release and --namespace'],
      [['--domain', 'a.example.com', '--apply', 'site'], 'requires --site'],
      [['--domain', 'a.example.com', '--apply', 'site', '--values-key', 'a'], '--values-key requires'],
      [['--domain', 'a.example.com', 'values.yaml'], 'Unexpected argument: values.yaml'],
      [['--domain', 'a.example.com', '--apply', 'ftp'], 'none, file, helm, site'],
      [['--domain', 'a.example.com', '--expires-in', '5'], '60 to 604800'],
    ])('%j is wrong usage: 2', async (args, message) => {
      const { code, err } = await lab.publish(args);
      expect(code).toBe(2);
      expect(err).toContain(message);
    });
  });
});

/** The platform through a proxy that modifies JSON responses. */
async function startProxy(
  lab: Lab,
  change: (body: Record<string, string>) => Record<string, unknown>,
): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(
          ([name]) => !['host', 'connection', 'transfer-encoding'].includes(name),
        ),
      ) as Record<string, string>;
      const body = Buffer.concat(await request.toArray());
      const answer = await fetch(new URL(request.url ?? '/', lab.platform.url), {
        method: request.method ?? 'GET',
        headers,
        ...(body.length === 0 ? {} : { body }),
      });
      const text = await answer.text();
      response.writeHead(answer.status, {
        'content-type': 'application/json',
        ...(answer.headers.has('etag') ? { etag: answer.headers.get('etag')! } : {}),
      });
      response.end(text.startsWith('{') ? JSON.stringify(change(JSON.parse(text))) : text);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** The same link as the platform would have given an hour ago for a minute. */
function expiredLink(lab: Lab, link: string | undefined): string {
  if (link === undefined) return '';
  const url = new URL(link);
  return signLink(deriveKey(lab.platform.secret, 'links'), url.origin, {
    key: url.pathname.replace('/blobs/', ''),
    fileName: url.searchParams.get('name')!,
    expiresAt: new Date(Date.now() - 3_600_000),
  });
}

/**
 * A proxy in front of the management port of a site: it breaks the response to a switch, does not forward the switch, or
 * stops after one request.
 */
async function startBetween(site: Site, fault: 'break' | 'forget' | 'leave'): Promise<Server> {
  let asked = 0;
  const server = createServer((request, response) => {
    void (async () => {
      asked += 1;
      if (fault === 'leave' && asked > 1) throw new Error('gone');
      const body = Buffer.concat(await request.toArray());
      const isSwitch = request.method === 'POST';
      if (isSwitch && fault === 'forget') {
        response.end('{}');
        return;
      }
      const { authorization = '' } = request.headers;
      const answer = await fetch(`${site.management}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { authorization, 'content-type': 'application/json' },
        ...(isSwitch ? { body } : {}),
      });
      const text = await answer.text();
      if (isSwitch) response.destroy();
      else response.end(text);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function end(server: Server): void {
  server.closeAllConnections();
  server.close();
}
