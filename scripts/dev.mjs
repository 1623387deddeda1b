// `npm run dev`: sets the clone up and runs the platform and the dashboard on one port; both reload on changes.
import { join } from 'node:path';
import { run } from './run.mjs';
import { root, setup } from './setup.mjs';

const node = setup();
process.exitCode = await run(node, [join(root, 'scripts/dev.ts')], { cwd: root });
