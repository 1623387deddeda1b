import { describe, expect, test } from 'vitest';
import { findOne, textsOf } from './dom.ts';
import { renderFiles, textOf } from './output.ts';

const PAGE = (title: string) => `---\ntitle: ${title}\n---\n\nText.\n`;

describe('what style sheets of sites select in the navigation, as the format documents it', async () => {
  const output = await renderFiles({
    'docs.json': JSON.stringify({
      name: 'Site',
      theme: 'mint',
      colors: { primary: '#166e3f' },
      navigation: {
        languages: ['en', 'de'].map((language) => ({
          language,
          products: ['One', 'Two'].map((product) => ({
            product,
            icon: 'rocket',
            description: `About ${product}`,
            groups: [
              {
                group: 'Group',
                icon: 'book',
                tag: 'NEW',
                pages: [`${language}/${product}/a`, `${language}/${product}/b`],
              },
            ],
          })),
        })),
      },
    }),
    ...Object.fromEntries(
      ['en', 'de'].flatMap((language) =>
        ['One', 'Two'].flatMap((product) => [
          [`${language}/${product}/a.mdx`, PAGE('A')],
          [
            `${language}/${product}/b.mdx`,
            '---\ntitle: B\napi: GET https://api.example.com/b\n---\n\nText.\n',
          ],
        ]),
      ),
    ),
  });
  const html = textOf(output, 'en/One/a.html');

  test.each<[string, string]>([
    ['nav-dropdown-products-selector-trigger', 'nav-dropdown-trigger'],
    ['nav-dropdown-products-selector-content', 'nav-dropdown-content'],
  ])('a menu of products has the class %s', (name, other) => {
    expect(findOne(html, { class: name }).attributes.class?.split(' ')).toContain(other);
  });

  test('entries of a menu have a class for each of their parts', () => {
    const within = { class: 'nav-dropdown-products-selector-item' };
    for (const family of ['nav-dropdown', 'nav-dropdown-products-selector']) {
      expect(textsOf(html, { class: `${family}-item-title`, within })).toEqual(['One', 'Two']);
      expect(textsOf(html, { class: `${family}-item-description`, within })).toEqual([
        'About One',
        'About Two',
      ]);
      expect(textsOf(html, { tag: 'svg', class: `${family}-item-icon`, within })).toHaveLength(2);
    }
    expect(textsOf(html, { class: 'nav-dropdown-item-text-container', within })).toHaveLength(2);
  });

  test('the menu of languages is beside its button', () => {
    const menu = findOne(html, { id: 'localization-select-content' });
    expect(menu.parent).toBe(findOne(html, { id: 'localization-select-trigger' }).parent);
    expect(textsOf(menu, { class: 'nav-dropdown-item-title' })).toEqual(['English', 'Deutsch']);
    expect(findOne(menu, { id: 'localization-select-item-de' }).text).toBe('Deutsch');
  });

  test('a group has classes for its icon and the text of its tag, an operation for its method', () => {
    // Icons of the sidebar come with its script.
    const scripts = [...output.files.keys()].filter((path) => path.startsWith('_offprint/nav-'));
    expect(scripts.map((path) => textOf(output, path)).join()).toContain('sidebar-group-icon');
    expect(findOne(html, { class: 'nav-tag-pill-text', within: { class: 'nav-tag-pill' } }).text).toBe('NEW');
    expect(findOne(html, { class: 'method-nav-pill' }).attributes.class?.split(' ')).toContain('method-pill');
  });
});

describe('what style sheets of sites select in the page for URLs that are not found', () => {
  const site = (css: string) => ({
    'docs.json': JSON.stringify({
      name: 'Site',
      theme: 'mint',
      colors: { primary: '#166e3f' },
      navigation: { pages: ['a'] },
    }),
    'a.mdx': PAGE('A'),
    'style.css': css,
  });

  test('its parts have the classes that the format documents', async () => {
    const html = textOf(await renderFiles(site('not-found-title { color: red }')), '404.html');
    expect(findOne(html, { tag: 'main' }).attributes.class).toBe('not-found-container');
    for (const part of ['status-code', 'title', 'description'])
      findOne(html, { class: `not-found-${part}`, within: { class: 'not-found-container' } });
  });

  test('it loads the style sheets that name them, and no others', async () => {
    const sheets = async (css: string) =>
      /<link rel="stylesheet" href="\/style\.css">/.test(textOf(await renderFiles(site(css)), '404.html'));
    expect(await sheets('.not-found-title { color: red }')).toBe(true);
    expect(await sheets('.card { color: red }')).toBe(false);
  });
});
