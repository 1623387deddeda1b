import { z } from 'zod';
import { createAppTokens } from './github-app.ts';
import { type Forge, ForgeError, type ForgeSettings, type PullRequest } from './port.ts';
import {
  type Answer,
  type Call,
  createSend,
  type ForgeOptions,
  listAll,
  read,
  type Send,
  textOf,
} from './request.ts';
import { clipTitle } from './title.ts';

type GithubSettings = Extract<ForgeSettings, { kind: 'github' }>;

const MAX_TITLE = 256;
const MAX_PAGES = 10;
const READ_PULLS = 'Pull requests: read';
const WRITE_PULLS = 'Pull requests: read and write';

const repositoryAnswer = z.object({ default_branch: z.string(), archived: z.boolean().optional() });
const branchAnswer = z.object({ name: z.string() });
const pullAnswer = z.object({
  number: z.int().positive(),
  node_id: z.string(),
  html_url: z.url({ protocol: /^https?$/ }).max(2000),
  state: z.enum(['open', 'closed']),
  merged_at: z.string().nullish(),
  draft: z.boolean().optional(),
  title: z.string(),
  body: z.string().nullable(),
  head: z.object({
    ref: z.string(),
    sha: z.string(),
    repo: z.object({ full_name: z.string() }).nullable(),
  }),
  base: z.object({ ref: z.string() }),
});
type Pull = z.infer<typeof pullAnswer>;

/** github.com and GitHub Enterprise Server, by a token or as an App. */
export function createGithub(settings: GithubSettings, options: ForgeOptions): Forge {
  const { repository, auth } = settings;
  const apiUrl = settings.apiUrl.replace(/\/+$/, '');
  const common = {
    accept: 'application/vnd.github+json',
    'user-agent': 'Offprint',
    'x-github-api-version': '2022-11-28',
  };
  const app =
    auth.kind === 'app' ? createAppTokens(auth, { apiUrl, repository, headers: common }, options) : null;
  const token = async (signal: AbortSignal): Promise<string> =>
    auth.kind === 'token' ? auth.token : ((await app?.get(signal)) ?? '');
  const api = {
    name: 'GitHub',
    headers: async (signal: AbortSignal) => ({ ...common, authorization: `Bearer ${await token(signal)}` }),
    explain: (answer: Answer, call: Call) => explainGithub(answer, call, repository),
    secrets: () => (auth.kind === 'token' ? [auth.token] : (app?.secrets() ?? [])),
  };
  const send = createSend({ ...api, url: apiUrl }, options);
  const sendGraphql = createSend({ ...api, url: graphqlUrl(apiUrl) }, options);
  const path = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
  const owner = repository.slice(0, repository.indexOf('/'));

  return {
    kind: 'github',
    hasPullRequests: true,

    async gitCredential(signal) {
      if (settings.git !== undefined) return settings.git;
      return { kind: 'token', token: await token(signal), username: 'x-access-token' };
    },

    async findPullRequest(headBranch, signal) {
      const call: Call = {
        method: 'GET',
        path: `${path}/pulls`,
        query: {
          head: `${owner}:${headBranch}`,
          state: 'all',
          sort: 'created',
          direction: 'desc',
          per_page: '100',
        },
        needs: READ_PULLS,
      };
      // If GitHub cannot parse a filter, it returns every pull request there is.
      const isOurs = ({ head }: Pull): boolean =>
        head.ref === headBranch && head.repo?.full_name.toLowerCase() === repository.toLowerCase();
      const isOpen = (pull: Pull): boolean => pull.state === 'open' && isOurs(pull);
      const pulls = await listAll(
        send,
        call,
        pullAnswer,
        { maxPages: MAX_PAGES, enough: (items) => items.some(isOpen) },
        signal,
      );
      const found = pulls.find(isOpen) ?? pulls.find(isOurs);
      return found === undefined ? null : toPullRequest(found);
    },

    async createPullRequest(request, signal) {
      const create = async (draft: boolean): Promise<PullRequest> => {
        const call: Call = {
          method: 'POST',
          path: `${path}/pulls`,
          body: {
            title: clipTitle(request.title, MAX_TITLE),
            head: request.headBranch,
            base: request.baseBranch,
            body: request.body,
            ...(draft ? { draft } : {}),
          },
          needs: WRITE_PULLS,
        };
        return toPullRequest(read(pullAnswer, await send(call, signal), call));
      };
      try {
        return await create(request.draft);
      } catch (error) {
        // Not every plan has drafts, and the API does not show it beforehand.
        if (request.draft && error instanceof ForgeError && error.cause === NO_DRAFTS) return create(false);
        throw error;
      }
    },

    async updatePullRequest(number, change, signal) {
      const text = {
        ...(change.title === undefined ? {} : { title: clipTitle(change.title, MAX_TITLE) }),
        ...(change.body === undefined ? {} : { body: change.body }),
      };
      const hasText = Object.keys(text).length > 0;
      const call: Call = {
        method: hasText ? 'PATCH' : 'GET',
        path: `${path}/pulls/${number}`,
        ...(hasText ? { body: text } : {}),
        needs: hasText ? WRITE_PULLS : READ_PULLS,
      };
      const pull = read(pullAnswer, await send(call, signal), call);
      const isDraft = pull.draft === true;
      if (change.draft === undefined || change.draft === isDraft || pull.state !== 'open')
        return toPullRequest(pull);
      const became = await setDraft(sendGraphql, pull.node_id, change.draft, signal);
      return { ...toPullRequest(pull), isDraft: became ? change.draft : isDraft };
    },

    async protectedBranches(signal) {
      const call: Call = { method: 'GET', path, needs: 'Metadata: read' };
      const { default_branch } = read(repositoryAnswer, await send(call, signal), call);
      const branches: Call = {
        method: 'GET',
        path: `${path}/branches`,
        query: { protected: 'true', per_page: '100' },
        needs: 'Contents: read',
      };
      const found = await listAll(send, branches, branchAnswer, { maxPages: MAX_PAGES }, signal);
      return [...new Set([default_branch, ...found.map(({ name }) => name)])];
    },
  };
}

/** Cause of the error that a plan without drafts returns. */
const NO_DRAFTS = Symbol('no drafts');

function toPullRequest(pull: Pull): PullRequest {
  return {
    number: pull.number,
    url: pull.html_url,
    state: pull.state === 'open' ? 'open' : pull.merged_at == null ? 'closed' : 'merged',
    isDraft: pull.draft === true,
    title: pull.title,
    body: pull.body ?? '',
    headBranch: pull.head.ref,
    headCommit: pull.head.sha,
    baseBranch: pull.base.ref,
  };
}

/** The REST API cannot turn drafts; GraphQL can. */
function graphqlUrl(apiUrl: string): string {
  return apiUrl.endsWith('/api/v3') ? apiUrl.slice(0, -'/v3'.length) : apiUrl;
}

const graphqlAnswer = z.object({
  errors: z.array(z.object({ type: z.string().nullish(), message: z.string() })).nullish(),
});

/** Whether it was done; a repository without drafts is not an error. */
async function setDraft(send: Send, id: string, draft: boolean, signal: AbortSignal): Promise<boolean> {
  const mutation = draft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview';
  const call: Call = {
    method: 'POST',
    path: '/graphql',
    body: {
      query: `mutation($id: ID!) { ${mutation}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`,
      variables: { id },
    },
    needs: WRITE_PULLS,
  };
  const { errors } = read(graphqlAnswer, await send(call, signal), call);
  const error = errors?.[0];
  if (error === undefined) return true;
  if (/draft/i.test(error.message) && /not (supported|available)/i.test(error.message)) return false;
  const said = textOf({ message: error.message });
  if (error.type === 'RATE_LIMITED') throw new ForgeError('rate-limited', `GitHub says: ${said}`);
  const isRight = error.type === 'FORBIDDEN' || error.type === 'INSUFFICIENT_SCOPES';
  throw new ForgeError(
    isRight ? 'auth' : 'rejected',
    `GitHub did not change the pull request ${draft ? 'to a draft' : 'to ready for review'}: ${said}.${isRight ? ` The credential needs the permission ${WRITE_PULLS}.` : ''}`,
  );
}

const validation = z.object({
  errors: z
    .array(
      z.union([
        z.string().transform((message) => ({ message, field: undefined, code: undefined })),
        z.object({
          message: z.string().nullish(),
          field: z.string().nullish(),
          code: z.string().nullish(),
        }),
      ]),
    )
    .default([]),
});

export function explainGithub(answer: Answer, call: Call, repository: string): ForgeError {
  const { status, headers, body } = answer;
  const said = textOf(body);
  if (status === 401) {
    return new ForgeError(
      'auth',
      `GitHub rejected the project's credential (${said}). It may have expired or been revoked: set a valid one.`,
    );
  }
  if (status === 403) return explainForbidden(said, headers, call, repository);
  if (status === 404) {
    return new ForgeError(
      'not-found',
      `GitHub did not find ${repository} with this credential. Check the URL; the credential must have access to the repository and the permission ${call.needs}.`,
    );
  }
  if (status === 422) return explainInvalid(body, said);
  return new ForgeError('rejected', `GitHub rejected ${call.method} ${call.path} (${status}: ${said}).`);
}

function explainForbidden(said: string, headers: Headers, call: Call, repository: string): ForgeError {
  if (/archived/i.test(said))
    return new ForgeError('rejected', `${repository} is archived at GitHub and cannot be changed.`);
  if (headers.has('x-github-sso')) {
    return new ForgeError(
      'auth',
      `The organization of ${repository} requires single sign-on. Authorize the token for it at GitHub, under the token's "Configure SSO".`,
    );
  }
  const named = headers.get('x-accepted-github-permissions') ?? headers.get('x-accepted-oauth-scopes') ?? '';
  const hint = /^[\w=,;: -]{1,200}$/.test(named) ? ` GitHub lists: ${named}.` : '';
  return new ForgeError(
    'auth',
    `The project's credential lacks a permission at GitHub (${said}). It needs the permission ${call.needs} on ${repository}.${hint}`,
  );
}

function explainInvalid(body: unknown, said: string): ForgeError {
  const parsed = validation.safeParse(body);
  const errors = parsed.success ? parsed.data.errors : [];
  if (/pull request already exists/i.test(said))
    return new ForgeError('duplicate', `An open pull request for this branch already exists (${said}).`);
  // Of a branch that is gone GitHub may say "no commits" too, after saying that it has no head.
  const gone = errors.find(
    ({ field, code }) => code === 'missing_field' && /^(?:head|base)_sha$/.test(field ?? ''),
  );
  const branch =
    gone ?? errors.find(({ field, code }) => code === 'invalid' && (field === 'head' || field === 'base'));
  if (branch !== undefined) {
    return new ForgeError(
      'branch-missing',
      `GitHub did not find the branch to pull ${branch.field?.startsWith('head') === true ? 'from' : 'into'}: it may have been deleted or renamed.`,
    );
  }
  if (/no commits between/i.test(said)) return new ForgeError('no-commits', `GitHub says: ${said}.`);
  if (/draft pull requests are not supported/i.test(said))
    return new ForgeError('rejected', `GitHub says: ${said}`, { cause: NO_DRAFTS });
  if (/submitted too quickly/i.test(said))
    return new ForgeError('rate-limited', `GitHub says: ${said}.`, { retryAfterMs: 60_000 });
  return new ForgeError('rejected', `GitHub rejected the pull request: ${said || 'validation failed'}.`);
}
