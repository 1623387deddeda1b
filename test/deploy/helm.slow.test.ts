/** What the chart renders, and that what it sets is what the programs read. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { routes } from '@offprint/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  settings as platformSettings,
  readConfig as readPlatformConfig,
  readRendererConfig,
} from '../../apps/server/src/config.ts';
import { storageSettings } from '../../apps/server/src/settings/storage.ts';
import { readConfig as readSiteConfig, settings as siteSettings } from '../../apps/site/src/config.ts';
import { chartFaults, parseObjects, podsOf } from './helm-checks.ts';
import {
  chartFolder,
  lint,
  type Rendered,
  render,
  renderNotes,
  valuesSeen,
  whyNoHelm,
} from './helm-engine.ts';
import { environmentOf, namesOf } from './helm-environment.ts';
import { mutations } from './helm-mutations.ts';
import {
  defaults,
  examples,
  isMap,
  mergeValues,
  parseValues,
  schemaFaults,
  type Values,
  valueFields,
} from './helm-values.ts';
import { wrongValues } from './helm-wrong-values.ts';
import type { KubernetesObject } from './kubernetes-objects.ts';

const link = 'https://files.example.com/docs.tar.gz?signature=abc';
const site = `staticExport:\n  enabled: true\n  bundleUrl: "${link}"`;

const isFull = process.env.OFFPRINT_TEST === 'full';
if (whyNoHelm !== null)
  process.stderr.write(`test/deploy/helm.slow.test.ts: the chart is not rendered: ${whyNoHelm}\n`);

describe.skipIf(whyNoHelm !== null)(`rendered${whyNoHelm === null ? '' : ` (not: ${whyNoHelm})`}`, () => {
  let rendered: Map<string, Rendered>;

  beforeAll(() => {
    rendered = new Map([...examples].map(([name, text]) => [name, render(text)]));
  }, 120_000);

  const parsed = new Map<string, KubernetesObject[]>();
  const objectsOf = (name: string): KubernetesObject[] => {
    const objects = parsed.get(name) ?? parseObjects(rendered.get(name)!.files);
    parsed.set(name, objects);
    return objects;
  };
  const find = (objects: KubernetesObject[], kind: string, suffix = '') =>
    objects.find((object) => object.kind === kind && object.metadata.name.endsWith(suffix));

  test.each([...examples.keys()])(
    '%s makes objects that Kubernetes takes, of pods that may do nothing',
    async (name) => {
      const { error, files } = rendered.get(name)!;
      expect(error).toBeNull();
      expect(lint(examples.get(name)!)).toBe('');
      expect(await chartFaults(files)).toEqual([]);
      expect(parseObjects(files).length).toBeGreaterThan(4);
    },
  );

  test('names that YAML would read as something else stay texts', async () => {
    const { error, files } = render(examples.get('everything')!, { name: '1e3', namespace: '2026' });
    expect(error).toBeNull();
    expect(await chartFaults(files)).toEqual([]);
    for (const { metadata } of parseObjects(files)) expect(metadata.namespace).toBe('2026');
  });

  test('nothing is made of a part that is not enabled', () => {
    expect(parseObjects(render('').files)).toEqual([]);
    expect(parseObjects(render(`staticExport: { bundleUrl: "${link}" }`).files)).toEqual([]);
    const names = objectsOf('platform-small').map(
      ({ metadata }) => metadata.labels?.['app.kubernetes.io/component'],
    );
    expect(new Set(names)).toEqual(new Set(['platform', 'api', 'worker', 'renderer', 'migrate']));
    expect(objectsOf('link').filter(({ metadata }) => /api|worker|platform/.test(metadata.name))).toEqual([]);
  });

  const platform = examples.get('platform-small')!;
  const pull = 'enabled: true, url: "https://a.example", domain: a.example, existingSecret: k';
  const faults: [what: string, values: string, ...messages: string[]][] = [
    [
      'no source',
      'staticExport: { enabled: true }',
      'no source is set',
      'staticExport.bundleUrl, staticExport.existingSecret, staticExport.pull.enabled, staticExport.volume.existingClaim or staticExport.hosting.enabled',
    ],
    [
      'two sources',
      `staticExport: { enabled: true, bundleUrl: "${link}", pull: { ${pull} } }`,
      'staticExport.bundleUrl, staticExport.pull.enabled are set together',
    ],
    [
      'three sources',
      `staticExport: { enabled: true, bundleUrl: "${link}", existingSecret: a, volume: { existingClaim: b } }`,
      'staticExport.bundleUrl, staticExport.existingSecret, staticExport.volume.existingClaim are set together',
    ],
    [
      'pull without its fields',
      'staticExport: { enabled: true, pull: { enabled: true } }',
      'staticExport.pull.url is missing',
      'staticExport.pull.domain is missing',
      'staticExport.pull.existingSecret is missing',
    ],
    [
      'all sites without their fields, and with those of one site',
      'staticExport: { enabled: true, version: "1", hosting: { enabled: true } }\nsite: { basePath: /docs }',
      'staticExport.hosting.url is missing',
      'staticExport.hosting.existingSecret is missing',
      'staticExport.version is set together with staticExport.hosting.enabled',
      'site.basePath is set together with staticExport.hosting.enabled',
    ],
    [
      'https of a server of one site',
      `${site}\nsite: { https: true, trustedProxies: [10.0.0.0/8], tls: { enabled: true, nodePort: 30443 } }`,
      'site.tls.enabled requires staticExport.hosting.enabled',
      'site.tls.enabled and site.https are both true',
      'site.trustedProxies requires staticExport.hosting.enabled',
      'site.tls.nodePort requires the type NodePort or LoadBalancer',
    ],
    [
      'a part of the certificate authority',
      `${platform}\n  hosting: { acme: { email: a@example.com, keyId: kid } }`,
      'platform.hosting.acme.email is set without platform.hosting.acme.directory',
      'platform.hosting.acme.keyId and platform.hosting.acme.existingSecret belong together',
    ],
    [
      'pull with a digest',
      `staticExport: { enabled: true, sha256: ${'a'.repeat(64)}, pull: { ${pull} } }`,
      'staticExport.sha256 is set together with staticExport.pull.enabled',
    ],
    ['a path without a volume', `${site}\n  volume: { path: a }`, 'staticExport.volume.path is set without'],
    [
      'an ingress without hosts',
      `${site}\nsite: { ingress: { enabled: true } }`,
      'site.ingress.hosts is empty',
    ],
    [
      'a route without gateways',
      `${site}\nsite: { httpRoute: { enabled: true } }`,
      'site.httpRoute.parentRefs is empty',
    ],
    [
      'metrics that nobody reaches',
      `${site}\nsite: { metrics: { serviceMonitor: { enabled: true } } }`,
      'site.networkPolicy.managementFrom is empty',
    ],
    [
      'fewer pods at most than at least',
      `${site}\nsite: { autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 2 } }`,
      'site.autoscaling.minReplicas is greater than site.autoscaling.maxReplicas',
    ],
    [
      'nothing to scale by',
      `${site}\nsite: { autoscaling: { enabled: true, cpuUtilization: 0 } }`,
      'site.autoscaling.cpuUtilization and site.autoscaling.memoryUtilization are both 0',
    ],
    [
      'fields of other types of a service',
      `${site}\nsite: { service: { nodePort: 30080, externalTrafficPolicy: Local, loadBalancerSourceRanges: [192.0.2.0/24] } }`,
      ...['nodePort', 'externalTrafficPolicy', 'loadBalancerSourceRanges'].map(
        (field) => `site.service.${field} requires the type`,
      ),
    ],
    [
      'a volume that the chart has',
      `${site}\nsite: { pod: { extraVolumes: [{ name: releases, emptyDir: {} }] } }`,
      'site.pod.extraVolumes: the name releases is used by a volume of the chart',
    ],
    [
      'a mount of no volume',
      `${site}\nsite: { pod: { extraVolumeMounts: [{ name: a, mountPath: /a }] } }`,
      'site.pod.extraVolumes does not contain the volume a, which site.pod.extraVolumeMounts uses',
    ],
    [
      'two volumes of one name, and mounts in one place, also one of the chart',
      `${site}\nsite: { pod: { extraVolumes: [{ name: a, emptyDir: {} }, { name: a, emptyDir: {} }], extraVolumeMounts: [{ name: a, mountPath: /a }, { name: a, mountPath: /a/ }, { name: a, mountPath: /etc/offprint/source }, { name: a, mountPath: /tmp/a }] } }`,
      'site.pod.extraVolumes: the name a is used by two volumes',
      'site.pod.extraVolumeMounts: two volumes are mounted at /a',
      'site.pod.extraVolumeMounts: the chart mounts a volume at /etc/offprint/source.',
    ],
    [
      'two sidecars of one name, a port of the name that a service asks for, and probes of other hosts',
      `${site}\nsite: { pod: { sidecars: [{ name: a, image: a, ports: [{ name: http, containerPort: 1 }], livenessProbe: { httpGet: { host: 192.0.2.1, port: 1 } } }, { name: a, image: a, lifecycle: { preStop: { tcpSocket: { host: a.example, port: 1 } } } }] } }`,
      'site.pod.sidecars: the name a is used by two containers',
      'site.pod.sidecars: a has a port named http. Use another name',
      'site.pod.sidecars: a has a host in livenessProbe.httpGet',
      'site.pod.sidecars: a has a host in lifecycle.preStop.tcpSocket',
    ],
    [
      'a sidecar that may do what the chart forbids',
      `${site}\nsite: { pod: { sidecars: [{ name: site, image: a, ports: [{ hostPort: 1 }], securityContext: { privileged: true } }] } }`,
      'the name site is used by the container of the chart',
      'site has a securityContext',
      'site has a hostPort, which is not allowed',
    ],
    [
      'a variable of a source that another field names',
      `${site}\nsite: { pod: { extraEnv: [{ name: OFFPRINT_SITE_BUNDLE, value: /b }] } }`,
      'site.pod.extraEnv: OFFPRINT_SITE_BUNDLE is set by the chart. Use staticExport.volume instead',
    ],
    [
      'a variable of the chart',
      `${site}\nsite: { pod: { extraEnv: [{ name: OFFPRINT_SITE_PORT, value: "1" }] } }`,
      'site.pod.extraEnv: OFFPRINT_SITE_PORT is set by the chart',
    ],
    [
      'a platform without its fields',
      'platform: { enabled: true }',
      ...['publicUrl', 'secret.existingSecret', 'database.existingSecret', 's3.bucket', 's3.region'].map(
        (field) => `platform.${field} is missing`,
      ),
    ],
    [
      'a setting of the chart',
      `${platform}  settings: { OFFPRINT_PORT: "1" }`,
      'platform.settings.OFFPRINT_PORT is set',
    ],
    [
      'a route of the platform without gateways',
      `${platform}  httpRoute: { enabled: true }`,
      'platform.httpRoute.parentRefs is empty',
    ],
    [
      'metrics of the platform that nobody reaches',
      `${platform}  metrics: { serviceMonitor: { enabled: true } }`,
      'platform.networkPolicy.metricsFrom is empty',
    ],
    [
      'a variable of the platform',
      `${platform.replace('worker: {', 'worker: { pod: { extraEnv: [{ name: OFFPRINT_S3_BUCKET }] },')}`,
      'platform.worker.pod.extraEnv: OFFPRINT_S3_BUCKET is set',
    ],
  ];
  test.each(faults)('%s: refused, by the names of the fields', (_what, values, ...messages) => {
    const { error, files } = render(values);
    expect(files).toEqual({});
    for (const message of messages) expect(error).toContain(message);
  });

  test('whatever variable the chart sets in any case is refused beside it in every other', () => {
    // settings that are of use where the chart does not make them: a domain to hold to, a shorter interval, authorities
    const free = ['OFFPRINT_SITE_DOMAIN', 'OFFPRINT_SITE_INTERVAL', 'NODE_EXTRA_CA_CERTS'];
    const given = new Set(
      [...examples.values()].flatMap((text) => {
        const { settings } = mergeValues(defaults, parseValues(text)).platform as { settings: Values };
        return Object.keys(settings);
      }),
    );
    const names = (component: RegExp) => {
      const all = [...examples.keys()].flatMap((name) =>
        podsOf(objectsOf(name))
          .filter(({ labels }) => component.test(labels['app.kubernetes.io/component']!))
          .flatMap(({ spec }) => environmentOf(spec, objectsOf(name), '').own),
      );
      return [...new Set(all)].filter((name) => !free.includes(name) && !given.has(name));
    };
    const extra = (list: string[]) =>
      JSON.stringify(list.flatMap((name) => [{ name }, { name: name.replace(/_FILE$/, '') }]));
    const [ofSite, ofPlatform] = [names(/^site$/), names(/^(api|worker)$/)];
    expect([ofSite.length > 12, ofPlatform.length > 20]).toEqual([true, true]);
    const refused = (values: string, list: string[]) => {
      const { error } = render(values);
      expect(list.filter((name) => !error?.includes(`: ${name} is set by the chart`))).toEqual([]);
    };
    refused(`${site}\nsite: { pod: { extraEnv: ${extra(ofSite)} } }`, ofSite);
    refused(platform.replace('worker: {', `worker: { pod: { extraEnv: ${extra(ofPlatform)} },`), ofPlatform);
    const allowed = render(`${site}\nsite: { pod: { extraEnv: ${extra(free)} } }`);
    expect(allowed.error).toBeNull();
  });

  test('a link that is none is refused by the templates too', () => {
    const values = 'staticExport: { enabled: true, bundleUrl: "file:///etc/passwd" }';
    const withoutSchema = { overlay: { 'values.schema.json': '{}' } };
    expect(render(values, withoutSchema).error).toContain(
      'staticExport.bundleUrl must be an http or https URL',
    );
  });

  test.each(wrongValues)('%s is refused by the name of the field', (values, message) => {
    const { error, files } = render(values);
    expect(files).toEqual({});
    const field = message.slice(0, message.indexOf(':')).split('.').at(-1)!;
    expect(error).toMatch(new RegExp(`- .*\\b${field}\\b`));
  });

  test('values are merged as the checks of values merge them', () => {
    for (const name of ['everything', 'openshift']) {
      const text = examples.get(name)!;
      expect(valuesSeen(text)).toEqual(mergeValues(defaults, parseValues(text)));
    }
  });

  test('a field that is null is refused by its name, or does no harm', async () => {
    const base = mergeValues(defaults, parseValues(examples.get('everything')!));
    const cases = valueFields(defaults).map((field) => ({
      field,
      text: JSON.stringify(withNull(base, field.split('.'))),
    }));
    const open = cases.filter(({ field, text }) => {
      const found = schemaFaults(text);
      if (found.length > 0) expect(found.join()).toContain(field.split('.').at(-1));
      return found.length === 0;
    });
    expect(open.length).toBeGreaterThan(30);
    expect(open.length).toBeLessThan(cases.length / 2);
    // all of them are some eighty processes
    const asked = isFull ? open : open.filter((_, index) => index % 4 === 0);
    const answers = asked.map(({ text }) => render(text));
    const unnamed = answers.filter(
      ({ error }, index) => error !== null && !error.includes(`- ${asked[index]!.field} `),
    );
    expect(unnamed.map(({ error }) => error)).toEqual([]);
    const looked = isFull ? answers : answers.filter((_, index) => index % 3 === 0);
    for (const { files } of looked) expect(await chartFaults(files)).toEqual([]);
  }, 180_000);

  test('a site is a StatefulSet whose pods keep their releases, and a Deployment where nothing is kept', () => {
    const kept = find(objectsOf('link'), 'StatefulSet')!;
    expect(kept.spec.volumeClaimTemplates[0].metadata.name).toBe('releases');
    const mounts = kept.spec.template.spec.containers[0].volumeMounts;
    const dir = find(objectsOf('link'), 'ConfigMap')!.data.OFFPRINT_SITE_DIR;
    expect(mounts).toContainEqual({ name: 'releases', mountPath: dir });
    const free = find(objectsOf('stateless'), 'Deployment')!;
    expect(free.spec.template.spec.volumes).toContainEqual({
      name: 'releases',
      emptyDir: { sizeLimit: '1Gi' },
    });
  });

  test('the claims of a StatefulSet, which cannot be changed, are the same after an upgrade of the chart', () => {
    const chart = `apiVersion: v2\nname: offprint\nversion: 9.9.9\nappVersion: "9.9.9"\n`;
    const before = find(objectsOf('link'), 'StatefulSet')!;
    const after = find(
      parseObjects(render(examples.get('link')!, { overlay: { 'Chart.yaml': chart } }).files),
      'StatefulSet',
    )!;
    expect(after.spec.template.spec.containers[0].image).toContain('9.9.9');
    expect(after.spec.volumeClaimTemplates).toEqual(before.spec.volumeClaimTemplates);
    expect(after.spec.selector).toEqual(before.spec.selector);
    expect(after.spec.serviceName).toBe(before.spec.serviceName);
  });

  test('the link is in one Secret and nowhere else, and pods follow it without a restart', () => {
    const { files } = rendered.get('link')!;
    const secret = find(parseObjects(files), 'Secret')!;
    expect(secret.stringData.bundleUrl).toContain('signature=');
    const others = Object.values(files).join('').replace(JSON.stringify(secret.stringData.bundleUrl), '');
    expect(others).not.toContain('signature');
    expect(objectsOf('link-secret').filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const published = [
      `bundleUrl: "${link}"`,
      `bundleUrl: "${link}2", version: v2, sha256: ${'a'.repeat(64)}`,
    ];
    const [before, after] = published.map((fields) =>
      parseObjects(render(`staticExport: { enabled: true, ${fields} }`).files),
    );
    const changed = after!.filter(
      (object, index) => JSON.stringify(object) !== JSON.stringify(before![index]),
    );
    // the test pod is created again by each `helm test`
    expect(changed.map(({ kind }) => kind)).toEqual(['Secret', 'Pod']);
    expect(changed[0]!.stringData).toEqual({
      bundleUrl: `${link}2`,
      version: 'v2',
      sha256: 'a'.repeat(64),
    });
  });

  test('the pins of a source without such a Secret are settings, and another one makes new pods', () => {
    const checksum = (name: string, version: string) => {
      const { files, error } = render(`${examples.get(name)}\n  version: ${version}`);
      expect(error).toBeNull();
      const { annotations } = find(parseObjects(files), 'StatefulSet')!.spec.template.metadata;
      expect(find(parseObjects(files), 'ConfigMap')!.data.OFFPRINT_SITE_VERSION).toBe(version);
      return annotations['checksum/settings'];
    };
    expect(checksum('link-secret', 'v1')).not.toBe(checksum('link-secret', 'v2'));
  });

  test('alerts ask for figures that the site server gives, and are those that the documentation names', async () => {
    const rules = find(objectsOf('everything'), 'PrometheusRule')!.spec.groups[0].rules;
    const [metrics, page] = await Promise.all(
      ['apps/site/src/management/metrics.ts', 'docs/deploy/serving.mdx'].map((path) =>
        readFile(new URL(`../../${path}`, import.meta.url), 'utf8'),
      ),
    );
    const [, named] = /^Recommended alerts[\s\S]*?\n\n((?:\|.*\n)+)/m.exec(page!)!;
    expect(rules.map(({ expr }: { expr: string }) => expr)).toContainEqual(
      expect.stringMatching(/^absent\(offprint_site_ready\{/),
    );
    expect(rules).toHaveLength(named!.match(/^\| `/gm)!.length);
    for (const { expr } of rules) {
      const [, metric] = /(offprint_site_\w+)\{/.exec(expr)!;
      expect(metrics).toContain(`'${metric}'`);
      expect(named).toContain(metric);
      expect(expr).toContain('namespace="web", pod=~"docs-site-.+"');
    }
  });

  test('the platform is reached by an HTTPRoute or a Route as by an Ingress, with previews on a host of their own', () => {
    const routes = objectsOf('platform-gateway').filter(({ kind }) => kind === 'HTTPRoute');
    expect(
      routes.map(({ spec }) => [
        spec.hostnames,
        spec.rules[0].matches[0].path.value,
        spec.rules[0].backendRefs[0],
      ]),
    ).toEqual([
      [['offprint.example.com'], '/', { name: 'docs-offprint-api', port: 80 }],
      [['preview.example.net'], '/preview/', { name: 'docs-offprint-api', port: 80 }],
    ]);
    const [route, ...others] = objectsOf('platform-openshift').filter(({ kind }) => kind === 'Route');
    expect(others).toEqual([]);
    expect(route!.spec).toMatchObject({
      host: 'offprint.apps.example.com',
      to: { name: 'docs-offprint-api' },
    });
  });

  test('what is given to pods besides comes to them, under the security of the chart', () => {
    for (const [kind, suffix] of [
      ['StatefulSet', '-site'],
      ['Deployment', '-api'],
      ['Deployment', '-worker'],
      ['Deployment', '-renderer'],
    ] as const) {
      const { spec } = find(objectsOf('everything'), kind, suffix)!.spec.template;
      const [main, sidecar] = spec.containers;
      expect(spec).toMatchObject({ runtimeClassName: 'gvisor', hostAliases: [{ ip: '192.0.2.10' }] });
      expect(main.volumeMounts).toContainEqual({ name: 'scratch', mountPath: '/scratch' });
      expect(sidecar).toMatchObject({ name: 'shipper', securityContext: main.securityContext });
    }
    const autoscaler = find(objectsOf('everything'), 'HorizontalPodAutoscaler', '-site')!.spec;
    expect(autoscaler.behavior.scaleDown.stabilizationWindowSeconds).toBe(600);
    expect(autoscaler.metrics.map(({ resource }: { resource: { name: string } }) => resource.name)).toEqual([
      'cpu',
      'memory',
    ]);
    const service = find(objectsOf('everything'), 'Service', '-api')!.spec;
    expect(service.loadBalancerSourceRanges).toEqual(['192.0.2.0/24', '2001:db8::/32']);
  });

  test('pods reach no more than their source', () => {
    const ports = (name: string) =>
      find(objectsOf(name), 'NetworkPolicy')!.spec.egress.flatMap((rule: { ports: { port: number }[] }) =>
        rule.ports.map(({ port }) => port),
      );
    expect(ports('air-gapped')).toEqual([]);
    expect(ports('link')).toEqual([53, 53, 443]);
    expect(ports('link-pinned')).toEqual([53, 53, 9443]);
    expect(ports('ipv6')).toEqual([53, 53, 8443]);
    expect(ports('private-ca')).toEqual([53, 53, 8443, 443]);
    expect(ports('openshift')).toEqual([5353, 5353, 443]);
    for (const name of examples.keys()) {
      for (const { kind, spec } of objectsOf(name)) {
        if (kind === 'NetworkPolicy') expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
      }
    }
  });

  test.each([...examples.keys()])(
    '%s: a renderer has no secret, no way out and its own user and account',
    (name) => {
      const objects = objectsOf(name);
      for (const { spec, labels } of podsOf(objects).filter(isRenderer)) {
        expect(JSON.stringify(spec)).not.toMatch(
          /secretRef|secretKeyRef|"secret"|configMapRef|projected|\/etc\/offprint/,
        );
        const others = podsOf(objects).filter((pod) => !isRenderer(pod));
        for (const field of ['runAsUser', 'runAsGroup', 'fsGroup']) {
          const id = spec.securityContext[field];
          if (id !== undefined)
            expect(others.map((pod) => pod.spec.securityContext[field])).not.toContain(id);
        }
        const policies = objects
          .filter(({ kind }) => kind === 'NetworkPolicy')
          .filter(({ spec: { podSelector } }) =>
            Object.entries(podSelector.matchLabels).every(([key, value]) => labels[key] === value),
          );
        expect(policies).toHaveLength(1);
        expect(policies[0]!.spec.egress).toEqual([]);
        const [first] = policies[0]!.spec.ingress;
        expect(first.ports).toEqual([{ port: 'renderer' }]);
        const { matchLabels } = first.from[0].podSelector;
        const senders = podsOf(objects).filter((pod) =>
          Object.entries(matchLabels).every(([key, value]) => pod.labels[key] === value),
        );
        for (const sender of senders)
          expect(sender.spec.serviceAccountName).not.toBe(spec.serviceAccountName);
        expect(senders.map((pod) => pod.labels['app.kubernetes.io/component']).sort()).toEqual([
          'api',
          'worker',
        ]);
      }
      const { data } = find(objects, 'ConfigMap', '-platform') ?? { data: {} };
      const hasRenderer = podsOf(objects).some(isRenderer);
      expect(data.OFFPRINT_RENDERER_URL !== undefined).toBe(hasRenderer);
      if (hasRenderer) {
        const { hostname, port } = new URL(data.OFFPRINT_RENDERER_URL);
        const service = find(objects, 'Service', '-renderer')!;
        expect([service.metadata.name, service.spec.ports[0].port]).toEqual([hostname, Number(port)]);
      }
    },
  );

  test('no pod has a secret in its environment: Secrets are mounted as files', () => {
    for (const name of examples.keys()) {
      const made = podsOf(objectsOf(name)).filter(({ owner }) =>
        /-(api|worker|renderer|migrate)$/.test(owner),
      );
      for (const { spec, owner } of made) {
        const { env = [], envFrom = [] } = spec.containers[0];
        expect(JSON.stringify([env, envFrom]), `${name}: ${owner}`).not.toMatch(/secretRef|secretKeyRef/);
      }
    }
    const pod = podsOf(objectsOf('platform-large')).find(({ owner }) => owner.endsWith('-api'))!.spec;
    const { env } = environmentOf(pod, objectsOf('platform-large'), '');
    const mount = pod.containers[0].volumeMounts.find(({ name }: { name: string }) => name === 'settings');
    expect(mount).toMatchObject({ mountPath: env.OFFPRINT_SETTINGS_DIR, readOnly: true });
    const { sources } = pod.volumes.find(({ name }: { name: string }) => name === 'settings').projected;
    expect(sources.map(({ secret }: { secret: { name: string } }) => secret.name)).toEqual([
      'offprint-sign-on',
      'offprint-model',
    ]);
  });

  test('a renderer can be left out, put into a user namespace and a runtime class, and has its own limits', () => {
    const without = render(`${platform}  renderer: { enabled: false }`);
    expect(without.error).toBeNull();
    expect(JSON.stringify(parseObjects(without.files))).not.toMatch(/renderer/i);
    const pod = 'pod: { runtimeClassName: gvisor }';
    const apart = render(`${platform}  renderer: { hostUsers: false, ${pod} }`);
    expect(podsOf(parseObjects(apart.files)).find(isRenderer)!.spec).toMatchObject({
      hostUsers: false,
      runtimeClassName: 'gvisor',
    });
    const settings = 'settings: { OFFPRINT_EXPORT_MEMORY_MB: "4096", OFFPRINT_SIGN_UP: closed }';
    const limited = parseObjects(render(`${platform}  ${settings}`).files);
    const { env } = environmentOf(podsOf(limited).find(isRenderer)!.spec, limited, '');
    expect(env.OFFPRINT_EXPORT_MEMORY_MB).toBe('4096');
    expect(env.OFFPRINT_SIGN_UP).toBeUndefined();
    const same = render(`${platform}  renderer: { security: { runAsUser: 65532, runAsGroup: 65532 } }`);
    expect(same.error).toContain('platform.renderer.security.runAsUser is the user of API and workers');
  });

  test('every setting of the store is a value of the chart', () => {
    const { env } = environmentOf(
      podsOf(objectsOf('everything')).find(({ owner }) => owner.endsWith('-api'))!.spec,
      objectsOf('everything'),
      '',
    );
    const names = namesOf(Object.values(storageSettings)).filter((name) => name in env);
    expect(names.map((name) => name.replace(/_FILE$/, ''))).toEqual(
      Object.values(storageSettings).map(({ name }) => name),
    );
    expect(env.OFFPRINT_S3_CHECKSUMS).toBe('when-supported');
  });

  test('a worker is given more time to stop than its exports are', () => {
    for (const name of ['platform-small', 'platform-large', 'everything']) {
      const settings = find(objectsOf(name), 'ConfigMap', '-platform')!.data;
      const worker = find(objectsOf(name), 'Deployment', '-worker')!.spec.template.spec;
      expect(worker.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
        Number(settings.OFFPRINT_SHUTDOWN_SECONDS) + 20,
      );
    }
    const pod = find(objectsOf('everything'), 'StatefulSet')!.spec.template.spec;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(60);
  });

  test('the database is brought to the newest schema before an install and an upgrade, by what is there already', () => {
    const objects = objectsOf('platform-large');
    const job = find(objects, 'Job')!;
    expect(job.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const { serviceAccountName, volumes, containers } = job.spec.template.spec;
    expect(serviceAccountName).toBeUndefined();
    expect(containers[0].args).toEqual(['migrate']);
    expect(containers[0].envFrom).toBeUndefined();
    const made = objects.map(({ metadata }) => metadata.name);
    const sources = volumes.find(({ name }: { name: string }) => name === 'secrets').projected.sources;
    // The URL of the pooler and the one of the database itself.
    expect(sources.map(({ secret }: { secret: { name: string } }) => secret.name)).toEqual([
      'offprint-database',
      'offprint-database',
    ]);
    expect(made).not.toContain('offprint-database');
  });

  test('probes of the platform use endpoints that its processes have', () => {
    const paths = Object.values(routes).map(({ path }) => path as string);
    for (const role of ['-api', '-worker', '-renderer']) {
      const [container] = find(objectsOf('platform-large'), 'Deployment', role)!.spec.template.spec
        .containers;
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        expect(paths).toContain(container[probe].httpGet.path);
    }
  });

  test('the pods of the site run as the user of its image, and OpenShift may choose another', async () => {
    const dockerfile = await readFile(new URL('../../deploy/docker/Dockerfile', import.meta.url), 'utf8');
    const users = [...dockerfile.matchAll(/^USER (\d+):(\d+)$/gm)].map(([, user]) => Number(user));
    expect(new Set(users)).toEqual(new Set([(defaults.security as Values).runAsUser]));
    const { securityContext } = find(objectsOf('openshift'), 'StatefulSet')!.spec.template.spec;
    expect(Object.keys(securityContext).sort()).toEqual(['runAsNonRoot', 'seccompProfile']);
    const fixed = find(objectsOf('openshift-fixed-range'), 'StatefulSet')!.spec.template.spec.securityContext;
    expect(fixed).toMatchObject({ runAsUser: 1_000_660_000, fsGroup: 1_000_660_000 });
  });

  test('NOTES shows the URL of the site and its source, and never the link', () => {
    const notes = (name: string) => renderNotes(examples.get(name)!);
    expect(notes('link')).toMatch(/source +link to offprint\.example\.com\n/);
    expect(notes('link')).not.toContain('signature');
    expect(notes('link')).toContain(
      'offprint publish --domain <domain> --apply helm --release docs --namespace web',
    );
    expect(notes('ingress-tls')).toContain('https://docs.example.com/\n');
    expect(notes('pull')).toContain(
      'newest export of docs.example.com, polled from https://offprint.example.com',
    );
    expect(
      renderNotes(
        `${examples.get('ingress-tls')!.replace('https: true', 'https: false')}  autoscaling: { enabled: true }`,
      ),
    ).toMatch(/site\.https is false[\s\S]*needs a link that has not expired/);
    expect(notes('air-gapped-pinned')).toContain('/releases/docs-2026.11.tar.gz of the claim docs-bundles');
    expect(notes('link')).toContain('Open http://localhost:8080/ on this machine:\n\n  kubectl');
    expect(notes('ingress-path')).toContain('Open http://localhost:8080/docs/ on this machine:\n\n  kubectl');
    expect(notes('many-sites')).not.toContain('Open http://localhost');
    expect(notes('many-sites')).toContain("curl --header 'Host: <domain>' http://localhost:8080/\n");
    expect(notes('platform-small')).toContain('https://offprint.example.com');
    expect(renderNotes('')).toContain('Nothing was installed');
  });

  describe('settings', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'offprint-helm-secrets-'));
      const secrets = {
        'bundle-url': link,
        version: '',
        sha256: '',
        'api-key': 'offprint_key',
        token: 'a-token-of-some-length',
        'ca.pem': '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
        secret: 's'.repeat(40),
        'database-url': 'postgresql://offprint@database/offprint',
        'database-direct-url': 'postgresql://offprint@database/offprint',
        's3-access-key-id': 'id',
        's3-secret-access-key': 'secret',
        'operator-password': 'correct horse battery',
        'hosting-token': 't'.repeat(40),
        'acme-hmac-key': 'a'.repeat(43),
        'tls.crt': '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
        'tls.key': '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n',
      };
      for (const [name, text] of Object.entries(secrets)) await writeFile(join(folder, name), text);
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    const siteNames = namesOf(siteSettings);
    const platformNames = [...namesOf(Object.values(platformSettings)), 'NODE_EXTRA_CA_CERTS'];

    test.each([...examples.keys()])('%s sets what the programs read, and they take it', (name) => {
      const objects = objectsOf(name);
      const values = mergeValues(defaults, parseValues(examples.get(name)!));
      const { hosting, pull, volume } = values.staticExport as Record<'hosting' | 'pull' | 'volume', Values>;
      const one = pull.enabled ? 'platform' : volume.existingClaim ? 'file' : 'link';
      const kind = hosting.enabled ? 'hosting' : one;
      const checks: Record<string, (env: Record<string, string>) => void> = {
        site: (env) => expect(readSiteConfig(env).source.kind).toBe(kind),
        api: (env) =>
          expect(readPlatformConfig(env)).toMatchObject({ s3Bucket: expect.any(String), port: 4100 }),
        worker: (env) => expect(readPlatformConfig(env).secret).toHaveLength(40),
        renderer: (env) => expect(readRendererConfig(env)).toMatchObject({ rendererPort: 4200 }),
        migrate: (env) => expect(readPlatformConfig(env).databaseUrl).toContain('postgresql://'),
      };
      for (const { labels, spec } of podsOf(objects)) {
        const component = labels['app.kubernetes.io/component']!;
        if (component === 'test') continue;
        const { env, own } = environmentOf(spec, objects, folder);
        const names = component === 'site' ? siteNames : platformNames;
        expect(own.filter((variable) => !names.includes(variable))).toEqual([]);
        checks[component]!(env);
      }
    });
  });

  test.each(mutations)('%s in the chart is seen', async (_what, path, from, to, example, fault) => {
    const text = await readFile(join(chartFolder, 'templates', path), 'utf8');
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    const { error, files } = render(examples.get(example)!, { overlay: { [`templates/${path}`]: changed } });
    expect([error ?? '', ...(await chartFaults(files))].join('\n')).toMatch(fault);
  });
});

const isRenderer = ({ labels }: { labels: Record<string, string> }): boolean =>
  labels['app.kubernetes.io/component'] === 'renderer';

/** Values with null in the place of one field. */
function withNull(values: Values, [name, ...rest]: string[]): Values {
  const below = values[name!];
  return { ...values, [name!]: rest.length === 0 || !isMap(below) ? null : withNull(below, rest) };
}
