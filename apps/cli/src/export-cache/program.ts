import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { assetPath, programFiles } from '@offprint/render/assets';

/** What the bytes of an export depend on besides the docs and the options. */
const SOURCES = [
  'packages/render/src',
  'packages/bundle/src',
  'packages/search/src',
  'apps/server/src/exports',
  'package-lock.json',
];

/**
 * Identifies the program that exports: a digest over version, platform, and names, sizes and times of its files. Two
 * programs never have the same one; a program that was installed again may have another.
 */
export function programId(): string {
  const states = programFiles(SOURCES).map((file) => {
    const { size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return `${file}\0${size}\0${mtimeNs}\0${ctimeNs}`;
  });
  const version = readFileSync(assetPath('apps/cli/package.json'), 'utf8');
  const parts = [version, process.version, process.platform, process.arch, ...states.sort()];
  return hash('sha256', parts.join('\n'));
}
