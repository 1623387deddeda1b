import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanLinks } from './link-scan.ts';
import { resolveLink, rewriteLink } from './link-target.ts';
import { lookupOf } from './page-lookup.ts';

const hrefs = (text: string, file = 'a.mdx'): string[] => scanLinks(file, text).map(({ href }) => href);

describe('links are found by their marks', () => {
  test.each<[string, string, string[]]>([
    [
      'inline',
      '[a](/b) and ![c]( d.png "t") and [e](<f g.mdx#h>) [x](#i)',
      ['/b', 'd.png', 'f g.mdx#h', '#i'],
    ],
    ['brackets within', '[![a](b.png)](/c_(d)) [e](/f\\)g)', ['b.png', '/c_(d)', '/f\\)g']],
    ['definitions', '[a]: /b "t"\n  [c d]: <e>\n[^1]: /note\nword [x]: /no', ['/b', 'e']],
    [
      'attributes and keys',
      '<Card title="x" href="/a" img={\'/b.png\'}>\n<img src = {"c.svg"} />\nexport const l = [{ href: "/d" }]',
      ['/a', '/b.png', 'c.svg', '/d'],
    ],
    [
      'imports and snippets',
      'import A from "/snippets/a.mdx"\nimport {\n  B,\n} from \'./b.jsx\'\nexport { c } from "../c"\n\n<Snippet file="d.mdx" />',
      ['/snippets/a.mdx', './b.jsx', '../c', 'd.mdx'],
    ],
    [
      'front matter',
      '---\ntitle: /not a link\nurl: /a\nrelated:\n  - "/b/c"\n  - T: \'/d\'\nopenapi: "api.json GET /x"\n---\n[e](/f)\n',
      ['/a', '/b/c', '/d', 'api.json', '/f'],
    ],
  ])('%s', (_, text, expected) => {
    expect(hrefs(text)).toEqual(expected);
  });

  test.each<[string, string]>([
    ['fences', '```md\n[a](/b)\n```\n'],
    ['fences in lists and quotes', '> - ~~~~\n> [a](/b)\n> ~~~\n> <a href="/c">\n> ~~~~\n'],
    ['a fence that never ends', '````\n```\n[a](/b)\n'],
    ['inline code', 'x `[a](/b)` and ``[a](/b) ` <a href="/c">`` y'],
    ['inline code over lines', 'x `[a](/b)\n<a href="/c">` y'],
    ['comments', '<!-- [a](/b)\n\n[c](/d) -->{/* <a href="/e"> */}'],
    ['escapes', '\\[a\\](/b)'],
  ])('%s have none', (_, text) => {
    expect(hrefs(text)).toEqual([]);
  });

  test('code that never ends does not hide what is behind its paragraph', () => {
    expect(hrefs('a ` b\n\n[c](/d) ` e\n\n<!-- [f](/g)')).toEqual(['/d', '/g']);
  });

  test('ranges are those of the text, whatever it is, and do not overlap', () => {
    const part = fc.constantFrom(
      ...[
        '[a](',
        ']( ',
        '/b)',
        '`',
        '```\n',
        '\n',
        ' ',
        '<!--',
        '-->',
        '{/*',
        '*/}',
        'href="',
        '"',
        "'",
        '[x]: ',
        '---\n',
      ],
      ...['import a from "', '<Snippet file=', '\\', '/p', '\r\n', '“', '😀', '('],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        let end = 0;
        for (const link of scanLinks('a.mdx', text)) {
          expect(text.slice(link.start, link.end)).toBe(link.href);
          expect(link.start).toBeGreaterThanOrEqual(end);
          end = link.end;
        }
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['backticks', Array.from({ length: 1400 }, (_, index) => `${'`'.repeat(index + 1)} `).join('')],
    ['openings', '](('.repeat(300_000)],
    ['brackets', '['.repeat(900_000)],
    ['comments', '<!--{/*'.repeat(130_000)],
    ['attributes', 'href={ '.repeat(130_000)],
    ['imports', 'import a '.repeat(100_000)],
    ['import lines', 'import a\n'.repeat(100_000)],
    ['front matter', `---\n${'a: '.repeat(300_000)}\n---\n`],
  ])('a megabyte of %s ends', (_, text) => {
    // Without a bound in the patterns this would take minutes and meet the limit of the test.
    expect(scanLinks('a.mdx', text).length).toBeLessThan(10_000);
  });
});

describe('a link leads where the renderer leads it', () => {
  const lookup = lookupOf([
    'index.mdx',
    'a/index.mdx',
    'a/b.mdx',
    'a/b/c.md',
    'd e.mdx',
    'img/x.png',
    'snippets/s.mdx',
    'api.json',
  ]);
  test.each<[string, string, string | null]>([
    ['/', 'a/b.mdx', 'index.mdx'],
    ['/a', 'a/b.mdx', 'a/index.mdx'],
    ['/a/', 'a/b.mdx', 'a/index.mdx'],
    ['/a/index', 'index.mdx', 'a/index.mdx'],
    ['/A/B.html#x', 'index.mdx', 'a/b.mdx'],
    ['/docs/a/b?x=1', 'index.mdx', 'a/b.mdx'],
    ['b', 'a/index.mdx', 'a/b.mdx'],
    ['./b.mdx', 'a/index.mdx', 'a/b.mdx'],
    ['../b', 'a/b/c.md', 'a/b.mdx'],
    ['c', 'a/b.mdx', 'a/b/c.md'],
    ['a/b', 'a/b/c.md', 'a/b.mdx'],
    ['/d%20e', 'index.mdx', 'd e.mdx'],
    ['../img/x.png', 'a/b.mdx', 'img/x.png'],
    ['..', 'a/b/c.md', 'a/index.mdx'],
    ['https://example.com/a/b', 'index.mdx', null],
    ['//example.com/a', 'index.mdx', null],
    ['mailto:a@b', 'index.mdx', null],
    ['#b', 'a/index.mdx', null],
    ['/none', 'index.mdx', null],
    ['../../../../a/b', 'a/b.mdx', 'a/b.mdx'],
    ['%E0%A4%A', 'index.mdx', null],
  ])('%s in %s: %s', (href, from, file) => {
    expect(resolveLink('link', href, from, lookup)?.file ?? null).toBe(file);
  });

  test.each<[string, string, string, string]>([
    ['/a/b', 'index.mdx', 'n/m.mdx', '/n/m'],
    ['/a/b/#x', 'index.mdx', 'n/m.mdx', '/n/m/#x'],
    ['/a/b.mdx?q#x', 'index.mdx', 'n/m.md', '/n/m.md?q#x'],
    ['/docs/a/b', 'index.mdx', 'n/m.mdx', '/docs/n/m'],
    ['/a/b', 'index.mdx', 'n/index.mdx', '/n'],
    ['/a/b.html', 'index.mdx', 'n/index.mdx', '/n.html'],
    ['./b', 'a/index.mdx', 'a/m.mdx', './m'],
    ['b', 'a/index.mdx', 'n/m.mdx', '../n/m'],
    ['./b.mdx', 'a/index.mdx', 'm.mdx', '../m.mdx'],
    ['../b', 'a/b/c.md', 'a/b/m.mdx', './m'.slice(2)],
    ['a/b', 'index.mdx', 'n o.mdx', 'n%20o'],
    ['/a/b', 'index.mdx', 'n(o).mdx', '/n%28o%29'],
    ['/a/b', 'x.mdx', 'index.mdx', '/index'.slice(0, 1)],
  ])('%s in %s leads to %s as %s', (href, from, to, expected) => {
    const files = ['index.mdx', 'a/index.mdx', 'a/b.mdx', 'a/b/c.md', 'x.mdx'].filter((file) => file !== to);
    const resolved = resolveLink('link', href, from, lookupOf(files))!;
    const after = lookupOf([...files.filter((file) => file !== 'a/b.mdx'), to]);
    expect(rewriteLink({ kind: 'link', href, resolved, from, to, lookup: after })).toBe(expected);
  });
});
