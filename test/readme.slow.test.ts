/**
 * Runs every command that README.md and the quickstart show: as an ordinary user with empty caches, on the Node of the
 * system, in a fresh clone with nothing installed. `npx offprint` runs in a folder that has the packed package, since
 * the registry has none before the first release.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNewcomer, type Newcomer, packPackages, ROOT } from './support/shell.ts';

const PAGES = ['README.md', 'docs/quickstart.mdx'];

/** Commands that are not run here, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'npm test': 'this test is a part of it',
  'npm run test:all': 'this test is a part of it',
};

interface Shown {
  page: string;
  command: string;
}

/** Commands of the blocks marked `sh`, without comments; a line that ends with a backslash continues on the next. */
function commandsOf(page: string): Shown[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^([ \t]*)```sh[^\n]*\n([\s\S]*?)^\1```/gm)].flatMap(([, , block = '']) =>
    block
      .replace(/\\\n\s*/g, ' ')
      .split('\n')
      .map((line) => line.replace(/\s+#.*$/, '').trim())
      .filter((command) => command !== '')
      .map((command) => ({ page, command })),
  );
}

const shown = PAGES.flatMap(commandsOf);
const runs = shown.filter(({ command }) => {
  const why = LEFT_OUT[command];
  if (why !== undefined) process.stdout.write(`left out: ${command} (${why})\n`);
  return why === undefined;
});
const isRequest = ({ command }: Shown): boolean => command.startsWith('curl ');
const staysUp = (command: string): boolean =>
  /\b(dev|serve)\b|\boffprint up\b|^npm start\b/.test(command) && !command.includes('--once');

let newcomer: Newcomer;
let clone: string;
let empty: string;

beforeAll(async () => {
  newcomer = createNewcomer(null);
  clone = join(newcomer.folder, 'offprint');
  empty = join(newcomer.folder, 'empty');
  execFileSync('git', ['clone', '--quiet', ROOT, clone]);
  mkdirSync(empty);
  cpSync(packPackages().offprint, join(newcomer.folder, 'offprint.tgz'));
  newcomer.own();
  const installed = await newcomer.run('npm install ../offprint.tgz', empty);
  expect(installed.code, installed.stderr).toBe(0);
}, 600_000);
afterAll(() => newcomer.remove());

const folderOf = (command: string): string => (command.startsWith('npx offprint ') ? empty : clone);

async function stop(command: string, program: Awaited<ReturnType<Newcomer['start']>>): Promise<void> {
  program.signal('SIGINT');
  const { code, stderr } = await program.ended;
  expect([0, 130], `${command}: ${stderr}`).toContain(code);
}

test('the pages show commands of every kind', () => {
  for (const kind of ['npx offprint ', 'npm start', 'node apps/cli/bin/offprint.mjs ', 'curl ']) {
    expect(
      runs.some(({ command }) => command.startsWith(kind)),
      kind,
    ).toBe(true);
  }
});

describe('every command works as it is shown', () => {
  test.each(runs.filter((each) => !isRequest(each)))(
    '$page: $command',
    async ({ command }) => {
      // Each page starts without docs.
      if (command.includes('offprint new '))
        rmSync(join(newcomer.folder, 'my-docs'), { recursive: true, force: true });
      if (!staysUp(command)) {
        const { code, stderr } = await newcomer.run(command, folderOf(command));
        expect(code, stderr).toBe(0);
        return;
      }
      const program = await newcomer.start(command, folderOf(command), /Ctrl-C/);
      const urls = [...program.output().matchAll(/http:\/\/[^\s/)]+/g)].map(([url]) => url);
      expect((await fetch(urls[0] ?? '')).status, program.output()).toBe(200);
      await stop(command, program);
    },
    600_000,
  );

  test.each(runs.filter(isRequest))(
    '$page: $command',
    async ({ command }) => {
      const up = 'npx offprint up ../my-docs';
      const program = await newcomer.start(up, empty, /Ctrl-C/);
      const key = /offprint_\w+/.exec(program.output())?.[0] ?? '';
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(program.output())?.[0] ?? '';
      const request = command.replace('http://127.0.0.1:4100', url).replace('$OFFPRINT_API_KEY', key);
      const { stdout } = await newcomer.run(request, empty);
      expect(JSON.parse(stdout), stdout).toMatchObject({
        status: expect.stringMatching(/queued|rendering|running/),
      });
      await stop(up, program);
    },
    600_000,
  );
});

test('npm start creates the documentation in the background and serves it at /docs', async () => {
  const program = await newcomer.start('npm start', clone, /Ctrl-C/);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(program.output())?.[0] ?? '';
  const status = async () => (await fetch(`${url}/docs/api/static-export/start-an-export`)).status;
  expect([200, 503]).toContain(await status());
  await expect.poll(status, { timeout: 120_000, interval: 500 }).toBe(200);
  await stop('npm start', program);
}, 600_000);
