/** Progress of an agent as lines on standard error. */
import { printable, type Talk } from '../output.ts';

export interface PlanItem {
  text: string;
  status: 'pending' | 'in_progress' | 'completed';
}

/** Prints the progress of one job, without control characters of models and docs. */
export interface Progress {
  /** The phase of the job. */
  at(phase: string, message?: string | null): void;
  text(text: string): void;
  /** A completed tool call; `subject` is its file or folder, `result` its output. */
  tool(name: string, subject: string | null, result: string, isError: boolean): void;
  plan(items: readonly PlanItem[]): void;
  say(line: string): void;
}

/** Descriptions of the phases that are shown. */
const PHASES: Readonly<Record<string, string>> = {
  queued: 'Waiting for a worker',
  preparing: 'Reading the repository',
  waiting: 'Waiting for the model',
  publishing: 'Publishing the changes',
};

const MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;
const NAME_WIDTH = 17;
const LINE_LENGTH = 160;

/** Tools whose results are shown in another way. */
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
    tool(name, subject, result, isError) {
      if (QUIET.has(name) && !isError) return;
      const what = `  ${name.padEnd(NAME_WIDTH)} ${subject ?? ''}`.trimEnd();
      talk.say(printable(isError ? `${what}  rejected: ${oneLine(result)}` : what));
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

/** The first line of a text, truncated and without control characters. */
export function oneLine(text: string): string {
  const line = printable(text.trim().split('\n', 1)[0] ?? '');
  return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH - 1)}…` : line;
}

/** The subject of a tool call: its path or its search text. */
export function subjectOf(input: unknown): string | null {
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
