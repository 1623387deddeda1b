/** Completion as a shell gives it: bash runs the script and is asked for what it would offer. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BIN } from './command.ts';

let folder: string;
let script: string;

const print = (shell: string) =>
  spawnSync(process.execPath, [BIN, 'completion', shell], { encoding: 'utf8' });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-completion-'));
  mkdirSync(join(folder, 'my docs'));
  writeFileSync(join(folder, 'site.tar.gz'), '');
  script = join(folder, 'offprint.bash');
  const { status, stdout, stderr } = print('bash');
  expect([status, stderr]).toEqual([0, '']);
  writeFileSync(script, stdout);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What bash offers for the last of the words. */
function offered(...words: string[]): string[] {
  const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _offprint; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const bash = ['--norc', '-c', program, 'bash', script, 'offprint', ...words];
  const { status, stdout, stderr } = spawnSync('bash', bash, { cwd: folder, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

test.each([
  ['commands', ['ex'], ['export']],
  ['subcommands', ['admin', 'user', 're'], ['reset-password']],
  ['options of a command', ['export', '--fetch'], ['--fetch-remote']],
  ['options after an argument', ['export', 'docs', '--site'], ['--site-url']],
  ['choices of an option', ['admin', 'member', 'add', '--role', 'ed'], ['editor']],
  ['choices of an argument', ['completion', 'b'], ['bash']],
  ['folders with a space in their name', ['export', 'my'], ['my docs']],
  ['folders after an option with a value', ['export', '-o', 'a.tgz', 'my'], ['my docs']],
  ['files for a bundle', ['serve', 'si'], ['site.tar.gz']],
  ['nothing for a text', ['export', '--label', ''], []],
])('bash offers %s', (_, words, wanted) => {
  expect(offered(...words)).toEqual(wanted);
});

test('bash offers every command of the help', () => {
  const { stdout } = spawnSync(process.execPath, [BIN, '--help'], { encoding: 'utf8' });
  const commands = [...stdout.slice(stdout.indexOf('Commands:')).matchAll(/^ {2}([a-z]+)/gm)].map(
    ([, name]) => name,
  );
  expect(commands.length).toBeGreaterThan(9);
  expect(offered('').sort()).toEqual(commands.filter((name) => name !== 'help').sort());
});

for (const shell of ['zsh', 'fish']) {
  const isHere = spawnSync(shell, ['--version']).status === 0;
  test.skipIf(!isHere)(
    `${shell} accepts its script${isHere ? '' : ` (skipped: ${shell} is not installed)`}`,
    () => {
      const file = join(folder, `offprint.${shell}`);
      writeFileSync(file, print(shell).stdout);
      const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    },
  );

  test(`the script of ${shell} names every command and option of export`, () => {
    const { status, stdout } = print(shell);
    expect(status).toBe(0);
    for (const word of ['export', 'serve', 'reset-password', 'fetch-remote', 'site-url', 'completion'])
      expect(stdout).toContain(word);
  });
}
