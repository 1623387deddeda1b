import { expect, test } from 'vitest';
import { renderFiles } from '../../test/output.ts';
import { openSearch } from '../../test/search-site.ts';
import { readSynonyms } from './synonyms.ts';

test('phrases of a text stand for the others of their group', () => {
  const synonyms = readSynonyms(['SSO, single sign-on', 'k8s, Kubernetes', 'alone', ' , ']);
  expect(synonyms?.('Set up Single Sign-On now')).toEqual(['SSO']);
  expect(synonyms?.('with sso on Kubernetes')).toEqual([' single sign-on', 'k8s']);
  expect(synonyms?.('single and sign on alone')).toEqual([]);
  expect(readSynonyms(['alone', ''])).toBeNull();
});

test('pages are found by the synonyms of their words, after those that have the words', async () => {
  const page = (title: string, body: string): string => `---\ntitle: ${title}\n---\n\n${body}\n`;
  const files = {
    'a.mdx': page('Access', 'Set up single sign-on.'),
    'b.mdx': page('SSO', 'With your provider.'),
    'c.mdx': page('Other', 'Nothing.'),
  };
  const docs = (search: object): string =>
    JSON.stringify({
      theme: 'mint',
      name: 'A',
      colors: { primary: '#166e3f' },
      search,
      navigation: { pages: ['a', 'b', 'c'] },
    });
  const find = async (search: object, query: string) =>
    (await openSearch(await renderFiles({ 'docs.json': docs(search), ...files })).find(query)).pages;
  const synonyms = ['SSO, single sign-on'];
  expect(await find({ synonyms }, 'sso ')).toEqual(['b.html', 'a.html']);
  expect(await find({ synonyms }, 'single sign-on')).toEqual(['a.html', 'b.html']);
  expect(await find({}, 'sso ')).toEqual(['b.html']);
});
