import { describe, expect, test } from 'vitest';
import { find, findOne, has, type Query, readHtml, readText, textsOf, valuesOf } from './dom.ts';
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
    const banner = findOne(start, { id: 'banner' });
    expect(banner.text).toMatch(/2\.4\.1 is out/);
    expect(textsOf(banner, { role: 'strong' })).toEqual(['out']);
    expect(findOne(german, { id: 'banner' }).text).toMatch(/2\.4\.1 ist da/);
    const link = (name: string): Query => ({ role: 'link', name });
    expect([has(start, link('Help')), has(start, link('Hilfe'))]).toEqual([true, false]);
    expect([has(german, link('Help')), has(german, link('Hilfe'))]).toEqual([false, true]);
    expect(valuesOf(start, 'href')).toContain('https://github.com/acme');
    expect(valuesOf(german, 'href')).toContain('https://github.com/acme-de');
    expect([start, german].map((html) => readHtml(html)[0]?.attributes.lang)).toEqual(['en', 'de']);
  });

  test('lists the children of root pages as the closest directory setting says', () => {
    const cards = findOne(page('en/v2/guides.html'), { class: 'directory' });
    expect(textsOf(cards, { role: 'link', class: 'directory-card' })[0]).toMatch(/^Start/);
    const list = findOne(page('en/v2/guides/deeper.html'), { class: 'directory' });
    expect(textsOf(list, { role: 'link', class: 'directory-page' })).toEqual([
      expect.stringMatching(/^One/),
      expect.stringMatching(/^Two/),
    ]);
  });

  test('steps through pages within one branch only', () => {
    const steps = (path: string) =>
      find(page(path), { attributes: { rel: /^(?:prev|next)$/ } }).map(({ attributes: { rel, href } }) => [
        rel,
        href,
      ]);
    expect(steps('en/v2/guides/deeper/two.html')).not.toContainEqual(['next', expect.anything()]);
    expect(steps('en/v1/core/two.html')).toEqual([['prev', 'one.html']]);
  });

  test('knows hidden, unlisted and quiet pages as it should', () => {
    const sitemap = page('sitemap.xml');
    expect(sitemap).toContain('/en/v2/quiet<');
    for (const path of ['/hidden<', '/unlisted<']) expect(sitemap).not.toContain(path);
    const robots: Query = { tag: 'meta', attributes: { name: 'robots', content: 'noindex' } };
    expect(has(page('hidden.html'), robots)).toBe(true);
    expect(has(page('unlisted.html'), robots)).toBe(false);
  });

  test('replaces variables in text and code, and lays tags of folders over those of the site', () => {
    const start = page('en/v2/guides/start.html');
    expect(readText(start)).toContain('acme@2.4.1');
    const tagOf = (html: string) => valuesOf(html, 'content', { attributes: { name: 'x-site' } });
    expect(tagOf(start)).toEqual(['guides']);
    expect(tagOf(page('de/zwei.html'))).toEqual(['all']);
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
