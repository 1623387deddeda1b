import { expect, test } from 'vitest';
import { createMemoryJournal } from './memory-journal.ts';

test('a save is reported once, numbered without a gap, and found by the next load', async () => {
  const told: number[] = [];
  const journal = createMemoryJournal(({ seq }) => told.push(seq));
  journal.begin('First.');
  await journal.save({
    events: [{ kind: 'notice', text: 'a' }],
    files: new Map([
      ['kept.mdx', 'text'],
      ['gone.mdx', null],
    ]),
  });
  await journal.save({ files: new Map([['kept.mdx', undefined]]) });
  const state = await journal.load();
  expect(told).toEqual([1, 2]);
  expect([...state.overlay]).toEqual([['gone.mdx', null]]);
});

test('a turn starts with counters at zero and keeps what was done', async () => {
  const journal = createMemoryJournal();
  journal.begin('First.');
  const { counters } = await journal.load();
  await journal.save({
    counters: { ...counters, steps: 7 },
    memory: { readPaths: ['a.mdx'], plan: [] },
    files: new Map([['a.mdx', 'x']]),
  });
  journal.begin('Second.');
  const state = await journal.load();
  expect(state.counters.steps).toBe(0);
  expect(state.memory.readPaths).toEqual(['a.mdx']);
  expect(state.overlay.get('a.mdx')).toBe('x');
  expect(state.events.map(({ turn }) => turn)).toEqual([1, 2]);
});

test('what a reader does to its copy changes nothing', async () => {
  const journal = createMemoryJournal();
  journal.begin('First.');
  const state = await journal.load();
  state.memory.readPaths.push('b.mdx');
  state.events.length = 0;
  expect((await journal.load()).memory.readPaths).toEqual([]);
  expect((await journal.load()).events).toHaveLength(1);
});
