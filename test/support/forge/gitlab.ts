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

interface Forge {
  repository: string;
  tokens: ForgeDouble['tokens'];
}

/** GitLab with one project: merge requests, branches and their protection. */
export async function startGitlabDouble(options: DoubleOptions): Promise<ForgeDouble> {
  const file = new URL('openapi/gitlab.json', import.meta.url);
  const { check } = readApi(file);
  const suffix = randomBytes(9).toString('hex');
  const tokens = { write: `glpat-w${suffix}`, read: `glpat-r${suffix}`, stranger: `glpat-s${suffix}` };
  const { repository } = options;
  return startDouble(
    {
      kind: 'gitlab',
      basePath: '/api/v4',
      check,
      tokens,
      settings: (apiUrl, token) => ({ kind: 'gitlab', apiUrl, repository, token }),
      closesWithBranch: false,
      answer: (asked) => answer({ repository, tokens }, asked),
      limit: (retryAfter) => ({
        status: 429,
        headers: retryAfter === null ? {} : { 'retry-after': String(retryAfter) },
        body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
      }),
    },
    options,
  );
}

const fail = (status: number, message: unknown): Reply => ({ status, body: { message } });

async function answer(forge: Forge, asked: Asked): Promise<Reply> {
  const access = accessOf(forge, asked);
  if (access === null) return fail(401, '401 Unauthorized');
  const [, , project = '', , id] = asked.path.split('/').map(decodeURIComponent);
  if (access === 'none' || (project !== forge.repository && project !== '1'))
    return fail(404, '404 Project Not Found');
  const row = asked.state.rows.find(({ number }) => number === Number(id));
  switch (asked.operation) {
    case 'GET /projects/{id}':
      return { status: 200, body: await toProject(forge, asked) };
    case 'GET /projects/{id}/repository/branches/{branch}':
      return getBranch(asked);
    case 'GET /projects/{id}/repository/commits':
      return listCommits(asked);
    case 'GET /projects/{id}/protected_branches':
      return listProtected(asked);
    case 'GET /projects/{id}/merge_requests':
      return list(forge, asked);
    case 'POST /projects/{id}/merge_requests':
      return create(forge, asked, access);
    case 'GET /projects/{id}/merge_requests/{merge_request_iid}':
      return row === undefined
        ? fail(404, '404 Not found')
        : { status: 200, body: toFull(forge, asked, row) };
    case 'PUT /projects/{id}/merge_requests/{merge_request_iid}':
      return row === undefined ? fail(404, '404 Not found') : update(forge, asked, access, row);
    case 'POST /projects/{id}/statuses/{sha}':
      return createStatus(asked, access);
    case 'GET /projects/{id}/merge_requests/{merge_request_iid}/notes':
      return row === undefined ? fail(404, '404 Not found') : listNotes(asked, row);
    case 'POST /projects/{id}/merge_requests/{merge_request_iid}/notes':
      return row === undefined ? fail(404, '404 Not found') : createNote(asked, access, row);
    case 'PUT /projects/{id}/merge_requests/{merge_request_iid}/notes/{note_id}':
      return editNote(asked, access);
    default:
      return { status: 404, body: { error: '404 Not Found' } };
  }
}

async function createStatus(asked: Asked, access: Access): Promise<Reply> {
  const { state = '', name = 'default', description = '', target_url } = asked.body as Record<string, string>;
  const commit = asked.path.split('/').at(-1) ?? '';
  if (access !== 'write') return lacksScope();
  if (![...(await asked.git.branches()).values()].includes(commit)) return fail(404, '404 Commit Not Found');
  const known = asked.state.statuses.find((one) => one.commit === commit && one.context === name);
  if (known?.state === state)
    return fail(
      400,
      `Cannot transition status via :enqueue from :${state} (Reason(s): Status cannot transition via "enqueue")`,
    );
  const url = target_url ?? null;
  setStatus(asked.state, { commit, context: name, state, description, url });
  return { status: 201, body: { id: 1, sha: commit, status: state, name, description, target_url: url } };
}

const toNote = ({ id, body }: CommentRow): Json => ({ id, body, system: false });

function listNotes({ state, query, origin, path }: Asked, row: PullRow): Reply {
  const all = state.comments.filter(({ pull }) => pull === row.number);
  // The newest first unless the request asks for another order.
  const ordered = query.get('sort') === 'asc' ? all : all.toReversed();
  const size = { name: 'per_page', usual: 20, most: 100 };
  const { items, headers } = pageOf(ordered, query, size, `${origin}${path}`);
  return { status: 200, headers, body: items.map(toNote) };
}

function createNote({ body, state }: Asked, access: Access, row: PullRow): Reply {
  if (access !== 'write') return lacksScope();
  const { body: text = '' } = body as Record<string, string>;
  return { status: 201, body: toNote(addComment(state, row.number, text)) };
}

function editNote({ body, path, state }: Asked, access: Access): Reply {
  const comment = state.comments.find(({ id }) => id === Number(path.split('/').at(-1)));
  if (comment === undefined) return fail(404, '404 Not found');
  if (access !== 'write') return lacksScope();
  comment.body = (body as Record<string, string>).body ?? '';
  return { status: 200, body: toNote(comment) };
}

/** Null: no valid credential. */
function accessOf({ tokens }: Forge, { headers }: Asked): Access | null {
  const bearer = /^bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const token = bearer ?? headers['private-token'];
  if (token === tokens.write) return 'write';
  if (token === tokens.read) return 'read';
  return token === tokens.stranger ? 'none' : null;
}

const lacksScope = (): Reply => ({
  status: 403,
  body: {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: 'api',
  },
});

async function getBranch({ path, git, state }: Asked): Promise<Reply> {
  const name = decodeURIComponent(path.split('/').at(-1) ?? '');
  const tip = await git.tip(name);
  if (tip === null) return fail(404, '404 Branch Not Found');
  return {
    status: 200,
    body: { name, commit: { id: tip, short_id: tip.slice(0, 8) }, protected: state.isProtected.has(name) },
  };
}

async function listCommits({ query, git }: Asked): Promise<Reply> {
  const [base = '', head = ''] = (query.get('ref_name') ?? '').split('..');
  const all = await git.commits(base, head);
  const { items } = pageOf(all, query, { name: 'per_page', usual: 20, most: 100 }, '');
  return { status: 200, body: items.map((id) => ({ id, short_id: id.slice(0, 8) })) };
}

function listProtected({ query, state, origin, path }: Asked): Reply {
  const size = { name: 'per_page', usual: 20, most: 100 };
  const { items, headers } = pageOf([...state.isProtected].sort(), query, size, `${origin}${path}`);
  return { status: 200, headers, body: items.map((name, index) => ({ id: index + 1, name })) };
}

const STATES = { open: 'opened', merged: 'merged', closed: 'closed' };

function list(forge: Forge, asked: Asked): Reply {
  const { query, state, origin, path } = asked;
  const wanted = query.get('state') ?? 'all';
  const branch = query.get('source_branch');
  let rows = state.rows.filter((row) => wanted === 'all' || STATES[row.state] === wanted);
  if (branch !== null) rows = rows.filter((row) => row.head === branch);
  if (query.get('sort') !== 'asc') rows = rows.toReversed();
  const size = { name: 'per_page', usual: 20, most: 100 };
  const { items, headers } = pageOf(rows, query, size, `${origin}${path}`);
  return { status: 200, headers, body: items.map((row) => toBasic(forge, asked, row)) };
}

async function create(forge: Forge, asked: Asked, access: Access): Promise<Reply> {
  const { state, git, mutation } = asked;
  const {
    title = '',
    source_branch = '',
    target_branch = '',
    description = '',
  } = asked.body as Record<string, string>;
  if (access !== 'write') return lacksScope();
  if (state.isArchived) return fail(403, '403 Forbidden');
  if (source_branch === target_branch)
    return { status: 422, body: { error: ["You can't use same project/branch for source and target"] } };
  const tip = await git.tip(source_branch);
  if (tip === null) return fail(400, { source_branch: ['does not exist'] });
  if ((await git.tip(target_branch)) === null) return fail(400, { target_branch: ['does not exist'] });
  if (Array.from(title).length > 255)
    return fail(400, { title: ['is too long (maximum is 255 characters)'] });
  const other = state.rows.find(
    (row) =>
      row.state === 'open' && row.fork === null && row.head === source_branch && row.base === target_branch,
  );
  if (other !== undefined && mutation !== 'no-duplicate-check')
    return fail(409, [`Another open merge request already exists for this source branch: !${other.number}`]);
  // Without commits it is created all the same.
  const number = addRow(state, {
    title,
    body: description,
    head: source_branch,
    base: target_branch,
    draft: isDraft(title),
    headCommit: tip,
  });
  const body = toFull(forge, asked, state.rows[number - 1] as PullRow);
  if (mutation === 'wrong-type') body.iid = String(number);
  return { status: mutation === 'wrong-status' ? 200 : 201, body };
}

function update(forge: Forge, asked: Asked, access: Access, row: PullRow): Reply {
  if (access !== 'write') return lacksScope();
  if (asked.state.isArchived) return fail(403, '403 Forbidden');
  const { title, description, state_event } = asked.body as Record<string, string | undefined>;
  if (title !== undefined) Object.assign(row, { title, draft: isDraft(title) });
  if (description !== undefined) row.body = description;
  if (state_event === 'close' && row.state === 'open') row.state = 'closed';
  return { status: 200, body: toFull(forge, asked, row) };
}

/** Brackets and parentheses mark drafts too. */
function isDraft(title: string): boolean {
  return /^\s*(?:\[draft\]|\(draft\)|draft:)/i.test(title);
}

async function toProject({ repository }: Forge, { git, state }: Asked): Promise<Json> {
  return {
    id: 1,
    path_with_namespace: repository,
    default_branch: await git.defaultBranch(),
    archived: state.isArchived,
    web_url: `https://gitlab.example.com/${repository}`,
  };
}

function toBasic({ repository }: Forge, _asked: Asked, row: PullRow): Json {
  const at = row.at.toISOString();
  return {
    id: 1000 + row.number,
    iid: row.number,
    project_id: 1,
    title: row.title,
    description: row.body === '' ? null : row.body,
    state: STATES[row.state],
    created_at: at,
    updated_at: at,
    merged_at: row.state === 'merged' ? at : null,
    closed_at: row.state === 'closed' ? at : null,
    source_branch: row.head,
    target_branch: row.base,
    source_project_id: row.fork === null ? 1 : 2,
    target_project_id: 1,
    draft: row.draft,
    work_in_progress: row.draft,
    sha: row.headCommit,
    web_url: `https://gitlab.example.com/${repository}/-/merge_requests/${row.number}`,
  };
}

function toFull(forge: Forge, asked: Asked, row: PullRow): Json {
  return { ...toBasic(forge, asked, row), subscribed: true, merge_error: null };
}
