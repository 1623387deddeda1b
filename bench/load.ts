/** A load at a fixed rate, and the process that it is put on. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Settings of the allocator and of the threads that read files, as in the image. */
export const imageEnvironment = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  UV_THREADPOOL_SIZE: '16',
};

/** Flags of Node, as in the image. */
export const imageFlags = ['--max-semi-space-size=8', '--v8-pool-size=1'];

/** Pins to a core where that can be done: the server to the first, this process to the others. */
export function start(
  command: string,
  args: string[],
  environment: Record<string, string>,
  children: ChildProcess[],
): ChildProcess {
  const canPin = cpus().length > 1 && spawnSync('taskset', ['-p', String(process.pid)]).status === 0;
  if (canPin) spawnSync('taskset', ['-a', '-p', '-c', `1-${cpus().length - 1}`, String(process.pid)]);
  const [program = '', ...rest] = canPin ? ['taskset', '-c', '0', command, ...args] : [command, ...args];
  const env = { ...process.env, ...environment };
  const child = spawn(program, rest, { env, stdio: ['ignore', 'ignore', 'ignore'] });
  children.push(child);
  return child;
}

/** The site server as one file, as its image has it. */
export async function build(work: string): Promise<string> {
  const file = join(work, 'dist', 'offprint-site.mjs');
  // without the launcher, which looks for a Node that runs TypeScript
  const input = join(work, 'main.mjs');
  writeFileSync(
    input,
    `import { main } from ${JSON.stringify(join(root, 'apps/site/src/main.ts'))};\nawait main();\n`,
  );
  const program = await rolldown({ input, platform: 'node' });
  await program.write({ file, format: 'esm', codeSplitting: false });
  cpSync(join(root, 'apps/site/package.json'), join(work, 'package.json'));
  return file;
}

export interface Target {
  path: string;
  headers: string;
  /** Default: docs.example.com. */
  host?: string;
}

export interface Load {
  rate: number;
  seconds: number;
  connections: number;
}

/** Memory of a process in MB, such as `VmRSS` and its maximum, `VmHWM`; 0 where /proc is missing. */
export function memoryOf(pid: number, field: string): number {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
}

/** User and system time of a process and its children; 0 where /proc is missing. */
export function cpuSeconds(pid: number): number {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) / 100;
}

/** Sends requests when they are due and gives the latencies in milliseconds, in order. */
export async function run(
  { rate, seconds, connections }: Load,
  port: number,
  targets: readonly Target[],
): Promise<{ latencies: Float64Array; failed: number; seconds: number }> {
  const total = Math.round(rate * seconds);
  const latencies = new Float64Array(total);
  let [sent, done, failed] = [0, 0, 0];
  const free: Connection[] = [];
  const begun = performance.now();
  const due = (n: number) => begun + (n * 1000) / rate;
  const { promise: finished, resolve: finish, reject } = Promise.withResolvers<void>();
  const onFault = (fault: string) => {
    if (done < total) reject(new Error(fault));
  };
  const pump = () => {
    const now = performance.now();
    while (sent < total && due(sent) <= now) {
      // in turns: one that lies still is closed by the server
      const connection = free.shift();
      if (connection === undefined) return;
      connection.ask(sent++);
    }
  };
  const opened: Connection[] = [];
  for (let n = 0; n < connections; n++) {
    const onAnswer = (request: number, isGood: boolean) => {
      latencies[done++] = performance.now() - due(request);
      if (!isGood) failed += 1;
      free.push(connection);
      if (done === total) finish();
      else pump();
    };
    const connection = await openConnection(port, targets, onAnswer, onFault);
    opened.push(connection);
    free.push(connection);
  }
  const timer = setInterval(pump, 1);
  try {
    await finished;
  } finally {
    clearInterval(timer);
    for (const { socket } of opened) socket.destroy();
  }
  return { latencies: latencies.sort(), failed, seconds: (performance.now() - begun) / 1000 };
}

interface Connection {
  socket: Socket;
  ask(request: number): void;
}

/** A client of few instructions: it reads the status and length of a response and counts the bytes. */
async function openConnection(
  port: number,
  targets: readonly Target[],
  onAnswer: (request: number, isGood: boolean) => void,
  onFault: (fault: string) => void,
): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let asked = 0;
  let missing = -1;
  let head = '';
  let isGood = true;
  socket.on('data', (piece: Buffer) => {
    if (missing < 0) {
      head += piece.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const fields = head.slice(0, end);
      isGood = /^HTTP\/1\.1 (?:200|304) /.test(fields);
      const length = fields.startsWith('HTTP/1.1 304')
        ? 0
        : Number(/\r\ncontent-length: (\d+)/i.exec(fields)?.[1]);
      missing = length - (head.length - end - 4);
      head = '';
    } else {
      missing -= piece.length;
    }
    if (missing > 0) return;
    if (missing < 0 || Number.isNaN(missing)) return onFault('A response is longer than its Content-Length.');
    missing = -1;
    onAnswer(asked, isGood);
  });
  socket.on('error', () => {});
  socket.on('close', () => onFault('The server closed a connection.'));
  return {
    socket,
    ask(request) {
      asked = request;
      const { path, headers, host = 'docs.example.com' } = targets[request % targets.length] as Target;
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: gzip, deflate, br\r\n${headers}\r\n`,
      );
    },
  };
}
