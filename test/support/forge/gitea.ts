import { randomBytes } from 'node:crypto';
import { readApi } from '../openapi/check.ts';
import type { Json } from '../openapi/cut.ts';
import {
  type Access,
  type Asked,
  addComment,
  addRow,
  type CommentRow,
  type DoubleOptions,
  type ForgeDouble,
  type PullRow,
  pageOf,
  type Reply,
  setStatus,
  startDouble,
} from './double.ts';

export interface GiteaDoubleOptions extends DoubleOptions {
  /** Gitea before 1.20 has no look-up by base and head, and none compares. */
  isOld?: boolean;
}

interface Forge {
  repository: string;
  tokens: ForgeDouble['tokens'];
  isOld: boolean;
}

/** Gitea or Forgejo with one repository: pulls, branches and their protection. */
export async function startGiteaDouble(options: GiteaDoubleOptions): Promise<ForgeDouble> {
  const file = new URL('openapi/gitea.json', import.meta.url);
  const { check } = readApi(file, {
    errors: '#/components/schemas/APIError',
    wide: ['branch', 'head', 'basehead'],
  });
  const suffix = randomBytes(17).toString('hex');
  const tokens = { write: `aa${suffix}`, read: `bb${suffix}`, stranger: `cc${suffix}` };
  const { repository } = options;
  const forge = { repository, tokens, isOld: options.isOld === true };
  return startDouble(
    {
      kind: 'gitea',
      basePath: '/api/v1',
      check,
      tokens,
      settings: (apiUrl, token) => ({
        kind: 'gitea',
        apiUrl,
        repository,
        token,
        username: 'x-access-token',
      }),
      closesWithBranch: true,
      answer: (asked) => answer(forge, asked),
      // It has no limits of its own; the server before it may.
      limit: (retryAfter) => ({
        status: 429,
        headers: retryAfter === null ? {} : { 'retry-after': String(retryAfter) },
        body: { message: 'Too Many Requests' },
      }),
    },
    options,
  );
}

const fail = (status: number, message: string): Reply => ({
  status,
  body: { message, url: 'https://gitea.example.com/api/swagger' },
});

const notFound = (): Reply => fail(404, "The target couldn't be found.");

async function answer(forge: Forge, asked: Asked): Promise<Reply> {
  const access = accessOf(forge, asked);
  if (access === null) return fail(401, 'invalid username, password or token');
  const [, , owner, name, , number] = asked.path.split('/').map(decodeURIComponent);
  if (access === 'none' || `${owner}/${name}` !== forge.repository) return notFound();
  const row = asked.state.rows.find((one) => one.number === Number(number));
  switch (asked.operation) {
    case 'GET /repos/{owner}/{repo}':
      return { status: 200, body: await toRepository(forge, asked, forge.repository) };
    case 'GET /repos/{owner}/{repo}/branches':
      return listBranches(asked);
    case 'GET /repos/{owner}/{repo}/branches/{branch}':
      return getBranch(asked);
    case 'GET /repos/{owner}/{repo}/compare/{basehead}':
      return forge.isOld ? notFound() : compare(asked);
    case 'GET /repos/{owner}/{repo}/pulls':
      return listPulls(forge, asked);
    case 'POST /repos/{owner}/{repo}/pulls':
      return create(forge, asked, access);
    case 'GET /repos/{owner}/{repo}/pulls/{base}/{head}':
      return forge.isOld ? notFound() : findByBranches(forge, asked);
    case 'GET /repos/{owner}/{repo}/pulls/{index}':
      return row === undefined ? notFound() : { status: 200, body: await toPull(forge, asked, row) };
    case 'PATCH /repos/{owner}/{repo}/pulls/{index}':
      return row === undefined ? notFound() : update(forge, asked, access, row);
    case 'POST /repos/{owner}/{repo}/statuses/{sha}':
      return createStatus(asked, access);
    case 'GET /repos/{owner}/{repo}/issues/{index}/comments':
      return row === undefined
        ? notFound()
        : {
            status: 200,
            body: asked.state.comments.filter(({ pull }) => pull === row.number).map(toComment),
          };
    case 'POST /repos/{owner}/{repo}/issues/{index}/comments':
      return row === undefined ? notFound() : createComment(asked, access, row);
    case 'PATCH /repos/{owner}/{repo}/issues/comments/{id}':
      return editComment(asked, access);
    default:
      return notFound();
  }
}

async function createStatus(asked: Asked, access: Access): Promise<Reply> {
  const {
    state = '',
    context = 'default',
    description = '',
    target_url,
  } = asked.body as Record<string, string>;
  const commit = asked.path.split('/').at(-1) ?? '';
  if (access !== 'write') return lacksScope();
  if (![...(await asked.git.branches()).values()].includes(commit)) return notFound();
  const url = target_url ?? null;
  setStatus(asked.state, { commit, context, state, description, url });
  return { status: 201, body: { id: 1, status: state, context, description, target_url: url ?? '' } };
}

const toComment = ({ id, body }: CommentRow): Json => ({ id, body });

function createComment({ body, state }: Asked, access: Access, row: PullRow): Reply {
  if (access !== 'write') return lacksScope();
  const { body: text = '' } = body as Record<string, string>;
  return { status: 201, body: toComment(addComment(state, row.number, text)) };
}

function editComment({ body, path, state }: Asked, access: Access): Reply {
  const comment = state.comments.find(({ id }) => id === Number(path.split('/').at(-1)));
  if (comment === undefined) return notFound();
  if (access !== 'write') return lacksScope();
  comment.body = (body as Record<string, string>).body ?? '';
  return { status: 200, body: toComment(comment) };
}

/** Null: no valid credential. */
function accessOf({ tokens }: Forge, { headers }: Asked): Access | null {
  const token = /^(?:token|bearer) (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (token === tokens.write) return 'write';
  if (token === tokens.read) return 'read';
  return token === tokens.stranger ? 'none' : null;
}

const lacksScope = (): Reply =>
  fail(
    403,
    'token does not have at least one of required scope(s), required=[write:repository], token scope=read:repository',
  );

/** The rest of the path after one of its parts. */
const after = (path: string, part: string): string =>
  path
    .slice(path.indexOf(part) + part.length)
    .split('/')
    .map(decodeURIComponent)
    .join('/');

const toBranch = (name: string, tip: string, { state }: Asked): Json => ({
  name,
  commit: { id: tip },
  protected: state.isProtected.has(name),
});

async function getBranch(asked: Asked): Promise<Reply> {
  const name = after(asked.path, '/branches/');
  const tip = await asked.git.tip(name);
  return tip === null ? notFound() : { status: 200, body: toBranch(name, tip, asked) };
}

const SIZE = { name: 'limit', usual: 30, most: 50 };

async function listBranches(asked: Asked): Promise<Reply> {
  const all = [...(await asked.git.branches())];
  const { items, headers } = pageOf(all, asked.query, SIZE, `${asked.origin}${asked.path}`);
  return { status: 200, headers, body: items.map(([name, tip]) => toBranch(name, tip, asked)) };
}

async function compare({ path, git }: Asked): Promise<Reply> {
  const [base = '', head = ''] = after(path, '/compare/').split('...');
  if ((await git.tip(base)) === null || (await git.tip(head)) === null) return notFound();
  const commits = await git.commits(base, head);
  return {
    status: 200,
    body: { total_commits: commits.length, commits: commits.map((sha) => ({ sha })) },
  };
}

async function listPulls(forge: Forge, asked: Asked): Promise<Reply> {
  const { query, state, origin, path } = asked;
  const wanted = query.get('state') ?? 'open';
  const rows = state.rows.filter((row) => wanted === 'all' || (row.state === 'open') === (wanted === 'open'));
  const { items, headers } = pageOf(rows.toReversed(), query, SIZE, `${origin}${path}`);
  const body = await Promise.all(items.map((row) => toPull(forge, asked, row)));
  return { status: 200, headers, body };
}

/** The first that there is, whatever its state. */
async function findByBranches(forge: Forge, asked: Asked): Promise<Reply> {
  const [base = ''] = asked.path.slice(asked.path.indexOf('/pulls/') + '/pulls/'.length).split('/');
  const head = after(asked.path, `/pulls/${base}/`);
  const row = asked.state.rows.find(
    (one) => one.fork === null && one.head === head && one.base === decodeURIComponent(base),
  );
  return row === undefined ? notFound() : { status: 200, body: await toPull(forge, asked, row) };
}

async function create(forge: Forge, asked: Asked, access: Access): Promise<Reply> {
  const { state, git, mutation } = asked;
  const { title = '', head = '', base = '', body = '' } = asked.body as Record<string, string>;
  if (access !== 'write') return lacksScope();
  if (state.isArchived) return fail(423, `${forge.repository} is archived`);
  if (head === base)
    return fail(422, 'Invalid PullRequest: There are no changes between the head and the base');
  const tip = await git.tip(head);
  if (tip === null || (await git.tip(base)) === null) return notFound();
  const other = state.rows.find(
    (row) => row.state === 'open' && row.fork === null && row.head === head && row.base === base,
  );
  if (other !== undefined && mutation !== 'no-duplicate-check') {
    return fail(
      409,
      `pull request already exists for these targets [id: ${other.number}, issue_id: ${other.number}, head_repo_id: 1, base_repo_id: 1, head_branch: ${head}, base_branch: ${base}]`,
    );
  }
  // It is created even without commits, and a long title is truncated silently.
  const cut = Array.from(title).slice(0, 255).join('');
  const number = addRow(state, { title: cut, body, head, base, draft: isDraft(cut), headCommit: tip });
  const created = await toPull(forge, asked, state.rows[number - 1] as PullRow);
  if (mutation === 'wrong-type') created.number = String(number);
  return { status: mutation === 'wrong-status' ? 200 : 201, body: created };
}

async function update(forge: Forge, asked: Asked, access: Access, row: PullRow): Promise<Reply> {
  if (access !== 'write') return lacksScope();
  const { title, body, state } = asked.body as Record<string, string | undefined>;
  if (title !== undefined && title !== '') Object.assign(row, { title, draft: isDraft(title) });
  if (body !== undefined) row.body = body;
  if (state === 'closed' && row.state === 'open') row.state = 'closed';
  return { status: 201, body: await toPull(forge, asked, row) };
}

/** As it is set up: WORK_IN_PROGRESS_PREFIXES. */
function isDraft(title: string): boolean {
  return /^(?:wip:|\[wip\])/i.test(title);
}

async function toRepository(_forge: Forge, { git, state }: Asked, fullName: string): Promise<Json> {
  return {
    name: fullName.split('/')[1] ?? '',
    full_name: fullName,
    default_branch: await git.defaultBranch(),
    archived: state.isArchived,
  };
}

async function toPull(forge: Forge, asked: Asked, row: PullRow): Promise<Json> {
  const isThere = (await asked.git.tip(row.head)) !== null;
  const at = row.at.toISOString();
  const repo = await toRepository(forge, asked, forge.repository);
  return {
    id: 1000 + row.number,
    number: row.number,
    html_url: `https://gitea.example.com/${forge.repository}/pulls/${row.number}`,
    state: row.state === 'open' ? 'open' : 'closed',
    merged: row.state === 'merged',
    ...(row.state === 'merged' ? { merged_at: at } : {}),
    draft: row.draft,
    title: row.title,
    body: row.body,
    created_at: at,
    head: {
      label: row.head,
      ref: isThere ? row.head : `refs/pull/${row.number}/head`,
      sha: row.headCommit,
      repo_id: row.fork === null ? 1 : 2,
      repo: row.fork === null ? repo : await toRepository(forge, asked, row.fork),
    },
    base: { label: row.base, ref: row.base, sha: (await asked.git.tip(row.base)) ?? '', repo_id: 1, repo },
  };
}
