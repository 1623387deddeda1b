import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corpora, NO_CORPORA } from '../../../../../test/support/corpora.ts';
import { treeOf, treeOfFolder } from '../../../../../test/support/docs-tree.ts';
import { sandboxIn } from '../../../../../test/support/sandbox.ts';
import { createDocsCheck } from '../check/child-check.ts';
import { compareFindings } from '../check/compare.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { linksOf } from './links.ts';
import { planMove } from './move.ts';
import { isPage, pageLookup } from './page-lookup.ts';

const workspaceOf = (files: Record<string, string>): Workspace => createWorkspace(treeOf(files), new Map());

function move(
  workspace: Workspace,
  from: string,
  to: string,
  options: { updateLinks?: boolean; addRedirect?: boolean; locked?: string[] } = {},
) {
  const { updateLinks = true, addRedirect = true, locked = [] } = options;
  const mayWrite = (path: string): boolean => !locked.includes(path);
  const plan = planMove(workspace, { from, to, updateLinks, addRedirect, mayWrite });
  workspace.remove(from);
  for (const [path, text] of plan.texts) workspace.write(path, text);
  return plan;
}

const docsOf = (workspace: Workspace): { navigation: unknown; redirects?: unknown } =>
  JSON.parse(workspace.read('docs.json')!);
const DOCS = JSON.stringify({
  navigation: { groups: [{ group: 'A', pages: ['index', 'a/old', '/a/old.mdx'] }] },
});

describe('a page that moves', () => {
  test('takes the links of others along, each in its style, and no other byte', () => {
    const index =
      '---\nrelated:\n  - /a/old\n---\n\r\n[a](/a/old#x) [b](./a/old.mdx?q "t") <Card href="/docs/a/old/">\n\n`/a/old` [r][r]\n\n```\n[c](/a/old)\n```\n\n[r]: a/old\n[n](/a/older)\n';
    const workspace = workspaceOf({
      'docs.json': DOCS,
      'index.mdx': index,
      'a/old.mdx': 'Words.\n',
      'a/older.mdx': '',
      'snippets/list.jsx': 'export const L = () => <a href="/a/old">x</a>\n',
    });
    const plan = move(workspace, 'a/old.mdx', 'b/new.mdx');
    expect(workspace.read('index.mdx')).toBe(
      index
        .replace('- /a/old', '- /b/new')
        .replace('(/a/old#x)', '(/b/new#x)')
        .replace('(./a/old.mdx?q', '(./b/new.mdx?q')
        .replace('/docs/a/old/', '/docs/b/new/')
        .replace('[r]: a/old', '[r]: b/new'),
    );
    expect(workspace.read('snippets/list.jsx')).toContain('href="/b/new"');
    expect(workspace.has('a/old.mdx')).toBe(false);
    expect(workspace.read('b/new.mdx')).toBe('Words.\n');
    expect([...plan.counts]).toEqual([
      ['index.mdx', 5],
      ['snippets/list.jsx', 1],
      ['docs.json', 3],
    ]);
    expect(docsOf(workspace)).toEqual({
      navigation: { groups: [{ group: 'A', pages: ['index', 'b/new', '/b/new.mdx'] }] },
      redirects: [{ source: '/a/old', destination: '/b/new' }],
    });
  });

  test('has its own relative links, images and imports lead where they led', () => {
    const own =
      'import S from "../snippets/s.mdx"\nimport T from "/snippets/s"\n\n[self](/a/old#x) [b](./beside) [c](../c.mdx) [root](/c) [gone](./gone) ![i](img/x.png)\n';
    const workspace = workspaceOf({
      'docs.json': DOCS,
      'a/old.mdx': own,
      'a/beside.mdx': '',
      'c.mdx': '',
      'a/img/x.png': 'x',
      'snippets/s.mdx': '',
    });
    move(workspace, 'a/old.mdx', 'b/deep/new.mdx');
    expect(workspace.read('b/deep/new.mdx')).toBe(
      'import S from "../../snippets/s.mdx"\nimport T from "/snippets/s"\n\n[self](/b/deep/new#x) [b](../../a/beside) [c](../../c.mdx) [root](/c) [gone](./gone) ![i](../../a/img/x.png)\n',
    );
  });

  test('and moves back leaves every page as it was, and one redirect that makes no circle', () => {
    const files = {
      'docs.json': DOCS,
      'index.mdx': '[a](/a/old) [b](a/old.mdx) [c](./a/old#x)\n',
      'a/old.mdx': '[i](../index.mdx) [b](beside)\n',
      'a/beside.mdx': '[o](old)\n',
    };
    const workspace = workspaceOf(files);
    move(workspace, 'a/old.mdx', 'b/new.mdx');
    expect(workspace.read('a/beside.mdx')).toBe('[o](../b/new)\n');
    const { notes } = move(workspace, 'b/new.mdx', 'a/old.mdx');
    for (const path of ['index.mdx', 'a/old.mdx', 'a/beside.mdx'] as const)
      expect(workspace.read(path)).toBe(files[path]);
    expect(notes[0]).toContain('Removed the redirect from /a/old');
    expect(docsOf(workspace).redirects).toEqual([{ source: '/b/new', destination: '/a/old' }]);
  });

  test('keeps redirects without chains: those that led to it, and addresses that patterns made of it', () => {
    const redirects = [
      { source: '/first', destination: '/a/old#part' },
      { source: '/v1/:rest*', destination: '/a/:rest*' },
      { source: '/b/new', destination: '/index' },
      { source: '/b/new/', destination: '/index' },
    ];
    const workspace = workspaceOf({
      'docs.json': JSON.stringify({ navigation: { pages: ['a/old'] }, redirects }),
      'index.mdx': '',
      'a/old.mdx': '',
    });
    move(workspace, 'a/old.mdx', 'b/new.mdx');
    expect(docsOf(workspace).redirects).toEqual([
      { source: '/first', destination: '/b/new#part' },
      { source: '/v1/:rest*', destination: '/a/:rest*' },
      { source: '/a/old', destination: '/b/new' },
      { source: '/v1/old', destination: '/b/new' },
    ]);
    move(workspace, 'b/new.mdx', 'c.mdx', { updateLinks: false });
    expect(
      (docsOf(workspace).redirects as { destination: string }[]).map(({ destination }) => destination),
    ).toEqual(['/c#part', '/a/:rest*', '/c', '/c', '/c']);
  });

  test('to another ending, or to the index of its folder, keeps its address', () => {
    const workspace = workspaceOf({
      'docs.json': DOCS,
      'index.mdx': '[a](/a/old) [b](/a/old.mdx)',
      'a/old.mdx': '',
    });
    move(workspace, 'a/old.mdx', 'a/old/index.mdx');
    expect(workspace.read('index.mdx')).toBe('[a](/a/old) [b](/a/old/index.mdx)');
    expect(docsOf(workspace).redirects).toBeUndefined();
  });

  test('without update_links is only moved; without add_redirect its URL is removed', () => {
    const files = { 'docs.json': DOCS, 'index.mdx': '[a](/a/old)', 'a/old.mdx': '[b](../index)' };
    const workspace = workspaceOf(files);
    const { notes } = move(workspace, 'a/old.mdx', 'new.mdx', { updateLinks: false, addRedirect: false });
    expect(notes).toEqual(['1 link in other files still point to a/old.mdx.']);
    expect(workspace.changes().map(({ path }) => path)).toEqual(['a/old.mdx', 'new.mdx']);
  });

  test('leaves files alone that may not be written, and reports them', () => {
    const files = { 'docs.json': DOCS, 'AGENTS.md': '[a](/a/old)', 'a/old.mdx': '' };
    const workspace = workspaceOf(files);
    const { notes } = move(workspace, 'a/old.mdx', 'new.mdx', { locked: ['AGENTS.md', 'docs.json'] });
    expect(notes).toEqual([
      'AGENTS.md has 1 link to it and must not be written.',
      'docs.json would have to change too and must not be written.',
    ]);
    expect(workspace.read('AGENTS.md')).toBe(files['AGENTS.md']);
    expect(workspace.read('docs.json')).toBe(DOCS);
  });
});

test('parts of docs.json that refer to each other many times over are read once', () => {
  const files: Record<string, string> = { 'index.mdx': '', 'a/old.mdx': '' };
  for (let level = 0; level < 20; level++)
    files[`${level}.json`] = JSON.stringify(Array(10).fill({ $ref: `./${level + 1}.json` }));
  files['20.json'] = '[{"href": "/a/old"}]';
  files['docs.json'] = '{"navigation": {"pages": ["index"]}, "navbar": {"$ref": "./0.json"}}';
  const workspace = workspaceOf(files);
  const { counts } = move(workspace, 'a/old.mdx', 'new.mdx', { addRedirect: false });
  expect([...counts]).toEqual([['20.json', 1]]);
});

describe('a snippet or file that moves', () => {
  test('is imported from its new place and has no redirect', () => {
    const workspace = workspaceOf({
      'docs.json': DOCS,
      'a/old.mdx':
        'import S from "/snippets/s.mdx";\nimport { B } from "../snippets/b"\n\n<Snippet file="s.mdx" />\n',
      'snippets/s.mdx': 'import { B } from "./b.jsx"\n',
      'snippets/b.jsx': 'export const B = 1',
    });
    move(workspace, 'snippets/s.mdx', 'snippets/in/t.mdx');
    move(workspace, 'snippets/b.jsx', 'parts/b.jsx');
    expect(workspace.read('a/old.mdx')).toBe(
      'import S from "/snippets/in/t.mdx";\nimport { B } from "../parts/b"\n\n<Snippet file="in/t.mdx" />\n',
    );
    expect(workspace.read('snippets/in/t.mdx')).toBe('import { B } from "../../parts/b.jsx"\n');
    expect(workspace.read('docs.json')).toBe(DOCS);
  });

  test('an API description and a logo are renamed where docs.json and pages name them', () => {
    const docs = {
      logo: { light: '/logo.svg' },
      api: { openapi: 'api.json' },
      navigation: { pages: ['a/old'], openapi: ['/api.json'] },
    };
    const workspace = workspaceOf({
      'docs.json': JSON.stringify(docs),
      'a/old.mdx': '---\nopenapi: api.json GET /x\n---\n![l](/logo.svg)\n',
      'api.json': '{}',
      'logo.svg': '<svg/>',
    });
    move(workspace, 'api.json', 'specs/api.json');
    move(workspace, 'logo.svg', 'img/logo.svg');
    expect(docsOf(workspace)).toEqual({
      logo: { light: '/img/logo.svg' },
      api: { openapi: 'specs/api.json' },
      navigation: { pages: ['a/old'], openapi: ['/specs/api.json'] },
    });
    expect(workspace.read('a/old.mdx')).toBe(
      '---\nopenapi: specs/api.json GET /x\n---\n![l](/img/logo.svg)\n',
    );
  });
});

describe.skipIf(corpora().length === 0)(
  `the page with the most links of real sites${corpora().length === 0 ? ` (${NO_CORPORA})` : ''}`,
  () => {
    let workDir: string;
    beforeAll(() => {
      workDir = mkdtempSync(join(tmpdir(), 'offprint-move-'));
    });
    afterAll(() => rmSync(workDir, { recursive: true }));
    const sites = corpora().filter(({ name }) => /fishaudio|hoppscotch|traceloop/.test(name));

    test.each(sites.map((corpus) => [corpus.name, corpus.folder] as const))(
      '%s: moves without a new finding, and back to what it was',
      async (_, folder) => {
        const check = createDocsCheck({
          sandbox: sandboxIn(workDir),
          workDir,
          log: pino({ level: 'silent' }),
        });
        const { signal } = new AbortController();
        const tree = treeOfFolder(folder);
        const workspace = createWorkspace(tree, new Map());
        const base = await check.check(workspace, signal);
        const from = maxLinked(workspace);
        const to = `moved/deeper/${from.split('/').at(-1)}`;
        const { counts } = move(workspace, from, to);
        expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5);
        const now = await check.check(workspace, signal);
        if (base.status !== 'checked' || now.status !== 'checked') throw new Error('not checked');
        expect(compareFindings(base.findings, now.findings, new Map([[from, to]])).new).toEqual([]);
        move(workspace, to, from, { addRedirect: false });
        const left = workspace.changes().map(({ path }) => path);
        expect(left.filter((path) => !path.endsWith('.json'))).toEqual([]);
      },
      180_000,
    );
  },
);

function maxLinked(workspace: Workspace): string {
  const lookup = pageLookup(workspace);
  const counts = new Map<string, number>();
  for (const { path, isText } of workspace.list()) {
    if (!isText || !isPage(path)) continue;
    for (const { resolved } of linksOf(path, workspace.read(path)!, lookup)) {
      if (isPage(resolved.file) && !/snippets\//.test(resolved.file))
        counts.set(resolved.file, (counts.get(resolved.file) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]![0];
}
