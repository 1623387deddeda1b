import { expect, test } from 'vitest';
import { renderBody } from '../../../test/mdx-page.ts';
import { openSite } from '../../open-site.ts';
import { memorySource } from '../../source.ts';
import { codeClasses } from './code-classes.ts';

const classesOf = (css: string): string[] => {
  const source = memorySource({ 'style.css': css });
  return [...codeClasses(source, source.paths)].sort();
};

test('classes with a font of code, or with its white space, are found', () => {
  expect(classesOf('.a, p .b:hover { font-family: "JetBrains Mono", monospace }')).toEqual(['a', 'b']);
  expect(
    classesOf('.a{color:red;font:12px/1 Menlo}.b{white-space:pre}.c{white-space:pre !important;}'),
  ).toEqual(['a', 'b', 'c']);
  expect(classesOf('@media (width > 1px) { .a .b.c > .d { font-family: var(--font-mono) } }')).toEqual(['d']);
  expect(classesOf('.a { color: red; & .b { font-family: Courier } }')).toEqual(['b']);
});

test('other classes are not', () => {
  expect(classesOf('.a { font-family: Inter }\n.b { white-space: pre-wrap }\n.c { color: red }')).toEqual([]);
  expect(classesOf('.a::before { font-family: monospace }\n.b { content: "font-family: mono" }')).toEqual([]);
  expect(classesOf('/* .a { font-family: mono } */ .b { color: red }')).toEqual([]);
  expect(classesOf('.a code { font-family: mono }')).toEqual([]);
});

test('a style sheet that is not valid is read in time linear in its length', () => {
  for (const part of ['font:', '.a{', '}', 'mono;', '.a{font:mono', '(', 'white-space: '])
    expect(classesOf(`mono ${part.repeat(100_000)}`).length).toBeLessThan(2);
});

test('quotes in an element of such a class stay as typed', () => {
  const source = memorySource({
    'docs.json': JSON.stringify({
      name: 'S',
      colors: { primary: '#0f766e' },
      navigation: { pages: ['index'] },
    }),
    'index.mdx': '<div className="output"><p>say "a"</p></div>\n\nsay "b"\n',
    'custom.css': '.output { font-family: monospace }',
  });
  const site = openSite({ source, siteUrl: null }, () => {});
  const [page] = site.siteMap.pages;
  const html = page === undefined ? '' : site.content(page).html;
  expect(html).toContain('say "a"');
  expect(html).toContain('say “b”');
});

test('a style element of the page gives its classes the look of code, wherever it is in the page', () => {
  const { html } = renderBody(
    '<div className="console">say "a"</div>\n\nsay "b"\n\n<div>\n<style>{`.console { font-family: monospace }`}</style>\n</div>\n',
  );
  expect(html).toContain('say "a"');
  expect(html).toContain('say “b”');
});
