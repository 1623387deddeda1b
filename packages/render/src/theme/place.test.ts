import { describe, expect, test } from 'vitest';
import { findOne } from '../../test/dom.ts';
import { memorySource, renderSite } from '../index.ts';

type Languages = readonly { language: string; pages: string[]; hidden?: boolean }[];

/** The language of each page, by its path, as its HTML names it. */
async function languagesOf(
  languages: Languages,
  unlisted: readonly string[],
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const paths = [...new Set([...languages.flatMap(({ pages }) => pages), ...unlisted])];
  const source = memorySource({
    'docs.json': JSON.stringify({
      name: 'Site',
      theme: 'mint',
      colors: { primary: '#166e3f' },
      navigation: { languages },
    }),
    ...Object.fromEntries(paths.map((path) => [`${path}.mdx`, 'Text\n'])),
  });
  await renderSite({
    source,
    siteUrl: 'https://docs.example.com',
    emit: (path, content) => {
      const page = path.replace(/\.html$/, '');
      if (!unlisted.includes(page)) return;
      const html = typeof content === 'string' ? content : new TextDecoder().decode(content);
      const { lang, dir } = findOne(html, { tag: 'html' }).attributes;
      found[page] = `${lang} ${dir}`;
    },
  });
  return found;
}

describe('the language of a page that is not in the navigation', () => {
  const english = { language: 'en', pages: ['docs/start', 'docs/guides/one'] };

  test('is the one of the listed pages in its folder', async () => {
    const languages = [english, { language: 'ar', pages: ['docs/ar/start', 'docs/ar/guides/one'] }];
    expect(
      await languagesOf(languages, ['docs/ar/two', 'docs/ar/guides/deep/two', 'docs/guides/two']),
    ).toEqual({
      'docs/ar/two': 'ar rtl',
      'docs/ar/guides/deep/two': 'ar rtl',
      'docs/guides/two': 'en ltr',
    });
  });

  test('is found if the folder has another name than the language', async () => {
    const languages = [english, { language: 'jp', pages: ['ja/start'] }];
    expect(await languagesOf(languages, ['ja/schemas/two'])).toEqual({ 'ja/schemas/two': 'ja ltr' });
  });

  test('is the first one if the folder has pages of several languages', async () => {
    const languages = [english, { language: 'fr', pages: ['docs/debut'] }];
    expect(await languagesOf(languages, ['docs/two', 'other/two'])).toEqual({
      'docs/two': 'en ltr',
      'other/two': 'en ltr',
    });
  });

  test('is the one that its first folder is named after, whichever folder that language lists', async () => {
    const languages = [english, { language: 'fr', pages: ['francais/debut'] }];
    expect(await languagesOf(languages, ['fr/two'])).toEqual({ 'fr/two': 'fr ltr' });
  });

  test('is not a hidden one', async () => {
    const languages = [english, { language: 'ar', hidden: true, pages: ['docs/ar/start'] }];
    expect(await languagesOf(languages, ['docs/ar/two'])).toEqual({ 'docs/ar/two': 'en ltr' });
  });
});
