// `npm run check`: format, lint, types and boundaries. Everything runs, so that one call lists every fault.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './run.mjs';
import { root, setup } from './setup.mjs';

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
  for (const [name, args] of steps) {
    const code = await run(node, args, { cwd: root });
    process.stderr.write(`${code === 0 ? 'ok' : 'FAILED'}  ${name}\n`);
    failed ||= code;
  }
  return failed;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await check(setup());
