/**
 * Writes packages/render/src/theme/fonts: the characters, features and weights of the fonts that nearly every page
 * needs. `npm run docs` runs this script; with --check it writes nothing and exits with 1 when a file is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import subsetFont from 'subset-font';
import { CORE_FOLDER, CORE_WEIGHTS, FAMILIES, subsetFile } from '../packages/render/src/theme/fonts.ts';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), CORE_FOLDER);
const [min, max] = CORE_WEIGHTS;

for (const family of FAMILIES) {
  for (const { style, file, characters, features } of family.cores) {
    const made = await subsetFont(readFileSync(subsetFile(family, 'latin', style)), characters, {
      targetFormat: 'woff2',
      variationAxes: { wght: { min, max } },
      keepFeatures: [...features],
    });
    const path = join(folder, file);
    if (!process.argv.includes('--check')) writeFileSync(path, made);
    else if (!readFileSync(path).equals(made)) {
      process.stderr.write(`${path} is stale. Run \`npm run docs\`.\n`);
      process.exitCode = 1;
    }
  }
}
