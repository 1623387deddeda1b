import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createForge } from '../../../apps/server/src/platform/forge/forge.ts';
import { startGitServer } from '../git-server.ts';
import type { DoubleGround } from './contract.ts';
import type { DoubleOptions, ForgeDouble } from './double.ts';

export interface DoubleStage extends DoubleGround {
  /** Rejects if a request or a response violated the API description. */
  stop(): Promise<void>;
}

const run = promisify(execFile);

/** A double beside the Git server of its repository, and our client before both. */
export async function setStage(
  start: (options: DoubleOptions) => Promise<ForgeDouble>,
  options: {
    mutation?: DoubleOptions['mutation'];
    /** Used by our client for requests to the double. */
    fetch?: typeof fetch;
    repository?: string;
  } = {},
): Promise<DoubleStage> {
  const server = await startGitServer();
  const repository = options.repository ?? 'acme/docs';
  const bare = `${repository}.git`;
  const base = await server.commit(bare, [{ path: 'index.mdx', content: '# Start' }]);
  const double = await start({
    gitRoot: server.root,
    repository,
    ...(options.mutation === undefined ? {} : { mutation: options.mutation }),
  });
  const folder = await mkdtemp(join(tmpdir(), 'offprint-forge-'));
  let counter = 0;
  const clientFor = (token?: string) =>
    createForge(double.settings(token), {
      fetch: options.fetch ?? fetch,
      now: () => new Date(),
      // Waits are asked for, not slept.
      wait: async (_milliseconds, signal) => signal.throwIfAborted(),
    });
  return {
    double,
    forge: clientFor(),
    base: 'main',
    withToken: clientFor,
    newBranch: () => {
      counter += 1;
      return `offprint/page-${counter}-x.y_z`;
    },
    async push(branch) {
      counter += 1;
      const parent = (await double.git.tip(branch)) ?? base;
      const entries = [{ path: `page-${counter}.mdx`, content: `# ${counter}` }];
      return server.commit(bare, entries, { ref: `refs/heads/${branch}`, parent });
    },
    pushEmpty: (...branches) => double.git.createBranches(branches, base),
    async pushTo(branch, what = 'commit') {
      const clone = join(folder, `clone-${counter}`);
      counter += 1;
      await run('git', ['clone', '-q', `${server.url}/${bare}`, clone]);
      const git = (...args: string[]) => run('git', ['-C', clone, ...args]);
      const person = ['-c', 'user.name=Bot', '-c', 'user.email=bot@example.com'];
      await git(...person, 'commit', '-q', '--allow-empty', '-m', 'More');
      return git('push', '-q', 'origin', `${what === 'delete' ? '' : 'HEAD'}:refs/heads/${branch}`).then(
        () => true,
        () => false,
      );
    },
    merge: (number) => double.merge(number),
    close: async (number) => double.closePull(number),
    async stop() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
      await double.close();
    },
  };
}
