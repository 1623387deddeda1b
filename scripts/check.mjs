// `npm run check`: format, lint, types and boundaries. Everything runs, so that one call lists every fault.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './run.mjs';
import { root, setup } from './setup.mjs';

/** Steps at a time: each takes one core, and those that read types a gigabyte of memory. */
const LANES = 2;

/** Resolves with 0 when every check passed. */
export async function check(node) {
  const bin = (path) => join(root, 'node_modules', path);
  const steps = [
    ['format and lint', [bin('@biomejs/biome/bin/biome'), 'check', '--max-diagnostics=50', root]],
    ['types', [bin('typescript/bin/tsc'), '-p', join(root, 'tsconfig.json')]],
    ['types of the dashboard', [bin('typescript/bin/tsc'), '-p', join(root, 'apps/dashboard/tsconfig.json')]],
    ['boundaries', [join(root, 'scripts/boundaries.ts')]],
    ['dependencies', [join(root, 'scripts/dependencies.ts')]],
    ['words', [join(root, 'scripts/words.ts')]],
    ['generated docs', [join(root, 'scripts/generate-docs.ts'), '--check']],
    ['generated action', [join(root, 'scripts/action.ts'), '--check']],
    ['generated notices', [join(root, 'scripts/notices.ts'), '--check']],
    ['generated fonts', [join(root, 'scripts/fonts.ts'), '--check']],
  ];
  let failed = 0;
  const lane = async () => {
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      const [name, args] = step;
      const { code, output } = await runStep(node, args);
      process.stderr.write(`${output}${code === 0 ? 'ok' : 'FAILED'}  ${name}\n`);
      failed ||= code;
    }
  };
  await Promise.all(Array.from({ length: Math.min(LANES, availableParallelism()) }, lane));
  return failed;
}

/** Keeps what a step prints apart from that of the step beside it. */
async function runStep(node, args) {
  const folder = mkdtempSync(join(tmpdir(), 'offprint-check-'));
  const file = join(folder, 'output.txt');
  const output = openSync(file, 'w');
  try {
    const code = await run(node, args, { cwd: root, stdio: ['ignore', output, output] });
    return { code, output: readFileSync(file, 'utf8') };
  } finally {
    closeSync(output);
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await check(setup());
