import { z } from 'zod';
import { type Forge, ForgeError, type ForgeSettings, type PullRequest } from './port.ts';
import { type Answer, type Call, createSend, type ForgeOptions, listAll, read, textOf } from './request.ts';
import { isMarked, markTitle, unmarkTitle } from './title.ts';

type GitlabSettings = Extract<ForgeSettings, { kind: 'gitlab' }>;

const MAX_TITLE = 255;
const MAX_PAGES = 10;
const DRAFT = 'Draft: ';
const READ = 'the scope api and the role Developer';
const WRITE = READ;

const projectAnswer = z.object({
  id: z.int(),
  // Null while the repository is empty.
  default_branch: z.string().nullish(),
  archived: z.boolean().optional(),
});
const namedAnswer = z.object({ name: z.string() });
const commitAnswer = z.object({ id: z.string() });
const mergeRequestAnswer = z.object({
  iid: z.int().positive(),
  web_url: z.url({ protocol: /^https?$/ }).max(2000),
  // `locked` is a short state while it is being merged.
  state: z.enum(['opened', 'closed', 'locked', 'merged']),
  draft: z.boolean().optional(),
  title: z.string(),
  description: z.string().nullish(),
  sha: z.string().nullish(),
  source_branch: z.string(),
  target_branch: z.string(),
  // Null when the fork was deleted.
  source_project_id: z.int().nullish(),
  target_project_id: z.int(),
});
type MergeRequest = z.infer<typeof mergeRequestAnswer>;

/** gitlab.com and self-managed GitLab, by a personal, project or group access token or by OAuth. */
export function createGitlab(settings: GitlabSettings, options: ForgeOptions): Forge {
  const { repository, token } = settings;
  const send = createSend(
    {
      name: 'GitLab',
      url: settings.apiUrl.replace(/\/+$/, ''),
      // Access tokens of every kind are taken this way; PRIVATE-TOKEN would leave OAuth out.
      headers: async () => ({
        accept: 'application/json',
        'user-agent': 'Offprint',
        authorization: `Bearer ${token}`,
      }),
      explain: (answer, call) => explainGitlab(answer, call, repository),
      secrets: () => [token],
    },
    options,
  );
  const path = `/projects/${encodeURIComponent(repository)}`;

  const getProject = async (signal: AbortSignal) => {
    const call: Call = { method: 'GET', path, needs: READ };
    return read(projectAnswer, await send(call, signal), call);
  };

  const checkBranch = async (branch: string, signal: AbortSignal): Promise<void> => {
    const call: Call = {
      method: 'GET',
      path: `${path}/repository/branches/${encodeURIComponent(branch)}`,
      needs: READ,
    };
    try {
      read(namedAnswer, await send(call, signal), call);
    } catch (error) {
      if (!(error instanceof ForgeError) || error.fault !== 'not-found') throw error;
      // Hidden projects return the same response; the error names both.
      await getProject(signal);
      throw new ForgeError('branch-missing', `${repository} has no branch ${branch} at GitLab.`);
    }
  };

  const hasCommits = async (base: string, head: string, signal: AbortSignal): Promise<boolean> => {
    const call: Call = {
      method: 'GET',
      path: `${path}/repository/commits`,
      query: { ref_name: `${base}..${head}`, per_page: '1' },
      needs: READ,
    };
    return read(commitAnswer.array(), await send(call, signal), call).length > 0;
  };

  return {
    kind: 'gitlab',
    hasPullRequests: true,

    async gitCredential() {
      return settings.git ?? { kind: 'token', token, username: 'oauth2' };
    },

    async findPullRequest(headBranch, signal) {
      const call: Call = {
        method: 'GET',
        path: `${path}/merge_requests`,
        query: {
          source_branch: headBranch,
          state: 'all',
          scope: 'all',
          order_by: 'created_at',
          sort: 'desc',
          per_page: '100',
        },
        needs: READ,
      };
      const isOurs = (found: MergeRequest): boolean =>
        found.source_branch === headBranch && found.source_project_id === found.target_project_id;
      const isOpen = (found: MergeRequest): boolean => isOurs(found) && stateOf(found) === 'open';
      const all = await listAll(
        send,
        call,
        mergeRequestAnswer,
        { maxPages: MAX_PAGES, enough: (items) => items.some(isOpen) },
        signal,
      );
      const found = all.find(isOpen) ?? all.find(isOurs);
      return found === undefined ? null : toPullRequest(found);
    },

    async createPullRequest(request, signal) {
      // GitLab itself opens merge requests without commits, and has opened them without branches.
      await checkBranch(request.headBranch, signal);
      await checkBranch(request.baseBranch, signal);
      if (!(await hasCommits(request.baseBranch, request.headBranch, signal))) {
        throw new ForgeError(
          'no-commits',
          `No commits between ${request.baseBranch} and ${request.headBranch}.`,
        );
      }
      const call: Call = {
        method: 'POST',
        path: `${path}/merge_requests`,
        body: {
          source_branch: request.headBranch,
          target_branch: request.baseBranch,
          title: markTitle(request.title, request.draft, DRAFT, MAX_TITLE),
          description: request.body,
          remove_source_branch: true,
        },
        needs: WRITE,
      };
      try {
        return toPullRequest(read(mergeRequestAnswer, await send(call, signal), call));
      } catch (error) {
        // An archived project returns the same response as one without the permission.
        const isRight = error instanceof ForgeError && error.fault === 'auth';
        if (!isRight || (await getProject(signal)).archived !== true) throw error;
        throw new ForgeError('rejected', `${repository} is archived at GitLab and cannot be changed.`);
      }
    },

    async updatePullRequest(number, change, signal) {
      const one = `${path}/merge_requests/${number}`;
      const look: Call = { method: 'GET', path: one, needs: READ };
      const before = toPullRequest(read(mergeRequestAnswer, await send(look, signal), look));
      // The title carries the draft mark, so neither changes without the other.
      const draft = change.draft ?? before.isDraft;
      const title = markTitle(change.title ?? before.title, draft, DRAFT, MAX_TITLE);
      const isTitled = change.title !== undefined || draft !== before.isDraft;
      if (!isTitled && change.body === undefined) return before;
      const call: Call = {
        method: 'PUT',
        path: one,
        body: {
          ...(isTitled ? { title } : {}),
          ...(change.body === undefined ? {} : { description: change.body }),
        },
        needs: WRITE,
      };
      return toPullRequest(read(mergeRequestAnswer, await send(call, signal), call));
    },

    async protectedBranches(signal) {
      const { default_branch } = await getProject(signal);
      const call: Call = {
        method: 'GET',
        path: `${path}/protected_branches`,
        query: { per_page: '100' },
        needs: READ,
      };
      const found = await listAll(send, call, namedAnswer, { maxPages: MAX_PAGES }, signal).catch(
        (error: unknown) => {
          // Some roles may push but not read this list; then the push itself shows whether it is allowed.
          if (error instanceof ForgeError && error.fault === 'auth') return [];
          throw error;
        },
      );
      const own = default_branch == null ? [] : [default_branch];
      return [...new Set([...own, ...found.map(({ name }) => name)])];
    },
  };
}

function stateOf({ state }: MergeRequest): PullRequest['state'] {
  return state === 'opened' || state === 'locked' ? 'open' : state;
}

function toPullRequest(found: MergeRequest): PullRequest {
  return {
    number: found.iid,
    url: found.web_url,
    state: stateOf(found),
    isDraft: found.draft ?? isMarked(found.title),
    title: unmarkTitle(found.title),
    body: found.description ?? '',
    headBranch: found.source_branch,
    headCommit: found.sha ?? null,
    baseBranch: found.target_branch,
  };
}

const fieldErrors = z.object({ message: z.record(z.string(), z.unknown()) });

export function explainGitlab({ status, body }: Answer, call: Call, repository: string): ForgeError {
  const said = textOf(body);
  if (status === 401) {
    return new ForgeError(
      'auth',
      `GitLab rejected the project's token (${said}). It may have expired or been revoked: set a valid one.`,
    );
  }
  if (status === 403) {
    return new ForgeError(
      'auth',
      `The project's token lacks a permission at GitLab (${said}). For ${repository} it needs ${call.needs}.`,
    );
  }
  if (status === 404) {
    return new ForgeError(
      'not-found',
      `GitLab did not find the project ${repository} with this token. Check the URL; the token must have access to the project and ${call.needs}.`,
    );
  }
  if (status === 409)
    return new ForgeError('duplicate', `An open merge request for this branch already exists (${said}).`);
  const fields = fieldErrors.safeParse(body);
  const names = fields.success ? Object.keys(fields.data.message) : [];
  if (status === 400 && names.some((name) => name === 'source_branch' || name === 'target_branch'))
    return new ForgeError('branch-missing', `GitLab rejected a branch of the merge request: ${said}.`);
  if (status === 422 && /same project\/branch/i.test(said))
    return new ForgeError('no-commits', `GitLab says: ${said}.`);
  return new ForgeError('rejected', `GitLab rejected ${call.method} ${call.path} (${status}: ${said}).`);
}
