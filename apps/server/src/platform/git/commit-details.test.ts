import { expect, test } from 'vitest';
import { parseCommit } from './commit-details.ts';

const commitOf = (
  message: string | Buffer,
  { author = 'Ada Lovelace <ada@example.com> 1700000000 +0200', header = '' } = {},
) =>
  parseCommit(
    Buffer.concat([
      Buffer.from(
        `tree ${'0'.repeat(40)}\nauthor ${author}\ncommitter Bob <b@example.com> 1700000001 +0000\n${header}\n`,
      ),
      Buffer.from(message),
    ]),
  );

test('a commit gives its subject, the name of its author and both dates, and no email address', () => {
  expect(commitOf('Fix the start page\n\nBody.\n')).toEqual({
    subject: 'Fix the start page',
    author: 'Ada Lovelace',
    authoredAt: '2023-11-14T22:13:20.000Z',
    committedAt: '2023-11-14T22:13:21Z',
  });
});

test('a subject is the first paragraph on one line, without blank lines before it', () => {
  expect(commitOf('\n\nFix\r\nthe  start\n\nBody').subject).toBe('Fix the start');
  expect(commitOf('').subject).toBe('');
  expect(commitOf('Fix').subject).toBe('Fix');
});

test('a hostile subject loses control characters and direction marks and is cut at 200 characters', () => {
  expect(commitOf('a\u0000b\u001b[31mc\u202ed\u2066e\u200bf\u2028g').subject).toBe('ab[31mcdef g');
  const { subject } = commitOf('😀'.repeat(100_000));
  expect([...subject]).toHaveLength(200);
  expect(subject.endsWith('😀…')).toBe(true);
  expect(commitOf(' \u202e \n\n').subject).toBe('');
});

test.each([
  ['ada@example.com <ada@example.com> 1 +0000', 'ada'],
  ['Ada (ada@example.com) <x> 1 +0000', 'Ada (ada)'],
  ['Ada <b> <ada@example.com> 1 +0000', 'Ada'],
  [' <ada@example.com> 1 +0000', ''],
  ['<ada@example.com> 1 +0000', ''],
])('the author %s is shown as %s', (author, name) => {
  expect(commitOf('x', { author }).author).toBe(name);
});

test('a long name is cut at 100 characters', () => {
  expect(commitOf('x', { author: `${'x'.repeat(5_000)} <a> 1 +0000` }).author).toBe(`${'x'.repeat(99)}…`);
});

test('an author without a date that can be read has none', () => {
  for (const author of [
    'Ada',
    'Ada <a>',
    'Ada <a> x +0',
    'Ada <a> 9999999999999 +0',
    'Ada <a> 999999999999 +0',
  ])
    expect(commitOf('x', { author }).authoredAt, author).toBeNull();
});

test('a message in another encoding is read by the name of it, or as UTF-8 where that is unknown', () => {
  const latin = Buffer.from('Straße', 'latin1');
  expect(commitOf(latin, { header: 'encoding ISO-8859-1\n' }).subject).toBe('Straße');
  expect(commitOf('Straße', { header: 'encoding x-nobody\n' }).subject).toBe('Straße');
  expect(commitOf(latin).subject).toBe('Stra\ufffde');
});

test('an object that is not a commit returns nothing', () => {
  expect(parseCommit(Buffer.alloc(0))).toEqual({
    subject: '',
    author: '',
    authoredAt: null,
    committedAt: '1970-01-01T00:00:00Z',
  });
});
