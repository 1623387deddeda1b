import { expect, test } from 'vitest';
import { countEqual, type Listed, listing } from './listing.ts';

const warning = (file: string, line: number | null, message: string): Listed => ({
  file,
  line,
  message,
  code: 'removed-element',
  severity: 'warning',
});

test('365 equal warnings are one line with their number and the number of files', () => {
  const warnings = Array.from({ length: 365 }, (_, index) =>
    warning(`page-${index % 183}.mdx`, index, '`<script>` is removed.'),
  );
  expect(listing(countEqual(warnings), false)).toBe(
    'page-0.mdx\n  0  warning  `<script>` is removed.  (365 times in 183 files)  removed-element\n\n',
  );
});

test('equal warnings of one file are counted, and warnings that differ are listed one by one', () => {
  const warnings = [
    warning('docs.json', null, 'A'),
    warning('docs.json', 3, 'A'),
    warning('docs.json', 4, 'B'),
    { ...warning('a.mdx', 1, 'A'), code: 'other' },
    { ...warning('a.mdx', 2, 'A'), severity: 'error' as const },
  ];
  expect(
    countEqual(warnings).map(({ message, code, severity, times }) => [message, code, severity, times]),
  ).toEqual([
    ['A', 'removed-element', 'warning', { count: 2, files: 1 }],
    ['B', 'removed-element', 'warning', undefined],
    ['A', 'other', 'warning', undefined],
    ['A', 'removed-element', 'error', undefined],
  ]);
});
