import { eachContentWord, readStopWords } from '@offprint/search/stop';
import { eachToken } from '@offprint/search/tokens';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addName, addText, createPostings, FIELD, startSection } from './postings.ts';
import { stopWordsOf } from './stop-words.ts';
import { factsOf, VALUE } from './word-table.ts';

const stop = readStopWords(stopWordsOf(null));

const PARTS = [
  ...'aZ9+#._-:/ \n\0é€認証👍\ud800',
  ...[
    'the',
    'The',
    'how',
    'is',
    'HTTPServer2',
    'getUser',
    'iPhone',
    'C++',
    'C#',
    'F#x',
    'Über',
    'naïve',
    '什么是',
  ],
  ...['x'.repeat(40), 'xY'.repeat(21), ' of ', ' API '],
];
const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }).map((parts) => parts.join(''));

/** Occurrences of each word of the text as the engine reads it. */
function expectedWords(text: string): Map<string, number> {
  const found = new Map<string, number>();
  eachToken(text, (start: number, end: number, folded: string | null) => {
    const word = folded ?? text.slice(start, end).toLowerCase();
    found.set(word, (found.get(word) ?? 0) + 1);
  });
  return found;
}

test('the index has the words of a text that the engine reads, as often', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const postings = createPostings(stop);
      startSection(postings);
      addText(postings, text, FIELD.text);
      const counts = postings.words.map((word, number): [string, number] => [
        word,
        postings.facts[factsOf(number) + VALUE]! >>> 4,
      ]);
      const expected = expectedWords(text);
      expect(new Map(counts)).toEqual(expected);
      expect(postings.lengths).toEqual([[...expected.values()].reduce((sum, count) => sum + count, 0)]);
    }),
    { numRuns: 1000 },
  );
});

test('the length of a name is the number of words that the engine counts', () => {
  fc.assert(
    fc.property(texts, (name) => {
      const postings = createPostings(stop);
      startSection(postings);
      addName(postings, name, FIELD.title);
      let words = 0;
      eachContentWord(name, stop, () => {
        words++;
      });
      expect(postings.nameLengths).toEqual([words]);
    }),
    { numRuns: 1000 },
  );
});

test('no phrase among the stop words is of ASCII', () => {
  for (const language of [null, 'ja', 'ko', 'zh', 'en'])
    for (const phrase of readStopWords(stopWordsOf(language)).phrases) expect(phrase).toMatch(/[^\0-\x7f]/);
});
