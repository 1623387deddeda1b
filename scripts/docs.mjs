// `npm run docs`: writes the generated parts of docs/.
import { join } from 'node:path';
import { run } from './run.mjs';
import { root, setup } from './setup.mjs';

process.exitCode = await run(setup(), [join(root, 'scripts/generate-docs.ts')], { cwd: root });
