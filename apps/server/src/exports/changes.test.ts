import { expect, test } from 'vitest';
import { compareFiles, comparePage } from './changes.ts';

const file = (path: string, sha256 = path) => ({ path, sha256 });
const none = { changed: [], edited: [], layout: [], undetermined: [], renamed: [] };

test('pages are compared by the digest of their file, sorted, without the page for wrong addresses', () => {
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
    pages: {
      ...none,
      added: ['B', 'z'],
      removed: ['a/gone', 'gone'],
      changed: ['b'],
      undetermined: ['b'],
      unchanged: 1,
    },
    files: { added: 2, removed: 3, changed: 4, unchanged: 1 },
  });
});

test('against nothing, everything is added', () => {
  expect(compareFiles([], [file('index.html'), file('a.css')])).toEqual({
    pages: { ...none, added: ['index'], removed: [], unchanged: 0 },
    files: { added: 2, removed: 0, changed: 0, unchanged: 0 },
  });
});

test('changed pages are divided by their Markdown copy, and one that lost or gained it is edited', () => {
  const before = [
    ...['edited', 'layout', 'lost', 'same'].flatMap((page) => [
      file(`${page}.html`, '1'),
      file(`${page}.md`),
    ]),
    file('gained.html', '1'),
    file('bare.html', '1'),
  ];
  const after = [
    ...[file('edited.html', '2'), file('edited.md', 'new words')],
    ...[file('layout.html', '2'), file('layout.md')],
    ...[file('gained.html', '2'), file('gained.md')],
    ...[file('same.html', '1'), file('same.md')],
    file('lost.html', '2'),
    file('bare.html', '2'),
  ];
  expect(compareFiles(before, after).pages).toEqual({
    added: [],
    removed: [],
    changed: ['bare', 'edited', 'gained', 'layout', 'lost'],
    edited: ['edited', 'gained', 'lost'],
    layout: ['layout'],
    undetermined: ['bare'],
    renamed: [],
    unchanged: 1,
  });
  const one = (page: string) => comparePage(before, after, page);
  expect(['edited', 'layout', 'bare', 'same', 'nope'].map(one)).toEqual([
    'edited',
    'layout',
    'undetermined',
    'unchanged',
    null,
  ]);
});

test('a removed and an added page with the same text are a renamed one, unless others have that text too', () => {
  const page = (name: string, text: string) => [file(`${name}.html`), file(`${name}.md`, text)];
  const before = [...page('old', 'A'), ...page('twin-1', 'B'), ...page('twin-2', 'B'), file('bare.html')];
  const after = [...page('new', 'A'), ...page('other', 'B'), file('plain.html')];
  expect(compareFiles(before, after).pages).toMatchObject({
    added: ['new', 'other', 'plain'],
    removed: ['bare', 'old', 'twin-1', 'twin-2'],
    renamed: [{ from: 'old', to: 'new' }],
  });
});
