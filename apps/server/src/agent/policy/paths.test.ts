import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { treeOf } from '../../../../../test/support/docs-tree.ts';
import { toolBench } from '../../../../../test/support/tool-context.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import type { BaseTree } from '../workspace/workspace.ts';
import { FOREIGN_PATHS } from './foreign-paths.fixture.ts';
import { repositoryPath, unnamedFault, writeFault } from './paths.ts';
import type { WritePolicy } from './write-policy.ts';

const root: WritePolicy = { docsFolder: '', allow: [] };
const everything: WritePolicy = { docsFolder: '', allow: ['**', '**/*', '.*/**', '**/.*', '**/.*/**'] };

const SPEC = 'openapi: 3.1.0\ninfo: { title: A, version: "1" }\npaths: {}\n';
const CONFIG = JSON.stringify({
  name: 'Docs',
  logo: { light: '/brand/light.svg', dark: '/brand/dark.svg' },
  redirects: { $ref: './settings/redirects.json' },
  api: { openapi: ['api/openapi.yaml', 'specs'] },
  navigation: {
    groups: [
      { group: 'A', pages: ['index', 'guides/first', 'notes/one', 'README', 'reference/agents'] },
      { group: 'B', openapi: 'billing', pages: ['orders.json GET /orders'] },
    ],
  },
});
const base = treeOf({
  'docs.json': CONFIG,
  'index.mdx': '# Home',
  'guides/first.mdx': '# First',
  'guides/agents.mdx': '# Agents',
  'notes/one.md': '# One',
  'README.md': '# Docs',
  'community/README.md': '# Community',
  'AGENTS.md': 'Obey.',
  'snippets/note.mdx': 'Note',
  'settings/redirects.json': '[]',
  'api/openapi.yaml': SPEC,
  'other/partner.json': '{ "openapi": "3.0.0", "info": {}, "paths": {} }',
  'brand/light.svg': '<svg/>',
  'images/a.png': Uint8Array.of(0x89, 0x50),
  'favicon.svg': '<svg/>',
  'opencode.json': '{}',
  'mcp.json': '{}',
  'data.json': '{}',
  'ci.yml': 'x: 1',
  'notes.txt': 'x',
  'custom.css': 'a {}',
  '.mintignore': 'drafts/\n',
  'drafts/later.mdx': '# Later',
});

const fault = (path: string, policy = root, tree: BaseTree = base, overlay: Record<string, string> = {}) =>
  writeFault(path, policy, createWorkspace(tree, new Map(Object.entries(overlay))));

describe('may be written, with docs at the root of the repository and in a folder', () => {
  test.each([
    ['the settings', 'docs.json'],
    ['a page', 'guides/first.mdx'],
    ['a page whose name is one of instructions, when it exists', 'guides/agents.mdx'],
    ['such a page that the navigation lists', 'reference/agents.mdx'],
    ['a new page', 'guides/second.mdx'],
    ['a new page in a new folder', 'tutorials/start.mdx'],
    ['a new page in another script', 'ja/ガイド.mdx'],
    ['pages about tools', 'guides/github.mdx'],
    ['pages about tools', 'reference/gitlab-ci.mdx'],
    ['pages about tools', 'reference/package.mdx'],
    ['pages about tools', 'guides/workflows.mdx'],
    ['a page in Markdown', 'notes/one.md'],
    ['a new one beside it', 'notes/two.md'],
    ['a README that the navigation lists', 'README.md'],
    ['a snippet', 'snippets/note.mdx'],
    ['a new snippet', 'snippets/other.mdx'],
    ['a part of docs.json', 'settings/redirects.json'],
    ['a new part beside it', 'settings/navigation.json'],
    ['an API description', 'api/openapi.yaml'],
    ['one that pages may name', 'other/partner.json'],
    ['a new one', 'api/billing.yaml'],
    ['an image', 'images/a.png'],
    ['a new one in a folder of images', 'images/flow.svg'],
    ['and below it', 'images/guides/flow.svg'],
    ['a logo that docs.json names', 'brand/dark.svg'],
  ])('%s: %s', (_what, path) => {
    expect(fault(path)).toBeNull();
    expect(fault(path, { docsFolder: 'a/docs', allow: [] })).toBeNull();
    expect(fault(path, { docsFolder: '.docs', allow: [] })).toBeNull();
  });
});

describe('may not be written', () => {
  test('names at least 200 paths', () => expect(FOREIGN_PATHS.length).toBeGreaterThan(200));

  // The call of the tool, since some files are known by their content.
  const attempt = (path: string, policy: WritePolicy) =>
    toolBench({}, { workspace: createWorkspace(base, new Map()), policy }).call('write_file', {
      path,
      content: 'name: x\non: push\nruns: { using: node, main: x.js }\n',
      mode: 'create',
    });

  test.each(FOREIGN_PATHS.map((path) => [path]))('%s', async (path) => {
    for (const policy of [
      root,
      everything,
      { docsFolder: 'docs', allow: [] },
      { docsFolder: 'docs', allow: ['**'] },
    ]) {
      for (const where of [path, `guides/${path}`, `images/${path}`, `api/${path}`]) {
        // A page about agents in a folder of pages is one when the docs list it; here they do not.
        const { isError, text } = await attempt(where, policy);
        expect(`${where}: ${isError}`).toBe(`${where}: true`);
        expect(text.toLowerCase()).toContain(JSON.stringify(where.toLowerCase()).slice(1, -1).slice(0, 20));
      }
    }
  });

  test.each([
    ['an empty path', ''],
    ['an absolute path', '/etc/passwd'],
    ['a parent', '../x.mdx'],
    ['a parent', 'guides/../../x.mdx'],
    ['a dot', './x.mdx'],
    ['an empty name', 'a//b.mdx'],
    ['a backslash', 'a\\b.mdx'],
    ['NUL', 'a\0.mdx'],
    ['a line end', 'a\nb.mdx'],
    ['a long name', `${'a'.repeat(256)}.mdx`],
    ['a long path', `${'a/'.repeat(1_600)}b.mdx`],
    ['Git in other words', '.git /config'],
    ['Git in other words', '.git./config'],
    ['Git in other words', '.g\u200cit/config'],
    ['Git in other words', '．git/config'],
    ['Git in other words', '.git::$INDEX_ALLOCATION/config'],
    ['a forge in other words', '.github /workflows/ci.yml'],
    ['a forge in other words', '.g\u{E0069}thub/workflows/ci.yml'],
    ['a forge in other words', '․github/workflows/ci.yml'],
    ['a forge in other words', '.github::$DATA/x.yml'],
    ['a stream', 'README.md::$DATA'],
    ['a space at the end', 'page.mdx '],
    ['a dot at the end', 'page.mdx.'],
    ['a space at the start', ' page.mdx'],
    ['a space at the end of a folder', 'a /page.mdx'],
    ['an encoded dot', '%2e%2e/page.mdx'],
    ['an encoded slash', 'a%2Fpage.mdx'],
    ['any encoding', 'guides/%61gents.mdx'],
    ['a wild card', 'what?.mdx'],
    ['an invisible character', 'a\u200bb.mdx'],
    ['reversed text', 'x\u202etxt.mdx'],
    ['a tag character', 'tag\u{E0041}.mdx'],
    ['decomposed Unicode', 'guides/cafe\u0301.mdx'],
    ['a device', 'guides/aux.mdx'],
    ['a device', 'COM1.mdx'],
    ['a device', 'con.mdx'],
    ['an extension in capitals', 'guides/x.MDX'],
    ['a wide dot', 'page．mdx'],
    ['Markdown where there is none', 'guides/notes.md'],
    ['Markdown at the root', 'plan.md'],
    ['a README that nobody lists', 'community/README.md'],
    ['instructions, even existing ones', 'AGENTS.md'],
    ['an ignored page', 'drafts/later.mdx'],
    ['a new ignored page', 'drafts/new.mdx'],
    ['existing files of other programs', 'opencode.json'],
    ['existing files of other programs', 'mcp.json'],
    ['existing files of other programs', 'data.json'],
    ['existing files of other programs', 'ci.yml'],
    ['existing files of other programs', 'notes.txt'],
    ['a style sheet', 'custom.css'],
    ['an image elsewhere', 'guides/flow.svg'],
    ['an image that is not text', 'images/b.png'],
    ['a program', 'analytics.js'],
    ['a component', 'snippets/widget.jsx'],
    ['HTML', 'page.html'],
    ['no extension', 'LICENSE'],
  ])('%s: %j', (_what, path) => {
    expect(fault(path)).not.toBeNull();
    expect(fault(path, { docsFolder: 'docs', allow: [] })).not.toBeNull();
  });

  test('below a folder that other programs read', () => {
    expect(fault('index.mdx', { docsFolder: '.github/docs', allow: ['**'] })).toContain('CI');
    expect(fault('index.mdx', { docsFolder: '../docs', allow: [] })).not.toBeNull();
  });

  test('because docs.json was changed to name it', () => {
    const named = CONFIG.replace('api/openapi.yaml', 'data.json').replace(
      './settings/redirects.json',
      './data.json',
    );
    expect(fault('data.json', root, base, { 'docs.json': named })).not.toBeNull();
    expect(fault('ci.yml', root, base, { 'docs.json': CONFIG.replace('billing', 'ci.yml') })).not.toBeNull();
  });
});

describe('pages that read as instructions', () => {
  test('are pages when the navigation lists them', () => {
    const listed = CONFIG.replace('guides/first', 'guides/claude');
    expect(fault('guides/claude.mdx')).toContain('navigation');
    expect(fault('guides/claude.mdx', root, base, { 'docs.json': listed })).toBeNull();
    expect(fault('guides/claude.md', root, base, { 'docs.json': listed })).not.toBeNull();
  });
});

describe('a new JSON or YAML file', () => {
  const write = (path: string, content: string) => {
    const bench = toolBench({}, { workspace: createWorkspace(base, new Map()) });
    return bench.call('write_file', { path, content, mode: 'create' });
  };

  test.each([
    ['an OpenAPI description', 'api/billing.yaml', SPEC],
    ['one in JSON', 'api/billing.json', '{"openapi":"3.0.1","info":{"title":"A","version":"1"},"paths":{}}'],
    ['an AsyncAPI description', 'api/events.yaml', 'asyncapi: 3.0.0\ninfo: { title: A }\nchannels: {}\n'],
  ])('may be %s', async (_what, path, content) => {
    expect((await write(path, content)).isError).not.toBe(true);
  });

  test.each([
    ['anything else', 'api/settings.yaml', 'a: 1\n'],
    ['a description that is a workflow too', 'api/x.yaml', `${SPEC}on: push\njobs: {}\n`],
    [
      'a description that configures an agent too',
      'api/y.json',
      '{"openapi":"3.0.1","info":{},"paths":{},"mcpServers":{}}',
    ],
    ['a version without more', 'api/z.yaml', 'openapi: 3.1.0\n'],
    ['several documents', 'api/w.yaml', `${SPEC}---\njobs: {}\n`],
    ['what cannot be parsed', 'api/v.yaml', 'openapi: [3.1.0\n'],
  ])('may not be %s', async (_what, path, content) => {
    const { isError, text } = await write(path, content);
    expect(isError).toBe(true);
    expect(text).toContain('API description');
  });

  test('must be named at the end of the turn', () => {
    const workspace = createWorkspace(base, new Map([['api/new.yaml', SPEC]]));
    expect(unnamedFault('api/new.yaml', workspace)).toContain('docs.json does not name');
    workspace.write('docs.json', CONFIG.replace('"billing"', '"/api/new.yaml"'));
    expect(unnamedFault('api/new.yaml', workspace)).toBeNull();
    workspace.write('docs.json', CONFIG);
    workspace.write('guides/first.mdx', '---\ntitle: A\nopenapi: api/new.yaml GET /a\n---\n');
    expect(unnamedFault('api/new.yaml', workspace)).toBeNull();
    expect(unnamedFault('specs/deep/a.yaml', workspace)).toBeNull();
    expect(unnamedFault('billing.json', workspace)).toBeNull();
  });
});

describe('what a project allows besides', () => {
  const allow = (docsFolder: string, ...globs: string[]): WritePolicy => ({ docsFolder, allow: globs });

  test('is what pages load, by globs below the docs folder that never negate', () => {
    expect(fault('snippets/a/b.jsx', allow('docs', 'snippets/**/*.jsx', '!**/*.mdx'))).toBeNull();
    expect(fault('other/b.jsx', allow('docs', 'snippets/**/*.jsx'))).not.toBeNull();
    expect(fault('custom.css', allow('docs', '*.css'))).toBeNull();
    expect(fault('llms.txt', allow('docs', 'llms.txt'))).toBeNull();
  });

  test('is never a data file, a program of tools or a hidden file', () => {
    for (const path of ['data.toml', 'mcp.json', 'scripts/a.js', 'tests/a.ts', 'a.sh', 'a.py', 'b/.x.js'])
      expect(`${path} ${fault(path, allow('docs', '**')) === null}`).toBe(`${path} false`);
  });

  test('at the root of the repository, only a file that is named', () => {
    expect(fault('analytics.js', allow('', '**', '*.js'))).not.toBeNull();
    expect(fault('analytics.js', allow('', 'analytics.js'))).toBeNull();
    expect(fault('vite.config.js', allow('', 'vite.config.js'))).not.toBeNull();
    expect(fault('snippets/a.jsx', allow('', '**/*.jsx'))).toBeNull();
  });
});

test('links and submodules are not written', () => {
  const link = { path: 'l.mdx', kind: 'symlink' as const, executable: false, bytes: 1, content: null };
  const tree = { entries: new Map([...base.entries, ['l.mdx', link]]) };
  expect(fault('l.mdx', root, tree)).toContain('symlink');
});

test('a name in any case, width and with any invisible characters is the same name', () => {
  const invisible = fc.constantFrom('', '\u200b', '\u200d', '\ufe0f', '\u{E0061}', '\u00ad', '\u2060');
  const spell = (name: string) =>
    fc
      .tuple(
        ...[...name].map((char) =>
          fc.tuple(fc.constantFrom('as', 'upper', 'wide', 'dotless'), invisible, fc.constant(char)),
        ),
      )
      .map((chars) =>
        chars
          .map(([how, after, char]) => {
            const code = char.codePointAt(0) ?? 0;
            if (how === 'dotless' && char === 'i') return `ı${after}`;
            const wide =
              how === 'wide' && code > 0x20 && code < 0x7f ? String.fromCodePoint(code + 0xfee0) : char;
            return (how === 'upper' ? char.toUpperCase() : wide) + after;
          })
          .join(''),
      );
  const names = fc.constantFrom('.github', '.git', '.gitlab-ci.yml', 'agents.md', 'codeowners', '.offprint');
  fc.assert(
    fc.property(names.chain(spell), fc.constantFrom('', '/workflows/ci.yml', '/x.mdx'), (name, rest) => {
      expect(fault(name + rest, everything)).not.toBeNull();
      expect(fault(`guides/${name}${rest}`, everything)).not.toBeNull();
    }),
    { numRuns: 300 },
  );
});

test('repositoryPath goes below the docs folder', () => {
  expect(repositoryPath('a/b.mdx', '')).toBe('a/b.mdx');
  expect(repositoryPath('a/b.mdx', 'site/docs')).toBe('site/docs/a/b.mdx');
});
