import { expect, test } from 'vitest';
import type { AgentPhase } from '../platform/db/database.ts';
import { ACTIVE_PHASES, HELD_PHASES, type JobAction, phasesFor, transition } from './state.ts';

const PHASES: AgentPhase[] = [
  'queued',
  'preparing',
  'running',
  'waiting',
  'publishing',
  'idle',
  'failed',
  'archived',
];

/** Every phase in the order above, `.` where the action is not possible. */
const TABLE: Record<JobAction, string> = {
  claim: 'preparing preparing preparing preparing preparing . . .',
  begin: '. running . . . . . .',
  wait: '. waiting waiting . waiting . . .',
  publish: '. publishing publishing . . . . .',
  end: '. idle idle . idle . . .',
  release: '. queued queued . queued . . .',
  fail: '. failed failed . failed . . .',
  message: '. . . . . queued queued .',
  cancel: 'failed failed failed failed failed . . .',
  archive: 'archived archived archived archived archived archived archived .',
};

test.each(Object.entries(TABLE))('%s leads from every phase where it should', (action, row) => {
  const expected = row.split(' ').map((phase) => (phase === '.' ? null : phase));
  expect(PHASES.map((phase) => transition(phase, action as JobAction))).toEqual(expected);
  expect(phasesFor(action as JobAction)).toEqual(PHASES.filter((_, index) => expected[index] !== null));
});

test('nothing leads out of archived, and only a person out of what is finished', () => {
  const actions = Object.keys(TABLE) as JobAction[];
  expect(actions.filter((action) => transition('archived', action) !== null)).toEqual([]);
  expect(actions.filter((action) => transition('idle', action) !== null)).toEqual(['message', 'archive']);
  expect(actions.filter((action) => transition('failed', action) !== null)).toEqual(['message', 'archive']);
});

test('a worker holds active phases only', () => {
  expect(HELD_PHASES.every((phase) => ACTIVE_PHASES.includes(phase))).toBe(true);
});
