import type { Files } from './fixture/fixture.ts';

/** A finding of the docs check. */
export interface TaskFinding {
  file: string;
  code: string;
  message: string;
  severity: string;
}

/** The result of one turn of an attempt. */
export interface TurnEnd {
  /** Whether the model finished the turn without an error or a limit. */
  isFinished: boolean;
  /** The reply to the user: the summary, and the question if the model asks one. */
  response: string;
  /** The docs after the turn. */
  files: Files;
}

/** The result of a task, as input of its checks. */
export interface Attempt {
  start: Files;
  /** One per prompt. */
  turns: readonly TurnEnd[];
  /** The docs after the last turn. */
  end: Files;
  /** Findings of `end` that `start` does not have. */
  newFindings: readonly TaskFinding[];
  /** All findings of `end`. */
  findings: readonly TaskFinding[];
  /** Reasons why the changes cannot be published, such as a script in a page. */
  blocked: readonly string[];
}

/** One requirement of a task. All of them must pass. */
export interface HardCheck {
  /** Short kebab-case name, unique within the task. */
  name: string;
  /** Null if it passes, otherwise a short description of the problem. */
  problem: string | null;
}

export interface Task {
  id: number;
  name: string;
  /** One per turn. */
  prompts: readonly string[];
  /** The initial docs. */
  start(): Files;
  check(attempt: Attempt): HardCheck[];
  /** Whether this line may be added to or removed from this file. All other changes are collateral. */
  allows(path: string, line: string): boolean;
}

/** A check that passes if `problems` is empty, and otherwise reports the first three. */
export function demand(name: string, problems: readonly string[] | string | null): HardCheck {
  if (typeof problems === 'string' || problems === null) return { name, problem: problems };
  const more = problems.length > 3 ? ` and ${problems.length - 3} more` : '';
  return { name, problem: problems.length === 0 ? null : `${problems.slice(0, 3).join('; ')}${more}` };
}
