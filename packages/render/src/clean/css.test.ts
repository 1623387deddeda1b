import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { growth, LINEAR } from '../../test/cpu-time.ts';
import { defectsOf, hostileCss, localCss } from '../../test/css-samples.ts';
import { cleanCss, cleanValue, cssDeclarations, cssUrls } from './css.ts';

const clean = (css: string, isMinified = false): string =>
  cleanCss(css, { resolve: ({ url }) => url, isMinified });

describe('a style text', () => {
  test('names each URL with its property, in lower case', () => {
    const css =
      '@import "a.css";a:hover,b{color:red;-WEBKIT-Mask:url(b.png);&:is(.c){--d:url(c.png)}}@font-face{src:url(d.woff2)}e{f:image-set("e.png" 1x)}';
    expect(cssUrls(css).map(({ url, property }) => [url, property])).toEqual([
      ['a.css', ''],
      ['b.png', '-webkit-mask'],
      ['c.png', '--d'],
      ['d.woff2', 'src'],
      ['e.png', 'f'],
    ]);
  });

  test.each([
    ['an escape that a filter makes', '@\\69mport "//evil.test/x.css";a{b:c}', 'a{b:c}'],
    ['an import that is not closed', '@import url(//evil.test/x', ''],
    ['a rule that is not closed', 'body{background:url("//evil.test/F', 'body{background:none}'],
    ['a name in escapes', 'a{b:\\75rl(//evil.test/x) u\\72 l("//evil.test")}', 'a{b:none none}'],
    ['a string with an escaped line break', 'a{b:"x\\\n";c:url(//evil.test)}', 'a{b:"x";c:none}'],
    ['a string that a line break ends', 'a{b:"x\n;c:url(//evil.test)}', 'a{b:"\n;c:none}'],
    ['a text in a list of images', 'a{b:image-set("//evil.test/x" 1x, "y" 2x) red}', 'a{b:none red}'],
    ['a text in brackets there', 'a{b:image-set(("//evil.test/x") 1x)}', 'a{b:none}'],
    [
      'a variable in place of a text',
      'a{--x:"//evil.test";b:image-set(var(--x) 1x)}',
      'a{--x:"//evil.test";b:none}',
    ],
    [
      'a mask, which hides its element',
      'a{mask:url(//evil.test/x) no-repeat;-webkit-mask-image:image-set("//evil.test/x" 1x)}',
      'a{mask:linear-gradient(#0000,#0000) no-repeat;-webkit-mask-image:linear-gradient(#0000,#0000)}',
    ],
    ['src()', '@font-face{src:src("//evil.test/x")}', '@font-face{src:none}'],
    ['backslashes', 'a{b:url("\\\\\\\\evil.test\\\\x") url("/\\\\evil.test")}', 'a{b:none none}'],
    ['tabs and line breaks in a URL', 'a{b:url("\\9//evil.test") url("/\\a/evil.test")}', 'a{b:none none}'],
    [
      'other schemes',
      'a{b:url(blob:x) url(file:/x) url("javascript:x") url(data:text/html,x)}',
      'a{b:none none none none}',
    ],
    ['a style sheet in data', '@import "data:text/css,x";a{b:c}', 'a{b:c}'],
    ['a source map', 'a{b:c}/*# sourceMappingURL=https://evil.test/x */', 'a{b:c}'],
    ['a value next to a name', 'a{b:url(//evil.test)c}', 'a{b:none/**/c}'],
    ['code of old browsers', 'a{behavior:url(x.htc);b:expression(x)}', 'a{x-removed:url(x.htc);b:none}'],
    ['an encoding', '@charset "iso-2022-jp";a{b:c}', 'a{b:c}'],
    [
      'an invalid namespace, up to its end',
      '@namespace s url(http://x.test/)@import "http://x.test/a.css";.a{color:red}',
      '.a{color:red}',
    ],
    [
      'a namespace, which is not loaded',
      '@namespace s url(http://x.test/);',
      '@namespace s "http://x.test/";',
    ],
    ['marks of the byte order', '\ufeff\ufeffa{b:c}', 'a{b:c}'],
    [
      'one that would become the first',
      '@charset "x";\ufeffurl("//evil.test")',
      '\n\ufeffurl("//evil.test")',
    ],
    ['NUL and half a character', 'a{b:"\0\ud800"}', 'a{b:"\ufffd\ufffd"}'],
    ['line breaks of other systems', 'a\r\n{b:c\f}', 'a\n{b:c\n}'],
  ])('is written without what loads from another site: %s', (_, css, expected) => {
    expect(clean(css)).toBe(expected);
  });

  test.each([
    'a{background:url(x.png) , url("/y.png") , url( \'z.png\' )}',
    '@import url("a.css") layer(x) screen;',
    '@font-face{font-family:"A";src:local("A"),url("a.woff2") format("woff2")}',
    '.md\\:flex,.w-1\\/2{content:"→";width:calc(1px + 2e3em)}',
    '@media (width>1px){a:not([href^="https://x.test"])::before{content:"https://x.test"}}',
    'a{b:image-set("a.png" type("image/png") 1x,url(b.png) 2x)}',
    'a{b:url(data:image/png;base64,AAAA)}',
    '<!-- a{b:c} -->',
    '/* a */a{--b:{c};d:e!important}',
    '',
  ])('that loads nothing from another site stays as it is: %s', (css) => {
    expect(clean(css)).toBe(css);
  });

  test.each(['\ufeff', '\u1680'])(
    'keeps %j, which is a letter of CSS, apart from what follows a removal',
    (char) => {
      const css = `*{}${char}@import"https://evil.test/a.png";url(url("https://evil.test/a.png")@importsvg ;`;
      for (const text of [clean(css), clean(css, true)]) {
        expect(text).toContain(`${char}/**/url(`);
        expect(defectsOf(text)).toEqual([]);
        expect(clean(text)).toBe(text);
      }
      expect(cssDeclarations(`a:${char}url(x)`)).toEqual([['a', `${char}url(x)`]]);
    },
  );

  test('is closed at its end, as browsers close it', () => {
    expect(clean('@media all{a{b:c(d[e"f')).toBe('@media all{a{b:c(d[e"f"])}}');
    expect(clean('a{b:url(x')).toBe('a{b:url("x")}');
    expect(clean('a{}/* b')).toBe('a{}/* b*/');
  });

  test('is minified between tokens only', () => {
    expect(
      clean('a  b ,\n c { d : "x  y" ; }  /* e */ .\\31  f { g: 1px/**/2px ; }\n@layer a;\n', true),
    ).toBe('a b,c{d : "x  y"}.\\31  f{g: 1px/**/2px}@layer a;');
  });

  test('names its URLs with their lines', () => {
    expect(cssUrls('/* \n */@import "a";\nb{c:url(d)\n}e{f:image-set("g" 1x)}')).toEqual([
      { url: 'a', isImport: true, property: '', line: 2 },
      { url: 'd', isImport: false, property: 'c', line: 3 },
      { url: 'g', isImport: false, property: 'f', line: 4 },
    ]);
  });

  test('gets the URLs that it is given, unless they lead to another site', () => {
    const rebased = (to: string): string => cleanCss('a{b:url(x)}', { resolve: () => to });
    expect(rebased('../a "b.png')).toBe('a{b:url("../a \\22 b.png")}');
    expect(rebased('//evil.test')).toBe('a{b:none}');
  });

  test.each([
    ['image-set(', 20_000],
    ['"\\', 50_000],
    ['/*', 50_000],
    ['@import ', 30_000],
    ['@import url("a" ', 20_000],
    ['@import x{', 20_000],
    ['@namespace a/**/', 20_000],
    ['behavior/**/', 20_000],
    ['url( ', 30_000],
    ['image-set(("//a"', 20_000],
    ['\\61', 50_000],
  ])('of any length takes linear time: %s', (part, count) => {
    expect(growth((size) => void clean(part.repeat(size)), count)).toBeLessThan(LINEAR);
  });

  test('is tried with samples of which many would load something', () => {
    const samples = fc.sample(hostileCss, 1_000);
    expect(
      samples.filter((css) => defectsOf(css).some((defect) => defect.includes('evil'))).length,
    ).toBeGreaterThan(250);
  });

  test('holds no URL of another site, and is the same when it is written again', () => {
    fc.assert(
      fc.property(hostileCss, fc.boolean(), (css, isMinified) => {
        const cleaned = clean(css, isMinified);
        expect(defectsOf(cleaned)).toEqual([]);
        expect(clean(cleaned, isMinified)).toBe(cleaned);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the value of a declaration or of an attribute', () => {
  test.each([
    ['url(#a) rgb(0 0 0/50%)', 'url(#a) rgb(0 0 0/50%)'],
    ['\\72 ed', 'red'],
    ['"a;b" , (c)', '"a;b" , (c)'],
    ['\\75rl(http://evil.test/v2.svg#a)', null],
    ["image-set('http://evil.test' 1x)", null],
    ['image-set(var(--x) 1x)', null],
    ['red;background:url(x)', null],
    ['red}a{b:c', null],
    ['@import "x"', null],
    ['expression(x)', null],
    ['url(a b)', null],
    ['"a\nb', null],
  ])('is kept if it is one and loads nothing: %s', (value, expected) => {
    expect(cleanValue(value, (url) => (url.startsWith('#') ? url : null))).toBe(expected);
  });

  test('loads nothing from another site, whatever it is', () => {
    fc.assert(
      fc.property(hostileCss, (css) => {
        const value = cleanValue(css, (url) => url);
        if (value !== null) expect(defectsOf(value)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('declarations end at semicolons that belong to no text, bracket or URL', () => {
    expect(cssDeclarations('a:b;c : url(data:x;y) ; d:"e;f";;g')).toEqual([
      ['a', 'b'],
      ['c', 'url(data:x;y)'],
      ['d', '"e;f"'],
      ['', ''],
      ['g', ''],
    ]);
  });
});

test('style sheets without URLs of other sites keep their URLs', () => {
  fc.assert(
    fc.property(localCss, (css) => {
      expect(defectsOf(clean(css))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
