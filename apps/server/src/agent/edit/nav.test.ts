import { describe, expect, test } from 'vitest';
import { corpora, NO_CORPORA } from '../../../../../test/support/corpora.ts';
import { treeOf, treeOfFolder } from '../../../../../test/support/docs-tree.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readNavigation } from './nav.ts';
import { editNavigation, type NavRequest } from './nav-edit.ts';
import { navigationText } from './nav-text.ts';

const workspaceOf = (files: Record<string, string>): Workspace => createWorkspace(treeOf(files), new Map());

const site = (navigation: unknown, files: Record<string, string> = {}): Workspace =>
  workspaceOf({
    'docs.json': JSON.stringify({ name: 'Site', navigation }, null, 2),
    'index.mdx': '',
    'a/start.mdx': '',
    'a/next.mdx': '',
    'b.mdx': '',
    ...files,
  });

const textOf = (workspace: Workspace, under = ''): string => {
  const navigation = readNavigation(workspace);
  return navigationText(navigation, navigation.byId.get(under)!, 10_000);
};

/** Does the edit; what was said. */
function edit(workspace: Workspace, request: NavRequest): string[] {
  const { file, text, others, told } = editNavigation(workspace, request);
  for (const [path, other] of [...others, [file, text] as const]) workspace.write(path, other);
  return told;
}

const add = (entry: string, parent: string, position: number | null = null, label: string | null = null) =>
  ({ op: 'add', entry, parent, position, label }) as const;
const navigationOf = (workspace: Workspace): unknown => JSON.parse(workspace.read('docs.json')!).navigation;

describe('every form of a navigation has ids', () => {
  test('tabs, languages, versions, products with menus, dropdowns, anchors, links, operations, nested groups', () => {
    const workspace = site({
      global: { anchors: [{ anchor: 'Blog', href: 'https://example.com' }] },
      languages: [
        {
          language: 'en',
          default: true,
          versions: [
            {
              version: 'v2',
              products: [
                { product: 'Core', menu: [{ item: 'API', openapi: 'api.json', pages: ['GET /users'] }] },
              ],
            },
            { version: 1, dropdowns: [{ dropdown: 'Old', hidden: true, pages: ['index'] }] },
          ],
        },
        {
          language: 'de',
          tabs: [
            {
              tab: 'Start',
              groups: [
                {
                  group: 'First',
                  root: 'index',
                  pages: ['a/start', { group: 'In', pages: ['b'] }, { page: 'a/next' }],
                },
              ],
            },
          ],
        },
      ],
    });
    expect(textOf(workspace)).toBe(`docs.json: 5 page entries
[global] global
  [global/anchors/0] anchor "Blog" (href: https://example.com)
[languages/0] language "en" (default)
  [languages/0/versions/0] version "v2"
    [languages/0/versions/0/products/0] product "Core"
      [languages/0/versions/0/products/0/menu/0] item "API" (openapi: api.json): 0 GET /users
  [languages/0/versions/1] version "1"
    [languages/0/versions/1/dropdowns/0] dropdown "Old" (hidden): 0 index
[languages/1] language "de"
  [languages/1/tabs/0] tab "Start"
    [languages/1/tabs/0/groups/0] group "First": root index, 0 a/start, 2 a/next
      [languages/1/tabs/0/groups/0/pages/1] group "In": 0 b`);
  });

  test('the list of groups of mint.json, with its tabs and anchors', () => {
    const mint = {
      name: 'Old',
      navigation: [{ group: 'A', pages: ['index'] }],
      tabs: [{ name: 'API', url: 'api' }],
    };
    expect(textOf(workspaceOf({ 'mint.json': JSON.stringify(mint), 'index.mdx': '' }))).toBe(
      'mint.json: 1 page entries\n[groups/0] group "A": 0 index\n[tabs/0] tab "API" (url: api)',
    );
  });

  test('files that refer to each other many times over end at the limit of entries', () => {
    const files: Record<string, string> = {};
    for (let level = 0; level < 8; level++) {
      const pages = Array(100).fill({ $ref: `./${level + 1}.json` });
      files[`${level}.json`] = JSON.stringify({ group: 'A', pages });
    }
    files['8.json'] = '{"group": "Z", "pages": ["index"]}';
    files['docs.json'] = '{"navigation": {"groups": [{"$ref": "0.json"}]}}';
    expect(() => readNavigation(workspaceOf(files))).toThrow('more than 60000 entries');
  });

  test('detail is reduced level by level until the text fits the limit', () => {
    const groups = Array.from({ length: 40 }, (_, group) => ({
      group: `Group ${group}`,
      pages: Array.from({ length: 20 }, (__, page) => `folder/page-${group}-${page}`),
    }));
    const navigation = readNavigation(site({ tabs: [{ tab: 'A', groups }] }));
    const { root } = navigation;
    expect(navigationText(navigation, root, 50_000)).toContain('page-39-19');
    expect(navigationText(navigation, root, 3000)).toContain('[tabs/0/groups/39] group "Group 39": 20 pages');
    expect(navigationText(navigation, root, 500)).toBe(
      'docs.json: 800 page entries\n[tabs/0] tab "A" (+ 40 entries below)',
    );
    expect(navigationText(navigation, root, 40)).toContain('(truncated');
  });

  test.each([
    ['{"navigation": [', 'invalid JSON'],
    ['[]', 'must contain an object'],
    ['{"name": "x"}', 'no "navigation"'],
    [`{"navigation": ${'['.repeat(100_000)}}`, 'nested too deep'],
    ['{"navigation": {"$ref": "../x.json"}}', 'cannot be resolved'],
    ['{"$ref": "docs.json"}', 'cannot be resolved'],
    ['{"navigation": {"$ref": "none.json"}}', 'does not exist'],
  ])('an invalid configuration is reported: %#', (text, message) => {
    expect(() => readNavigation(workspaceOf({ 'docs.json': text }))).toThrow(message);
  });
});

describe('an edit', () => {
  test('adds a page at its place, and reports a page that is listed already', () => {
    const workspace = site({ groups: [{ group: 'A', pages: ['index', 'b'] }] });
    expect(edit(workspace, add('/a/start.mdx', 'groups/0', 1))).toEqual([
      'Added "/a/start.mdx" as [groups/0/pages/1].'.replace('/a/start.mdx', 'a/start'),
    ]);
    expect(edit(workspace, add('b', 'groups/0'))[1]).toContain('also listed at [groups/0/pages/2]');
    expect(navigationOf(workspace)).toEqual({
      groups: [{ group: 'A', pages: ['index', 'a/start', 'b', 'b'] }],
    });
  });

  test('adds a group with its first page, an operation and a link', () => {
    const workspace = site({ tabs: [{ tab: 'T', groups: [{ group: 'A', pages: ['index'] }] }] });
    edit(workspace, add('b', 'tabs/0', 0, 'New'));
    edit(workspace, add('GET /users', 'tabs/0/groups/0'));
    edit(workspace, add('https://example.com', '', null, 'Blog'));
    expect(navigationOf(workspace)).toEqual({
      tabs: [
        {
          tab: 'T',
          groups: [
            { group: 'New', pages: ['b', 'GET /users'] },
            { group: 'A', pages: ['index'] },
          ],
        },
        { tab: 'Blog', href: 'https://example.com' },
      ],
    });
  });

  test('moves an entry within its list, to another, and out of a nested group', () => {
    const workspace = site({
      groups: [
        { group: 'A', pages: ['index', { group: 'In', pages: ['b'] }] },
        { group: 'B', pages: ['a/start'] },
      ],
    });
    edit(workspace, { op: 'move', node: 'index', parent: 'groups/0', position: 1 });
    edit(workspace, { op: 'move', node: 'groups/0/pages/0', parent: 'groups/1', position: 0 });
    edit(workspace, { op: 'move', node: 'groups/0', parent: 'groups/1/pages/0', position: null });
    expect(navigationOf(workspace)).toEqual({
      groups: [
        { group: 'B', pages: [{ group: 'In', pages: ['b', { group: 'A', pages: ['index'] }] }, 'a/start'] },
      ],
    });
  });

  test('renames what has a label and removes what is listed, and reports an empty group', () => {
    const workspace = site({ groups: [{ group: 'A "x"', root: 'b', pages: ['index'] }] });
    edit(workspace, { op: 'rename', node: 'groups/0', label: 'B "y"\n' });
    expect(edit(workspace, { op: 'remove', node: 'index' }).at(-1)).toContain('is now empty');
    edit(workspace, { op: 'remove', node: 'groups/0/root' });
    expect(navigationOf(workspace)).toEqual({ groups: [{ group: 'B "y"\n', pages: [] }] });
  });

  test('changes the file that a reference leads to, and that file only', () => {
    const groups = '{\n\t"groups": [\n\t\t{"group": "A", "pages": ["index"]}\n\t]\n}\n';
    const docs = '{ "name": "x", "navigation": { "$ref": "./nav/all.json" } }';
    const workspace = workspaceOf({
      'docs.json': docs,
      'nav/all.json': groups,
      'index.mdx': '',
      'b.mdx': '',
    });
    edit(workspace, add('b', 'groups/0', 0));
    expect(workspace.read('docs.json')).toBe(docs);
    expect(workspace.read('nav/all.json')).toBe(groups.replace('["index"]', '["b", "index"]'));
  });

  test('keeps tabs, line ends and the byte order mark', () => {
    const text =
      '\ufeff{\r\n\t"navigation": {\r\n\t\t"groups": [\r\n\t\t\t{ "group": "A", "pages": [] }\r\n\t\t]\r\n\t}\r\n}';
    const workspace = workspaceOf({ 'docs.json': text, 'b.mdx': '' });
    edit(workspace, add('b', 'groups/0'));
    expect(workspace.read('docs.json')).toBe(text.replace('[]', '[\r\n\t\t\t\t"b"\r\n\t\t\t]'));
    edit(workspace, { op: 'remove', node: 'b' });
    expect(workspace.read('docs.json')).toBe(text);
  });

  test.each<[NavRequest, string]>([
    [add('none', 'groups/0'), 'Page "none" not found'],
    [add('x/start', 'groups/0'), 'Pages with that name: a/start'],
    [add('', 'groups/0'), '"node" is empty'],
    [add('javascript:alert(1)', 'groups/0', null, 'x'), 'is not an http'],
    [add('https://example.com', 'groups/0'), 'needs "label"'],
    [add('none.json GET /a', 'groups/0'), 'API description "none.json" not found'],
    [add('b', 'groups/7'), 'no entry "groups/7"'],
    [add('b', ''), 'The root contains groups, not pages. Pass one of these as "parent": [groups/0] "A"'],
    [add('b', 'groups/0', 9), 'has 3 entries'],
    [{ op: 'move', node: 'groups/0', parent: 'groups/0/pages/2', position: null }, 'into itself'],
    [{ op: 'move', node: 'groups/0/pages/0', parent: '', position: null }, 'contains groups'],
    [{ op: 'rename', node: 'groups/0/pages/1', label: 'x' }, 'front matter'],
    [{ op: 'rename', node: '', label: 'x' }, 'no label'],
    [{ op: 'remove', node: '' }, 'cannot be removed'],
    [{ op: 'remove', node: 'index' }, 'listed 2 times: [groups/0/pages/0], [groups/0/pages/1]'],
  ])('that cannot be done says why: %j', (request, message) => {
    const workspace = site({
      groups: [{ group: 'A', pages: ['index', '/index.mdx', { group: 'In', pages: [] }] }],
    });
    expect(() => editNavigation(workspace, request)).toThrow(message);
  });
});

describe.skipIf(corpora().length === 0)(
  `real navigations${corpora().length === 0 ? ` (${NO_CORPORA})` : ''}`,
  () => {
    test.each(corpora().map((corpus) => [corpus.name, corpus] as const))(
      '%s: what is added and removed again leaves every byte',
      (_, { folder }) => {
        const workspace = createWorkspace(treeOfFolder(folder), new Map());
        const holders = [...readNavigation(workspace).byId.values()].filter(({ lists }) =>
          lists.has('pages'),
        );
        expect(holders.length).toBeGreaterThan(10);
        const page = readNavigation(workspace).byPage.values().next().value![0]!.label;
        const step = Math.ceil(holders.length / 25);
        for (const holder of holders.filter((__, index) => index % step === 0)) {
          const length = holder.lists.get('pages')!.node.children!.length;
          for (const position of new Set([0, Math.floor(length / 2), length])) {
            for (const label of [null, 'New group']) {
              edit(workspace, add(page, holder.id, position, label));
              expect(workspace.changes()).toHaveLength(1);
              edit(workspace, { op: 'remove', node: `${holder.id}/pages/${position}` });
              expect(workspace.changes(), `${holder.id} ${position}`).toEqual([]);
            }
          }
        }
      },
    );

    test.each(corpora().map((corpus) => [corpus.name, corpus] as const))(
      '%s: a page moved to the next group is in it, and nothing else is changed',
      (_, { folder }) => {
        const workspace = createWorkspace(treeOfFolder(folder), new Map());
        const navigation = readNavigation(workspace);
        const holders = [...navigation.byId.values()].filter(({ lists }) => lists.has('pages'));
        const [from, to] = holders.filter(
          ({ children }) => children.length > 1 && children[0]!.kind === 'page',
        );
        const node = from!.children[0]!;
        const outline = (): string[] =>
          [...readNavigation(workspace).byId.values()].map(({ kind, label }) => `${kind} ${label}`).sort();
        const before = outline();
        const [told] = edit(workspace, { op: 'move', node: node.id, parent: to!.id, position: 1 });
        expect(outline()).toEqual(before);
        const id = /to \[(.+)\]\.$/.exec(told!)![1]!;
        expect(readNavigation(workspace).byId.get(id)).toMatchObject({
          label: node.label,
          parent: { label: to!.label },
        });
        const words = (text: string): string[] => text.split(/[\s,[\]]+/).sort();
        for (const { before: old, after } of workspace.changes()) expect(words(after!)).toEqual(words(old!));
      },
    );
  },
);
