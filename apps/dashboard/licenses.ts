import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';

const NAME = 'licenses.txt';

/** Packages whose text is part of the style sheet, of which a build does not tell. */
const STYLES = ['tailwindcss'];

/** Folder of the innermost package that a file belongs to. */
const PACKAGE = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;

/**
 * Writes the licenses of everything third-party that the dashboard ships: scripts, fonts, icons. They require
 * their notice in every copy, and minification removes comments. Reads the output of the build itself, so a
 * package cannot be forgotten; one without a license fails it.
 */
export function licenses(): Plugin {
  return {
    name: 'offprint-licenses',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle).flatMap((part) =>
        part.type === 'chunk' ? Object.keys(part.modules) : part.originalFileNames,
      );
      const folders = files.map((file) => PACKAGE.exec(resolve(import.meta.dirname, file))?.[0]);
      const styles = STYLES.map((name) => resolve(import.meta.dirname, '../../node_modules', name));
      const carried = [...new Set([...folders, ...styles])].filter((folder) => folder !== undefined);
      const notices = new Map(carried.map(noticeOf));
      const texts = [...notices.keys()].sort().map((name) => `${name}\n\n${notices.get(name)}`);
      this.emitFile({
        type: 'asset',
        fileName: NAME,
        source: `Parts of this dashboard are third-party work, used under these licenses.\n\n${texts.join('\n\n---\n\n')}\n`,
      });
    },
  };
}

interface Manifest {
  name: string;
  license?: string;
  author?: string | { name: string };
}

/** Name of the package in a folder, and its license: the text that it includes, or else what it declares. */
function noticeOf(folder: string): [string, string] {
  const { name, license, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Manifest;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.|$)/i.test(entry));
  if (file !== undefined) return [name, readFileSync(join(folder, file), 'utf8').trim()];
  if (license === undefined) throw new Error(`${name} does not declare a license`);
  const holder = typeof author === 'object' ? author.name : author;
  return [name, holder === undefined ? license : `${license}, ${holder}`];
}
