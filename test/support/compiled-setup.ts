import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CheckRequest } from '../../apps/server/src/agent/check/request.ts';
import type { PathInput } from '../../apps/server/src/exports/path-child.ts';
import type { RenderInput } from '../../apps/server/src/exports/render-child.ts';
import type { ConfigInput } from '../../apps/server/src/projects/connection-child.ts';
import { COMPILED_CHILDREN } from './compiled.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const STAMP = join(COMPILED_CHILDREN, 'stamp');
const DOCS = join(root, 'docs');

/**
 * Vitest's global set-up: runs each main module of the sandbox once outside of it, on our own docs, so that the
 * children of the tests find its modules compiled. Tests need not wait: what is not there yet a child compiles itself.
 */
export default function setup(): () => Promise<void> {
  const running = new Set<ChildProcess>();
  const filled = fill(running).catch((error: unknown) => {
    // Nothing but time is lost.
    console.error('sandbox children of the tests compile their modules themselves:', error);
  });
  return async () => {
    for (const child of running) child.kill('SIGKILL');
    await filled;
  };
}

async function fill(running: Set<ChildProcess>): Promise<void> {
  const wanted = stateOfSources();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  mkdirSync(COMPILED_CHILDREN, { recursive: true });
  const artifactDir = await mkdtemp(join(tmpdir(), 'offprint-compiled-'));
  try {
    for (const [module, input] of modules(artifactDir)) {
      // Cached code is good for processes with the same flags of V8 only.
      const child = spawn(process.execPath, ['--disallow-code-generation-from-strings', join(root, module)], {
        cwd: '/',
        env: { NODE_COMPILE_CACHE: COMPILED_CHILDREN },
        stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
      });
      running.add(child);
      child.stdin?.on('error', () => {});
      child.stdin?.write(`${JSON.stringify(input)}\n`);
      child.stdio[3]?.on('data', () => {});
      const [code, signal] = await once(child, 'exit');
      running.delete(child);
      if (signal === 'SIGKILL') return;
      if (code !== 0) throw new Error(`${module} ended with ${code}`);
    }
  } finally {
    await rm(artifactDir, { recursive: true, force: true });
  }
  nameForJail();
  writeFileSync(STAMP, wanted);
}

function modules(artifactDir: string): [module: string, input: unknown][] {
  const render: RenderInput = {
    source: DOCS,
    artifactDir,
    domain: 'docs.example.com',
    siteUrl: 'https://docs.example.com',
    commit: null,
    committedAt: null,
  };
  const check: CheckRequest = { kind: 'site', folder: DOCS };
  const config: ConfigInput = { source: DOCS };
  const path: PathInput = { source: DOCS, paths: ['index'], groups: [], canFetch: false };
  return [
    ['apps/server/src/exports/render-child.ts', render],
    ['apps/server/src/agent/check/check-child.ts', check],
    ['apps/server/src/projects/connection-child.ts', config],
    ['apps/server/src/exports/path-child.ts', path],
  ];
}

/** Node names its folders by user, and in a jail that is root whoever runs the tests. */
function nameForJail(): void {
  const own = `-${process.getuid?.() ?? 0}`;
  if (own === '-0') return;
  for (const name of readdirSync(COMPILED_CHILDREN)) {
    const jailed = join(COMPILED_CHILDREN, `${name.slice(0, -own.length)}-0`);
    if (name.startsWith('v') && name.endsWith(own) && !existsSync(jailed)) symlinkSync(name, jailed);
  }
}

/** Changes with every file that a child may load. */
function stateOfSources(): string {
  const digest = createHash('sha256').update(process.version);
  const folders = [
    'apps/server/src',
    ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`),
  ];
  for (const folder of folders) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /\.(?:ts|js)$/.test(name)).sort()) {
      const { mtimeMs, size } = statSync(join(root, folder, file));
      digest.update(`${folder}/${file} ${mtimeMs} ${size}\n`);
    }
  }
  return digest.update(readFileSync(join(root, 'package-lock.json'))).digest('hex');
}
