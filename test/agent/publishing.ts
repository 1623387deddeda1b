import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { branchName } from '../../apps/server/src/agent/publish/branch-name.ts';
import {
  type PublishAdapters,
  type Published,
  type PublishRequest,
  publishChanges,
} from '../../apps/server/src/agent/publish/publish.ts';
import type { JobPullRequest } from '../../apps/server/src/agent/record.ts';
import type { Change } from '../../apps/server/src/agent/workspace/workspace.ts';
import { createForge } from '../../apps/server/src/platform/forge/forge.ts';
import type { Forge } from '../../apps/server/src/platform/forge/port.ts';
import { openRemote } from '../../apps/server/src/platform/git/open-remote.ts';
import { DEFAULT_GIT_LIMITS } from '../../apps/server/src/platform/git/policy.ts';
import type { GitRemote } from '../../apps/server/src/platform/git/remote.ts';
import { treeOf } from '../support/docs-tree.ts';
import type { DoubleOptions, ForgeDouble } from '../support/forge/double.ts';
import { startGithubDouble } from '../support/forge/github.ts';
import { type GitServer, type GitServerOptions, startGitServer } from '../support/git-server.ts';

const run = promisify(execFile);
const REPOSITORY = 'acme/docs';

const SECRETS = ['sk-live-own-secret-value'];

export const START = 'one\ntwo\nthree\nfour\nfive\n';

/** What a job's row keeps between attempts. */
export interface Row extends Pick<PublishRequest, 'commitSha' | 'pushedSha'> {
  jobId: string;
  /** The fence: a save of an attempt that is not the latest fails. */
  attempt: number;
  branch: string;
  baseCommit: string;
  changes: Change[];
  title: string;
  summary: string;
  commitAt: Date;
  pullRequests: JobPullRequest[];
}

/** A worker that has lost the job. */
export class Lost extends Error {}
/** A worker that was killed. */
export class Died extends Error {}

/** A repository on a real Git server with a forge beside it, and jobs that publish to both. */
export interface Stage {
  server: GitServer;
  double: ForgeDouble;
  forge: Forge;
  /** Tip of `main` at the start. */
  base: string;
  signal: AbortSignal;
  /** What happens to the next requests to Git. */
  intercept: { current: GitServerOptions['intercept'] };
  git(...args: string[]): Promise<string>;
  refs(): Promise<Map<string, string>>;
  /** Text of a file of a branch or commit; null if it does not exist. */
  text(ref: string, path: string): Promise<string | null>;
  /** A person clones, commits on a branch and pushes. */
  person(
    branch: string,
    files: Record<string, string>,
    options?: { onto?: string; force?: boolean },
  ): Promise<string>;
  row(changes: Record<string, string | null>, more?: Partial<Row>): Row;
  open(): Promise<GitRemote>;
  close(): Promise<void>;
}

export async function setStage(
  startDouble: (options: DoubleOptions) => Promise<ForgeDouble> = startGithubDouble,
): Promise<Stage> {
  const intercept: Stage['intercept'] = { current: undefined };
  const server = await startGitServer({
    intercept: (request, response) => intercept.current?.(request, response) ?? false,
  });
  const bare = `${REPOSITORY}.git`;
  const base = await server.commit(bare, [
    { path: 'docs/start.mdx', content: START },
    { path: 'docs/other.mdx', content: START },
    { path: 'README.md', content: 'about' },
  ]);
  await server.commit(bare, [{ path: 'x', content: 'x' }], { ref: 'refs/heads/people', at: 1, tag: 'v1' });
  const double = await startDouble({ gitRoot: server.root, repository: REPOSITORY });
  const forge = createForge(double.settings(), {
    fetch,
    now: () => new Date(),
    wait: async (_milliseconds, signal) => signal.throwIfAborted(),
  });
  const folder = await mkdtemp(join(tmpdir(), 'offprint-publishing-'));
  const { signal } = new AbortController();
  const env = { PATH: process.env.PATH ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', [`--git-dir=${join(server.root, bare)}`, ...args], { env })).stdout;
  let counter = 0;
  return {
    server,
    double,
    forge,
    base,
    signal,
    intercept,
    git,
    async refs() {
      const lines = (await git('for-each-ref', '--format=%(refname) %(objectname)')).trim().split('\n');
      return new Map(lines.map((line) => line.split(' ') as [string, string]));
    },
    text: (ref, path) => git('cat-file', 'blob', `${ref}:${path}`).catch(() => null),
    async person(branch, files, { onto = branch, force = false } = {}) {
      const clone = join(folder, `clone-${counter++}`);
      const inClone = async (...args: string[]): Promise<string> =>
        (
          await run('git', ['-C', clone, '-c', 'user.name=P', '-c', 'user.email=p@example.com', ...args], {
            env,
          })
        ).stdout;
      await run('git', ['clone', '-q', '--no-checkout', `${server.url}/${bare}`, clone], { env });
      await inClone('checkout', '-q', '-B', branch, `origin/${onto}`);
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(clone, path)), { recursive: true });
        await writeFile(join(clone, path), text);
      }
      await inClone('add', '-A');
      await inClone('commit', '-q', '-m', 'By a person');
      await inClone('push', '-q', ...(force ? ['--force'] : []), 'origin', branch);
      return (await inClone('rev-parse', 'HEAD')).trim();
    },
    row(changes, more = {}) {
      const jobId = more.jobId ?? `agt_${String(++counter).padStart(8, '0')}${'f'.repeat(24)}`;
      const title = more.title ?? 'Describe the start';
      return {
        jobId,
        attempt: 1,
        branch: branchName('offprint/', title, jobId, 1, SECRETS),
        baseCommit: base,
        changes: changesOf(changes),
        title,
        summary: 'The page **start** says more.',
        commitAt: new Date('2026-02-03T04:05:06.789Z'),
        commitSha: null,
        pushedSha: null,
        pullRequests: [],
        ...more,
      };
    },
    open: () =>
      openRemote(
        {
          repository: `${server.url}/${bare}`,
          credential: async () => null,
          policy: { allowPrivate: true, allowedHosts: [], allowHttp: ['*'] },
          limits: { ...DEFAULT_GIT_LIMITS, timeoutMs: 30_000 },
          folder,
        },
        signal,
      ),
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
      await double.close();
    },
  };
}

export function changesOf(texts: Record<string, string | null>): Change[] {
  return Object.entries(texts).map(([path, after]) => {
    const isThere = path === 'start.mdx' || path === 'other.mdx';
    const kind = after === null ? 'deleted' : isThere ? 'modified' : 'added';
    return { path, kind, before: isThere ? START : null, after };
  });
}

export function requestOf(row: Row, more: Partial<PublishRequest> = {}): PublishRequest {
  const { attempt: _attempt, ...kept } = row;
  return {
    ...kept,
    turnTitle: row.title,
    base: treeOf({ 'docs.json': '{}', 'start.mdx': START, 'other.mdx': START }),
    held: [],
    findings: { shown: [], total: 0 },
    policy: { docsFolder: 'docs', allow: [] },
    baseBranch: 'main',
    branchPrefix: 'offprint/',
    isUnchecked: false,
    draft: false,
    reasons: [],
    footer: ['Checks: 0 new problems, 1 fixed.'],
    author: { name: 'Offprint', email: 'agent@example.com' },
    secrets: SECRETS,
    ...more,
  };
}

/** Stands around each effect of a publication; throws to end the worker there. */
export type Around = (name: string, effect: () => Promise<unknown>) => Promise<unknown>;

/** What one worker publishes with: a fresh clone, and a journal that writes to the row under its fence. */
export async function workerOf(
  stage: Stage,
  row: Row,
  around: Around = (_name, effect) => effect(),
  forge: Forge = stage.forge,
): Promise<PublishAdapters & { close(): Promise<void> }> {
  const { attempt } = row;
  const remote = await stage.open();
  const wrap =
    <Args extends unknown[], Result>(name: string, effect: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      around(name, () => effect(...args)) as Promise<Result>;
  const save = async (change: Partial<Row>): Promise<void> => {
    if (row.attempt !== attempt) throw new Lost('another worker has the job');
    Object.assign(row, change);
  };
  return {
    remote: { ...remote, push: wrap('push', remote.push) },
    forge: {
      ...forge,
      createPullRequest: wrap('create', forge.createPullRequest),
      updatePullRequest: wrap('update', forge.updatePullRequest),
    },
    journal: {
      saveCommit: wrap('saveCommit', (commitSha: string) => save({ commitSha })),
      savePushed: wrap('savePushed', (pushedSha: string) => save({ pushedSha })),
      savePullRequest: wrap('savePullRequest', (one: JobPullRequest) =>
        save({ pullRequests: [...row.pullRequests.filter(({ url }) => url !== one.url), one] }),
      ),
    },
    signal: stage.signal,
    close: remote.close,
  };
}

/** One attempt of a worker that takes the job and publishes it. */
export async function publish(
  stage: Stage,
  row: Row,
  options: { more?: Partial<PublishRequest>; around?: Around; forge?: Forge } = {},
): Promise<Published> {
  row.attempt += 1;
  const worker = await workerOf(stage, row, options.around, options.forge);
  try {
    return await publishChanges(requestOf(row, options.more), worker);
  } finally {
    await worker.close();
  }
}

/** The next turn of a job: everything it wants now, against the same base. */
export function nextTurn(row: Row, changes: Record<string, string | null>, title = row.title): void {
  row.changes = changesOf(changes);
  row.title = title;
  row.commitAt = new Date(row.commitAt.getTime() + 3_600_000);
}
