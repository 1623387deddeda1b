import { expect, test } from 'vitest';
import type { ModelMessage } from '../../platform/model/port.ts';
import type { JobEvent } from '../record.ts';
import { firstKept, fitWindow, messagesOf, messageTokens, windowFault } from './context.ts';

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const shared = { turn: 1, at: new Date(0) };

/** A prompt and a number of steps, each of which reads a file of the given length. */
function conversation(count: number, characters: number): JobEvent[] {
  const events: JobEvent[] = [{ kind: 'prompt', text: 'Do it.', seq: 1, ...shared }];
  for (let step = 0; step < count; step += 1) {
    const parts = [
      { type: 'tool-call' as const, id: `c${step}`, name: 'read_file', input: { path: `${step}.mdx` } },
    ];
    events.push({ kind: 'assistant', parts, finish: 'tool-calls', usage, seq: events.length + 1, ...shared });
    const output = `${step}.mdx lines 1-9 of 9\n${'word '.repeat(characters / 5)}`;
    events.push({
      kind: 'results',
      results: [{ id: `c${step}`, name: 'read_file', output, isError: false }],
      seq: events.length + 1,
      ...shared,
    });
  }
  return events;
}

const OVERHEAD = { system: 'Rules.', tools: [] };

/** Calls without a result beside them, and results without a call. */
function unpaired(messages: readonly ModelMessage[]): number {
  return messages.filter((message, index) => {
    const next = messages[index + 1];
    const before = messages[index - 1];
    if (message.role === 'assistant' && message.parts.some(({ type }) => type === 'tool-call')) {
      return next?.role !== 'tool';
    }
    return message.role === 'tool' && before?.role !== 'assistant';
  }).length;
}

test('nothing is left out while there is room', () => {
  const events = conversation(10, 1_000);
  expect(fitWindow(events, 0, OVERHEAD, 100_000)).toMatchObject({ evictedBefore: 0, mustSummarise: false });
});

test('old results are left out first, the last six steps never, and calls keep their results', () => {
  const events = conversation(20, 10_000);
  const window = 60_000;
  const fit = fitWindow(events, 0, OVERHEAD, window);
  expect(fit.mustSummarise).toBe(false);
  expect(fit.tokens).toBeLessThanOrEqual(window * 0.5);
  const messages = messagesOf(events, fit.evictedBefore);
  expect(unpaired(messages)).toBe(0);
  const outputs = messages.flatMap((message) =>
    message.role === 'tool' ? message.results.map(({ output }) => output) : [],
  );
  expect(outputs[0]).toMatch(/^\[read_file: 0\.mdx lines 1-9 of 9 .*left out/);
  expect(outputs.slice(-6).every((output) => output.length > 9_000)).toBe(true);
});

test('what was left out once stays so, so that the beginning of the input stays the same', () => {
  const events = conversation(20, 10_000);
  const first = fitWindow(events, 0, OVERHEAD, 60_000);
  const more = [
    ...events,
    ...conversation(1, 100)
      .slice(1)
      .map((event) => ({ ...event, seq: event.seq + 100 })),
  ];
  expect(fitWindow(more, first.evictedBefore, OVERHEAD, 60_000).evictedBefore).toBe(first.evictedBefore);
});

test('a summary is asked for when leaving out is not enough, and ends before a call, never between it and its result', () => {
  const events = conversation(8, 40_000);
  const fit = fitWindow(events, 0, OVERHEAD, 60_000);
  expect(fit.mustSummarise).toBe(true);
  const kept = firstKept(events, 60_000);
  expect(events.find(({ seq }) => seq === kept)?.kind).toBe('assistant');
  const compacted: JobEvent[] = [
    ...events,
    { kind: 'compaction', summary: 'Done so far.', firstKeptSeq: kept ?? 0, seq: 99, ...shared },
  ];
  const messages = messagesOf(compacted, 0);
  expect(messages[0]).toMatchObject({ role: 'user', text: expect.stringContaining('Done so far.') });
  expect(unpaired(messages)).toBe(0);
  expect(messageTokens(messages)).toBeLessThan(messageTokens(messagesOf(events, 0)));
});

test('the estimate is corrected by the input that the provider reported, within limits', () => {
  const events = conversation(4, 10_000);
  const tokens = (input: number) => {
    const told = events.map((event) =>
      event.kind === 'assistant' && event.seq === 8 ? { ...event, usage: { ...usage, input } } : event,
    );
    return fitWindow(told, 0, OVERHEAD, 1_000_000).tokens;
  };
  const estimate = tokens(0);
  const prefix = fitWindow(
    events.filter(({ seq }) => seq < 8),
    0,
    OVERHEAD,
    1_000_000,
  ).tokens;
  expect(tokens(prefix)).toBe(estimate);
  expect(tokens(prefix * 1.5) / estimate).toBeCloseTo(1.5, 2);
  expect(tokens(1) / estimate).toBeCloseTo(0.7, 2);
  expect(tokens(Number.MAX_SAFE_INTEGER) / estimate).toBeCloseTo(4, 2);
});

test('two things said to the model in a row are one message', () => {
  const events: JobEvent[] = [
    { kind: 'prompt', text: 'One.', seq: 1, ...shared },
    { kind: 'notice', text: 'Two.', seq: 2, ...shared },
  ];
  expect(messagesOf(events, 0)).toEqual([{ role: 'user', text: 'One.\n\n[Offprint] Two.' }]);
});

test('a window that instructions and output fill is refused, with both numbers', () => {
  expect(windowFault(OVERHEAD, 200_000, 16_000)).toBeNull();
  expect(windowFault({ system: 'x'.repeat(20_000), tools: [] }, 16_000, 8_000)).toMatch(/16000 tokens/);
});
