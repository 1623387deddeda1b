import { expect, test } from 'vitest';
import { isRepository, readForgeEvent } from './push.ts';

const event = (headers: Record<string, string>, payload: unknown, body?: string) =>
  readForgeEvent({
    header: (name) => headers[name],
    body: Buffer.from(body ?? JSON.stringify(payload)),
  });

const COMMIT = 'a'.repeat(40);
const github = {
  ref: 'refs/heads/main',
  after: COMMIT,
  repository: {
    full_name: 'Acme/Docs',
    clone_url: 'https://github.com/Acme/Docs.git',
    default_branch: 'main',
  },
  pusher: { name: 'alice', email: 'a@example.com' },
};
const gitlab = {
  object_kind: 'push',
  ref: 'refs/heads/main',
  after: COMMIT,
  user_username: 'alice',
  project: {
    path_with_namespace: 'acme/platform/docs',
    git_ssh_url: 'git@gitlab.example.com:acme/platform/docs.git',
    default_branch: 'main',
  },
};

test.each([
  ['GitHub', { 'x-github-event': 'push', 'x-github-delivery': 'd1' }, github, 'push'],
  [
    'Gitea',
    {
      'x-gitea-event': 'push',
      'x-gitea-delivery': 'd1',
      'x-github-event': 'push',
      'x-github-delivery': 'd2',
    },
    github,
    'push',
  ],
  [
    'Forgejo',
    { 'x-forgejo-event': 'push', 'x-gitea-event': 'push', 'x-forgejo-delivery': 'd1' },
    github,
    'push',
  ],
  ['GitLab', { 'x-gitlab-event': 'Push Hook', 'idempotency-key': 'd1' }, gitlab, 'Push Hook'],
])('a push of %s is read', (forge, headers, payload, name) => {
  expect(event(headers as unknown as Record<string, string>, payload)).toMatchObject({
    forge,
    delivery: 'd1',
    event: name,
    kind: 'push',
    ref: 'refs/heads/main',
    commit: COMMIT,
    defaultBranch: 'main',
    pusher: 'alice',
  });
});

test('the repository is known by its path, on whatever host and however it is written', () => {
  const push = event({ 'x-github-event': 'push' }, github);
  for (const address of [
    'https://github.com/acme/docs.git',
    'https://forge.internal:3000/acme/docs',
    'ssh://git@github.com/acme/docs.git',
    'git@github.com:acme/docs.git',
    'https://example.com/forge/acme/docs.git',
  ])
    expect(isRepository(push, address), address).toBe(true);
  for (const address of ['https://github.com/acme/docs2.git', 'https://github.com/notacme/docs.git'])
    expect(isRepository(push, address), address).toBe(false);
  expect(isRepository(event({}, {}), 'https://github.com/acme/docs.git')).toBe(false);
});

test('a payload may be a form; a deleted ref has no commit; strangers write short lines', () => {
  const headers = { 'x-github-event': 'push', 'content-type': 'application/x-www-form-urlencoded' };
  const form = new URLSearchParams({ payload: JSON.stringify(github) }).toString();
  expect(event(headers, null, form)).toMatchObject({ commit: COMMIT, pusher: 'alice' });
  const odd = { ...github, after: '0'.repeat(40), pusher: { name: `a\nb${'x'.repeat(500)}` } };
  const read = event({ 'x-github-event': 'push' }, odd);
  expect(read.commit).toBeNull();
  expect(read.pusher).toMatch(/^a bx{57}$/);
  expect(read.delivery, 'a digest where the forge names none').toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['no JSON', 'x'],
  ['a list', '[]'],
  ['nothing', ''],
])('%s is not a payload', (_name, body) => {
  expect(() => event({ 'x-github-event': 'push' }, null, body)).toThrow(/payload/);
});
