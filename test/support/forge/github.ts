import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import type { ForgeApiSettings } from '../../../apps/server/src/platform/forge/port.ts';
import { readApi } from '../openapi/check.ts';
import type { Json } from '../openapi/cut.ts';
import { sampleOf } from '../openapi/sample.ts';
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

export interface GithubDoubleOptions extends DoubleOptions {
  /** Enterprise Server: its own description, below `/api/v3`. */
  isServer?: boolean;
  /** What the installation of the App was granted; default what a docs agent needs, and more. */
  granted?: Record<string, string>;
  now?: () => Date;
}

/** A token that was given to the App. */
export interface Mint {
  token: string;
  repositories: string[] | null;
  permissions: Record<string, string> | null;
}

export interface GithubDouble extends ForgeDouble {
  app: { appId: string; installationId: string; privateKey: string };
  /** As an App instead of by a token. */
  appSettings(): ForgeApiSettings;
  mints(): readonly Mint[];
}

const DOCS = 'https://docs.github.com/rest';
const GRANTED = {
  contents: 'write',
  pull_requests: 'write',
  metadata: 'read',
  workflows: 'write',
  issues: 'write',
};
let keys: { privateKey: string; publicKey: string } | null = null;

/** GitHub with one repository: pulls, branches, Apps, and the two GraphQL mutations that turn drafts. */
export async function startGithubDouble(options: GithubDoubleOptions): Promise<GithubDouble> {
  const isServer = options.isServer === true;
  const file = new URL(`openapi/${isServer ? 'github-server' : 'github'}.json`, import.meta.url);
  const { document, check } = readApi(file, { errors: '#/components/schemas/basic-error', wide: ['branch'] });
  keys ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const app = { appId: '4711', installationId: '815', privateKey: keys.privateKey };
  const { publicKey } = keys;
  const mints: Mint[] = [];
  const suffix = randomBytes(9).toString('hex');
  const tokens = {
    write: `ghp_write${suffix}`,
    read: `ghp_read${suffix}`,
    stranger: `ghp_stranger${suffix}`,
  };
  const forge: Forge = {
    document,
    repository: options.repository,
    app: { ...app, publicKey, granted: options.granted ?? GRANTED, now: options.now ?? (() => new Date()) },
    tokens,
    mints,
  };
  const settings = (apiUrl: string, token: string): ForgeApiSettings => ({
    kind: 'github',
    apiUrl,
    repository: options.repository,
    auth: { kind: 'token', token },
  });
  const double = await startDouble(
    {
      kind: 'github',
      basePath: isServer ? '/api/v3' : '',
      check,
      tokens,
      settings,
      closesWithBranch: true,
      isUndescribed: (path) => path.endsWith('/graphql'),
      answer: (asked) => answer(forge, asked),
      limit: (retryAfter) => ({
        status: 403,
        headers: retryAfter === null ? {} : { 'retry-after': String(retryAfter) },
        body: {
          message:
            'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
          documentation_url: `${DOCS}/using-the-rest-api/rate-limits-for-the-rest-api`,
        },
      }),
    },
    options,
  );
  return {
    ...double,
    app,
    mints: () => mints,
    appSettings: () => ({
      kind: 'github',
      apiUrl: double.apiUrl,
      repository: options.repository,
      auth: { kind: 'app', ...app },
    }),
  };
}

interface Forge {
  document: Json;
  repository: string;
  app: GithubDouble['app'] & { publicKey: string; granted: Record<string, string>; now: () => Date };
  tokens: ForgeDouble['tokens'];
  mints: Mint[];
}

const fail = (status: number, message: string, more: object = {}): Reply => ({
  status,
  body: { message, documentation_url: DOCS, ...more },
});

const invalid = (error: object): Reply => fail(422, 'Validation Failed', { errors: [error] });

async function answer(forge: Forge, asked: Asked): Promise<Reply> {
  if (asked.headers['user-agent'] === undefined)
    return fail(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
    );
  if (asked.operation === 'POST /app/installations/{installation_id}/access_tokens')
    return mint(forge, asked);
  const access = accessOf(forge, asked);
  if (access === null) return fail(401, 'Bad credentials');
  if (asked.path.endsWith('/graphql')) return graphql(asked, access);
  const [, , owner, name, , number] = asked.path.split('/').map(decodeURIComponent);
  if (access === 'none' || `${owner}/${name}`.toLowerCase() !== forge.repository.toLowerCase())
    return fail(404, 'Not Found');
  const row = asked.state.rows.find((one) => one.number === Number(number));
  switch (asked.operation) {
    case 'GET /repos/{owner}/{repo}':
      return { status: 200, body: await toRepository(forge, asked, 'full-repository', forge.repository) };
    case 'GET /repos/{owner}/{repo}/branches':
      return listBranches(asked);
    case 'GET /repos/{owner}/{repo}/pulls':
      return listPulls(forge, asked);
    case 'POST /repos/{owner}/{repo}/pulls':
      return createPull(forge, asked, access);
    case 'GET /repos/{owner}/{repo}/pulls/{pull_number}':
      if (row === undefined) return fail(404, 'Not Found');
      return { status: 200, body: await toPull(forge, asked, row, 'pull-request') };
    case 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}':
      if (row === undefined) return fail(404, 'Not Found');
      return updatePull(forge, asked, access, row);
    case 'POST /repos/{owner}/{repo}/statuses/{sha}':
      return createStatus(forge, asked, access);
    case 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments':
      return row === undefined ? fail(404, 'Not Found') : listComments(forge, asked, row);
    case 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments':
      return row === undefined ? fail(404, 'Not Found') : createComment(forge, asked, access, row);
    case 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}':
      return editComment(forge, asked, access);
    default:
      return fail(404, 'Not Found');
  }
}

async function createStatus(forge: Forge, asked: Asked, access: Access): Promise<Reply> {
  const { state, context = 'default', description = '', target_url } = asked.body as Record<string, string>;
  const commit = asked.path.split('/').at(-1) ?? '';
  if (access !== 'write') return lacks({ 'x-accepted-github-permissions': 'statuses=write' });
  if (![...(await asked.git.branches()).values()].includes(commit))
    return fail(422, `No commit found for SHA: ${commit}`);
  if (description.length > 140)
    return invalid({ resource: 'Status', code: 'custom', message: 'description is too long' });
  const url = target_url ?? null;
  setStatus(asked.state, { commit, context, state: state ?? '', description, url });
  const sample = sampleOf(forge.document, '#/components/schemas/status');
  return { status: 201, body: { ...sample, state, context, description, target_url: url } };
}

function toComment(forge: Forge, { id, body }: CommentRow): Json {
  const sample = sampleOf(forge.document, '#/components/schemas/issue-comment');
  return { ...sample, id, body };
}

function listComments(forge: Forge, asked: Asked, row: PullRow): Reply {
  const all = asked.state.comments.filter(({ pull }) => pull === row.number);
  const size = { name: 'per_page', usual: 30, most: 100 };
  const { items, headers } = pageOf(all, asked.query, size, `${asked.origin}${asked.path}`);
  return { status: 200, headers, body: items.map((comment) => toComment(forge, comment)) };
}

function createComment(forge: Forge, asked: Asked, access: Access, row: PullRow): Reply {
  const { body = '' } = asked.body as Record<string, string>;
  if (access !== 'write') return lacks();
  if (body.length > 65_536)
    return invalid({ resource: 'IssueComment', code: 'unprocessable', message: 'Body is too long' });
  return { status: 201, body: toComment(forge, addComment(asked.state, row.number, body)) };
}

function editComment(forge: Forge, asked: Asked, access: Access): Reply {
  const { body = '' } = asked.body as Record<string, string>;
  const comment = asked.state.comments.find(({ id }) => id === Number(asked.path.split('/').at(-1)));
  if (comment === undefined) return fail(404, 'Not Found');
  if (access !== 'write') return lacks();
  comment.body = body;
  return { status: 200, body: toComment(forge, comment) };
}

/** Null: no valid credential. */
function accessOf(forge: Forge, { headers }: Asked): Access | null {
  const token = /^(?:bearer|token) (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (token === undefined) return null;
  if (token === forge.tokens.write) return 'write';
  if (token === forge.tokens.read) return 'read';
  if (token === forge.tokens.stranger) return 'none';
  const minted = forge.mints.find((one) => one.token === token);
  if (minted === undefined) return null;
  const name = forge.repository.split('/')[1] ?? '';
  if (minted.repositories !== null && !minted.repositories.includes(name)) return 'none';
  return (minted.permissions ?? forge.app.granted).pull_requests === 'write' ? 'write' : 'read';
}

const lacks = (headers: Record<string, string> = {}): Reply => ({
  ...fail(403, 'Resource not accessible by personal access token'),
  headers: { 'x-accepted-github-permissions': 'pull_requests=write', ...headers },
});

const archived = (): Reply => fail(403, 'Repository was archived so is read-only.');

async function listPulls(forge: Forge, asked: Asked): Promise<Reply> {
  const { query, state } = asked;
  const wanted = query.get('state') ?? 'open';
  const [owner, branch] = (query.get('head') ?? '').split(/:(.*)/s);
  let rows = state.rows.filter((row) => wanted === 'all' || (row.state === 'open') === (wanted === 'open'));
  // A filter without an owner is ignored.
  if (branch !== undefined)
    rows = rows.filter((row) => row.head === branch && ownerOf(forge, row) === owner?.toLowerCase());
  if (query.has('base')) rows = rows.filter((row) => row.base === query.get('base'));
  if (query.get('direction') !== 'asc') rows = rows.toReversed();
  const url = `${asked.origin}${asked.path}`;
  const { items, headers } = pageOf(rows, query, { name: 'per_page', usual: 30, most: 100 }, url);
  const body = await Promise.all(items.map((row) => toPull(forge, asked, row, 'pull-request-simple')));
  return { status: 200, body, headers };
}

const ownerOf = (forge: Forge, row: PullRow): string =>
  ((row.fork ?? forge.repository).split('/')[0] ?? '').toLowerCase();

async function createPull(forge: Forge, asked: Asked, access: Access): Promise<Reply> {
  const { state, git, mutation } = asked;
  const { title, head, base, body, draft } = asked.body as Record<string, string> & { draft?: boolean };
  if (state.isArchived) return archived();
  if (access !== 'write') return lacks();
  const missing = (field: string): Reply => invalid({ resource: 'PullRequest', field, code: 'invalid' });
  if (title === undefined || head === undefined)
    return invalid({ resource: 'PullRequest', code: 'missing_field' });
  const owner = forge.repository.split('/')[0] ?? '';
  const branch = head.startsWith(`${owner}:`) ? head.slice(owner.length + 1) : head;
  if (base === undefined || (await git.tip(base)) === null) return missing('base');
  const tip = await git.tip(branch);
  if (tip === null) return missing('head');
  const custom = (message: string, more: object = {}): Reply =>
    invalid({ resource: 'PullRequest', code: 'custom', message, ...more });
  if (Array.from(title).length > 256)
    return custom('title is too long (maximum is 256 characters)', { resource: 'Issue', field: 'title' });
  if ((await git.commits(base, branch)).length === 0)
    return custom(`No commits between ${base} and ${branch}`);
  const isThere = state.rows.some(
    (row) => row.state === 'open' && row.fork === null && row.head === branch && row.base === base,
  );
  if (isThere && mutation !== 'no-duplicate-check')
    return custom(`A pull request already exists for ${owner}:${branch}.`);
  if (draft === true && !state.hasDrafts)
    return fail(422, 'Draft pull requests are not supported in this repository.');
  const row = { title, body: body ?? '', head: branch, base, draft: draft === true, headCommit: tip };
  const number = addRow(state, row);
  const created = await toPull(forge, asked, state.rows[number - 1] as PullRow, 'pull-request');
  if (mutation === 'wrong-type') created.number = String(number);
  return { status: mutation === 'wrong-status' ? 200 : 201, body: created };
}

async function updatePull(forge: Forge, asked: Asked, access: Access, row: PullRow): Promise<Reply> {
  const { title, body, state } = asked.body as Record<string, string | undefined>;
  if (asked.state.isArchived) return archived();
  if (access !== 'write') return lacks();
  if (title !== undefined) row.title = title;
  if (body !== undefined) row.body = body;
  if (state === 'closed' && row.state === 'open') row.state = 'closed';
  return { status: 200, body: await toPull(forge, asked, row, 'pull-request') };
}

async function listBranches(asked: Asked): Promise<Reply> {
  const { query, state, git, origin, path } = asked;
  const all = [...(await git.branches())].filter(
    ([name]) => query.get('protected') !== 'true' || state.isProtected.has(name),
  );
  const { items, headers } = pageOf(
    all,
    query,
    { name: 'per_page', usual: 30, most: 100 },
    `${origin}${path}`,
  );
  const body = items.map(([name, sha]) => ({
    name,
    commit: { sha, url: `${origin}${path}/${sha}` },
    protected: state.isProtected.has(name),
  }));
  return { status: 200, headers, body };
}

async function toRepository(forge: Forge, asked: Asked, schema: string, fullName: string): Promise<Json> {
  const sample = sampleOf(forge.document, `#/components/schemas/${schema}`);
  const [owner = '', name = ''] = fullName.split('/');
  return {
    ...sample,
    id: fullName === forge.repository ? 1 : 2,
    name,
    full_name: fullName,
    owner: { ...(sample.owner as Json), login: owner },
    html_url: `https://github.example.com/${fullName}`,
    default_branch: await asked.git.defaultBranch(),
    archived: asked.state.isArchived,
  };
}

async function toPull(forge: Forge, asked: Asked, row: PullRow, schema: string): Promise<Json> {
  const sample = sampleOf(forge.document, `#/components/schemas/${schema}`);
  const side = async (of: 'head' | 'base', ref: string, sha: string, fullName: string): Promise<Json> => {
    const owner = fullName.split('/')[0] ?? '';
    const repo = await toRepository(forge, asked, 'repository', fullName);
    const shape = sample[of] as Json;
    return { ...shape, label: `${owner}:${ref}`, ref, sha, repo, user: repo.owner };
  };
  const at = row.at.toISOString();
  return {
    ...sample,
    number: row.number,
    node_id: `PR_${row.number}`,
    html_url: `https://github.example.com/${forge.repository}/pull/${row.number}`,
    state: row.state === 'open' ? 'open' : 'closed',
    ...(schema === 'pull-request' ? { merged: row.state === 'merged' } : {}),
    merged_at: row.state === 'merged' ? at : null,
    closed_at: row.state === 'open' ? null : at,
    draft: row.draft,
    title: row.title,
    body: row.body === '' ? null : row.body,
    created_at: at,
    head: await side('head', row.head, row.headCommit, row.fork ?? forge.repository),
    base: await side('base', row.base, (await asked.git.tip(row.base)) ?? '', forge.repository),
  };
}

function graphql(asked: Asked, access: Access): Reply {
  const { query = '', variables = {} } = asked.body as { query?: string; variables?: { id?: string } };
  const mutation = /(convertPullRequestToDraft|markPullRequestReadyForReview)\(/.exec(query)?.[1];
  const row = asked.state.rows.find(({ number }) => `PR_${number}` === variables.id);
  const refuse = (type: string, message: string): Reply => ({
    status: 200,
    body: { data: mutation === undefined ? null : { [mutation]: null }, errors: [{ type, message }] },
  });
  if (mutation === undefined) return refuse('PARSE', 'Parse error');
  if (row === undefined || access === 'none')
    return refuse('NOT_FOUND', `Could not resolve to a node with the global id of '${variables.id}'.`);
  if (access !== 'write') return refuse('FORBIDDEN', 'Resource not accessible by personal access token');
  const draft = mutation === 'convertPullRequestToDraft';
  if (draft && !asked.state.hasDrafts)
    return refuse('UNPROCESSABLE', 'Draft pull requests are not supported in this repository.');
  row.draft = draft;
  return { status: 200, body: { data: { [mutation]: { pullRequest: { isDraft: draft } } } } };
}

function mint(forge: Forge, { headers, path, body }: Asked): Reply {
  const { app, mints } = forge;
  const jwt = /^bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const fault = jwtFault(jwt, app);
  if (fault !== null) return fail(401, fault);
  if (path.split('/')[3] !== app.installationId) return fail(404, 'Not Found');
  const asked = (body ?? {}) as { repositories?: string[]; permissions?: Record<string, string> };
  const rank = ['read', 'write', 'admin'];
  for (const [name, level] of Object.entries(asked.permissions ?? {})) {
    if (rank.indexOf(level) > rank.indexOf(app.granted[name] ?? ''))
      return fail(422, 'The permissions requested are not granted to this installation.');
  }
  if (asked.repositories?.some((name) => name !== forge.repository.split('/')[1])) {
    return fail(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  }
  const token = `ghs_${randomBytes(18).toString('hex')}`;
  mints.push({ token, repositories: asked.repositories ?? null, permissions: asked.permissions ?? null });
  const expires = new Date(app.now().getTime() + 3_600_000).toISOString();
  return {
    status: 201,
    body: {
      token,
      expires_at: expires,
      permissions: asked.permissions ?? app.granted,
      repository_selection: 'selected',
    },
  };
}

/** What GitHub would say of a token that an App signed; null when it is right. */
function jwtFault(jwt: string, app: Forge['app']): string | null {
  const [head = '', claims = '', signature = ''] = jwt.split('.');
  const decode = (part: string): Json =>
    JSON.parse(Buffer.from(part, 'base64url').toString() || '{}') as Json;
  try {
    const data = Buffer.from(`${head}.${claims}`);
    const key = createPublicKey(app.publicKey);
    if (decode(head).alg !== 'RS256' || !verify('sha256', data, key, Buffer.from(signature, 'base64url')))
      return 'A JSON web token could not be decoded';
    const { iss, iat, exp } = decode(claims) as { iss?: unknown; iat?: unknown; exp?: unknown };
    const now = app.now().getTime() / 1000;
    if (String(iss) !== app.appId) return 'Integration not found';
    if (typeof exp !== 'number' || exp < now) return "'Expiration time' claim ('exp') must be in the future";
    if (exp > now + 600) return "'Expiration time' claim ('exp') is too far in the future";
    if (typeof iat !== 'number' || iat > now)
      return "'Issued at' claim ('iat') must be an Integer in the past";
    return null;
  } catch {
    return 'A JSON web token could not be decoded';
  }
}
