import { describe, expect, test } from 'vitest';
import { anchorsOfHtml, createPaths, parseLinkFacts } from '../src/index.ts';

describe('the places of links', () => {
  test('are read line by line', async () => {
    const text =
      '["page","a","a.mdx",[["x",3],["y",1,"b.mdx"],["z",null]]]\n["redirect","/old","docs.json",7]\n';
    const { pages, redirects } = await parseLinkFacts(text);
    expect(pages.get('a')).toEqual({
      file: 'a.mdx',
      anchors: new Map([
        ['x', { file: 'a.mdx', line: 3 }],
        ['y', { file: 'b.mdx', line: 1 }],
        ['z', { file: 'a.mdx', line: null }],
      ]),
    });
    expect([...redirects]).toEqual([['/old', { file: 'docs.json', line: 7 }]]);
  });

  test('of a name that members of objects have are data', async () => {
    const { pages } = await parseLinkFacts('["page","__proto__","a.mdx",[["constructor",1]]]');
    expect([...(pages.get('__proto__')?.anchors.keys() ?? [])]).toEqual(['constructor']);
  });

  test.each([
    'x',
    '{}',
    'null',
    '["page"]',
    '["page",1,"a",[]]',
    '["page","a","b",{}]',
    '["page","a","b",[1]]',
    '["page","a","b",[[1]]]',
    '["page","a","b",[["x",1,2]]]',
    '["redirect",{},"a",1]',
    '["page","a","b",[]]\n[',
    `${'['.repeat(100_000)}`,
  ])('are refused when they are not valid: %.40s', async (text) => {
    await expect(parseLinkFacts(text)).rejects.toMatchObject({
      name: 'BundleError',
      code: 'manifest_invalid',
    });
  });

  test('ignore lines of later versions, and lines that are not positive integers', async () => {
    const text = '["later",1]\n["page","a","b",[["x",-1],["y",1.5],["z","2"]]]';
    const { pages } = await parseLinkFacts(text);
    expect([...(pages.get('a')?.anchors.values() ?? [])].map((place) => place?.line)).toEqual([
      null,
      null,
      null,
    ]);
  });
});

test('anchors of HTML are ids of elements, and not of texts, comments of code or parts of the page', () => {
  const html = `<h2 class="x" id="a &amp; b">T</h2><pre>&lt;p id="no"&gt;</pre><p data-id="no"><p id="part"><li id="footnote-1">
<p title=' id="q"'></p><p id=""><p id="a &amp; b"><p id="${'x'.repeat(2000)}"><p id="open`;
  expect(anchorsOfHtml(html, (id) => id === 'part')).toEqual(['a & b', 'q']);
});

describe('the Markdown copy of a page with a redirect', () => {
  const find = createPaths(
    {
      files: ['new.html', 'new.md', 'bare.html', 'kept.md', 'folder/a.html', 'folder/a.md'].map((path) => ({
        path,
      })),
      redirects: [
        { source: '/old', destination: '/new#part', permanent: true },
        { source: '/plain', destination: '/bare', permanent: false },
        { source: '/out', destination: 'https://example.com/x', permanent: true },
        { source: '/kept', destination: '/new', permanent: true },
        { source: '/moved/:slug*', destination: '/folder/:slug*', permanent: true },
      ],
    },
    '/docs',
  );
  test.each([
    ['/docs/old.md', { kind: 'redirect', location: '/docs/new.md', permanent: true }],
    ['/docs/old.md?x=1', { kind: 'redirect', location: '/docs/new.md?x=1', permanent: true }],
    ['/docs/plain.md', { kind: 'redirect', location: '/docs/bare', permanent: false }],
    ['/docs/out.md', { kind: 'redirect', location: 'https://example.com/x', permanent: true }],
    ['/docs/kept.md', { kind: 'file', file: { path: 'kept.md' } }],
    ['/docs/moved/a.md', { kind: 'redirect', location: '/docs/folder/a.md', permanent: true }],
    ['/docs/none.md', { kind: 'missing' }],
    ['/docs/.md', { kind: 'missing' }],
  ])('%s', (target, found) => {
    expect(find(target)).toEqual(found);
  });
});
