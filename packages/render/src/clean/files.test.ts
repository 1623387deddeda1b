import { gunzipSync, gzipSync } from 'node:zlib';
import { pagePolicy } from '@offprint/bundle/policy';
import { describe, expect, test } from 'vitest';
import { growth, LINEAR } from '../../test/cpu-time.ts';
import { readRoots } from '../../test/dom.ts';
import { type CleanFile, cleanDataUrl, cleanFile } from './files.ts';

const NS = 'xmlns="http://www.w3.org/2000/svg"';
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = ({ content }: CleanFile): string => new TextDecoder().decode(content);
const svg = (inner: string): CleanFile => cleanFile('a.svg', encode(`<svg ${NS}>${inner}</svg>`));
const svgText = (inner: string): string => `<svg ${NS}>${inner}</svg>`;

describe('an SVG file', () => {
  test.each([
    ['a script', '<script>x</script><g></g>', '<g></g>', '<script>'],
    [
      'a script under another prefix',
      `<s:script xmlns:s="http://www.w3.org/2000/svg">x</s:script>`,
      '',
      '<script>',
    ],
    ['HTML under a prefix', '<h:script xmlns:h="http://www.w3.org/1999/xhtml">x</h:script>', '', '<script>'],
    ['HTML as the default namespace', '<img xmlns="http://www.w3.org/1999/xhtml" src="x"/>', '', '<img>'],
    ['foreignObject', '<foreignObject><div/></foreignObject>', '', '<foreignObject>'],
    ['a handler', '<g onload="x" ONCLICK="y" id="a"></g>', '<g id="a"></g>', 'onload'],
    ['a handler of SVG Tiny', '<handler>x</handler>', '', '<handler>'],
    ['XML events', '<e:listener xmlns:e="http://www.w3.org/2001/xml-events"/>', '', '<listener>'],
    ['a link that runs', '<a href="java&#115;cript:x">y</a>', '<a>y</a>', 'href="javascript:x"'],
    [
      'an image of another host',
      '<image xmlns:q="http://www.w3.org/1999/xlink" q:href="//evil.test/x"></image>',
      '<image xmlns:q="http://www.w3.org/1999/xlink"></image>',
      'q:href="//evil.test/x"',
    ],
    [
      'a shape of another file',
      '<use href="https://evil.test/x#a"></use>',
      '<use></use>',
      'href="https://evil.test/x#a"',
    ],
    [
      'a shape in data',
      '<use href="data:image/svg+xml,x"></use>',
      '<use></use>',
      'href="data:image/svg+xml,x"',
    ],
    [
      'a filter image',
      '<feImage href="http://evil.test/"></feImage>',
      '<feImage></feImage>',
      'href="http://evil.test/"',
    ],
    ['an animated link', '<a><animate attributeName="href" to="x"/></a>', '<a></a>', '<animate>'],
    ['a set link', '<a><set attributeName="xlink:href" to="javascript:x"/></a>', '<a></a>', '<set>'],
    [
      'CSS in an element',
      '<style>a{b:url(//evil.test)}</style>',
      '<style>a{b:none}</style>',
      'url("//evil.test")',
    ],
    [
      'CSS in parts',
      '<style>@imp<!-- x -->ort <![CDATA["//evil.test";]]>a{b:c}</style>',
      '<style>a{b:c}</style>',
      '@import "//evil.test"',
    ],
    [
      'CSS in an attribute',
      '<g style="fill:\\75rl(//evil.test)"></g>',
      '<g style="fill:none"></g>',
      'url("//evil.test")',
    ],
    [
      'an attribute with a URL',
      '<g mask="u\\72l(//evil.test)" fill="url(#a)"></g>',
      '<g fill="url(#a)"></g>',
      'mask="u\\72l(//evil.test)"',
    ],
    ['a base', '<g xml:base="//evil.test"></g>', '<g></g>', 'xml:base'],
    ['a request on a click', '<a href="/x" ping="//evil.test">x</a>', '<a href="/x">x</a>', 'ping'],
    ['a style sheet of the document', '<?xml-stylesheet href="x"?><g></g>', '<g></g>', '<?xml-stylesheet?>'],
  ])('is written without %s', (_, inner, expected, removed) => {
    const file = svg(inner);
    expect(textOf(file)).toBe(svgText(expected));
    expect([...file.removed.keys()]).toContain(removed);
    expect(file.fault).toBeNull();
  });

  test.each([
    '<?xml version="1.0" encoding="utf-8"?>\r\n<!-- a -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n' +
      `<svg ${NS} xmlns:i="http://ns.adobe.com/x"><i:pgf onload="x"/><style>.a{fill:\\72 ed}</style><g fill='url(#a)'/></svg>`,
    `<svg ${NS}><a href="https://x.test"><image href="data:image/png;base64,AA"/><use href="#a"/></a></svg>`,
    `<svg ${NS}><animate attributeName="r" values="1;2"/><image href="../b.png"/><flowRoot/></svg>`,
    `\ufeff<svg ${NS}/>`,
    'version https://git-lfs.github.com/spec/v1',
    '',
  ])('stays byte for byte if nothing has to be left out: %s', (text) => {
    const content = encode(text);
    const file = cleanFile('a.svg', content);
    expect(file.content).toBe(content);
    expect(file).toMatchObject({ fault: null, removed: new Map() });
  });

  test('keeps its entities as text; other declarations are left out', () => {
    const doctype = '<!DOCTYPE svg [<!ENTITY n "http://www.w3.org/2000/svg"> <!-- x -->]>';
    const file = cleanFile('a.svg', encode(`${doctype}<svg xmlns="&n;"><script/></svg>`));
    expect(textOf(file)).toBe(`<svg ${NS}></svg>`);
    const other = '<!DOCTYPE svg [<!ATTLIST svg onload CDATA "x"><!ENTITY e SYSTEM "file:///etc/passwd">]>';
    const second = cleanFile('a.svg', encode(`${other}<svg ${NS}>&e;</svg>`));
    expect(textOf(second)).toBe(svgText('&amp;e;'));
    expect([...second.removed.keys()]).toEqual(['<!DOCTYPE [...]>']);
  });

  test('does not grow by its entities', () => {
    const one = `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(1000)}"><!ENTITY b "&a;&a;">]>`;
    const file = cleanFile('a.svg', encode(`${one}<svg ${NS}>${'&a;'.repeat(100_000)}&b;</svg>`));
    expect(file.content.length).toBeLessThan(2_000_000);
    expect(file.fault).toContain('entities');
  });

  test.each([
    [
      'elements that are not closed',
      `<svg ${NS}><g onload="x"><path d="M0"/>`,
      svgText('<g><path d="M0"></path></g>'),
    ],
    [
      'a prefix that is not declared',
      `<svg ${NS}><use xlink:href="#a" x="1"/></svg>`,
      svgText('<use x="1"></use>'),
    ],
    ['an attribute twice', `<svg ${NS}><g id="a" id="b"/></svg>`, svgText('<g id="b"></g>')],
    ['text after its end', `<svg ${NS}/><script>x</script>`, `<svg ${NS}></svg>`],
    ['no element', 'x < y', `<svg ${NS}/>`],
  ])('that is not well-formed is written as it was understood: %s', (_, text, expected) => {
    const file = cleanFile('a.svg', encode(text));
    expect(textOf(file)).toBe(expected);
    expect(file.fault).not.toBeNull();
  });

  test('in another encoding becomes UTF-8', () => {
    const text = `<svg ${NS}><script/>é</svg>`;
    for (const content of [
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(text, 'utf16le'),
      Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
      Buffer.from(`<?xml version="1.0" encoding="iso-8859-1"?>${text}`, 'latin1'),
      Buffer.from(`<?xml version='1.0' encoding='utf-7'?>${text}`, 'latin1'),
    ])
      expect(textOf(cleanFile('a.svg', content))).toBe(svgText('é'));
  });

  test('is cleaned inside of its compression', () => {
    const file = cleanFile('a.svgz', gzipSync(`<svg ${NS} onload="x"/>`));
    expect(gunzipSync(file.content).toString()).toBe(`<svg ${NS}></svg>`);
    const same = gzipSync(`<svg ${NS}/>`);
    expect(cleanFile('a.svgz', same).content).toBe(same);
    const broken = gunzipSync(cleanFile('a.svgz', Buffer.from([0x1f, 0x8b, 9])).content).toString();
    expect(readRoots(broken)).toMatchObject([{ tag: 'svg' }]);
  });

  test.each([
    '<g>',
    '<g a="1"/>',
    '</g>',
    '<',
    '&a;',
    '<a:b>',
    '<!--',
    '<![CDATA[',
    '<?x ',
    '<g xmlns:a="b">',
  ])('takes linear time: %s', (part) => {
    expect(growth((size) => void svg(part.repeat(size)), 10_000)).toBeLessThan(LINEAR);
  });
});

describe('a data: URL', () => {
  const data = (text: string): string => `data:image/svg+xml,${encodeURIComponent(text)}`;

  test('with an SVG is cleaned as the file would be', () => {
    expect(cleanDataUrl(data(`<svg ${NS} onload="x"/>`))).toBe(data(`<svg ${NS}></svg>`));
    const base64 = Buffer.from(`<svg ${NS} onload="x"/>`).toString('base64');
    expect(cleanDataUrl(`data:image/svg+xml;base64,${base64}#a`)).toBe(`${data(`<svg ${NS}></svg>`)}#a`);
    const inner = data(`<svg ${NS} onload="x"/>`);
    expect(
      decodeURIComponent(cleanDataUrl(data(`<svg ${NS}><image href="${inner}"/></svg>`)) ?? ''),
    ).not.toContain('onload');
  });

  test.each([
    data(`<svg ${NS}/>`),
    `data:image/svg+xml;utf8,<svg ${NS}/>`,
    'data:image/png;base64,AA',
    'data:font/woff2,x',
  ])('of an image or a font stays: %s', (url) => {
    expect(cleanDataUrl(url)).toBe(url);
  });

  test.each([
    'data:text/html,x',
    'data:,x',
    'data:application/xml,<svg/>',
    'javascript:x',
    'DATA:text/css,x',
  ])('of anything else is not written: %s', (url) => {
    expect(cleanDataUrl(url)).toBeNull();
  });
});

describe('another file of XML', () => {
  test('runs nothing: scripts, handlers and style sheets of the document are left out', () => {
    const file = cleanFile(
      'a.xml',
      encode(
        '<?xml version="1.0"?><?xml-stylesheet href="a.xsl"?><r xmlns:h="http://www.w3.org/1999/xhtml"><script on="1"/>' +
          '<h:p onclick="x"><h:script/>a<h:a href="javascript:x">b</h:a></h:p></r>',
      ),
    );
    expect(textOf(file)).toBe(
      '<r xmlns:h="http://www.w3.org/1999/xhtml"><script on="1"></script><h:p>a<h:a>b</h:a></h:p></r>',
    );
  });

  test.each([
    '<?xml version="1.0"?><urlset xmlns:x="http://www.w3.org/1999/xhtml"><url><x:link rel="alternate" hreflang="de" href="https://x.test/de"/></url></urlset>',
    '<feed xmlns="http://www.w3.org/2005/Atom"><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x</p></div></content></feed>',
    '<project><script src="https://x.test">run</script></project>',
  ])('such as a sitemap, a feed or a sample stays byte for byte: %s', (text) => {
    const content = encode(text);
    expect(cleanFile('a.xml', content).content).toBe(content);
  });

  test('is known by its start if its name has no extension', () => {
    const text = '<?xml version="1.0"?><script xmlns="http://www.w3.org/1999/xhtml">x</script>';
    expect(textOf(cleanFile('folder.x/data', encode(text)))).toBe('<document/>');
    expect(textOf(cleanFile('LICENSE', encode('x <script>')))).toBe('x <script>');
  });
});

describe('an HTML file', () => {
  const meta = `<meta http-equiv="Content-Security-Policy" content="${pagePolicy}">`;

  test.each([
    ['<!doctype html><html lang="en"><script>', '<!doctype html>', '<html lang="en"><script>'],
    ['<html><head>', '', '<html><head>'],
    [
      '\ufeff \n<!-- a --><!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN">\nx',
      '\ufeff \n<!-- a --><!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN">',
      '\nx',
    ],
    ['<!--><script>--><!doctype html>', '', '<!--><script>--><!doctype html>'],
    ['<!-- a --!><script>--><!doctype html>', '', '<!-- a --!><script>--><!doctype html>'],
    ['\u00a0<!doctype html>x', '', '\u00a0<!doctype html>x'],
    ['\ufeff\ufeff<!doctype html>x', '\ufeff', '\ufeff<!doctype html>x'],
    ['', '', ''],
  ])('has the policy of pages before its first element: %s', (text, before, after) => {
    const file = cleanFile('a.html', encode(text));
    expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.content)).toBe(before + meta + after);
  });

  test('in UTF-16 becomes UTF-8', () => {
    const file = cleanFile('a.htm', Buffer.from('\ufeff<p>é', 'utf16le'));
    expect(textOf(file)).toBe(`${meta}<p>é`);
  });
});
