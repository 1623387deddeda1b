import type { ModelUsage } from '../../platform/model/port.ts';
import type { Finding } from '../check/docs-check.ts';
import type { CheckSummary, EventBody, HeldCode, JobEvent, JobUsage, TurnCounters } from '../record.ts';
import type { ToolMemory } from '../tools/tool.ts';
import type { Overlay } from '../workspace/workspace.ts';

/** The state of a job, according to its journal. */
export interface JournalState {
  /** Every event so far, oldest first. */
  events: JobEvent[];
  overlay: Overlay;
  memory: ToolMemory;
  counters: TurnCounters;
  usage: JobUsage;
  /** Of the last changes that were checked to the end; null: none. */
  verdict: Verdict | null;
  /** When the turn started. */
  turnStartedAt: Date;
}

/** What the checks say of changes. It holds for the changes with this key, whichever worker publishes them. */
export interface Verdict extends Review {
  key: string;
  checks: CheckSummary;
  blocking: Finding[];
}

/** What the changes of a turn hold besides findings. */
export interface Review {
  /** What may not be published: the file, empty if it is about all changes together, and one sentence. */
  refused: { path: string; text: string }[];
  /** New code for the browsers of readers. */
  held: HeldCode[];
}

/** What one save writes; all of it or nothing. */
export interface Entry {
  events?: readonly EventBody[];
  counters?: TurnCounters;
  usage?: JobUsage;
  memory?: ToolMemory;
  /** Paths that changed: their text now, or null when deleted; `undefined` = as at the base again. */
  files?: ReadonlyMap<string, string | null | undefined>;
  checks?: CheckSummary;
  verdict?: Verdict;
}

/** What a call of the model took; `costUsd` is null where the price is not known. */
export interface CallSpent {
  usage: ModelUsage;
  costUsd: number | null;
}

/**
 * Keeps a turn: each save is one transaction under the job's fence. A save of a worker that has lost the job throws
 * LostJobError and writes nothing.
 */
export interface Journal {
  load(): Promise<JournalState>;
  save(entry: Entry): Promise<JobEvent[]>;
  /**
   * Follow-ups that the model has not received yet become `prompt` events in one transaction; returns those.
   */
  takeMessages(): Promise<JobEvent[]>;
  /** A row before a call of the model; the returned function closes it. */
  beginCall(): Promise<(outcome: string, spent: CallSpent | null) => Promise<void>>;
}

/** Another worker, a cancel or an archive has taken the job away. */
export class LostJobError extends Error {
  override name = 'LostJobError';
}
