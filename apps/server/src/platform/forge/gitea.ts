import { z } from 'zod';
import { type Forge, ForgeError, type ForgeSettings, type PullRequest } from './port.ts';
import { type Answer, type Call, createSend, type ForgeOptions, listAll, read, textOf } from './request.ts';
import { isMarked, markTitle, unmarkTitle } from './title.ts';

type GiteaSettings = Extract<ForgeSettings, { kind: 'gitea' }>;

const MAX_TITLE = 255;
const DRAFT = 'WIP: ';
/** Fifty a page is what Gitea gives at most as it is set up. */
const PAGE = '50';
const MAX_PAGES = 20;
/** Closed ones are looked for among the last that changed. */
const MAX_CLOSED_PAGES = 4;
const READ = 'the scope read:repository';
const WRITE = 'the scope write:repository and an account that may write to the repository';

const repositoryAnswer = z.object({ default_branch: z.string(), archived: z.boolean().optional() });
const branchAnswer = z.object({ name: z.string(), protected: z.boolean().optional() });
const tipAnswer = z.object({ commit: z.object({ id: z.string() }) });
const compareAnswer = z.object({ total_commits: z.int() });
const pullAnswer = z.object({
  number: z.int().positive(),
  html_url: z.url({ protocol: /^https?$/ }).max(2000),
  state: z.enum(['open', 'closed']),
  merged: z.boolean().optional(),
  draft: z.boolean().optional(),
  title: z.string(),
  body: z.string().nullish(),
  head: z.object({
    // The permanent name of the branch; `ref` becomes refs/pull/N/head once the branch is gone.
    label: z.string(),
    ref: z.string(),
    sha: z.string().nullish(),
    repo_id: z.int(),
  }),
  base: z.object({ ref: z.string(), repo_id: z.int() }),
});
type Pull = z.infer<typeof pullAnswer>;

/** Gitea and Forgejo. */
export function createGitea(settings: GiteaSettings, options: ForgeOptions): Forge {
  const { repository, token } = settings;
  const send = createSend(
    {
      name: 'The forge',
      url: settings.apiUrl.replace(/\/+$/, ''),
      headers: async () => ({
        accept: 'application/json',
        'user-agent': 'Offprint',
        authorization: `token ${token}`,
      }),
      explain: (answer, call) => explainGitea(answer, call, repository),
      secrets: () => [token],
    },
    options,
  );
  const path = `/repos/${encodePath(repository)}`;

  const getRepository = async (signal: AbortSignal) => {
    const call: Call = { method: 'GET', path, needs: READ };
    return read(repositoryAnswer, await send(call, signal), call);
  };

  /** Null where the forge returns "not found". */
  const lookUp = async <T>(schema: z.ZodType<T>, below: string, signal: AbortSignal): Promise<T | null> => {
    const call: Call = { method: 'GET', path: `${path}${below}`, needs: READ };
    try {
      return read(schema, await send(call, signal), call);
    } catch (error) {
      if (error instanceof ForgeError && error.fault === 'not-found') return null;
      throw error;
    }
  };

  const tipOf = async (branch: string, signal: AbortSignal): Promise<string> => {
    const found = await lookUp(tipAnswer, `/branches/${encodePath(branch)}`, signal);
    if (found !== null) return found.commit.id;
    // Hidden repositories return the same response; the error names both.
    await getRepository(signal);
    throw new ForgeError('branch-missing', `${repository} has no branch ${branch} at the forge.`);
  };

  /** Older releases cannot compare; then only branches at the same commit can be detected. */
  const hasCommits = async (base: string, head: string, signal: AbortSignal): Promise<boolean> => {
    if ((await tipOf(head, signal)) === (await tipOf(base, signal))) return false;
    const range = `${encodePath(base)}...${encodePath(head)}`;
    return (await lookUp(compareAnswer, `/compare/${range}`, signal))?.total_commits !== 0;
  };

  const listPulls = (
    state: 'open' | 'closed',
    maxPages: number,
    isWanted: (pull: Pull) => boolean,
    signal: AbortSignal,
  ): Promise<Pull[]> => {
    const call: Call = {
      method: 'GET',
      path: `${path}/pulls`,
      query: { state, sort: 'recentupdate', limit: PAGE },
      needs: READ,
    };
    const enough = (items: readonly Pull[]): boolean => items.some(isWanted);
    return listAll(send, call, pullAnswer, { maxPages, enough }, signal);
  };

  return {
    kind: 'gitea',
    hasPullRequests: true,

    async gitCredential() {
      return settings.git ?? { kind: 'token', token, username: settings.username };
    },

    async findPullRequest(headBranch, signal) {
      const isOurs = ({ head, base }: Pull): boolean =>
        head.label === headBranch && head.repo_id === base.repo_id;
      const { default_branch } = await getRepository(signal);
      // One request where the forge has the endpoint; it may return a closed pull request while another is
      // open.
      const near = await lookUp(
        pullAnswer,
        `/pulls/${encodeURIComponent(default_branch)}/${encodePath(headBranch)}`,
        signal,
      );
      if (near !== null && isOurs(near) && near.state === 'open') return toPullRequest(near);
      const open = (await listPulls('open', MAX_PAGES, isOurs, signal)).find(isOurs);
      if (open !== undefined) return toPullRequest(open);
      const closed = (await listPulls('closed', MAX_CLOSED_PAGES, () => false, signal)).filter(isOurs);
      if (near !== null && isOurs(near)) closed.push(near);
      const newest = closed.sort((a, b) => b.number - a.number)[0];
      return newest === undefined ? null : toPullRequest(newest);
    },

    async createPullRequest(request, signal) {
      // Gitea opens pull requests without commits, and its 404 does not tell what is missing.
      if (!(await hasCommits(request.baseBranch, request.headBranch, signal))) {
        throw new ForgeError(
          'no-commits',
          `No commits between ${request.baseBranch} and ${request.headBranch}.`,
        );
      }
      const call: Call = {
        method: 'POST',
        path: `${path}/pulls`,
        body: {
          title: markTitle(request.title, request.draft, DRAFT, MAX_TITLE),
          head: request.headBranch,
          base: request.baseBranch,
          body: request.body,
        },
        needs: WRITE,
      };
      return toPullRequest(read(pullAnswer, await send(call, signal), call));
    },

    async updatePullRequest(number, change, signal) {
      const one = `${path}/pulls/${number}`;
      const look: Call = { method: 'GET', path: one, needs: READ };
      const before = toPullRequest(read(pullAnswer, await send(look, signal), look));
      // The title carries the draft mark, so neither changes without the other.
      const draft = change.draft ?? before.isDraft;
      const title = markTitle(change.title ?? before.title, draft, DRAFT, MAX_TITLE);
      const isTitled = change.title !== undefined || draft !== before.isDraft;
      if (!isTitled && change.body === undefined) return before;
      const call: Call = {
        method: 'PATCH',
        path: one,
        body: { ...(isTitled ? { title } : {}), ...(change.body === undefined ? {} : { body: change.body }) },
        needs: WRITE,
      };
      return toPullRequest(read(pullAnswer, await send(call, signal), call));
    },

    async protectedBranches(signal) {
      const { default_branch } = await getRepository(signal);
      const call: Call = {
        method: 'GET',
        path: `${path}/branches`,
        query: { limit: PAGE },
        needs: READ,
      };
      const found = await listAll(send, call, branchAnswer, { maxPages: MAX_PAGES }, signal);
      const names = found.filter((branch) => branch.protected === true).map(({ name }) => name);
      return [...new Set([default_branch, ...names])];
    },
  };
}

/** Slashes stay: the forge takes the rest of the path as one name. */
function encodePath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

function toPullRequest(pull: Pull): PullRequest {
  return {
    number: pull.number,
    url: pull.html_url,
    state: pull.state === 'open' ? 'open' : pull.merged === true ? 'merged' : 'closed',
    isDraft: pull.draft ?? isMarked(pull.title),
    title: unmarkTitle(pull.title),
    body: pull.body ?? '',
    headBranch: pull.head.label,
    headCommit: pull.head.sha || null,
    baseBranch: pull.base.ref,
  };
}

export function explainGitea({ status, body }: Answer, call: Call, repository: string): ForgeError {
  const said = textOf(body);
  if (status === 401) {
    return new ForgeError(
      'auth',
      `The forge rejected the project's token (${said}). It may have expired or been revoked: set a valid one.`,
    );
  }
  if (status === 423 || /archived/i.test(said)) {
    return new ForgeError('rejected', `${repository} is archived at the forge and cannot be changed.`);
  }
  if (status === 403) {
    return new ForgeError(
      'auth',
      `The project's token lacks a permission at the forge (${said}). For ${repository} it needs ${call.needs}.`,
    );
  }
  if (status === 404) {
    return new ForgeError(
      'not-found',
      `The forge did not find ${repository} with this token. Check the URL; the token must have access to the repository and ${call.needs}.`,
    );
  }
  if (status === 409)
    return new ForgeError('duplicate', `An open pull request for this branch already exists (${said}).`);
  if (status === 422 && /no changes between/i.test(said))
    return new ForgeError('no-commits', `The forge says: ${said}.`);
  return new ForgeError('rejected', `The forge rejected ${call.method} ${call.path} (${status}: ${said}).`);
}
