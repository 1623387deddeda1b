import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkSite, directorySource, withDiagrams } from '@offprint/render';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { corpora, NO_CORPORA } from '../../../../../test/support/corpora.ts';
import { treeOf, treeOfFolder } from '../../../../../test/support/docs-tree.ts';
import { largeConfig, largeDescription } from '../../../../../test/support/large-docs.ts';
import { sandboxIn } from '../../../../../test/support/sandbox.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import type { BaseTree } from '../workspace/workspace.ts';
import { createDocsCheck } from './child-check.ts';
import type { CheckResult, DocsCheck, Finding } from './docs-check.ts';
import { materialiseWorkspace } from './materialise.ts';

/** Only ends a child that hangs. */
const HANG_MS = 240_000;
let folder: string;
let workDir: string;
let check: DocsCheck;
const log = pino({ level: 'silent' });
const signal = new AbortController().signal;

const DOCS = JSON.stringify({
  name: 'Site',
  colors: { primary: '#0f766e' },
  navigation: { pages: ['index'] },
});
/** A page of 3.6 MB within the limits of work for each paragraph, which needs 15 s of CPU time or more. */
const LONG = 'See [a](/b) and *c* `d` e.\n\n'.repeat(130_000);
/** Tables that need more memory than a child may have. */
const LARGE = `${'|a'.repeat(3000)}\n${'|-'.repeat(3000)}\n`.repeat(300);

const findingsOf = (result: CheckResult): Finding[] =>
  result.status === 'checked' ? result.findings : expect.fail(`not checked: ${result.reason}`);
const places = (findings: readonly Finding[]): string[] =>
  findings.map(({ file, line, code }) => `${file}:${line ?? ''} ${code}`);
const workspaceOf = (files: Record<string, string | Uint8Array>) => createWorkspace(treeOf(files), new Map());

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-check-'));
  workDir = join(folder, 'work');
  check = createDocsCheck({
    sandbox: sandboxIn(folder),
    workDir,
    log,
    siteLimits: { cpuMs: HANG_MS, wallMs: HANG_MS, memoryMb: 1024 },
    pageLimits: { cpuMs: HANG_MS, wallMs: HANG_MS, memoryMb: 512 },
  });
});
afterEach(() => {
  for (const left of [workDir, join(folder, 'sandbox')])
    expect(existsSync(left) ? readdirSync(left) : [], left).toEqual([]);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the whole docs', () => {
  test('are checked as the workspace has them: base, changes and deletions', async () => {
    const workspace = workspaceOf({
      'docs.json': DOCS,
      'index.mdx': '[a](/gone)\n\n![A plan](/plan.png)\n',
      'gone.mdx': 'Words.\n',
      'plan.png': new Uint8Array(200_000).fill(137),
    });
    expect(places(findingsOf(await check.check(workspace, signal)))).toEqual(['gone.mdx: unlisted-page']);
    workspace.remove('gone.mdx');
    workspace.write('index.mdx', '[a](/gone#x)\n\n<Card\n');
    expect(places(findingsOf(await check.check(workspace, signal)))).toContain('index.mdx:1 broken-link');
  });

  test('are checked with the syntax of their diagrams', async () => {
    const diagram = (text: string): string => `\`\`\`mermaid\n${text}\n\`\`\`\n`;
    const page = `${diagram('pie\n  "a" : 3')}\n${diagram('graph TD\n  A --')}`;
    const workspace = workspaceOf({ 'docs.json': DOCS, 'index.mdx': page });
    expect(places(findingsOf(await check.check(workspace, signal)))).toEqual(['index.mdx:6 invalid-diagram']);
  });

  test.skipIf(corpora().length === 0)(
    `have the findings that the renderer has on their folder${corpora().length === 0 ? ` (${NO_CORPORA})` : ''}`,
    async () => {
      const corpus = corpora().find(({ name }) => name === 'hoppscotch__docs') ?? corpora()[0]!;
      const workspace = createWorkspace(treeOfFolder(corpus.folder), new Map());
      const { findings: direct } = await withDiagrams(checkSite(directorySource(corpus.folder)));
      const found = await check.check(workspace, signal);
      expect(direct.length).toBeGreaterThan(20);
      expect(places(findingsOf(found))).toEqual(places(direct.map((one) => ({ ...one }))));
    },
  );
});

describe('large docs', () => {
  const site = {
    'index.mdx': '---\ntitle: Home\nopenapi: api/openapi.json GET /things/7\n---\n',
    'docs.json': largeConfig({ pages: ['index'] }),
    'api/openapi.json': largeDescription(),
  };

  test('are checked with a docs.json of 2.4 MB and an API description of 13 MB as they are', async () => {
    expect(site['docs.json'].length).toBeGreaterThan(2_400_000);
    expect(site['api/openapi.json'].length).toBeGreaterThan(13_000_000);
    const workspace = workspaceOf(site);
    expect(await check.check(workspace, signal)).toEqual({ status: 'checked', findings: [] });
    workspace.write('new.mdx', '## A\n\n[gone](/nowhere/at/all) [dead](#no-such)\n');
    expect(places(findingsOf(await check.check(workspace, signal)))).toEqual(
      expect.arrayContaining(['new.mdx:3 broken-link', 'new.mdx:3 anchor-not-found']),
    );
  });

  test('without the content of a file that the renderer reads are not checked', async () => {
    const base = treeOf({ 'docs.json': DOCS, 'index.mdx': 'Words.', 'video.mp4': 'x' });
    const without = (path: string) => {
      const entry = { ...base.entries.get(path)!, bytes: 300_000_000, content: null };
      return createWorkspace({ entries: new Map([...base.entries, [path, entry]]) }, new Map());
    };
    expect(await check.check(without('index.mdx'), signal)).toEqual({
      status: 'not_checked',
      reason: expect.stringMatching(/^index\.mdx has 300000000 bytes and was not read/),
    });
    expect(places(findingsOf(await check.check(without('video.mp4'), signal)))).toEqual([
      'video.mp4: unused-file',
    ]);
  });

  test('with more findings than can be compared are not checked', async () => {
    const page = `---\ntitle: A\n---\n\n${'[gone](/gone)\n\n'.repeat(700)}`;
    const names = Array.from({ length: 30 }, (_, index) => `page-${index}`);
    const pages = Object.fromEntries(names.map((name) => [`${name}.mdx`, page]));
    const config = JSON.stringify({ ...JSON.parse(DOCS), navigation: { pages: names } });
    expect(await check.check(workspaceOf({ 'docs.json': config, ...pages }), signal)).toEqual({
      status: 'not_checked',
      reason: 'the docs have more than 20000 findings.',
    });
  });

  test('that stop the check name the error', async () => {
    expect(await check.check(workspaceOf({ 'docs.json': '{', 'index.mdx': 'Words.' }), signal)).toMatchObject(
      {
        status: 'checked',
        stopped: expect.stringMatching(/^docs\.json:1: /),
      },
    );
  });
});

test('one file is read without the others', async () => {
  const files: [path: string, text: string, found: string[]][] = [
    ['page.mdx', '---\ntitle: A\n---\n\nWords.\n', []],
    ['page.mdx', '---\ntitle: [\n---\n\n<Card>\n', ['page.mdx:3 front-matter', 'page.mdx:5 unclosed-tag']],
    ['snippets/a.mdx', 'Words {a b}\n', ['snippets/a.mdx:1 invalid-expression']],
    ['a/button.jsx', 'export const A = () => <b>', ['a/button.jsx:1 invalid-module']],
    ['a/button.jsx', 'export const A = () => <b>x</b>', []],
    ['docs.json', DOCS, []],
    ['docs.json', '{\n "name": "x",\n}', ['docs.json:2 invalid-json']],
    ['docs.json', '{"name":"x","navigation":{"pages":["none"],"groups":3}}', ['docs.json:1 navigation-type']],
    ['openapi.yaml', 'openapi: 3.1.0\npaths: [\n', ['openapi.yaml:3 description-invalid']],
    ['data.json', '{"a": 1,}', ['data.json:1 invalid-json']],
    ['style.css', 'a {', []],
  ];
  const found = await Promise.all(files.map(([path, text]) => check.parse(path, text, signal)));
  const kept = found.map((one) => places(findingsOf(one)).filter((place) => !place.endsWith('config-value')));
  expect(kept).toEqual(files.map(([, , expected]) => expected));
});

test('a check that meets a limit of CPU time or memory has no result and names the limit, and the next one works', async () => {
  const hasty = createDocsCheck({
    sandbox: sandboxIn(folder),
    workDir,
    log,
    siteLimits: { cpuMs: 1000, wallMs: HANG_MS, memoryMb: 4096 },
    pageLimits: { cpuMs: 1000, wallMs: HANG_MS, memoryMb: 4096 },
  });
  const small = createDocsCheck({
    sandbox: sandboxIn(folder),
    workDir,
    log,
    pageLimits: { cpuMs: HANG_MS, wallMs: HANG_MS, memoryMb: 96 },
  });
  const [site, page, memory] = await Promise.all([
    hasty.check(workspaceOf({ 'docs.json': DOCS, 'index.mdx': LONG }), signal),
    hasty.parse('page.mdx', LONG, signal),
    small.parse('page.mdx', LARGE, signal),
  ]);
  const notChecked = (reason: string) => ({ status: 'not_checked', reason });
  expect(site).toEqual(notChecked('the check needs more than 1 s of CPU time.'));
  expect(page).toEqual(notChecked('the check needs more than 1 s of CPU time.'));
  expect(memory).toEqual(notChecked('the check needs more than 96 MB of memory.'));
  const clean = await check.check(workspaceOf({ 'docs.json': DOCS, 'index.mdx': 'Words.' }), signal);
  expect(clean).toEqual({ status: 'checked', findings: [] });
});

test('a check that meets the wall-clock limit is tried once more and then has no result', async () => {
  const lines: object[] = [];
  const hasty = createDocsCheck({
    sandbox: sandboxIn(folder),
    workDir,
    log: pino({}, { write: (line: string) => lines.push(JSON.parse(line) as object) }),
    pageLimits: { cpuMs: HANG_MS, wallMs: 1, memoryMb: 256 },
  });
  expect(await hasty.parse('page.mdx', LONG, signal)).toEqual({
    status: 'not_checked',
    reason: 'the server is busy, or the check hangs.',
  });
  expect(lines).toMatchObject([{ isRetry: false }, { isRetry: true }]);
});

test('a configuration that is too large to be read is not checked, and never counts as an empty one', async () => {
  const { entries } = treeOf({ 'index.mdx': 'Words.' });
  const large = { path: 'docs.json', kind: 'file' as const, executable: false, bytes: 2e6, content: null };
  const tree: BaseTree = { entries: new Map([...entries, ['docs.json', large]]) };
  const result = await check.check(createWorkspace(tree, new Map()), signal);
  expect(result).toMatchObject({
    status: 'not_checked',
    reason: expect.stringContaining('docs.json has 2000000'),
  });
});

test('an abort throws its reason, in a child and in line for one', async () => {
  const stop = new AbortController();
  const reason = new Error('stopped');
  const asked = Array.from({ length: 6 }, () => check.parse('page.mdx', LONG, stop.signal));
  await expect.poll(() => readdirSync(join(folder, 'sandbox'))).toHaveLength(4);
  stop.abort(reason);
  const ended = await Promise.allSettled(asked);
  expect(ended.map((one) => (one.status === 'rejected' ? one.reason : one.value))).toEqual(
    Array(6).fill(reason),
  );
  await expect(check.parse('page.mdx', 'Words.', AbortSignal.abort(reason))).rejects.toBe(reason);
});

test('an operation is read from YAML with aliases; a bomb of them is an error', async () => {
  const text =
    'openapi: 3.1.0\npaths:\n  /a:\n    get:\n      summary: Get\n      parameters: &p\n        - {name: q, in: query, schema: {type: string}}\n    post:\n      parameters: *p\n';
  const ask = (method: string, path: string, of: string) =>
    check.describeOperation(
      {
        file: 'api.yaml',
        text: of,
        files: {},
        overlays: [],
        operation: { method, path },
        filter: '',
        page: 1,
      },
      signal,
    );
  expect(await ask('POST', 'a', text)).toEqual({
    text: 'POST /a\nIn the file: lines 8-9\n\nParameters:\n  q (query): string',
  });
  const bomb = `a0: &a0 [x]\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`).join('\n')}\n`;
  expect(await ask('GET', '/a', bomb)).toEqual({ fault: expect.stringContaining('cannot be read') });
});

test('only regular files below the folder are written: no links, no unsafe paths, nothing over another', async () => {
  const target = join(folder, 'written');
  mkdirSync(target);
  const hostile = ['../out.mdx', '/abs.mdx', 'a/../../b.mdx', '.git/config', 'a\\b.mdx', 'dir'];
  const files = Object.fromEntries([...hostile, 'dir/page.mdx', 'index.mdx'].map((path) => [path, path]));
  const tree = treeOf(files);
  const link = { path: 'link.mdx', kind: 'symlink' as const, executable: false, bytes: 9, content: null };
  const withLink: BaseTree = { entries: new Map([...tree.entries, ['link.mdx', link]]) };
  await materialiseWorkspace(createWorkspace(withLink, new Map()), target, signal);
  expect(readdirSync(folder)).not.toContain('out.mdx');
  expect(readdirSync(folder)).not.toContain('b.mdx');
  expect(readdirSync(target).sort()).toEqual(['dir', 'index.mdx']);
  expect(lstatSync(join(target, 'index.mdx')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(target, 'index.mdx'), 'utf8')).toBe('index.mdx');
});
