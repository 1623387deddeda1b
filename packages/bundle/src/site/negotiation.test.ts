import { describe, expect, it } from 'vitest';
import { acceptedCodings, prefersMarkdown } from './negotiation.ts';

describe('the content encodings of a request, the best first', () => {
  it.each([
    [undefined, ['identity']],
    ['', ['identity']],
    ['gzip', ['gzip', 'identity']],
    ['br', ['br', 'identity']],
    ['gzip, deflate, br', ['br', 'gzip', 'identity']],
    ['gzip, deflate, br, zstd', ['br', 'gzip', 'identity']],
    ['x-gzip', ['gzip', 'identity']],
    ['GZIP;Q=0.5 , Br;q=0.4', ['gzip', 'br', 'identity']],
    ['br;q=0, gzip', ['gzip', 'identity']],
    ['br;q=0.001', ['br', 'identity']],
    ['gzip;q=0.5, identity;q=0.8', ['identity', 'gzip']],
    ['*', ['br', 'gzip', 'identity']],
    ['*;q=0.5, gzip', ['gzip', 'br', 'identity']],
    ['*;q=0, gzip', ['gzip']],
    ['*, br;q=0', ['gzip', 'identity']],
    ['identity;q=0', []],
    ['*;q=0', []],
    ['gzip, identity;q=0', ['gzip']],
    ['identity', ['identity']],
    ['deflate', ['identity']],
    // a weight that is none is a refusal
    ['br;q=2, gzip', ['gzip', 'identity']],
    ['br;q=x', ['identity']],
    ['br;q=-1;level=3', ['identity']],
    ['br;level=3;q=0.9, gzip;q=0.95', ['gzip', 'br', 'identity']],
  ])('%s', (header, codings) => {
    expect(acceptedCodings(header)).toEqual(codings);
    expect(acceptedCodings(header)).toEqual(codings);
  });

  it('take no longer for a header of thousands of entries', () => {
    expect(acceptedCodings(`${'x,'.repeat(8000)}br`)).toEqual(['identity']);
  });
});

describe('whether a request wants Markdown', () => {
  it.each([
    ['text/markdown', true],
    ['text/markdown, */*', true],
    ['text/markdown, text/html, */*', true],
    ['text/markdown;q=1.0, text/x-markdown;q=0.9, text/plain;q=0.8, text/html;q=0.7, */*;q=0.1', true],
    ['text/html;q=0.8, TEXT/Markdown', true],
    ['text/markdown;charset=utf-8;q=0.9, text/html;q=0.5', true],
    ['text/html, text/markdown', false],
    ['text/html, text/markdown;q=0.9', false],
    ['text/markdown;q=0, */*', false],
    ['text/markdown;q=0.5, */*', false],
    ['text/markdown;q=0.5, text/*;q=0.4, */*', true],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', false],
    ['*/*', false],
    ['text/*', false],
    ['text/plain', false],
    ['application/x-text/markdown', false],
    ['', false],
    [undefined, false],
  ])('%s: %s', (header, wanted) => {
    expect(prefersMarkdown(header)).toBe(wanted);
  });
});
