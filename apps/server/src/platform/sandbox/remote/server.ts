import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { makeFolder } from '@offprint/bundle/make-folder';
import { readiness } from '../../http/health.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import { ChildError, type ChildLimits } from '../child.ts';
import type { ChildProgram, ChildPrograms, Sandbox } from '../sandbox.ts';
import { packFolder, receiveFolder } from './folder-stream.ts';
import { type Frame, type Link, LinkError, type LinkTiming, openLink } from './link.ts';
import {
  PROTOCOL,
  type RendererMessage,
  runPath,
  VERSION_HEADER,
  type WorkerMessage,
  workerMessage,
} from './messages.ts';

type SlotName = ChildProgram['slot'];

export interface SandboxServerOptions {
  sandbox: Sandbox;
  programs: ChildPrograms;
  /** Folder of what runs read and write, on the file system of the sandbox. Made when it is missing. */
  folder: string;
  /** Runs at a time, and the highest limits of one run. */
  slots: Readonly<Record<SlotName, { runs: number; limits: ChildLimits }>>;
  /** Maximum bytes of the files of one source. */
  sourceBytes: number;
  /** Version of this program; only peers of the same version are served. */
  version: string;
  log: Logger;
  metrics: Metrics;
  timing?: Partial<LinkTiming>;
}

export interface SandboxServer {
  port: number;
  /** Accepts nothing new, gives what runs `graceMs`, then gives it back to the workers. */
  stop(graceMs: number): Promise<void>;
}

const MAX_SOURCE_FILES = 1_000_000;
/** A client has this long for the head of its request. */
const HEAD_MS = 10_000;
const MAX_CONNECTIONS = 500;

/** Serves runs to workers. A connection is one run, which ends with it. */
export async function serveSandbox(
  options: SandboxServerOptions,
  address: { host: string; port: number },
): Promise<SandboxServer> {
  const { log, metrics, slots } = options;
  const used: Record<SlotName, number> = { export: 0, image: 0, check: 0 };
  const running = new Set<{ done: Promise<void>; giveBack(): void }>();
  let isStopping = false;

  const refusal = (request: IncomingMessage): number | { name: string; program: ChildProgram } => {
    const found = Object.entries(options.programs).find(([name]) => request.url === runPath(name));
    if (found === undefined) return 404;
    if (request.headers.upgrade !== PROTOCOL) return 400;
    if (request.headers[VERSION_HEADER] !== options.version) return 409;
    if (isStopping) return 503;
    const [name, program] = found;
    return used[program.slot] >= slots[program.slot].runs ? 429 : { name, program };
  };
  const accept = async (link: Link, name: string, program: ChildProgram): Promise<void> => {
    const stopping = new AbortController();
    used[program.slot] += 1;
    metrics.activeJobs.inc({ kind: name });
    const started = performance.now();
    const done = serveRun(link, { ...options, name, program, stopping: stopping.signal });
    const entry = { done: done.then(() => undefined), giveBack: () => stopping.abort() };
    running.add(entry);
    const outcome = await done;
    running.delete(entry);
    used[program.slot] -= 1;
    metrics.activeJobs.dec({ kind: name });
    metrics.jobs.inc({ kind: name, outcome });
    metrics.jobSeconds.observe({ kind: name }, (performance.now() - started) / 1000);
    log.info({ program: name, outcome, ms: Math.round(performance.now() - started) }, 'run ended');
  };

  const server = createServer({ headersTimeout: HEAD_MS, requestTimeout: HEAD_MS }, (request, response) => {
    if (request.url === '/healthz') {
      response.writeHead(200).end('ok\n');
    } else if (request.url === '/readyz') {
      const checks = { sandbox: () => options.sandbox.check() };
      void readiness({ checks, warnings: async () => [], sandbox: options.sandbox.report, log }).then(
        (body) => {
          const status = isStopping ? 'stopping' : body.status;
          response.writeHead(status === 'ready' ? 200 : 503, { 'Content-Type': 'application/json' });
          response.end(JSON.stringify({ ...body, status }));
        },
        () => response.writeHead(503).end(),
      );
    } else response.writeHead(404).end();
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined);
    const given = refusal(request);
    if (typeof given === 'number') {
      socket.end(`HTTP/1.1 ${given} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n\r\n`);
    void accept(openLink(socket, head, options.timing), given.name, given.program);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });

  return {
    port: (server.address() as AddressInfo).port,
    async stop(graceMs) {
      isStopping = true;
      server.close();
      let timer: NodeJS.Timeout | undefined;
      const all = Promise.all([...running].map(({ done }) => done));
      await Promise.race([all, new Promise((resolve) => (timer = setTimeout(resolve, graceMs)))]);
      clearTimeout(timer);
      for (const { giveBack } of running) giveBack();
      await Promise.all([...running].map(({ done }) => done));
      server.closeAllConnections();
    },
  };
}

interface RunContext extends SandboxServerOptions {
  name: string;
  program: ChildProgram;
  /** Aborts when the run is to be given back. */
  stopping: AbortSignal;
}

/** Serves one run and returns its outcome for the log. Never throws. */
async function serveRun(link: Link, context: RunContext): Promise<string> {
  const folder = join(context.folder, randomBytes(8).toString('hex'));
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, context.stopping]);
  const giveBack = (): void =>
    void link.send({ kind: 'stopping' } satisfies RendererMessage).catch(() => undefined);
  context.stopping.addEventListener('abort', giveBack, { once: true });
  try {
    await makeFolder(folder, 0o700);
    const frames = link.frames();
    const start = await readStart(frames, context, join(folder, 'source'));
    const replies = createReplies(frames, link);
    void replies.read().finally(() => gone.abort());
    const result = await context.sandbox.run({
      program: context.name,
      input: start.input,
      limits: lowest(start.limits, context.slots[context.program.slot].limits),
      ...(start.hasSource ? { source: join(folder, 'source') } : {}),
      ...(start.wantsOutput ? { output: join(folder, 'output') } : {}),
      signal,
      onMessage: (message) => void link.send({ kind: 'message', message }).catch(() => undefined),
      ...(start.takesQuestions ? { onQuestion: replies.ask } : {}),
    });
    await link.send({ kind: 'result', result } satisfies RendererMessage);
    if (start.wantsOutput) {
      for await (const piece of packFolder(join(folder, 'output'))) await link.sendData(piece);
    }
    await link.send({ kind: 'end' } satisfies RendererMessage);
    return 'completed';
  } catch (error) {
    if (context.stopping.aborted) return 'given back';
    const known = error instanceof ChildError;
    // A worker that cancels a run closes the connection.
    if (!known && !gone.signal.aborted && !(error instanceof LinkError))
      context.log.warn({ err: error, program: context.name }, 'run failed');
    const { fault, message, detail, step } = known ? error : new ChildError('crashed', String(error), '');
    // What failed because the worker is gone, such as a question to it, can be noticed before its end is.
    const isGone = gone.signal.aborted || (!known && error instanceof LinkError);
    await link
      .send({ kind: 'error', fault, message, detail, step } satisfies RendererMessage)
      .catch(() => undefined);
    return isGone ? 'cancelled' : fault;
  } finally {
    context.stopping.removeEventListener('abort', giveBack);
    link.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const lowest = (asked: ChildLimits, own: ChildLimits): ChildLimits => ({
  cpuMs: Math.min(asked.cpuMs, own.cpuMs),
  wallMs: Math.min(asked.wallMs, own.wallMs),
  memoryMb: Math.min(asked.memoryMb, own.memoryMb),
  outputBytes: Math.min(asked.outputBytes, own.outputBytes),
  stepCpuMs: Math.min(asked.stepCpuMs ?? Number.MAX_SAFE_INTEGER, own.stepCpuMs ?? Number.MAX_SAFE_INTEGER),
});

type Start = Extract<WorkerMessage, { kind: 'start' }>;

/** The first message, with the files of the source in their folder. */
async function readStart(
  frames: AsyncGenerator<Frame>,
  { sourceBytes }: SandboxServerOptions,
  folder: string,
): Promise<Start> {
  const start = await nextMessage(frames);
  if (start.kind !== 'start') throw new LinkError('the first message must be the start');
  if (!start.hasSource) return start;
  await mkdir(folder, { mode: 0o700 });
  const receiver = receiveFolder(folder, { bytes: sourceBytes, files: MAX_SOURCE_FILES });
  try {
    const next = await nextMessage(frames, (data) => receiver.take(data));
    if (next.kind !== 'source-end') throw new LinkError('the files of the source must follow the start');
    receiver.end();
  } finally {
    receiver.close();
  }
  return start;
}

/** Without `onData`, data is an error. */
async function nextMessage(
  frames: AsyncGenerator<Frame>,
  onData: (data: Buffer) => void = () => {
    throw new LinkError('the peer sent files that nobody asked for');
  },
): Promise<WorkerMessage> {
  for (;;) {
    const { value, done } = await frames.next();
    if (done === true) throw new LinkError('the connection is closed');
    if (value.kind === 'data') onData(value.data);
    else return workerMessage.parse(value.message);
  }
}

/** Passes questions on, and takes the files and the text of each reply. */
function createReplies(frames: AsyncGenerator<Frame>, link: Link) {
  let asked: { folder: string; resolve(answer: unknown): void } | null = null;
  return {
    ask: async (question: unknown, folder: string): Promise<unknown> => {
      const answer = new Promise<unknown>((resolve) => {
        asked = { folder, resolve };
      });
      await link.send({ kind: 'question', question } satisfies RendererMessage);
      return answer;
    },
    /** Resolves when the peer is gone. */
    async read(): Promise<void> {
      try {
        for (;;) await readReply();
      } catch {
        link.close();
      }
    },
  };

  async function readReply(): Promise<void> {
    let receiver: ReturnType<typeof receiveFolder> | null = null;
    try {
      const message = await nextMessage(frames, (data) => {
        if (asked === null) throw new LinkError('nobody has asked');
        receiver ??= receiveFolder(asked.folder, REPLY_LIMITS);
        receiver.take(data);
      });
      if (message.kind !== 'answer' || asked === null) throw new LinkError('nobody has asked');
      (receiver as ReturnType<typeof receiveFolder> | null)?.end();
      const { resolve } = asked;
      asked = null;
      resolve(message.answer);
    } finally {
      (receiver as ReturnType<typeof receiveFolder> | null)?.close();
    }
  }
}

/** Above what an export may fetch. */
const REPLY_LIMITS = { bytes: 1024 ** 3, files: 10_000 };
