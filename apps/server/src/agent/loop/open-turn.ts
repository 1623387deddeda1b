import type { ModelPort, ModelPrice, ToolDefinition } from '../../platform/model/port.ts';
import type { Baseline } from '../check/check-changes.ts';
import type { DocsCheck, Finding } from '../check/docs-check.ts';
import type { Draft } from '../draft.ts';
import type { WritePolicy } from '../policy/write-policy.ts';
import type { CheckSummary, FailureCode, TurnOutcome } from '../record.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import type { BaseTree, Change, Workspace } from '../workspace/workspace.ts';
import type { TurnLimits } from './budget.ts';
import type { Entry, Journal, JournalState, Review } from './journal.ts';

export interface TurnRequest {
  model: ModelPort;
  contextWindow: number;
  maxOutput: number;
  price: ModelPrice | null;
  /** Fixed part of every call of the model. */
  system: string;
  tools: readonly ToolDefinition[];
  base: BaseTree;
  /** Reads what of the base has not been read yet; default: all of it is there. */
  loadBase?(): Promise<void>;
  baseline: Baseline;
  /** Names the base and the rules of the checks: with the same name, the same changes have the same verdict. */
  basis?: string;
  policy: WritePolicy;
  check: DocsCheck;
  /** What of the changes may not be published, and what a person has to release; default nothing. */
  review?(workspace: Workspace): Promise<Review>;
  limits: TurnLimits;
  journal: Journal;
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after the given milliseconds; rejects with the reason of the signal. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Attempts to connect to a model that has never responded; default: as many as for one that has. A person who waits
   * learns soon that a URL is wrong, and a restart of the server of the model later does not end the job.
   */
  firstConnections?: number;
  /** Called before the model is asked again after an error, with its message. */
  onRetry?(message: string, ms: number): void;
  signal: AbortSignal;
  /** Shows people who watch the text of a call after the event `after` as it arrives. */
  openDraft?(after: number): Draft;
}

export type TurnResult =
  /** `blocking`, `refused`: new findings that count and refusals, left after the model received them. */
  | {
      kind: 'finished';
      outcome: TurnOutcome;
      changes: Change[];
      checks: CheckSummary;
      blocking: Finding[];
      refused: string[];
    }
  /** The model cannot be reached for longer than a worker waits. */
  | { kind: 'waiting'; until: Date; message: string }
  /** `isTemporary`: the same turn may succeed later without a change by anybody. */
  | { kind: 'failed'; code: FailureCode; message: string; isTemporary?: boolean };

/** A turn in hand: the journal's state, kept up to date with every save. */
export interface Turn {
  request: TurnRequest;
  state: JournalState;
  workspace: Workspace;
  save(entry: Entry): Promise<void>;
  takeMessages(): Promise<boolean>;
}

export async function openTurn(request: TurnRequest): Promise<Turn> {
  const { journal } = request;
  const state = await journal.load();
  if (state.overlay.size > 0) await request.loadBase?.();
  const turn: Turn = {
    request,
    state,
    workspace: createWorkspace(request.base, state.overlay),
    async save(entry) {
      const events = await journal.save(entry);
      state.events.push(...events);
      if (entry.counters !== undefined) state.counters = entry.counters;
      if (entry.usage !== undefined) state.usage = entry.usage;
      if (entry.memory !== undefined) state.memory = entry.memory;
      if (entry.verdict !== undefined) state.verdict = entry.verdict;
    },
    async takeMessages() {
      const events = await journal.takeMessages();
      state.events.push(...events);
      return events.length > 0;
    },
  };
  return turn;
}

/** Paths whose text in the overlay differs; `undefined` = in it no more. */
export function changedFiles(
  before: ReadonlyMap<string, string | null>,
  after: ReadonlyMap<string, string | null>,
): Map<string, string | null | undefined> {
  const changed = new Map<string, string | null | undefined>();
  for (const [path, text] of after)
    if (before.get(path) !== text || !before.has(path)) changed.set(path, text);
  for (const path of before.keys()) if (!after.has(path)) changed.set(path, undefined);
  return changed;
}
