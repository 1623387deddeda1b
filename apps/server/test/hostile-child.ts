/** A sandbox child that does what its input says and reports the result. Only for run-child.test.ts. */
import { spawn, spawnSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { connect } from 'node:net';
import { getPriority, networkInterfaces, userInfo } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { serveOnce } from '../src/platform/sandbox/protocol.ts';

export interface Attempt {
  name: string;
  args?: string[];
}

type Outcome = Record<string, unknown>;

serveOnce<Attempt, string, Outcome>(async ({ name, args: given = [] }, { folders, send, begin, ask }) => {
  const args = given.map((arg) =>
    arg.replace('{source}', () => folders.source).replace('{output}', () => folders.output),
  );
  if (name === 'ask') return { value: (await Promise.all(args.map(ask))).map(({ answer }) => answer) };
  if (name === 'ask-and-read') {
    const { answer, folder } = await ask(args[0]);
    return { value: readFileSync(join(folder, String(answer)), 'utf8') };
  }
  if (name === 'ask-in-turn') {
    const answers: unknown[] = [];
    for (const arg of args) answers.push((await ask(arg)).answer);
    return { value: answers };
  }
  if (name === 'spin-in-steps') {
    for (const step of args) {
      begin(step);
      const { user, system } = process.cpuUsage();
      const spent = () => {
        const now = process.cpuUsage();
        return (now.user + now.system - user - system) / 1000;
      };
      while (step.startsWith('slow') || spent() < 500);
    }
    begin(null);
    return { value: null };
  }
  const act = actions[name];
  if (act === undefined) throw new Error(`no action ${name}`);
  return { value: (await act(args, send)) ?? null };
});

const actions: Record<string, (args: string[], send: (message: string) => void) => unknown> = {
  echo: (args, send) => {
    for (const arg of args) send(arg);
    return args.length;
  },
  copy: ([from = '', to = '']) => {
    writeFileSync(to, readFileSync(from));
    return readFileSync(to, 'utf8');
  },
  list: (folders) => folders.map((folder) => tried(() => readdirSync(folder))),
  priority: () => getPriority(),
  compileCache: () => getCompileCacheDir() ?? null,
  environment: () => ({ ...process.env, cwd: undefined }),
  // Every attempt alone, so that one refusal does not hide the next.
  attempts: async ([root = '', secretFile = '', writable = '', parent = '1', port = '1', socket = '']) => ({
    readEnvironOfInit: tried(() => readFileSync('/proc/1/environ')),
    readOwnEnviron: tried(() => readFileSync('/proc/self/environ')),
    readParent: tried(() => readFileSync(`/proc/${parent}/environ`)),
    readPasswd: tried(() => readFileSync('/etc/passwd')),
    readData: tried(() => readFileSync(secretFile)),
    readByDots: tried(() => readFileSync(`${writable}/../../${secretFile}`)),
    listRoot: tried(() => readdirSync('/')),
    writeOutside: tried(() => writeFileSync(`${root}/escaped`, 'x')),
    writeByDots: tried(() => writeFileSync(`${writable}/../escaped`, 'x')),
    writeModules: tried(() => writeFileSync(new URL('./escaped.js', import.meta.url), 'x')),
    makeOutside: tried(() => mkdirSync(`${root}/escaped`)),
    renameOut: tried(() => {
      writeFileSync(`${writable}/mine`, 'x');
      renameSync(`${writable}/mine`, `${root}/escaped`);
    }),
    linkOut: tried(() => {
      symlinkSync(secretFile, `${writable}/link`);
      return readFileSync(`${writable}/link`);
    }),
    spawn: tried(() => spawn('/bin/true')),
    spawnSync: tried(() => {
      const { error } = spawnSync('/bin/true');
      if (error !== undefined) throw error;
    }),
    worker: tried(() => new Worker('1', { eval: true })),
    // biome-ignore lint/security/noGlobalEval: that it fails is what the test is about
    evaluate: tried(() => globalThis.eval('1 + 1')),
    compile: tried(() => new Function('return 1')()),
    binding: tried(() => (process as unknown as { binding(name: string): unknown }).binding('spawn_sync')),
    signalParent: tried(() => process.kill(Number(parent), 0)),
    loopback: await reached('127.0.0.1', Number(port)),
    loopback6: await reached('::1', Number(port)),
    internet: await reached('1.1.1.1', 80),
    metadata: await reached('169.254.169.254', 80),
    socket: await reached(socket, 0),
    names: await lookup('example.com').then(
      () => 'done',
      (error: NodeJS.ErrnoException) => error.code,
    ),
    interfaces: tried(() => {
      if (Object.keys(networkInterfaces()).length === 0) throw new RangeError('no interface');
    }),
    user: tried(() => userInfo().uid),
    write: tried(() => writeFileSync(`${writable}/own`, 'x')),
    read: tried(() => readFileSync(`${writable}/own`)),
  }),
  spin: (_args, send) => {
    send('begun');
    for (;;);
  },
  spinDeafly: () => {
    process.removeAllListeners('SIGTERM');
    process.on('SIGTERM', () => undefined);
    for (;;);
  },
  wait: (_args, send) => {
    send('begun');
    return new Promise(() => setInterval(() => undefined, 1000));
  },
  sleep: ([ms = '0']) => new Promise((resolve) => setTimeout(() => resolve('slept'), Number(ms))),
  heap: () => {
    const kept: unknown[] = [];
    for (;;) kept.push(new Array(1000).fill({}).map((_, index) => ({ index })));
  },
  buffers: async () => {
    const kept: Uint8Array[] = [];
    for (;;) {
      kept.push(new Uint8Array(16 * 1024 ** 2).fill(1));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  floodMessages: (_args, send) => {
    for (;;) send('x'.repeat(100_000));
  },
  floodLine: (_args, send) => send('x'.repeat(20 * 1024 ** 2)),
  floodStderr: () => {
    for (let index = 0; index < 2000; index += 1) process.stderr.write('x'.repeat(10_000));
    throw new Error('after the flood');
  },
  floodOneFile: ([file = '']) => {
    const chunk = Buffer.alloc(1024 ** 2, 1);
    for (;;) writeFileSync(file, chunk, { flag: 'a' });
  },
  floodFiles: async ([folder = '']) => {
    for (let index = 0; ; index += 1) {
      writeFileSync(`${folder}/${index}`, Buffer.alloc(100_000, 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  },
  lie: () => {
    writeFileSync(3, 'this is no protocol\n');
    return new Promise(() => setInterval(() => undefined, 1000));
  },
  fail: () => {
    throw new TypeError('broken on purpose');
  },
  exit: () => process.exit(0),
  crash: () => process.abort(),
};

function tried(act: () => unknown): string {
  try {
    act();
    return 'done';
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return code ?? name;
  }
}

function reached(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = port === 0 ? connect(host) : connect(port, host);
    socket.on('connect', () => resolve('done'));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    setTimeout(() => resolve('timeout'), 3000);
  });
}
