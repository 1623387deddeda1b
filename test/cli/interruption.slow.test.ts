/** Signals, closed pipes and crashes: commands end as a shell expects and remove what they made. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { BIN, filesOf, makePlace, type Place, run, start } from './command.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = 400;

let root: string;
let site: string;
let bundle: string;
let place: Place;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'offprint-interruption-'));
  site = join(root, 'site');
  mkdirSync(site);
  const pages = Array.from({ length: PAGES }, (_, at) => `page-${at}`);
  const config = { theme: 'mint', name: 'Large', colors: { primary: '#0f766e' }, navigation: { pages } };
  writeFileSync(join(site, 'docs.json'), JSON.stringify(config));
  const text = '## Part\n\nSome text.\n\n```js\nconst a = 1;\n```\n\n'.repeat(20);
  for (const page of pages) writeFileSync(join(site, `${page}.mdx`), `---\ntitle: ${page}\n---\n\n${text}`);
  bundle = join(root, 'site.tar.gz');
  const made = await run(makePlace(join(root, 'first')), ['export', site, '-o', bundle]);
  expect(made.code, made.err).toBe(0);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  place = makePlace(mkdtempSync(join(root, 'case-')));
});

const isWorkFolder = (name: string) => /^\.?offprint-(?:export|serve)-/.test(name);

describe('export', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends it by that signal and leaves nothing',
    async (signal) => {
      const { child, ended } = start(place, ['export', site, '-o', 'a.tar.gz']);
      await expect.poll(() => readdirSync(place.cwd).filter(isWorkFolder)).toHaveLength(1);
      child.kill(signal);
      expect(await ended).toMatchObject({ code: null, signal });
      expect(filesOf(place)).toEqual([]);
    },
  );

  test('a reader that closes the pipe of the messages exits with 141 and leaves nothing', async () => {
    const { child, ended } = start(place, ['export', site, '-o', 'a.tar.gz']);
    child.stderr.destroy();
    expect(await ended).toMatchObject({ code: 141 });
    expect(filesOf(place)).toEqual([]);
  });

  test('a reader that closes the pipe of the bundle exits with 141 and prints no error', async () => {
    const { child, ended } = start(place, ['export', site, '-o', '-']);
    child.stdout.destroy();
    const { code, err } = await ended;
    expect(code).toBe(141);
    expect(err).not.toMatch(/EPIPE|offprint: /);
    expect(filesOf(place)).toEqual([]);
  });

  test('-o - writes the bundle that a file would hold', async () => {
    const line = `"$0" "$1" export "$2" -o - | cmp - "$3"`;
    const { status, stderr, stdout } = spawnSync('sh', ['-c', line, process.execPath, BIN, site, bundle], {
      cwd: place.cwd,
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', HOME: place.home, TMPDIR: place.temporary },
    });
    expect([status, stdout], stderr).toEqual([0, '']);
    expect(stderr).toContain(`${PAGES} pages`);
    expect(filesOf(place)).toEqual([]);
  });

  test('the next one removes what a killed one left, and nothing of one that runs', async () => {
    const killed = start(place, ['export', site, '-o', 'a.tar.gz']);
    await expect.poll(() => readdirSync(place.cwd).filter(isWorkFolder)).toHaveLength(1);
    const [left] = readdirSync(place.cwd).filter(isWorkFolder);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const running = start(place, ['export', site, '-o', 'b.tar.gz']);
    await expect.poll(() => readdirSync(place.cwd).filter(isWorkFolder)).not.toContain(left);
    await expect.poll(() => readdirSync(place.cwd).filter(isWorkFolder)).toHaveLength(1);
    const other = await run(place, ['export', site, '-o', 'c.tar.gz']);
    expect(other.code, other.err).toBe(0);
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(filesOf(place)).toEqual(['b.tar.gz', 'c.tar.gz']);
  });

  test('folders of other machines and names that only look alike stay', async () => {
    const names = [
      '.offprint-export-00000000-1.1-abcdef',
      '.offprint-export-mine',
      '.offprint-export-fresh1',
    ];
    for (const name of names) mkdirSync(join(place.cwd, name));
    const old = join(place.cwd, '.offprint-export-oldone');
    mkdirSync(old);
    utimesSync(old, 1_000_000, 1_000_000);
    expect(await run(place, ['export', site, '-o', 'a.tar.gz'])).toMatchObject({ code: 0 });
    expect(filesOf(place)).toEqual([...names, 'a.tar.gz'].sort());
  });
});

describe('serve', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s stops it with 0 and leaves nothing',
    async (signal) => {
      const { child, ended, out } = start(place, ['serve', bundle, '-p', '0', '--json']);
      await expect.poll(out).toContain('"url"');
      child.kill(signal);
      expect(await ended).toMatchObject({ code: 0, signal: null });
      expect(filesOf(place)).toEqual([]);
    },
  );

  test('sends pages compressed to browsers that accept it', async () => {
    const { child, ended, out } = start(place, ['serve', bundle, '-p', '0', '--json']);
    await expect.poll(out).toContain('"url"');
    const { url } = JSON.parse(out()) as { url: string };
    const fetchPage = (encodings: string) =>
      fetch(`${url}page-0`, { headers: { 'accept-encoding': encodings } });
    const encodingOf = async (encodings: string) =>
      (await fetchPage(encodings)).headers.get('content-encoding');
    await expect.poll(() => encodingOf('gzip'), { timeout: 20_000 }).toBe('gzip');
    const compressed = await fetchPage('gzip');
    const plain = await fetchPage('identity');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(compressed.headers.get('vary')).toContain('Accept-Encoding');
    expect(compressed.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    expect(await compressed.text()).toBe(await plain.text());
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    expect(filesOf(place)).toEqual([]);
  });

  test('a Ctrl-C that arrives twice counts once', async () => {
    const { child, ended, out } = start(place, ['serve', bundle, '-p', '0', '--json']);
    await expect.poll(out).toContain('"url"');
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0 });
    expect(filesOf(place)).toEqual([]);
  });
});

test.each([
  ['the help', () => ['--help']],
  ['findings', () => ['check', site]],
  ['a completion script', () => ['completion', 'bash']],
])('a reader that closes the pipe of %s ends the command silently', (_, args) => {
  const line = `"$0" "$@" | true; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', line, process.execPath, BIN, ...args()], {
    cwd: place.cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', TMPDIR: place.temporary },
  });
  // 0: everything was written before the reader was gone.
  expect(['0', '141']).toContain(stdout.trim());
  expect(stderr).toBe('');
});

describe('npm start', () => {
  const keys = new Set<string>();
  const small = () => {
    const folder = join(root, 'small');
    mkdirSync(folder, { recursive: true });
    const config = {
      theme: 'mint',
      name: 'Small',
      colors: { primary: '#0f766e' },
      navigation: { pages: ['index'] },
    };
    writeFileSync(join(folder, 'docs.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'index.mdx'), '---\ntitle: Home\n---\n\nHello.\n');
    return folder;
  };

  /** Processes whose command line or environment names the data folder. */
  const processesOf = (dataDir: string): string[] => {
    const { stdout } = spawnSync('ps', ['-eo', 'pid=,args=', 'e'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
    return stdout.split('\n').filter((line) => line.includes(dataDir));
  };

  test.each([
    ['SIGTERM to npm', 'SIGTERM'],
    ['SIGHUP to npm', 'SIGHUP'],
    ['SIGKILL to npm', 'SIGKILL'],
    ['Ctrl-C, which sends SIGINT to the process group,', 'SIGINT'],
  ] as const)(
    '%s stops the server, the guard and the database, and the next start has the same admin key',
    async (_, signal) => {
      const isForGroup = signal === 'SIGINT';
      const dataDir = join(root, 'data');
      const child = spawn('npm', ['start', '--silent', '--', '--json', small()], {
        cwd: PROJECT,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: isForGroup,
        env: { ...process.env, OFFPRINT_DATA_DIR: dataDir, OFFPRINT_PORT: `${await freePort()}` },
      });
      let out = '';
      let err = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text;
      });
      await expect.poll(() => out || child.exitCode, { timeout: 250_000 }).toMatch(/"adminKey"/);
      const { adminKey } = JSON.parse(out.slice(0, out.indexOf('\n'))) as { adminKey: string };
      keys.add(adminKey);
      expect(processesOf(dataDir).length, err).toBeGreaterThan(2);
      const exited = once(child, 'exit');
      if (isForGroup) process.kill(-child.pid!, signal);
      else child.kill(signal);
      await exited;
      await expect.poll(() => processesOf(dataDir)).toEqual([]);
      expect(keys.size).toBe(1);
    },
  );
});
