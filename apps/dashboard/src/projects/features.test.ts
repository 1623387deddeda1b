import type { ProjectFeatures } from '@offprint/contract';
import { expect, test } from 'vitest';
import { isInExports, missingServices, reasonOf } from './features.ts';

type Feature = ProjectFeatures['features'][number];

const feature = (name: Feature['name'], changes: Partial<Feature>): Feature => ({
  name,
  availability: 'available',
  enabled: false,
  status: 'planned',
  reason: 'Planned.',
  inExport: false,
  switchable: false,
  switchedOff: false,
  ...changes,
});

test.each([
  ['has exports', true],
  ['has no exports because of its plan', false],
])('search and assistant links depend on whether the organization %s: %s', (_where, hasExports) => {
  const features = [
    feature('search', { inExport: hasExports }),
    feature('assistant', {}),
    feature('static-export', { inExport: hasExports }),
  ];
  for (const one of features.slice(0, 2)) {
    expect(isInExports(one, features), one.name).toBe(hasExports);
    expect(reasonOf(one, features) === 'Requires static export.', one.name).toBe(!hasExports);
  }
});

test('links to assistants are in exports unless the deployment type or a switch excludes them', () => {
  const exported = feature('static-export', { inExport: true });
  const assistant = (changes: Partial<Feature>) => feature('assistant', changes);
  const isIn = (changes: Partial<Feature>) => isInExports(assistant(changes), [exported]);
  expect(isIn({ availability: 'unavailable' })).toBe(false);
  expect(isIn({ availability: 'configurable' })).toBe(false);
  expect(isIn({ availability: 'configurable', switchable: true })).toBe(true);
  const off = assistant({ availability: 'configurable', switchable: true, switchedOff: true });
  expect(isInExports(off, [exported])).toBe(false);
  expect(reasonOf(off, [exported])).toBe('Turned off for this project.');
  expect(isInExports(off, [exported], true), 'while the switch is being turned on').toBe(true);
  expect(isInExports(off, [], true), 'without exports').toBe(false);
});

test('names each service that is not enabled, with the reason, and none that works', () => {
  const names = ['search', 'assistant', 'analytics', 'playground', 'static-export'] as const;
  const reason = 'The installation serves no sites.';
  expect(missingServices(names.map((name) => feature(name, { reason })))).toEqual(
    ['Hosted search', 'AI assistant', 'Web analytics', 'API playground'].map((service) => ({
      service,
      reason,
    })),
  );
  expect(missingServices(names.map((name) => feature(name, { enabled: true })))).toEqual([]);
});
