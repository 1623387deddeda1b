import { createAgentJobBody, updateAgentSettingsBody } from '@offprint/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { checkRef } from '../platform/git/repository.ts';
import {
  type AgentSettingsRow,
  modelPolicy,
  resolveForge,
  resolveModel,
  type SettingsAdapters,
  settingsColumns,
} from './settings.ts';

const key = Buffer.alloc(32, 1);
const project = { id: 'prj_1', repository: 'https://git.example.com/acme/docs.git' };
const installed = {
  OFFPRINT_AGENT_PROVIDER: 'openai-compatible',
  OFFPRINT_AGENT_MODEL: 'local',
  OFFPRINT_AGENT_BASE_URL: 'http://10.0.0.5:11434/v1',
  OFFPRINT_AGENT_API_KEY: 'sk-installed',
  OFFPRINT_AGENT_PRICES: '3,15',
};
const adapters = (env: Record<string, string> = installed): SettingsAdapters => ({
  config: readConfig(env),
  key,
});

/** The row that a body makes, as the database gives it back. */
function rowOf(body: unknown, before?: AgentSettingsRow): AgentSettingsRow {
  const columns = settingsColumns(updateAgentSettingsBody.parse(body), project, before, adapters());
  return { project_id: project.id, organization_id: 'org_1', updated_at: new Date(), ...columns };
}
const own = { provider: 'anthropic', model: 'claude-x', apiKey: 'sk-own', price: { input: 1, output: 2 } };

describe('the model', () => {
  test('is that of the installation, and no other one with its key', () => {
    expect(resolveModel(adapters(), undefined)).toEqual({
      provider: 'openai-compatible',
      model: 'local',
      baseUrl: 'http://10.0.0.5:11434/v1',
      apiKey: 'sk-installed',
      contextWindow: 200_000,
      maxOutput: 16_000,
      toolMode: 'native',
      effort: null,
      price: { input: 3, output: 15, cacheRead: 3, cacheWrite: 3 },
    });
    expect(resolveModel(adapters(), rowOf({}), 'local')?.model).toBe('local');
    expect(resolveModel(adapters(), rowOf({}), 'dearer')).toBeNull();
  });

  test('is none when half of it is set', () => {
    expect(resolveModel(adapters({}), undefined)).toBeNull();
    for (const name of ['PROVIDER', 'MODEL', 'BASE_URL']) {
      expect(resolveModel(adapters({ ...installed, [`OFFPRINT_AGENT_${name}`]: '' }), undefined)).toBeNull();
    }
    const hosted = { OFFPRINT_AGENT_PROVIDER: 'anthropic', OFFPRINT_AGENT_MODEL: 'claude-x' };
    expect(resolveModel(adapters(hosted), undefined)).toMatchObject({
      baseUrl: null,
      apiKey: null,
      price: null,
    });
  });

  test('of a project never has the key of the installation, and another one of it has no price', () => {
    const row = rowOf({ model: own });
    expect(resolveModel(adapters(), row)).toMatchObject({
      model: 'claude-x',
      baseUrl: null,
      apiKey: 'sk-own',
      price: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 },
    });
    expect(resolveModel(adapters(), row, 'claude-y')).toMatchObject({
      model: 'claude-y',
      apiKey: 'sk-own',
      price: null,
    });
    const keyless = rowOf({ model: { ...own, apiKey: undefined, baseUrl: 'https://evil.example.com' } }, row);
    expect(resolveModel(adapters(), keyless)?.apiKey).toBeNull();
  });

  test('has the effort of its project, and none in a row of a version without it', () => {
    const row = rowOf({ model: { ...own, effort: 'high' } });
    expect(resolveModel(adapters(), row)?.effort).toBe('high');
    const { effort: _, ...before } = row.model as Record<string, unknown>;
    expect(resolveModel(adapters(), { ...row, model: before })?.effort).toBeNull();
    const env = { ...installed, OFFPRINT_AGENT_EFFORT: 'low' };
    expect(resolveModel(adapters(env), undefined)?.effort).toBe('low');
    expect(() => readConfig({ OFFPRINT_AGENT_EFFORT: 'huge' })).toThrow(/OFFPRINT_AGENT_EFFORT/);
  });

  test('has the listed price of its name, at the provider and at the endpoint of the operator only', () => {
    const env = { ...installed, OFFPRINT_AGENT_PRICES: 'local=0,0; claude-x=3,15,0.3,3.75;claude-y=1,5' };
    const priceOf = (body: object, requested?: string) =>
      resolveModel(adapters(env), rowOf(body), requested)?.price ?? null;
    const unpriced = { ...own, price: undefined };
    expect(priceOf({})).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
    expect(priceOf({ model: unpriced })).toEqual({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
    expect(priceOf({ model: own })).toMatchObject({ input: 1, output: 2 });
    expect(priceOf({ model: own }, 'claude-y')).toMatchObject({ input: 1, output: 5 });
    expect(priceOf({ model: own }, 'claude-z')).toBeNull();
    expect(priceOf({ model: { ...unpriced, baseUrl: 'https://resold.example.com' } })).toBeNull();
    const single = { ...installed, OFFPRINT_AGENT_PRICES: '3,15' };
    expect(resolveModel(adapters(single), rowOf({ model: unpriced }))?.price).toBeNull();
  });

  test.each(['3', '3,15,1,1,1', '3,x', 'a=3', 'a=3,15;a=1,2', '3,15;1,2', 'a b=1,2', '3,,15', '-1,2'])(
    'with the prices %j is not accepted',
    (prices) => {
      expect(() => readConfig({ OFFPRINT_AGENT_PRICES: prices })).toThrow(/OFFPRINT_AGENT_PRICES/);
    },
  );

  test('does not open a key that was sealed for another project or another place', () => {
    const row = rowOf({ model: own });
    expect(() => resolveModel(adapters(), { ...row, project_id: 'prj_2' })).toThrow();
    const moved = { ...(row.model as object), baseUrl: 'https://evil.example.com' };
    expect(() => resolveModel(adapters(), { ...row, model: moved })).toThrow();
  });

  test("may be private where the operator's is, and where the operator allows a project's", () => {
    expect(modelPolicy(adapters().config, undefined)).toEqual({
      allowPrivate: false,
      allowedHosts: ['10.0.0.5'],
      allowHttp: true,
    });
    expect(modelPolicy(adapters().config, rowOf({ model: own }))).toEqual({
      allowPrivate: false,
      allowedHosts: [],
      allowHttp: false,
    });
  });
});

describe('the forge', () => {
  const resolve = (row: AgentSettingsRow, repository = project.repository) =>
    resolveForge({ key }, { id: project.id, repository }, row);

  test('is none, a token or an App', () => {
    expect(resolveForge({ key }, project, undefined)).toBeNull();
    expect(resolve(rowOf({}))).toBeNull();
    expect(resolve(rowOf({ forge: { kind: 'gitea', username: 'bot', token: 'tok' } }))).toEqual({
      kind: 'gitea',
      apiUrl: null,
      appId: null,
      installationId: null,
      username: 'bot',
      token: 'tok',
      privateKey: null,
    });
    const privateKey = '-----BEGIN PRIVATE KEY-----\nMMMM\n-----END PRIVATE KEY-----';
    expect(
      resolve(rowOf({ forge: { kind: 'github', appId: '1', installationId: '2', privateKey } })),
    ).toMatchObject({ appId: '1', installationId: '2', token: null, privateKey });
  });

  test('gives its secret and its address to no other host than it was set for', () => {
    const row = rowOf({
      forge: { kind: 'gitlab', apiUrl: 'https://api.elsewhere.example/api/v4', token: 'tok' },
    });
    expect(resolve(row)).toMatchObject({ apiUrl: 'https://api.elsewhere.example/api/v4', token: 'tok' });
    expect(resolve(row, 'https://git.example.com/acme/other.git')?.token).toBe('tok');
    for (const other of [
      'https://evil.example.com/acme/docs.git',
      'https://git.example.com:8443/acme/docs.git',
      'git@evil.example.com:acme/docs.git',
    ]) {
      expect(resolve(row, other)).toMatchObject({ token: null, apiUrl: null });
    }
  });

  test('keeps the address of an API that belongs to the repository without a secret', () => {
    const row = rowOf({ forge: { kind: 'github', apiUrl: 'https://git.example.com/api/v3' } });
    expect(resolve(row)).toMatchObject({ apiUrl: 'https://git.example.com/api/v3', token: null });
    expect(resolve(row, 'https://other.example.com/a/b.git')?.apiUrl).toBeNull();
  });
});

test('a branch that the contract takes is one that Git takes', () => {
  const piece = fc.constantFrom(
    ...'abcdefgh',
    'a',
    '/',
    '.',
    '..',
    '-',
    '@',
    '{',
    '@{',
    '.lock',
    ' ',
    '~',
    '^',
    ':',
    '*',
    '[',
    '\\',
    'ü',
    '\u0000',
    '\u007f',
  );
  const names = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
  let taken = 0;
  fc.assert(
    fc.property(names, (branch) => {
      if (!createAgentJobBody.safeParse({ prompt: 'x', branch }).success) return;
      taken += 1;
      expect(checkRef(branch)).toBe(branch);
    }),
    { numRuns: 5_000 },
  );
  expect(taken).toBeGreaterThan(100);
});
