import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readProcesses } from '../../../../../test/support/processes.ts';
import { ChildError } from './child.ts';
import { detectIsolation, detectMechanisms } from './isolation.ts';
import { runChild } from './run-child.ts';

const MODULE = fileURLToPath(new URL('../../../test/hostile-child.ts', import.meta.url));
/** Only ends a child that hangs. */
const HANG_MS = 120_000;
let root: string;
let writable: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-sandbox-'));
  writable = join(root, 'out');
  mkdirSync(writable);
  writeFileSync(join(root, 'secret'), 'canary-7391');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function attempt(
  name: string,
  args: string[] = [],
  changes: {
    cpuMs?: number;
    stepCpuMs?: number;
    wallMs?: number;
    memoryMb?: number;
    outputBytes?: number;
    signal?: AbortSignal;
    messages?: string[];
    run?: typeof runChild;
    priority?: 'normal' | 'background';
  } = {},
): Promise<{ value: unknown }> {
  return (changes.run ?? runChild)({
    module: MODULE,
    input: { name, args },
    readable: [],
    writable,
    limits: {
      cpuMs: changes.cpuMs ?? HANG_MS,
      stepCpuMs: changes.stepCpuMs,
      wallMs: changes.wallMs ?? HANG_MS,
      memoryMb: changes.memoryMb ?? 128,
      outputBytes: changes.outputBytes ?? 50_000_000,
    },
    ...(changes.priority === undefined ? {} : { priority: changes.priority }),
    signal: changes.signal ?? new AbortController().signal,
    onMessage: (message: string) => changes.messages?.push(message),
  });
}

const faultOf = (work: Promise<unknown>): Promise<ChildError> =>
  work.then(
    () => expect.fail('it had a result'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(ChildError);
      return error as ChildError;
    },
  );

test('a child gets its input, sends messages in order and gives a result', async () => {
  const messages: string[] = [];
  const sent = Array.from({ length: 500 }, (_, index) => `${index} ü\n`);
  expect(await attempt('echo', sent, { messages })).toEqual({ value: 500 });
  expect(messages).toEqual(sent);
});

test('folders may have any name', async () => {
  const folder = join(root, `odd 'name" $(x) \\ #`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'in'), 'content');
  const result = await runChild({
    module: MODULE,
    input: { name: 'copy', args: [join(folder, 'in'), join(folder, 'out')] },
    readable: [],
    writable: folder,
    limits: { cpuMs: HANG_MS, wallMs: HANG_MS, memoryMb: 64, outputBytes: 1000 },
    signal: new AbortController().signal,
    onMessage: () => undefined,
  });
  expect(result).toEqual({ value: 'content' });
  rmSync(folder, { recursive: true });
});

test('the environment of a child is empty', async () => {
  expect(await attempt('environment')).toEqual({ value: {} });
});

test('a background child runs ten steps below this process by default', async () => {
  // As the platform has it, without what the tests of children do about their priority.
  vi.resetModules();
  const { runChild: run } = (await import('./run-child.ts')) as { runChild: typeof runChild };
  const { value } = await attempt('priority', [], { run });
  expect(value).toBe(Math.min(19, getPriority() + 10));
});

test('a background child runs at the niceness that the platform is set to, and a normal one at none', async () => {
  vi.resetModules();
  const { setChildNiceness } = (await import('./isolation.ts')) as { setChildNiceness(steps: number): void };
  setChildNiceness(3);
  const { runChild: run } = (await import('./run-child.ts')) as { runChild: typeof runChild };
  const { value } = await attempt('priority', [], { run });
  expect(value).toBe(Math.min(19, getPriority() + 3));
  const { value: normal } = await attempt('priority', [], { run, priority: 'normal' });
  expect(normal).toBe(getPriority());
});

test('from inside the child: no network, no process, no file but its own', async () => {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const local = createServer((socket) => socket.end());
  const socketPath = join(root, 'socket');
  await new Promise<void>((resolve) => local.listen(socketPath, resolve));
  const { port } = server.address() as AddressInfo;
  const { value } = (await attempt('attempts', [
    root,
    join(root, 'secret'),
    writable,
    String(process.pid),
    String(port),
    socketPath,
  ])) as { value: Record<string, unknown> };
  server.close();
  local.close();

  const denied = 'ERR_ACCESS_DENIED';
  expect(value).toMatchObject({
    readEnvironOfInit: denied,
    readOwnEnviron: denied,
    readParent: denied,
    readPasswd: denied,
    readData: denied,
    readByDots: denied,
    listRoot: denied,
    writeOutside: denied,
    writeByDots: denied,
    writeModules: denied,
    makeOutside: denied,
    renameOut: denied,
    linkOut: denied,
    spawn: denied,
    spawnSync: denied,
    worker: denied,
    evaluate: 'EvalError',
    compile: 'EvalError',
    binding: denied,
    write: 'done',
    read: 'done',
  });
  const isolation = await detectIsolation();
  // Where the kernel refuses namespaces this installation logs it at its start and there is nothing to test.
  if (isolation.network.length > 0) {
    for (const way of ['loopback', 'loopback6', 'internet', 'metadata', 'names', 'interfaces'])
      expect(value[way], way).not.toBe('done');
  }
  if (isolation.files.length > 0) expect(value.socket).not.toBe('done');
  if (isolation.processes.length > 0) expect(value.signalParent).not.toBe('done');
  expect(readdirSync(root).sort()).toEqual(
    ['out', 'secret', 'socket'].filter((name) => readdirSync(root).includes(name)),
  );
  expect(readFileSync(join(root, 'secret'), 'utf8')).toBe('canary-7391');
});

describe('limits', () => {
  test.each(['heap', 'buffers'])('memory by %s ends the child and not the parent', async (name) => {
    const error = await faultOf(attempt(name, [], { memoryMb: 64 }));
    expect(error.fault).toBe('memory-limit');
    expect(error.message).toContain('64 MB');
  });

  test('a child that uses more CPU time than its limit is ended, also when it ignores signals', async () => {
    const names = ['spin', 'spinDeafly'];
    const errors = await Promise.all(names.map((name) => faultOf(attempt(name, [], { cpuMs: 2_000 }))));
    expect(errors.map(({ fault }) => fault)).toEqual(names.map(() => 'cpu-limit'));
    expect(errors[0]?.message).toBe('The work needs more than 2 s of CPU time.');
    expect(errors.map(({ isLimit }) => isLimit)).toEqual([true, true]);
  });

  test('a step that uses more CPU time than its limit ends the child and is named', async () => {
    const steps = ['a.mdx', 'b.mdx', 'c.mdx', 'd.mdx'];
    expect(await attempt('spin-in-steps', steps, { stepCpuMs: 1_500 })).toEqual({ value: null });
    const error = await faultOf(
      attempt('spin-in-steps', ['a.mdx', 'slow\n.mdx', 'c.mdx'], { stepCpuMs: 1_500 }),
    );
    expect([error.fault, error.isLimit, error.step]).toEqual(['step-limit', true, 'slow\n.mdx']);
    expect(error.message).toBe('slow .mdx needs more than 2 s of CPU time.');
  });

  test('a child that hangs meets the wall-clock limit, which is not a limit of its input', async () => {
    const error = await faultOf(attempt('wait', [], { cpuMs: 60_000, wallMs: 700 }));
    expect(error.fault).toBe('wall-limit');
    expect(error.isLimit).toBe(false);
    expect(error.message).toContain('the server is busy, or the work hangs');
  });

  test('a child that waits longer than its CPU limit has a result', async () => {
    expect(await attempt('sleep', ['4000'], { cpuMs: 3_500 })).toEqual({ value: 'slept' });
  });

  test('the kernel ends a child whose parent does not monitor it', async () => {
    const isolation = await detectIsolation();
    const spin = 'for (;;);';
    const [program = '', ...args] = isolation.wrap(
      [process.execPath, '-e', spin],
      { readOnly: [process.execPath], writable: [] },
      { nice: 0, cpuSeconds: 1 },
    );
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    // It never ends by itself.
    const [code] = await once(child, 'exit');
    expect(code).not.toBe(0);
  });

  test.skipIf(process.platform !== 'linux')(
    `a child that is killed from outside is told apart from one that crashed${process.platform === 'linux' ? '' : ': needs /proc'}`,
    async () => {
      const messages: string[] = [];
      const error = faultOf(attempt('wait', [], { messages }));
      await expect.poll(() => messages, { timeout: HANG_MS }).toEqual(['begun']);
      const mine = childrenOf(process.pid).filter((pid) => {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return line.includes('hostile-child') && line.includes(writable);
      });
      expect(mine).toHaveLength(1);
      // The process itself, as the kernel does when memory is short, and none of the wrappers around it.
      let leaf = mine[0] ?? 0;
      for (let next = childrenOf(leaf)[0]; next !== undefined; next = childrenOf(leaf)[0]) leaf = next;
      process.kill(leaf, 'SIGKILL');
      expect((await error).fault).toBe('killed');
    },
  );

  test.skipIf(process.platform !== 'linux')(
    `a child that is killed from outside while it starts is reported as killed${process.platform === 'linux' ? '' : ': needs /proc'}`,
    async () => {
      const error = faultOf(attempt('wait'));
      const lineOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const leafOf = (pid: number): number => {
        const [next] = childrenOf(pid);
        return next === undefined ? pid : leafOf(next);
      };
      const leaf = await vi.waitFor(
        () => {
          const mine = childrenOf(process.pid).find((pid) => lineOf(pid).includes(writable)) ?? 0;
          expect(mine).toBeGreaterThan(0);
          const last = leafOf(mine);
          // The wrappers have made way for the program, which needs a while to load its modules.
          expect(lineOf(last)).toMatch(/^[^\0]*node[^\0]*\0--permission/);
          return last;
        },
        { timeout: HANG_MS, interval: 1 },
      );
      process.kill(leaf, 'SIGKILL');
      expect((await error).fault).toBe('killed');
    },
  );

  test('cancelling ends the child at once', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    // The child would wait without end, and its time is up long after the test's.
    expect((await faultOf(attempt('wait', [], { signal: controller.signal }))).fault).toBe('cancelled');
    expect((await faultOf(attempt('echo', [], { signal: AbortSignal.abort() }))).fault).toBe('cancelled');
  });

  test.each(['floodMessages', 'floodLine', 'lie'])('%s ends the child', async (name) => {
    expect((await faultOf(attempt(name))).fault).toBe('output-limit');
  });

  test('standard error is kept to its last words', async () => {
    const error = await faultOf(attempt('floodStderr'));
    expect(error.fault).toBe('crashed');
    expect(error.detail.length).toBeLessThanOrEqual(8192);
  });

  test.each(['floodOneFile', 'floodFiles'])('%s ends the child', async (name) => {
    const folder = join(root, name);
    mkdirSync(folder);
    const work = runChild({
      module: MODULE,
      input: { name, args: [name === 'floodFiles' ? folder : join(folder, 'file')] },
      readable: [],
      writable: folder,
      limits: { cpuMs: HANG_MS, wallMs: HANG_MS, memoryMb: 64, outputBytes: 5_000_000 },
      signal: new AbortController().signal,
      onMessage: () => undefined,
    });
    expect((await faultOf(work)).fault).toBe('output-limit');
    rmSync(folder, { recursive: true });
  });

  test.each(['fail', 'exit', 'crash'])('%s is an error and never a result', async (name) => {
    const error = await faultOf(attempt(name));
    expect(error.fault).toBe('crashed');
    if (name === 'fail') expect(error.message).toContain('broken on purpose');
  });
});

test('a child dies with the parent, even when it spins', async () => {
  const starter = `
    import { runChild } from ${JSON.stringify(fileURLToPath(new URL('./run-child.ts', import.meta.url)))};
    runChild({ module: ${JSON.stringify(MODULE)}, input: { name: process.argv[1] }, readable: [],
      writable: ${JSON.stringify(writable)}, limits: { cpuMs: ${HANG_MS}, wallMs: ${10 * HANG_MS}, memoryMb: 64, outputBytes: 1000 },
      signal: new AbortController().signal, onMessage: () => process.stdout.write('begun') });`;
  const { diesWithParent } = await detectIsolation();
  const running = (): string[] =>
    readProcesses('cmdline').filter((line) => line.includes('hostile-child') && line.includes(writable));
  for (const name of diesWithParent ? ['wait', 'spin'] : ['wait']) {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', starter, name], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(parent.stdout, 'data');
    const [child] = childrenOf(parent.pid ?? 0);
    expect(child, 'the child runs').toBeGreaterThan(0);
    expect(running()).not.toEqual([]);
    parent.kill('SIGKILL');
    await expect.poll(() => isAlive(child ?? 0), { timeout: HANG_MS }).toBe(false);
    await expect.poll(running, { timeout: HANG_MS }).toEqual([]);
  }
});

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

/** A zombie, which nobody has collected yet, runs no more. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('namespaces alone hide every file, process and socket that was not granted', async () => {
  const isolation = await detectMechanisms({ namespaces: true, confinement: false });
  if (isolation.files.length === 0) return;
  const granted = join(root, 'granted');
  mkdirSync(granted);
  writeFileSync(join(granted, 'page'), 'page');
  const script = `
    seen() { "$@" >/dev/null 2>&1 && echo "$*"; }
    seen cat /etc/passwd; seen cat /etc/shadow; seen cat ${join(root, 'secret')}; seen ls /root; seen ls /home
    seen ls /work; seen ls /run; seen ls /var; seen ls /sys/kernel; seen ls ${tmpdir()}/.; seen kill -0 ${process.pid}
    seen ls /proc/2; seen ls ${join(root, 'secret')}; seen touch ${granted}/x; seen touch /x; seen touch /usr/x
    seen mount -t tmpfs tmpfs /tmp; seen mount -o remount,rw /usr; seen umount /proc; seen unshare --user true
    seen chroot / true; seen mkdir ${root}/made; seen cat ${granted}/page; seen touch ${writable}/x; seen readlink /proc/1/root
    exit 0`;
  const [program = '', ...args] = isolation.wrap(
    ['/bin/sh', '-c', script],
    { readOnly: [granted], writable: [writable] },
    { nice: 0, cpuSeconds: 60 },
  );
  const child = spawn(program, args, { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  await new Promise((resolve) => child.on('close', resolve));
  expect(output.trim().split('\n')).toEqual([
    // The folder that leads to what was granted, and nothing else in it.
    `ls ${tmpdir()}/.`,
    `cat ${granted}/page`,
    `touch ${writable}/x`,
    'readlink /proc/1/root',
  ]);
});
