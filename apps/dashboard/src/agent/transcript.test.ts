import type { AgentJobEvent } from '@offprint/contract';
import { describe, expect, test } from 'vitest';
import {
  activityOf,
  addEvents,
  EMPTY_TRANSCRIPT,
  findingsOf,
  phaseOf,
  toolWords,
  turnsOf,
} from './transcript.ts';

const at = '2026-06-01T12:00:00.000Z';
const state = (seq: number, phase: string, message: string | null = null, turn = 1): AgentJobEvent => ({
  event: 'state',
  data: { seq, turn, at, phase, status: 'active', message, until: null },
});
const say = (seq: number, event: 'prompt' | 'message', text: string, turn = 1): AgentJobEvent => ({
  event,
  data: { seq, turn, at, text },
});
const tool = (seq: number, name: string, path: string | null = null): AgentJobEvent => ({
  event: 'tool',
  data: { seq, turn: 1, at, name, path, summary: '', isError: false },
});

describe('addEvents', () => {
  test('a step that is sent again after a reconnect adds nothing twice', () => {
    const first = addEvents(EMPTY_TRANSCRIPT, [
      say(1, 'prompt', 'Go'),
      tool(2, 'search'),
      tool(3, 'read_file', 'a'),
    ]);
    const again = addEvents(first, [tool(3, 'read_file', 'a'), tool(3, 'read_file', 'b'), tool(2, 'search')]);
    expect(again.events).toHaveLength(4);
    expect(again.last).toBe(3);
  });

  test('nothing new is the same transcript', () => {
    const first = addEvents(EMPTY_TRANSCRIPT, [say(1, 'prompt', 'Go')]);
    expect(addEvents(first, [say(1, 'prompt', 'Go')])).toBe(first);
  });
});

describe('what is not kept', () => {
  const text = (seq: number, offset: number, words: string): AgentJobEvent => ({
    event: 'text',
    data: { seq, turn: 1, at, offset, text: words },
  });
  const pending = (seq: number, ...prompts: string[]): AgentJobEvent => ({
    event: 'pending',
    data: { seq, turn: 1, at, prompts: prompts.map((prompt) => ({ text: prompt, at })) },
  });

  test('text grows, starts again after a reconnect without doubling, and ends with the message', () => {
    const events = [state(1, 'running'), text(1, 0, 'I will '), text(1, 7, 'look')];
    const writing = addEvents(EMPTY_TRANSCRIPT, events);
    expect(writing.draft).toBe('I will look');
    expect(activityOf(writing)).toEqual({ words: 'The model is writing', since: at });
    const again = addEvents(writing, [text(1, 0, 'I will look at')]);
    expect(again.draft).toBe('I will look at');
    expect(addEvents(again, [text(1, 0, '')]).draft).toBe('');
    const said = addEvents(again, [say(2, 'message', 'I will look at it.'), text(1, 14, ' it')]);
    expect(said).toMatchObject({ draft: '', last: 2 });
    expect(activityOf(said).words).toBe('Waiting for the model');
  });

  test('a prompt is pending until the model receives it', () => {
    const waiting = addEvents(EMPTY_TRANSCRIPT, [state(1, 'queued'), pending(1, 'Go', 'More')]);
    expect(waiting.pending.map((prompt) => prompt.text)).toEqual(['Go', 'More']);
    const received = addEvents(waiting, [say(2, 'prompt', 'Go')]);
    expect(received.pending.map((prompt) => prompt.text)).toEqual(['More']);
    expect(addEvents(received, [pending(2)]).pending).toEqual([]);
  });
});

test('the findings of a check have their places', () => {
  const summary = `New: 2, of which 1 block.
[blocks] guides/start.mdx:12 broken-link /nowhere is not a page
docs.json nav-missing "a" is not in the navigation
Fixed: 1.
Existing: 3.`;
  expect(findingsOf(summary)).toEqual([
    { place: 'guides/start.mdx:12', code: 'broken-link', message: '/nowhere is not a page', blocks: true },
    { place: 'docs.json', code: 'nav-missing', message: '"a" is not in the navigation', blocks: false },
  ]);
  expect(findingsOf('Your changes introduce 1 new problems.\n- a.mdx:3 broken-link: gone')).toEqual([
    { place: 'a.mdx:3', code: 'broken-link', message: 'gone', blocks: false },
  ]);
});

describe('turnsOf', () => {
  test('calls of tools that follow each other are one item, by turn, in order', () => {
    const turns = turnsOf([
      state(1, 'queued'),
      say(2, 'prompt', 'Go'),
      tool(3, 'search'),
      tool(4, 'read_file', 'a.mdx'),
      say(5, 'message', 'Found it.'),
      tool(6, 'edit_file', 'a.mdx'),
      state(7, 'idle'),
      say(8, 'prompt', 'More', 2),
    ]);
    expect(turns.map(({ turn, items }) => [turn, items.map(({ kind }) => kind)])).toEqual([
      [1, ['prompt', 'tools', 'message', 'tools']],
      [2, ['prompt']],
    ]);
    expect(turns[0]?.items[1]).toMatchObject({ calls: [{ name: 'search' }, { path: 'a.mdx' }] });
    const keys = turns.flatMap(({ turn, items }) => items.map(({ key }) => `${turn}-${key}`));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('a state is an item when it says something or ends the job', () => {
    const turns = turnsOf([
      state(1, 'running'),
      state(2, 'waiting', 'The model asked for a pause.'),
      state(3, 'failed'),
    ]);
    expect(turns[0]?.items).toMatchObject([
      { kind: 'state', text: 'The model asked for a pause.' },
      { kind: 'state', text: 'Failed' },
    ]);
  });
});

test('the phase is that of the last state', () => {
  expect(phaseOf([state(1, 'queued'), tool(2, 'search'), state(3, 'running'), tool(4, 'search')])).toBe(
    'running',
  );
  expect(phaseOf([])).toBe(null);
});

test('shows the name of an unknown tool unchanged', () => {
  expect(toolWords({ name: 'constructor', path: null })).toBe('constructor');
  expect(toolWords({ name: 'list_files', path: null })).toBe('Listed files');
  expect(toolWords({ name: 'edit_file', path: 'a.mdx' })).toBe('Edited');
});
