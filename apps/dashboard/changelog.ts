import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const CHANGELOG = join(import.meta.dirname, '../../CHANGELOG.md');

/** Puts the changelog beside the dashboard as `/changelog.txt`, so that it can be read without internet. */
export function changelog(): Plugin {
  return {
    name: 'offprint-changelog',
    generateBundle() {
      this.emitFile({
        type: 'asset',
        fileName: 'changelog.txt',
        source: readFileSync(CHANGELOG, 'utf8'),
      });
    },
  };
}
