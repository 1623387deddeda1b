import { readNumbers, readWords, writeNumbers, writeWords } from '@offprint/search/data';
import { readQuery as read } from '@offprint/search/engine';
import { editDistance } from '@offprint/search/guess';
import { findHits, markHits } from '@offprint/search/hits';
import { readStopWords } from '@offprint/search/stop';
import { eachToken, stemOf } from '@offprint/search/tokens';
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../theme/words/index.ts';
import { stopWordsOf } from './stop-words.ts';

function words(text: string): string[] {
  const found: string[] = [];
  eachToken(text, (start, end, word) => found.push(word ?? text.slice(start, end).toLowerCase()));
  return found;
}

describe('words of a text', () => {
  test.each([
    ['Set up OAuth, then run it.', ['set', 'up', 'oauth', 'then', 'run', 'it']],
    ['max_tokens /v1/users/{id} docs.json', ['max', 'tokens', 'v1', 'users', 'id', 'docs', 'json']],
    ['getHTTPServer2', ['gethttpserver2', 'get', 'http', 'server2']],
    ['iPhone OAuthProxy', ['iphone', 'oauthproxy', 'oauth', 'proxy']],
    ['C++ and C# but 1+1', ['c++', 'and', 'c#', 'but', '1', '1']],
    ['Café Straße ŁÓDŹ Übergröße', ['cafe', 'strasse', 'lodz', 'ubergrosse']],
    ['e\u0301tat \u00e9tat ÉTAT', ['etat', 'etat', 'etat']],
    ['Ёлка ВОЙНА', ['елка', 'воина']],
    ['İstanbul ısı', ['istanbul', 'isi']],
    ['認証設定 を', ['認証', '証設', '設定', 'を']],
    ['カタカナ ﾊﾝ', ['カタ', 'タカ', 'カナ', 'ハン']],
    ['한국어 문서', ['한국', '국어', '문서']],
    ['การตั้งค่า', ['กา', 'าร', 'รต', 'ตั', 'ั้', '้ง', 'งค', 'ค่', '่า']],
    ['API認証key', ['api', '認証', 'key']],
    ['👍 𠮷野家 ok', ['𠮷野', '野家', 'ok']],
    ['مُحَمَّد كتـاب', ['محمد', 'كتاب']],
    [`${'x'.repeat(41)} ok`, ['ok']],
    ['\ud800 lone \udfff', ['lone']],
  ])('%s', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  test('the position of a word is that in the original text, even if folding changes its length', () => {
    const text = 'Die Straße «naïve» 認証';
    const found: string[] = [];
    eachToken(text, (start, end) => found.push(text.slice(start, end)));
    expect(found).toEqual(['Die', 'Straße', 'naïve', '認証']);
  });

  test.each([
    ['deploy', 'deployment'],
    ['deploys', 'deploying'],
    ['configure', 'configuration'],
    ['authenticate', 'authentication'],
    ['query', 'queries'],
    ['cache', 'caching'],
    ['token', 'tokens'],
    ['policy', 'policies'],
    ['create', 'creating'],
  ])('%s and %s have one stem', (one, other) => {
    expect(stemOf(one)).toBe(stemOf(other));
  });

  test.each([
    ['class', 'clas'],
    ['api', 'apis'],
    ['user', 'use'],
    ['header', 'head'],
  ])('%s and %s have not', (one, other) => {
    expect(stemOf(one)).not.toBe(stemOf(other));
  });
});

const noStop = readStopWords(['', '', '']);
const english = readStopWords(stopWordsOf('en'));
const readQuery = (query: string, stop = noStop) => read(query, stop);

describe('what was typed', () => {
  test('the last word is a prefix, unless a space follows', () => {
    const ends = (query: string) =>
      readQuery(query)
        .filter(({ isLast }) => isLast)
        .map(({ term }) => term);
    expect(ends('rate lim')).toEqual(['lim']);
    expect(ends('rate limit ')).toEqual([]);
    expect(ends('rate getUs')).toEqual(['getus', 'us']);
  });

  test('a name in camelCase is a wish, its parts are asked for', () => {
    expect(readQuery('getUser now').map(({ term, isWhole }) => [term, isWhole])).toEqual([
      ['getuser', true],
      ['get', false],
      ['user', false],
      ['now', false],
    ]);
  });

  test('a word counts once, and no query is endless', () => {
    expect(readQuery('a b a B').map(({ term }) => term)).toEqual(['a', 'b']);
    expect(readQuery(Array.from({ length: 99 }, (_, at) => `w${at}`).join(' '))).toHaveLength(12);
  });

  test.each([
    ['how do I rotate a key', 'en', ['rotate', 'key']],
    ['What is the SDK?', 'en', ['sdk']],
    ['how to', 'en', ['how', 'to']],
    ['is_valid how', 'en', ['is', 'valid']],
    ['¿Cómo puedo añadir una imagen?', 'es', ['anadir', 'imagen']],
    ['Qu’est-ce que l’API', 'fr', ['api']],
    ['Wie kann ich eine Seite löschen', 'de', ['seite', 'loschen']],
    ['什么是部署', 'zh', ['部署']],
    ['如何使用 API', 'cn', ['api']],
    ['認証とは何ですか', 'ja', ['認証']],
    ['배포는 어떻게 하나요', 'ko', ['배포', '포는']],
    ['how do I rotate a key', 'xx', ['rotate', 'key']],
  ])(
    'of %s (%s), stop words are dropped unless the query has no other words',
    (query, language, expected) => {
      const stop = readStopWords(stopWordsOf(language));
      expect(readQuery(query, stop).map(({ term }) => term)).toEqual(expected);
    },
  );

  test('words like "use" count less in a question, and in full elsewhere', () => {
    const weights = (query: string) => readQuery(query, english).map(({ weight }) => weight);
    expect(weights('how do I use tokens')).toEqual([0.25, 1]);
    expect(weights('use tokens')).toEqual([1, 1]);
    expect(weights('how does it work')).toEqual([1]);
  });

  test.each(LANGUAGES)(
    'the interface language %s has stop words, in the form that texts are indexed in',
    (code) => {
      const [stop = '', weak = '', phrases = ''] = stopWordsOf(code);
      for (const word of `${stop} ${weak}`.trim().split(' ')) expect(words(word)).toEqual([word]);
      expect([stop, phrases]).not.toEqual(stopWordsOf('en').filter((_, at) => at !== 1));
    },
  );

  test.each([
    ['authentcation', 'authentication', 1],
    ['recieve', 'receive', 1],
    ['depoly', 'deploy', 1],
    ['cahce', 'cache', 1],
    ['xyz', 'abc', 3],
  ])('%s is %s with %d slip(s)', (typed, word, slips) => {
    expect(Math.min(3, editDistance(typed, word, 2, false))).toBe(slips);
  });

  test('the beginning of a word may be mistyped as well', () => {
    expect(editDistance('confgi', 'configuration', 1, true)).toBe(1);
    expect(editDistance('confgi', 'configuration', 1, false)).toBeGreaterThan(1);
  });
});

describe('marks', () => {
  const shown = (text: string, terms: string[], size?: number) =>
    markHits(text, new Set(terms), size)
      .map(({ text: piece, isHit }) => (isHit ? `[${piece}]` : piece))
      .join('');

  test('hits are marked as written, overlapping ones together', () => {
    expect(shown('Café and CAFE', ['cafe'])).toBe('[Café] and [CAFE]');
    expect(shown('認証設定', ['認証', '証設'])).toBe('[認証設]定');
    expect(shown('getUserName', ['user', 'name'])).toBe('get[User][Name]');
  });

  test('an excerpt shows the stretch with the most different words', () => {
    const far = 'lorem ipsum '.repeat(40);
    const text = `one ${far} one two three ${far} two`;
    const excerpt = shown(text, ['one', 'two', 'three'], 120);
    expect(excerpt).toContain('[one] [two] [three]');
    expect(excerpt.startsWith('…')).toBe(true);
    expect(excerpt.endsWith('…')).toBe(true);
    expect(excerpt.length).toBeLessThan(160);
  });

  test('without a hit the beginning is shown, white space as one blank', () => {
    expect(shown('a\n\n  b   c', [], 50)).toBe('a b c');
  });

  test('places of hits are those of the text', () => {
    const text = 'x Straße y';
    expect(findHits(text, new Set(['strasse'])).map(({ start, end }) => text.slice(start, end))).toEqual([
      'Straße',
    ]);
  });
});

describe('how numbers and words are written', () => {
  test('numbers are decoded as they were encoded', () => {
    const numbers = [0, 1, 31, 32, 63, 1000, 1_000_000, 2 ** 30];
    expect(readNumbers(writeNumbers(numbers))).toEqual(numbers);
  });

  test('sorted words are decoded as they were encoded, without splitting surrogate pairs', () => {
    const sorted = ['a', 'ab', 'abc', 'b', 'x'.repeat(80), `${'x'.repeat(80)}y`, '𠮷野', '𠮸野'].sort();
    const text = writeWords(sorted);
    expect(text.isWellFormed()).toBe(true);
    expect(readWords(text)).toEqual(sorted);
    expect(readWords('')).toEqual([]);
  });
});
