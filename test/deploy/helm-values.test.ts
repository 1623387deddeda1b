/** What the values of the chart may be, and what can be seen of the templates without an engine that renders them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settings } from '../../apps/server/src/config.ts';
import { settings as siteSettings } from '../../apps/site/src/config.ts';
import { chartFolder } from './helm-engine.ts';
import { namesOf } from './helm-environment.ts';
import { defaults, examples, schema, schemaFaults, type Values, valueFields } from './helm-values.ts';
import { wrongValues } from './helm-wrong-values.ts';

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

  test.each(wrongValues)('%s is refused by the name of the field', (values, message) => {
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
    // those of OpenTelemetry are platform.traces
    const open = Object.values(settings).filter(({ name, secret }) => !secret && !name.startsWith('OTEL_'));
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
