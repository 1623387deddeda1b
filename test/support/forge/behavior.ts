/**
 * How the forges behave where their descriptions are silent, with the source. Each row sends its requests directly to a double,
 * without our client in between; contract.ts tests how our client handles it.
 */
import type { DoubleGround } from './contract.ts';
import type { ForgeDouble } from './double.ts';

export interface Behavior {
  forge: ForgeDouble['kind'];
  name: string;
  /** Where the forge, or its users, document it. */
  source: string;
  /** The branch is at the tip of main; else it has one commit more. */
  isEmpty?: true;
  /** What must be there first. */
  given?(ground: DoubleGround, branch: string): Promise<void> | void;
  ask(branch: string, ground: DoubleGround): Ask;
  status: number;
  /** Expected text of the response. */
  says?: RegExp;
  /** Checks the parsed response. */
  holds?(body: never): boolean;
  headers?: Record<string, RegExp>;
}

export interface Ask {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  path: string;
  body?: unknown;
  /** Default: one that may write. */
  token?: string;
}

const GITHUB_DOCS = 'https://docs.github.com/en/rest';
const REPO = '/repos/acme/docs';
const PROJECT = '/projects/acme%2Fdocs';

const githubPull = (head: string, more: object = {}): Ask => ({
  method: 'POST',
  path: `${REPO}/pulls`,
  body: { title: 'T', head, base: 'main', ...more },
});
const gitlabPull = (source_branch: string, more: object = {}): Ask => ({
  method: 'POST',
  path: `${PROJECT}/merge_requests`,
  body: { title: 'T', source_branch, target_branch: 'main', ...more },
});
const giteaPull = (head: string, more: object = {}): Ask => githubPull(head, more);

const createOne = async (ground: DoubleGround, branch: string): Promise<void> => {
  const request = { headBranch: branch, baseBranch: 'main', title: 'First', body: '', draft: false };
  await ground.forge.createPullRequest(request, new AbortController().signal);
};
const archive = (ground: DoubleGround): void => ground.double.archive();
const readOnly = (ground: DoubleGround): string => ground.double.tokens.read;
const stranger = (ground: DoubleGround): string => ground.double.tokens.stranger;

export const behaviors: Behavior[] = [
  {
    forge: 'github',
    name: 'a duplicate is 422 with a custom error',
    source: 'https://github.com/gm3dmo/the-power/issues/175',
    given: createOne,
    ask: (branch) => githubPull(branch),
    status: 422,
    says: /"code":"custom".*A pull request already exists for acme:offprint/,
  },
  {
    forge: 'github',
    name: 'a head that is not there is 422, field head',
    source: 'https://github.com/shepherd-tools/shepherd/issues/51',
    ask: () => githubPull('not-there'),
    status: 422,
    says: /"field":"head","code":"invalid"/,
  },
  {
    forge: 'github',
    name: 'a base that is not there is 422, field base',
    source: 'https://github.com/dailymotion-oss/octopilot/issues/134',
    ask: (branch) => githubPull(branch, { base: 'not-there' }),
    status: 422,
    says: /"field":"base","code":"invalid"/,
  },
  {
    forge: 'github',
    name: 'nothing between head and base is 422 with a custom error',
    source: 'https://github.com/tgymnich/fork-sync/issues/112',
    isEmpty: true,
    ask: (branch) => githubPull(branch),
    status: 422,
    says: /No commits between main and offprint/,
  },
  {
    forge: 'github',
    name: 'where drafts are not supported, the whole request is refused',
    source: 'https://github.com/SWE-agent/SWE-agent/issues/179',
    given: (ground) => ground.double.forbidDrafts(),
    ask: (branch) => githubPull(branch, { draft: true }),
    status: 422,
    says: /Draft pull requests are not supported in this repository/,
  },
  {
    forge: 'github',
    name: 'a filter by head without its owner is ignored',
    source: 'https://github.com/PyGithub/PyGithub/issues/1566',
    given: createOne,
    ask: () => ({ path: `${REPO}/pulls?head=not-there` }),
    status: 200,
    holds: (body: unknown[]) => body.length === 1,
  },
  {
    forge: 'github',
    name: "a fork's branch of the same name is another head",
    source: `${GITHUB_DOCS}/pulls/pulls#list-pull-requests`,
    given: async (ground, branch) => void (await ground.double.addFork(branch)),
    ask: (branch) => ({ path: `${REPO}/pulls?head=acme:${branch}` }),
    status: 200,
    holds: (body: unknown[]) => body.length === 0,
  },
  {
    forge: 'github',
    name: 'a private repository that a token may not see is 404',
    source: `${GITHUB_DOCS}/using-the-rest-api/troubleshooting-the-rest-api`,
    ask: (_branch, ground) => ({ path: REPO, token: stranger(ground) }),
    status: 404,
    says: /Not Found/,
  },
  {
    forge: 'github',
    name: 'a token that may not do it is 403, and a header names the permission',
    source: `${GITHUB_DOCS}/using-the-rest-api/troubleshooting-the-rest-api`,
    ask: (branch, ground) => ({ ...githubPull(branch), token: readOnly(ground) }),
    status: 403,
    says: /Resource not accessible/,
    headers: { 'x-accepted-github-permissions': /pull_requests=write/ },
  },
  {
    forge: 'github',
    name: 'a token that is none is 401',
    source: `${GITHUB_DOCS}/authentication/authenticating-to-the-rest-api`,
    ask: () => ({ path: REPO, token: 'none' }),
    status: 401,
    says: /Bad credentials/,
  },
  {
    forge: 'github',
    name: 'an archived repository is 403',
    source: 'https://github.com/mislav/hub/issues/1655',
    given: archive,
    ask: (branch) => githubPull(branch),
    status: 403,
    says: /archived so is read-only/,
  },
  {
    forge: 'github',
    name: 'a secondary limit is 403 with retry-after',
    source: `${GITHUB_DOCS}/using-the-rest-api/rate-limits-for-the-rest-api`,
    given: (ground) => ground.double.fail({ kind: 'limit', retryAfter: 60 }),
    ask: (branch) => githubPull(branch),
    status: 403,
    says: /secondary rate limit/,
    headers: { 'retry-after': /^60$/ },
  },
  {
    forge: 'github',
    name: 'a title of more than 256 characters is 422',
    source: 'https://github.com/DavyJonesLocker/party_foul/pull/122',
    ask: (branch) => githubPull(branch, { title: 'x'.repeat(257) }),
    status: 422,
    says: /"field":"title"/,
  },
  {
    forge: 'github',
    name: 'a list goes on at the address that the link header names',
    source: `${GITHUB_DOCS}/using-the-rest-api/using-pagination-in-the-rest-api`,
    given: (ground) => ground.double.addClosed(3),
    ask: () => ({ path: `${REPO}/pulls?state=all&per_page=2` }),
    status: 200,
    holds: (body: unknown[]) => body.length === 2,
    headers: { link: /page=2>; rel="next"/ },
  },
  {
    forge: 'gitlab',
    name: 'a duplicate is 409',
    source: 'https://github.com/voxpupuli/modulesync/issues/195',
    given: createOne,
    ask: (branch) => gitlabPull(branch),
    status: 409,
    says: /Another open merge request already exists for this source branch: !1/,
  },
  {
    forge: 'gitlab',
    name: 'a source branch that is not there is 400, by the name of the field',
    source: 'https://github.com/yaoyuannnn/gerritlab/pull/87',
    ask: () => gitlabPull('not-there'),
    status: 400,
    says: /"source_branch":\["does not exist"\]/,
  },
  {
    forge: 'gitlab',
    name: 'a merge request without commits is created',
    source: 'https://github.com/zaquestion/lab/issues/20',
    isEmpty: true,
    ask: (branch) => gitlabPull(branch),
    status: 201,
  },
  {
    forge: 'gitlab',
    name: 'a title of more than 255 characters is 400, by the name of the field',
    source: 'https://github.com/dependabot/dependabot-core/issues/12157',
    ask: (branch) => gitlabPull(branch, { title: 'x'.repeat(256) }),
    status: 400,
    says: /"title":\["is too long \(maximum is 255 characters\)"\]/,
  },
  {
    forge: 'gitlab',
    name: 'a title makes a draft',
    source: 'https://docs.gitlab.com/user/project/merge_requests/drafts/',
    ask: (branch) => gitlabPull(branch, { title: 'Draft: T' }),
    status: 201,
    holds: ({ draft, title }: { draft: boolean; title: string }) => draft && title === 'Draft: T',
  },
  {
    forge: 'gitlab',
    name: 'a token without the scope is 403',
    source: 'https://github.com/mc1arke/sonarqube-community-branch-plugin/issues/907',
    ask: (branch, ground) => ({ ...gitlabPull(branch), token: readOnly(ground) }),
    status: 403,
    says: /higher privileges than provided by the access token/,
  },
  {
    forge: 'gitlab',
    name: 'a private project that a token may not see is 404',
    source: 'https://docs.gitlab.com/api/rest/troubleshooting/',
    ask: (_branch, ground) => ({ path: PROJECT, token: stranger(ground) }),
    status: 404,
    says: /404 Project Not Found/,
  },
  {
    forge: 'gitlab',
    name: 'a token that is none is 401',
    source: 'https://docs.gitlab.com/api/rest/troubleshooting/',
    ask: () => ({ path: PROJECT, token: 'none' }),
    status: 401,
  },
  {
    forge: 'gitlab',
    name: 'an archived project is 403 like one without the right',
    source: 'https://docs.gitlab.com/user/project/working_with_projects/',
    given: archive,
    ask: (branch) => gitlabPull(branch),
    status: 403,
    says: /403 Forbidden/,
  },
  {
    forge: 'gitlab',
    name: 'too many requests are 429',
    source: 'https://docs.gitlab.com/security/rate_limits/',
    given: (ground) => ground.double.fail({ kind: 'limit', retryAfter: 60 }),
    ask: (branch) => gitlabPull(branch),
    status: 429,
    headers: { 'retry-after': /^60$/ },
  },
  {
    forge: 'gitlab',
    name: "a fork's branch of the same name is in the answer",
    source: 'https://docs.gitlab.com/api/merge_requests/',
    given: async (ground, branch) => void (await ground.double.addFork(branch)),
    ask: (branch) => ({ path: `${PROJECT}/merge_requests?source_branch=${encodeURIComponent(branch)}` }),
    status: 200,
    holds: (body: { source_project_id: number; target_project_id: number }[]) =>
      body.length === 1 && body[0]?.source_project_id !== body[0]?.target_project_id,
  },
  {
    forge: 'gitlab',
    name: 'a list goes on at the address that the link header names',
    source: 'https://docs.gitlab.com/api/rest/#pagination',
    given: (ground) => ground.double.addClosed(3),
    ask: () => ({ path: `${PROJECT}/merge_requests?state=all&per_page=2` }),
    status: 200,
    headers: { link: /page=2>; rel="next"/ },
  },
  {
    forge: 'gitea',
    name: 'a duplicate is 409',
    source: 'https://github.com/renovatebot/renovate/issues/14336',
    given: createOne,
    ask: (branch) => giteaPull(branch),
    status: 409,
    says: /pull request already exists for these targets/,
  },
  {
    forge: 'gitea',
    name: 'a branch that is not there is 404, like everything else that is not',
    source: 'https://github.com/go-gitea/gitea/blob/main/routers/api/v1/repo/pull.go',
    ask: () => giteaPull('not-there'),
    status: 404,
  },
  {
    forge: 'gitea',
    name: 'a pull request without commits is created',
    source: 'https://github.com/go-gitea/gitea/blob/main/routers/api/v1/repo/pull.go',
    isEmpty: true,
    ask: (branch) => giteaPull(branch),
    status: 201,
  },
  {
    forge: 'gitea',
    name: 'head and base of one name are 422',
    source: 'https://github.com/go-gitea/gitea/blob/main/routers/api/v1/repo/pull.go',
    ask: () => giteaPull('main'),
    status: 422,
    says: /no changes between the head and the base/,
  },
  {
    forge: 'gitea',
    name: 'a title makes a draft',
    source: 'https://docs.gitea.com/usage/pull-request#work-in-progress-pull-requests',
    ask: (branch) => giteaPull(branch, { title: 'WIP: T' }),
    status: 201,
    holds: ({ draft, title }: { draft: boolean; title: string }) => draft && title === 'WIP: T',
  },
  {
    forge: 'gitea',
    name: 'an update answers 201',
    source: 'https://github.com/go-gitea/gitea/blob/main/routers/api/v1/repo/pull.go',
    given: createOne,
    ask: () => ({ method: 'PATCH', path: `${REPO}/pulls/1`, body: { title: 'Another' } }),
    status: 201,
  },
  {
    forge: 'gitea',
    name: 'of a branch that was deleted the label stays and the ref does not',
    source: 'https://github.com/renovatebot/renovate/issues/6018',
    given: async (ground, branch) => {
      await createOne(ground, branch);
      await ground.double.merge(1, { deleteBranch: true });
    },
    ask: () => ({ path: `${REPO}/pulls/1` }),
    status: 200,
    holds: ({ head, merged }: { head: { label: string; ref: string }; merged: boolean }) =>
      merged && head.label.startsWith('offprint/') && head.ref === 'refs/pull/1/head',
  },
  {
    forge: 'gitea',
    name: 'a token without the scope is 403',
    source: 'https://github.com/MattJColes/lgtmaybe/issues/501',
    ask: (branch, ground) => ({ ...giteaPull(branch), token: readOnly(ground) }),
    status: 403,
    says: /required=\[write:repository\]/,
  },
  {
    forge: 'gitea',
    name: 'a private repository that a token may not see is 404',
    source: 'https://docs.gitea.com/development/api-usage',
    ask: (_branch, ground) => ({ path: REPO, token: stranger(ground) }),
    status: 404,
  },
  {
    forge: 'gitea',
    name: 'a token that is none is 401',
    source: 'https://docs.gitea.com/development/api-usage',
    ask: () => ({ path: REPO, token: 'none' }),
    status: 401,
  },
  {
    forge: 'gitea',
    name: 'an archived repository is 423',
    source: 'https://github.com/go-gitea/gitea/blob/main/routers/api/v1/repo/pull.go',
    given: archive,
    ask: (branch) => giteaPull(branch),
    status: 423,
  },
  {
    forge: 'gitea',
    name: 'a page holds fifty at most, whatever was asked for',
    source: 'https://docs.gitea.com/administration/config-cheat-sheet#api-api',
    given: (ground) => ground.double.addClosed(60),
    ask: () => ({ path: `${REPO}/pulls?state=all&limit=100` }),
    status: 200,
    holds: (body: unknown[]) => body.length === 50,
    headers: { link: /page=2>; rel="next"/ },
  },
];
