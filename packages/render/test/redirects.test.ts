import { describe, expect, test } from 'vitest';
import { valuesOf } from './dom.ts';
import { brokenLinks, renderFiles, textOf } from './output.ts';

const redirects = [
  { source: '/docs/:slug*', destination: '/:slug*' },
  { source: '/a/intro', destination: '/b' },
  { source: '/first', destination: '/second?from=first' },
  { source: '/second', destination: '/b#part' },
  { source: '/folder/index', destination: '/b' },
  { source: '/pair/index', destination: '/b' },
  { source: '/pair', destination: '/c' },
  { source: '/away/:slug*', destination: 'https://example.com/:slug*' },
  { source: '/leave', destination: '/away/deep/page' },
  { source: '/round/:slug*', destination: '/about/:slug*' },
  { source: '/about/:slug*', destination: '/round/:slug*' },
  { source: '/grow/:slug*', destination: '/grow/more/:slug*' },
  { source: '/to-index', destination: '/section/index' },
];

async function renderLinks(links: readonly string[], config: object = {}) {
  const output = await renderFiles({
    'docs.json': JSON.stringify({
      name: 'D',
      colors: { primary: '#1d4ed8' },
      navigation: { pages: ['index', 'b', 'c', 'section/index', 'deep/page'] },
      redirects,
      ...config,
    }),
    'index.mdx': 'Home',
    'b.mdx': '## Part\n\n## Other',
    'c.mdx': '',
    'section/index.mdx': '',
    'deep/page.mdx': links.map((link) => `<a href="${link}">x</a>`).join('\n\n'),
  });
  const html = textOf(output, 'deep/page.html');
  const hrefs = valuesOf(html, 'href', { role: 'link', name: 'x' });
  const codes = output.result.warnings.map(({ code, message }) => `${code}: ${message}`);
  return { output, hrefs, warnings: codes.filter((one) => !one.startsWith('redirect-')) };
}

describe('links through redirects', () => {
  test.each([
    ['/docs/a/intro', '../b.html'],
    ['/docs/b', '../b.html'],
    ['/docs/docs/a/intro', '../b.html'],
    ['/first', '../b.html?from=first#part'],
    ['/first?own=1#other', '../b.html?from=first#part'],
    ['/a/intro?q=1#other', '../b.html?q=1#other'],
    ['/docs/a/intro#other', '../b.html#other'],
    ['/folder', '../b.html'],
    ['/folder/', '../b.html'],
    ['/folder/index', '../b.html'],
    ['/Folder/index', '../b.html'],
    ['/pair', '../c.html'],
    ['/pair/index', '../b.html'],
    ['/section/index', '../section.html'],
    ['/to-index', '../section.html'],
    ['/to-index/index', '../section.html'],
    ['../a/intro', '../b.html'],
    ['/away/x y?q=1#h', 'https://example.com/x%20y?q=1#h'],
    ['/leave#h', 'https://example.com/deep/page#h'],
    ['/away/a%3Fb', 'https://example.com/a%3Fb'],
  ])('%s leads to %s', async (written, href) => {
    const { hrefs, warnings } = await renderLinks([written]);
    expect(hrefs).toEqual([href]);
    expect(warnings).toEqual([]);
  });

  test('in a circle or without an end are reported, each once', async () => {
    const { warnings } = await renderLinks(['/round/x', '/grow/x']);
    expect(warnings).toEqual(
      ['/round/x', '/grow/x'].map((link) =>
        expect.stringContaining(`The link \`${link}\` leads to redirects that have no end.`),
      ),
    );
  });

  test('of the header and footer lead to the page, too', async () => {
    const links = ['/docs/a/intro', '/first', '/pair/index', '/section/index', '/leave'];
    const navbar = { links: links.map((href, at) => ({ label: `Link ${at}`, href })) };
    const { output, warnings } = await renderLinks([], { navbar });
    const html = textOf(output, 'deep/page.html');
    for (const href of [
      '../b.html',
      '../b.html?from=first#part',
      '../section.html',
      'https://example.com/deep/page',
    ])
      expect(valuesOf(html, 'href', { role: 'link', within: { id: 'navbar' } })).toContain(href);
    expect(warnings).toEqual([]);
  });
});

describe('files of redirects', () => {
  test('lead to the page at the end of a chain and name it as canonical', async () => {
    const { output } = await renderLinks([]);
    for (const [file, href, canonical] of [
      ['docs/a/intro.html', '../../b.html', '/b'],
      ['first.html', 'b.html?from=first#part', '/b'],
      ['folder.html', 'b.html', '/b'],
      ['folder/index.html', '../b.html', '/b'],
      ['pair.html', 'c.html', '/c'],
      ['pair/index.html', '../b.html', '/b'],
      ['to-index.html', 'section.html', '/section'],
      ['leave.html', 'https://example.com/deep/page', null],
    ] as const) {
      const html = textOf(output, file);
      expect(valuesOf(html, 'content', { attributes: { 'http-equiv': 'refresh' } })).toEqual([
        `0; url=${href}`,
      ]);
      const whole = canonical === null ? href : `https://docs.example.com${canonical}`;
      expect(valuesOf(html, 'href', { tag: 'link', attributes: { rel: 'canonical' } })).toEqual([whole]);
    }
    expect(brokenLinks(output)).toEqual([]);
  });
});
