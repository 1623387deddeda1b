import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT, writePackage } from './manifest.ts';

/** The client and the schemas of the contract, as JavaScript with declarations; zod stays a dependency. */
export async function buildClient(): Promise<void> {
  const folder = join(ROOT, 'dist/packages/client');
  const bundle = await rolldown({
    input: {
      index: join(ROOT, 'packages/client/src/index.ts'),
      download: join(ROOT, 'packages/client/src/download.ts'),
      contract: join(ROOT, 'packages/contract/src/index.ts'),
    },
    cwd: ROOT,
    external: (id) => id.startsWith('node:') || id === 'zod' || id.startsWith('zod/'),
    logLevel: 'warn',
  });
  await bundle.write({
    dir: join(folder, 'dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  writeDeclarations(join(folder, 'dist/types'));
  const entry = (name: string, source: string) => ({
    types: `./dist/types/${source}.d.ts`,
    default: `./dist/${name}.js`,
  });
  writePackage(folder, {
    from: 'packages/client',
    exports: {
      '.': entry('index', 'client/src/index'),
      './download': entry('download', 'client/src/download'),
      './contract': entry('contract', 'contract/src/index'),
    },
    files: ['dist'],
    dependencies: ['zod'],
    licenses: '',
  });
}

function writeDeclarations(folder: string): void {
  const work = mkdtempSync(join(ROOT, 'dist/declarations-'));
  try {
    const config = {
      extends: '../../tsconfig.base.json',
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: '../../packages',
        outDir: 'out',
        // tsc writes no declarations of files that it happens to find in node_modules first.
        paths: { '@offprint/contract': ['../../packages/contract/src/index.ts'] },
      },
      files: ['contract/src/index', 'client/src/index', 'client/src/download'].map(
        (name) => `../../packages/${name}.ts`,
      ),
    };
    writeFileSync(join(work, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', work], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`tsc failed for @offprint/client:\n${stdout}${stderr}`);
    const out = join(work, 'out');
    for (const path of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.d.ts')) continue;
      const file = join(out, path);
      // The contract has no package of its own, and declarations name the JavaScript files that they belong to.
      const contract = relative(dirname(path), 'contract/src/index.js');
      const text = readFileSync(file, 'utf8')
        .replaceAll(/(from |import\()(['"])@offprint\/contract\2/g, `$1'${contract}'`)
        .replaceAll(/(from |import\()(['"])(\.[^'"]*)\.ts\2/g, "$1'$3.js'");
      writeFileSync(file, text);
    }
    mkdirSync(folder, { recursive: true });
    cpSync(out, folder, { recursive: true });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
