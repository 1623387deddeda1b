// `npm run dev`: sets the clone up and runs the platform and the dashboard on one port; both reload on changes.
import { join } from 'node:path';
import { stopWhenOrphaned } from './orphan.mjs';
import { run } from './run.mjs';
import { root, setup } from './setup.mjs';

const node = setup();
stopWhenOrphaned();
process.exitCode = await run(node, [join(root, 'scripts/dev.ts')], { cwd: root });
