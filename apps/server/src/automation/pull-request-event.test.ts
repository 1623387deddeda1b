import { describe, expect, test } from 'vitest';
import { readPullRequestEvent } from './pull-request-event.ts';

const read = (event: string, payload: unknown) =>
  readPullRequestEvent(
    {
      header: (name) => (name === 'content-type' ? 'application/json' : undefined),
      body: Buffer.from(JSON.stringify(payload)),
    },
    event,
  );
const COMMIT = 'a'.repeat(40);
const github = (change: object = {}, pull: object = {}) => ({
  action: 'opened',
  number: 7,
  pull_request: {
    number: 7,
    merged: false,
    user: { login: 'ada' },
    head: { ref: 'topic', sha: COMMIT, repo: { full_name: 'acme/docs' } },
    base: { ref: 'main', repo: { full_name: 'Acme/docs' } },
    ...pull,
  },
  ...change,
});
const gitlab = (attributes: object = {}) => ({
  object_kind: 'merge_request',
  user: { username: 'ada' },
  object_attributes: {
    iid: 7,
    action: 'open',
    source_branch: 'topic',
    target_branch: 'main',
    source_project_id: 1,
    target_project_id: 1,
    source: { path_with_namespace: 'acme/docs' },
    last_commit: { id: COMMIT },
    ...attributes,
  },
});
const opened = {
  number: 7,
  action: 'opened',
  isMerged: false,
  headBranch: 'topic',
  headCommit: COMMIT,
  baseBranch: 'main',
  isFork: false,
  headRepository: 'acme/docs',
  author: 'ada',
};

describe('events of pull requests', () => {
  test.each([
    ['GitHub, Gitea', 'pull_request', github()],
    ['GitLab', 'Merge Request Hook', gitlab()],
    ['GitLab by Standard Webhooks', 'merge_request', gitlab()],
  ])('are the same for %s', (_, event, payload) => {
    expect(read(event, payload)).toEqual(opened);
  });

  test.each([
    ['pull_request', github({ action: 'synchronize' }), 'updated', false],
    ['pull_request_sync', github({ action: 'synchronized' }), 'updated', false],
    ['pull_request', github({ action: 'reopened' }), 'opened', false],
    ['pull_request', github({ action: 'closed' }), 'closed', false],
    ['pull_request', github({ action: 'closed' }, { merged: true }), 'closed', true],
    ['Merge Request Hook', gitlab({ action: 'update', oldrev: 'b'.repeat(40) }), 'updated', false],
    ['Merge Request Hook', gitlab({ action: 'close' }), 'closed', false],
    ['Merge Request Hook', gitlab({ action: 'merge' }), 'closed', true],
  ])('%s: case %#', (event, payload, action, isMerged) => {
    expect(read(event, payload)).toMatchObject({ action, isMerged });
  });

  test.each([
    ['a label', 'pull_request', github({ action: 'labeled' })],
    ['another title at GitLab', 'Merge Request Hook', gitlab({ action: 'update' })],
    ['a push', 'push', github()],
    ['a payload without a pull request', 'pull_request', { action: 'opened' }],
    ['a number that is not one', 'pull_request', github({ number: '7' }, { number: -1 })],
    ['a branch that is not a text', 'pull_request', github({}, { head: { ref: {} } })],
  ])('%s is not an event of commits', (_, event, payload) => {
    expect(read(event, payload)).toBeNull();
  });
});

describe('a pull request is of a fork', () => {
  const of = (repo: unknown) => github({}, { head: { ref: 'topic', sha: COMMIT, repo } });
  test.each([
    [of({ full_name: 'mallory/docs' }), 'mallory/docs'],
    // The fork was deleted, or the names are missing: nothing shows that it is of this repository.
    [of(null), null],
    [of({ full_name: ['acme/docs'] }), null],
    [github({}, { base: { ref: 'main', repo: {} } }), 'acme/docs'],
  ])('case %#', (payload, headRepository) => {
    expect(read('pull_request', payload)).toMatchObject({ isFork: true, headRepository });
  });

  test.each([[{ source_project_id: 2 }], [{ source_project_id: null }], [{ source_project_id: undefined }]])(
    'at GitLab: %j',
    (attributes) => {
      expect(read('Merge Request Hook', gitlab(attributes))).toMatchObject({ isFork: true });
    },
  );
});

test('texts of strangers are one short line, and a commit is an object name or nothing', () => {
  const found = read(
    'pull_request',
    github({}, { head: { ref: `a\nb\u0000${'x'.repeat(999)}`, sha: 'HEAD; rm -rf /', repo: null } }),
  );
  expect(found?.headBranch).toHaveLength(255);
  expect(found?.headBranch).toMatch(/^a b x+$/);
  expect(found?.headCommit).toBeNull();
});
