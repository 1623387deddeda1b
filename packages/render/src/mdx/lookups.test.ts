import { expect, test } from 'vitest';
import { unnotedUse } from '../reference/description-use.ts';
import { type Lookups, recordable } from './lookups.ts';

function listed(): { lookups: Lookups; taken: string[] } {
  const taken: string[] = [];
  const lookups: Lookups = {
    note: (name) => void taken.push(`name ${name}`),
    noteRedirects: () => void taken.push('redirects'),
    noteText: (file) => void taken.push(`text ${file}`),
    descriptions: { ...unnotedUse, used: (file) => void taken.push(`description ${file}`) },
  };
  return { lookups, taken };
}

test('a recorded step repeats what it has looked up, with the steps inside it', () => {
  const { lookups, taken } = listed();
  const all = recordable(lookups);
  const outer = all.record(() => {
    all.note('a');
    const inner = all.record(() => all.noteText('b.mdx'));
    inner.repeat();
    all.noteRedirects();
    return 7;
  });
  all.note('c');
  expect(outer.result).toBe(7);
  const recorded = ['name a', 'text b.mdx', 'text b.mdx', 'redirects'];
  expect(taken).toEqual([...recorded, 'name c']);
  outer.repeat();
  expect(taken).toEqual([...recorded, 'name c', ...recorded]);
});

test('a step that throws leaves no record open', () => {
  const { lookups, taken } = listed();
  const all = recordable(lookups);
  const outer = all.record(() => {
    expect(() =>
      all.record(() => {
        all.note('a');
        throw new Error('stopped');
      }),
    ).toThrow('stopped');
    all.note('b');
  });
  outer.repeat();
  expect(taken).toEqual(['name a', 'name b', 'name a', 'name b']);
});
