import fc from 'fast-check';
import { expect, test } from 'vitest';
import { externalUrl, publicUrl, relativeLink } from './paths.ts';

test('a relative link resolves to its target from any folder, under http and file', () => {
  const path = fc.array(
    fc.string({ minLength: 1, unit: 'grapheme' }).filter((s) => !/[/\\]|^\.\.?$/.test(s)),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  fc.assert(
    fc.property(path, path, (from, to) => {
      const encode = (parts: string[]): string =>
        parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/');
      for (const base of ['https://host/sub/', 'file:///tmp/x/']) {
        const url = new URL(relativeLink(from.join('/'), to.join('/')), base + encode(from));
        expect(decodeURIComponent(url.pathname)).toBe(
          decodeURIComponent(new URL(base + encode(to)).pathname),
        );
      }
    }),
  );
});

test('public addresses have no extension', () => {
  expect(publicUrl('https://e.com/docs', 'index')).toBe('https://e.com/docs/');
  expect(publicUrl('https://e.com', 'a b/ü')).toBe('https://e.com/a%20b/%C3%BC');
});

test('only web, mail and telephone addresses are links to elsewhere', () => {
  expect(externalUrl('https://e.com')).toBe('https://e.com');
  expect(externalUrl('//e.com')).toBe('https://e.com');
  expect(externalUrl('mailto:a@b.c')).toBe('mailto:a@b.c');
  for (const href of [
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    ' data:text/html,x',
    'vbscript:x',
    '/a',
    '#a',
  ]) {
    expect(externalUrl(href), href).toBeNull();
  }
});
