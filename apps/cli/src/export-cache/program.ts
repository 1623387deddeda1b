import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { assetPath, exportSources, programFiles } from '@offprint/render/assets';

/**
 * Identifies the program that exports: a digest over version, platform, and names, sizes and times of its files. Two
 * programs never have the same one; a program that was installed again may have another.
 */
export function programId(): string {
  const states = programFiles([...exportSources, 'package-lock.json']).map((file) => {
    const { size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return `${file}\0${size}\0${mtimeNs}\0${ctimeNs}`;
  });
  const version = readFileSync(assetPath('apps/cli/package.json'), 'utf8');
  const parts = [version, process.version, process.platform, process.arch, ...states.sort()];
  return hash('sha256', parts.join('\n'));
}
