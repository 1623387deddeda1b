import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** The bare repository that git pushes to, as a forge sees it. */
export interface BareRepository {
  gitDir: string;
  /** Null when there is no such branch. */
  tip(branch: string): Promise<string | null>;
  branches(): Promise<Map<string, string>>;
  defaultBranch(): Promise<string>;
  /** Commits of `head` that `base` does not have, newest first. */
  commits(base: string, head: string): Promise<string[]>;
  /** Moves `base` to a merge of both; returns its id. */
  merge(base: string, head: string): Promise<string>;
  createBranches(branches: readonly string[], commit: string): Promise<void>;
  deleteBranch(branch: string): Promise<void>;
  /** Refuses pushes to these branches, as a forge does for protected ones. */
  refusePushes(branches: readonly string[]): Promise<void>;
}

const run = promisify(execFile);

/** `owner/name` below a folder of bare repositories, with or without `.git` at its end. */
export function openBareRepository(gitRoot: string, repository: string): BareRepository {
  const plain = join(gitRoot, repository);
  const gitDir = existsSync(plain) ? plain : `${plain}.git`;
  const git = async (...args: string[]): Promise<string> => {
    const settings = ['-c', 'safe.directory=*', '--git-dir', gitDir];
    const person = { NAME: 'Forge', EMAIL: 'forge@example.com' };
    const env = {
      PATH: process.env.PATH ?? '',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      ...Object.fromEntries(
        Object.entries(person).flatMap(([key, value]) => [
          [`GIT_AUTHOR_${key}`, value],
          [`GIT_COMMITTER_${key}`, value],
        ]),
      ),
    };
    return (await run('git', [...settings, ...args], { env })).stdout.trim();
  };
  const branches = async (): Promise<Map<string, string>> => {
    const lines = await git('for-each-ref', '--format=%(objectname) %(refname:strip=2)', 'refs/heads');
    const rows = lines.split('\n').filter((line) => line !== '');
    return new Map(rows.map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]));
  };
  return {
    gitDir,
    branches,
    tip: async (branch) => (await branches()).get(branch) ?? null,
    defaultBranch: async () =>
      (await readFile(join(gitDir, 'HEAD'), 'utf8')).trim().replace('ref: refs/heads/', ''),
    async commits(base, head) {
      const list = await git('rev-list', `refs/heads/${base}..refs/heads/${head}`);
      return list.split('\n').filter((line) => line !== '');
    },
    async merge(base, head) {
      const [ours, theirs] = [`refs/heads/${base}`, `refs/heads/${head}`];
      const tree = (await git('merge-tree', '--write-tree', ours, theirs)).split('\n')[0] ?? '';
      const message = `Merge ${head} into ${base}`;
      const commit = await git('commit-tree', tree, '-p', ours, '-p', theirs, '-m', message);
      await git('update-ref', ours, commit);
      return commit;
    },
    async createBranches(names, commit) {
      // A command each would take its time with hundreds.
      for (const name of names) {
        await mkdir(dirname(join(gitDir, 'refs', 'heads', name)), { recursive: true });
        await writeFile(join(gitDir, 'refs', 'heads', name), `${commit}\n`);
      }
    },
    deleteBranch: async (branch) => void (await git('update-ref', '-d', `refs/heads/${branch}`)),
    async refusePushes(names) {
      const hook = join(gitDir, 'hooks', 'pre-receive');
      await mkdir(join(gitDir, 'hooks'), { recursive: true });
      const cases = names.map((name) => `    refs/heads/${name}) echo "protected branch" >&2; exit 1 ;;`);
      const text = ['#!/bin/sh', 'while read -r _old _new ref; do', '  case "$ref" in', ...cases];
      await writeFile(hook, [...text, '    *) ;;', '  esac', 'done', ''].join('\n'));
      await chmod(hook, 0o755);
    },
  };
}

/** The same repository with its branches read once, for one response; `isLate` shows the default branch alone. */
export function atThisMoment(git: BareRepository, isLate: boolean): BareRepository {
  let branches: Promise<Map<string, string>> | null = null;
  let defaultBranch: Promise<string> | null = null;
  const read = (): Promise<Map<string, string>> => {
    branches ??= isLate ? onlyDefault(git) : git.branches();
    return branches;
  };
  return {
    ...git,
    branches: read,
    tip: async (branch) => (await read()).get(branch) ?? null,
    defaultBranch: () => {
      defaultBranch ??= git.defaultBranch();
      return defaultBranch;
    },
  };
}

async function onlyDefault(git: BareRepository): Promise<Map<string, string>> {
  const name = await git.defaultBranch();
  return new Map([[name, (await git.tip(name)) ?? '']]);
}
