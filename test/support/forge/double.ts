import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ForgeApiSettings } from '../../../apps/server/src/platform/forge/port.ts';
import type { ApiCheck } from '../openapi/check.ts';
import { atThisMoment, type BareRepository, openBareRepository } from './repository.ts';

/** A defect introduced into a double, to verify that the suite detects it. */
export type Mutation = 'no-duplicate-check' | 'wrong-status' | 'wrong-type';

export interface DoubleOptions {
  /** Folder of the bare repositories that git pushes to (`GitServer.root`). */
  gitRoot: string;
  /** `owner/name`; its bare repository is below `gitRoot` under that name, with or without `.git`. */
  repository: string;
  /** Serves https: with this key and certificate (PEM). */
  tls?: { key: string; cert: string };
  mutation?: Mutation;
}

/** A pull request, all that a double keeps: branches and commits are those of the repository. */
export interface PullRow {
  number: number;
  state: 'open' | 'merged' | 'closed';
  draft: boolean;
  /** As stored, with the mark of drafts where the forge has one. */
  title: string;
  body: string;
  head: string;
  base: string;
  /** `owner/name` of the fork that it comes from; null for this repository. */
  fork: string | null;
  /** Where the head was when it was last seen. */
  headCommit: string;
  at: Date;
}

/** A status of a commit; the last one of a context counts. */
export interface StatusRow {
  commit: string;
  context: string;
  /** In the words of the forge. */
  state: string;
  description: string;
  url: string | null;
}

/** A comment on a pull request. */
export interface CommentRow {
  id: number;
  pull: number;
  body: string;
}

export interface SeenRequest {
  method: string;
  /** Below the API's address. */
  path: string;
  query: Record<string, string>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
  /** Of the response; 0 if it was lost. */
  status: number;
}

export interface Failure {
  /**
   * `lost-answer`: the request is executed, and the connection breaks before the response; `broken`: it breaks at once;
   * a number: this status instead, without effect; `limit`: rate limited, with `retryAfter` seconds; `late`: what
   * was pushed is not visible yet, only the default branch is
   */
  kind: 'lost-answer' | 'broken' | 'limit' | 'late' | number;
  /** Methods that fail; default all. */
  methods?: readonly string[];
  /** How often; default once. */
  times?: number;
  /** Seconds, as the header says. */
  retryAfter?: number;
}

export interface ForgeDouble {
  kind: 'github' | 'gitlab' | 'gitea';
  /** As a project's settings have it. */
  apiUrl: string;
  repository: string;
  git: BareRepository;
  /** Of somebody who may do everything, only read, or see nothing of this repository. */
  tokens: { write: string; read: string; stranger: string };
  settings(token?: string): ForgeApiSettings;
  rows(): readonly Readonly<PullRow>[];
  statuses(): readonly Readonly<StatusRow>[];
  comments(): readonly Readonly<CommentRow>[];
  /** A comment of somebody else. Returns its id. */
  addComment(pull: number, body: string): number;
  removeComment(id: number): void;
  requests(): readonly SeenRequest[];
  /** Requests and responses that the official description of the API does not allow; reading clears them. */
  takeViolations(): string[];
  fail(failure: Failure): void;
  merge(number: number, options?: { deleteBranch?: boolean }): Promise<void>;
  closePull(number: number): void;
  /** An open pull request of a fork (default: of somebody else) whose branch has this name. */
  addFork(branch: string, fork?: string): Promise<number>;
  /** Closed pull requests of other branches, to fill pages. */
  addClosed(count: number): void;
  /** Protects branches like a forge: the API reports them, and pushes are refused. */
  protect(...branches: string[]): Promise<void>;
  archive(): void;
  forbidDrafts(): void;
  /** Rejects when there were violations. */
  close(): Promise<void>;
}

export interface State {
  rows: PullRow[];
  statuses: StatusRow[];
  comments: CommentRow[];
  isProtected: Set<string>;
  isArchived: boolean;
  hasDrafts: boolean;
}

export type Access = 'write' | 'read' | 'none';

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface Asked {
  /** Method and path of the operation by the description. */
  operation: string | null;
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: IncomingMessage['headers'];
  state: State;
  git: BareRepository;
  mutation: Mutation | null;
  /** Of this server, such as `http://127.0.0.1:1234`. */
  origin: string;
}

/** What makes a server this forge. */
export interface ForgeRules {
  kind: ForgeDouble['kind'];
  basePath: string;
  check: ApiCheck;
  tokens: ForgeDouble['tokens'];
  settings(apiUrl: string, token: string): ForgeApiSettings;
  answer(asked: Asked): Promise<Reply>;
  /** The response to a request beyond the rate limit. */
  limit(retryAfter: number | null): Reply;
  /** Whether a deleted branch closes its pull request. */
  closesWithBranch: boolean;
  /** Paths that no description has. */
  isUndescribed?(path: string): boolean;
}

const MAX_BODY = 4 * 2 ** 20;

/** Serves one forge with one repository on a free loopback port. */
export async function startDouble(rules: ForgeRules, options: DoubleOptions): Promise<ForgeDouble> {
  const git = openBareRepository(options.gitRoot, options.repository);
  const state: State = {
    rows: [],
    statuses: [],
    comments: [],
    isProtected: new Set(),
    isArchived: false,
    hasDrafts: true,
  };
  const seen: SeenRequest[] = [];
  const violations: string[] = [];
  const failures: (Failure & { times: number })[] = [];
  let origin = '';
  // One at a time, as a database would.
  let turn: Promise<unknown> = Promise.resolve();

  const takeFailure = (method: string): Failure | undefined => {
    const due = failures.find(({ times, methods }) => times > 0 && (methods?.includes(method) ?? true));
    if (due !== undefined) due.times -= 1;
    return due;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', origin);
    const isApi = url.pathname.startsWith(`${rules.basePath}/`);
    const path = isApi ? url.pathname.slice(rules.basePath.length) : url.pathname;
    const method = request.method ?? 'GET';
    const body = await readBody(request);
    const failure = takeFailure(method);
    const isDescribed = !(rules.isUndescribed?.(path) ?? false);
    if (isDescribed)
      violations.push(...rules.check.checkRequest({ method, path, query: url.searchParams, body }));
    const note = (status: number): void => {
      const { headers } = request;
      seen.push({ method, path, query: Object.fromEntries(url.searchParams), headers, body, status });
    };
    if (failure?.kind === 'broken' || typeof failure?.kind === 'number') {
      note(failure.kind === 'broken' ? 0 : failure.kind);
      breakDown(failure, response);
      return;
    }
    const work = async (): Promise<Reply> => {
      const now = atThisMoment(git, failure?.kind === 'late');
      await refresh(git);
      return rules.answer({
        operation: rules.check.operationOf(method, path),
        method,
        path,
        query: url.searchParams,
        body,
        headers: request.headers,
        state,
        git: now,
        mutation: options.mutation ?? null,
        origin,
      });
    };
    const limit = failure?.kind === 'limit' ? rules.limit(failure.retryAfter ?? null) : null;
    const next = limit === null ? turn.then(work) : Promise.resolve(limit);
    turn = next.catch(() => undefined);
    const reply = await next;
    if (failure?.kind === 'lost-answer') {
      note(0);
      request.socket.destroy();
      return;
    }
    if (isDescribed) violations.push(...rules.check.checkResponse(method, path, reply.status, reply.body));
    note(reply.status);
    response.writeHead(reply.status, { 'content-type': 'application/json; charset=utf-8', ...reply.headers });
    response.end(reply.body === null ? '' : JSON.stringify(reply.body));
  };

  /** Heads of open pull requests move with their branches. */
  const refresh = async (now: BareRepository): Promise<void> => {
    const tips = await now.branches();
    for (const row of state.rows) {
      if (row.state !== 'open' || row.fork !== null) continue;
      const tip = tips.get(row.head);
      if (tip !== undefined) row.headCommit = tip;
      else if (rules.closesWithBranch) row.state = 'closed';
    }
  };

  /** Without having done anything. */
  const breakDown = ({ kind, retryAfter }: Failure, response: ServerResponse): void => {
    if (typeof kind !== 'number') {
      response.destroy();
      return;
    }
    const after = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    response.writeHead(kind, { 'content-type': 'text/html', ...after }).end('<h1>Away</h1>');
  };

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response).catch((error: unknown) => {
      violations.push(`the double failed: ${error instanceof Error ? error.stack : String(error)}`);
      response.destroy();
    });
  };
  const server = options.tls === undefined ? createServer(answer) : createTlsServer(options.tls, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  origin = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const apiUrl = `${origin}${rules.basePath}`;
  const rowOf = (number: number): PullRow => {
    const row = state.rows.find((one) => one.number === number);
    if (row === undefined) throw new Error(`There is no pull request ${number}.`);
    return row;
  };
  const add = (row: Partial<PullRow>): number => addRow(state, { base: 'main', ...row });

  return {
    kind: rules.kind,
    apiUrl,
    repository: options.repository,
    git,
    tokens: rules.tokens,
    settings: (token = rules.tokens.write) => rules.settings(apiUrl, token),
    rows: () => state.rows,
    statuses: () => state.statuses,
    comments: () => state.comments,
    addComment: (pull, body) => addComment(state, pull, body).id,
    removeComment: (id) => {
      state.comments = state.comments.filter((one) => one.id !== id);
    },
    requests: () => seen,
    takeViolations: () => violations.splice(0),
    fail: (failure) => failures.push({ times: 1, ...failure }),
    async merge(number, { deleteBranch = false } = {}) {
      const row = rowOf(number);
      await git.merge(row.base, row.head);
      row.state = 'merged';
      if (deleteBranch) await git.deleteBranch(row.head);
    },
    closePull: (number) => {
      rowOf(number).state = 'closed';
    },
    addFork: async (branch, fork = `somebody/${options.repository.split('/').at(-1)}`) =>
      add({
        head: branch,
        fork,
        title: 'From a fork',
        headCommit: (await git.tip(await git.defaultBranch())) ?? '',
      }),
    addClosed: (count) => {
      for (let index = 0; index < count; index += 1)
        add({ state: 'closed', head: `old/${index}`, title: `Old ${index}`, headCommit: '0'.repeat(40) });
    },
    async protect(...branches) {
      for (const branch of branches) state.isProtected.add(branch);
      await git.refusePushes([...state.isProtected]);
    },
    archive: () => {
      state.isArchived = true;
    },
    forbidDrafts: () => {
      state.hasDrafts = false;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (violations.length > 0)
        throw new Error(`Against the API description of ${rules.kind}:\n${violations.join('\n')}`);
    },
  };
}

/** Stores a pull request under the next number, and returns that. */
export function addRow(state: State, row: Partial<PullRow>): number {
  const number = state.rows.length + 1;
  state.rows.push({
    number,
    state: 'open',
    draft: false,
    title: 'A pull request',
    body: '',
    head: 'branch',
    base: 'main',
    fork: null,
    headCommit: '',
    // A second apart, so that "newest" is unambiguous.
    at: new Date(Date.UTC(2026, 0, 1) + number * 1000),
    ...row,
  });
  return number;
}

/** Stores a comment. */
export function addComment(state: State, pull: number, body: string): CommentRow {
  const row = { id: 500 + state.comments.length + 1, pull, body };
  state.comments.push(row);
  return row;
}

/** Sets the status of a commit in a context. */
export function setStatus(state: State, status: StatusRow): void {
  state.statuses = state.statuses.filter(
    ({ commit, context }) => commit !== status.commit || context !== status.context,
  );
  state.statuses.push(status);
}

/** One page of a list, and what the `link` header says of the next. */
export function pageOf<T>(
  items: readonly T[],
  query: URLSearchParams,
  size: { name: string; usual: number; most: number },
  url: string,
): { items: T[]; headers: Record<string, string> } {
  const per = Math.min(Number(query.get(size.name) ?? size.usual), size.most);
  const page = Number(query.get('page') ?? 1);
  const next = new URLSearchParams(query);
  next.set('page', String(page + 1));
  const hasNext = page * per < items.length;
  return {
    items: items.slice((page - 1) * per, page * per),
    headers: hasNext ? { link: `<${url}?${next}>; rel="next"` } : {},
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error('The request is too large.');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}
