import { expect, test } from 'vitest';
import { memorySource } from '../source.ts';
import { SourceError } from '../warning.ts';
import { findUnknownPath } from './unknown-path.ts';

const petStore = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: { '/pets': { get: { summary: 'List pets', responses: { 200: { description: 'Pets.' } } } } },
};

const source = memorySource({
  'docs.json': JSON.stringify({
    name: 'Docs',
    theme: 'mint',
    colors: { primary: '#0f766e' },
    navigation: {
      groups: [
        { group: 'Guide', pages: ['index', 'guide/start'] },
        { group: 'API', openapi: 'pets.json' },
      ],
    },
  }),
  'pets.json': JSON.stringify(petStore),
  'index.mdx': '# Home',
  'guide/start.mdx': '# Start',
  'guide/unlisted.md': '# Unlisted',
  'staff.mdx': '---\ngroups: [staff]\n---\n',
  'elsewhere.mdx': '---\nurl: https://example.com\n---\n',
  'logo.svg': '<svg/>',
});

test.each([
  'index',
  '/',
  'guide/start',
  '/guide/start.mdx',
  'Guide/START.html',
  'guide/unlisted',
  'api-reference/list-pets',
])('%j is a page, listed, unlisted or generated', (path) => {
  expect(findUnknownPath({ source, paths: [path] })).toBeNull();
});

test.each([
  'guide',
  'guide/none',
  'logo.svg',
  'docs.json',
  'staff',
  'elsewhere',
  '../index',
  ''.padEnd(5_000, 'x'),
])('%j is none', (path) => {
  expect(findUnknownPath({ source, paths: ['index', path, 'none'] })).toBe(1);
});

test('a page for a group is one for those who name the group', () => {
  expect(findUnknownPath({ source, paths: ['staff'], groups: ['staff'] })).toBeNull();
});

test('a source that cannot be exported is reported differently from a path that is not a page', () => {
  const broken = memorySource({ 'docs.json': '{' });
  expect(() => findUnknownPath({ source: broken, paths: ['index'] })).toThrow(SourceError);
});

test('if fetching is allowed, a path may be a page of a description on another host', () => {
  const files = {
    'docs.json': JSON.stringify({
      name: 'Docs',
      theme: 'mint',
      colors: { primary: '#0f766e' },
      navigation: { groups: [{ group: 'API', openapi: 'https://api.example/pets.json', pages: ['index'] }] },
    }),
    'index.mdx': '# Home',
  };
  const question = { source: memorySource(files), paths: ['api-reference/list-pets'] };
  expect(findUnknownPath(question)).toBe(0);
  expect(findUnknownPath({ ...question, canFetch: true })).toBeNull();
});
