import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import {
  ChildError,
  type ChildFault,
  type ChildLimits,
  type ChildPriority,
  MAX_STEP_LENGTH,
  stepText,
} from './child.ts';
import { compileCache } from './compile-cache.ts';
import { moduleGraph, nativeModules } from './grants.ts';
import { childNiceness, detectIsolation } from './isolation.ts';
import type { ChildLine, ParentLine } from './protocol.ts';
import type { Seal } from './seal.ts';
import { folderBytes, processUsage } from './usage.ts';

/** What is fixed when the process starts. */
export interface ChildGrants {
  module: string;
  readable: readonly string[];
  writable: string;
  limits: Omit<ChildLimits, 'wallMs'>;
  priority: ChildPriority;
}

export interface ChildRun<Input, Message> {
  input: Input;
  wallMs: number;
  signal: AbortSignal;
  onMessage(message: Message): void;
  /** Answers a question of the child, as JSON. One that throws ends the child. Without it a question ends the child. */
  onQuestion?(question: unknown): Promise<unknown>;
}

export interface StartedChild {
  /** Resolves when the child has loaded its modules and waits; rejects with ChildError when it ends before. */
  ready: Promise<void>;
  /** Gives the child its input; once. Throws ChildError. */
  run<Input, Message, Result>(run: ChildRun<Input, Message>): Promise<Result>;
  /** Whether the process is gone. */
  readonly ended: boolean;
  /** Ends a child that is not wanted. */
  discard(): void;
}

/** Native memory, code and buffers beside the heap that `memoryMb` bounds. */
const BESIDE_HEAP_MB = 256;
const WATCH_MS = 250;
/** Node and its wrappers have a dozen, and the bundler of components has some for each core. */
const MAX_THREADS = 64 + 4 * availableParallelism();
/** CPU time that the kernel grants beyond the limit: this process ends the child before, with its own reason. */
const CPU_MARGIN_SECONDS = 10;
const KILL_AFTER_MS = 5_000;
const STDERR_BYTES = 8 * 1024;
const LINE_BYTES = 16 * 1024 ** 2;
const CHANNEL_BYTES = 256 * 1024 ** 2;
/** Questions that one child may ask, one after the other. */
const MAX_QUESTIONS = 32;

/** Starts a child that waits for its input. See runChild for what it may and may not do. */
export async function startChild(grants: ChildGrants): Promise<StartedChild> {
  const isolation = await detectIsolation().catch((error: unknown) => {
    throw new ChildError('start-failed', 'The sandbox could not be prepared.', String(error));
  });
  const graph = moduleGraph(grants.module);
  const cache = compileCache(grants.module, isolation, V8_FLAGS);
  const seal: Seal = { nativeModules: nativeModules(grants.module), kernel: isolation.seal };
  const nice = grants.priority === 'normal' ? 0 : childNiceness();
  const [program = process.execPath, ...args] = isolation.wrap(
    [process.execPath, ...nodeFlags(grants, graph), ...(cache?.flags ?? []), grants.module],
    {
      readOnly: [process.execPath, ...graph, ...(cache === null ? [] : [cache.folder]), ...grants.readable],
      writable: [grants.writable],
    },
    { nice, cpuSeconds: Math.ceil(grants.limits.cpuMs / 1000) + CPU_MARGIN_SECONDS },
  );
  const child = spawn(program, args, {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined && nice > 0) setGroupNiceness(child.pid, nice);
  const started = supervise(child, grants);
  child.stdin?.write(`${JSON.stringify(seal)}\n`);
  return started;
}

/** Where Linux groups processes by session, niceness counts within a group only, and the child leads its own. */
function setGroupNiceness(pid: number, nice: number): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // Then its group gets an equal share of the CPU.
  }
}

/** Of these the compiled code of modules depends. */
const V8_FLAGS = ['--disallow-code-generation-from-strings'];

function nodeFlags({ readable, writable, limits }: ChildGrants, graph: readonly string[]): string[] {
  const reads = [...graph, ...readable, writable];
  return [
    '--permission',
    ...reads.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${writable}`,
    // The MDX parser and the bundler of components are native; seal.ts admits no others.
    '--allow-addons',
    ...V8_FLAGS,
    '--disable-warning=SecurityWarning',
    '--disable-warning=ExperimentalWarning',
    `--max-old-space-size=${limits.memoryMb}`,
    // A render makes much that is soon forgotten: with more room for it the whole takes a tenth less time.
    '--max-semi-space-size=32',
  ];
}

function supervise(child: ChildProcess, grants: ChildGrants): StartedChild {
  const state: {
    fault: [ChildFault, string] | null;
    line: ChildLine<unknown, unknown> | null;
    stderr: string;
    cpuMs: number;
    step: { name: string; startMs: number } | null;
  } = {
    fault: null,
    line: null,
    stderr: '',
    cpuMs: 0,
    step: null,
  };
  let onMessage: ((message: unknown) => void) | null = null;
  let onQuestion: ((question: unknown) => Promise<unknown>) | null = null;
  let questions = 0;
  let isAnswering = false;
  let listening = false;
  let isOver = false;
  let escalation: NodeJS.Timeout | undefined;
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  // The code that runs the child awaits these; a spare that dies alone must not be an unhandled rejection.
  ready.promise.catch(() => undefined);
  ended.promise.catch(() => undefined);

  const stop = (fault: ChildFault, message: string, gently: boolean): void => {
    if (state.fault !== null) return;
    state.fault = [fault, message];
    // Before it is ready the child has no handler, and as the first of its namespace it then ignores SIGTERM.
    signalGroup(child, gently && listening ? 'SIGTERM' : 'SIGKILL');
    if (gently) escalation = setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_AFTER_MS);
  };
  const take = (line: ChildLine<unknown, unknown>): void => {
    if (state.fault !== null) return;
    if (line.kind === 'ready') {
      listening = true;
      ready.resolve();
    } else if (line.kind === 'message') onMessage?.(line.message);
    else if (line.kind === 'step')
      state.step = line.step === null ? null : { name: String(line.step), startMs: state.cpuMs };
    else if (line.kind === 'question') void answer(line.number, line.question);
    else state.line = line;
  };
  /** The child is hostile: it asks in turn, not often, and its number goes back as it came. */
  async function answer(number: number, question: unknown): Promise<void> {
    if (onQuestion === null || isAnswering || ++questions > MAX_QUESTIONS || !Number.isSafeInteger(number)) {
      stop('crashed', 'The child asks what it may not.', false);
      return;
    }
    isAnswering = true;
    try {
      const line: ParentLine = { number, answer: await onQuestion(question) };
      if (!isOver) child.stdin?.write(`${JSON.stringify(line)}\n`);
    } catch (error) {
      stop('crashed', `The parent could not reply to the child: ${String(error)}`, false);
    } finally {
      isAnswering = false;
    }
  }
  readLines(child.stdio[3] as Readable, take, (why) => stop('output-limit', why, false));
  child.stderr?.on('data', (chunk: Buffer) => {
    state.stderr = (state.stderr + chunk.toString('utf8')).slice(-STDERR_BYTES);
  });
  child.stdin?.on('error', () => undefined);
  child.on('exit', () => signalGroup(child, 'SIGKILL'));

  const watch = watchUsage(
    child,
    grants,
    (cpuMs) => {
      state.cpuMs = cpuMs;
      const { step } = state;
      if (step !== null && cpuMs - step.startMs > (grants.limits.stepCpuMs ?? Number.POSITIVE_INFINITY))
        stop('step-limit', stepText(step.name, grants.limits), false);
    },
    stop,
  );
  child.on('error', (error) => finish({ code: null, signal: null, detail: error.message }));
  child.on('close', (code, signal) => finish({ code, signal, detail: state.stderr }));

  function finish(exit: Exit): void {
    isOver = true;
    clearTimeout(escalation);
    clearInterval(watch);
    const { detail } = exit;
    const error =
      state.fault !== null
        ? new ChildError(state.fault[0], state.fault[1], detail, state.step?.name.slice(0, MAX_STEP_LENGTH))
        : errorOf(exit, { line: state.line, cpuMs: state.cpuMs, hasStarted: listening }, grants.limits);
    if (error === null && state.line?.kind === 'result') ended.resolve(state.line.result);
    else ended.reject(error);
    ready.reject(error ?? new ChildError('start-failed', 'The child ended before its input.', detail));
  }

  return {
    ready: ready.promise,
    get ended() {
      return isOver;
    },
    discard: () => signalGroup(child, 'SIGKILL'),
    async run<Input, Message, Result>(run: ChildRun<Input, Message>): Promise<Result> {
      onMessage = (message) => {
        try {
          run.onMessage(message as Message);
        } catch (error) {
          stop('crashed', `The message of the child could not be handled: ${String(error)}`, false);
        }
      };
      onQuestion = run.onQuestion ?? null;
      const cancel = (): void => stop('cancelled', 'The work was cancelled.', true);
      const deadline = setTimeout(
        () => stop('wall-limit', wallText(run.wallMs, state.cpuMs), true),
        run.wallMs,
      );
      run.signal.addEventListener('abort', cancel, { once: true });
      if (run.signal.aborted) cancel();
      else child.stdin?.write(`${JSON.stringify(run.input)}\n`);
      try {
        return (await ended.promise) as Result;
      } finally {
        clearTimeout(deadline);
        run.signal.removeEventListener('abort', cancel);
      }
    },
  };
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  detail: string;
}

/** Why a child that was not ended by this process has no result; null when it has one. */
function errorOf(
  { code, signal, detail }: Exit,
  seen: { line: ChildLine<unknown, unknown> | null; cpuMs: number; hasStarted: boolean },
  limits: ChildGrants['limits'],
): ChildError | null {
  const { line } = seen;
  if (line?.kind === 'result' && code === 0) return null;
  if (
    /heap out of memory|Reached heap limit|Array buffer allocation failed|ERR_MEMORY_ALLOCATION_FAILED/.test(
      detail,
    )
  ) {
    return memoryError(limits, detail);
  }
  if (line?.kind === 'error') {
    if (/Array buffer allocation failed|Invalid (?:string|array) length/.test(line.message))
      return memoryError(limits, line.stack);
    if (/^E(?:FBIG|DQUOT)\b/.test(line.message))
      return new ChildError('output-limit', outputText(limits), line.stack);
    return new ChildError(
      'crashed',
      `${line.name}: ${line.message}`.slice(0, 1000),
      line.stack.slice(0, STDERR_BYTES),
    );
  }
  // The kernel has ended it where this process looked too late.
  if (signal === 'SIGXCPU' || seen.cpuMs >= limits.cpuMs)
    return new ChildError('cpu-limit', cpuText(limits), detail);
  if (isKilled(code, signal, detail))
    return new ChildError('killed', 'The child was ended by a signal from outside.', detail);
  if (!seen.hasStarted) {
    const how = signal === null ? `status ${code}` : `signal ${signal}`;
    return new ChildError('start-failed', `The child ended with ${how} before it could start.`, detail);
  }
  return new ChildError(
    'crashed',
    `The child ended with ${signal ?? `status ${code}`} and no result.`,
    detail,
  );
}

/** Wrappers report the signal of their child as their own, as 128 and its number, or fail at sending it to themselves. */
const isKilled = (code: number | null, signal: NodeJS.Signals | null, detail: string): boolean =>
  signal === 'SIGKILL' ||
  signal === 'SIGTERM' ||
  code === 137 ||
  code === 143 ||
  (code === 1 && /^unshare: sigprocmask/m.test(detail));

const seconds = (ms: number): number => Math.round(ms / 1000);

const cpuText = ({ cpuMs }: ChildGrants['limits']): string =>
  `The work needs more than ${seconds(cpuMs)} s of CPU time.`;
const outputText = ({ outputBytes }: ChildGrants['limits']): string =>
  `The work writes more than ${outputBytes} bytes.`;
const wallText = (wallMs: number, cpuMs: number): string =>
  `The work did not end within ${seconds(wallMs)} s and had used ${seconds(cpuMs)} s of CPU time: the server is busy, or the work hangs.`;

function memoryError({ memoryMb }: ChildGrants['limits'], detail: string): ChildError {
  return new ChildError('memory-limit', `The work needs more than ${memoryMb} MB of memory.`, detail);
}

function watchUsage(
  child: ChildProcess,
  { writable, limits }: ChildGrants,
  onCpu: (cpuMs: number) => void,
  stop: (fault: ChildFault, message: string, gently: boolean) => void,
): NodeJS.Timeout {
  let busy = false;
  return setInterval(async () => {
    if (busy || child.pid === undefined) return;
    busy = true;
    const [written, usage] = await Promise.all([folderBytes(writable), processUsage(child.pid)]);
    if (usage !== null) onCpu(usage.cpuMs);
    if (written > limits.outputBytes) stop('output-limit', outputText(limits), false);
    if (usage !== null && usage.cpuMs > limits.cpuMs) stop('cpu-limit', cpuText(limits), false);
    if (usage !== null && usage.residentBytes > (limits.memoryMb + BESIDE_HEAP_MB) * 1024 ** 2)
      stop('memory-limit', memoryError(limits, '').message, false);
    if (usage !== null && usage.threads > MAX_THREADS)
      stop('crashed', `The child started more than ${MAX_THREADS} threads.`, false);
    busy = false;
  }, WATCH_MS);
}

function readLines<Line>(stream: Readable, take: (line: Line) => void, flood: (why: string) => void): void {
  let rest: Buffer[] = [];
  let pending = 0;
  let total = 0;
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    total += chunk.byteLength;
    if (total > CHANNEL_BYTES) return flood('The child sends more messages than it may.');
    for (let at = 0; at < chunk.byteLength; ) {
      const end = chunk.indexOf(10, at);
      const part = chunk.subarray(at, end === -1 ? chunk.byteLength : end);
      rest.push(part);
      pending += part.byteLength;
      at += part.byteLength + 1;
      if (pending > LINE_BYTES) return flood('The child sends a message that is larger than it may be.');
      if (end === -1) return;
      const text = Buffer.concat(rest).toString('utf8');
      rest = [];
      pending = 0;
      let line: Line;
      try {
        line = JSON.parse(text) as Line;
      } catch {
        return flood('The child sends what is not its protocol.');
      }
      take(line);
    }
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone.
  }
}
