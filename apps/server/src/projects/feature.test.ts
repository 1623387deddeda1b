import { readFileSync } from 'node:fs';
import { type DeploymentType, type FeatureName, featureTable, plan } from '@offprint/contract';
import { describe, expect, test } from 'vitest';
import { featureCells, featureRows } from '../../../../test/support/feature-table.ts';
import {
  excludedFeatures,
  type FeatureSwitches,
  isMeasured,
  resolveFeatures,
  switchFeatures,
} from './feature.ts';

const NONE: ReadonlySet<string> = new Set();
const ALL: ReadonlySet<string> = new Set(['search', 'assistant', 'analytics', 'playground']);
const SERVICES: ReadonlySet<FeatureName> = new Set(['analytics', 'assistant', 'search']);
const OFF: FeatureSwitches = { search: false, assistant: false, analytics: false, playground: false };

const row = (
  name: FeatureName,
  type: DeploymentType,
  {
    provided = NONE,
    switches = {} as FeatureSwitches,
    services = SERVICES,
    plan: has = 'enterprise' as const,
  },
) =>
  resolveFeatures({ deploymentType: type, provided, switches, services }, has).features.find(
    (it) => it.name === name,
  )!;

describe('every cell of the table', () => {
  /** State in the enterprise plan where the installation provides nothing, everything, and all is switched off. */
  const expected: Record<FeatureName, Record<DeploymentType, [string, string, string]>> = {
    search: {
      cloud: ['enabled', 'enabled', 'enabled'],
      'client-hosted': ['enabled', 'enabled', 'disabled'],
      'air-gapped': ['unavailable', 'unavailable', 'unavailable'],
    },
    assistant: {
      cloud: ['enabled', 'enabled', 'enabled'],
      'client-hosted': ['disabled', 'enabled', 'disabled'],
      'air-gapped': ['unavailable', 'unavailable', 'unavailable'],
    },
    analytics: {
      cloud: ['enabled', 'enabled', 'disabled'],
      'client-hosted': ['disabled', 'enabled', 'disabled'],
      'air-gapped': ['unavailable', 'unavailable', 'unavailable'],
    },
    playground: {
      cloud: ['enabled', 'enabled', 'enabled'],
      'client-hosted': ['enabled', 'enabled', 'enabled'],
      'air-gapped': ['enabled', 'enabled', 'disabled'],
    },
    'static-export': {
      cloud: ['enabled', 'enabled', 'enabled'],
      'client-hosted': ['enabled', 'enabled', 'enabled'],
      'air-gapped': ['enabled', 'enabled', 'enabled'],
    },
  };

  test('is as it is written down, for users too', () => {
    expect(featureCells).toHaveLength(15);
    for (const { name, type, availability } of featureCells)
      expect([name, type, featureTable[name][type]]).toEqual([name, type, availability]);
    const page = readFileSync(new URL('../../../../docs/operate/features.mdx', import.meta.url), 'utf8');
    const lines = page.split('\n').map((line) => line.split(' | ').slice(1).join(' | '));
    for (const row of featureRows) expect(lines).toContain(`${row.join(' | ')} |`);
  });

  test.each(featureCells)('$name, $type: $availability', ({ name, type, availability: allowed }) => {
    const states = [{ provided: NONE }, { provided: ALL }, { provided: ALL, switches: OFF }].map((facts) =>
      row(name, type, facts),
    );
    expect(states.map(({ status }) => status)).toEqual(expected[name][type]);
    const isConfigurable = allowed === 'configurable';
    const isBuiltIn = name === 'search' || name === 'playground';
    // The team that publishes decides about measuring.
    const isAlways = name === 'analytics' && allowed === 'available';
    expect(states.map(({ switchable }) => switchable)).toEqual([
      isAlways || (isConfigurable && isBuiltIn),
      isAlways || isConfigurable,
      isAlways || isConfigurable,
    ]);
    expect(states.map(({ switchedOff }) => switchedOff)).toEqual([false, false, isAlways || isConfigurable]);
    const isIn = isBuiltIn || name === 'static-export';
    expect(states.map(({ inExport }) => inExport)).toEqual([isIn, isIn, isIn && !isConfigurable]);
    for (const { status, enabled, availability, reason, inExport } of states) {
      expect(enabled).toBe(status === 'enabled');
      expect(availability).toBe(allowed);
      expect(reason).toMatch(/^[A-Z].*\.$/);
      // A service never works in an export.
      expect(inExport && !isIn).toBe(false);
      if (status === 'unavailable') expect(reason).toContain('air-gapped');
    }
  });

  test.each(featureCells)('$name, $type: nothing works without the plan for exports', ({ name, type }) => {
    const isIn = name === 'search' || name === 'playground' || name === 'static-export';
    for (const has of plan.options.filter((option) => option !== 'enterprise')) {
      const { status, enabled, inExport, reason } = row(name, type, {
        provided: ALL,
        plan: has as 'enterprise',
      });
      expect(enabled || inExport, 'nothing of an export works without the plan for exports').toBe(false);
      if (isIn) expect(reason).toContain(`the organization has the ${has} plan`);
      expect(status).toBe(expected[name][type][1].replace('enabled', 'disabled'));
    }
  });
});

test('the search of sites needs an installation that serves them, and says what exports have without it', () => {
  const none: ReadonlySet<FeatureName> = new Set();
  for (const type of ['cloud', 'client-hosted'] as const) {
    const missing = row('search', type, { services: none });
    expect([missing.status, missing.inExport]).toEqual(['disabled', true]);
    expect(missing.reason).toMatch(/OFFPRINT_HOSTING_TOKEN\. Exports have a built-in search/);
    expect(row('search', type, {}).status).toBe('enabled');
  }
  expect(row('search', 'client-hosted', { switches: OFF }).reason).toContain('its exports have no search');
  expect(row('search', 'air-gapped', {}).reason).toContain('Exports have a built-in search');
});

test('nothing but a configurable feature can be switched, and only what is built in without the installation', () => {
  const facts = (type: DeploymentType, provided = ALL) => ({ deploymentType: type, provided, switches: {} });
  expect(switchFeatures(facts('client-hosted'), { search: false, analytics: true })).toEqual({
    search: false,
    analytics: true,
  });
  expect(
    switchFeatures({ ...facts('client-hosted'), switches: { search: false } }, { assistant: false }),
  ).toEqual({ search: false, assistant: false });
  expect(switchFeatures(facts('client-hosted', NONE), { search: false })).toEqual({ search: false });
  const refusal = (type: DeploymentType, body: object, provided = ALL): unknown => {
    try {
      return switchFeatures(facts(type, provided), body);
    } catch (error) {
      const { code, param, message } = error as { code: string; param: string; message: string };
      return [code, param, message];
    }
  };
  expect(refusal('cloud', { search: true })).toEqual([
    'invalid_request',
    '/search',
    expect.stringContaining('available for the deployment type cloud'),
  ]);
  expect(refusal('air-gapped', { assistant: true })).toEqual([
    'invalid_request',
    '/assistant',
    expect.stringContaining('unavailable for the deployment type air-gapped'),
  ]);
  expect(refusal('client-hosted', { assistant: true }, NONE)).toEqual([
    'invalid_request',
    '/assistant',
    expect.stringContaining('OFFPRINT_FEATURES'),
  ]);
  expect(switchFeatures(facts('air-gapped', NONE), { playground: false })).toEqual({ playground: false });
});

test('readers are counted where the table, the installation and the project allow it', () => {
  const measured = (deploymentType: DeploymentType, facts: Partial<Parameters<typeof isMeasured>[0]> = {}) =>
    isMeasured({ deploymentType, provided: ALL, switches: {}, services: SERVICES, ...facts });
  expect(measured('cloud')).toBe(true);
  expect(measured('client-hosted')).toBe(true);
  expect(measured('air-gapped')).toBe(false);
  expect(measured('cloud', { services: new Set() })).toBe(false);
  expect(measured('client-hosted', { provided: NONE })).toBe(false);
  for (const type of ['cloud', 'client-hosted'] as const)
    expect(measured(type, { switches: OFF }), type).toBe(false);
  const { status, reason } = row('analytics', 'cloud', { services: new Set() });
  expect([status, reason]).toEqual(['disabled', expect.stringContaining('OFFPRINT_HOSTING_TOKEN')]);
});

test('an assistant needs sites that are served, and a model', () => {
  const { status, reason } = row('assistant', 'cloud', { services: new Set() });
  expect([status, reason]).toEqual(['disabled', expect.stringContaining('OFFPRINT_HOSTING_TOKEN')]);
  const facts = { deploymentType: 'cloud', provided: NONE, switches: {}, services: SERVICES } as const;
  const missing = { assistant: 'No model is configured.' };
  const found = resolveFeatures({ ...facts, missing }, 'enterprise').features;
  expect(found.find(({ name }) => name === 'assistant')).toMatchObject({
    status: 'disabled',
    reason: expect.stringMatching(/^No model is configured\./),
  });
});

test('an export leaves out what the table excludes, or a switch', () => {
  const names = (deploymentType: DeploymentType, provided = NONE, switches: FeatureSwitches = {}) =>
    Object.keys(excludedFeatures({ deploymentType, provided, switches }));
  expect(names('cloud', ALL)).toEqual([]);
  expect(names('cloud', ALL, OFF)).toEqual(['analytics']);
  expect(names('client-hosted')).toEqual(['assistant', 'analytics']);
  expect(names('client-hosted', NONE, OFF)).toEqual(['search', 'assistant', 'analytics']);
  expect(names('client-hosted', ALL)).toEqual([]);
  expect(names('client-hosted', ALL, OFF)).toEqual(['search', 'assistant', 'analytics']);
  expect(names('air-gapped', ALL, { assistant: true, search: false })).toEqual(['assistant', 'analytics']);
});
