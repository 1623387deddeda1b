import type { Workspace } from '../workspace/workspace.ts';

/** One thing that is wrong with the docs, as the renderer finds it. */
export interface Finding {
  file: string;
  line: number | null;
  /** Stable kebab-case name. */
  code: string;
  message: string;
  severity: 'error' | 'warning' | 'info';
}

/**
 * What a check found. `not_checked`: it had no result, and nothing is known of the docs; `reason` is a sentence for
 * people. `stopped`: the error, with its place, beyond which nothing was checked.
 */
export type CheckResult =
  | { status: 'checked'; findings: Finding[]; stopped?: string }
  | { status: 'not_checked'; reason: string };

/** Findings that others can be compared with; null: not everything was checked. */
export function completeFindings(result: CheckResult): Finding[] | null {
  return result.status === 'checked' && result.stopped === undefined ? result.findings : null;
}

/** Looks docs over by the renderer, in a child process that cannot reach anything. Nothing of a page is executed. */
export interface DocsCheck {
  /** Every finding of the site as the workspace has it. */
  check(workspace: Workspace, signal: AbortSignal): Promise<CheckResult>;
  /** What is wrong with the front matter and the syntax of one page. */
  parse(path: string, text: string, signal: AbortSignal): Promise<CheckResult>;
  /** What an API description says of one operation, or which operations it has. */
  describeOperation(question: OperationQuestion, signal: AbortSignal): Promise<OperationAnswer>;
  /** What the texts hold that runs in the browsers of readers. */
  inspect(question: InspectQuestion, signal: AbortSignal): Promise<InspectAnswer>;
}

/** Texts whose code is looked for. */
export interface InspectQuestion {
  /** `variables`: those of docs.json that pages see. */
  files: readonly { path: string; text: string; variables: Readonly<Record<string, string>> }[];
  /** Texts of docs.json that are Markdown. */
  markup: readonly string[];
  /** Files that have to be API descriptions and nothing else. */
  descriptions: readonly { path: string; text: string }[];
}

/** Code that reaches the browsers of readers. */
export interface CodeFound {
  line: number;
  /** What it is, to follow "has". */
  what: string;
  /** Equal for the same code in another place. */
  key: string;
  /** Set when it counts only if the docs do not do the same with the host or the file already. */
  unless: { kind: 'frame' | 'api' | 'import'; name: string } | null;
}

/** In the order of the question; or why the result is missing, a sentence for people. */
export type InspectAnswer =
  | {
      status: 'inspected';
      files: CodeFound[][];
      markup: CodeFound[][];
      /** Why a file is not an API description; null: it is one. */
      descriptions: (string | null)[];
    }
  | { status: 'not_inspected'; reason: string };

export interface OperationQuestion {
  /** Path of the description. Its ending distinguishes JSON from YAML. */
  file: string;
  /** The description itself. */
  text: string;
  /** Other files by path: those to which the description refers, and overlays. */
  files: Readonly<Record<string, string>>;
  /** Files that change the description, in their order. */
  overlays: readonly string[];
  /** Any case; `webhook` with the name of the webhook as path. Null: the operations are listed. */
  operation: { method: string; path: string } | null;
  /** Of a list: only operations whose method, path, name, tags or summary contain all of these words. */
  filter: string;
  /** Of a long result, from 1. */
  page: number;
}

/** A text of a few KB, or the reason why it is missing and what exists instead. */
export type OperationAnswer = { text: string } | { fault: string };

/** Findings split by whether the base has them already; lines may have moved. */
export interface FindingDifference {
  new: Finding[];
  known: Finding[];
  /** Findings of the base that are gone. */
  fixed: Finding[];
}
