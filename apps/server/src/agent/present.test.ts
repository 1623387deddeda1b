import { expect, test } from 'vitest';
import { presentEvent, subjectOf } from './present.ts';
import type { EventBody } from './record.ts';

const at = new Date('2026-06-01T12:00:00.000Z');
const present = (body: EventBody, calls: Parameters<typeof presentEvent>[1] = []) =>
  presentEvent({ seq: 5, turn: 2, body, at }, calls);

test('the subject of a prompt is its first line, on one line, at most 100 characters', () => {
  expect(subjectOf('\n  Fix\tthe \u202etypo.  \r\nThen more.')).toBe('Fix the typo.');
  expect(subjectOf('x'.repeat(100))).toBe('x'.repeat(100));
  const long = subjectOf('\u{1F600}'.repeat(101));
  expect([...long]).toHaveLength(100);
  expect(long.endsWith('…')).toBe(true);
});

test('tools are shown by their own call, even when the input of the model is not an object', () => {
  const results = ['a', 'b', 'c'].map((id) => ({ id, name: 'read_file', output: 'x', isError: id === 'b' }));
  const call = (id: string, input: unknown) => ({ type: 'tool-call' as const, id, name: 'read_file', input });
  const told = present({ kind: 'results', results }, [
    call('b', { path: ['no', 'text'] }),
    call('a', { from: 'old.mdx', to: 'new.mdx' }),
    call('c', 'not json'),
  ]);
  expect(told.map(({ data }) => data)).toMatchObject([
    { path: 'old.mdx', isError: false },
    { path: null, isError: true },
    { path: null, isError: false },
  ]);
  expect(told.map(({ id }) => id)).toEqual([undefined, undefined, '5']);
});

test('a plan is shown when the tool accepted it, and only its valid items', () => {
  const items = [{ id: '1', text: 'Write', status: 'pending' }];
  const tell = (input: unknown, isError = false) =>
    present({ kind: 'results', results: [{ id: 'a', name: 'update_plan', output: '', isError }] }, [
      { type: 'tool-call', id: 'a', name: 'update_plan', input },
    ]).map(({ event }) => event);
  expect(tell({ items })).toEqual(['tool', 'plan']);
  expect(tell({ items }, true)).toEqual(['tool']);
  expect(tell({ items: [{ id: 1 }] })).toEqual(['tool']);
});

test('the result of a tool is cut between characters, at most 2,000 bytes', () => {
  for (const output of ['ä'.repeat(3_000), `x${'\u{1F600}'.repeat(3_000)}`, '\ufeff'.repeat(3_000)]) {
    const [told] = present({ kind: 'results', results: [{ id: 'a', name: 't', output, isError: false }] });
    const { summary } = told!.data as { summary: string };
    expect(Buffer.byteLength(summary)).toBeGreaterThan(1_990);
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(2_000);
    expect(output.startsWith(summary)).toBe(true);
  }
});

test('a link of a forge that is not a web URL is not shown', () => {
  const published = (prLink: string) =>
    present({ kind: 'published', branch: 'b', commit: 'c', prLink })[0]!.data as { prLink: string | null };
  expect(published('https://git.example.com/1').prLink).toBe('https://git.example.com/1');
  for (const link of ['javascript:alert(1)', 'data:text/html,x', 'https://', 'x']) {
    expect(published(link).prLink).toBeNull();
  }
});
