import type { ExportJob } from '@offprint/contract';
import { startExportBody } from '@offprint/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_EXPORT_FORM, readExportForm } from './form.ts';
import { bundleFileName, downloadCommands, helmValues } from './snippets.ts';
import { countByCode, groupByFile } from './warnings.ts';
import { addressOf, durationWords, elapsedOf, exportAdvice, phaseOf, subjectOf } from './words.ts';

const form = { ...EMPTY_EXPORT_FORM, domain: 'docs.example.com' };

describe('readExportForm', () => {
  test('leaves out what was not filled in', () => {
    expect(readExportForm({ ...form, version: ' ', paths: '\n \n', groups: ' , ' }).body).toEqual({
      domain: 'docs.example.com',
    });
  });

  test('reads paths by line and groups by comma or line', () => {
    expect(
      readExportForm({
        ...form,
        version: '2.1',
        ref: 'release/2',
        paths: 'index\r\n /guides/start.mdx \n',
        includeUnlisted: false,
        groups: 'staff, partners\nbeta',
      }).body,
    ).toEqual({
      domain: 'docs.example.com',
      version: '2.1',
      source: { ref: 'release/2' },
      paths: ['index', '/guides/start.mdx'],
      options: { includeUnlisted: false, groups: ['staff', 'partners', 'beta'] },
    });
  });

  test('names the field that is wrong', () => {
    const { errors } = readExportForm({ ...form, domain: '', version: 'a b', ref: '../x', paths: 'a/../b' });
    expect(Object.keys(errors ?? {}).sort()).toEqual(['domain', 'paths', 'ref', 'version']);
    expect(errors?.paths).toContain('a/../b');
  });
});

test('the form takes what the contract takes, and nothing else', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'aZ09._-/\\ ~^:*[\u0000\u00e9'), maxLength: 70 }),
    fc.string({ maxLength: 300 }),
  );
  fc.assert(
    fc.property(text, text, text, (version, ref, path) => {
      const result = readExportForm({ ...form, version, ref, paths: path.replace(/[\r\n]/g, '') });
      const body = {
        domain: form.domain,
        ...(version.trim() === '' ? {} : { version: version.trim() }),
        ...(ref.trim() === '' ? {} : { source: { ref: ref.trim() } }),
        ...(path.trim() === '' ? {} : { paths: [path.replace(/[\r\n]/g, '').trim()] }),
      };
      expect(result.errors === null).toBe(startExportBody.safeParse(body).success);
    }),
    { numRuns: 500 },
  );
});

test('an address cannot leave its quotes in the commands', () => {
  const bundle = { bundleUrl: "https://x.example/b?s=1&'$(id)'", sha256: 'ab', version: '"x"\n' };
  expect(downloadCommands(bundle, 'site.tar.gz').split('\n')[0]).toBe(
    `curl -fsSL -o site.tar.gz 'https://x.example/b?s=1&'\\''$(id)'\\'''`,
  );
  expect(helmValues(bundle).split('\n')).toHaveLength(4);
  expect(bundleFileName('docs.example.com', '../../etc/passwd')).toBe(
    'docs.example.com-..-..-etc-passwd.tar.gz',
  );
  expect(bundleFileName('docs.example.com', null)).toBe('docs.example.com.tar.gz');
});

test('warnings are grouped by file and counted by code', () => {
  const warning = (file: string, code: string) => ({ file, code, line: null, message: '', sourceUrl: null });
  const warnings = [warning('b', 'x'), warning('a', 'y'), warning('b', 'y'), warning('c', 'y')];
  expect(groupByFile(warnings, null).map(({ file, warnings: { length } }) => [file, length])).toEqual([
    ['b', 2],
    ['a', 1],
    ['c', 1],
  ]);
  expect(groupByFile(warnings, 'x').map(({ file }) => file)).toEqual(['b']);
  expect(countByCode(warnings)).toEqual([
    { code: 'y', count: 3 },
    { code: 'x', count: 1 },
  ]);
});

test('an unfinished export names its phase', () => {
  const at = (phase: ExportJob['phase'], totalPages: number | null = 9) =>
    phaseOf({ status: phase === 'queued' ? 'queued' : 'running', phase, totalPages });
  expect([at('queued', null), at('fetching', null), at('rendering', null), at('rendering')]).toEqual([
    'Waiting for a worker',
    'Fetching the source',
    'Reading the docs',
    'Rendering pages',
  ]);
  expect([at('writing'), at('storing'), at('packing')]).toEqual([
    'Writing the search index and assets',
    'Storing the files',
    'Packing the bundle',
  ]);
  expect(elapsedOf({ startedAt: null, completedAt: null }, 0)).toBe(null);
  const startedAt = '2026-06-01T12:00:00.000Z';
  expect(elapsedOf({ startedAt, completedAt: '2026-06-01T12:00:02.500Z' }, 0)).toBe(2500);
  expect(exportAdvice('constructor')).toBe(exportAdvice(undefined));
});

test('an export shows the subject of its commit, or the commit where there is no subject', () => {
  const commit = '9b1c7f0e5d3a2b4c6d8e9f0a1b2c3d4e5f607182';
  const info = { subject: 'Fix', author: 'Ada', authoredAt: null, ref: 'main', url: null };
  expect(subjectOf({ commit, commitInfo: info })).toBe('Fix');
  expect(subjectOf({ commit, commitInfo: { ...info, subject: '' } })).toBe('Commit without a message');
  expect(subjectOf({ commit, commitInfo: null })).toBe('9b1c7f0e5d3a');
  expect(subjectOf({ commit: null, commitInfo: null })).toBe(null);
});

test('a page of a preview is at its path, percent-encoded, and the home page at the root', () => {
  expect(addressOf('index')).toBe('');
  expect(addressOf('guides/a b#?.x')).toBe('guides/a%20b%23%3F.x');
});

test('durations have the units that matter', () => {
  expect([0, 840, 9_960, 59_400, 59_600, 3_599_000, 7_810_000].map(durationWords)).toEqual([
    '0.0 s',
    '0.8 s',
    '10.0 s',
    '59 s',
    '1 min 0 s',
    '59 min 59 s',
    '2 h 10 min',
  ]);
});
