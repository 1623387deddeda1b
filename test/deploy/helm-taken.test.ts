/** What the chart has in its pods is refused beside it in the values, in whatever case it has it. */
import { describe, expect, test } from 'vitest';
import { parseObjects, podsOf } from './helm-checks.ts';
import { render, whyNoHelm } from './helm-engine.ts';
import { examples, mergeValues, parseValues } from './helm-values.ts';

if (whyNoHelm !== null)
  process.stderr.write(`test/deploy/helm-taken.test.ts: the chart is not rendered: ${whyNoHelm}\n`);

const token = 'site: { management: { existingSecret: a } }';
const authority = 'certificateAuthority: { existingConfigMap: a }';
const claim = 'staticExport: { enabled: true, volume: { existingClaim: a } }';
const from = '  settingsFrom: [a]';
const site = 'staticExport: { enabled: true, bundleUrl: "https://a.example/b" }';
const platform = examples.get('platform-small')!;

describe.skipIf(whyNoHelm !== null)(`rendered${whyNoHelm === null ? '' : ` (not: ${whyNoHelm})`}`, () => {
  test.each([
    ['site', 'site.pod', site, [`${site}\n${token}\n${authority}`, claim], 6],
    ['api', 'platform.api.pod', platform, [`${platform}\n${from}\n${authority}`], 5],
    ['worker', 'platform.worker.pod', platform, [`${platform}\n${from}\n${authority}`], 5],
    ['renderer', 'platform.renderer.pod', platform, [`${platform}\n${authority}`], 2],
  ])('mounts and names of ports of the container %s are taken', (name, place, least, cases, count) => {
    const containers = cases
      .flatMap((values) => podsOf(parseObjects(render(values).files)))
      .flatMap(({ spec }) => spec.containers as Container[])
      .filter((container) => container.name === name);
    const mounts = new Set(containers.flatMap((one) => (one.volumeMounts ?? []).map((at) => at.mountPath)));
    const ports = new Set(containers.flatMap((one) => (one.ports ?? []).map((port) => port.name)));
    expect([mounts.size, ports.size > 0]).toEqual([count, true]);
    const pod = {
      extraVolumes: [{ name: 'own', emptyDir: {} }],
      extraVolumeMounts: [...mounts].map((mountPath) => ({ name: 'own', mountPath })),
      sidecars: [{ name: 'own', image: 'a', ports: [...ports].map((port) => ({ name: port })) }],
    };
    const own = place.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), pod);
    const values = mergeValues(parseValues(least), parseValues(JSON.stringify(own)));
    const { error } = render(JSON.stringify(values));
    for (const path of mounts)
      expect(error).toContain(`${place}.extraVolumeMounts: the chart mounts a volume at ${path}.`);
    for (const port of ports) expect(error).toContain(`${place}.sidecars: own has a port named ${port}.`);
  });
});

interface Container {
  name: string;
  volumeMounts?: { mountPath: string }[];
  ports?: { name: string }[];
}
