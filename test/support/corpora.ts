/** The real docs sites that tests read in place, when they are beside the checkout. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Folder of the corpora: OFFPRINT_CORPORA, else `../shared/corpora` beside the checkout. Null if neither exists. */
export function corporaFolder(): string | null {
  const folder = process.env.OFFPRINT_CORPORA ?? resolve(root, '..', 'shared', 'corpora');
  return existsSync(folder) ? folder : null;
}

/** Why corpora tests do not run, for the name of a skipped test. */
export const NO_CORPORA = 'no corpora: set OFFPRINT_CORPORA to a folder of docs sites';

export interface Corpus {
  name: string;
  folder: string;
  /** Files that the corpus left out of its repository, so links to them are rightly missing. */
  dropped: ReadonlySet<string>;
}

export function corpora(): Corpus[] {
  const folder = corporaFolder();
  if (folder === null) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => {
      const list = join(folder, entry.name, '.dropped');
      const dropped = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : [];
      return { name: entry.name, folder: join(folder, entry.name), dropped: new Set(dropped) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const isLinkPage = (file: string): boolean =>
  /^---\r?\n(?:(?!---)[^\n]*\n)*url: \S/.test(readFileSync(file, 'utf8'));

const NEVER_PAGES = /^(readme|license|contributing|contribute|changelog)\.mdx?$/i;

/**
 * Page files of a site, counted without the renderer: Markdown outside dot folders and snippet folders that no
 * other file imports. `README.md` and similar files are not pages, nor are files whose front matter is a link
 * (`url`), those in root folders that the format ignores by default, and a `skill.md` at the root, which is published
 * as it is.
 */
export function pageFiles(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.mdx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const candidates = files.filter(
    (file) =>
      !/(^|\/)(\.[^/]*|snippets|_snippets|node_modules)\//.test(file) &&
      !/^(build|dist|coverage|tmp|temp)\//.test(file) &&
      file !== 'skill.md' &&
      !isLinkPage(join(folder, file)) &&
      !(file.endsWith('.md') && NEVER_PAGES.test(file.split('/').pop()!)),
  );
  const imported = new Set<string>();
  for (const file of files) {
    for (const match of readFileSync(join(folder, file), 'utf8').matchAll(
      /^import\s[^;'"]*from\s+['"]([^'"]+\.mdx?)['"]/gm,
    )) {
      const target = match[1]!;
      imported.add(target.startsWith('/') ? target.slice(1) : join(dirname(file), target));
    }
  }
  return candidates.filter((file) => !imported.has(file)).sort();
}
