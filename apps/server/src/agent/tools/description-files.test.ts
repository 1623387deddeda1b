import { expect, test } from 'vitest';
import { treeOf } from '../../../../../test/support/docs-tree.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import { descriptionFiles } from './description-files.ts';

const filesOf = (files: Record<string, string>, path: string) =>
  descriptionFiles(createWorkspace(treeOf(files), new Map()), path, files[path] ?? '');

test('files to which a description refers are found, directly and through one another', () => {
  const found = filesOf(
    {
      'api/openapi.yaml': '$ref: parts/a.yaml#/A\nother: {"$ref": "../shared.json"}\nnone: {$ref: "#/here"}',
      'api/parts/a.yaml': "A: {$ref: './b%20c.yaml'}\nback: {$ref: ../openapi.yaml}",
      'api/parts/b c.yaml': 'text',
      'shared.json': '{}',
      'unused.json': '{}',
    },
    'api/openapi.yaml',
  );
  expect(Object.keys(found.files).sort()).toEqual(['api/parts/a.yaml', 'api/parts/b c.yaml', 'shared.json']);
  expect(found.overlays).toEqual([]);
});

test('overlays are those that docs.json names for the description', () => {
  const docs = {
    api: {
      openapi: ['other.json', { source: '/api.json', overlays: ['first.yaml', 'missing.yaml'] }],
    },
  };
  const files = { 'docs.json': JSON.stringify(docs), 'api.json': '{}', 'first.yaml': 'actions: []' };
  expect(filesOf(files, 'api.json')).toEqual({
    files: { 'first.yaml': 'actions: []' },
    overlays: ['first.yaml'],
  });
  expect(filesOf(files, 'other.json').overlays).toEqual([]);
});

test('nothing outside of the docs and nothing without bound is read', () => {
  const outside = [
    '../secret.yaml',
    'https://a.example/b.yaml',
    'file:///etc/passwd',
    '//a.example/b',
    '%E0%A4%A',
  ];
  const text = outside.map((reference) => `a: {$ref: "${reference}"}`).join('\n');
  expect(filesOf({ 'api.yaml': text }, 'api.yaml').files).toEqual({});
  const large = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`p${at}.yaml`, 'x'.repeat(900_000)]),
  );
  const all = Object.keys(large).map((path) => `a: {$ref: ${path}}`);
  const found = filesOf({ ...large, 'api.yaml': all.join('\n') }, 'api.yaml').files;
  expect(Object.keys(found)).toHaveLength(8);
});
