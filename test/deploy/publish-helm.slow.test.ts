/** What `--apply helm` does to releases: Helm itself does it, on a Kubernetes API in memory. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CliError } from '../../apps/cli/src/errors.ts';
import { type HelmSettings, helmTarget } from '../../apps/cli/src/publish/helm.ts';
import { ApplyError, type ValuesRules } from '../../apps/cli/src/publish/target.ts';
import { type HelmCluster, startHelmCluster } from './helm-cluster.ts';
import { chartFolder, namespace, whyNoHelm } from './helm-engine.ts';

if (whyNoHelm !== null)
  process.stderr.write(`test/deploy/publish-helm.slow.test.ts: nothing is upgraded: ${whyNoHelm}\n`);

const bundle = {
  bundleUrl: 'https://files.example.com/new.tar.gz?signature=0123456789',
  sha256: 'b'.repeat(64),
  version: '2',
};
const old = { enabled: true, bundleUrl: 'https://files.example.com/old.tar.gz', sha256: 'a'.repeat(64) };
const wanted = { enabled: true, bundleUrl: bundle.bundleUrl, sha256: bundle.sha256 };

describe.skipIf(whyNoHelm !== null)(`upgraded${whyNoHelm === null ? '' : ` (not: ${whyNoHelm})`}`, () => {
  let folder: string;
  let helm: HelmCluster;
  let said: string[];
  /** The next version of the chart: it has a field that the schema asks for and a release of today does not know. */
  let next: string;
  let shop: string;
  let umbrella: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offprint-helm-'));
    helm = await startHelmCluster(join(folder, 'cluster'));
    next = join(folder, 'next');
    cpSync(chartFolder, next, { recursive: true });
    const edit = (file: string, change: (text: string) => string) =>
      writeFileSync(join(next, file), change(readFileSync(join(next, file), 'utf8')));
    edit('Chart.yaml', (text) => text.replace(/^version: .*$/m, 'version: 9.0.0'));
    edit('values.yaml', (text) => `${text}\nlater: { needed: true }\n`);
    edit('values.schema.json', (text) => {
      const schema = JSON.parse(text);
      schema.properties.later = { type: 'object', required: ['needed'] };
      return JSON.stringify({ ...schema, required: ['later'] });
    });
    shop = join(folder, 'shop');
    mkdirSync(join(shop, 'templates'), { recursive: true });
    writeFileSync(join(shop, 'Chart.yaml'), 'apiVersion: v2\nname: shop\nversion: 1.2.3\n');
    writeFileSync(
      join(shop, 'templates/shop.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: shop }\n',
    );
    umbrella = join(folder, 'umbrella');
    cpSync(chartFolder, join(umbrella, 'charts/offprint'), { recursive: true });
    writeFileSync(join(umbrella, 'Chart.yaml'), 'apiVersion: v2\nname: umbrella\nversion: 0.3.0\n');
  }, 60_000);
  afterAll(() => {
    helm?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    said = [];
    helm.api.endPods('Succeeded');
  });

  const targetOf = (release: string, more: Partial<HelmSettings & ValuesRules> = {}) =>
    helmTarget(
      {
        ...{ release, namespace, chart: chartFolder, helm: helm.program, environment: helm.env },
        ...{ atomic: false, wait: false, timeout: 60, ...more },
      },
      { pin: false, reapply: false, below: [], ...more },
    );
  const talk = { say: (line: string) => void said.push(line), progress() {}, done() {} };
  const context = { talk, signal: new AbortController().signal };
  const faultOf = (end: Promise<unknown>) =>
    end.then(
      () => null,
      (error: unknown) => error as CliError,
    );
  const replicas = (name: string) =>
    (helm.api.find('StatefulSet', name)?.spec as { replicas?: number } | undefined)?.replicas;

  test('a newer chart brings the defaults of its new fields, and what was given to the release stays', async () => {
    await helm.install('newer', { staticExport: { ...old, version: '1' }, site: { replicas: 4 } });
    const target = targetOf('newer', { chart: next });
    await target.check(context);
    expect(said).toEqual([
      expect.stringMatching(/^release web\/newer: .* from offprint-\d\S+ to offprint-9\.0\.0$/),
    ]);
    expect(await helm.history('newer')).toHaveLength(1);
    expect(await target.apply(bundle, context)).toEqual([{ place: 'web/newer', changed: true }]);
    expect(await helm.values('newer')).toEqual({
      // It was pinned, and would refuse this bundle.
      staticExport: { ...wanted, version: '2' },
      site: { replicas: 4 },
    });
    expect((await helm.history('newer')).at(-1)).toMatchObject({
      chart: 'offprint-9.0.0',
      status: 'deployed',
    });
    expect(replicas('newer-offprint-site')).toBe(4);
    expect(await target.apply(bundle, context)).toEqual([{ place: 'web/newer', changed: false }]);
  });

  test('a release of another chart is refused before the export, also with its own chart, and stays', async () => {
    await helm.install('shop', {}, shop);
    const error = await faultOf(targetOf('shop').check(context));
    expect(error?.exitCode).toBe(2);
    expect(error?.message).toMatch(
      /^release web\/shop uses the chart shop-1\.2\.3, which offprint would replace.*\s+Nothing was exported$/,
    );
    const own = await faultOf(targetOf('shop', { chart: shop }).check(context));
    expect(own?.exitCode).toBe(2);
    expect(own?.message).toContain('release web/shop: the values of shop-1.2.3 have no staticExport');
    expect(await helm.history('shop')).toHaveLength(1);
  });

  test('values that the chart refuses end it before the export, by the name of the field', async () => {
    await helm.install('refused', { staticExport: old });
    const strict = join(folder, 'strict');
    cpSync(next, strict, { recursive: true });
    writeFileSync(join(strict, 'values.yaml'), readFileSync(join(chartFolder, 'values.yaml')));
    const error = await faultOf(targetOf('refused', { chart: strict }).check(context));
    expect(error?.exitCode).toBe(2);
    expect(error?.message).toMatch(
      /helm upgrade refused exited with 1:[\s\S]*later[\s\S]*Nothing was exported$/,
    );
    expect(await helm.history('refused')).toHaveLength(1);
  });

  test('with wait, pods that are ready with another bundle are a failure, as often as it is tried', async () => {
    await helm.install('waiting', { staticExport: old });
    const target = targetOf('waiting', { wait: true });
    helm.api.endPods('Failed');
    const first = await faultOf(target.apply(bundle, context));
    expect(first).toBeInstanceOf(ApplyError);
    expect(first?.message).toMatch(
      /helm test waiting exited with 1:\s+Error: pod waiting-offprint-site-test failed/,
    );
    // It is in place now, by the values.
    expect((await faultOf(target.apply(bundle, context)))?.message).toContain(
      'helm test waiting exited with 1',
    );
    helm.api.endPods('Succeeded');
    expect(await target.apply(bundle, context)).toEqual([{ place: 'web/waiting', changed: false }]);
    expect(said.join('\n')).toMatch(/Phase: +Succeeded/);
  });

  test('with atomic, a release that fails its tests has its former values again', async () => {
    await helm.install('atomic', { staticExport: old });
    helm.api.endPods('Failed');
    const error = await faultOf(targetOf('atomic', { atomic: true }).apply(bundle, context));
    expect(error?.message).toMatch(
      /helm test atomic exited with 1[\s\S]*Rolled back release .* to revision 1$/,
    );
    expect(await helm.values('atomic')).toEqual({ staticExport: old });
    expect((await helm.history('atomic')).map(({ status }) => status)).toEqual([
      'superseded',
      'superseded',
      'deployed',
    ]);
  });

  test('with atomic, a failed rollback is reported after the failure of the tests, with a remedy', async () => {
    const stuck = join(folder, 'stuck');
    cpSync(chartFolder, stuck, { recursive: true });
    writeFileSync(
      join(stuck, 'templates/back.yaml'),
      'apiVersion: v1\nkind: Pod\nmetadata: { name: back, annotations: { helm.sh/hook: pre-rollback } }\n',
    );
    await helm.install('stuck', { staticExport: old }, stuck);
    helm.api.endPods('Failed');
    const error = await faultOf(targetOf('stuck', { atomic: true }).apply(bundle, context));
    expect(error).toBeInstanceOf(ApplyError);
    expect(error?.message).toMatch(
      /^helm test stuck exited with 1:[\s\S]*The rollback also failed: helm rollback stuck exited with 1:\s+Error: pod back failed\s+After fixing the cause, run: helm rollback stuck 1 --namespace web$/,
    );
  });

  test('after an upgrade that failed nothing counts as in place, and the values are those that are at work', async () => {
    await helm.install('failed', { staticExport: old, site: { replicas: 2 } });
    const broken = join(folder, 'broken');
    cpSync(chartFolder, broken, { recursive: true });
    writeFileSync(
      join(broken, 'templates/late.yaml'),
      'apiVersion: v1\nkind: Pod\nmetadata: { name: late, annotations: { helm.sh/hook: post-upgrade } }\n',
    );
    helm.api.endPods('Failed');
    await expect(
      helm.install('failed', { staticExport: wanted, site: { replicas: 5 } }, broken),
    ).rejects.toThrow();
    expect((await helm.history('failed')).at(-1)?.status).toBe('failed');
    helm.api.endPods('Succeeded');
    const target = targetOf('failed');
    await target.check(context);
    expect(await target.apply(bundle, context)).toEqual([{ place: 'web/failed', changed: true }]);
    expect(await helm.values('failed')).toEqual({ staticExport: wanted, site: { replicas: 2 } });
  });

  test('values of a subchart are given below its key, and refused without it', async () => {
    await helm.install('whole', { offprint: { staticExport: old, site: { replicas: 3 } } }, umbrella);
    const error = await faultOf(targetOf('whole', { chart: umbrella }).check(context));
    expect(error?.exitCode).toBe(2);
    expect(error?.message).toContain(
      'release web/whole: staticExport is below offprint. Set the values key to offprint',
    );
    const target = targetOf('whole', { chart: umbrella, below: ['offprint'] });
    await target.check(context);
    await target.apply(bundle, context);
    expect(await helm.values('whole')).toEqual({ offprint: { staticExport: wanted, site: { replicas: 3 } } });
    expect(await target.apply(bundle, context)).toEqual([{ place: 'web/whole', changed: false }]);
  });

  test('messages of Helm about the values of a release are printed without the values, plain and escaped', async () => {
    const password = 'sesame-open-&-wide';
    const link = 'https://files.example.com/old.tar.gz?part=1&signature=98765432';
    await helm.install(
      'masked',
      { offprint: { staticExport: old }, shop: { password, tier: 'password', link } },
      umbrella,
    );
    const telling = join(folder, 'telling');
    cpSync(umbrella, telling, { recursive: true });
    mkdirSync(join(telling, 'templates'));
    writeFileSync(
      join(telling, 'templates/telling.yaml'),
      '{{ with .Values.shop }}{{ fail (printf "%s %s" .password (toJson .)) }}{{ end }}',
    );
    const target = targetOf('masked', { chart: telling, below: ['offprint'] });
    for (const end of [() => target.check(context), () => target.apply(bundle, context)]) {
      const message = (await faultOf(end()))?.message;
      expect(message).toMatch(
        /helm upgrade masked exited with 1:[\s\S]*\*\*\* \{"link":"\*\*\*","password":"\*\*\*","tier":"password"\}/,
      );
      expect(message).not.toMatch(/sesame|98765432|0123456789/);
      expect(said.join('\n')).not.toMatch(/sesame|98765432|0123456789/);
    }
  });
});
