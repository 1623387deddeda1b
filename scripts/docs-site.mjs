// Exports docs/ for /docs of the API when the docs or the renderer are newer than the export.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { newest } from './dashboard.mjs';
import { run } from './run.mjs';
import { root } from './setup.mjs';

const SOURCES = [
  'docs',
  'packages/bundle/src',
  'packages/search/src',
  'packages/render/src',
  'apps/server/src/exports',
  'package-lock.json',
];
const SCRIPT = join(root, 'scripts/build/docs-site.ts');
/** Ends the export with the process that started it. */
const LINKED = ['--import', new URL('./stop-when-orphaned.mjs', import.meta.url).href];
/** The platform that starts at the same time goes first. */
const NICENESS = 10;

/** Resolves with the exit code of the export, 0 when there was nothing to do. */
export async function buildDocs(node) {
  if (isCurrent()) return 0;
  return run(node, [SCRIPT], { cwd: root, stdio: ['ignore', 2, 2] });
}

/** The export that runs in the background. */
let running = null;

/** Starts the export if there is something to do, and does not wait for it. */
export function startDocs(node) {
  if (running !== null || isCurrent()) return;
  const child = spawn(node, [...LINKED, SCRIPT], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  running = child;
  child.on('error', (error) =>
    process.stderr.write(`The documentation cannot be exported: ${error.message}\n`),
  );
  child.on('close', () => {
    running = null;
  });
  if (child.pid !== undefined) setPriority(child.pid, NICENESS);
}

/** Ends the export in the background, if one is running. */
export async function stopDocs() {
  if (running === null) return;
  const closed = once(running, 'close');
  running.kill('SIGKILL');
  await closed;
}

function isCurrent() {
  const built = statSync(join(root, 'dist/docs/artifact.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return SOURCES.every((source) => newest(join(root, source)) <= built);
}
