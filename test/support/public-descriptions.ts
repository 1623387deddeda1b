/** The public API descriptions that tests read in place, when they are beside the checkout. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Why tests of public descriptions do not run, for the name of a skipped test. */
export const NO_DESCRIPTIONS = 'no API descriptions: set OFFPRINT_OPENAPI to a folder of them';

/** Files of the folder OFFPRINT_OPENAPI, else `../shared/openapi` beside the checkout; none if neither exists. */
export function publicDescriptions(): { name: string; file: string }[] {
  const folder = process.env.OFFPRINT_OPENAPI ?? resolve(root, '..', 'shared', 'openapi');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => /\.(?:json|ya?ml)$/.test(name));
  return names.sort().map((name) => ({ name, file: join(folder, name) }));
}
