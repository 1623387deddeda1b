import { afterEach, expect, test, vi } from 'vitest';
import { clientSettings, ownCommand } from './config.ts';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['npx', 'exec', 'npx offprint check docs'],
  ['npm', 'run-script', 'npx offprint check docs'],
  ['a shell', undefined, 'offprint check docs'],
])('a command that %s started prints commands that can be started the same way', (_, npm, printed) => {
  vi.stubEnv('npm_command', npm);
  expect(ownCommand('check docs')).toBe(printed);
});

test.each(['localhost:4100', 'ftp://offprint.example.com', 'offprint', ''])(
  'the server URL %j is refused with the name of its setting',
  (url) => {
    vi.stubEnv('OFFPRINT_API_KEY', 'offprint_x');
    expect(() => clientSettings(url)).toThrow(/^Invalid server URL in --server: .*Use an http or https URL/);
    vi.stubEnv('OFFPRINT_URL', url);
    expect(() => clientSettings(undefined)).toThrow(/^Invalid server URL in OFFPRINT_URL: /);
  },
);
