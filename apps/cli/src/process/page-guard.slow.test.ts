import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createPageGuard } from './page-guard.ts';

const FIXTURE = fileURLToPath(new URL('./page-guard.fixture.ts', import.meta.url));

test('a page that blocks the process ends it, and the error names the page without control characters', () => {
  const { stderr, signal } = spawnSync(
    process.execPath,
    [FIXTURE, '600', 'a.mdx', 'guides/\u001b[31mb.mdx'],
    {
      encoding: 'utf8',
    },
  );
  expect(signal).toBe('SIGKILL');
  expect(stderr).toBe(
    '\noffprint: guides/\uFFFD[31mb.mdx needs more than 0.6 s of CPU time. Make this page smaller, or exclude it with .mintignore.\n',
  );
});

test('a process that is busy between pages continues', async () => {
  const guard = createPageGuard(300);
  guard.onPage('a.mdx');
  guard.onPage(null);
  const end = process.cpuUsage().user + 1_500_000;
  while (process.cpuUsage().user < end) Math.random();
  await new Promise((resolve) => setTimeout(resolve, 700));
  guard.end();
  expect(process.cpuUsage().user).toBeGreaterThan(end);
});
