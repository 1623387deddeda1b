import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Where programs of the system are; never a `node_modules/.bin`. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** `nobody` on every Linux. */
const ORDINARY = 65_534;
const MAX_WAIT_MS = 560_000;

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Running {
  /** What it has printed on both streams. */
  output(): string;
  /** Reaches every process of the command, as Ctrl-C in a terminal does. */
  signal(name: NodeJS.Signals): void;
  /** Reaches the first process only. */
  signalOne(name: NodeJS.Signals): void;
  ended: Promise<Finished>;
}

/** A user without rights, files and caches of its own: `home/` is its home folder, beside the folders it works in. */
export interface Newcomer {
  folder: string;
  run(command: string, cwd: string): Promise<Finished>;
  /** Resolves when the output matches. Rejects when the program ends before. */
  start(command: string, cwd: string, ready: RegExp, env?: Record<string, string>): Promise<Running>;
  /** Gives everything below the folder to the user. */
  own(): void;
  remove(): void;
}

/** `node`: folder of a Node that stands first in PATH; null for the one of the system. */
export function createNewcomer(node: string | null): Newcomer {
  const folder = mkdtempSync(join(tmpdir(), 'offprint-newcomer-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'home'));
  const isRoot = process.getuid?.() === 0;
  const prefix = isRoot ? ['setpriv', `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, '--clear-groups'] : [];
  const running = new Set<ChildProcess>();
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  // How this machine reaches a registry.
  const reach = Object.entries(process.env).filter(([name]) =>
    /^(NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_\w+|\w+_proxy|npm_config_(cafile|ca))$/i.test(name),
  );
  const env = {
    ...Object.fromEntries(reach),
    HOME: join(folder, 'home'),
    PATH: node === null ? SYSTEM_PATH : `${node}:${SYSTEM_PATH}`,
    npm_config_cache: join(folder, 'home/npm-cache'),
    npm_config_registry: registry,
    npm_config_update_notifier: 'false',
    // Default ports may be in use on this machine.
    OFFPRINT_PORT: '0',
  };

  function launch(command: string, cwd: string, extra: Record<string, string> = {}): Running {
    const [program = '', ...args] = [...prefix, 'sh', '-c', `exec ${command}`];
    const child = spawn(program, args, {
      cwd,
      env: { ...env, ...extra },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const text = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        text[name] += chunk;
      });
    }
    const ended = new Promise<Finished>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        running.delete(child);
        resolve({ code: code ?? (signal === 'SIGINT' ? 130 : 128), ...text });
      });
    });
    const signal = (name: NodeJS.Signals) => void (child.pid !== undefined && process.kill(-child.pid, name));
    const signalOne = (name: NodeJS.Signals) => void child.kill(name);
    return { output: () => text.stdout + text.stderr, signal, signalOne, ended };
  }

  return {
    folder,
    run: (command, cwd) => launch(command, cwd).ended,
    async start(command, cwd, ready, extra) {
      const program = launch(command, cwd, extra);
      let isOver = false;
      void program.ended.then(() => {
        isOver = true;
      });
      const deadline = Date.now() + MAX_WAIT_MS;
      while (!ready.test(program.output())) {
        if (isOver || Date.now() > deadline)
          throw new Error(`${command} printed no ${ready}:\n${program.output()}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return program;
    },
    own() {
      if (isRoot) execFileSync('chown', ['-R', `${ORDINARY}:${ORDINARY}`, folder]);
    },
    remove() {
      for (const child of running) if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Runs work that only one process of this checkout may do at a time; a lock of a dead process does not count. */
function withLock<T>(file: string, work: () => T): T {
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    try {
      writeFileSync(file, `${process.pid}`, { flag: 'wx' });
      break;
    } catch {
      if (!isRunning(file)) rmSync(file, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
  }
}

function isRunning(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    // An empty file is a lock whose process has not written its id yet.
    return pid === 0 || process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Archives of the published packages, which the first test file of a run builds and packs. Not to be changed. */
export function packPackages(): PackedPackages {
  const folder = join(inject('runFolder'), 'packages');
  const list = join(folder, 'list.json');
  return withLock(join(ROOT, 'dist/pack.lock'), () => {
    if (existsSync(list)) return JSON.parse(readFileSync(list, 'utf8')) as PackedPackages;
    mkdirSync(folder, { recursive: true });
    const packed = buildAndPack(folder);
    writeFileSync(list, JSON.stringify(packed));
    return packed;
  });
}

interface PackedPackages {
  offprint: string;
  client: string;
  site: string;
}

function buildAndPack(into: string): PackedPackages {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const pack = (name: string): string => {
    const cwd = join(ROOT, 'dist/packages', name);
    const output = execFileSync('npm', ['pack', '--silent', '--pack-destination', into], {
      cwd,
      encoding: 'utf8',
    });
    return join(into, output.trim());
  };
  return { offprint: pack('offprint'), client: pack('client'), site: pack('site') };
}

/** A folder of docs of three pages. */
export function writeDocs(folder: string): void {
  cpSync(join(ROOT, 'apps/server/src/projects/starter'), folder, { recursive: true });
}
