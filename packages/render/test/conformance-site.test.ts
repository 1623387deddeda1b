import { describe, expect, test } from 'vitest';
import { brokenLinks, readFolder, renderFiles, textOf } from './output.ts';

/** One site with every part of the format that no known site uses, and the others beside them. */
const files = readFolder(new URL('./fixtures/conformance/site/', import.meta.url).pathname);
const output = await renderFiles(files);
const page = (path: string): string => textOf(output, path);

describe('a site of everything', () => {
  test('is exported without a warning and without a link that leads nowhere', () => {
    expect(output.result.warnings.map(({ file, code, message }) => [file, code, message])).toEqual([]);
    expect(brokenLinks(output)).toEqual([]);
  });

  test('has a page for each file and each operation but the excluded one', () => {
    const pages = [...output.files.keys()].filter((path) => /^(?:en|de)\/.*\.html$/.test(path)).sort();
    expect(pages).toEqual([
      'de/zwei.html',
      'en/v1/core/one.html',
      'en/v1/core/two.html',
      'en/v1/studio/one.html',
      'en/v2/cloud/one.html',
      'en/v2/edge/setup.html',
      'en/v2/guides.html',
      'en/v2/guides/deeper.html',
      'en/v2/guides/deeper/one.html',
      'en/v2/guides/deeper/two.html',
      'en/v2/guides/start.html',
      'en/v2/quiet.html',
      'en/v2/reference/pet-sold.html',
      'en/v2/reference/pets/add-a-pet.html',
      'en/v2/reference/pets/get-a-pet.html',
      'en/v2/reference/pets/list-pets.html',
    ]);
    expect(page('index.html')).toContain('url=en/v2/guides.html');
  });

  test('gives each language its own banner, bar and footer', () => {
    const start = page('en/v2/guides/start.html');
    const german = page('de/zwei.html');
    for (const part of [
      '2.4.1 is <strong>out</strong>',
      '>Help<',
      'https://github.com/acme"',
      '<html lang="en"',
    ])
      expect(start).toContain(part);
    for (const part of ['2.4.1 ist da', '>Hilfe<', 'https://github.com/acme-de"', '<html lang="de"'])
      expect(german).toContain(part);
    expect(german).not.toContain('>Help<');
  });

  test('lists the children of root pages as the closest directory setting says', () => {
    expect(page('en/v2/guides.html')).toMatch(
      /class="directory op-directory op-directory-cards">[\s\S]*Start/,
    );
    expect(page('en/v2/guides/deeper.html')).toMatch(
      /class="directory op-directory op-directory-list">[\s\S]*One[\s\S]*Two/,
    );
  });

  test('steps through pages within one branch only', () => {
    expect(page('en/v2/guides/deeper/two.html')).not.toContain('rel="next"');
    expect(page('en/v1/core/two.html')).toMatch(/rel="prev" href="one\.html"/);
    expect(page('en/v1/core/two.html')).not.toContain('rel="next"');
  });

  test('knows hidden, unlisted and quiet pages as it should', () => {
    const sitemap = page('sitemap.xml');
    expect(sitemap).toContain('/en/v2/quiet<');
    for (const path of ['/hidden<', '/unlisted<']) expect(sitemap).not.toContain(path);
    expect(page('hidden.html')).toContain('content="noindex"');
    expect(page('unlisted.html')).not.toContain('content="noindex"');
  });

  test('replaces variables in text and code, and lays tags of folders over those of the site', () => {
    const start = page('en/v2/guides/start.html');
    expect(start).toContain('acme@2.4.1');
    expect(start).toContain('name="x-site" content="guides"');
    expect(page('de/zwei.html')).toContain('name="x-site" content="all"');
  });

  test('moves old addresses to known pages, for every host', () => {
    expect(page('docs/deeper/one.html')).toContain('url=../../en/v2/guides/deeper/one.html');
    expect(page('_redirects')).toContain('/start /en/v2/guides/start#first 302');
    expect(page('_offprint/redirects/nginx.conf')).toContain('"/docs/start" "/en/v2/guides/start";');
  });

  test('names the path below which it is served in the rules of hosts', async () => {
    const below = await renderFiles(files, { siteUrl: 'https://example.com/docs' });
    expect(textOf(below, '_redirects')).toContain('/docs/start /docs/en/v2/guides/start#first 302');
    expect(textOf(below, '_offprint/redirects/nginx.conf')).toContain('"~^/docs/docs(?:/');
    expect(textOf(below, 'start.html')).toContain('url=en/v2/guides/start.html#first');
  });
});
