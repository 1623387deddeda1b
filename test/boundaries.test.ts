import { describe, expect, test } from 'vitest';
import { checkFile, checkTree } from '../scripts/boundaries.ts';

const broken: [rule: string, path: string, text: string][] = [
  ['contract-is-a-leaf', 'packages/contract/src/a.ts', "import '@offprint/render';"],
  ['bundle-is-a-leaf', 'packages/bundle/src/a.ts', "import { z } from 'zod';"],
  ['render-is-pure', 'packages/render/src/mdx/a.ts', "import { request } from 'node:http';"],
  ['render-is-pure', 'packages/render/src/mdx/a.ts', "const vm = await import('node:vm');"],
  ['render-is-deterministic', 'packages/render/src/nav/a.ts', 'export const a = Date.now();'],
  ['nothing-is-evaluated', 'packages/render/src/mdx/a.ts', "export const a = new Function('return 1');"],
  ['client-speaks-the-contract-only', 'packages/client/src/a.ts', "import '@offprint/server';"],
  ['site-knows-only-the-bundle', 'apps/site/src/a.ts', "import '@offprint/render';"],
  ['site-knows-only-the-bundle', 'apps/site/src/a.ts', "import 'pg';"],
  ['platform-knows-no-feature', 'apps/server/src/platform/http/a.ts', "import '../../keys/service.ts';"],
  ['features-meet-at-the-service', 'apps/server/src/exports/a.ts', "export { x } from '../keys/store.ts';"],
  ['server-does-not-call-itself', 'apps/server/src/exports/a.ts', "import '@offprint/client';"],
  ['processes-start-in-few-places', 'apps/cli/src/a.ts', "import { spawn } from 'node:child_process';"],
  ['network-goes-out-in-two-places', 'apps/server/src/exports/a.ts', "await fetch('https://example.com');"],
  ['environment-is-read-once', 'apps/server/src/api.ts', 'export const a = process.env.HOME;'],
  ['files-are-found-in-one-place', 'packages/render/src/a.ts', "new URL('./a.css', import.meta.url);"],
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
  ['packages/render/src/mdx/a.ts', '// process.env and Date.now stay out\nexport const a = 1;'],
];

describe('boundaries', () => {
  test.each(broken)('%s is found in %s: %s', (rule, path, text) => {
    expect(checkFile(path, text).map((breach) => breach.rule)).toContain(rule);
  });

  test.each(sound)('%s may say %s', (path, text) => {
    expect(checkFile(path, text)).toEqual([]);
  });

  test('the checkout keeps every rule of ARCHITECTURE.md', () => {
    expect(checkTree()).toEqual([]);
  });
});
