import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { en, LANGUAGES, stringsFor } from './words/index.ts';

const FOLDER = new URL('./words/', import.meta.url);
const holders = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

describe('words of the interface', () => {
  test('every file of words is a language, and every language has its file', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
    expect(files.sort()).toEqual(LANGUAGES.map((language) => `${language}.json`).sort());
  });

  test.each(LANGUAGES)('%s has every word, and keeps what is filled in', (language) => {
    const words = JSON.parse(readFileSync(new URL(`${language}.json`, FOLDER), 'utf8')) as Record<
      string,
      string
    >;
    expect(Object.keys(words)).toEqual(Object.keys(en));
    for (const [key, text] of Object.entries(en)) {
      expect(words[key]?.trim(), key).not.toBe('');
      expect(holders(words[key] ?? ''), key).toEqual(holders(text));
    }
  });

  test('tags of the format find their words', () => {
    for (const [tag, language] of [
      ['pt-BR', 'pt'],
      ['fr-CA', 'fr'],
      ['ja-JP', 'ja'],
      ['zh-CN', 'zh'],
      ['zh-Hans', 'zh'],
      ['zh-Hant', 'zh-hant'],
      ['zh-TW', 'zh-hant'],
      ['zh-Hant-HK', 'zh-hant'],
      ['nb-NO', 'no'],
    ]) {
      expect(stringsFor(tag ?? ''), tag).toBe(stringsFor(language ?? ''));
    }
    expect(stringsFor('xx')).toBe(en);
    expect(stringsFor('en-GB')).toBe(en);
    expect(stringsFor('__proto__')).toBe(en);
  });
});
