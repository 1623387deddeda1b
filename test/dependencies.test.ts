/** The policy for dependencies in CONTRIBUTING.md, as `npm run check` applies it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { licenses } from '../packages/render/src/output/licenses.ts';
import {
  dependencyViolations,
  isAllowed,
  type LockEntry,
  lockViolations,
  manifestViolations,
  settingsViolations,
} from '../scripts/dependencies.ts';
import { compiledPackages, makeNotices, noticesFile } from '../scripts/notices.ts';

const good: LockEntry = { version: '1.2.3', integrity: `sha512-${'a'.repeat(86)}==`, license: 'MIT' };
const faultsOf = (entry: Partial<LockEntry>, path = 'node_modules/a') =>
  lockViolations({ lockfileVersion: 3, packages: { [path]: { ...good, ...entry } } });

test('every package of this repository is allowed', () => {
  expect(dependencyViolations()).toEqual([]);
});

test.each<[name: string, entry: Partial<LockEntry>, violation: string]>([
  ['without a digest', { integrity: '' }, 'has no SHA-512 digest'],
  ['with a weak digest', { integrity: 'sha1-qqqqqqqqqqqqqqqqqqqqqqqqqqo=' }, 'has no SHA-512 digest'],
  ['from Git', { resolved: 'git+ssh://git@example.com/a/b.git#1234' }, 'not from the npm registry'],
  [
    'from another host',
    { resolved: 'https://registry.npmjs.org.evil.example/a.tgz' },
    'not from the npm registry',
  ],
  [
    'from an unencrypted registry',
    { resolved: 'http://registry.npmjs.org/a.tgz' },
    'not from the npm registry',
  ],
  ['of another name', { name: 'b' }, 'is an alias of b'],
  ['with an install script', { hasInstallScript: true }, 'has an install script'],
  ['with a license that binds more', { license: 'AGPL-3.0-only' }, 'which is not allowed'],
  ['without a license', { license: '' }, 'which is not allowed'],
])('a package %s is rejected', (_name, entry, violation) => {
  expect(faultsOf(entry)).toEqual([expect.stringContaining(violation)]);
  expect(faultsOf(entry, 'packages/x/node_modules/@scope/a')).toHaveLength(1);
});

test('workspaces and packages of the registry pass', () => {
  expect(faultsOf({})).toEqual([]);
  expect(faultsOf({ resolved: 'https://registry.npmjs.org/a/-/a-1.2.3.tgz' })).toEqual([]);
  expect(
    lockViolations({
      lockfileVersion: 3,
      packages: { '': {}, 'apps/a': {}, 'node_modules/a': { link: true } },
    }),
  ).toEqual([]);
  expect(lockViolations({ lockfileVersion: 1, packages: {} })).toHaveLength(1);
});

test('a license expression is allowed if one of its choices is', () => {
  for (const text of ['MIT', '(MIT OR GPL-3.0-only)', '(MIT AND Zlib)'])
    expect(isAllowed(text), text).toBe(true);
  for (const text of [
    'GPL-3.0-only',
    'MIT AND GPL-3.0-only',
    'SEE LICENSE IN x',
    '',
    'MIT AND (ISC OR GPL-3.0-only)',
  ])
    expect(isAllowed(text), text).toBe(false);
});

test('versions in manifests are exact, and npm runs no scripts', () => {
  for (const version of [
    '^1.0.0',
    '1.x',
    '*',
    'latest',
    'git+https://example.com/a.git',
    'file:../a',
    'npm:b@1.0.0',
  ])
    expect(manifestViolations('package.json', { dependencies: { a: version } }), version).toHaveLength(1);
  expect(manifestViolations('package.json', { dependencies: { a: '1.0.0' } })).toEqual([]);
  expect(settingsViolations('save-exact=true\n')).toEqual([
    '.npmrc: the line ignore-scripts=true is missing.',
  ]);
});

test('the notices of exported sites name every package that is compiled into the library of diagrams', () => {
  const text = readFileSync(noticesFile, 'utf8');
  expect(makeNotices()).toBe(text);
  const names = new Set(
    text.split(/\n---\n\n/).flatMap((part) =>
      part
        .replace(/^.*\n\n(?=mermaid|@)/, '')
        .split('\n')[0]!
        .split(', '),
    ),
  );
  expect(compiledPackages().filter((name) => !names.has(name))).toEqual([]);
  expect(text).not.toMatch(/not stated|undefined/);
  expect(text).toContain('Source: https://github.com/kieler/elkjs');
});

test('the licenses file of exported sites names everything that pages can load from other projects', () => {
  const text = licenses();
  for (const name of [
    'preact',
    'tailwindcss',
    'katex',
    'mermaid',
    'Lucide',
    'Font Awesome',
    'Tabler',
    'Inter',
    'JetBrains',
  ])
    expect(text).toContain(name);
});
