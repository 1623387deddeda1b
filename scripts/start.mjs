// `npm start [-- DIR] [--once] [--json]`: sets the clone up and runs `offprint up`, on the project's own docs
// unless a folder is given.
import { join } from 'node:path';
import { buildDashboard } from './dashboard.mjs';
import { startDocs, stopDocs } from './docs-site.mjs';
import { stopWhenOrphaned } from './orphan.mjs';
import { run } from './run.mjs';
import { root, setup } from './setup.mjs';

const node = setup();
const built = await buildDashboard(node);
if (built !== 0) process.exit(built);
const args = ['up', '--default-dir', join(root, 'docs'), ...process.argv.slice(2)];
stopWhenOrphaned();
startDocs(node);
process.exitCode = await run(node, [join(root, 'apps/cli/bin/offprint.mjs'), ...args], {
  cwd: process.env.INIT_CWD ?? process.cwd(),
});
await stopDocs();
