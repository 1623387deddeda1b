import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildLimits } from './child.ts';
import { detectIsolation, type Isolation, type IsolationLog, logIsolation } from './isolation.ts';
import { type StartedChild, startChild } from './start-child.ts';

export interface SandboxOptions {
  /** Absolute path of the children's main module; it speaks protocol.ts. */
  module: string;
  /** Folder of the children's folders; on the file system of the folders given to `run`. Made when not there. */
  folder: string;
  limits: ChildLimits;
  log: IsolationLog;
}

export interface SandboxRun<Input, Message> {
  /** Folder that the child reads; it is moved away and gone afterwards. */
  readable: string;
  /** Folder that the child's output is moved to; must be empty or not there, its parent must be. */
  writable: string;
  /** The input, made with the folders' names inside the sandbox. */
  input(folders: { readable: string; writable: string }): Input;
  signal: AbortSignal;
  onMessage(message: Message): void;
  /**
   * Answers a question of the child. `folder` is one that the child reads and this process may write; it is gone
   * afterwards.
   */
  onQuestion?(question: unknown, folder: string): Promise<unknown>;
}

export interface Sandbox {
  /** How children are cut off on this machine. */
  isolation(): Promise<Isolation>;
  /** As runChild, in a child that has usually loaded its modules beforehand. Throws ChildError. */
  run<Input, Message, Result>(run: SandboxRun<Input, Message>): Promise<Result>;
  /** Ends the spare. Runs continue. */
  close(): Promise<void>;
}

/** A child and the two folders that it was granted when it started. */
interface Slot {
  folder: string;
  readable: string;
  writable: string;
  /** What the parent gives to questions. */
  answers: string;
  child: StartedChild;
}

/**
 * Runs one module in a fresh child each time, and keeps one spare child waiting with its modules loaded. A child
 * serves one run and never a second. Grants are fixed at the start of a process, so each child has folders of its
 * own and a run's folders are moved there and back.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { limits, log } = options;
  let spare: Promise<Slot> | null = null;
  let closed = false;

  const open = async (): Promise<Slot> => {
    const folder = join(options.folder, randomBytes(8).toString('hex'));
    const readable = join(folder, 'source');
    const writable = join(folder, 'output');
    const answers = join(folder, 'answers');
    // Folders must be there when the child starts: Node grants what is a folder then as a folder.
    await mkdir(readable, { recursive: true, mode: 0o700 });
    await mkdir(writable, { mode: 0o700 });
    await mkdir(answers, { mode: 0o700 });
    const { module } = options;
    // The folder around the source, since the source is moved in later and a mount of it would show the old one.
    const child = await startChild({ module, readable: [folder], writable, limits, priority: 'background' });
    return { folder, readable, writable, answers, child };
  };
  const discard = async (slot: Slot): Promise<void> => {
    slot.child.discard();
    await rm(slot.folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const prepare = (): void => {
    if (closed || spare !== null) return;
    const opened = open();
    spare = opened;
    opened
      .then(({ child }) => child.ready)
      .catch((error: unknown) => {
        // One that was taken or is being closed reports its end to its user.
        if (spare === opened) log.warn({ err: error }, 'the spare sandbox child did not start');
      });
  };
  const take = async (): Promise<Slot> => {
    const waiting = spare;
    spare = null;
    const slot = await waiting?.catch(() => null);
    if (slot === undefined || slot === null) return open();
    if (!slot.child.ended) return slot;
    await discard(slot);
    return open();
  };

  void logIsolation(log);
  prepare();

  return {
    isolation: detectIsolation,
    async run<Input, Message, Result>(run: SandboxRun<Input, Message>): Promise<Result> {
      const slot = await take();
      try {
        const onQuestion = run.onQuestion?.bind(run);
        await rename(run.readable, slot.readable);
        const result = await slot.child.run<Input, Message, Result>({
          input: run.input({ readable: slot.readable, writable: slot.writable }),
          wallMs: limits.wallMs,
          signal: run.signal,
          onMessage: (message) => run.onMessage(message),
          ...(onQuestion === undefined
            ? {}
            : { onQuestion: (question: unknown) => onQuestion(question, slot.answers) }),
        });
        await rename(slot.writable, run.writable);
        return result;
      } finally {
        await discard(slot);
        prepare();
      }
    },
    async close() {
      closed = true;
      const waiting = spare;
      spare = null;
      const slot = await waiting?.catch(() => null);
      if (slot !== undefined && slot !== null) await discard(slot);
    },
  };
}
