import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxIn } from '../../../../../test/support/sandbox.ts';
import { toolBench } from '../../../../../test/support/tool-context.ts';
import { knownBaseline } from '../check/check-changes.ts';
import { createDocsCheck } from '../check/child-check.ts';
import type { CheckResult, DocsCheck, Finding } from '../check/docs-check.ts';

const DOCS = JSON.stringify(
  {
    name: 'Site',
    colors: { primary: '#0f766e' },
    navigation: { groups: [{ group: 'A', pages: ['index', 'a'] }] },
  },
  null,
  2,
);
const FILES = { 'docs.json': DOCS, 'index.mdx': '[a](/a)\n', 'a.mdx': 'Words.\n', 'b.mdx': 'Words.\n' };

const finding = (file: string, code: string, message = 'It is wrong.'): Finding => ({
  file,
  line: 3,
  code,
  message,
  severity: code === 'broken-link' ? 'error' : 'warning',
});

describe('check_docs', () => {
  const found = (now: Finding[]): Pick<DocsCheck, 'check'> => ({
    check: async () => ({ status: 'checked', findings: now }),
  });

  test('without a result is not a finding, and the model is asked to continue', async () => {
    const check = { check: async () => ({ status: 'not_checked' as const, reason: 'the server is busy.' }) };
    const { text } = toolBench(FILES, { check });
    expect(await text('check_docs', {})).toBe(
      'Not checked: the server is busy. This says nothing about your changes. Go on without this check.',
    );
    const unknown = toolBench(FILES, {
      baseline: async () => ({ status: 'not_checked', reason: 'the server is busy.' }),
      check: found([finding('a.mdx', 'broken-link')]),
    });
    expect(await unknown.text('check_docs', {})).not.toContain('broken-link');
  });

  test('separates new from old, blocking ones first, and shows the old ones when asked for all', async () => {
    const baseline = [finding('a.mdx', 'image-alt'), finding('a.mdx', 'heading-jump')];
    const now = [
      finding('a.mdx', 'image-alt'),
      finding('b.mdx', 'image-alt'),
      finding('c.mdx', 'broken-link'),
    ];
    const { text } = toolBench(FILES, { baseline: knownBaseline(baseline), check: found(now) });
    const changed =
      'New: 2, of which 1 block.\n[blocks] c.mdx:3 broken-link It is wrong.\nb.mdx:3 image-alt It is wrong.\nFixed: 1.\nExisting: 1.';
    expect(await text('check_docs', {})).toBe(changed);
    expect(await text('check_docs', { scope: 'all' })).toBe(`${changed}\na.mdx:3 image-alt It is wrong.`);
  });

  test('shows 30 old ones, and as many new ones as one result holds', async () => {
    const many = Array.from({ length: 2000 }, (_, index) =>
      finding(`${index}.mdx`, 'broken-link', 'x'.repeat(90)),
    );
    const old = await toolBench(FILES, { baseline: knownBaseline(many), check: found(many) }).text(
      'check_docs',
      {
        scope: 'all',
      },
    );
    expect(old.split('\n')).toHaveLength(2 + 30 + 1);
    expect(old).toContain('(1970 more not shown)');
    const fresh = await toolBench(FILES, { check: found(many) }).text('check_docs', {});
    expect(fresh.length).toBeLessThan(50 * 1024);
    expect(fresh).toMatch(/\(\d+ more lines; fix these first\)$/);
  });
});

describe('by the renderer', () => {
  let workDir: string;
  let sandboxDir: string;
  let check: DocsCheck;
  beforeAll(() => {
    workDir = mkdtempSync(join(tmpdir(), 'offprint-tools-'));
    sandboxDir = mkdtempSync(join(tmpdir(), 'offprint-tools-sandbox-'));
    check = createDocsCheck({
      sandbox: sandboxIn(sandboxDir),
      workDir,
      log: pino({ level: 'silent' }),
      pageLimits: { cpuMs: 240_000, wallMs: 240_000, memoryMb: 512 },
    });
  });
  afterAll(() => {
    expect(existsSync(workDir) ? readdirSync(workDir) : []).toEqual([]);
    rmSync(workDir, { recursive: true });
    rmSync(sandboxDir, { recursive: true });
  });

  test('a page is written, listed, moved and deleted, and checks tell what is left', async () => {
    const { text, context } = toolBench(FILES, { check });
    expect(await text('update_navigation', { op: 'add', node: 'b', parent: 'groups/0', position: 1 })).toBe(
      'Added "b" as [groups/0/pages/1].\n[groups/0] group "A": 0 index, 1 b, 2 a',
    );
    expect(await text('move_file', { from: 'a.mdx', to: 'guides/a.mdx' })).toBe(
      'Moved a.mdx to guides/a.mdx.\nAdded a redirect from /a to /guides/a in docs.json.\nCorrected 3 links, including navigation entries and redirects:\nindex.mdx: 1\ndocs.json: 2',
    );
    expect(await text('check_docs', {})).toContain('New: none.');
    expect(await text('delete_file', { path: 'guides/a.mdx' })).toBe(
      'Deleted guides/a.mdx.\n1 link to it:\nindex.mdx:1 /guides/a\ndocs.json:13 navigation [groups/0/pages/2]: guides/a\ndocs.json:21 redirects: /guides/a\nIf readers know the page, add a redirect to docs.json.',
    );
    const left = await text('check_docs', {});
    expect(left).toContain('[blocks] index.mdx:1 broken-link');
    expect(left).toContain('[blocks] docs.json:13 page-missing');
    expect(context.workspace.changes().map(({ path }) => path)).toEqual(['a.mdx', 'docs.json', 'index.mdx']);
  });

  test('an operation is described; for a missing one, those that exist are listed', async () => {
    const api = JSON.stringify({ openapi: '3.1.0', paths: { '/a': { get: { summary: 'Get it' } } } });
    const { text, refusal } = toolBench({ ...FILES, 'api.json': api }, { check });
    const ask = (method: string, spec = './api.json') => ({ spec, method, path: '/a' });
    expect(await text('get_openapi_operation', ask('get'))).toBe('GET /a - Get it');
    expect(await refusal('get_openapi_operation', ask('put'))).toContain('It has: GET /a.');
    expect(await refusal('get_openapi_operation', ask('get', 'none.json'))).toContain('api.json');
    expect(await refusal('get_openapi_operation', ask('get', 'index.mdx'))).toContain(
      'is not a .json or .yaml',
    );
  });
});

describe('what is refused changes nothing', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['move_file', { from: 'a.mdx', to: 'b.mdx' }, 'already exists'],
    ['move_file', { from: 'a.mdx', to: '../a.mdx' }, 'leaves the folder'],
    ['move_file', { from: 'a.mdx', to: '.github/a.mdx' }, 'cannot be written'],
    ['move_file', { from: 'a.mdx', to: 'a.css' }, 'A job writes only pages'],
    ['move_file', { from: 'none.mdx', to: 'c.mdx' }, 'File none.mdx not found'],
    ['move_file', { from: 'x.png', to: 'y.png' }, 'not a text file'],
    ['move_file', { from: 'AGENTS.md', to: 'c.md' }, 'coding agents take instructions'],
    ['move_file', { from: 'docs.json', to: 'c.json' }, 'cannot be moved'],
    ['delete_file', { path: 'docs.json' }, 'cannot be deleted'],
    ['delete_file', { path: 'AGENTS.md' }, 'coding agents take instructions'],
    ['delete_file', { path: '/etc/passwd' }, 'etc/passwd not found'],
    ['delete_file', { path: 'none.mdx' }, 'File none.mdx not found'],
    ['update_navigation', { op: 'add', node: 'none', parent: 'groups/0' }, 'Page "none" not found'],
    ['update_navigation', { op: 'add', node: 'b' }, 'needs "parent"'],
    ['update_navigation', { op: 'rename', node: 'groups/0' }, 'needs "label"'],
    ['get_navigation', { under: 'tabs/9' }, 'no entry'],
  ])('%s %j: %s', async (name, input, reason) => {
    const files = { ...FILES, 'x.png': new Uint8Array([0, 1]), 'AGENTS.md': 'Be kind.' };
    const { refusal, context } = toolBench(files);
    expect(await refusal(name, input)).toContain(reason);
    expect(context.workspace.changes()).toEqual([]);
  });

  test('an edit that would break the configuration, which it did not before', async () => {
    const broken = { ...finding('docs.json', 'broken-link'), message: 'It broke at line 7.' };
    const parse = async (_: string, text: string): Promise<CheckResult> => ({
      status: 'checked',
      findings: text === DOCS ? [] : [broken],
    });
    const { refusal, context } = toolBench(FILES, { check: { parse } });
    expect(await refusal('update_navigation', { op: 'remove', node: 'a' })).toContain(
      'would break docs.json',
    );
    expect(context.workspace.changes()).toEqual([]);
    // An error that existed before is not a reason.
    const always = toolBench(FILES, {
      check: { parse: async () => ({ status: 'checked', findings: [broken] }) },
    });
    expect(await always.text('update_navigation', { op: 'remove', node: 'a' })).toContain('Removed');
  });

  test('a move that would change more files than a job may', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p/${index}.mdx`, '[a](/a)']));
    const { refusal, text, context } = toolBench({ ...FILES, ...many });
    expect(await refusal('move_file', { from: 'a.mdx', to: 'c.mdx' })).toContain('update_links=false');
    expect(context.workspace.changes()).toEqual([]);
    expect(await text('move_file', { from: 'a.mdx', to: 'c.mdx', update_links: false })).toContain(
      'Added a redirect',
    );
  });
});

test('a page that was read counts as read where it is now', async () => {
  const { text, context } = toolBench(FILES);
  await text('read_file', { path: 'a.mdx' });
  await text('move_file', { from: 'a.mdx', to: 'c.mdx' });
  expect(context.memory.readPaths).toEqual(['c.mdx']);
  await text('delete_file', { path: 'c.mdx' });
  expect(context.memory.readPaths).toEqual([]);
});
