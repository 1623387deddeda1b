import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '../../../../../test/support/tool-context.ts';
import { foldCase, foldMarks, foldText } from './fold.ts';
import { editText, lineEnd, splice } from './match.ts';

/** The new text, or the error returned instead. */
function edited(text: string, old: string, next: string, all = false): string {
  const result = editText(text, old, next, all);
  return result.kind === 'done' ? result.text : result.kind;
}

describe('what is found', () => {
  test.each([
    ['quotes', 'He said “hi”, it’s «so».', 'He said "hi", it\'s "so".'],
    ['dashes', 'a — b – c ‑ d − e', 'a - b - c - d - e'],
    ['an ellipsis', 'wait… what', 'wait... what'],
    ['other blanks', '10\u00a0km or\u20095\u202fmiles', '10 km or 5 miles'],
    ['blanks at line ends', 'one  \ntwo\t\nthree', 'one\ntwo\nthree'],
    ['line ends', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ['a byte order mark', 'one two', '\ufeffone two'],
    ['unseen characters', 'in\u200bter\u00adnet', 'internet'],
    ['marks that only the model typed', 'He said "hi" - ok', 'He said “hi” — ok'],
  ])('%s are found as typed', (_name, text, old) => {
    expect(editText(text, old, 'X')).toMatchObject({ kind: 'done', matched: 'folded', count: 1 });
  });

  test('exact text wins over places that are the same but for marks', () => {
    expect(editText('a “b” c\na "b" c\n', 'a "b" c', 'X')).toMatchObject({
      matched: 'exact',
      text: 'a “b” c\nX\n',
    });
  });

  test('the last line is found with a line end that the file does not have', () => {
    expect(edited('a\nEnd.', 'End.\n', 'Fin.\n')).toBe('a\nFin.');
    expect(edited('a\nEnd.  ', 'End.\n', 'End.\nMore.\n')).toBe('a\nEnd.  \nMore.');
    expect(edited('a\r\nEnd.', 'a\nEnd.\n', 'a\nEnd.\n\nMore.\n')).toBe('a\r\nEnd.\r\n\r\nMore.');
    expect(edited('a\nEnd.', 'End.\n', '')).toBe('a\n');
  });

  test('likeness is never enough', () => {
    for (const old of ['The cat sat', 'the cat sits', 'The  cat sits', 'The cat sits\n\non']) {
      expect(edited('The cat sits\non the mat\n', old, 'X')).toBe('missing');
    }
  });

  test('half an ellipsis is not found', () => {
    expect(edited('wait… no', 'wait.', 'X')).toBe('missing');
    expect(edited('wait… no', '. no', 'X')).toBe('missing');
  });

  test('blanks at the end of the old text do not let it end inside a word', () => {
    expect(edited('a foodie\n', 'foo ', 'X')).toBe('missing');
    expect(edited('a foo\nb', 'foo  \n', 'X\n')).toBe('a X\nb');
    expect(edited('a foo\n', 'foo ', 'X')).toBe('a X\n');
  });

  test('two places are refused with their lines, overlapping ones too', () => {
    expect(editText('x\nfoo\ny\nfoo\n', 'foo', 'bar')).toEqual({
      kind: 'ambiguous',
      matched: 'exact',
      count: 2,
      lines: [2, 4],
    });
    expect(editText('aaa', 'aa', 'b')).toMatchObject({ kind: 'ambiguous', count: 2 });
    expect(editText('“a”\n”a“', '"a"', 'b')).toMatchObject({
      kind: 'ambiguous',
      matched: 'folded',
      lines: [1, 2],
    });
  });

  test('a miss names the line that is not there and the three most like it', () => {
    const text = [
      '# Install',
      'Run the installer first.',
      'Run the installer twice.',
      'Run it.',
      'Bye.',
    ].join('\n');
    const result = editText(text, '# Install\nRun the installer once.', 'X');
    expect(result).toMatchObject({ kind: 'missing', wanted: 'Run the installer once.' });
    if (result.kind !== 'missing') throw new Error(result.kind);
    expect(
      result.closest
        .slice(0, 2)
        .map(({ line }) => line)
        .sort(),
    ).toEqual([2, 3]);
    expect(result.closest.length).toBeLessThanOrEqual(3);
  });
});

describe('what changes', () => {
  test('of a folded match, only what differs between old and new text', () => {
    const text = 'It’s “one”  \nand — two\nthree…\n';
    expect(edited(text, 'It\'s "one"\nand - two\nthree...', 'It\'s "one"\nand - 2\nthree...')).toBe(
      'It’s “one”  \nand — 2\nthree…\n',
    );
  });

  test('of one line too, what stays keeps its marks', () => {
    expect(edited('A “b” c — d, e’s.', 'A "b" c - d, e\'s.', 'One "b" c - d, f\'s!')).toBe(
      'One “b” c — d, f’s!',
    );
  });

  test('blanks at line ends go when the model types and then drops them', () => {
    expect(edited('a “x”   \nb', 'a "x"  \nb', 'a "x"\nb')).toBe('a “x”\nb');
    expect(edited('a “x”\nb', 'a "x"\nb', 'a "x"  \nb')).toBe('a “x”  \nb');
  });

  test('patterns of replacement are plain text', () => {
    for (const next of ['$&', '$1', '$$', "$'", '$`', '$<x>']) {
      expect(edited('a b c', 'b', next)).toBe(`a ${next} c`);
      expect(edited('a “b” c', 'a "b" c', `a "${next}" c`)).toBe(`a “${next}” c`);
      expect(edited('b b', 'b', next, true)).toBe(`${next} ${next}`);
    }
  });

  test('new lines get the line ends of the file', () => {
    expect(edited('a\r\nb\r\n', 'a', 'x\ny')).toBe('x\r\ny\r\nb\r\n');
    expect(edited('a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\nb')).toBe('a\r\nx\r\nb\r\nc\r\n');
    expect(edited('a\nb\n', 'a', 'x\r\ny')).toBe('x\ny\nb\n');
  });

  test('all means every exact place, and those that only look the same are named', () => {
    expect(editText("it's\nit’s\nit's\n", "it's", 'is', true)).toMatchObject({
      text: 'is\nit’s\nis\n',
      count: 2,
      left: [2],
    });
    expect(edited('it’s it‘s', "it's", 'is', true)).toBe('is is');
    expect(edited('aaaa', 'aa', 'b', true)).toBe('bb');
  });

  test('half an ellipsis is never kept', () => {
    expect(edited('go… on', 'go... on', 'go.. on')).toBe('go.. on');
  });
});

const piece = fc.constantFrom(
  'a',
  'b',
  ' ',
  '  ',
  '\n',
  '\r\n',
  '“',
  '”',
  '"',
  '’',
  "'",
  '…',
  '.',
  '—',
  '-',
  '\u00a0',
  '\u200b',
  '$&',
  '😀',
  'é',
  '\t',
);
const text = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(''));

describe('any text', () => {
  test('an edit of a part leaves the text before and after it, and holds the new text', () => {
    fc.assert(
      fc.property(text, text, text, anyText(10), (head, part, tail, next) => {
        const whole = head + part + tail;
        const result = editText(whole, part, next);
        if (result.kind !== 'done') return result.kind === 'ambiguous' || part === '' || part.length === 0;
        expect(result.matched).toBe('exact');
        const plain = next.replace(/\r?\n/g, lineEnd(whole));
        expect(result.text).toBe(head + plain + tail);
      }),
      { numRuns: 2000 },
    );
  });

  test('a folded edit splices the original, and what it leaves reads as asked', () => {
    const unfold = (value: string): string => String.fromCharCode(...foldText(value, true).units);
    fc.assert(
      fc.property(text, text, text, text, (head, part, tail, next) => {
        const whole = `${head}\nQ${part}Q\n${tail}`;
        const typed = unfold(`Q${part}Q`);
        const result = editText(whole, typed, `Q${next}Q`);
        if (result.kind !== 'done') return result.kind === 'ambiguous';
        expect(result.text.startsWith(`${head}\n`)).toBe(true);
        expect(result.text.endsWith(`\n${tail}`)).toBe(true);
        expect(unfold(result.text)).toBe(unfold(`${head}\nQ${next}Q\n${tail}`));
        expect(splice(whole, result.splices)).toBe(result.text);
      }),
      { numRuns: 2000 },
    );
  });

  test('folding of marks and case keeps every offset', () => {
    fc.assert(
      fc.property(anyText(40), (value) => {
        expect(foldMarks(value).length).toBe(value.length);
        expect(foldCase(value).length).toBe(value.length);
      }),
      { numRuns: 1000 },
    );
    expect(foldCase('İSTANBUL x')).toBe('İstanbul x');
  });
});

test('texts that repeat themselves take no more time than others', () => {
  const long = 'a'.repeat(1_000_000);
  expect(editText(long, `${'a'.repeat(200_000)}b${'a'.repeat(200_000)}`, 'x').kind).toBe('missing');
  expect(editText(long, 'a'.repeat(400_000), 'x')).toMatchObject({ kind: 'ambiguous', count: 600_001 });
});
