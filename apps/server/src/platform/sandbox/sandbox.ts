import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import type { ChildLimits, ChildPriority } from './child.ts';
import { detectIsolation } from './isolation.ts';
import type { ChildAnswer, ChildStart } from './protocol.ts';
import { type IsolationLog, isolationReport, logIsolation } from './report.ts';
import { type StartedChild, startChild } from './start-child.ts';

/** A main module that runs as a child. It speaks protocol.ts. */
export interface ChildProgram {
  /** Absolute path. */
  module: string;
  priority: ChildPriority;
  /** Exports are large and run in their own slots, so that a short check never waits for one. */
  slot: 'export' | 'image' | 'check';
}

/** Everything that may run as a child, by name. */
export type ChildPrograms = Readonly<Record<string, ChildProgram>>;

export interface SandboxRun<Input> {
  /** Name of the program. */
  program: string;
  /** One JSON value. */
  input: Input;
  /** Folder that the child reads, on the file system of the sandbox. It may be gone afterwards. */
  source?: string;
  /**
   * Folder that takes the files of the child. It must not exist or be empty; its parent must exist. Without it, the
   * files are removed.
   */
  output?: string;
  limits: ChildLimits;
  /** Milliseconds to wait for a free slot, where there is no child at once; default: until the signal aborts. */
  waitMs?: number;
  signal: AbortSignal;
  onMessage?(message: unknown): void;
  /** Answers a question of the child. `folder` takes the files that belong to the reply. */
  onQuestion?(question: unknown, folder: string): Promise<unknown>;
}

/** Runs programs on hostile content, each in a process of its own. */
export interface Sandbox {
  /**
   * Runs a program and returns its result. Throws ChildError. Result, messages, questions and files are as
   * trustworthy as the content: check them before use.
   */
  run<Input>(run: SandboxRun<Input>): Promise<unknown>;
  /** Throws an Error that says why no child can start now. */
  check(): Promise<void>;
  /** What is kept from children, with the mechanisms that do so. */
  report(): Promise<Record<string, string[]>>;
  /** Ends what waits for work. Runs continue. */
  close(): Promise<void>;
}

export interface SandboxOptions {
  programs: ChildPrograms;
  /** Folder of the children's folders. Made when it is missing. */
  folder: string;
  /** Keeps one child of this program waiting, with its modules loaded and these limits. */
  spare?: { program: string; limits: ChildLimits };
  log: IsolationLog;
}

/** What is fixed when a child starts. */
interface Grants {
  program: ChildProgram;
  limits: ChildLimits;
}

/** A child and the folders that it was granted when it started. */
interface Slot {
  folder: string;
  source: string;
  output: string;
  /** What the parent gives to questions. */
  answers: string;
  child: StartedChild;
}

/**
 * Runs programs as children of this process. A child serves one run and never a second. Grants are fixed at the
 * start of a process, so each child has folders of its own and a run's folders are moved there and back.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { log } = options;
  let spare: Promise<Slot> | null = null;
  let closed = false;

  const programOf = (name: string): ChildProgram => {
    const program = Object.hasOwn(options.programs, name) ? options.programs[name] : undefined;
    if (program === undefined) throw new TypeError(`there is no child program ${name}`);
    return program;
  };
  const open = async ({ program, limits }: Grants): Promise<Slot> => {
    const folder = join(options.folder, randomBytes(8).toString('hex'));
    const source = join(folder, 'source');
    const output = join(folder, 'output');
    const answers = join(folder, 'answers');
    // Folders must be there when the child starts: Node grants what is a folder then as a folder.
    await makeFolder(source, 0o700);
    await mkdir(output, { mode: 0o700 });
    await mkdir(answers, { mode: 0o700 });
    try {
      // The folder around the source, since the source is moved in later and a mount of it would show the old one.
      const child = await startChild({
        module: program.module,
        readable: [folder],
        writable: output,
        limits,
        priority: program.priority,
      });
      return { folder, source, output, answers, child };
    } catch (error) {
      await removeFolder(folder);
      throw error;
    }
  };
  const discard = async (slot: Slot): Promise<void> => {
    slot.child.discard();
    await removeFolder(slot.folder);
  };
  const prepare = (): void => {
    if (closed || spare !== null || options.spare === undefined) return;
    const opened = open({ program: programOf(options.spare.program), limits: options.spare.limits });
    spare = opened;
    opened
      .then(({ child }) => child.ready)
      .catch((error: unknown) => {
        // One that was taken or is being closed reports its end to its user.
        if (spare === opened) log.warn({ err: error }, 'the spare sandbox child did not start');
      });
  };
  const suitsSpare = (name: string, limits: ChildLimits): boolean =>
    options.spare?.program === name && grantsText(options.spare.limits) === grantsText(limits);
  const take = async (name: string, limits: ChildLimits): Promise<Slot> => {
    const grants = { program: programOf(name), limits };
    if (!suitsSpare(name, limits)) return open(grants);
    const waiting = spare;
    spare = null;
    const slot = await waiting?.catch(() => null);
    if (slot === undefined || slot === null) return open(grants);
    if (!slot.child.ended) return slot;
    await discard(slot);
    return open(grants);
  };

  void logIsolation(log);
  prepare();

  return {
    async run<Input>(run: SandboxRun<Input>): Promise<unknown> {
      const slot = await take(run.program, run.limits);
      try {
        const { source, output } = slot;
        if (run.source !== undefined) await rename(run.source, source);
        const result = await slot.child.run<ChildStart<Input>, unknown, unknown>({
          input: { input: run.input, folders: { source, output } },
          wallMs: run.limits.wallMs,
          signal: run.signal,
          onMessage: (message) => run.onMessage?.(message),
          ...answering(run, slot.answers),
        });
        if (run.output !== undefined) await rename(output, run.output);
        return result;
      } finally {
        await discard(slot);
        prepare();
      }
    },
    check: async () => {
      await detectIsolation();
    },
    report: isolationReport,
    async close() {
      closed = true;
      const waiting = spare;
      spare = null;
      const slot = await waiting?.catch(() => null);
      if (slot !== undefined && slot !== null) await discard(slot);
    },
  };
}

/** Each reply has a folder of its own, which exists while the child runs. */
function answering(
  { onQuestion }: Pick<SandboxRun<unknown>, 'onQuestion'>,
  answers: string,
): { onQuestion?(question: unknown): Promise<unknown> } {
  if (onQuestion === undefined) return {};
  let number = 0;
  return {
    async onQuestion(question) {
      const folder = join(answers, String(++number));
      await mkdir(folder, { mode: 0o700 });
      const answer = await onQuestion(question, folder);
      return { answer, folder } satisfies ChildAnswer;
    },
  };
}

/** The limits that are fixed when a child starts, in one text. */
const grantsText = ({ cpuMs, memoryMb, outputBytes }: ChildLimits): string =>
  `${cpuMs} ${memoryMb} ${outputBytes}`;

const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5 });
