import { describe, expect, it } from 'vitest';
import { createAgentJobBody, sendAgentMessageBody, updateAgentSettingsBody } from '../src/index.ts';

const accepts = (body: unknown) => createAgentJobBody.safeParse(body).success;
const faultOf = (body: unknown) => {
  const { error } = updateAgentSettingsBody.safeParse(body);
  return error?.issues[0] === undefined ? null : error.issues[0].path.join('/');
};

describe('a prompt', () => {
  it('has 1 to 64,000 characters, whatever their size, and says something', () => {
    for (const prompt of ['x', 'x'.repeat(64_000), '\u{1F600}'.repeat(64_000), ' a ']) {
      expect(sendAgentMessageBody.safeParse({ prompt }).success).toBe(true);
    }
    for (const prompt of ['', ' \n\t', 'x'.repeat(64_001), '\u{1F600}'.repeat(64_001), 7, null]) {
      expect(sendAgentMessageBody.safeParse({ prompt }).success).toBe(false);
    }
  });
});

describe('a branch', () => {
  it.each(['main', 'offprint/a-b', 'a.b', 'feature/x@y', 'ünï'])('takes %j', (branch) => {
    expect(accepts({ prompt: 'x', branch, baseBranch: branch })).toBe(true);
  });
  it.each([
    '',
    '-x',
    '/a',
    'a/',
    'a//b',
    'a..b',
    'a.lock',
    'a.lock/b',
    '.a',
    'a/.b',
    'a.',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    '@',
    'a@{1}',
    'a\u0007',
    'x'.repeat(256),
  ])('refuses %j', (branch) => {
    expect(accepts({ prompt: 'x', branch })).toBe(false);
  });
});

it('a model has a name without control characters', () => {
  expect(accepts({ prompt: 'x', model: 'claude-x' })).toBe(true);
  for (const model of ['', 'a\nb', 'x'.repeat(201)]) expect(accepts({ prompt: 'x', model })).toBe(false);
});

describe('agent settings', () => {
  const model = { provider: 'openai-compatible', model: 'm', baseUrl: 'https://models.example.com/v1' };

  it('take what they need and fill in the rest', () => {
    expect(updateAgentSettingsBody.parse({})).toEqual({
      instructions: '',
      writeAllow: [],
      branchPrefix: 'offprint/',
    });
    expect(updateAgentSettingsBody.parse({ model }).model).toMatchObject({
      contextWindow: 200_000,
      maxOutput: 16_000,
      toolMode: 'native',
    });
    expect(faultOf({ model: null, forge: null })).toBeNull();
    expect(faultOf({ forge: { kind: 'github', appId: '1', installationId: '2' } })).toBeNull();
    expect(faultOf({ writeAllow: ['assets/**/*.js', '.well-known/*', '{a,b}.txt'] })).toBeNull();
  });

  it.each([
    [{ model: { ...model, baseUrl: null } }, 'model/baseUrl'],
    [{ model: { ...model, baseUrl: 'file:///etc/passwd' } }, 'model/baseUrl'],
    [{ model: { ...model, baseUrl: 'https://user:pass@models.example.com' } }, 'model/baseUrl'],
    [{ model: { ...model, baseUrl: 'https://models.example.com/?a=b' } }, 'model/baseUrl'],
    [{ model: { ...model, baseUrl: 'https://models.example.com/v1?' } }, 'model/baseUrl'],
    [{ model: { ...model, baseUrl: 'https:\\\\models.example.com' } }, 'model/baseUrl'],
    [{ model: { ...model, apiKey: 'two lines\nx: y' } }, 'model/apiKey'],
    [{ model: { ...model, maxOutput: 8_000, contextWindow: 8_000 } }, 'model/maxOutput'],
    [{ model: { provider: 'other', model: 'm' } }, 'model/provider'],
    [{ model: { provider: 'openai', model: 'a\u0000b' } }, 'model/model'],
    [{ model: { provider: 'openai', model: 'm', effort: 'huge' } }, 'model/effort'],
    [{ model: { provider: 'openai', model: 'm', price: { input: -1, output: 1 } } }, 'model/price/input'],
    [{ forge: { kind: 'gitea', token: 'x' } }, 'forge/username'],
    [{ forge: { kind: 'github', appId: '1' } }, 'forge/installationId'],
    [{ forge: { kind: 'github', installationId: '1' } }, 'forge/appId'],
    [{ forge: { kind: 'github', appId: '1', installationId: '2', token: 'x' } }, 'forge/token'],
    [{ forge: { kind: 'github', appId: '1', installationId: '2', privateKey: 'x' } }, 'forge/privateKey'],
    [{ forge: { kind: 'gitlab', token: 'a b' } }, 'forge/token'],
    [{ writeAllow: ['../x'] }, 'writeAllow/0'],
    [{ writeAllow: ['/etc/*'] }, 'writeAllow/0'],
    [{ writeAllow: ['!a'] }, 'writeAllow/0'],
    [{ writeAllow: ['+(a|b)'] }, 'writeAllow/0'],
    [{ branchPrefix: '' }, 'branchPrefix'],
    [{ branchPrefix: '-x' }, 'branchPrefix'],
    [{ branchPrefix: 'a..b' }, 'branchPrefix'],
    [{ instructions: 'x'.repeat(32_001) }, 'instructions'],
  ])('refuse %j', (body, path) => {
    expect(faultOf(body)).toBe(path);
  });
});
