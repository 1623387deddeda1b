import { expect, test } from 'vitest';
import { forgeSettingsFor, type StoredForge } from './detect.ts';

const token = { kind: 'token' as const, token: 'git-token' };
const key = { kind: 'ssh-key' as const, privateKey: 'key' };
const settings = (
  repository: string,
  more: { stored?: StoredForge; secret?: string; credential?: typeof token | typeof key | null } = {},
) =>
  forgeSettingsFor({
    repository,
    credential: more.credential === undefined ? token : more.credential,
    stored: more.stored ?? null,
    secret: more.secret ?? null,
  });

test.each([
  ['https://github.com/acme/docs', 'github', 'https://api.github.com', 'acme/docs'],
  ['https://github.com/acme/docs.git', 'github', 'https://api.github.com', 'acme/docs'],
  ['https://GitHub.com/acme/docs/', 'github', 'https://api.github.com', 'acme/docs'],
  ['https://gitlab.com/group/sub/docs.git', 'gitlab', 'https://gitlab.com/api/v4', 'group/sub/docs'],
  ['https://codeberg.org/acme/docs', 'gitea', 'https://codeberg.org/api/v1', 'acme/docs'],
  ['https://acme.ghe.com/acme/docs', 'github', 'https://api.acme.ghe.com', 'acme/docs'],
  ['https://gitea.com/acme/docs', 'gitea', 'https://gitea.com/api/v1', 'acme/docs'],
])('%s is known by its host', (repository, kind, apiUrl, path) => {
  expect(settings(repository)).toMatchObject({ kind, apiUrl, repository: path });
});

test.each([
  ['git@github.com:acme/docs.git', 'https://api.github.com', 'acme/docs'],
  ['git@github.com:/acme/docs', 'https://api.github.com', 'acme/docs'],
  ['ssh://git@github.com/acme/docs.git', 'https://api.github.com', 'acme/docs'],
  ['ssh://git@ssh.github.com:443/acme/docs.git', 'https://api.github.com', 'acme/docs'],
  ['git@altssh.gitlab.com:group/docs', 'https://gitlab.com/api/v4', 'group/docs'],
])('%s is the same repository, and git continues with its key', (repository, apiUrl, path) => {
  expect(settings(repository, { credential: key, secret: 'api-token' })).toMatchObject({
    apiUrl,
    repository: path,
    git: key,
  });
});

test.each([
  ['https://git.example.com/acme/docs'],
  ['https://github.com.example.com/acme/docs'],
  ['https://example.com/github.com/docs'],
  ['git@git.example.com:acme/docs'],
])('%s is plain Git until the project says more', (repository) => {
  expect(settings(repository)).toEqual({ kind: 'git', credential: token });
});

test.each<[string, StoredForge, string, string]>([
  [
    'https://git.example.com:8443/acme/docs.git',
    { kind: 'gitea' },
    'https://git.example.com:8443/api/v1',
    'acme/docs',
  ],
  ['http://git.example.com/acme/docs', { kind: 'gitlab' }, 'http://git.example.com/api/v4', 'acme/docs'],
  ['https://git.example.com/acme/docs', { kind: 'github' }, 'https://git.example.com/api/v3', 'acme/docs'],
  [
    'ssh://git@git.example.com:2222/acme/docs',
    { kind: 'gitea' },
    'https://git.example.com/api/v1',
    'acme/docs',
  ],
  [
    'https://example.com/git/acme/docs.git',
    { kind: 'gitea', apiUrl: 'https://example.com/git/api/v1/' },
    'https://example.com/git/api/v1',
    'acme/docs',
  ],
  [
    'https://git.example.com/acme/docs',
    { kind: 'github', apiUrl: 'https://api.git.example.com' },
    'https://api.git.example.com',
    'acme/docs',
  ],
])('%s follows the settings of the project', (repository, stored, apiUrl, path) => {
  expect(settings(repository, { stored })).toMatchObject({ kind: stored.kind, apiUrl, repository: path });
});

test('the token of git serves the API until there is one for it', () => {
  expect(settings('https://gitlab.com/a/b')).toMatchObject({ token: 'git-token' });
  expect(settings('https://gitlab.com/a/b', { secret: 'api-token' })).toMatchObject({ token: 'api-token' });
});

test('a known host with a key alone, or nothing, is plain Git', () => {
  expect(settings('git@github.com:a/b', { credential: key })).toEqual({ kind: 'git', credential: key });
  expect(settings('https://github.com/a/b', { credential: null })).toEqual({ kind: 'git', credential: null });
  expect(settings('https://github.com/a/b', { stored: { kind: 'git' } })).toEqual({
    kind: 'git',
    credential: token,
  });
});

test('a GitHub App is its id, an installation and a private key', () => {
  const stored = { kind: 'github' as const, appId: '1', installationId: '2' };
  expect(settings('https://github.com/a/b', { stored, secret: 'pem' })).toMatchObject({
    auth: { kind: 'app', appId: '1', installationId: '2', privateKey: 'pem' },
  });
  expect(() => settings('https://github.com/a/b', { stored })).toThrow(/three values/);
  const half = { kind: 'github' as const, appId: '1' };
  expect(() => settings('https://github.com/a/b', { stored: half, secret: 'pem' })).toThrow(/three values/);
});

test.each<[string, string, StoredForge | undefined, RegExp]>([
  ['a forge without a token', 'https://git.example.com/a/b', { kind: 'gitea' }, /no token/],
  [
    'an API address with a user',
    'https://git.example.com/a/b',
    { kind: 'gitea', apiUrl: 'https://u:p@x/api/v1' },
    /API URL/,
  ],
  [
    'an API address of another kind',
    'https://git.example.com/a/b',
    { kind: 'gitea', apiUrl: 'file:///x' },
    /API URL/,
  ],
  ['a path that is too long', 'https://github.com/a/b/c', undefined, /owner and a name/],
  ['a path that is too short', 'https://github.com/a', undefined, /owner and a name/],
])('%s is refused in words', (name, repository, stored, message) => {
  const credential = name.includes('without') ? null : token;
  expect(() => settings(repository, { ...(stored === undefined ? {} : { stored }), credential })).toThrow(
    message,
  );
});
