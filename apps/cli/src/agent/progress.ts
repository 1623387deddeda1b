/** What an agent does, as lines for a person who watches. */
import { printable, type Talk } from '../output.ts';

export interface PlanItem {
  text: string;
  status: 'pending' | 'in_progress' | 'completed';
}

/** Lines of one job's progress on standard error. Text of models and of docs is printed without control characters. */
export interface Progress {
  /** Where the job is. */
  at(phase: string, message?: string | null): void;
  text(text: string): void;
  /** A call of a tool that has been answered; `about` is the file or folder, `answer` what it said. */
  tool(name: string, about: string | null, answer: string, isError: boolean): void;
  plan(items: readonly PlanItem[]): void;
  say(line: string): void;
}

/** What a phase is called, when it is worth a line. */
const PHASES: Readonly<Record<string, string>> = {
  queued: 'waits for a worker',
  preparing: 'reads the repository',
  waiting: 'waits for the model',
  publishing: 'publishes the changes',
};

const MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;
const NAME_WIDTH = 17;
const LINE_LENGTH = 160;

/** Tools that speak for themselves by other lines. */
const QUIET = new Set(['update_plan', 'finish']);

export function createProgress(talk: Talk): Progress {
  let lastPhase = '';
  let lastPlan = '';
  return {
    at(phase, message) {
      const line = PHASES[phase];
      const text = line === undefined ? '' : message ? `${line}: ${oneLine(message)}` : line;
      if (text === '' || text === lastPhase) return;
      lastPhase = text;
      talk.say(text);
    },
    text(text) {
      for (const line of text.trim().split('\n')) talk.say(printable(line.trimEnd()));
    },
    tool(name, about, answer, isError) {
      if (QUIET.has(name) && !isError) return;
      const what = `  ${name.padEnd(NAME_WIDTH)} ${about ?? ''}`.trimEnd();
      talk.say(printable(isError ? `${what}  refused: ${oneLine(answer)}` : what));
    },
    plan(items) {
      const lines = items.map(({ text, status }) => `  ${MARKS[status]} ${oneLine(text)}`);
      if (lines.length === 0 || lines.join('\n') === lastPlan) return;
      lastPlan = lines.join('\n');
      for (const line of lines) talk.say(line);
    },
    say: (line) => talk.say(printable(line)),
  };
}

/** The first line of a text, not too long and harmless on a terminal. */
export function oneLine(text: string): string {
  const line = printable(text.trim().split('\n', 1)[0] ?? '');
  return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH - 1)}…` : line;
}

/** What a call of a tool is about: its path or what it looks for. */
export function aboutOf(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return null;
  const fields = input as Record<string, unknown>;
  for (const key of ['path', 'from', 'node', 'glob', 'spec', 'query', 'find']) {
    const value = fields[key];
    if (typeof value === 'string' && value !== '') {
      const to = key === 'from' && typeof fields.to === 'string' ? ` -> ${fields.to}` : '';
      return oneLine(`${value}${to}`);
    }
  }
  return null;
}
