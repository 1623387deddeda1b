import { expect, test } from 'vitest';
import { compareFiles } from './changes.ts';

const file = (path: string, sha256 = path) => ({ path, sha256 });

test('pages are told apart by the digest of their file, sorted, without the page for what is missing', () => {
  const before = [
    file('404.html', 'old'),
    file('index.html'),
    file('b.html', 'old'),
    file('a/gone.html'),
    file('gone.html'),
    file('logo.svg', 'old'),
    file('_offprint/frame.html', 'old'),
    file('gone.png'),
  ];
  const after = [
    file('z.html'),
    file('404.html', 'new'),
    file('index.html'),
    file('b.html', 'new'),
    file('B.html'),
    file('logo.svg', 'new'),
    file('_offprint/frame.html', 'new'),
  ];
  expect(compareFiles(before, after)).toEqual({
    pages: { added: ['B', 'z'], removed: ['a/gone', 'gone'], changed: ['b'], unchanged: 1 },
    files: { added: 2, removed: 3, changed: 4, unchanged: 1 },
  });
});

test('against nothing, everything is added', () => {
  expect(compareFiles([], [file('index.html'), file('a.css')])).toEqual({
    pages: { added: ['index'], removed: [], changed: [], unchanged: 0 },
    files: { added: 2, removed: 0, changed: 0, unchanged: 0 },
  });
});
