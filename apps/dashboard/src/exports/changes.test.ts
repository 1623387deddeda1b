import { expect, test } from 'vitest';
import { groupChanges } from './changes.ts';

const none = {
  added: [],
  removed: [],
  changed: [],
  edited: [],
  layout: [],
  undetermined: [],
  renamed: [],
  unchanged: 0,
};

test('a renamed page is one change and neither added nor removed, and the frame comes last', () => {
  const pages = {
    ...none,
    added: ['new', 'other'],
    removed: ['gone', 'old'],
    changed: ['a', 'b', 'c'],
    edited: ['b'],
    layout: ['a'],
    undetermined: ['c'],
    renamed: [{ from: 'old', to: 'new' }],
  };
  expect(groupChanges({ pages })).toEqual([
    { kind: 'edited', pages: [{ path: 'b' }] },
    { kind: 'renamed', pages: [{ path: 'new', from: 'old' }] },
    { kind: 'added', pages: [{ path: 'other' }] },
    { kind: 'removed', pages: [{ path: 'gone' }] },
    { kind: 'undetermined', pages: [{ path: 'c' }] },
    { kind: 'layout', pages: [{ path: 'a' }] },
  ]);
});

test('kinds without a page are left out', () => {
  expect(groupChanges({ pages: none })).toEqual([]);
});
