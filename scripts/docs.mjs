// `npm run docs`: writes the generated parts of docs/, the script of the GitHub Action, the notices of diagrams, and the fonts.
import { join } from 'node:path';
import { run } from './run.mjs';
import { root, setup } from './setup.mjs';

const node = setup();
for (const script of ['generate-docs.ts', 'action.ts', 'notices.ts', 'fonts.ts']) {
  process.exitCode ||= await run(node, [join(root, 'scripts', script)], { cwd: root });
}
