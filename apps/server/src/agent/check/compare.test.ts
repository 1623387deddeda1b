import { expect, test } from 'vitest';
import type { Change } from '../workspace/workspace.ts';
import { blockingFindings, compareFindings, movedPaths } from './compare.ts';
import type { Finding } from './docs-check.ts';

const finding = (file: string, code: string, line: number, message = 'It is wrong.'): Finding => ({
  file,
  line,
  code,
  message,
  severity: code.startsWith('broken') ? 'error' : 'warning',
});
const change = (path: string, kind: Change['kind'], before: string | null, after: string | null): Change => ({
  path,
  kind,
  before,
  after,
});

test('lines may move; a second one of the same kind is new', () => {
  const base = [finding('a.mdx', 'broken-link', 3), finding('a.mdx', 'image-alt', 9)];
  const now = [finding('a.mdx', 'broken-link', 30), finding('a.mdx', 'broken-link', 31)];
  const difference = compareFindings(base, now);
  expect(difference).toEqual({ new: [now[1]], known: [now[0]], fixed: [base[1]] });
});

test('a line that a message names may move, too', () => {
  const base = [finding('a.mdx', 'duplicate-id', 3, 'Twice (first in line 2).')];
  const now = [finding('a.mdx', 'duplicate-id', 5, 'Twice (first in line 4).')];
  expect(compareFindings(base, now).new).toEqual([]);
});

test('findings of a moved file count as known when the move is given', () => {
  const base = [finding('a.mdx', 'image-alt', 3)];
  const now = [finding('b/c.mdx', 'image-alt', 3)];
  expect(compareFindings(base, now).new).toEqual(now);
  expect(compareFindings(base, now, new Map([['a.mdx', 'b/c.mdx']]))).toEqual({
    new: [],
    known: now,
    fixed: [],
  });
});

test('errors block, and warnings of the navigation; other warnings do not', () => {
  const now = ['broken-link', 'navigation-type', 'image-alt'].map((code) => finding('a.mdx', code, 1));
  expect(blockingFindings(compareFindings([], now)).map(({ code }) => code)).toEqual([
    'broken-link',
    'navigation-type',
  ]);
});

test('a file that goes and one that comes with most of its lines are one file that moved', () => {
  const text = 'One.\nTwo.\nThree.\nFour.\n';
  const changes = [
    change('a.mdx', 'deleted', text, null),
    change('b.mdx', 'added', null, 'Other.\nWords.\n'),
    change('c.mdx', 'added', null, text.replace('Two', '2')),
    change('d.mdx', 'deleted', 'Gone.\n', null),
    change('e.mdx', 'modified', text, text),
  ];
  expect([...movedPaths(changes)]).toEqual([['a.mdx', 'c.mdx']]);
});

test('a finding that could not be found again is not fixed', () => {
  const known = [finding('a.mdx', 'image-alt', 1), finding('b.mdx', 'image-alt', 2)];
  expect(compareFindings(known, [finding('docs.json', 'broken-json', 1)]).fixed).toEqual([]);
  expect(compareFindings(known, [finding('a.mdx', 'broken-syntax', 1)]).fixed).toEqual([known[1]]);
  expect(compareFindings(known, []).fixed).toEqual(known);
});
