import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { compiledFlags, readCompiled } from './compiled.ts';
import { detectIsolation } from './isolation.ts';
import { runChild } from './run-child.ts';

const MODULE = fileURLToPath(new URL('../../../test/hostile-child.ts', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../../../node_modules/.cache', import.meta.url));

mkdirSync(CACHE, { recursive: true });
const folder = mkdtempSync(join(CACHE, 'compiled-test-'));
const writable = mkdtempSync(join(tmpdir(), 'offprint-compiled-test-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(writable, { recursive: true });
});

const copy = (from: string, to: string): Promise<{ value: unknown }> =>
  runChild({
    module: MODULE,
    input: { name: 'copy', args: [from, to] },
    readable: [],
    writable,
    limits: { wallMs: 120_000, memoryMb: 128, outputBytes: 1_000_000 },
    signal: new AbortController().signal,
    onMessage: () => {},
  });

test('a child reads compiled code and cannot change it', async () => {
  const code = join(folder, 'code');
  const own = join(writable, 'own');
  writeFileSync(code, 'compiled');
  writeFileSync(own, 'hostile');
  readCompiled(folder);
  expect(await copy(code, join(writable, 'copy'))).toEqual({ value: 'compiled' });
  await expect(copy(own, code)).rejects.toThrow(/EROFS|ERR_ACCESS_DENIED|restricted/);
  await expect(copy(own, join(folder, 'more'))).rejects.toThrow(/EROFS|ERR_ACCESS_DENIED|restricted/);
  expect(readFileSync(code, 'utf8')).toBe('compiled');
  expect(existsSync(join(folder, 'more'))).toBe(false);
});

test('only a child to which the kernel shows it read-only gets the right that Node asks for', async () => {
  const isolation = await detectIsolation();
  readCompiled(folder);
  expect(compiledFlags({ ...isolation, files: false })).toEqual([]);
  expect(compiledFlags({ ...isolation, files: true })).toContain(`--allow-fs-write=${folder}`);
  readCompiled(null);
  expect(compiledFlags({ ...isolation, files: true })).toEqual([]);
});
