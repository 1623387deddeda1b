import { counted } from '@offprint/contract/counted';
import type { AssistantPart, Finish, ModelUsage, ToolResult } from '../platform/model/port.ts';
import type { Finding } from './check/docs-check.ts';
import type { FinishRequest, ToolMemory } from './tools/tool.ts';

/** Why a job failed; `failure.code` of the API. */
export type FailureCode =
  | 'model_auth'
  | 'model_unavailable'
  | 'context_overflow'
  | 'budget'
  | 'timeout'
  | 'stuck'
  | 'repo_unreachable'
  | 'repo_auth'
  | 'repo_too_large'
  | 'branch_moved'
  | 'push_rejected'
  | 'pr_rejected'
  | 'policy'
  | 'cancelled'
  | 'internal';

/** An event of a job by kind, as stored in `agent_events.body`. Those but `state` and `published` make the model's input. */
export type EventBody =
  | { kind: 'state'; phase: string; message?: string; until?: string }
  | { kind: 'prompt'; text: string }
  | { kind: 'assistant'; parts: AssistantPart[]; finish: Finish; usage: ModelUsage }
  /** `finish` when one of the calls ended the turn. */
  | { kind: 'results'; results: ToolResult[]; finish?: FinishRequest }
  /** Said to the model by us: a nudge, a conflict, new findings. */
  | { kind: 'notice'; text: string }
  /** Events before `firstKeptSeq` are replaced by the summary. */
  | { kind: 'compaction'; summary: string; firstKeptSeq: number }
  | { kind: 'published'; branch: string; commit: string; prLink: string | null };

export type JobEvent = EventBody & { seq: number; turn: number; at: Date };

/** Counters of one turn, kept with each step. */
export interface TurnCounters {
  steps: number;
  nudges: number;
  compactions: number;
  /** Model calls in a row that failed and were repeated. */
  retries: number;
  /** When the first of them failed, milliseconds since 1970; null: none. */
  failingSince: number | null;
  /** Tool calls in a row that named no tool or had wrong parameters. */
  invalidCalls: number;
  /** Event by which it was warned of going in circles; null: not yet. */
  warnedSeq: number | null;
  /** Results of tools before this event are replaced with a stub; 0: none. */
  evictedBefore: number;
  input: number;
  output: number;
  /** Null: prices are unknown. */
  costUsd: number | null;
}

/** Sums over the whole job. */
export interface JobUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
  calls: number;
  costUsd: number | null;
}

/** How the model ended its turn, or why it was ended for it. */
export interface TurnOutcome extends FinishRequest {
  /** Set when a budget, the time or going in circles ended the turn; then the pull request is a draft. */
  stopped: {
    code: 'budget' | 'timeout' | 'stuck' | 'context_overflow' | 'model_unavailable';
    message: string;
  } | null;
  /** Rejected files that are not part of what was published, one sentence each; then the pull request is a draft. */
  leftOut?: string[];
  /** Folder of the docs in the repository. Rows of earlier versions have none. */
  docsFolder?: string;
  /** New code that keeps the pull request a draft. Rows of earlier versions have none. */
  held?: HeldCode[];
}

/** New code for the browsers of readers, which a person has to release. */
export interface HeldCode {
  /** Below the docs root; '' when it is about all changes together. */
  path: string;
  line: number | null;
  /** To follow the place: `has a function`. */
  message: string;
}

/** A held place as one line. */
export const sayHeld = ({ path, line, message }: HeldCode): string =>
  path === '' ? message : `\`${path}\`${line === null ? '' : `, line ${line}`}: ${message}`;

const MAX_SHOWN = 10;

/** What people are shown about held code in the transcript. */
export function heldText(held: readonly HeldCode[]): string {
  const shown = held.slice(0, MAX_SHOWN).map(sayHeld);
  const rest = held.length - shown.length;
  return `The pull request stays a draft until a person has reviewed new code for the browsers of readers. ${shown.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}.`;
}

/** A pull request of a job. */
export interface JobPullRequest {
  number: number | null;
  url: string;
  branch: string;
  state: 'open' | 'merged' | 'closed';
}

/** Findings that count: new against the base, and base findings that are gone; both 0 when not checked. */
export interface CheckSummary {
  /** Rows of earlier versions have none: they were checked. */
  status?: 'checked' | 'not_checked';
  /** Why the check had no result. */
  reason?: string;
  new: number;
  fixed: number;
  /** The new ones, at most MAX_KEPT_FINDINGS, those that block first. Rows of earlier versions have none. */
  findings?: Finding[];
}

export const MAX_KEPT_FINDINGS = 100;
const MAX_FINDING_TEXT = 1_000;

/** A finding as it is stored and shown; names and messages hold text of the docs. */
export function keptFinding({ file, line, code, message, severity }: Finding): Finding {
  const kept = (text: string): string => text.slice(0, MAX_FINDING_TEXT).toWellFormed().replaceAll('\0', ' ');
  return { file: kept(file), line, code: kept(code), message: kept(message), severity };
}

/** A finding as one line of Markdown. */
export const sayFinding = ({ file, line, code, message }: Finding): string =>
  `\`${file}${line === null ? '' : `:${line}`}\` ${code}: ${message}`;

/** `1 new problem`, `2 new problems`. */
export const countProblems = (count: number): string => counted(count, 'new problem');

/** What people are shown about a check without a result. */
export const notCheckedText = ({
  reason = 'the check had no result.',
}: Pick<CheckSummary, 'reason'>): string => `The docs were not checked: ${reason}`;

export const EMPTY_MEMORY: ToolMemory = { readPaths: [], plan: [] };

export const EMPTY_COUNTERS: TurnCounters = {
  steps: 0,
  nudges: 0,
  compactions: 0,
  retries: 0,
  failingSince: null,
  invalidCalls: 0,
  warnedSeq: null,
  evictedBefore: 0,
  input: 0,
  output: 0,
  costUsd: null,
};
