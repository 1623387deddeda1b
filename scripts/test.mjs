// `npm test` checks the clone and runs the fast tests, `npm run test:all` the slow ones as well (`*.slow.test.ts`).
// `npm test -- PATH` runs what is below a path, fast and slow, without the checks; `--watch` runs it again on changes.
import { join } from 'node:path';
import { check } from './check.mjs';
import { stopWhenOrphaned } from './orphan.mjs';
import { run } from './run.mjs';
import { root, setup } from './setup.mjs';

const node = setup();
stopWhenOrphaned();
const { tier, args } = readArguments(process.argv.slice(2));
const checked = args.length > 0 ? 0 : await check(node);
const tested = await run(node, [join(root, 'node_modules/vitest/vitest.mjs'), ...vitestArguments()], {
  cwd: root,
});
process.exitCode = checked || tested;

function readArguments(all) {
  const args = all.filter((arg) => arg !== '--all');
  return { tier: args.length < all.length || args.length > 0 ? 'all' : 'fast', args };
}

function vitestArguments() {
  const command = args.includes('--watch') ? 'watch' : 'run';
  const projects = tier === 'fast' ? ['--project', '!slow'] : [];
  return [command, ...projects, ...args.filter((arg) => arg !== '--watch')];
}
