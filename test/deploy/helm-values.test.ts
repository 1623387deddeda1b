/** What the values of the chart may be, and what can be seen of the templates without an engine that renders them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settings } from '../../apps/server/src/config.ts';
import { settings as siteSettings } from '../../apps/site/src/config.ts';
import { chartFolder } from './helm-engine.ts';
import { namesOf } from './helm-environment.ts';
import { defaults, examples, schema, schemaFaults, type Values, valueFields } from './helm-values.ts';

const link = 'https://files.example.com/docs.tar.gz?signature=abc';

describe('values', () => {
  test('there are 20 examples and more, and the schema takes each of them and the defaults', () => {
    expect(examples.size).toBeGreaterThanOrEqual(20);
    const faults = ['', ...examples.values()].map((text) => schemaFaults(text));
    expect(faults.flat()).toEqual([]);
  });

  test('staticExport has the three fields that every deployment of a bundle has', () => {
    expect(schemaFaults(`staticExport: { enabled: true, bundleUrl: "${link}", version: v42 }`)).toEqual([]);
    expect(Object.keys(schema.properties.staticExport.properties).slice(0, 3)).toEqual([
      'enabled',
      'bundleUrl',
      'version',
    ]);
  });

  const wrong: [values: string, message: string][] = [
    ['staticExprot: { enabled: true }', 'staticExprot: must NOT have additional properties'],
    ['staticExport: { enabled: "yes" }', 'staticExport.enabled: must be boolean'],
    ['staticExport: { enabled: 1 }', 'staticExport.enabled: must be boolean'],
    ['staticExport: { bundleUrl: ftp://example.com/a.tar.gz }', 'staticExport.bundleUrl: must match pattern'],
    ['staticExport: { bundleUrl: /bundles/docs.tar.gz }', 'staticExport.bundleUrl: must match pattern'],
    ['staticExport: { bundleUrl: "javascript:alert(1)" }', 'staticExport.bundleUrl: must match pattern'],
    ['staticExport: { bundleUrl: "https://" }', 'staticExport.bundleUrl: must match pattern'],
    [
      'staticExport: { bundleUrl: "https://a.example/b\\nX: y" }',
      'staticExport.bundleUrl: must match pattern',
    ],
    ['staticExport: { bundleUrl: [] }', 'staticExport.bundleUrl: must be string'],
    [
      'staticExport: { bundleURL: "https://a.example/b" }',
      'staticExport.bundleURL: must NOT have additional properties',
    ],
    ['staticExport: { version: 1.10 }', 'staticExport.version: must be string'],
    ['staticExport: { sha256: ABCDEF }', 'staticExport.sha256: must match pattern'],
    ['staticExport: { pull: true }', 'staticExport.pull: must be object'],
    ['staticExport: { pull: { url: offprint.example.com } }', 'staticExport.pull.url: must match pattern'],
    [
      'staticExport: { pull: { url: "https://user:pass@a.example" } }',
      'staticExport.pull.url: must match pattern',
    ],
    [
      'staticExport: { pull: { domain: "https://docs.example.com" } }',
      'staticExport.pull.domain: must match pattern',
    ],
    ['staticExport: { pull: { interval: 0 } }', 'staticExport.pull.interval: must be >= 1'],
    ['staticExport: { pull: { interval: 1.5 } }', 'staticExport.pull.interval: must be integer'],
    [
      'staticExport: { pull: { apiKey: offprint_x } }',
      'staticExport.pull.apiKey: must NOT have additional properties',
    ],
    ['staticExport: { volume: { path: ../../etc/passwd } }', 'staticExport.volume.path: must NOT be valid'],
    ['staticExport: { volume: { path: /absolute } }', 'staticExport.volume.path: must match pattern'],
    ['staticExport: { existingSecret: Not_A_Name }', 'staticExport.existingSecret: must match pattern'],
    ['security: { runAsUser: 0 }', 'security.runAsUser: must be >= 1'],
    ['security: { privileged: true }', 'security.privileged: must NOT have additional properties'],
    ['network: { ipFamilies: [IPv5] }', 'network.ipFamilies.0: must be equal to one of the allowed values'],
    ['site: { replicas: "2" }', 'site.replicas: must be integer'],
    ['site: { basePath: docs/ }', 'site.basePath: must match pattern'],
    ['site: { image: { digest: latest } }', 'site.image.digest: must match pattern'],
    [
      'site: { persistence: { accessModes: [ReadOnlyMany] } }',
      'site.persistence.accessModes.0: must be equal',
    ],
    ['site: { service: { port: 70000 } }', 'site.service.port: must be <= 65535'],
    ['site: { service: { type: Cluster } }', 'site.service.type: must be equal to one of the allowed values'],
    [
      'site: { ingress: { hosts: ["https://docs.example.com"] } }',
      'site.ingress.hosts.0: must match pattern',
    ],
    ['site: { ingress: { tls: [{ secretName: a }] } }', 'site.ingress.tls.0: must have required property'],
    ['site: { networkPolicy: { from: [{ pod: {} }] } }', 'site.networkPolicy.from.0.pod: must NOT have'],
    ['site: { pod: { extraEnv: [{ value: a }] } }', 'site.pod.extraEnv.0: must have required property'],
    ['site: { pod: { labels: { a: 1 } } }', 'site.pod.labels.a: must be string'],
    ['platform: { publicUrl: "https://a.example/path" }', 'platform.publicUrl: must match pattern'],
    ['platform: { settings: { SIGN_UP: open } }', 'platform.settings.SIGN_UP: property name must be valid'],
    [
      'platform: { settings: { OFFPRINT_AGENT_STEPS: 80 } }',
      'platform.settings.OFFPRINT_AGENT_STEPS: must be string',
    ],
    ['platform: { secret: { value: abc } }', 'platform.secret.value: must NOT have additional properties'],
    [
      'platform: { database: { url: "postgresql://a" } }',
      'platform.database.url: must NOT have additional properties',
    ],
    ['platform: { s3: { bucket: My_Bucket } }', 'platform.s3.bucket: must match pattern'],
    ['platform: { worker: { workSize: lots } }', 'platform.worker.workSize: must match pattern'],
  ];
  test.each(wrong)('%s is refused by the name of the field', (values, message) => {
    expect(schemaFaults(values).map((fault) => fault.startsWith(message))).toContain(true);
  });

  test('the patterns are those of Go too, which looks neither ahead nor back', () => {
    const patterns = [...JSON.stringify(schema).matchAll(/"pattern":"((?:[^"\\\\]|\\\\.)*)"/g)].map(
      ([, text]) => text!,
    );
    expect(patterns.length).toBeGreaterThan(20);
    expect(patterns.filter((pattern) => /\(\?[=!<]|\\\\\d/.test(pattern))).toEqual([]);
  });

  test('no secret setting of the platform fits into platform.settings', () => {
    const secrets = Object.values(settings)
      .filter(({ name, secret }) => secret && name !== 'DATABASE_URL')
      .map(({ name }) => name);
    expect(secrets.length).toBeGreaterThan(5);
    const taken = secrets.filter(
      (name) => schemaFaults(`platform: { settings: { ${name}: x } }`).length === 0,
    );
    expect(taken).toEqual([]);
    const open = Object.values(settings).filter(({ secret }) => !secret);
    const refused = open.filter(
      ({ name }) => schemaFaults(`platform: { settings: { ${name}: x } }`).length > 0,
    );
    expect(refused.map(({ name }) => name)).toEqual([]);
  });

  test('every field of values.yaml is in the schema and the other way round', () => {
    const declared = schemaFields(schema);
    const there = valueFields(defaults);
    expect(there.filter((field) => !declared.includes(field))).toEqual([]);
    // the last two are for those who want them; the first is for charts that contain this one
    const optional = ['global', 'requests', 'limits', 'claims'];
    expect(
      declared.filter((field) => !there.includes(field) && !optional.includes(field.split('.').at(-1)!)),
    ).toEqual([]);
  });
});

describe('templates', () => {
  const texts = new Map(
    readdirSync(join(chartFolder, 'templates'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(chartFolder.length + 1), readFileSync(path, 'utf8')]),
  );
  const all = [...texts.values()].join('\n');

  test('blocks begin and end', () => {
    for (const [path, text] of texts) {
      const words = [...text.matchAll(/\{\{-?\s*(if|with|range|define|end)\b/g)].map(([, word]) => word);
      const depth = words.reduce((sum, word) => sum + (word === 'end' ? -1 : 1), 0);
      expect(depth, path).toBe(0);
    }
  });

  test('every template that is included is defined, and the other way round', () => {
    const defined = [...all.matchAll(/define "([\w.]+)"/g)].map(([, name]) => name!);
    const included = [...all.matchAll(/include "([\w.]+)"/g)].map(([, name]) => name!);
    expect([...new Set(included)].sort()).toEqual([...defined].sort());
  });

  test('every value that a template reads is there, and every value is read', () => {
    const fields = valueFields(defaults);
    const read = [...all.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path!);
    const isThere = (path: string) => fields.some((field) => field === path || field.startsWith(`${path}.`));
    expect(read.filter((path) => !isThere(path))).toEqual([]);
    const names = new Set([...all.matchAll(/\.(\w+)/g)].map(([, name]) => name!));
    expect(fields.filter((field) => !names.has(field.split('.').at(-1)!))).toEqual([]);
  });

  test('every setting that a template names is one that a program reads', () => {
    const known = [...namesOf(siteSettings), ...namesOf(Object.values(settings))];
    const named = [...all.matchAll(/\b(OFFPRINT_[A-Z0-9_]+|DATABASE_URL(?:_FILE)?)\b/g)].map(
      ([, name]) => name!,
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('nothing is used that makes a chart depend on the cluster or on texts of the values', () => {
    const called = [...all.matchAll(/(?:\{\{-?\s*|\(|\|\s*)(\w+)\b(?=[^}]*\}\})/g)].map(([, name]) => name!);
    expect(called).toContain('include');
    const refused = [
      'lookup',
      'tpl',
      'now',
      'env',
      'expandenv',
      'genPrivateKey',
      'genSelfSignedCert',
      'randAlphaNum',
    ];
    expect(called.filter((name) => refused.includes(name))).toEqual([]);
  });
});

function schemaFields(node: Values, path = ''): string[] {
  return Object.entries((node.properties ?? {}) as Record<string, Values>).flatMap(([name, declared]) => {
    const reference = (declared.$ref as string | undefined)?.split('/').at(-1);
    const field = reference === undefined ? declared : schema.definitions[reference];
    return field.properties !== undefined && name !== 'resources'
      ? schemaFields(field, `${path}${name}.`)
      : [`${path}${name}`];
  });
}
