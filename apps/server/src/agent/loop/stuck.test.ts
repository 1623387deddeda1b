import { expect, test } from 'vitest';
import type { JobEvent } from '../record.ts';
import { stuckReason } from './stuck.ts';

/** Steps as `name input -> output`, `!` before an output that is an error. */
function steps(...lines: string[]): JobEvent[] {
  return lines.flatMap((line, index) => {
    const [call = '', answer = ''] = line.split(' -> ');
    const [name = '', ...input] = call.split(' ');
    const isError = answer.startsWith('!');
    const shared = { turn: 1, at: new Date(0) };
    const parts = [{ type: 'tool-call' as const, id: 'a', name, input: input.join(' ') }];
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    return [
      { kind: 'assistant' as const, parts, finish: 'tool-calls' as const, usage, seq: index * 2, ...shared },
      {
        kind: 'results' as const,
        results: [{ id: 'a', name, output: answer.replace(/^!/, ''), isError }],
        seq: index * 2 + 1,
        ...shared,
      },
    ];
  });
}

test.each([
  ['the same call thrice', ['read a -> x', 'read a -> x', 'read a -> x'], true],
  ['the same call twice', ['read a -> x', 'read a -> x'], false],
  ['the same call with another answer', ['check -> 3', 'check -> 2', 'check -> 1'], false],
  ['an error thrice by different calls', ['edit a -> !no', 'edit b -> !no', 'edit c -> !no'], true],
  ['three different errors', ['edit a -> !no', 'edit b -> !nay', 'edit c -> !never'], false],
  [
    'two calls in turn thrice',
    ['a 1 -> x', 'b 1 -> y', 'a 1 -> x', 'b 1 -> y', 'a 1 -> x', 'b 1 -> y'],
    true,
  ],
  ['two calls in turn twice', ['a 1 -> x', 'b 1 -> y', 'a 1 -> x', 'b 1 -> y'], false],
  ['work', ['read a -> x', 'edit a -> ok', 'read b -> y', 'edit b -> ok', 'check -> fine'], false],
])('%s: going in circles is distinguished from work', (_, lines, isStuck) => {
  expect(stuckReason(steps(...lines)) !== null).toBe(isStuck);
});
