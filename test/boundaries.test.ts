import { describe, expect, test } from 'vitest';
import { checkCycles, checkFile, checkTree } from '../scripts/boundaries.ts';

const broken: [rule: string, path: string, text: string][] = [
  ['contract-is-a-leaf', 'packages/contract/src/a.ts', "import '@offprint/render';"],
  ['bundle-is-a-leaf', 'packages/bundle/src/a.ts', "import { z } from 'zod';"],
  ['search-is-a-leaf', 'packages/search/src/a.ts', "import 'node:fs';"],
  ['render-is-pure', 'packages/render/src/mdx/a.ts', "import { request } from 'node:http';"],
  ['render-is-pure', 'packages/render/src/mdx/a.ts', "const vm = await import('node:vm');"],
  ['render-is-deterministic', 'packages/render/src/nav/a.ts', 'export const a = Date.now();'],
  ['nothing-is-evaluated', 'packages/render/src/mdx/a.ts', "export const a = new Function('return 1');"],
  ['client-speaks-the-contract-only', 'packages/client/src/a.ts', "import '@offprint/server';"],
  ['site-knows-only-bundle-and-search', 'apps/site/src/a.ts', "import '@offprint/render';"],
  ['site-knows-only-bundle-and-search', 'apps/site/src/a.ts', "import 'pg';"],
  ['platform-knows-no-feature', 'apps/server/src/platform/http/a.ts', "import '../../keys/service.ts';"],
  ['features-meet-at-the-service', 'apps/server/src/exports/a.ts', "export { x } from '../keys/store.ts';"],
  ['server-does-not-call-itself', 'apps/server/src/exports/a.ts', "import '@offprint/client';"],
  ['processes-start-in-few-places', 'apps/cli/src/a.ts', "import { spawn } from 'node:child_process';"],
  ['network-goes-out-in-two-places', 'apps/server/src/exports/a.ts', "await fetch('https://example.com');"],
  ['environment-is-read-once', 'apps/server/src/api.ts', 'export const a = process.env.HOME;'],
  ['files-are-found-in-one-place', 'packages/render/src/a.ts', "new URL('./a.css', import.meta.url);"],
  ['folders-are-made-in-one-place', 'apps/site/src/a.ts', "await mkdir(join(a, 'b'), { recursive: true });"],
  ['tests-read-elements', 'packages/render/test/a.test.ts', 'expect(html).toMatch(/class="card[^"]*"/);'],
  ['tests-read-elements', 'packages/render/test/a.test.ts', "expect(html).not.toContain(\n  '<div id=',\n);"],
  ['tests-read-elements', 'packages/render/src/a.test.ts', "expect(html).toContain('card op-card');"],
  [
    'tests-read-elements',
    'packages/render/src/a.test.ts',
    'const [, href] = /<a href="([^"]*)"/.exec(html);',
  ],
  ['arguments-are-read-by-main', 'apps/cli/src/commands/a.ts', 'export const a = process.argv[2];'],
];

const sound: [path: string, text: string][] = [
  ['packages/render/test/a.test.ts', "expect(has(html, { class: 'card' })).toBe(true);"],
  ['packages/render/test/a.test.ts', "expect(css).toContain('.op-card{');"],
  ['apps/server/src/exports/a.ts', "import '../keys/service.ts'; import './store.ts';"],
  ['apps/server/src/platform/git/a.ts', "import 'node:child_process';"],
  ['apps/site/src/a.ts', "import '@offprint/bundle'; import 'node:http';"],
  ['apps/site/src/a.ts', 'await mkdir(a); await rm(b, { recursive: true });'],
  ['packages/render/src/mdx/a.ts', '// process.env and Date.now stay out\nexport const a = 1;'],
];

const circular: [name: string, texts: Record<string, string>, cycle: string][] = [
  [
    'a cycle of two files',
    { 'packages/a.ts': "import './b.ts';", 'packages/b.ts': "export { a } from './a.ts';" },
    'packages/a.ts -> packages/b.ts -> packages/a.ts',
  ],
  [
    'a cycle of three files',
    {
      'packages/a.ts': "import './b.ts';",
      'packages/b.ts': "import './c.ts';",
      'packages/c.ts': "import './a.ts';",
    },
    'packages/a.ts -> packages/b.ts -> packages/c.ts -> packages/a.ts',
  ],
  [
    'a cycle that only types are imported in',
    {
      'packages/a.ts': "import type { B } from './b.ts';",
      'packages/b.ts': "import type { A } from './a.ts';",
    },
    'packages/a.ts -> packages/b.ts -> packages/a.ts',
  ],
  [
    'a cycle through an import at run time',
    { 'packages/a.ts': "await import('./b.ts');", 'packages/b.ts': "import './a.ts';" },
    'packages/a.ts -> packages/b.ts -> packages/a.ts',
  ],
  ['a file that imports itself', { 'packages/a.ts': "import './a.ts';" }, 'packages/a.ts -> packages/a.ts'],
];

describe('boundaries', () => {
  test.each(broken)('%s is found in %s: %s', (rule, path, text) => {
    expect(checkFile(path, text).map((breach) => breach.rule)).toContain(rule);
  });

  test.each(sound)('%s may say %s', (path, text) => {
    expect(checkFile(path, text)).toEqual([]);
  });

  test.each(circular)('finds %s', (_, texts, cycle) => {
    const [breach, ...others] = checkCycles(new Map(Object.entries(texts)));
    expect(breach).toMatchObject({
      rule: 'no-circular',
      file: 'packages/a.ts',
      what: `imports itself: ${cycle}`,
    });
    expect(others).toEqual([]);
  });

  test('follows the name of a package to the file that it exports', () => {
    const sources = new Map([
      ['packages/a.ts', "import '@offprint/b';"],
      ['packages/b.ts', "import './a.ts';"],
    ]);
    expect(checkCycles(sources)).toEqual([]);
    expect(checkCycles(sources, new Map([['@offprint/b', 'packages/b.ts']]))).toHaveLength(1);
  });

  test('names the line of a circular import', () => {
    const sources = new Map([
      ['packages/a.ts', "import 'node:fs';\nimport './b.ts';"],
      ['packages/b.ts', "import './a.ts';"],
    ]);
    expect(checkCycles(sources)[0]?.line).toBe(2);
  });

  test('reports each of two cycles, and nothing that only leads to one', () => {
    const sources = new Map([
      ['packages/a.ts', "import './b.ts';"],
      ['packages/b.ts', "import './a.ts'; import './c.ts';"],
      ['packages/c.ts', "import './d.ts';"],
      ['packages/d.ts', "import './e.ts';"],
      ['packages/e.ts', "import './d.ts';"],
      ['packages/f.ts', "import './a.ts';"],
    ]);
    expect(checkCycles(sources).map(({ file }) => file)).toEqual(['packages/a.ts', 'packages/d.ts']);
  });

  test('ignores a diamond, which is two ways to the same file', () => {
    const sources = new Map([
      ['packages/a.ts', "import './b.ts'; import './c.ts';"],
      ['packages/b.ts', "import './d.ts';"],
      ['packages/c.ts', "import './d.ts';"],
      ['packages/d.ts', "import 'node:fs';"],
    ]);
    expect(checkCycles(sources)).toEqual([]);
  });

  test('the checkout keeps every rule of ARCHITECTURE.md', () => {
    expect(checkTree()).toEqual([]);
  });
});
