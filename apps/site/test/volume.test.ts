/** What a deployment finds on its volume, and what it leaves there. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../src/releases/store.ts';
import { createFileSource } from '../src/source/file.ts';
import { createLinkSource } from '../src/source/link.ts';
import { makeBundle, type TestBundle } from './support/bundle.ts';
import { createLab, errorOf, failed, type Lab, serves, settled, until } from './support/lab.ts';

let one: TestBundle;
let two: TestBundle;
let three: TestBundle;
let lab: Lab;
/** Path of the bundle that is wanted. */
let wanted: string;
beforeAll(async () => {
  [one, two, three] = (await Promise.all([makeBundle('1'), makeBundle('2'), makeBundle('3')])) as [
    TestBundle,
    TestBundle,
    TestBundle,
  ];
});
beforeEach(() => {
  lab = createLab();
  wanted = one.write(lab.root, 'wanted.tar.gz');
});
afterEach(() => lab.close());

const source = () => createFileSource({ path: wanted, sha256: null, quietMs: 0 });
const nowhere = () => createLinkSource({ value: 'http://127.0.0.1:9/docs.tar.gz' }, null);
/** A source that fails at once. */
const missing = () => createFileSource({ path: join(lab.root, 'nowhere'), sha256: null });
const inRelease = ({ sha256 }: TestBundle, path: string) => join(lab.volume, sha256, path);

/** A volume on which 2 is served, with 1 before it. */
async function prepare(): Promise<void> {
  const deployment = lab.start(source());
  await until(deployment, serves('1'));
  two.write(lab.root, 'wanted.tar.gz');
  await deployment.update();
  await deployment.stop();
}

describe('a restart', () => {
  it('without a network serves the same release, at once and with the error', async () => {
    await prepare();
    const deployment = lab.start(nowhere(), { settings: 'link' });
    expect(await until(deployment, ({ release }) => release !== null)).toMatchObject({
      release: { version: '2' },
      previous: { version: '1' },
    });
    expect(await until(deployment, failed)).toMatchObject({
      release: { version: '2' },
      fault: { code: 'source_unreachable' },
    });
    expect(deployment.shown).toEqual(['2']);
    // and a rollback needs none either
    expect(await deployment.rollback()).toMatchObject({ version: '1' });
  });

  it('with another pinned version asks again, and says why it serves the old one', async () => {
    await prepare();
    const deployment = lab.start(source(), { version: '3', settings: 'pinned' });
    expect(await until(deployment, failed)).toMatchObject({
      release: { version: '2' },
      fault: { code: 'version_mismatch', message: expect.stringContaining('"2", not "3"') },
    });
  });

  it('never serves a release of another domain', async () => {
    await prepare();
    const deployment = lab.start(missing(), { domain: 'other.example.com' });
    const status = await until(deployment, failed);
    expect(status.release).toBeNull();
    expect(lab.log()).toContain('domain_mismatch');
  });

  it('with nothing on the volume and no source is not ready, and says why', async () => {
    const deployment = lab.start(nowhere());
    expect(await until(deployment, failed)).toMatchObject({
      release: null,
      previous: null,
      fault: { code: 'source_unreachable' },
    });
    expect(await errorOf(deployment.update())).toMatchObject({ code: 'source_unreachable' });
  });

  it('follows no link on its volume to what is not of the release, and waits for no pipe', async () => {
    await prepare();
    const page = inRelease(two, 'page-0.html');
    const elsewhere = join(lab.root, 'elsewhere.html');
    copyFileSync(page, elsewhere);
    for (const swap of [() => symlinkSync(elsewhere, page), () => execFileSync('mkfifo', [page])]) {
      rmSync(page);
      swap();
      for (const verify of ['digests', 'sizes'] as const) {
        const deployment = lab.start(missing(), { verify });
        expect(await until(deployment, failed)).toMatchObject({ release: { version: '1' } });
        expect(lab.log()).toContain('release_damaged');
        await deployment.stop();
      }
    }
    const release = join(lab.volume, two.sha256);
    rmSync(page);
    copyFileSync(elsewhere, page);
    renameSync(release, join(lab.root, 'moved'));
    symlinkSync(join(lab.root, 'moved'), release);
    expect(await until(lab.start(missing()), failed)).toMatchObject({ release: { version: '1' } });
  });

  it('with a damaged pointer fetches the bundle again', async () => {
    await prepare();
    for (const text of ['', '{', '{"current":null}', '{"current":{"sha256":"../.."}}']) {
      writeFileSync(join(lab.volume, 'current'), text);
      const deployment = lab.start(source());
      await until(deployment, settled('2'));
      expect(lab.pointer().current.sha256).toBe(two.sha256);
      await deployment.stop();
    }
  });
});

describe('a damaged release', () => {
  const damages: [string, (path: string) => void][] = [
    ['a file is cut', () => truncateSync(inRelease(two, 'page-1.html'), 1)],
    ['a file has grown', () => appendFileSync(inRelease(two, 'page-1.html'), 'x')],
    ['a file is gone', () => rmSync(inRelease(two, 'page-2.html'))],
    [
      'a file holds other bytes',
      () => copyFileSync(inRelease(two, 'page-1.html'), inRelease(two, 'page-2.html')),
    ],
    ['the manifest is gone', () => rmSync(inRelease(two, 'offprint.json'))],
    ['the manifest is cut', () => truncateSync(inRelease(two, 'offprint.json'), 100)],
    [
      'the manifest is another one',
      () => copyFileSync(inRelease(one, 'offprint.json'), inRelease(two, 'offprint.json')),
    ],
    [
      'the manifest leads elsewhere',
      () => {
        const text = readFileSync(inRelease(two, 'offprint.json'), 'utf8');
        writeFileSync(
          inRelease(two, 'offprint.json'),
          text.replace(
            '"redirects":[]',
            '"redirects":[{"source":"/a","destination":"https://evil.example.com","permanent":true}]',
          ),
        );
      },
    ],
    ['it is gone', () => rmSync(inRelease(two, '.'), { recursive: true })],
    [
      'a file has taken its place',
      () => {
        rmSync(inRelease(two, '.'), { recursive: true });
        writeFileSync(join(lab.volume, two.sha256), 'x');
      },
    ],
  ];

  it.each(damages)('(%s) is fetched again; until then the one before is served', async (_name, damage) => {
    await prepare();
    damage('');
    const cut = lab.start(missing());
    expect(await until(cut, failed)).toMatchObject({ release: { version: '1' } });
    expect(lab.log()).toContain('release_damaged');
    await cut.stop();
    const deployment = lab.start(source());
    await until(deployment, serves('2'));
    expect(deployment.status()).toMatchObject({ previous: { version: '1' }, fault: null });
    expect(lab.debris()).toEqual([]);
  });

  it('cannot be rolled back to', async () => {
    await prepare();
    const deployment = lab.start(source());
    await until(deployment, serves('2'));
    truncateSync(inRelease(one, 'index.html'), 1);
    expect(await errorOf(deployment.rollback())).toMatchObject({ code: 'release_damaged' });
    expect(deployment.status().release).toMatchObject({ version: '2' });
  });

  it('is recognized by sizes alone if digests are not checked', async () => {
    await prepare();
    copyFileSync(inRelease(two, 'page-1.html'), inRelease(two, 'page-2.html'));
    const serving = { onRelease: async () => {}, isInUse: () => false };
    const deployment = lab.start(missing(), { verify: 'sizes', serving });
    await until(deployment, serves('2'));
  });

  it('of which no whole one is left is never served', async () => {
    await prepare();
    truncateSync(inRelease(one, 'index.html'), 1);
    truncateSync(inRelease(two, 'index.html'), 1);
    const deployment = lab.start(missing());
    expect(await until(deployment, failed)).toMatchObject({ release: null });
    expect(deployment.shown).toEqual([]);
  });
});

describe('a server that cannot take a release', () => {
  it('keeps the old one, also after a restart', async () => {
    let refuses = false;
    const deployment = lab.start(source(), {
      serving: {
        async onRelease() {
          if (refuses) throw new Error('no memory');
        },
        isInUse: () => false,
      },
    });
    await until(deployment, serves('1'));
    refuses = true;
    two.write(lab.root, 'wanted.tar.gz');
    expect(await errorOf(deployment.update())).toMatchObject({
      code: 'serving_failed',
      message: expect.stringContaining('no memory'),
    });
    expect(deployment.status().release).toMatchObject({ version: '1' });
    expect(lab.pointer().current.sha256).toBe(one.sha256);
    refuses = false;
    expect(await deployment.update()).toMatchObject({ version: '2' });
  });
});

describe('a volume', () => {
  it('that cannot be created is reported and retried', async () => {
    writeFileSync(lab.volume, 'in the way');
    const deployment = lab.start(source(), { intervalMs: 20 });
    expect(await until(deployment, failed)).toMatchObject({
      release: null,
      fault: { code: 'volume_failed' },
    });
    rmSync(lab.volume);
    await until(deployment, serves('1'));
  });

  const mount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']);
  const canMount = mount.status === 0 && process.getuid?.() === 0;

  describe.skipIf(!canMount)(canMount ? 'of its own' : 'of its own: nothing can be mounted here', () => {
    beforeEach(() => {
      mkdirSync(lab.volume);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', lab.volume]);
    });
    afterEach(() => {
      execFileSync('umount', ['--lazy', lab.volume]);
    });

    it('that is full keeps the old release and reports it; with space the new one is served', async () => {
      const deployment = lab.start(source(), { intervalMs: 20 });
      await until(deployment, serves('1'));
      const large = await makeBundle('large', { noise: 2_000_000 });
      large.write(lab.root, 'wanted.tar.gz');
      expect(await until(deployment, failed)).toMatchObject({
        release: { version: '1' },
        fault: { code: 'disk_full' },
      });
      expect([lab.releases(), lab.debris()]).toEqual([[one.sha256], []]);
      // so full that not even the pointer can be written
      const filler = join(lab.volume, 'filler');
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096', 'count=1000']);
      two.write(lab.root, 'wanted.tar.gz');
      expect(await errorOf(deployment.update())).toMatchObject({ code: 'disk_full' });
      await deployment.stop();

      const restarted = lab.start(source(), { intervalMs: 20 });
      expect(await until(restarted, failed)).toMatchObject({
        release: { version: '1' },
        fault: { code: 'disk_full' },
      });
      rmSync(filler);
      await until(restarted, serves('2'));
    });

    it('that becomes read-only is still served from, and reported', async () => {
      const deployment = lab.start(source());
      await until(deployment, serves('1'));
      await deployment.stop();
      execFileSync('mount', ['-o', 'remount,ro', lab.volume]);
      two.write(lab.root, 'wanted.tar.gz');
      const restarted = lab.start(source(), { intervalMs: 20 });
      expect(await until(restarted, failed)).toMatchObject({
        release: { version: '1' },
        fault: { code: 'volume_failed', message: expect.stringContaining('Make it writable') },
      });
      execFileSync('mount', ['-o', 'remount,rw', lab.volume]);
      await until(restarted, serves('2'));
    });
  });
});

describe('several processes on one volume', () => {
  it('that fetch the same bundle at the same time all serve it, and leave one release', async () => {
    const all = Array.from({ length: 6 }, () => lab.start(source()));
    for (const deployment of all) await until(deployment, serves('1'));
    for (const deployment of all) await deployment.stop();
    expect([lab.releases(), lab.debris()]).toEqual([[one.sha256], []]);
  });

  it('never remove what another one serves', async () => {
    const slow = lab.start(source());
    await until(slow, serves('1'));
    const quick = lab.start(source());
    await until(quick, serves('1'));
    for (const bundle of [two, three, await makeBundle('4')]) {
      bundle.write(lab.root, 'wanted.tar.gz');
      await quick.update();
    }
    expect(lab.releases()).toContain(one.sha256);
    expect(readFileSync(join(slow.served()?.folder ?? '', 'index.html'), 'utf8')).toContain('version 1');
    await slow.stop();
    // checks the volume once more
    await quick.update();
    expect(lab.releases()).toHaveLength(2);
  });

  describe('leave nothing behind', () => {
    let store: Store;
    afterEach(() => store?.close());
    const holders = () => readdirSync(lab.volume).filter((name) => name.startsWith('.process-'));

    it('when they were killed: the next one cleans up at once, and skips running processes', async () => {
      const living = await openStore(lab.volume);
      const child = spawn(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          `const { openStore } = await import(${JSON.stringify(new URL('../src/releases/store.ts', import.meta.url).href)});
           const store = await openStore(${JSON.stringify(lab.volume)});
           const { writeFileSync } = await import('node:fs');
           writeFileSync(store.newPath(), 'half of a bundle');
           process.stdout.write('ready');
           setInterval(() => {}, 1000);`,
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await once(child.stdout, 'data');
      expect(holders()).toHaveLength(2);
      store = await openStore(lab.volume);
      expect(holders()).toHaveLength(3);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await store.sweep();
      expect(holders()).toHaveLength(2);
      await living.close();
      expect(holders()).toHaveLength(1);
    });

    it('when they ran on another machine: after two minutes without a heartbeat', async () => {
      mkdirSync(lab.volume);
      const [silent, fresh] = [
        '.process-00000000-1-0123456789abcdef',
        '.process-00000000-2-0123456789abcdef',
      ];
      for (const name of [silent!, fresh!]) mkdirSync(join(lab.volume, name));
      const past = new Date(Date.now() - 150_000);
      utimesSync(join(lab.volume, silent!), past, past);
      store = await openStore(lab.volume);
      expect(holders()).toContain(fresh);
      expect(holders()).not.toContain(silent);
    });

    it('when the container gives their number to the next process', async () => {
      const first = await openStore(lab.volume);
      const [name = ''] = holders();
      await first.close();
      const left = name.replace(/[0-9a-f]{16}$/, '0123456789abcdef');
      mkdirSync(join(lab.volume, left));
      store = await openStore(lab.volume);
      expect(holders()).not.toContain(left);
    });
  });
});

it('files on the volume are for the server to write and for everybody to read', async () => {
  const deployment = lab.start(source(), { durable: true });
  await until(deployment, serves('1'));
  await deployment.stop();
  const modes = execFileSync('find', [lab.volume, '-mindepth', '1', '-printf', '%y %m\\n'], {
    encoding: 'utf8',
  });
  expect(new Set(modes.trim().split('\n'))).toEqual(new Set(['d 755', 'f 644']));
});
