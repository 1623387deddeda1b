import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Declared {
  license?: string;
  author?: string | { name?: string };
  repository?: string | { url?: string };
}

/**
 * License of the package in a folder: its text and notices, or, where the package includes none, what it declares. An
 * error where it declares none either: what states no license cannot be published.
 */
export function licenseText(folder: string): string {
  const files = readdirSync(folder).sort();
  const texts = [/^(?:licen[cs]e|copying)(?:[.-].*)?$/i, /^notice(?:[.-].*)?$/i]
    .flatMap((name) => files.find((file) => name.test(file)) ?? [])
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const { license, author, repository }: Declared = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  if (texts.length === 0 && license === undefined) throw new Error(`${folder} declares no license`);
  const holder = typeof author === 'object' ? author.name : author;
  const source = typeof repository === 'object' ? repository.url : repository;
  // The license of elkjs requires to say where its source is.
  const place = license?.startsWith('EPL-') === true && source !== undefined ? [`Source: ${source}`] : [];
  if (texts.length > 0) return [...place, ...texts].join('\n\n');
  return [`License: ${license}`, holder === undefined ? '' : `Copyright: ${holder}`, ...place]
    .filter((line) => line !== '')
    .join('\n');
}

/** Notices of packages; those with the same text share it. */
export function notices(packages: ReadonlyMap<string, string>): string {
  const byText = new Map<string, string[]>();
  for (const [name, text] of [...packages].sort(([a], [b]) => (a < b ? -1 : 1))) {
    byText.set(text, [...(byText.get(text) ?? []), name]);
  }
  return [...byText].map(([text, names]) => `${names.join(', ')}\n\n${text}\n`).join('\n---\n\n');
}
