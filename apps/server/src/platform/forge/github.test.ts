import { expect, test } from 'vitest';
import { createForge } from './forge.ts';
import type { ForgeError } from './port.ts';

const signal = new AbortController().signal;
const request = { headBranch: 'h', baseBranch: 'main', title: 't', body: '', draft: false };

/** What the client makes of one refusal of a new pull request. */
async function refusal(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ForgeError> {
  const forge = createForge(
    {
      kind: 'github',
      apiUrl: 'https://api.github.com',
      repository: 'acme/docs',
      auth: { kind: 'token', token: 'ghp_0123456789' },
    },
    {
      fetch: async () => new Response(JSON.stringify(body), { status, headers }),
      now: () => new Date(0),
      wait: async () => undefined,
    },
  );
  return forge.createPullRequest(request, signal).then(
    () => {
      throw new Error('It was created.');
    },
    (error) => error as ForgeError,
  );
}

// As in https://github.com/octokit/octokit.net/issues/879.
test('of a head that is gone GitHub may also say "no commits", and it is still a missing branch', async () => {
  const custom = { resource: 'PullRequest', code: 'custom', message: 'No commits between main and h' };
  const missing = { resource: 'PullRequest', code: 'missing_field', field: 'head_sha' };
  const both = await refusal(422, { message: 'Validation Failed', errors: [missing, custom] });
  expect(both.fault).toBe('branch-missing');
  expect((await refusal(422, { message: 'Validation Failed', errors: [custom] })).fault).toBe('no-commits');
});

test.each([
  [401, { message: 'Bad credentials' }, {}, 'auth', /expired or been revoked/],
  [403, { message: 'x' }, { 'x-github-sso': 'required; url=https://x' }, 'auth', /single sign-on/],
  [403, { message: 'x' }, { 'x-accepted-oauth-scopes': 'repo' }, 'auth', /GitHub lists: repo\./],
  [
    403,
    { message: 'x' },
    { 'x-accepted-github-permissions': '<script>' },
    'auth',
    /read and write on acme\/docs\.$/,
  ],
  [404, { message: 'Not Found' }, {}, 'not-found', /acme\/docs.*Pull requests: read and write/],
  [
    422,
    { message: 'Validation Failed', errors: ['was submitted too quickly'] },
    {},
    'rate-limited',
    /quickly/,
  ],
  [
    422,
    { message: 'Validation Failed', errors: [{ message: 'body is too long' }] },
    {},
    'rejected',
    /too long/,
  ],
  [410, { message: 'Pull requests are disabled' }, {}, 'rejected', /410: Pull requests are disabled/],
] as const)('a refusal %i %j is reported', async (status, body, headers, fault, message) => {
  const error = await refusal(status, body, headers as Record<string, string>);
  expect(error.fault).toBe(fault);
  expect(error.message).toMatch(message);
});
