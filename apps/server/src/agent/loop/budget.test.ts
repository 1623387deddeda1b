import { expect, test } from 'vitest';
import { EMPTY_COUNTERS, type TurnCounters } from '../record.ts';
import { overrun } from './budget.ts';

const LIMITS = { steps: 80, minutes: 45, inputTokens: 3_000_000, outputTokens: 150_000, costUsd: 3 };

test.each<[string, Partial<TurnCounters>, number, string | null]>([
  ['nothing spent', {}, 0, null],
  ['one short of every limit', { steps: 79, input: 2_999_999, output: 149_999, costUsd: 2.99 }, 44, null],
  ['steps', { steps: 80 }, 0, 'budget'],
  ['input', { input: 3_000_000 }, 0, 'budget'],
  ['output', { output: 150_000 }, 0, 'budget'],
  ['cost', { costUsd: 3 }, 0, 'budget'],
  ['unknown cost', { costUsd: null }, 0, null],
  ['time', {}, 45, 'timeout'],
])('%s: the limit that is reached ends the turn by its name', (_, spent, minutes, code) => {
  const result = overrun({ ...EMPTY_COUNTERS, ...spent }, LIMITS, 0, minutes * 60_000);
  expect(result?.code ?? null).toBe(code);
});
