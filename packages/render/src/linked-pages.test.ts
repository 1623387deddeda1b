import { describe, expect, test } from 'vitest';
import { textsOf } from '../test/dom.ts';
import { brokenLinks, renderFiles } from '../test/output.ts';
import { checkSite } from './check/check-site.ts';
import { openPreview } from './preview.ts';
import { memorySource } from './source.ts';

type Files = Record<string, string>;

const withConfig = (files: Files, config: object = {}): Files => ({
  'docs.json': JSON.stringify({
    name: 'Docs',
    colors: { primary: '#1d4ed8' },
    navigation: { pages: ['index'] },
    ...config,
  }),
  'index.mdx': 'Home',
  ...files,
});

async function pagesOf(files: Files, config: object = {}, options: object = {}) {
  const output = await renderFiles(withConfig(files, config), options);
  const pages = [...output.files.keys()]
    .filter((path) => path.endsWith('.html') && path !== '404.html')
    .map((path) => path.slice(0, -'.html'.length))
    .sort();
  const { warnings } = output.result;
  return { output, pages, warnings, leftOut: warnings.filter(({ code }) => code === 'folder-left-out') };
}

describe('pages of folders with a name of generated files', () => {
  test.each(['build', 'dist', 'tmp', 'temp', 'coverage', 'Build'])(
    'are exported when an exported page links to them: %s',
    async (folder) => {
      const { pages, warnings } = await pagesOf({
        'index.mdx': `[Start](/${folder}/start)`,
        [`${folder}/start.mdx`]: 'Start',
      });
      expect(pages).toEqual([`${folder}/start`, 'index'].sort());
      expect(warnings).toEqual([]);
    },
  );

  test.each([
    ['a Markdown link', '[x](/build/x)'],
    ['a link relative to the page', '[x](build/x)'],
    ['a relative link with dots and an extension', '[x](./build/x.mdx)'],
    ['a link with query and fragment', '[x](/build/x?a=1#top)'],
    ['a link with a base path', '[x](/docs/build/x)'],
    ['a reference', '[x]\n\n[x]: build/x'],
    ['an HTML link', '<a href="/build/x">x</a>'],
    ['a link in braces', "<a href={'/build/' + 'x'}>x</a>"],
    ['a card', '<Card title="x" href="/build/x" />'],
    ['cards from data', "{['x'].map((name) => <Card title={name} href={'/build/' + name} />)}"],
    ['another spelling', '[x](/Build/X)'],
    ['a snippet', 'import Part from "/snippets/part.mdx"\n\n<Part />'],
    ['a variable', '[x]({{where}})'],
  ])('are found by %s', async (_name, body) => {
    const { pages, warnings } = await pagesOf(
      { 'index.mdx': body, 'build/x.mdx': 'X', 'snippets/part.mdx': '[x](/build/x)' },
      { variables: { where: '/build/x' } },
    );
    expect(pages).toEqual(['build/x', 'index']);
    expect(warnings.map(({ code }) => code)).toEqual([]);
  });

  test('are found by a relative link of a listed page in the same folder', async () => {
    const { pages, warnings } = await pagesOf(
      { 'build/guide/start.mdx': '[x](./x)', 'build/guide/x.mdx': '[y](y)', 'build/guide/y.mdx': 'Y' },
      { navigation: { pages: ['index', 'build/guide/start'] } },
    );
    expect(pages).toEqual(['build/guide/start', 'build/guide/x', 'build/guide/y', 'index']);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['a link of the header', { navbar: { links: [{ label: 'X', href: '/build/x' }] } }],
    ['the banner', { banner: { content: 'See [x](/build/x)' } }],
    ['a link of the navigation', { navigation: { pages: ['index', { group: 'X', href: '/build/x' }] } }],
  ])('are found by %s', async (_name, config) => {
    const { pages, leftOut } = await pagesOf({ 'build/x.mdx': 'X' }, config);
    expect(pages).toEqual(['build/x', 'index']);
    expect(leftOut).toEqual([]);
  });

  test('are exported when a redirect leads to them, or a link through redirects', async () => {
    const redirects = [
      { source: '/old', destination: '/build/by-redirect' },
      { source: '/guides/:page', destination: '/build/guides/:page' },
      { source: '/v1/:path*', destination: '/:path*' },
    ];
    const { pages } = await pagesOf(
      {
        'index.mdx': '[through two](/v1/guides/one) [direct](/v1/build/direct)',
        'build/by-redirect.mdx': '',
        'build/guides/one.mdx': '',
        'build/direct.mdx': '',
        'build/other.mdx': '',
      },
      { redirects },
    );
    expect(pages).toEqual(expect.arrayContaining(['build/by-redirect', 'build/direct', 'build/guides/one']));
    expect(pages).not.toContain('build/other');
  });

  test('link to each other: a chain and a circle are followed, relative links too', async () => {
    const { pages, output } = await pagesOf({
      'index.mdx': '[a](/build/a)',
      'build/a.mdx': '[b](b)',
      'build/b.mdx': '[c](./deep/c)',
      'build/deep/c.mdx': '[a](../a)',
      'build/lonely.mdx': '[index](/)',
    });
    expect(pages).toEqual(['build/a', 'build/b', 'build/deep/c', 'index']);
    expect(brokenLinks(output)).toEqual([]);
  });

  test('bring the images and files of such folders that they show, and no others', async () => {
    const { output, leftOut } = await pagesOf({
      'index.mdx': '[a](/build/a)',
      'build/a.mdx': '![shot](images/shot.png) [file](/dist/file.pdf)',
      'build/images/shot.png': 'png',
      'build/images/other.png': 'png',
      'dist/file.pdf': 'pdf',
      'dist/bundle.js': '1',
    });
    const own = [...output.files.keys()].filter((path) => /^(?:build|dist)\//.test(path));
    expect(own.sort()).toEqual(['build/a.html', 'build/a.md', 'build/images/shot.png', 'dist/file.pdf']);
    expect(leftOut[0]?.message).toContain('1 in "build/", 1 in "dist/"');
  });

  test('are left out when nothing leads to them, with one warning that counts the files of each folder', async () => {
    const { pages, leftOut } = await pagesOf({
      'index.mdx': '`/build/a` and\n\n```md\n[a](/build/a)\n```',
      'build/a.mdx': '[b](b)',
      'build/b.mdx': '',
      'tmp/c.md': '',
      'tmp/d.json': '{}',
      'dist/README.md': '',
      'build/snippets/part.mdx': '',
    });
    expect(pages).toEqual(['index']);
    expect(leftOut).toEqual([
      {
        file: 'docs.json',
        line: null,
        code: 'folder-left-out',
        message: expect.stringContaining('2 in "build/", 1 in "dist/", 2 in "tmp/"'),
      },
    ]);
  });

  test('are exported as before when the navigation lists them', async () => {
    const files = { 'build/a.mdx': '', 'build/b.mdx': '' };
    const { pages, leftOut } = await pagesOf(files, {
      navigation: { pages: ['index', 'build/a', 'build/b'] },
    });
    expect(pages).toEqual(['build/a', 'build/b', 'index']);
    expect(leftOut).toEqual([]);
  });

  test('stay out when unlisted pages are excluded or single pages are chosen', async () => {
    const files = { 'index.mdx': '[a](/build/a)', 'build/a.mdx': '' };
    for (const options of [{ includeUnlisted: false }, { paths: ['index'] }])
      expect((await pagesOf(files, {}, options)).pages).toEqual(['index']);
  });

  test('are never taken from node_modules, .git and ignored folders', async () => {
    const { pages } = await pagesOf({
      'index.mdx': '[a](/node_modules/a) [b](/.git/b) [c](/build/c)',
      'node_modules/a.mdx': '',
      '.git/b.mdx': '',
      'build/c.mdx': '',
      '.mintignore': 'build/c.mdx\n',
    });
    expect(pages).toEqual(['index']);
  });

  test('for members of groups stay out for others', async () => {
    const files = { 'index.mdx': '[a](/build/a)', 'build/a.mdx': '---\ngroups: [staff]\n---\nSecret' };
    expect((await pagesOf(files)).pages).toEqual(['index']);
    expect((await pagesOf(files, {}, { groups: ['staff'] })).pages).toEqual(['build/a', 'index']);
  });

  test('are the same in the preview and in both checks', () => {
    const source = memorySource(
      withConfig({ 'index.mdx': '[a](/build/a)', 'build/a.mdx': 'A', 'build/b.mdx': 'B' }),
    );
    const preview = openPreview({ source, siteUrl: 'https://docs.example.com' });
    const { html = '' } = preview.page('build/a.html') ?? {};
    expect(textsOf(html, { role: 'paragraph', within: { id: 'content' } })).toEqual(['A']);
    expect(preview.page('build/b.html')).toBeNull();
    expect(preview.warnings.map(({ code }) => code)).toEqual(['folder-left-out']);
    for (const parseOnly of [false, true]) {
      const { pageCount, findings } = checkSite(source, { parseOnly });
      expect(pageCount).toBe(2);
      expect(findings.filter(({ code }) => /left-out|broken/.test(code))).toHaveLength(1);
    }
  });
});
