import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { killWithParentPrefix } from '../sandbox/isolation.ts';
import { GitError } from './error.ts';

/**
 * Settings of every git process. Nothing of the machine, the account or the repository can add to them: no
 * configuration files, hooks, helpers, filters, prompts, redirects, submodules or background work.
 */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.symlinks=false',
  'core.askPass=',
  'core.sshCommand=',
  'core.gitProxy=',
  'credential.helper=',
  'http.followRedirects=false',
  'http.lowSpeedLimit=100',
  'http.lowSpeedTime=60',
  'http.proxy=',
  'protocol.ext.allow=never',
  'protocol.file.allow=never',
  'transfer.fsckObjects=true',
  'transfer.bundleURI=false',
  'fetch.recurseSubmodules=false',
  'fetch.writeCommitGraph=false',
  // Defects of old tools that many real histories hold and that harm nobody.
  'fetch.fsck.zeroPaddedFilemode=ignore',
  'fetch.fsck.missingSpaceBeforeDate=ignore',
  'fetch.fsck.badTimezone=ignore',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
];

/**
 * For commands that transfer objects: a server that packs, or runs its hooks, sends less than one byte per second for
 * as long as it takes. The time limit of the operation applies to all of it.
 */
export const TRANSFER_SETTINGS = ['http.lowSpeedTime=0'];

const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_ALLOW_PROTOCOL: 'none',
};

export interface GitRun {
  /** Arguments after the settings; a URL or name of others' choice stands after `--`. */
  args: readonly string[];
  /** The bare repository, and the only folder git may take for one. */
  gitDir: string;
  /** Added to the fixed environment: credential files, transport. Never a secret itself. */
  environment?: Readonly<Record<string, string>>;
  settings?: readonly string[];
  signal: AbortSignal;
  /** Reads standard output at its own pace; without it output is collected, up to 16 MB. */
  consume?(stdout: AsyncIterable<Buffer>): Promise<void>;
  /** Written to standard input. */
  input?: AsyncIterable<string> | Iterable<string>;
}

export interface GitOutcome {
  status: number;
  stdout: Buffer;
  /** The last 16 kB. */
  stderr: string;
}

const STDOUT_LIMIT = 16 * 1024 ** 2;
const STDERR_LIMIT = 16 * 1024;
const KILL_AFTER_MS = 5_000;
const GIT =
  ['/usr/bin/git', '/usr/local/bin/git', '/opt/homebrew/bin/git', '/bin/git'].find(existsSync) ?? 'git';

/**
 * Runs git once, in a process group of its own that is ended as a whole when `signal` aborts. Resolves with any
 * exit status. Throws the reason of `signal`, or GitError `invalid` when there is no git to run.
 */
export async function runGit(run: GitRun): Promise<GitOutcome> {
  run.signal.throwIfAborted();
  const settings = [...SETTINGS, ...(run.settings ?? [])].flatMap((setting) => ['-c', setting]);
  const words = [
    ...(await killWithParentPrefix()),
    GIT,
    '--no-pager',
    ...settings,
    `--git-dir=${run.gitDir}`,
    ...run.args,
  ];
  const child = spawn(words[0] ?? GIT, words.slice(1), {
    cwd: '/',
    env: { ...ENVIRONMENT, HOME: run.gitDir, ...run.environment },
    detached: true,
    stdio: [run.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const stop = killOnAbort(child, run.signal);
  const collected: Buffer[] = [];
  const consume = run.consume ?? ((stdout: AsyncIterable<Buffer>) => collect(stdout, collected));
  let stderr = '';
  let thrown: unknown;
  const fail = (error: unknown): void => {
    thrown ??= error;
    signalGroup(child, 'SIGKILL');
    child.stdout?.resume();
  };
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-STDERR_LIMIT);
  });
  const closed = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? -1));
  });
  try {
    const [status] = await Promise.all([
      closed,
      feed(child, run.input).catch(fail),
      child.stdout === null ? undefined : consume(child.stdout).catch(fail),
    ]);
    run.signal.throwIfAborted();
    if (thrown !== undefined) throw thrown;
    if (status === 127 && /failed to execute/.test(stderr)) throw noGit();
    return { status, stdout: Buffer.concat(collected), stderr };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw noGit();
    throw error;
  } finally {
    stop();
  }
}

function noGit(): GitError {
  return new GitError('invalid', 'Git is not installed on the server. Install Git 2.37 or later.');
}

async function collect(stdout: AsyncIterable<Buffer>, into: Buffer[]): Promise<void> {
  let size = 0;
  for await (const chunk of stdout) {
    size += chunk.byteLength;
    if (size > STDOUT_LIMIT)
      throw new GitError('too-large', 'The output of the repository is too large to read.');
    into.push(chunk);
  }
}

async function feed(child: ChildProcess, input: GitRun['input']): Promise<void> {
  const { stdin } = child;
  if (input === undefined || stdin === null) return;
  // A process that ended early is seen by its status, not by the broken pipe.
  stdin.on('error', () => undefined);
  for await (const text of input) {
    if (stdin.destroyed) return;
    if (!stdin.write(text))
      await new Promise<void>((resolve) => {
        const goOn = (): void => {
          stdin.off('drain', goOn).off('close', goOn);
          resolve();
        };
        stdin.on('drain', goOn).on('close', goOn);
      });
  }
  stdin.end();
}

function killOnAbort(child: ChildProcess, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    signalGroup(child, 'SIGTERM');
    timer = setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_AFTER_MS);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // Helpers that outlived git itself (git-remote-https, ssh) are of the same group.
    signalGroup(child, 'SIGKILL');
  };
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone.
  }
}
