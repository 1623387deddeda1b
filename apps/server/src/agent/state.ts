import type { AgentPhase } from '../platform/db/database.ts';

/**
 * What happens to a job:
 * - `claim`: a worker takes it, for the first time or after another one is gone
 * - `begin`: everything is there, the model is called next
 * - `wait`: the model cannot be reached; checked again later
 * - `publish`: the turn has ended with changes
 * - `end`: nothing is left to do
 * - `release`: the worker gives it back, because it stops or after an internal error
 * - `fail`: an unrecoverable error
 * - `message`: a follow-up by a person
 * - `cancel`, `archive`: by a person
 */
export type JobAction =
  | 'claim'
  | 'begin'
  | 'wait'
  | 'publish'
  | 'end'
  | 'release'
  | 'fail'
  | 'message'
  | 'cancel'
  | 'archive';

const ACTIVE: readonly AgentPhase[] = ['queued', 'preparing', 'running', 'waiting', 'publishing'];
const HELD: readonly AgentPhase[] = ['preparing', 'running', 'publishing'];

/** From which phases an action is possible, and to which it leads. */
const TRANSITIONS: Readonly<Record<JobAction, { from: readonly AgentPhase[]; to: AgentPhase }>> = {
  claim: { from: ACTIVE, to: 'preparing' },
  begin: { from: ['preparing'], to: 'running' },
  wait: { from: HELD, to: 'waiting' },
  publish: { from: ['preparing', 'running'], to: 'publishing' },
  end: { from: HELD, to: 'idle' },
  release: { from: HELD, to: 'queued' },
  fail: { from: HELD, to: 'failed' },
  message: { from: ['idle', 'failed'], to: 'queued' },
  cancel: { from: ACTIVE, to: 'failed' },
  archive: { from: [...ACTIVE, 'idle', 'failed'], to: 'archived' },
};

/** The phase after an action; null when the action is not possible in this phase. */
export function transition(phase: AgentPhase, action: JobAction): AgentPhase | null {
  const { from, to } = TRANSITIONS[action];
  return from.includes(phase) ? to : null;
}

/** The phases in which an action is possible. */
export function phasesFor(action: JobAction): AgentPhase[] {
  return [...TRANSITIONS[action].from];
}

/** Phases in which a worker may hold the job. */
export const HELD_PHASES: readonly AgentPhase[] = HELD;
/** Phases that the API shows as `active`. */
export const ACTIVE_PHASES: readonly AgentPhase[] = ACTIVE;
