import { expect, test } from 'vitest';
import { corpora, NO_CORPORA } from '../../../../../test/support/corpora.ts';
import { treeOf, treeOfFolder } from '../../../../../test/support/docs-tree.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import { projectFacts } from './project-facts.ts';

const factsOf = (files: Record<string, string>): string =>
  projectFacts(createWorkspace(treeOf(files), new Map()));

test('a model receives files, components, snippets, descriptions and the navigation', () => {
  const facts = factsOf({
    'docs.json': '{"navigation":{"groups":[{"group":"A","pages":["index"]}]}}',
    'index.mdx': '',
    'snippets/a.mdx': '',
    'specs/api.yaml': 'openapi: 3.1.0\n',
    'data.json': '{"a": 1}',
  });
  expect(
    facts.replace(/(?<=^Components without import, with their properties: ).*(?=\.$)/m, '...'),
  ).toBe(`Paths start at the docs root. It contains 5 files, 1 of them pages; settings and navigation: docs.json.
Components without import, with their properties: ....
Snippets, to import: snippets/a.mdx.
API descriptions: specs/api.yaml.
Navigation (see all of it with get_navigation):
docs.json: 1 page entries
[groups/0] group "A": 0 index`);
});

test('docs without a configuration, or with one that cannot be read, are described too', () => {
  expect(factsOf({ 'index.mdx': '' })).toContain('no docs.json, so the site cannot be built yet');
  expect(factsOf({ 'docs.json': '{' })).toContain(
    'The navigation cannot be parsed: docs.json:1: invalid JSON',
  );
});

test('a model receives the properties of every component, and no component of older sites', () => {
  const facts = factsOf({ 'index.mdx': '' });
  expect(facts).toContain('; Step (title, titleSize, icon, iconType, stepNumber, noAnchor);');
  expect(facts).not.toContain('CardGroup');
});

test.skipIf(corpora().length === 0)(
  `facts of every real site fit into 2,500 tokens${corpora().length === 0 ? ` (${NO_CORPORA})` : ''}`,
  () => {
    for (const { name, folder } of corpora()) {
      const facts = projectFacts(createWorkspace(treeOfFolder(folder), new Map()));
      expect(facts.length / 4, name).toBeLessThan(2500);
      expect(facts.split('get_navigation')[1]!.length, name).toBeLessThan(6000);
      expect(facts, name).toContain('page entries');
    }
  },
);
