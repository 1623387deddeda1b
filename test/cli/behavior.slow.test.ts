/**
 * How commands end: the exit code, one sentence that says what to do, and nothing left behind. Each case runs the
 * command in a process of its own and in folders of its own.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { BIN, expectSentence, filesOf, makePlace, type Place, run } from './command.ts';

let root: string;
let site: string;
let bundle: string;
let place: Place;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'offprint-behavior-'));
  site = join(root, 'site');
  writeSite(site);
  bundle = join(root, 'site.tar.gz');
  const made = await run(makePlace(join(root, 'first')), ['export', site, '-o', bundle]);
  expect(made.code, made.err).toBe(0);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  place = makePlace(mkdtempSync(join(root, 'case-')));
});

function writeSite(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const config = {
    theme: 'mint',
    name: 'Small',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index'] },
  };
  writeFileSync(join(folder, 'docs.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'index.mdx'), '---\ntitle: Home\n---\n\nHello.\n');
}

interface Case {
  name: string;
  args: () => string[];
  code: number;
  says: RegExp;
  env?: Record<string, string>;
  input?: string;
}

const NO_DATABASE = { DATABASE_URL: 'postgresql://user:hunter22@127.0.0.1:1/offprint' };
const NO_SERVER = { OFFPRINT_URL: 'http://127.0.0.1:1', OFFPRINT_API_KEY: `offprint_${'a'.repeat(38)}` };

const usage: Case[] = [
  { name: 'an unknown command', args: () => ['exprot'], code: 2, says: /Did you mean export\?/ },
  { name: 'an unknown option', args: () => ['export', site, '--otput', 'x'], code: 2, says: /--output/ },
  { name: 'a missing argument', args: () => ['serve'], code: 2, says: /missing required argument 'bundle'/ },
  { name: 'a missing option', args: () => ['export', site], code: 2, says: /--output/ },
  {
    name: 'an option without its value',
    args: () => ['export', site, '-o'],
    code: 2,
    says: /argument missing/,
  },
  { name: 'an argument too many', args: () => ['check', site, site], code: 2, says: /too many arguments/ },
  {
    name: 'a port that is not a number',
    args: () => ['serve', bundle, '-p', 'http'],
    code: 2,
    says: /0 to 65535/,
  },
  { name: 'a port above 65535', args: () => ['dev', site, '-p', '70000'], code: 2, says: /0 to 65535/ },
  {
    name: 'a negative number of warnings',
    args: () => ['export', site, '-o', 'a.tgz', '--warnings', '-1'],
    code: 2,
    says: /number or `all`/,
  },
  {
    name: 'a site URL without a scheme',
    args: () => ['export', site, '-o', 'a.tgz', '--site-url', 'docs.example.com'],
    code: 2,
    says: /https:\/\/docs\.example\.com/,
  },
  { name: 'an unknown editor', args: () => ['dev', site, '--editor', 'ed'], code: 2, says: /vscode/ },
  {
    name: 'an unknown role of a member',
    args: () => ['admin', 'member', 'add', 'Acme', 'a@example.com', '--role', 'boss'],
    code: 2,
    says: /viewer/,
  },
  {
    name: 'a time that is not one',
    args: () => ['admin', 'audit', '--from', 'yesterday'],
    code: 2,
    says: /2026-06-01/,
  },
  { name: 'an unknown shell', args: () => ['completion', 'tcsh'], code: 2, says: /bash, zsh, fish/ },
  {
    name: '--once without a folder',
    args: () => ['up', '--once'],
    code: 2,
    says: /--once requires a folder/,
  },
  {
    name: 'publish to standard output',
    args: () => ['publish', '-d', 'docs.example.com', '-o', '-'],
    env: { OFFPRINT_API_KEY: 'x' },
    code: 2,
    says: /publish verifies the whole bundle .* Name a file with -o/,
  },
  { name: 'publish without a domain', args: () => ['publish'], code: 2, says: /--domain/ },
  {
    name: 'publish without a key',
    args: () => ['publish', '-d', 'docs.example.com'],
    code: 2,
    says: /OFFPRINT_API_KEY/,
  },
  {
    name: 'a key file that does not exist',
    args: () => ['publish', '-d', 'docs.example.com'],
    env: { OFFPRINT_API_KEY_FILE: '/nothing/here' },
    code: 2,
    says: /OFFPRINT_API_KEY_FILE/,
  },
  {
    name: 'a server URL that is not one',
    args: () => ['publish', '-d', 'docs.example.com', '--server', 'not a url'],
    env: { OFFPRINT_API_KEY: 'x' },
    code: 2,
    says: /Invalid server URL/,
  },
  {
    name: 'agent commands without a project',
    args: () => ['agent', 'list'],
    env: NO_SERVER,
    code: 2,
    says: /--project/,
  },
  {
    name: 'a local agent without a folder',
    args: () => ['agent', 'run', '--local', 'nowhere', 'Fix it'],
    code: 2,
    says: /Folder not found: nowhere/,
  },
  {
    name: 'a setting that is not valid',
    args: () => ['api'],
    env: { OFFPRINT_PORT: 'many' },
    code: 2,
    says: /OFFPRINT_PORT/,
  },
  {
    name: 'a password that standard input does not hold',
    args: () => ['admin', 'user', 'create', 'a@example.com', '--password-stdin'],
    code: 2,
    says: /standard input/i,
  },
];

const folders: Case[] = [
  {
    name: 'export of a missing folder',
    args: () => ['export', 'nowhere', '-o', 'a.tar.gz'],
    code: 2,
    says: /Folder not found: nowhere/,
  },
  {
    name: 'export of a file',
    args: () => ['export', bundle, '-o', 'a.tar.gz'],
    code: 2,
    says: /Not a folder/,
  },
  {
    name: 'export of a folder without docs.json',
    args: () => ['export', place.cwd, '-o', 'a.tar.gz'],
    code: 1,
    says: /docs\.json not found in .*offprint export <dir>/,
  },
  {
    name: 'export of the folder above the docs',
    args: () => ['export', root, '-o', 'a.tar.gz'],
    code: 1,
    says: /Run: offprint export \S+\/site -o a\.tar\.gz/,
  },
  { name: 'check of a missing folder', args: () => ['check', 'nowhere'], code: 2, says: /Folder not found/ },
  {
    name: 'check of a folder without docs.json',
    args: () => ['check', place.cwd],
    code: 2,
    says: /docs\.json not found/,
  },
  {
    name: 'check of the folder above the docs',
    args: () => ['check', root],
    code: 2,
    says: /Run: offprint check \S+\/site/,
  },
  { name: 'dev of a missing folder', args: () => ['dev', 'nowhere'], code: 2, says: /Folder not found/ },
  { name: 'up of a missing folder', args: () => ['up', 'nowhere'], code: 2, says: /Folder not found/ },
  {
    name: 'up of a folder without docs.json',
    args: () => ['up', '--once', place.cwd],
    code: 1,
    says: /docs\.json not found/,
  },
  {
    name: 'serve of a missing bundle',
    args: () => ['serve', 'nowhere.tar.gz'],
    code: 2,
    says: /File not found/,
  },
  { name: 'serve of a folder', args: () => ['serve', site], code: 2, says: /Run: offprint export/ },
  {
    name: 'serve of a file that is not a bundle',
    args: () => ['serve', join(site, 'docs.json'), '-p', '0'],
    code: 1,
    says: /not a valid bundle/,
  },
];

const outputs: Case[] = [
  {
    name: 'an unknown extension',
    args: () => ['export', site, '-o', 'site.zip'],
    code: 2,
    says: /Unknown extension: site\.zip.*\.tar\.gz or \.tgz/,
  },
  { name: 'no extension', args: () => ['export', site, '-o', 'site'], code: 2, says: /Unknown extension/ },
  {
    name: 'a folder as the bundle',
    args: () => ['export', site, '-o', place.cwd],
    code: 2,
    says: /is a folder/,
  },
  {
    name: 'a bundle in a missing folder',
    args: () => ['export', site, '-o', 'nowhere/a.tar.gz'],
    code: 2,
    says: /Folder not found: nowhere/,
  },
  {
    name: 'a device as the bundle',
    args: () => ['export', site, '-o', '/dev/null'],
    code: 2,
    says: /Unknown extension/,
  },
  {
    name: '--json beside -o -',
    args: () => ['export', site, '-o', '-', '--json'],
    code: 2,
    says: /standard output/,
  },
  {
    name: 'publish to an unknown extension',
    args: () => ['publish', '-d', 'docs.example.com', '-o', 'a.zip'],
    env: NO_SERVER,
    code: 2,
    says: /Unknown extension/,
  },
  {
    name: 'publish into a missing folder',
    args: () => ['publish', '-d', 'docs.example.com', '-o', 'nowhere/a.tgz'],
    env: NO_SERVER,
    code: 2,
    says: /Folder not found/,
  },
];

const services: Case[] = [
  {
    name: 'admin without a database',
    args: () => ['admin', 'user', 'list'],
    code: 2,
    says: /No database in \S+\.offprint\. Set OFFPRINT_DATA_DIR/,
  },
  {
    name: 'admin with a password reset and no database',
    args: () => ['admin', 'user', 'reset-password', 'a@example.com'],
    code: 2,
    says: /No database in/,
  },
  {
    name: 'admin with a database that does not respond',
    args: () => ['admin', 'user', 'list'],
    env: NO_DATABASE,
    code: 1,
    says: /Cannot use the database.*DATABASE_URL/,
  },
  {
    name: 'api with a database that does not respond',
    args: () => ['api'],
    env: { ...NO_DATABASE, OFFPRINT_PORT: '0' },
    code: 1,
    says: /Cannot use the database.*DATABASE_URL/,
  },
  {
    name: 'worker with a database that does not respond',
    args: () => ['worker'],
    env: NO_DATABASE,
    code: 1,
    says: /Cannot use the database/,
  },
  {
    name: 'migrate with a database that does not respond',
    args: () => ['migrate'],
    env: NO_DATABASE,
    code: 1,
    says: /Cannot use the database/,
  },
  {
    name: 'up with a database that does not respond',
    args: () => ['up', site],
    env: { ...NO_DATABASE, OFFPRINT_PORT: '0' },
    code: 1,
    says: /Cannot use the database/,
  },
  {
    name: 'publish to a server that does not respond',
    args: () => ['publish', '-d', 'docs.example.com'],
    env: NO_SERVER,
    code: 1,
    says: /127\.0\.0\.1:1/,
  },
  {
    name: 'agent list of a server that does not respond',
    args: () => ['agent', 'list', '-p', 'prj_1'],
    env: NO_SERVER,
    code: 1,
    says: /127\.0\.0\.1:1/,
  },
  {
    name: 'a host that this machine does not have',
    args: () => ['serve', bundle, '--host', '192.0.2.1', '-p', '0'],
    code: 1,
    says: /192\.0\.2\.1.*--host/,
  },
];

describe.each([
  ['wrong usage', usage],
  ['folders', folders],
  ['outputs', outputs],
  ['databases and servers', services],
])('%s', (_, cases) => {
  test.each(cases)('$name exits with $code and says what to do', async ({ args, code, says, env, input }) => {
    const ended = await run(place, args(), { ...(env && { env }), ...(input && { input }) });
    expect([ended.code, ended.err]).toEqual([code, ended.err]);
    expectSentence(ended.err, says);
    expect(ended.out).toBe('');
    expect(ended.err).not.toContain('hunter22');
    expect(filesOf(place)).toEqual([]);
  });
});

describe('a port in use', () => {
  let holder: Server;
  let port: number;
  beforeEach(async () => {
    holder = createServer((socket) => socket.destroy());
    port = await freePort();
    await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => holder.close(resolve)));

  const onLinux = process.platform === 'linux' ? `by process ${process.pid} \\(` : 'by another process';
  const sentence = (choice: string) => new RegExp(`Port ${port} is in use ${onLinux}.*${choice}`);

  test.each([
    ['serve', () => ['serve', bundle, '-p', `${port}`], {}, '--port'],
    ['up', () => ['up', site, '-p', `${port}`], {}, '--port or OFFPRINT_PORT'],
    ['up by its variable', () => ['up', site], { OFFPRINT_PORT: '' }, '--port or OFFPRINT_PORT'],
    ['api', () => ['api'], { OFFPRINT_PORT: '' }, 'OFFPRINT_PORT'],
  ])(
    '%s names the port, the process and the way out',
    async (_, args, env: Record<string, string>, choice) => {
      const settings = env.OFFPRINT_PORT === undefined ? {} : { OFFPRINT_PORT: `${port}` };
      const ended = await run(place, args(), { env: settings });
      expect([ended.code, ended.err]).toEqual([1, ended.err]);
      expectSentence(ended.err, sentence(choice));
      expect(filesOf(place)).toEqual([]);
    },
  );
});

describe('a disk that is full', () => {
  const isRoot = process.getuid?.() === 0;
  const mount = () => {
    const folder = mkdtempSync(join(root, 'full-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', folder], {
      encoding: 'utf8',
    });
    return { folder, isMounted: mounted.status === 0, reason: mounted.stderr };
  };

  test.skipIf(!isRoot || process.platform !== 'linux')(
    `export exits with 1 and says so${isRoot ? '' : ' (skipped: only root can mount a small disk)'}`,
    async (context) => {
      const { folder, isMounted, reason } = mount();
      if (!isMounted) return context.skip(`no small disk can be mounted here: ${reason.trim()}`);
      try {
        const ended = await run(place, ['export', site, '-o', join(folder, 'a.tar.gz')]);
        expect([ended.code, ended.err]).toEqual([1, ended.err]);
        expectSentence(ended.err, /No space left on the disk/);
        expect(filesOf({ cwd: folder, temporary: place.temporary, home: place.home })).toEqual([]);
      } finally {
        spawnSync('umount', [folder]);
      }
    },
  );

  test.each([
    ['the help', () => ['--help']],
    ['the result of an export', () => ['export', site, '-o', 'a.tar.gz', '--json']],
    ['a bundle', () => ['export', site, '-o', '-']],
    ['the findings of a check', () => ['check', site]],
  ])('standard output that takes no more of %s exits with 1', (_, args) => {
    const line = `"$0" "$@" > /dev/full`;
    const ended = spawnSync('sh', ['-c', line, process.execPath, BIN, ...args()], {
      cwd: place.cwd,
      env: { PATH: process.env.PATH ?? '', TMPDIR: place.temporary },
      encoding: 'utf8',
    });
    expect([ended.status, ended.stderr]).toEqual([1, ended.stderr]);
    expectSentence(ended.stderr, /Cannot write to standard output/);
    expect(filesOf(place).filter((name) => name !== 'a.tar.gz')).toEqual([]);
  });
});

describe('missing rights', () => {
  const isRoot = process.getuid?.() === 0;
  const asNobody = (args: string[]) =>
    spawnSync(process.execPath, [BIN, ...args], {
      cwd: place.cwd,
      env: { PATH: process.env.PATH ?? '', TMPDIR: place.temporary, HOME: place.home },
      encoding: 'utf8',
      ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
    });
  beforeEach(() => {
    for (const folder of [root, join(place.cwd, '..')]) chmodSync(folder, 0o755);
    for (const folder of Object.values(place)) chmodSync(folder, 0o777);
  });

  test('an output folder that takes no file exits with 1 and names it', () => {
    const closed = join(place.cwd, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0o555);
    const ended = asNobody(['export', site, '-o', 'closed/a.tar.gz']);
    expect([ended.status, ended.stderr]).toEqual([1, ended.stderr]);
    expectSentence(ended.stderr, /Permission denied: .*closed/);
    expect(filesOf(place)).toEqual(['closed']);
  });

  test('a bundle that cannot be read exits with 1 and names it', () => {
    const file = join(place.cwd, 'secret.tar.gz');
    writeFileSync(file, '', { mode: 0o000 });
    const ended = asNobody(['serve', file, '-p', '0']);
    expect([ended.status, ended.stderr]).toEqual([1, ended.stderr]);
    expectSentence(ended.stderr, /Permission denied: .*secret\.tar\.gz/);
    expect(filesOf(place)).toEqual(['secret.tar.gz']);
  });

  test('a data folder that cannot be written exits with 1 and names it', () => {
    const closed = join(place.cwd, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0o555);
    const ended = spawnSync(process.execPath, [BIN, 'up', site], {
      cwd: place.cwd,
      env: { PATH: process.env.PATH ?? '', OFFPRINT_DATA_DIR: join(closed, 'data'), OFFPRINT_PORT: '0' },
      encoding: 'utf8',
      ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
    });
    expect([ended.status, ended.stderr]).toEqual([1, ended.stderr]);
    expectSentence(ended.stderr, /Permission denied: .*closed/);
    expect(filesOf(place)).toEqual(['closed']);
  });

  test.skipIf(!existsSync('/proc/self'))('a data folder that cannot be created exits with 1', async () => {
    const ended = await run(place, ['up', site], {
      env: { OFFPRINT_DATA_DIR: '/proc/offprint', OFFPRINT_PORT: '0' },
    });
    expect([ended.code, ended.err]).toEqual([1, ended.err]);
    expectSentence(ended.err, /No folder can be created there: \/proc\/offprint\..* set OFFPRINT_DATA_DIR\./);
  });
});

describe('odd sources', () => {
  test('a folder that vanishes while it is read does not stop an export', async () => {
    const folder = join(place.cwd, 'docs');
    writeSite(folder);
    symlinkSync('/nowhere', join(folder, 'gone'));
    const ended = await run(place, ['export', folder, '-o', 'a.tar.gz']);
    expect([ended.code, ended.err]).toEqual([0, ended.err]);
  });

  test('docs.json that is not JSON exits with 1 and names the line', async () => {
    const folder = mkdtempSync(join(root, 'broken-'));
    writeFileSync(join(folder, 'docs.json'), '{ "name": ');
    const ended = await run(place, ['export', folder, '-o', 'a.tar.gz']);
    expect(ended.code).toBe(1);
    expectSentence(ended.err, /docs\.json:1/);
    expect(filesOf(place)).toEqual([]);
  });
});
