// `npm test [-- VITEST ARGUMENTS]`: sets the clone up, checks it and runs the whole suite.
import { join } from 'node:path';
import { check } from './check.mjs';
import { run } from './run.mjs';
import { root, setup } from './setup.mjs';

const node = setup();
const args = process.argv.slice(2);
const checked = args.length > 0 ? 0 : await check(node);
const tested = await run(node, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], { cwd: root });
process.exitCode = checked || tested;
