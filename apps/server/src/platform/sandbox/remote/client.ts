import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '@offprint/bundle/make-folder';
import { requestStatus, requestUpgrade } from '../../net/upgrade.ts';
import { ChildError } from '../child.ts';
import type { IsolationLog } from '../report.ts';
import type { Sandbox, SandboxRun } from '../sandbox.ts';
import { FolderError, type FolderReceiver, packFolder, receiveFolder } from './folder-stream.ts';
import { type Link, LinkError, type LinkTiming, openLink } from './link.ts';
import {
  limitText,
  MAX_QUESTIONS,
  MAX_TOTAL_MESSAGE_BYTES,
  PROTOCOL,
  type RendererMessage,
  rendererMessage,
  runPath,
  VERSION_HEADER,
  type WorkerMessage,
} from './messages.ts';

export interface RemoteSandboxOptions {
  /** Origin of the renderers: `http://host:port`. */
  url: string;
  /** Version of this program, which the renderer must have too. */
  version: string;
  /** Folder of the files for replies. Made when it is missing. */
  folder: string;
  log: IsolationLog;
  timing?: Partial<LinkTiming>;
}

const RESPONSE_MS = 10_000;
/** Pauses between two requests: while all renderers are busy, and while none exists. */
const BUSY_MS = { first: 50, last: 1_000 };
const UNAVAILABLE_MS = { first: 250, last: 5_000 };
const LOG_EVERY_MS = 60_000;
/** The renderer enforces the limit of time. It has this much more to report it. */
const WALL_MARGIN_MS = 30_000;
const MAX_OUTPUT_FILES = 500_000;
/** Times that a renderer may stop in an orderly way during one run. */
const MAX_STOPS = 10;
const DETAIL_LENGTH = 8 * 1024;

/** A file of the output: no folder, and nothing that hides or that a shell could misread. */
const isOutputName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name);

/**
 * Runs programs in renderers: other containers, of which one connection serves one run. A renderer has processed
 * hostile content and is trusted no more than a child: sizes, names, numbers and forms of everything that it sends are
 * checked, and its errors are reported in words of this process.
 */
export function createRemoteSandbox(options: RemoteSandboxOptions): Sandbox {
  const { log, url } = options;
  const closing = new AbortController();
  let unavailableSince: number | null = null;
  let loggedAt = Number.NEGATIVE_INFINITY;

  const noteUnavailable = (reason: string): void => {
    const now = performance.now();
    unavailableSince ??= now;
    if (now - loggedAt < LOG_EVERY_MS) return;
    loggedAt = now;
    const seconds = Math.round((now - unavailableSince) / 1000);
    log.warn({ url, reason, seconds }, 'no renderer is available: exports and checks wait for it');
  };
  const noteAvailable = (): void => {
    if (unavailableSince === null) return;
    unavailableSince = null;
    loggedAt = Number.NEGATIVE_INFINITY;
    log.info({ url }, 'a renderer is available again');
  };
  /** A connection for one run. Throws ChildError, or the reason of the signal. */
  const connect = async ({ program, waitMs }: SandboxRun<unknown>, signal: AbortSignal): Promise<Link> => {
    const until = performance.now() + (waitMs ?? Number.POSITIVE_INFINITY);
    const target = new URL(runPath(program), url);
    const headers = { [VERSION_HEADER]: options.version };
    for (let tries = 0; ; tries++) {
      const request = { protocol: PROTOCOL, headers, timeoutMs: RESPONSE_MS, signal };
      const reply = await requestUpgrade(target, request).catch((error: unknown) => ({ error }));
      if ('socket' in reply) {
        noteAvailable();
        return openLink(reply.socket, reply.head, options.timing);
      }
      signal.throwIfAborted();
      const isBusy = 'status' in reply && reply.status === 429;
      const reason = 'status' in reply ? refusalText(reply.status) : String(reply.error);
      if (isBusy) noteAvailable();
      else noteUnavailable(reason);
      const pause = pauseAfter(tries, isBusy ? BUSY_MS : UNAVAILABLE_MS);
      if (performance.now() + pause > until)
        throw new ChildError('start-failed', 'No renderer was free in time.', reason);
      await sleep(pause, undefined, { signal });
    }
  };
  const run = async (given: SandboxRun<unknown>): Promise<unknown> => {
    const signal = AbortSignal.any([given.signal, closing.signal]);
    const folder = join(options.folder, randomBytes(8).toString('hex'));
    try {
      if (given.onQuestion !== undefined) await makeFolder(folder, 0o700);
      for (let stops = 0; stops <= MAX_STOPS; stops++) {
        const outcome = await runOnce(await connect(given, signal), given, { folder, signal });
        if (outcome !== 'stopping') return outcome.result;
        if (given.output !== undefined) await removeFolder(given.output);
      }
      throw new ChildError('killed', `The renderer stopped ${MAX_STOPS + 1} times.`, '');
    } catch (error) {
      if (given.output !== undefined) await removeFolder(given.output);
      if (signal.aborted) throw new ChildError('cancelled', 'The work was cancelled.', String(error));
      throw error;
    } finally {
      await removeFolder(folder);
    }
  };

  return {
    run,
    async check() {
      const status = await requestStatus(new URL('/readyz', url), RESPONSE_MS);
      if (status !== 200) throw new Error(`the renderer at ${url} is not ready: ${refusalText(status)}`);
    },
    // Nothing of this process is reachable from there; its own log reports the isolation of its children.
    report: async () => ({
      files: ['renderer'],
      network: ['renderer'],
      processes: ['renderer'],
      systemCalls: ['renderer'],
    }),
    async close() {
      closing.abort(new Error('the sandbox is closed'));
    },
  };
}

const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5 });

/** Grows, and differs from one process to the next. */
const pauseAfter = (tries: number, { first, last }: { first: number; last: number }): number =>
  Math.min(last, first * 1.5 ** Math.min(tries, 20)) * (0.5 + Math.random());

function refusalText(status: number): string {
  if (status === 409) return 'it has another version than this process';
  if (status === 429) return 'it has no free slot';
  if (status === 503) return 'it is starting or stopping';
  return `it returned status ${status}`;
}

interface RunPlace {
  /** Takes folders of replies. */
  folder: string;
  signal: AbortSignal;
}

/** One run on one connection, which is closed afterwards. Throws ChildError, and errors of this process. */
async function runOnce(
  link: Link,
  run: SandboxRun<unknown>,
  { folder, signal }: RunPlace,
): Promise<{ result: unknown } | 'stopping'> {
  let failure: unknown = null;
  const fail = (error: unknown): void => {
    failure ??= error;
    link.close();
  };
  const deadline = createDeadline(fail);
  const cancel = (): void => fail(new ChildError('cancelled', 'The work was cancelled.', ''));
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  deadline.set('send', run.limits.wallMs, slow('accept the source'));
  const sending = sendWork(link, run).then(
    () => deadline.set('run', run.limits.wallMs + WALL_MARGIN_MS, limitError('wall-limit', run)),
    (error: unknown) => {
      // Why the connection is closed is known to the reader.
      if (!(error instanceof LinkError)) fail(error);
    },
  );
  try {
    return await readRun(link, run, { folder, fail, deadline });
  } catch (error) {
    throw failure ?? childErrorOf(error);
  } finally {
    deadline.clear();
    signal.removeEventListener('abort', cancel);
    link.close();
    await sending;
  }
}

async function sendWork(link: Link, run: SandboxRun<unknown>): Promise<void> {
  const start: WorkerMessage = {
    kind: 'start',
    input: run.input,
    limits: run.limits,
    hasSource: run.source !== undefined,
    wantsOutput: run.output !== undefined,
    takesQuestions: run.onQuestion !== undefined,
  };
  await link.send(start);
  if (run.source === undefined) return;
  // A snapshot shares files with the copy of the repository.
  for await (const piece of packFolder(run.source, { hardLinks: true })) await link.sendData(piece);
  await link.send({ kind: 'source-end' } satisfies WorkerMessage);
}

interface ReadControl {
  folder: string;
  fail(error: unknown): void;
  deadline: ReturnType<typeof createDeadline>;
}

async function readRun(
  link: Link,
  run: SandboxRun<unknown>,
  { folder, fail, deadline }: ReadControl,
): Promise<{ result: unknown } | 'stopping'> {
  const reply = createReplies(link, run, { folder, fail });
  let receiver: FolderReceiver | null = null;
  let answer: { result: unknown } | null = null;
  let bytes = 0;
  try {
    for await (const frame of link.frames()) {
      if (frame.kind === 'data') {
        if (receiver === null) throw new LinkError('it sent files that nobody asked for');
        receiver.take(frame.data);
        continue;
      }
      bytes += frame.bytes;
      if (bytes > MAX_TOTAL_MESSAGE_BYTES) throw new LinkError('it sent too many messages');
      const message = readMessage(frame.message);
      // After the result, only files and the end may follow.
      if (answer !== null && message.kind !== 'end')
        throw new LinkError(`it sent ${message.kind} after a result`);
      switch (message.kind) {
        case 'message':
          run.onMessage?.(message.message);
          break;
        case 'question':
          reply(message.question);
          break;
        case 'result':
          answer = { result: message.result };
          deadline.set('receive', run.limits.wallMs, slow('send its files'));
          if (run.output !== undefined) receiver = await openOutput(run.output, run.limits.outputBytes);
          break;
        case 'end':
          if (answer === null) throw new LinkError('it sent an end without a result');
          receiver?.end();
          return answer;
        case 'error':
          throw new ChildError(
            message.fault,
            limitText(message.fault, run.limits, message.step) ?? message.message.slice(0, 1000),
            message.detail.slice(0, DETAIL_LENGTH),
            message.step,
          );
        case 'stopping':
          return 'stopping';
      }
    }
  } finally {
    receiver?.close();
  }
  throw new ChildError('killed', 'The connection to the renderer was lost.', '');
}

async function openOutput(folder: string, bytes: number): Promise<FolderReceiver> {
  await makeFolder(folder, 0o700);
  return receiveFolder(folder, { bytes, files: MAX_OUTPUT_FILES, accepts: isOutputName });
}

/** Replies to one question after the other. The reader continues, so that it sees the end of the run. */
function createReplies(
  link: Link,
  run: SandboxRun<unknown>,
  { folder, fail }: Pick<ReadControl, 'folder' | 'fail'>,
): (question: unknown) => void {
  let number = 0;
  let isBusy = false;
  const reply = async (question: unknown): Promise<void> => {
    // Not recursive: the folder of a run that has ended must not be made again.
    const place = join(folder, randomBytes(8).toString('hex'));
    await mkdir(place, { mode: 0o700 });
    const answer = await run.onQuestion?.(question, place);
    for await (const piece of packFolder(place)) await link.sendData(piece);
    isBusy = false;
    await link.send({ kind: 'answer', answer } satisfies WorkerMessage);
    await removeFolder(place);
  };
  return (question) => {
    if (run.onQuestion === undefined || isBusy || ++number > MAX_QUESTIONS)
      throw new LinkError('it asks what it may not');
    isBusy = true;
    reply(question).catch((error: unknown) => {
      if (error instanceof LinkError) return;
      fail(new ChildError('crashed', `No reply to the question: ${String(error)}`, ''));
    });
  };
}

function readMessage(value: unknown): RendererMessage {
  const parsed = rendererMessage.safeParse(value);
  if (!parsed.success) throw new LinkError('it sent an unknown message');
  return parsed.data;
}

/** What the reader threw, as the end of a child. Errors of this process, such as a full disk, stay what they are. */
function childErrorOf(error: unknown): unknown {
  if (error instanceof ChildError) return error;
  if (error instanceof LinkError || error instanceof FolderError)
    return new ChildError('crashed', `The renderer broke the protocol: ${error.message}.`, '');
  if (isDisconnect(error))
    return new ChildError('killed', 'The connection to the renderer was lost.', String(error));
  return error;
}

const isDisconnect = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED', 'EHOSTUNREACH'].includes(
    String(error.code),
  );

const slow = (what: string): ChildError =>
  new ChildError('killed', `The renderer did not ${what} in time.`, '');
const limitError = (fault: 'wall-limit', { limits }: SandboxRun<unknown>): ChildError =>
  new ChildError(fault, limitText(fault, limits) ?? fault, '');

const PHASES = ['send', 'run', 'receive'] as const;

/** The time limit of the phase that a run is in. A peer cannot return to an earlier one. */
function createDeadline(fail: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let current = -1;
  return {
    set(phase: (typeof PHASES)[number], ms: number, error: ChildError): void {
      if (PHASES.indexOf(phase) <= current) return;
      current = PHASES.indexOf(phase);
      clearTimeout(timer);
      timer = setTimeout(() => fail(error), ms);
    },
    clear: () => clearTimeout(timer),
  };
}
