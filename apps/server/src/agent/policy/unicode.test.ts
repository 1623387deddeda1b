import { describe, expect, test } from 'vitest';
import { describeInvisible, stripInvisible } from './unicode.ts';

describe('characters that nobody sees are named with their lines', () => {
  test.each([
    ['a\u200bb\n\u200b\n', '\\u{200B} x2 (lines 1, 2)'],
    ['x\u202eevil\u202c', '\\u{202C} x1 (line 1), \\u{202E} x1 (line 1)'],
    ['tag \u{E0049}\u{E0067}', '\\u{E0049} x1 (line 1), \\u{E0067} x1 (line 1)'],
    ['word\ufe0f', '\\u{FE0F} x1 (line 1)'],
    ['sel\u{E0101}', '\\u{E0101} x1 (line 1)'],
    ['soft\u00adhyphen', '\\u{00AD} x1 (line 1)'],
    ['mid\ufeffdle', '\\u{FEFF} x1 (line 1)'],
    ['bell\u0007', '\\u{0007} x1 (line 1)'],
    ['a\u2028b', '\\u{2028} x1 (line 1)'],
    ['filler \u3164', '\\u{3164} x1 (line 1)'],
    ['latin\u200djoin', '\\u{200D} x1 (line 1)'],
  ])('%j', (text, named) => {
    expect(describeInvisible(text)).toBe(named);
    expect(describeInvisible(stripInvisible(text))).toBeNull();
  });

  test('many lines and many kinds are cut short', () => {
    expect(describeInvisible('\u200b\n'.repeat(20))).toBe(
      '\\u{200B} x20 (lines 1, 2, 3, 4, 5, 6, 7, 8, ...)',
    );
    const tags = Array.from({ length: 30 }, (_, i) => String.fromCodePoint(0xe0041 + i)).join('');
    expect(describeInvisible(tags)).toContain('and 18 other kinds');
  });
});

describe('characters that belong to an emoji or a script are not noise', () => {
  test.each([
    'plain text\twith\r\nlines',
    'family 👨‍👩‍👧 flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿 skin 👍🏽 heart ❤️ info ℹ️ rainbow 🏳️‍🌈 text ☎︎',
    'فارسی می\u200cشود',
    'क्\u200dष',
    '葛\u{E0100}城',
    '\ufeff# starts with a byte order mark',
    'no\u00a0break space',
  ])('%j', (text) => {
    expect(describeInvisible(text)).toBeNull();
    expect(stripInvisible(text)).toBe(text);
  });
});
