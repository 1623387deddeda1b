import type { Files } from './fixture/fixture.ts';

/** A finding of the docs check. */
export interface TaskFinding {
  file: string;
  code: string;
  message: string;
  severity: string;
}

/** How one turn of an attempt ended. */
export interface TurnEnd {
  /** Whether the model ended it by itself: not failed, and not stopped by a limit. */
  isFinished: boolean;
  /** What was said to the person who asked: the summary, and the question if there is one. */
  answer: string;
  /** The docs after the turn. */
  files: Files;
}

/** What came of a task, as its checks see it. */
export interface Attempt {
  start: Files;
  /** One for each prompt. */
  turns: readonly TurnEnd[];
  /** The docs after the last turn. */
  end: Files;
  /** Findings that the end has and the start has not. */
  newFindings: readonly TaskFinding[];
  /** All findings of the end. */
  findings: readonly TaskFinding[];
  /** Why the changes could not be published, such as a script in a page. */
  blocked: readonly string[];
}

/** One demand of a task. All of them must hold. */
export interface HardCheck {
  /** Short kebab-case name, unique within the task. */
  name: string;
  /** Null: it holds. Otherwise what is wrong, in a few words. */
  fault: string | null;
}

export interface Task {
  id: number;
  name: string;
  /** One a turn. */
  prompts: readonly string[];
  /** The docs that it begins with. */
  start(): Files;
  check(attempt: Attempt): HardCheck[];
  /** Whether this line may appear in, or vanish from, this file. What else changes is collateral. */
  allows(path: string, line: string): boolean;
}

/** A check that holds when `faults` is empty; tells the first three. */
export function demand(name: string, faults: readonly string[] | string | null): HardCheck {
  if (typeof faults === 'string' || faults === null) return { name, fault: faults };
  const more = faults.length > 3 ? ` and ${faults.length - 3} more` : '';
  return { name, fault: faults.length === 0 ? null : `${faults.slice(0, 3).join('; ')}${more}` };
}
