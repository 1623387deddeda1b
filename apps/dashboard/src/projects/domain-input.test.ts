import { expect, test } from 'vitest';
import { placeholderDomain, readDomain } from './domain-input.ts';

test('a host name is taken in its canonical form', () => {
  expect(readDomain(' Docs.Example.COM. ').domain).toBe('docs.example.com');
  expect(readDomain('bücher.example').domain).toBe('xn--bcher-kva.example');
});

test.each([
  ['https://docs.example.com/guides?x=1', 'docs.example.com'],
  ['docs.example.com/path', 'docs.example.com'],
  ['docs.example.com:8080', 'docs.example.com'],
  ['192.0.2.1', null],
  ['my docs', null],
  ['', null],
])('%j is refused, and %j is what was meant', (text, suggestion) => {
  expect(readDomain(text)).toMatchObject({ domain: null, suggestion, fault: expect.stringMatching(/\.$/) });
});

test('a domain is in the list once', () => {
  expect(readDomain('DOCS.example.com', ['docs.example.com']).fault).toMatch(/in the list/);
});

test('a placeholder is a host name whatever the project is called', () => {
  for (const name of ['Acme Docs!', 'Größe', '文档', '--', 'x'.repeat(200)])
    expect(readDomain(placeholderDomain(name)).domain).toBe(placeholderDomain(name));
});
