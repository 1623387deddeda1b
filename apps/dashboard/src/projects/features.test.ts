import type { ProjectFeatures } from '@offprint/contract';
import { expect, test } from 'vitest';
import { partInExports } from './features.ts';

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
  ['has exports', true, { search: 'Built in', assistant: 'Links', analytics: null }],
  ['has none, by its plan', false, { search: null, assistant: null, analytics: null }],
])('features are told to be in exports where the organization %s', (_where, hasExports, expected) => {
  const features = [
    feature('search', { inExport: hasExports }),
    feature('assistant', {}),
    feature('analytics', {}),
    feature('static-export', { inExport: hasExports }),
  ];
  for (const [name, part] of Object.entries(expected)) {
    const one = features.find((it) => it.name === name)!;
    expect(partInExports(one, features), name).toBe(part);
  }
});

test('links to assistants are in exports where nothing excludes them', () => {
  const exported = feature('static-export', { inExport: true });
  const part = (changes: Partial<Feature>) => partInExports(feature('assistant', changes), [exported]);
  expect(part({ availability: 'unavailable' })).toBeNull();
  expect(part({ availability: 'configurable' })).toBeNull();
  expect(part({ availability: 'configurable', switchable: true })).toBe('Links');
  const off = feature('assistant', { availability: 'configurable', switchable: true, switchedOff: true });
  expect(partInExports(off, [exported])).toBeNull();
  expect(partInExports(off, [exported], true), 'while it is switched on').toBe('Links');
  expect(partInExports(off, [], true), 'without exports').toBeNull();
});
