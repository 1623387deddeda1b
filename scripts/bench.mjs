// `npm run bench`: exports generated pages beside Hugo and prints the table of bench/README.md.
import { join } from 'node:path';
import { run } from './run.mjs';
import { root, setup } from './setup.mjs';

const args = [join(root, 'bench/export.ts'), ...process.argv.slice(2)];
process.exitCode = await run(setup(), args, { cwd: root });
