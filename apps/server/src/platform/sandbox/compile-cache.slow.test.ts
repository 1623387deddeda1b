import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const MODULE = fileURLToPath(new URL('../../../test/hostile-child.ts', import.meta.url));
const NO_LIMIT = 120_000;
let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-compile-cache-'));
  enableCompileCache();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** As in another process of the platform: what this one knows of the cache is forgotten. */
async function inNextProcess(name: string, args: string[] = []): Promise<unknown> {
  vi.resetModules();
  const { runChild } = (await import('./run-child.ts')) as typeof import('./run-child.ts');
  const writable = mkdtempSync(join(root, 'out-'));
  writeFileSync(join(writable, 'code'), 'poisoned');
  const { value } = await runChild<unknown, string, { value: unknown }>({
    module: MODULE,
    input: { name, args: args.map((arg) => arg.replace('{writable}', writable)) },
    readable: [],
    writable,
    limits: { cpuMs: NO_LIMIT, wallMs: NO_LIMIT, memoryMb: 128, outputBytes: 1_000_000 },
    signal: new AbortController().signal,
    onMessage: () => undefined,
  });
  return value;
}

test('children load compiled code that the first process of the platform left, and cannot change it', async () => {
  const children = join(getCompileCacheDir() ?? '', 'children');
  mkdirSync(children, { recursive: true });
  await inNextProcess('compileCache');
  const cached = await expect
    .poll(() => inNextProcess('compileCache'), { interval: 500 })
    .toEqual(expect.stringContaining(children))
    .then(() => inNextProcess('compileCache'));
  const folder = String(cached);
  const before = readdirSync(folder);
  expect(before.length).toBeGreaterThan(3);
  for (const name of ['new', before[0] ?? '']) {
    const target = join(folder, name);
    await expect(inNextProcess('copy', ['{writable}/code', target])).rejects.toThrow(/EROFS|EACCES|EPERM/);
  }
  expect(existsSync(join(folder, 'new'))).toBe(false);
  expect(readdirSync(folder)).toEqual(before);
});

test('compiled code is made at the priority of children, since it ends with the process and others may be busy', async () => {
  vi.resetModules();
  const { compileCache } = (await import('./compile-cache.ts')) as typeof import('./compile-cache.ts');
  const { detectIsolation, setChildNiceness } = (await import(
    './isolation.ts'
  )) as typeof import('./isolation.ts');
  setChildNiceness(3);
  const niceness: number[] = [];
  const isolation = await detectIsolation();
  const wrap: typeof isolation.wrap = (_command, _paths, { nice }) => {
    niceness.push(nice);
    // It makes nothing, and what is left of it is removed.
    return ['/bin/true'];
  };
  // Flags that no other process has, so that no compiled code exists for them.
  expect(compileCache(MODULE, { ...isolation, wrap }, [`--random-seed=${Date.now() % 2 ** 31}`])).toBeNull();
  expect(niceness).toEqual([3]);
});
