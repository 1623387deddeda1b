/**
 * A forge is an untrusted server: whatever it returns, a client returns what its port declares, or throws a
 * ForgeError.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createForge } from './forge.ts';
import { type Forge, ForgeError, type ForgeSettings } from './port.ts';

const TOKEN = 's3cret-token-0123456789';
const signal = new AbortController().signal;
const settings: ForgeSettings[] = [
  { kind: 'github', apiUrl: 'https://x', repository: 'a/b', auth: { kind: 'token', token: TOKEN } },
  { kind: 'gitlab', apiUrl: 'https://x/api/v4', repository: 'a/b', token: TOKEN },
  { kind: 'gitea', apiUrl: 'https://x/api/v1', repository: 'a/b', token: TOKEN, username: 'u' },
];
const request = { headBranch: 'h', baseBranch: 'main', title: 't', body: '', draft: true };
const calls: ((forge: Forge) => Promise<unknown>)[] = [
  (forge) => forge.findPullRequest('h', signal),
  (forge) => forge.createPullRequest(request, signal),
  (forge) => forge.updatePullRequest(1, { title: 'x', draft: false }, signal),
  (forge) => forge.protectedBranches(signal),
];

/** Values that look like a response, with any value in the place of any of them. */
const value = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue() },
  fc.constantFrom<unknown>(TOKEN, 'h', 'main', 'open', 'opened', 1, -1, 1e99, true, null, [], {}),
);
const answer = fc.oneof(
  value,
  fc.record(
    {
      number: value,
      iid: value,
      node_id: value,
      html_url: value,
      web_url: value,
      state: value,
      draft: value,
      title: value,
      body: value,
      message: value,
      errors: value,
      default_branch: value,
      name: value,
      commit: fc.record({ id: value }, { requiredKeys: [] }),
      head: fc.record(
        { ref: value, label: value, sha: value, repo: value, repo_id: value },
        { requiredKeys: [] },
      ),
      base: fc.record({ ref: value, repo_id: value }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  ),
);
const reply = fc.record({
  status: fc.constantFrom(
    200,
    200,
    201,
    304,
    400,
    401,
    403,
    404,
    409,
    410,
    418,
    422,
    423,
    429,
    451,
    500,
    502,
  ),
  body: fc.oneof(answer, fc.array(answer, { maxLength: 3 })),
  link: fc.constantFrom(undefined, '<https://x?page=2>; rel="next"', 'rel=next', '<', 'x'.repeat(5000)),
  after: fc.constantFrom(
    undefined,
    '0',
    '-1',
    'soon',
    '99999999999999999999',
    'Thu, 01 Jan 1970 00:00:00 GMT',
  ),
});

test('no response makes a client violate its port or reveal a token', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...settings),
      fc.constantFrom(...calls),
      fc.array(reply, { minLength: 1, maxLength: 4 }),
      async (one, call, replies) => {
        let asked = 0;
        const forge = createForge(one, {
          fetch: async () => {
            const { status, body, link, after } = replies[asked % replies.length]!;
            asked += 1;
            const headers = {
              ...(link === undefined ? {} : { link }),
              ...(after === undefined ? {} : { 'retry-after': after }),
            };
            return new Response(status === 304 ? null : JSON.stringify(body), { status, headers });
          },
          now: () => new Date(0),
          wait: async () => undefined,
        });
        try {
          const result = await call(forge);
          if (result !== null && !Array.isArray(result)) {
            expect(result).toMatchObject({
              number: expect.any(Number),
              url: expect.stringMatching(/^https?:/),
            });
          }
        } catch (error) {
          expect(error).toBeInstanceOf(ForgeError);
          const { message, retryAfterMs } = error as ForgeError;
          expect(message).not.toContain(TOKEN);
          expect(message.length).toBeLessThan(1500);
          if (retryAfterMs !== null) expect(retryAfterMs >= 0 && retryAfterMs <= 86_400_000).toBe(true);
        }
        // Nothing runs without end.
        expect(asked).toBeLessThan(150);
      },
    ),
    { numRuns: 1500 },
  );
});
