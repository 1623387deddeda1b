import { writeSync } from 'node:fs';
import { type Seal, seal } from './seal.ts';

/** A line from the child to the parent, as JSON on descriptor 3. */
export type ChildLine<Message, Result> =
  | { kind: 'ready' }
  | { kind: 'message'; message: Message }
  /** What the child works on from now, such as the file of a page; null after the last one. */
  | { kind: 'step'; step: string | null }
  /** A question; the parent replies with a ParentLine of that number. */
  | { kind: 'question'; number: number; question: unknown }
  | { kind: 'result'; result: Result }
  | { kind: 'error'; name: string; message: string; stack: string };

/** The first line from the parent, as JSON on standard input. */
export interface ChildStart<Input> {
  input: Input;
  folders: ChildFolders;
}

export interface ChildFolders {
  /** The folder that the child reads. */
  source: string;
  /** The folder that the child writes. */
  output: string;
}

/** The reply to a question, and the folder with the files that belong to it. */
export interface ChildAnswer {
  answer: unknown;
  folder: string;
}

/** A line from the parent after the first, as JSON on standard input. */
export interface ParentLine {
  number: number;
  answer: unknown;
}

const CHANNEL = 3;

/** What the work of a child may say to its parent. */
export interface ChildTalk<Message> {
  folders: ChildFolders;
  send(message: Message): void;
  /** Announces what it works on from now, to which `stepCpuMs` applies; null after the last one. */
  begin(step: string | null): void;
  /** Asks the parent for what the child may not do itself. Never settles if the parent does not reply. */
  ask(question: unknown): Promise<ChildAnswer>;
}

/**
 * The child's side of runChild: applies the Seal that is the first line of standard input, waits for the one input in
 * the second line, hands it to `handle` and ends the process with its result. The process also ends when standard input does, since then the parent is gone.
 * Call it last in the main module, so that everything is loaded while the child waits: native modules cannot be loaded
 * afterwards.
 */
export function serveOnce<Input, Message, Result>(
  handle: (input: Input, talk: ChildTalk<Message>) => Promise<Result> | Result,
): void {
  const send = (line: ChildLine<Message, Result>): void => writeAll(`${JSON.stringify(line)}\n`);
  const waiting = new Map<number, (answer: ChildAnswer) => void>();
  let received = '';
  let isSealed = false;
  let started = false;
  let questions = 0;
  const talkIn = (folders: ChildFolders): ChildTalk<Message> => ({
    folders,
    send: (message) => send({ kind: 'message', message }),
    begin: (step) => send({ kind: 'step', step }),
    ask: (question) =>
      new Promise((resolve) => {
        waiting.set(++questions, resolve);
        send({ kind: 'question', number: questions, question });
      }),
  });
  const take = (line: string): void => {
    if (!isSealed) {
      seal(JSON.parse(line) as Seal);
      isSealed = true;
      send({ kind: 'ready' });
    } else if (started) {
      const { number, answer } = JSON.parse(line) as ParentLine;
      waiting.get(number)?.(answer as ChildAnswer);
      waiting.delete(number);
    } else {
      started = true;
      void answer(line);
    }
  };
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text: string) => {
    received += text;
    for (let end = received.indexOf('\n'); end !== -1; end = received.indexOf('\n')) {
      const line = received.slice(0, end);
      received = received.slice(end + 1);
      take(line);
    }
  });
  process.stdin.on('end', () => process.exit(1));
  process.stdin.on('error', () => process.exit(1));
  // The child may be the first process of its namespace, to which signals without a handler do nothing.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

  async function answer(line: string): Promise<void> {
    try {
      const { input, folders } = JSON.parse(line) as ChildStart<Input>;
      const result = await handle(input, talkIn(folders));
      send({ kind: 'result', result });
    } catch (error) {
      const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
      send({ kind: 'error', name, message, stack });
      process.exit(1);
    }
    process.exit(0);
  }
}

/** A pipe takes what it has room for; the rest waits for the parent to read. */
function writeAll(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.byteLength; ) {
    try {
      at += writeSync(CHANNEL, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') process.exit(1);
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
