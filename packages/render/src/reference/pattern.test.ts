import { describe, expect, test } from 'vitest';
import { stringOfPattern } from './pattern.ts';

const made = (pattern: string, least = 0, most = Number.POSITIVE_INFINITY): string | null =>
  stringOfPattern(pattern, least, most);

describe('a string of a pattern', () => {
  test.each([
    ['^[A-Z]{2}$', 'ST'],
    ['^[a-zA-Z0-9_]{1,30}$', 'string'],
    ['^[\\w\\. -]+$', 'string'],
    ['^U[0-9a-f]{8}$', 'U01234567'],
    ['^\\d{4}-\\d{2}-\\d{2}$', '0123-01-01'],
    ['^(\\+|00)?[1-9][0-9]{3,14}$', '1012345'],
    ['^(?:EUR|USD)$', 'EUR'],
    ['^(?<kind>card|bank)_[a-z]+$', 'card_string'],
    ['^[^\\s/]+/[^/]*$', 'string/string'],
    ['[a-z]+@[a-z]+\\.com', 'string@string.com'],
    ['^.{3}$', 'str'],
    ['^\\x41\\u0042\\/\\$$', 'AB/$'],
    ['^a*?b+?$', 'aaaaaabbbbbb'],
    ['^$', ''],
    ['^|x$', ''],
  ])('%s gives %j', (pattern, expected) => {
    expect(made(pattern)).toBe(expected);
    expect(expected).toMatch(new RegExp(pattern));
  });

  test('has a length within its limits', () => {
    expect(made('^[a-z]+$', 12, 12)).toBe('stringstring');
    expect(made('^[a-z]+$', 0, 2)).toBe('st');
    expect(made('^[a-z]+-[a-z]*$', 0, 3)).toBe('s-');
    expect(made('^U[0-9a-f]{32}$', 33, 33)).toHaveLength(33);
  });

  test.each([
    ['looks ahead', '^(?=a)b$'],
    ['looks behind', '(?<!a)b'],
    ['repeats a group by its number', '^(a)\\1$'],
    ['names a property of characters', '^\\p{L}+$'],
    ['has a boundary', '\\bword\\b'],
    ['goes on after its end', 'a$b'],
    ['starts inside', 'a^b'],
    ['is not closed', '^(a'],
    ['closes what is not open', 'a)'],
    ['has a class that is not closed', '[a'],
    ['has a class of nothing', '[]'],
    ['repeats nothing', '*a'],
    ['has a reversed range', '[z-a]'],
    ['has flags inside', '(?i)a'],
    ['is longer than an example', '^a{5000}$'],
    ['is nested too deep', `${'('.repeat(500)}a${')'.repeat(500)}`],
    ['is too long', 'a'.repeat(5000)],
  ])('is not made of one that %s', (_, pattern) => {
    expect(made(pattern)).toBeNull();
  });

  test('is not made where the lengths exclude it', () => {
    expect(made('^[A-Z]{2}$', 5)).toBeNull();
    expect(made('^[A-Z]{6}$', 0, 5)).toBeNull();
  });

  test.each(['^(){999999999}$', '^(((a?){999999999}){999999999}){999999999}$'])(
    'repetitions of nothing are not counted: %s',
    (pattern) => {
      expect(made(pattern)).toBe('');
    },
  );

  test.each([
    ['half of a character', '^\\ud83d$'],
    ['half of a character of a class', '^[😀]$'],
    ['a control character', '^\\x00$'],
  ])('a text with %s is not made', (_, pattern) => {
    expect(made(pattern)).toBeNull();
  });

  test('nested repetitions are not written out', () => {
    expect(made(`${'('.repeat(20)}a{9}${'){9}'.repeat(20)}`)).toBeNull();
  });
});
