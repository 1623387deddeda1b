import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runGit } from './run.ts';

test('long input waits for Git without a listener left behind for each wait', async () => {
  const gitDir = await mkdtemp(join(tmpdir(), 'offprint-run-'));
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', onWarning);
  try {
    const { signal } = new AbortController();
    await runGit({ gitDir, signal, args: ['init', '--quiet', '--bare', gitDir] });
    const input = Array.from({ length: 200 }, () => 'x'.repeat(100_000));
    const { status, stdout } = await runGit({ gitDir, signal, args: ['hash-object', '--stdin'], input });
    expect(status).toBe(0);
    expect(stdout.toString().trim()).toMatch(/^[0-9a-f]{40}$/);
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', onWarning);
    await rm(gitDir, { recursive: true, force: true });
  }
});
