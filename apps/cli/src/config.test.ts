import { afterEach, expect, test, vi } from 'vitest';
import { ownCommand } from './config.ts';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['npx', 'exec', 'npx offprint check docs'],
  ['npm', 'run-script', 'npx offprint check docs'],
  ['a shell', undefined, 'offprint check docs'],
])('a command that %s started prints commands that can be started the same way', (_, npm, printed) => {
  vi.stubEnv('npm_command', npm);
  expect(ownCommand('check docs')).toBe(printed);
});
